import type { RunRows } from '../../model/state/run-rows.ts';
import type { Run } from '../../model/state/store.ts';
import {
  columnsOf,
  copiedSnapshot,
  refuseNotEmpty,
  snapshotToCopy,
  TABLE_NAMES,
  type CopiedRow,
  type CopySource,
  type CopyTarget,
  type TableName,
} from '../copy.ts';
import { text, type SqlRow } from '../sql-row.ts';
import type { PostgresClient, Session } from './client.ts';
import { Database } from './database.ts';
import { openKeptRunRows, openRunRows, unfenced } from './run-rows.ts';
import { openSchema } from './schema.ts';
import { findable, fromStorableOrNull, storable, storableOrNull } from './storable.ts';
import { conflictsOf } from './store.ts';

const PAGE_ROWS = 1000;

interface Place {
  readonly client: PostgresClient;
  readonly name: string;
  readonly schema: string;
}

/** What `work` makes of the state in a schema, as it stands at one moment. Errors: those of `openPostgresState`. */
export const readPostgresState = <T>(place: Place, work: (source: CopySource) => Promise<T>): Promise<T> =>
  inTransaction(place, async (db) => {
    await db.run('SET TRANSACTION ISOLATION LEVEL REPEATABLE READ');
    return work(new PostgresCopy(db));
  });

/** Makes a state in a schema of what `work` adds, in one transaction. Errors: those of `openPostgresState`; StoppedError `state.not_empty`. */
export const makePostgresState = <T>(place: Place, work: (target: CopyTarget) => Promise<T>): Promise<T> =>
  inTransaction(place, async (db) => {
    const copy = new PostgresCopy(db);
    await copy.begin();
    const made = await work(copy);
    await copy.end();
    return made;
  });

async function inTransaction<T>(
  { client, name, schema }: Place,
  work: (db: Database) => Promise<T>,
): Promise<T> {
  const outer = new Database(client, name, schema);
  await openSchema(outer);
  // What the parts of a state do in transactions of their own happens in this one.
  const within = (session: Session): PostgresClient => ({
    query: (statement, values) => session.query(statement, values),
    transaction: (each) => each(session),
    close: () => Promise.resolve(),
  });
  return outer.alone(() =>
    client.transaction((session) => work(new Database(within(session), name, schema))),
  );
}

/** Tables whose rows have numbers that the database gives. */
const NUMBERED: Partial<Record<TableName, string>> = {
  ...{ account: 'number', kept_league: 'number' },
  ...{ run: 'sequence', pull: 'sequence', intent: 'sequence', letter: 'sequence' },
};

/** Columns beside those that are copied, which follow from them. */
const DERIVED: Partial<Record<TableName, readonly string[]>> = {
  run: ['conflicts'],
  snapshot: ['key', 'managed_by'],
};

class PostgresCopy implements CopyTarget {
  readonly name: string;
  readonly #db: Database;

  constructor(db: Database) {
    this.name = `${db.name}, schema ${db.schema}`;
    this.#db = db;
  }

  /** Nobody else writes to the state until it is whole. */
  async begin(): Promise<void> {
    for (const table of [...TABLE_NAMES, 'run_rows']) {
      await this.#db.run(`LOCK TABLE {${table}} IN EXCLUSIVE MODE`);
      refuseNotEmpty(this.name, await this.#db.count(`SELECT count(*) FROM {${table}}`));
    }
  }

  /** What is added from now on gets numbers that are free. */
  async end(): Promise<void> {
    for (const [table, column] of Object.entries(NUMBERED))
      await this.#db.run(
        `SELECT setval(pg_get_serial_sequence('{${table}}', '${column}'), (SELECT coalesce(max(${column}), 0) + 1 FROM {${table}}), false)`,
      );
  }

  async *rows(table: TableName): AsyncGenerator<readonly CopiedRow[]> {
    const columns = columnsOf(table);
    const selected = columns.map(([name, column]) =>
      column === 'bytes' ? `encode(${name}, 'base64')` : name,
    );
    if (table === 'snapshot') selected.push('managed_by');
    await this.#db.run(`DECLARE copied NO SCROLL CURSOR FOR SELECT ${selected.join(', ')} FROM {${table}}`);
    for (;;) {
      const page = await this.#db.all((row) => toCopy(table, row), `FETCH ${PAGE_ROWS} FROM copied`);
      if (page.length === 0) break;
      yield page;
    }
    await this.#db.run('CLOSE copied');
  }

  async add(table: TableName, rows: readonly CopiedRow[]): Promise<void> {
    const columns = columnsOf(table);
    const names = [...columns.map(([name]) => name), ...(DERIVED[table] ?? [])];
    const types = columns.map(([name, column]) => `"${name}" ${column === 'integer' ? 'bigint' : 'text'}`);
    const derived = (DERIVED[table] ?? []).map(
      (name) => `"${name}" ${name === 'conflicts' ? 'integer' : 'text'}`,
    );
    const values = rows.map((row) =>
      Object.fromEntries(
        [...columns.map(([, column], at) => toStore(table, column, at, row)), ...derivedOf(table, row)].map(
          (value, at) => [names[at] ?? '', value],
        ),
      ),
    );
    const selected = names.map((name) =>
      columns.some(([own, column]) => own === name && column === 'bytes')
        ? `decode("${name}", 'base64')`
        : `"${name}"`,
    );
    await this.#db.run(
      `INSERT INTO {${table}} (${names.map((name) => `"${name}"`).join(', ')}) OVERRIDING SYSTEM VALUE
         SELECT ${selected.join(', ')} FROM json_to_recordset($1::json) AS each(${[...types, ...derived].join(', ')})`,
      JSON.stringify(values),
    );
  }

  runRows(runId: string): Promise<RunRows | undefined> {
    return openKeptRunRows(this.#db, runId, unfenced);
  }

  makeRunRows(runId: string): Promise<RunRows> {
    return openRunRows(this.#db, runId, unfenced);
  }
}

function toCopy(table: TableName, row: SqlRow): CopiedRow {
  return columnsOf(table).map(([, column], at) => {
    if (table === 'snapshot' && at === 2) return snapshotToCopy(text(row, at), fromStorableOrNull(row, 4));
    if (column === 'text') return fromStorableOrNull(row, at);
    // PostgreSQL breaks base64 into lines.
    if (column === 'bytes') return text(row, at).replaceAll('\n', '');
    return row[at] as string | number | null;
  });
}

function toStore(table: TableName, column: string, at: number, row: CopiedRow): string | number | null {
  const value = row[at] ?? null;
  if (table === 'snapshot' && at === 2) return copiedSnapshot(String(value)).record;
  return column === 'text' ? storableOrNull(value === null ? null : String(value)) : value;
}

function derivedOf(table: TableName, row: CopiedRow): readonly (string | number | null)[] {
  if (table === 'run') return [conflictsOf(JSON.parse(String(row[5])) as Run)];
  if (table !== 'snapshot') return [];
  const { key, managedBy } = copiedSnapshot(String(row[2]));
  return [findable(key), managedBy === null ? null : storable(managedBy)];
}
