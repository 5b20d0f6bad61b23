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
import type { Words } from '../../model/said.ts';
import { openDatabase, type Database } from './database.ts';
import { removeEmptyFolder, syncFolder } from '../private-files.ts';
import { KEPT_OUTCOMES, wrongColumns } from '../kept-rows.ts';
import { lookAlikesIn, seenRow, type SeenRow } from '../repeated-rows.ts';
import { BlockTable, fits, type Wanted } from './block-table.ts';
import {
  changesContent,
  inBlocks,
  patchContent,
  patchedState,
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
export function openRunRows(file: string | null): RunRows {
  const kept = file === null ? undefined : openKeptRunRows(file);
  if (kept !== undefined) return kept;
  if (file !== null) removeFiles(file);
  return new SqliteRunRows(file, open(file));
}

/** Opens the rows that an earlier process left in `file`; undefined where the file is gone or damaged: its rows are lost. Errors: the others of `openDatabase`. */
export function openKeptRunRows(file: string): RunRows | undefined {
  if (!existsSync(file)) return undefined;
  let db: Database | undefined;
  try {
    db = open(file, true);
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

const open = (file: string | null, isChecked = false): Database =>
  openDatabase({ file, format: RUN_ROWS_FORMAT, durability: 'normal', isChecked });

const isDamaged = (error: unknown): boolean => error instanceof ConfigError && error.code === 'state.damaged';

function removeFiles(file: string): void {
  for (const suffix of ['', '-wal', '-shm']) rmSync(`${file}${suffix}`, { recursive: true, force: true });
}

/** What is kept of a row of a finished run. */
const bare = (row: RunRow): RunRow => ({
  ...row,
  lines: [],
  before: null,
  lookups: null,
  folded: null,
  fields: row.outcome === 'created' || row.outcome === 'updated' ? row.fields : null,
  said: row.outcome !== 'invalid' ? [] : wrongColumns(row.said),
});

/** Rows whose duplicates and look-alikes are told apart at once. */
const SEEN_ROWS = 50_000;

const byNumber = (one: RunRow, other: RunRow): number => one.rowNumber - other.rowNumber;

class SqliteRunRows implements RunRows {
  readonly #file: string | null;
  readonly #db: Database;
  readonly #blocks: BlockTable;
  #areNamesSynced = false;
  /** By mapping, the folded keys of the rows that this process has added. Rows of one key have one folded key. */
  readonly #texts = new Map<number, RepeatedTexts>();

  constructor(file: string | null, db: Database) {
    this.#file = file;
    this.#db = db;
    this.#blocks = new BlockTable(db);
  }

  add(mapping: string, rows: readonly RunRow[]): Promise<void> {
    return this.#db.write(() => {
      const number = this.#addMapping(mapping);
      const added = rows.toSorted(byNumber);
      const [first] = added;
      if (first === undefined) return;
      // Tables are read from top to bottom: hardly ever do rows come before others that are there.
      const later = [...this.#blocks.each(number, {}, first.rowNumber - 1)];
      const all =
        later.length === 0
          ? added
          : [...later.flatMap((block) => this.#blocks.rows(block)), ...added].sort(byNumber);
      const twice = all.find(({ rowNumber }, at) => all[at + 1]?.rowNumber === rowNumber);
      if (twice !== undefined)
        throw new InternalError('state.row_twice', `UNIQUE: ${mapping} has row ${twice.rowNumber} twice`);
      for (const block of later) this.#blocks.delete(block);
      for (const block of inBlocks(all)) this.#blocks.insert(number, block);
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
          if (block !== undefined) this.#blocks.save(block, content);
          block = this.#blocks.next(number, {}, patch.rowNumber - 1);
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
        content ??= this.#blocks.content(block);
        if (patch.key !== undefined) this.#texts.delete(number);
        patchContent(block, content, at, patch);
      }
      if (block !== undefined) this.#blocks.save(block, content);
    });
  }

  page(mapping: string, { afterRow, limit, only, ...wanted }: RowQuery): Promise<readonly RunRow[]> {
    return this.#db.read(() => {
      const found: RunRow[] = [];
      for (const block of this.#blocks.each(this.#mapping(mapping), wanted, afterRow)) {
        const isWanted = (state: RowState, rowNumber: number): boolean =>
          rowNumber > afterRow && fits(state, wanted);
        found.push(...this.#blocks.rows(block, isWanted, limit - found.length, only));
        if (found.length === limit) break;
      }
      return found;
    });
  }

  rows(mapping: string, rowNumbers: readonly number[]): Promise<readonly RunRow[]> {
    return this.#db.read(() => [...this.#blocks.numbered(this.#mapping(mapping), rowNumbers)]);
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
      for (const change of ['update', 'unchanged'] as const)
        this.#patchAll(mapping, { open: true, change }, patch);
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
      for (const row of this.#db.all('SELECT number FROM mapping')) {
        const mapping = integer(row, 0);
        const wanted = { outcomes: KEPT_OUTCOMES };
        for (const block of this.#blocks.each(mapping, wanted)) {
          const kept = this.#blocks.rows(block, (state) => fits(state, wanted)).map(bare);
          this.#blocks.delete(block);
          for (const rows of inBlocks(kept)) this.#blocks.insert(mapping, rows);
          count += kept.length;
        }
        this.#blocks.deleteWithout(mapping, KEPT_OUTCOMES);
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

  #patchAll(
    mapping: string,
    wanted: Wanted,
    patch: Omit<RunRowPatch, 'rowNumber'>,
    isWanted: (state: RowState) => boolean = () => true,
  ): void {
    for (const block of this.#blocks.each(this.#mapping(mapping), wanted)) {
      for (const [at, state] of block.states.entries())
        if (fits(state, wanted) && isWanted(state)) block.states[at] = patchedState(state, patch);
      this.#blocks.save(block);
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
        for (const row of this.#blocks.numbered(this.#mapping(mapping), page.flat()))
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
    for (const block of this.#blocks.each(mapping))
      for (const [at, value] of this.#blocks.content(block)[column].entries())
        if (value !== null) texts.add(value, block.rowNumbers[at] ?? 0);
    return texts;
  }
}
