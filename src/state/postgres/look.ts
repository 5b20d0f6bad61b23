import type { Clock } from '../../model/ports.ts';
import { text } from '../sql-row.ts';
import { DatabaseFailure, type PostgresClient } from './client.ts';
import { clockOffMs } from './clock-off.ts';
import { Database } from './database.ts';
import { lookAtSchema, NEWEST_FORMAT, TABLES } from './schema.ts';

/** What a database says of itself and of the state in it. */
export interface DatabaseLook {
  /** Such as `15.8`. */
  readonly version: string;
  /** Of the state's tables; 0 where there are none yet. */
  readonly format: number;
  /** The one that this teamsheet writes. */
  readonly newest: number;
  /** Tables that the user may not read and write; the schema itself where no tables can be made in it. */
  readonly refused: readonly string[];
  /** How far its clock is surely from that of this machine. */
  readonly clockOffMs: number;
}

const READ_ONLY = '25006';
const NO_TABLE = '42P01';
const RIGHTS = ['SELECT', 'INSERT', 'UPDATE', 'DELETE'];

/** Looks at a database without changing anything. Errors: those of the database; ConfigError `state.version`. */
export async function lookAtDatabase(
  client: PostgresClient,
  name: string,
  schema: string,
  clock: Clock,
): Promise<DatabaseLook> {
  const db = new Database(client, name, schema);
  const format = await lookAtSchema(db);
  return db.alone(async (statements) => {
    const [settings = []] = await statements.all(
      "SELECT current_setting('server_version'), current_setting('transaction_read_only')",
    );
    if (text(settings, 1) === 'on') throw new DatabaseFailure(READ_ONLY, new Error('it is read-only'));
    const offMs = await clockOffMs(statements, clock);
    const tables = await statements.all(
      `SELECT tablename FROM pg_tables WHERE schemaname = $1 AND NOT (${RIGHTS.map(
        (right) => `has_table_privilege(format('%I.%I', schemaname, tablename), '${right}')`,
      ).join(' AND ')}) ORDER BY tablename`,
      schema,
    );
    const lacked = await statements.all(
      "SELECT name FROM json_array_elements_text($2::json) AS name WHERE to_regclass(format('%I.%I', $1::text, name)) IS NULL",
      schema,
      JSON.stringify(format === NEWEST_FORMAT ? TABLES : []),
    );
    if (lacked.length > 0)
      throw new DatabaseFailure(
        NO_TABLE,
        new Error(`it lacks ${lacked.map((row) => `"${schema}.${text(row, 0)}"`).join(', ')}`),
      );
    const canMake = await statements.count(
      `SELECT CASE WHEN EXISTS (SELECT 1 FROM pg_namespace WHERE nspname = $1)
         THEN has_schema_privilege($1, 'USAGE') AND has_schema_privilege($1, 'CREATE')
         ELSE has_database_privilege(current_database(), 'CREATE') END::integer`,
      schema,
    );
    return {
      version: text(settings, 0),
      format,
      newest: NEWEST_FORMAT,
      refused: [...(canMake === 1 ? [] : [schema]), ...tables.map((row) => text(row, 0))],
      clockOffMs: offMs,
    };
  });
}
