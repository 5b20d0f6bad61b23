import { existsSync, rmSync } from 'node:fs';
import { dirname } from 'node:path';

import { ConfigError, InternalError } from '../../model/error.ts';
import type { ChangeKind, Outcome } from '../../model/outcome.ts';
import type {
  DuplicateGroup,
  KnownRecord,
  LookAlike,
  RowQuery,
  RunRow,
  RunRowPatch,
  RunRows,
} from '../../model/state/run-rows.ts';
import { RepeatedTexts } from '../../model/repeated-texts.ts';
import { fromIssues, issuesAmong, type Words } from '../../model/said.ts';
import { openDatabase, type Database } from './database.ts';
import { removeEmptyFolder, syncFolder } from '../private-files.ts';
import { lookAlikesIn, seenRow, type SeenRow } from '../repeated-rows.ts';
import {
  BLOCK_COLUMNS,
  changesContent,
  contentOf,
  inBlocks,
  isTold,
  lazyContent,
  patchContent,
  patchedState,
  readBlock,
  rowAt,
  stateOf,
  storedContent,
  storedNumbers,
  storedStates,
  tallyOf,
  type Block,
  type Content,
  type RowState,
} from './row-blocks.ts';
import { RUN_ROWS_FORMAT } from './run-rows-format.ts';
import { integer, json, text } from '../sql-row.ts';
import { attempt, storageError } from '../storage-error.ts';

/**
 * Opens or creates the rows of a run in `file`; a damaged file is begun again. Null keeps them outside any named file until they are closed. Errors: those of
 * `openDatabase`.
 */
export function openRunRows(file: string | null, busyTimeoutMs: number): RunRows {
  const kept = file === null ? undefined : openKeptRunRows(file, busyTimeoutMs);
  if (kept !== undefined) return kept;
  if (file !== null) removeFiles(file);
  return new SqliteRunRows(file, open(file, busyTimeoutMs));
}

/** Opens the rows that an earlier process left in `file`; undefined where the file is gone or damaged: its rows are lost. Errors: the others of `openDatabase`. */
export function openKeptRunRows(file: string, busyTimeoutMs: number): RunRows | undefined {
  if (!existsSync(file)) return undefined;
  let db: Database | undefined;
  try {
    db = open(file, busyTimeoutMs, true);
    if (db.count(UNREADABLE_ROWS) === 0) return new SqliteRunRows(file, db);
  } catch (error) {
    if (!isDamaged(storageError(file, error))) throw error;
  }
  db?.close();
  return undefined;
}

/** No check of SQLite looks into what stands in a column. */
const UNREADABLE_ROWS = `SELECT (SELECT count(*) FROM mapping WHERE json_valid(header) = 0)
  + (SELECT count(*) FROM block LEFT JOIN content ON content.block = number WHERE content.block IS NULL OR 0 IN (
    json_valid(tally), json_valid(row_numbers), json_valid(states), json_valid(key), json_valid(folded),
    json_valid(fields), json_valid(lookups), json_valid(lines)))`;

const open = (file: string | null, busyTimeoutMs: number, isChecked = false): Database =>
  openDatabase({ file, format: RUN_ROWS_FORMAT, durability: 'normal', busyTimeoutMs, isChecked });

const isDamaged = (error: unknown): boolean => error instanceof ConfigError && error.code === 'state.damaged';

function removeFiles(file: string): void {
  for (const suffix of ['', '-wal', '-shm']) rmSync(`${file}${suffix}`, { recursive: true, force: true });
}

/** What later commands ask a finished run for. */
const KEPT_OUTCOMES: ReadonlySet<Outcome | null> = new Set(['created', 'updated', 'invalid', 'rejected']);

/** What is kept of a row then: of an invalid one also which columns are wrong, and by which codes. */
const bare = (row: RunRow): RunRow => ({
  ...row,
  lines: [],
  before: null,
  lookups: null,
  folded: null,
  fields: row.outcome === 'created' || row.outcome === 'updated' ? row.fields : null,
  said: row.outcome !== 'invalid' ? [] : fromIssues(wrongColumns(row)),
});

const wrongColumns = ({ said }: RunRow): Parameters<typeof fromIssues>[0] =>
  issuesAmong(said).flatMap(({ code, severity, column }) =>
    column === undefined ? [] : [{ code, severity, column, message: '' }],
  );

/** Rows whose duplicates and look-alikes are told apart at once. */
const SEEN_ROWS = 50_000;

type Wanted = Pick<RowQuery, 'change' | 'open' | 'told' | 'outcomes'>;

const fits = (state: RowState, wanted: Wanted): boolean => {
  const { change, outcome = null } = state;
  return (
    (wanted.change === undefined || wanted.change === change) &&
    (wanted.told !== true || isTold(state)) &&
    (wanted.open !== true || outcome === null) &&
    (wanted.outcomes === undefined || (outcome !== null && wanted.outcomes.includes(outcome)))
  );
};

const byNumber = (one: RunRow, other: RunRow): number => one.rowNumber - other.rowNumber;

class SqliteRunRows implements RunRows {
  readonly #file: string | null;
  readonly #db: Database;
  #areNamesSynced = false;
  /** By mapping, the folded keys of the rows that this process has added. Rows of one key have one folded key. */
  readonly #texts = new Map<number, RepeatedTexts>();

  constructor(file: string | null, db: Database) {
    this.#file = file;
    this.#db = db;
  }

  add(mapping: string, rows: readonly RunRow[]): Promise<void> {
    return this.#db.write(() => {
      const number = this.#addMapping(mapping);
      const added = rows.toSorted(byNumber);
      const [first] = added;
      if (first === undefined) return;
      // Tables are read from top to bottom: hardly ever do rows come before others that are there.
      const later = [...this.#blocks(number, {}, first.rowNumber - 1)];
      const all =
        later.length === 0
          ? added
          : [...later.flatMap((block) => this.#rows(block)), ...added].sort(byNumber);
      const twice = all.find(({ rowNumber }, at) => all[at + 1]?.rowNumber === rowNumber);
      if (twice !== undefined)
        throw new InternalError('state.row_twice', `UNIQUE: ${mapping} has row ${twice.rowNumber} twice`);
      for (const block of later) this.#delete(block);
      for (const block of inBlocks(all)) this.#insert(number, block);
      if (later.length > 0) this.#texts.delete(number);
      else this.#see(number, added, first.rowNumber);
    });
  }

  patch(mapping: string, patches: readonly RunRowPatch[]): Promise<void> {
    return this.#db.write(() => {
      const number = this.#mapping(mapping);
      let block: Block | undefined;
      let content: Content | undefined;
      for (const patch of patches) {
        let at = block?.rowNumbers.indexOf(patch.rowNumber) ?? -1;
        if (at < 0) {
          if (block !== undefined) this.#save(block, content);
          block = this.#next(number, {}, patch.rowNumber - 1);
          content = undefined;
          at = block?.rowNumbers.indexOf(patch.rowNumber) ?? -1;
        }
        const state = block?.states[at];
        if (block === undefined || state === undefined)
          throw new InternalError(
            'state.no_row',
            `mapping ${mapping} has no row ${patch.rowNumber} in this run: its outcome cannot be recorded`,
          );
        block.states[at] = patchedState(state, patch);
        if (!changesContent(patch)) continue;
        content ??= this.#content(block);
        if (patch.key !== undefined) this.#texts.delete(number);
        patchContent(block, content, at, patch);
      }
      if (block !== undefined) this.#save(block, content);
    });
  }

  page(mapping: string, { afterRow, limit, withoutLines, ...wanted }: RowQuery): Promise<readonly RunRow[]> {
    return this.#db.read(() => {
      const found: RunRow[] = [];
      for (const block of this.#blocks(this.#mapping(mapping), wanted, afterRow)) {
        const isWanted = (state: RowState, rowNumber: number): boolean =>
          rowNumber > afterRow && fits(state, wanted);
        found.push(...this.#rows(block, isWanted, limit - found.length, withoutLines !== true));
        if (found.length === limit) break;
      }
      return found;
    });
  }

  rows(mapping: string, rowNumbers: readonly number[]): Promise<readonly RunRow[]> {
    return this.#db.read(() => [...this.#numbered(this.#mapping(mapping), rowNumbers)]);
  }

  deferOpen(mapping: string, said: Words, change?: ChangeKind): Promise<void> {
    const wanted = { open: true, ...(change !== undefined && { change }) };
    return this.#db.write(() => this.#patchAll(mapping, wanted, { outcome: 'deferred', said }));
  }

  reopenDeferred(mapping: string): Promise<void> {
    const patch = { outcome: null, said: [] };
    return this.#db.write(() => this.#patchAll(mapping, { outcomes: ['deferred'] }, patch));
  }

  restart(mapping: string): Promise<void> {
    return this.#db.write(() => {
      this.#db.run('DELETE FROM known WHERE mapping = ?', this.#mapping(mapping));
      const patch = { change: 'pending', before: null } as const;
      this.#patchAll(mapping, { open: true, change: 'update' }, patch);
      this.#patchAll(mapping, { open: true, change: 'create' }, patch, ({ id = null }) => id === null);
    });
  }

  countOutcomes(mapping: string): Promise<ReadonlyMap<Outcome | 'open', number>> {
    return this.#count<Outcome | 'open'>(mapping, "coalesce(value ->> 1, 'open')");
  }

  countChanges(mapping: string, open = false): Promise<ReadonlyMap<ChangeKind, number>> {
    return this.#count<ChangeKind>(mapping, 'value ->> 0', open ? 'value ->> 1 IS NULL' : 'TRUE');
  }

  async *duplicates(mapping: string): AsyncGenerator<DuplicateGroup> {
    for await (const page of this.#repeated(mapping, 'key')) {
      const groups = page.flatMap((rows) => [...Map.groupBy(rows, ({ key }) => key)]);
      for (const [key, rows] of groups.sort(
        ([, [one]], [, [other]]) => (one?.rowNumber ?? 0) - (other?.rowNumber ?? 0),
      ))
        if (key !== null && rows.length > 1) yield { key, rows };
    }
  }

  async *lookAlikes(mapping: string): AsyncGenerator<LookAlike> {
    for await (const page of this.#repeated(mapping, 'folded'))
      for (const rows of page)
        for (const [folded, group] of Map.groupBy(rows, (row) => row.folded))
          if (folded !== null) yield* lookAlikesIn(group);
  }

  addKnown(mapping: string, records: readonly KnownRecord[]): Promise<void> {
    return this.#db.write(() => {
      const number = this.#addMapping(mapping);
      for (const record of records) {
        this.#db.run(
          'INSERT OR REPLACE INTO known VALUES (?, ?, ?, ?)',
          number,
          record.key,
          record.id ?? '',
          JSON.stringify(record),
        );
      }
    });
  }

  known(mapping: string, keys: readonly string[]): Promise<ReadonlyMap<string, readonly KnownRecord[]>> {
    return this.#db.read(() => {
      const rows = this.#db.all(
        `SELECT known.record FROM json_each(?2) AS wanted CROSS JOIN known
         ON known.mapping = ?1 AND known.key = wanted.value`,
        this.#mapping(mapping),
        JSON.stringify([...new Set(keys)]),
      );
      return Map.groupBy(
        rows.map((row) => json(row, 0) as KnownRecord),
        (record) => record.key,
      );
    });
  }

  countKnown(mapping: string): Promise<number> {
    return this.#db.read(() =>
      this.#db.count('SELECT count(DISTINCT key) FROM known WHERE mapping = ?', this.#mapping(mapping)),
    );
  }

  setHeader(mapping: string, header: readonly string[]): Promise<void> {
    return this.#db.write(() => {
      this.#db.run(
        'UPDATE mapping SET header = ? WHERE number = ?',
        JSON.stringify(header),
        this.#addMapping(mapping),
      );
    });
  }

  header(mapping: string): Promise<readonly string[]> {
    return this.#db.read(() => {
      const row = this.#db.get('SELECT header FROM mapping WHERE name = ?', mapping);
      return row === undefined ? [] : ((json(row, 0) ?? []) as string[]);
    });
  }

  mappings(): Promise<readonly string[]> {
    return this.#db.read(() =>
      this.#db.all('SELECT name FROM mapping ORDER BY number').map((row) => text(row, 0)),
    );
  }

  async sync(): Promise<void> {
    if (this.#file === null) return;
    await this.#db.sync();
    if (this.#areNamesSynced) return;
    const folder = dirname(this.#file);
    // The file, the folder of its run, and the folder of all runs may be new.
    const folders = [folder, dirname(folder), dirname(dirname(folder))];
    await attempt(this.#file, () => folders.forEach(syncFolder));
    this.#areNamesSynced = true;
  }

  close(): Promise<void> {
    return this.#db.read(() => {
      this.#db.close();
    });
  }

  async keepWritten(): Promise<void> {
    const left = await this.#db.write(() => {
      this.#db.run('DELETE FROM known');
      let count = 0;
      for (const mapping of this.#db.integers('SELECT number FROM mapping'))
        for (const block of this.#blocks(mapping)) {
          const kept = this.#rows(block, ({ outcome = null }) => KEPT_OUTCOMES.has(outcome)).map(bare);
          this.#delete(block);
          for (const rows of inBlocks(kept)) this.#insert(mapping, rows);
          count += kept.length;
        }
      return count;
    });
    if (left === 0) return this.remove();
    // What was deleted is personal data: it must not stay in free pages.
    await this.#db.read(() => this.#db.run('VACUUM'));
    return this.close();
  }

  remove(): Promise<void> {
    return this.#db.read(() => {
      this.#db.close();
      if (this.#file === null) return;
      removeFiles(this.#file);
      removeEmptyFolder(dirname(this.#file));
    });
  }

  /** The number of a mapping; -1, which no row has, for one without rows. */
  #mapping(name: string): number {
    const row = this.#db.get('SELECT number FROM mapping WHERE name = ?', name);
    return row === undefined ? -1 : integer(row, 0);
  }

  #addMapping(name: string): number {
    this.#db.run('INSERT INTO mapping (name) VALUES (?) ON CONFLICT DO NOTHING', name);
    return this.#mapping(name);
  }

  /** The first block of rows after one that holds rows which fit. */
  #next(mapping: number, { change, open, told, outcomes }: Wanted, afterRow: number): Block | undefined {
    const fitting = [
      change ?? null,
      Number(open === true),
      Number(told === true),
      outcomes ? JSON.stringify(outcomes) : null,
    ];
    const row = this.#db.get(NEXT_BLOCK, mapping, afterRow, ...fitting);
    return row && readBlock(row);
  }

  /** All such blocks in row order, each as it stands when it is asked for. */
  *#blocks(mapping: number, wanted: Wanted = {}, afterRow = 0): Generator<Block> {
    let block = this.#next(mapping, wanted, afterRow);
    for (; block !== undefined; block = this.#next(mapping, wanted, block.rowNumbers.at(-1) ?? Infinity))
      yield block;
  }

  #content({ number }: Block): Content {
    return lazyContent((name) => this.#db.get(`SELECT "${name}" FROM content WHERE block = ?`, number) ?? []);
  }

  /** The rows of a block that are wanted, at most `limit`. */
  #rows(
    block: Block,
    isWanted: (state: RowState, rowNumber: number) => boolean = () => true,
    limit = Infinity,
    withLines = true,
  ): readonly RunRow[] {
    const places = block.states.flatMap((state, at) =>
      isWanted(state, block.rowNumbers[at] ?? 0) ? at : [],
    );
    if (places.length === 0) return [];
    const content = this.#content(block);
    return places.slice(0, limit).map((at) => rowAt(block, content, at, withLines));
  }

  #insert(mapping: number, rows: readonly RunRow[]): void {
    const rowNumbers = rows.map(({ rowNumber }) => rowNumber);
    const states = rows.map(stateOf);
    const number = this.#db.count(
      'INSERT INTO block (mapping, last_row, tally, row_numbers, states) VALUES (?, ?, ?, ?, ?) RETURNING number',
      ...[mapping, rowNumbers.at(-1) ?? 0, tallyOf(states)],
      ...[storedNumbers(rowNumbers), storedStates(states)],
    );
    this.#saveContent(number, contentOf(rows));
  }

  #save({ number, states }: Block, content?: Content): void {
    const statement = 'UPDATE block SET tally = ?, states = ? WHERE number = ?';
    this.#db.run(statement, tallyOf(states), storedStates(states), number);
    if (content !== undefined) this.#saveContent(number, content);
  }

  #saveContent(block: number, content: Content): void {
    const statement = 'INSERT OR REPLACE INTO content VALUES (?, ?, ?, ?, ?, ?)';
    this.#db.run(statement, block, ...storedContent(content));
  }

  #delete({ number }: Block): void {
    this.#db.run('DELETE FROM block WHERE number = ?', number);
    this.#db.run('DELETE FROM content WHERE block = ?', number);
  }

  #patchAll(
    mapping: string,
    wanted: Wanted,
    patch: Omit<RunRowPatch, 'rowNumber'>,
    isWanted: (state: RowState) => boolean = () => true,
  ): void {
    for (const block of this.#blocks(this.#mapping(mapping), wanted)) {
      for (const [at, state] of block.states.entries())
        if (fits(state, wanted) && isWanted(state)) block.states[at] = patchedState(state, patch);
      this.#save(block);
    }
  }

  #count<Name extends string>(
    mapping: string,
    expression: string,
    condition = 'TRUE',
  ): Promise<ReadonlyMap<Name, number>> {
    return this.#db.read(() => {
      const rows = this.#db.all(
        `SELECT ${expression}, sum(value ->> 2) FROM block, json_each(tally) WHERE mapping = ? AND ${condition} GROUP BY 1`,
        this.#mapping(mapping),
      );
      return new Map(rows.map((row) => [text(row, 0) as Name, integer(row, 1)]));
    });
  }

  /** Groups of valid rows that a column has with one text, or with one checksum, in pages and in order of their first rows. */
  async *#repeated(mapping: string, column: 'key' | 'folded'): AsyncGenerator<readonly SeenRow[][]> {
    const groups = await this.#db.read(() => {
      const number = this.#mapping(mapping);
      return (this.#texts.get(number) ?? this.#textsOf(number, column)).groups();
    });
    for (let from = 0, to = 0; from < groups.length; from = to) {
      for (let rows = 0; to < groups.length && rows < SEEN_ROWS; to += 1) rows += groups[to]?.length ?? 0;
      const page = groups.slice(from, to);
      yield await this.#db.read(() => {
        const seen = new Map<number, SeenRow>();
        for (const row of this.#numbered(this.#mapping(mapping), page.flat()))
          if (row.change !== 'invalid' && row.change !== 'excluded') seen.set(row.rowNumber, seenRow(row));
        return page.map((group) => group.flatMap((rowNumber) => seen.get(rowNumber) ?? []));
      });
    }
  }

  /** Remembers the keys of rows behind all others, unless those before them are not remembered. */
  #see(mapping: number, rows: readonly RunRow[], first: number): void {
    const before = 'SELECT EXISTS (SELECT 1 FROM block WHERE mapping = ? AND last_row < ?)';
    const isFirst = this.#db.count(before, mapping, first) === 0;
    const texts = isFirst ? new RepeatedTexts() : this.#texts.get(mapping);
    if (texts === undefined) return;
    for (const { key, folded, rowNumber } of rows) if (key !== null) texts.add(folded ?? key, rowNumber);
    this.#texts.set(mapping, texts);
  }

  /** The texts of a column that were not seen when they were added, or were changed since. */
  #textsOf(mapping: number, column: 'key' | 'folded'): RepeatedTexts {
    const texts = new RepeatedTexts();
    for (const block of this.#blocks(mapping))
      for (const [at, value] of this.#content(block)[column].entries())
        if (value !== null) texts.add(value, block.rowNumbers[at] ?? 0);
    return texts;
  }

  /** The rows of some numbers that are there. */
  *#numbered(mapping: number, rowNumbers: readonly number[]): Generator<RunRow> {
    const wanted = new Set(rowNumbers);
    const statement = `SELECT ${BLOCK_COLUMNS} FROM block WHERE number IN (${BLOCKS_OF}) ORDER BY last_row`;
    for (const row of this.#db.each(statement, mapping, JSON.stringify(rowNumbers)))
      yield* this.#rows(readBlock(row), (_, rowNumber) => wanted.has(rowNumber));
  }
}

/** The first block after a row with rows that fit. */
const NEXT_BLOCK = `SELECT ${BLOCK_COLUMNS} FROM block WHERE mapping = ?1 AND last_row > ?2 AND EXISTS (
    SELECT 1 FROM json_each(tally) WHERE (?3 IS NULL OR value ->> 0 = ?3) AND (?4 = 0 OR value ->> 1 IS NULL)
    AND (?5 = 0 OR value ->> 3 = 1) AND (?6 IS NULL OR value ->> 1 IN (SELECT value FROM json_each(?6)))
  ) ORDER BY last_row LIMIT 1`;

/** The blocks in which rows would stand. */
const BLOCKS_OF = `SELECT (SELECT number FROM block WHERE mapping = ?1 AND last_row >= wanted.value ORDER BY last_row LIMIT 1)
  FROM json_each(?2) AS wanted`;
