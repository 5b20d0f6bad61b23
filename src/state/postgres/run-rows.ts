import { InternalError } from '../../model/error.ts';
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
import { fromIssues, issuesAmong, storedWords, wordsToStore, type Words } from '../../model/said.ts';
import { lookAlikesIn, seenRow, type SeenRow } from '../repeated-rows.ts';
import { array, integer, json, text, textOrNull, type SqlRow } from '../sql-row.ts';
import type { Value } from './client.ts';
import type { Database, Statements } from './database.ts';
import { findable, fromStorable, storable, storableOrNull } from './storable.ts';

const PAGE_ROWS = 2000;

/** What later commands ask a finished run for. */
const KEPT_OUTCOMES = "('created', 'updated', 'invalid', 'rejected')";

/** Refuses the rest of a transaction. */
export type Fence = (statements: Statements) => Promise<void>;
/** Nobody else is at it. */
export const unfenced: Fence = () => Promise.resolve();

/** Opens the rows of a run, making them where there are none; `fence` stands before every change of them. Errors: those of the database and of the fence. */
export async function openRunRows(db: Database, runId: string, fence: Fence): Promise<RunRows> {
  await db.alone((statements) =>
    statements.run(
      'INSERT INTO {run_rows} (run_id, changed_at) VALUES ($1, clock_timestamp()) ON CONFLICT DO NOTHING',
      storable(runId),
    ),
  );
  return new PostgresRunRows(db, runId, fence);
}

/** Opens the rows that are there of a run; undefined where none are. Errors: those of the database. */
export async function openKeptRunRows(
  db: Database,
  runId: string,
  fence: Fence,
): Promise<RunRows | undefined> {
  const there = await db.alone((statements) =>
    statements.count('SELECT count(*) FROM {run_rows} WHERE run_id = $1', storable(runId)),
  );
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
    });
  }

  page(mapping: string, query: RowQuery): Promise<readonly RunRow[]> {
    const { change, open, told, outcomes, afterRow, limit, withoutLines } = query;
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
      `SELECT ${withoutLines === true ? COLUMNS.replace('lines', "'[]'") : COLUMNS} FROM {run_row} AS held WHERE ${conditions.join(' AND ')} ORDER BY row_number LIMIT $${values.length + 2}`,
      ...values,
      limit,
    );
  }

  async rows(mapping: string, rowNumbers: readonly number[]): Promise<readonly RunRow[]> {
    if (rowNumbers.length === 0) return [];
    const wanted = [...new Set(rowNumbers)];
    return this.#rows(
      mapping,
      `SELECT ${COLUMNS} FROM json_array_elements_text($2::json) AS wanted
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
         WHERE mapping = $1 AND outcome IS NULL AND (change = 'update' OR change = 'create' AND id IS NULL)`,
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
    const number = await this.#mapping(mapping);
    return this.#db.alone(async (statements) => {
      const rows = await statements.all(
        `SELECT known.record FROM json_array_elements_text($2::json) AS wanted
         JOIN {known} AS known ON known.mapping = $1 AND known.key = wanted`,
        number,
        JSON.stringify([...new Set(keys)].map(findable)),
      );
      return Map.groupBy(
        rows.map((row) => json(row, 0) as KnownRecord),
        (record) => record.key,
      );
    });
  }

  async countKnown(mapping: string): Promise<number> {
    const number = await this.#mapping(mapping);
    const statement = 'SELECT count(DISTINCT key) FROM {known} WHERE mapping = $1';
    return this.#db.alone((statements) => statements.count(statement, number));
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
    const number = await this.#mapping(mapping);
    return this.#db.alone(async (statements) => {
      const row = await statements.get('SELECT header FROM {run_mapping} WHERE number = $1', number);
      return row === undefined ? [] : ((json(row, 0) ?? []) as string[]);
    });
  }

  mappings(): Promise<readonly string[]> {
    return this.#db.alone(async (statements) => {
      const statement = 'SELECT name FROM {run_mapping} WHERE run_id = $1 ORDER BY number';
      return (await statements.all(statement, this.#runId)).map((row) => fromStorable(row, 0) ?? '');
    });
  }

  /** Any commit that waits for the disk takes those before it along. */
  async sync(): Promise<void> {
    await this.#db.alone((statements) => statements.run(CHANGED, this.#runId));
  }

  close(): Promise<void> {
    return Promise.resolve();
  }

  async keepWritten(): Promise<void> {
    const left = await this.#change(async (statements) => {
      const own = 'mapping IN (SELECT number FROM {run_mapping} WHERE run_id = $1)';
      await statements.run(`DELETE FROM {known} WHERE ${own}`, this.#runId);
      await statements.run(
        `DELETE FROM {run_row} WHERE ${own} AND (outcome IS NULL OR outcome NOT IN ${KEPT_OUTCOMES})`,
        this.#runId,
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
  #change<T>(work: (statements: Statements) => Promise<T>): Promise<T> {
    return this.#db.together(async (statements) => {
      const [, done] = await Promise.all([this.#fence(statements), work(statements)]);
      return done;
    });
  }

  /** The number of a mapping; -1, which no row has, for one without rows. */
  async #mapping(name: string): Promise<number> {
    const known = this.#mappings.get(name);
    if (known !== undefined) return known;
    const statement = 'SELECT number FROM {run_mapping} WHERE run_id = $1 AND name = $2';
    const row = await this.#db.alone((statements) => statements.get(statement, this.#runId, storable(name)));
    if (row === undefined) return -1;
    this.#mappings.set(name, integer(row, 0));
    return integer(row, 0);
  }

  async #addMapping(name: string): Promise<number> {
    const known = await this.#mapping(name);
    if (known !== -1) return known;
    const statement = 'INSERT INTO {run_mapping} (run_id, name) VALUES ($1, $2) ON CONFLICT DO NOTHING';
    await this.#db.alone((statements) => statements.run(statement, this.#runId, storable(name)));
    return this.#mapping(name);
  }

  /** Runs a statement whose first value is the mapping's number. */
  async #run(mapping: string, statement: string, ...values: Value[]): Promise<void> {
    const number = await this.#mapping(mapping);
    await this.#change((statements) => statements.run(statement, number, ...values));
  }

  async #rows(mapping: string, statement: string, ...values: Value[]): Promise<readonly RunRow[]> {
    const number = await this.#mapping(mapping);
    return this.#db.alone(async (statements) =>
      (await statements.all(statement, number, ...values)).map(parseRow),
    );
  }

  async #count<Name extends string>(
    mapping: string,
    expression: string,
    condition = 'TRUE',
  ): Promise<ReadonlyMap<Name, number>> {
    const number = await this.#mapping(mapping);
    return this.#db.alone(async (statements) => {
      const statement = `SELECT ${expression}, count(*) FROM {run_row} WHERE mapping = $1 AND ${condition} GROUP BY 1`;
      const rows = await statements.all(statement, number);
      return new Map(rows.map((row) => [text(row, 0) as Name, integer(row, 1)]));
    });
  }

  /** The rows whose numbers `selection` answers, as they stood when it was asked: those beside each other together that have one text in a column. */
  async *#groups(
    mapping: string,
    selection: string,
    column: 'key' | 'folded',
  ): AsyncGenerator<readonly SeenRow[]> {
    const number = await this.#mapping(mapping);
    const found = await this.#db.alone((statements) => statements.all(selection, number));
    let group: SeenRow[] = [];
    for (let start = 0; start < found.length; start += PAGE_ROWS) {
      const page = found.slice(start, start + PAGE_ROWS).map((row) => integer(row, 0));
      const rows = await this.#rows(
        mapping,
        `SELECT ${COLUMNS.replace('lines', "'[]'")} FROM json_array_elements_text($2::json) WITH ORDINALITY AS wanted(number, place)
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

/** What an answer showed of a row: where that is lost, the intent and the records that it confirmed tell it again, and they are on the disk. */
const isToldTwice = ({ outcome }: RunRowPatch): boolean => outcome === 'created' || outcome === 'updated';

/** Rows of a batch mostly follow each other: of a table without statistics, all others would be read too. */
const BETWEEN = 'held.row_number BETWEEN $3 AND $4';

const rangeOf = (rowNumbers: readonly number[]): readonly [least: number, greatest: number] =>
  rowNumbers.reduce<[number, number]>(
    ([least, greatest], rowNumber) => [Math.min(least, rowNumber), Math.max(greatest, rowNumber)],
    [Infinity, -Infinity],
  );

const VALID = "key IS NOT NULL AND change NOT IN ('invalid', 'excluded')";

/** The columns of a row after its mapping's number. */
const ROW =
  'row_number bigint, key text, folded text, lines text, fields text, change text, before text, said text, outcome text, id text, lookups text, read_key text';

function rowToStore(row: RunRow): Readonly<Record<string, Value>> {
  return {
    row_number: row.rowNumber,
    key: storableOrNull(row.key),
    folded: storableOrNull(row.folded),
    lines: JSON.stringify(row.lines),
    fields: jsonText(row.fields),
    change: row.change,
    before: jsonText(row.before),
    said: wordsToStore(row.said),
    outcome: row.outcome,
    id: storableOrNull(row.id),
    lookups: jsonText(row.lookups ?? null),
    read_key: storableOrNull(row.readKey ?? null),
  };
}

/** The order in which {@link parseRow} takes them. */
const COLUMNS =
  'row_number, key, folded, lines, fields, change, before, said, outcome, id, lookups, read_key';

function parseRow(row: SqlRow): RunRow {
  const key = fromStorable(row, 1);
  const lookups = json(row, 10) as NonNullable<RunRow['lookups']> | null;
  const readKey = fromStorable(row, 11);
  return {
    rowNumber: integer(row, 0),
    key,
    ...(readKey === null || readKey === key ? {} : { readKey }),
    folded: fromStorable(row, 2),
    lines: array(row, 3) as RunRow['lines'],
    fields: json(row, 4) as RunRow['fields'],
    change: text(row, 5) as ChangeKind,
    before: json(row, 6) as RunRow['before'],
    said: storedWords(text(row, 7)),
    outcome: textOrNull(row, 8) as Outcome | null,
    id: fromStorable(row, 9),
    ...(lookups === null ? {} : { lookups }),
  };
}

const jsonText = (value: object | null): string | null => (value === null ? null : JSON.stringify(value));

/** The columns that a patch names. */
function patchToStore(patch: RunRowPatch): Readonly<Record<string, Value>> {
  const { change, before, said, outcome, id, key, fields, lookups } = patch;
  return {
    ...(change !== undefined && { change }),
    ...(before !== undefined && { before: jsonText(before) }),
    ...(said !== undefined && { said: wordsToStore(said) }),
    ...(outcome !== undefined && { outcome }),
    ...(id !== undefined && { id: storableOrNull(id) }),
    ...(key !== undefined && { key: storableOrNull(key) }),
    ...(fields !== undefined && { fields: jsonText(fields) }),
    ...(lookups !== undefined && { lookups: jsonText(lookups) }),
  };
}

interface Alike {
  readonly columns: readonly string[];
  readonly patches: Map<number, Readonly<Record<string, Value>>>;
}

/** The patches in order, those beside each other together that name the same columns of different rows. */
function patchedAlike(patches: readonly RunRowPatch[]): readonly Alike[] {
  const groups: Alike[] = [];
  for (const patch of patches) {
    const values = patchToStore(patch);
    const columns = Object.keys(values);
    if (columns.length === 0) continue;
    let group = groups.at(-1);
    if (group?.columns.join() !== columns.join() || group.patches.has(patch.rowNumber)) {
      group = { columns, patches: new Map() };
      groups.push(group);
    }
    group.patches.set(patch.rowNumber, { row_number: patch.rowNumber, ...values });
  }
  return groups;
}

/** Errors: InternalError `state.no_row`. */
async function patchRows(
  statements: Statements,
  mapping: string,
  number: number,
  { columns, patches }: Alike,
): Promise<void> {
  const values = JSON.stringify([...patches.values()]);
  const assignments = columns.map((column) => `${column} = each.${column}`);
  // All expressions see the row as it was.
  if (columns.includes('key')) assignments.push('read_key = coalesce(held.read_key, held.key)');
  const changed = await statements.run(
    `UPDATE {run_row} AS held SET ${assignments.join(', ')}
     FROM json_to_recordset($2::json) AS each(row_number bigint, ${columns.map((column) => `${column} text`).join(', ')})
     WHERE held.mapping = $1 AND held.row_number = each.row_number AND ${BETWEEN}`,
    number,
    values,
    ...rangeOf([...patches.keys()]),
  );
  if (changed === patches.size) return;
  const missing = await statements.count(
    `SELECT min(row_number) FROM json_to_recordset($2::json) AS each(row_number bigint)
     WHERE row_number NOT IN (SELECT row_number FROM {run_row} WHERE mapping = $1)`,
    number,
    values,
  );
  throw new InternalError(
    'state.no_row',
    `mapping ${mapping} has no row ${missing} in this run: its outcome cannot be recorded`,
  );
}

/** Leaves in the words of invalid rows no cell: which columns are wrong, and by which code. */
async function keepWrongColumns(statements: Statements, own: string, runId: string): Promise<void> {
  for (let after: readonly [number, number] = [-1, -1]; ;) {
    const rows = await statements.all(
      `SELECT mapping, row_number, said FROM {run_row}
       WHERE ${own} AND outcome = 'invalid' AND said <> '' AND (mapping, row_number) > ($2, $3)
       ORDER BY mapping, row_number LIMIT ${PAGE_ROWS}`,
      runId,
      ...after,
    );
    const last = rows.at(-1);
    if (last === undefined) return;
    after = [integer(last, 0), integer(last, 1)];
    const values = rows.map((row) => ({
      mapping: integer(row, 0),
      row_number: integer(row, 1),
      said: wordsToStore(wrongColumns(storedWords(text(row, 2)))),
    }));
    await statements.run(
      `UPDATE {run_row} AS held SET said = each.said FROM json_to_recordset($1::json) AS each(mapping bigint, row_number bigint, said text)
       WHERE held.mapping = each.mapping AND held.row_number = each.row_number`,
      JSON.stringify(values),
    );
  }
}

const wrongColumns = (said: Words): Words =>
  fromIssues(
    issuesAmong(said).flatMap(({ code, severity, column }) =>
      column === undefined ? [] : [{ code, severity, column, message: '' }],
    ),
  );
