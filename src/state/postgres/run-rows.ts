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
import { wordsToStore, type Words } from '../../model/said.ts';
import { KEPT_OUTCOMES } from '../kept-rows.ts';
import { lookAlikesIn, seenRow, type SeenRow } from '../repeated-rows.ts';
import { integer, json, text } from '../sql-row.ts';
import type { Value } from './client.ts';
import type { Database, Statements } from './database.ts';
import { findable, fromStorable, storable } from './storable.ts';
import {
  BETWEEN,
  columnsOf,
  isToldTwice,
  keepWrongColumns,
  PAGE_ROWS,
  parseRow,
  patchedAlike,
  patchRows,
  rangeOf,
  ROW,
  rowToStore,
  VALID,
} from './stored-run-rows.ts';

/** Refuses the rest of a transaction. */
export type Fence = (statements: Statements) => Promise<void>;
/** Nobody else is at it. */
export const unfenced: Fence = () => Promise.resolve();

/** Opens the rows of a run, making them where there are none; `fence` stands before every change of them. Errors: those of the database and of the fence. */
export async function openRunRows(db: Database, runId: string, fence: Fence): Promise<RunRows> {
  await db.run(
    'INSERT INTO {run_rows} (run_id, changed_at) VALUES ($1, clock_timestamp()) ON CONFLICT DO NOTHING',
    storable(runId),
  );
  return new PostgresRunRows(db, runId, fence);
}

/** Opens the rows that are there of a run; undefined where none are. Errors: those of the database. */
export async function openKeptRunRows(
  db: Database,
  runId: string,
  fence: Fence,
): Promise<RunRows | undefined> {
  const there = await db.count('SELECT count(*) FROM {run_rows} WHERE run_id = $1', storable(runId));
  return there === 0 ? undefined : new PostgresRunRows(db, runId, fence);
}

class PostgresRunRows implements RunRows {
  readonly #db: Database;
  readonly #runId: string;
  readonly #fence: Fence;
  readonly #mappings = new Map<string, number>();

  constructor(db: Database, runId: string, fence: Fence) {
    this.#db = db;
    this.#fence = fence;
    this.#runId = storable(runId);
  }

  async add(mapping: string, rows: readonly RunRow[]): Promise<void> {
    const number = await this.#addMapping(mapping);
    await this.#change(async (statements) => {
      await statements.run(CHANGED, this.#runId);
      await statements.run(
        `INSERT INTO {run_row} SELECT $1::bigint, each.* FROM json_to_recordset($2::json) AS each(${ROW})`,
        number,
        JSON.stringify(rows.map(rowToStore)),
      );
    });
  }

  async patch(mapping: string, patches: readonly RunRowPatch[]): Promise<void> {
    const number = await this.#mapping(mapping);
    const waits = !patches.every(isToldTwice);
    await this.#change(async (statements) => {
      await Promise.all([
        !waits && statements.run('SET LOCAL synchronous_commit = off'),
        ...patchedAlike(patches).map((alike) => patchRows(statements, mapping, number, alike)),
      ]);
    }, true);
  }

  page(mapping: string, query: RowQuery): Promise<readonly RunRow[]> {
    const { change, open, told, outcomes, afterRow, limit, only } = query;
    const conditions = ['mapping = $1', 'row_number > $2'];
    const values: Value[] = [afterRow];
    const add = (condition: (at: number) => string, value: string): void => {
      values.push(value);
      conditions.push(condition(values.length + 1));
    };
    if (open === true) conditions.push('outcome IS NULL');
    if (told === true) conditions.push("said <> ''");
    if (change !== undefined) add((at) => `change = $${at}`, change);
    if (outcomes !== undefined)
      add((at) => `outcome IN (SELECT json_array_elements_text($${at}::json))`, JSON.stringify(outcomes));
    return this.#rows(
      mapping,
      `SELECT ${columnsOf(only)} FROM {run_row} AS held WHERE ${conditions.join(' AND ')} ORDER BY row_number LIMIT $${values.length + 2}`,
      ...values,
      limit,
    );
  }

  async rows(mapping: string, rowNumbers: readonly number[]): Promise<readonly RunRow[]> {
    if (rowNumbers.length === 0) return [];
    const wanted = [...new Set(rowNumbers)];
    return this.#rows(
      mapping,
      `SELECT ${columnsOf()} FROM json_array_elements_text($2::json) AS wanted
       JOIN {run_row} AS held ON held.mapping = $1 AND held.row_number = wanted::bigint AND ${BETWEEN} ORDER BY row_number`,
      JSON.stringify(wanted),
      ...rangeOf(wanted),
    );
  }

  deferOpen(mapping: string, said: Words, change?: ChangeKind): Promise<void> {
    return this.#run(
      mapping,
      "UPDATE {run_row} SET outcome = 'deferred', said = $2 WHERE mapping = $1 AND outcome IS NULL AND change = coalesce($3, change)",
      wordsToStore(said),
      change ?? null,
    );
  }

  reopenDeferred(mapping: string): Promise<void> {
    return this.#run(
      mapping,
      "UPDATE {run_row} SET outcome = NULL, said = '' WHERE mapping = $1 AND outcome = 'deferred'",
    );
  }

  async restart(mapping: string): Promise<void> {
    const number = await this.#mapping(mapping);
    await this.#change(async (statements) => {
      await statements.run('DELETE FROM {known} WHERE mapping = $1', number);
      await statements.run(
        `UPDATE {run_row} SET change = 'pending', before = NULL
         WHERE mapping = $1 AND outcome IS NULL AND (change IN ('update', 'unchanged') OR change = 'create' AND id IS NULL)`,
        number,
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
    const repeated = `SELECT row_number FROM (
        SELECT row_number, min(row_number) OVER alike AS first, count(*) OVER alike AS copies
        FROM {run_row} WHERE mapping = $1 AND ${VALID} WINDOW alike AS (PARTITION BY key)
      ) AS each WHERE copies > 1 ORDER BY first, row_number`;
    for await (const rows of this.#groups(mapping, repeated, 'key')) yield { key: rows[0]?.key ?? '', rows };
  }

  async *lookAlikes(mapping: string): AsyncGenerator<LookAlike> {
    const repeated = `SELECT row_number FROM (
        SELECT row_number, folded, min(key) OVER alike AS least, max(key) OVER alike AS greatest
        FROM {run_row} WHERE mapping = $1 AND folded IS NOT NULL AND ${VALID} WINDOW alike AS (PARTITION BY folded)
      ) AS each WHERE least <> greatest ORDER BY folded, row_number`;
    for await (const rows of this.#groups(mapping, repeated, 'folded')) yield* lookAlikesIn(rows);
  }

  async addKnown(mapping: string, records: readonly KnownRecord[]): Promise<void> {
    const number = await this.#addMapping(mapping);
    const last = new Map(records.map((record) => [JSON.stringify([record.key, record.id ?? '']), record]));
    const values = [...last.values()].map((record) => ({
      key: findable(record.key),
      id: findable(record.id ?? ''),
      record: JSON.stringify(record),
    }));
    await this.#change((statements) =>
      statements.run(
        `INSERT INTO {known} SELECT $1::bigint, each.* FROM json_to_recordset($2::json) AS each(key text, id text, record text)
         ON CONFLICT (mapping, key, id) DO UPDATE SET record = excluded.record`,
        number,
        JSON.stringify(values),
      ),
    );
  }

  async known(
    mapping: string,
    keys: readonly string[],
  ): Promise<ReadonlyMap<string, readonly KnownRecord[]>> {
    const records = await this.#db.all(
      (row) => json(row, 0) as KnownRecord,
      `SELECT known.record FROM json_array_elements_text($2::json) AS wanted
       JOIN {known} AS known ON known.mapping = $1 AND known.key = wanted`,
      await this.#mapping(mapping),
      JSON.stringify([...new Set(keys)].map(findable)),
    );
    return Map.groupBy(records, ({ key }) => key);
  }

  async countKnown(mapping: string): Promise<number> {
    const statement = 'SELECT count(DISTINCT key) FROM {known} WHERE mapping = $1';
    return this.#db.count(statement, await this.#mapping(mapping));
  }

  async setHeader(mapping: string, header: readonly string[]): Promise<void> {
    await this.#addMapping(mapping);
    await this.#run(
      mapping,
      'UPDATE {run_mapping} SET header = $2 WHERE number = $1',
      JSON.stringify(header),
    );
  }

  async header(mapping: string): Promise<readonly string[]> {
    const header = await this.#db.get(
      (row) => json(row, 0) as string[] | null,
      'SELECT header FROM {run_mapping} WHERE number = $1',
      await this.#mapping(mapping),
    );
    return header ?? [];
  }

  mappings(): Promise<readonly string[]> {
    const statement = 'SELECT name FROM {run_mapping} WHERE run_id = $1 ORDER BY number';
    return this.#db.all((row) => fromStorable(row, 0), statement, this.#runId);
  }

  /** Any commit that waits for the disk takes those before it along. */
  async sync(): Promise<void> {
    await this.#db.run(CHANGED, this.#runId);
  }

  close(): Promise<void> {
    return Promise.resolve();
  }

  async keepWritten(): Promise<void> {
    const left = await this.#change(async (statements) => {
      const own = 'mapping IN (SELECT number FROM {run_mapping} WHERE run_id = $1)';
      await statements.run(`DELETE FROM {known} WHERE ${own}`, this.#runId);
      await statements.run(
        `DELETE FROM {run_row} WHERE ${own} AND (outcome IS NULL OR outcome NOT IN (SELECT json_array_elements_text($2::json)))`,
        this.#runId,
        JSON.stringify(KEPT_OUTCOMES),
      );
      await keepWrongColumns(statements, own, this.#runId);
      return statements.run(
        `UPDATE {run_row} SET lines = '[]', before = NULL, lookups = NULL, folded = NULL,
         said = CASE WHEN outcome = 'invalid' THEN said ELSE '' END,
         fields = CASE WHEN outcome IN ('created', 'updated') THEN fields END WHERE ${own}`,
        this.#runId,
      );
    });
    if (left === 0) await this.remove();
  }

  async remove(): Promise<void> {
    this.#mappings.clear();
    await this.#change((statements) =>
      statements.run('DELETE FROM {run_rows} WHERE run_id = $1', this.#runId),
    );
  }

  /** One transaction behind the fence, which goes out with what is asked first. */
  #change<T>(work: (statements: Statements) => Promise<T>, keepsPlans = false): Promise<T> {
    return this.#db.together(
      async (statements) => {
        const [, done] = await Promise.all([this.#fence(statements), work(statements)]);
        return done;
      },
      { keepsPlans },
    );
  }

  /** The number of a mapping; -1, which no row has, for one without rows. */
  async #mapping(name: string): Promise<number> {
    const known = this.#mappings.get(name);
    if (known !== undefined) return known;
    const statement = 'SELECT number FROM {run_mapping} WHERE run_id = $1 AND name = $2';
    const number = await this.#db.get((row) => integer(row, 0), statement, this.#runId, storable(name));
    if (number === undefined) return -1;
    this.#mappings.set(name, number);
    return number;
  }

  async #addMapping(name: string): Promise<number> {
    const known = await this.#mapping(name);
    if (known !== -1) return known;
    const statement = 'INSERT INTO {run_mapping} (run_id, name) VALUES ($1, $2) ON CONFLICT DO NOTHING';
    await this.#db.run(statement, this.#runId, storable(name));
    return this.#mapping(name);
  }

  /** Runs a statement whose first value is the mapping's number. */
  async #run(mapping: string, statement: string, ...values: Value[]): Promise<void> {
    const number = await this.#mapping(mapping);
    await this.#change((statements) => statements.run(statement, number, ...values));
  }

  async #rows(mapping: string, statement: string, ...values: Value[]): Promise<readonly RunRow[]> {
    return this.#db.all(parseRow, statement, await this.#mapping(mapping), ...values);
  }

  async #count<Name extends string>(
    mapping: string,
    expression: string,
    condition = 'TRUE',
  ): Promise<ReadonlyMap<Name, number>> {
    const counts = await this.#db.all(
      (row) => [text(row, 0) as Name, integer(row, 1)] as const,
      `SELECT ${expression}, count(*) FROM {run_row} WHERE mapping = $1 AND ${condition} GROUP BY 1`,
      await this.#mapping(mapping),
    );
    return new Map(counts);
  }

  /** The rows whose numbers `selection` answers, as they stood when it was asked: those beside each other together that have one text in a column. */
  async *#groups(
    mapping: string,
    selection: string,
    column: 'key' | 'folded',
  ): AsyncGenerator<readonly SeenRow[]> {
    const number = await this.#mapping(mapping);
    const found = await this.#db.all((row) => integer(row, 0), selection, number);
    let group: SeenRow[] = [];
    for (let start = 0; start < found.length; start += PAGE_ROWS) {
      const page = found.slice(start, start + PAGE_ROWS);
      const rows = await this.#rows(
        mapping,
        `SELECT ${columnsOf('fields')} FROM json_array_elements_text($2::json) WITH ORDINALITY AS wanted(number, place)
         JOIN {run_row} AS held ON held.mapping = $1 AND held.row_number = wanted.number::bigint ORDER BY place`,
        JSON.stringify(page),
      );
      for (const row of rows) {
        if (group.length > 0 && group[0]?.[column] !== row[column]) {
          yield group;
          group = [];
        }
        group.push(seenRow(row));
      }
    }
    if (group.length > 0) yield group;
  }
}

const CHANGED = 'UPDATE {run_rows} SET changed_at = clock_timestamp() WHERE run_id = $1';
