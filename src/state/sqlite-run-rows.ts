import { existsSync, rmSync } from 'node:fs';
import { dirname } from 'node:path';
import type { SQLInputValue } from 'node:sqlite';

import { ConfigError, InternalError } from '../model/error.ts';
import type { Issue } from '../model/issue.ts';
import type { ChangeKind, Outcome } from '../model/outcome.ts';
import type {
  DuplicateGroup,
  KnownRecord,
  LookAlike,
  RowQuery,
  RunRow,
  RunRowPatch,
  RunRows,
} from '../model/run-rows.ts';
import { fromIssues, storedWords, wordsToStore, type Words } from '../model/said.ts';
import { openDatabase, type Database } from './database.ts';
import { removeEmptyFolder, syncFolder } from './private-files.ts';
import { duplicateGroups, lookAlikePairs } from './repeated-rows.ts';
import { RUN_ROWS_FORMAT } from './run-rows-format.ts';
import { integer, json, text, textOrNull, type SqlRow } from './sql-row.ts';
import { attempt, storageError } from './storage-error.ts';

/** The order in which `parseRow` takes them. */
const COLUMNS =
  'row_number, row.key, folded, digest, lines, fields, change, before, message, outcome, row.id, lookups, issues, read_key';

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
const UNREADABLE_ROWS = `SELECT (SELECT count(*) FROM mapping WHERE json_valid(header) = 0) + (SELECT count(*) FROM row WHERE 0 IN (
  json_valid(lines), json_valid(fields), json_valid(before), json_valid(lookups), json_valid(issues),
  json_valid(iif(message LIKE '[{"code":%', message, 'null'))))`;

const open = (file: string | null, busyTimeoutMs: number, isChecked = false): Database =>
  openDatabase({ file, format: RUN_ROWS_FORMAT, durability: 'normal', busyTimeoutMs, isChecked });

const isDamaged = (error: unknown): boolean => error instanceof ConfigError && error.code === 'state.damaged';

function removeFiles(file: string): void {
  for (const suffix of ['', '-wal', '-shm']) rmSync(`${file}${suffix}`, { recursive: true, force: true });
}

/** The words of an invalid row without what stands in its cells: which columns are wrong, and by which code. */
const WRONG_COLUMNS = `(SELECT iif(count(*) = 0, '', json_group_array(json_object('code', 'issue', 'issue', json_object(
    'code', part.value ->> '$.issue.code', 'severity', part.value ->> '$.issue.severity',
    'column', part.value ->> '$.issue.column', 'message', ''))))
  FROM json_each(row.message) AS part WHERE part.value ->> '$.issue.column' IS NOT NULL)`;

/** What later commands ask a finished run for. */
const KEPT_OUTCOMES = "('created', 'updated', 'invalid', 'rejected')";

class SqliteRunRows implements RunRows {
  readonly #file: string | null;
  readonly #db: Database;
  #areNamesSynced = false;

  constructor(file: string | null, db: Database) {
    this.#file = file;
    this.#db = db;
  }

  add(mapping: string, rows: readonly RunRow[]): Promise<void> {
    return this.#db.write(() => {
      const number = this.#addMapping(mapping);
      for (const row of rows) {
        this.#db.run(
          'INSERT INTO row VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, NULL, NULL)',
          number,
          row.rowNumber,
          JSON.stringify(row.lines),
          row.key,
          row.folded,
          row.digest,
          jsonText(row.fields),
          row.change,
          jsonText(row.before),
          wordsToStore(row.said),
          row.outcome,
          row.id,
          jsonText(row.lookups ?? null),
        );
      }
    });
  }

  patch(mapping: string, patches: readonly RunRowPatch[]): Promise<void> {
    return this.#db.write(() => {
      const number = this.#mapping(mapping);
      for (const patch of patches) this.#patchRow(mapping, number, patch);
    });
  }

  page(mapping: string, query: RowQuery): Promise<readonly RunRow[]> {
    const { change, open, outcomes, afterRow, limit } = query;
    const conditions = ['mapping = ?', 'row_number > ?'];
    const values: SQLInputValue[] = [afterRow];
    if (open === true) conditions.push('outcome IS NULL');
    if (change !== undefined) {
      conditions.push('change = ?');
      values.push(change);
    }
    if (outcomes !== undefined) {
      conditions.push('outcome IN (SELECT value FROM json_each(?))');
      values.push(JSON.stringify(outcomes));
    }
    const index = open === true && change !== undefined ? 'INDEXED BY row_state' : 'NOT INDEXED';
    const statement = `SELECT ${COLUMNS} FROM row ${index} WHERE ${conditions.join(' AND ')} ORDER BY row_number LIMIT ?`;
    return this.#db.read(() =>
      this.#db.all(statement, this.#mapping(mapping), ...values, limit).map(parseRow),
    );
  }

  rows(mapping: string, rowNumbers: readonly number[]): Promise<readonly RunRow[]> {
    return this.#db.read(() =>
      this.#db
        .all(
          `SELECT ${COLUMNS} FROM json_each(?2) AS wanted CROSS JOIN row
           ON row.mapping = ?1 AND row.row_number = wanted.value ORDER BY row_number`,
          this.#mapping(mapping),
          JSON.stringify(rowNumbers),
        )
        .map(parseRow),
    );
  }

  deferOpen(mapping: string, said: Words, change?: ChangeKind): Promise<void> {
    return this.#db.write(() => {
      this.#db.run(
        "UPDATE row SET outcome = 'deferred', message = ?2, issues = NULL WHERE mapping = ?1 AND outcome IS NULL AND change = coalesce(?3, change)",
        this.#mapping(mapping),
        wordsToStore(said),
        change ?? null,
      );
    });
  }

  reopenDeferred(mapping: string): Promise<void> {
    return this.#db.write(() => {
      this.#db.run(
        "UPDATE row SET outcome = NULL, message = '', issues = NULL WHERE mapping = ? AND outcome = 'deferred'",
        this.#mapping(mapping),
      );
    });
  }

  restart(mapping: string): Promise<void> {
    return this.#db.write(() => {
      this.#db.run('DELETE FROM known WHERE mapping = ?', this.#mapping(mapping));
      this.#db.run(
        `UPDATE row SET change = 'pending', before = NULL
         WHERE mapping = ? AND outcome IS NULL AND (change = 'update' OR change = 'create' AND id IS NULL)`,
        this.#mapping(mapping),
      );
    });
  }

  countOutcomes(mapping: string): Promise<ReadonlyMap<Outcome | 'open', number>> {
    return this.#count<Outcome | 'open'>(mapping, "coalesce(outcome, 'open')");
  }

  countChanges(mapping: string, open = false): Promise<ReadonlyMap<ChangeKind, number>> {
    return this.#count<ChangeKind>(mapping, 'change', open ? 'outcome IS NULL' : 'TRUE');
  }

  async *duplicates(mapping: string): AsyncGenerator<DuplicateGroup> {
    yield* duplicateGroups(this.#db, await this.#db.read(() => this.#mapping(mapping)));
  }

  async *lookAlikes(mapping: string): AsyncGenerator<LookAlike> {
    yield* lookAlikePairs(this.#db, await this.#db.read(() => this.#mapping(mapping)));
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
    const count = `SELECT count(*) FROM row WHERE outcome IN ${KEPT_OUTCOMES}`;
    if ((await this.#db.read(() => this.#db.count(count))) === 0) return this.remove();
    await this.#db.write(() => {
      this.#db.run('DELETE FROM known');
      this.#db.run(`DELETE FROM row WHERE outcome NOT IN ${KEPT_OUTCOMES}`);
      this.#db.run(
        `UPDATE row SET lines = '[]', before = NULL, lookups = NULL, folded = NULL, issues = NULL,
         message = CASE WHEN outcome = 'invalid' AND message LIKE '[{"code":%' THEN ${WRONG_COLUMNS} ELSE '' END,
         fields = CASE WHEN outcome IN ('created', 'updated') THEN fields END`,
      );
    });
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

  #patchRow(mapping: string, number: number, patch: RunRowPatch): void {
    const columns: string[] = [];
    const values: SQLInputValue[] = [];
    const set = (column: string, value: string | null | undefined): void => {
      if (value === undefined) return;
      columns.push(`${column} = ?`);
      values.push(value);
    };
    set('change', patch.change);
    set('before', patch.before === undefined ? undefined : jsonText(patch.before));
    if (patch.said !== undefined) {
      set('message', wordsToStore(patch.said));
      columns.push('issues = NULL');
    }
    set('outcome', patch.outcome);
    set('id', patch.id);
    // All expressions see the row as it was.
    if (patch.key !== undefined) columns.push('read_key = coalesce(read_key, key)');
    set('key', patch.key);
    set('digest', patch.digest);
    set('fields', patch.fields === undefined ? undefined : jsonText(patch.fields));
    set('lookups', patch.lookups === undefined ? undefined : jsonText(patch.lookups));
    if (columns.length === 0) return;
    const statement = `UPDATE row SET ${columns.join(', ')} WHERE mapping = ? AND row_number = ?`;
    if (this.#db.run(statement, ...values, number, patch.rowNumber) === 0) {
      throw new InternalError(
        'state.no_row',
        `mapping ${mapping} has no row ${patch.rowNumber} in this run: its outcome cannot be recorded`,
      );
    }
  }

  #count<Name extends string>(
    mapping: string,
    expression: string,
    condition = 'TRUE',
  ): Promise<ReadonlyMap<Name, number>> {
    return this.#db.read(() => {
      const rows = this.#db.all(
        `SELECT ${expression}, count(*) FROM row WHERE mapping = ? AND ${condition} GROUP BY 1`,
        this.#mapping(mapping),
      );
      return new Map(rows.map((row) => [text(row, 0) as Name, integer(row, 1)]));
    });
  }
}

function jsonText(value: object | null): string | null {
  return value === null ? null : JSON.stringify(value);
}

function parseRow(row: SqlRow): RunRow {
  const lookups = json(row, 11) as NonNullable<RunRow['lookups']> | null;
  const issues = json(row, 12) as readonly Issue[] | null;
  const key = textOrNull(row, 1);
  const readKey = textOrNull(row, 13);
  return {
    rowNumber: integer(row, 0),
    key,
    ...(readKey === null || readKey === key ? {} : { readKey }),
    folded: textOrNull(row, 2),
    digest: textOrNull(row, 3),
    lines: json(row, 4) as RunRow['lines'],
    fields: json(row, 5) as RunRow['fields'],
    change: text(row, 6) as ChangeKind,
    before: json(row, 7) as RunRow['before'],
    // Older versions kept issues beside their text.
    said: issues === null ? storedWords(text(row, 8)) : fromIssues(issues),
    outcome: textOrNull(row, 9) as Outcome | null,
    id: textOrNull(row, 10),
    ...(lookups === null ? {} : { lookups }),
  };
}
