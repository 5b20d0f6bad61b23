import { afterAll, beforeAll, beforeEach } from 'vitest';
import type { PostgresClient } from '../../src/state/postgres/client.ts';
import type { Outcome } from './cli.ts';
import { clientOf, newSchema, startPostgres, type PostgresServer } from './postgres.ts';
import { program } from './program.ts';
import { runHere } from './run-here.ts';

/** A program whose configuration keeps its state on a PostgreSQL server, in a schema of its own for each test. */
export function postgresProgram() {
  const { folder, service, ...rest } = program();
  const at = {} as { server: PostgresServer; client: PostgresClient; schema: string };
  beforeAll(async () => {
    at.server = await startPostgres();
    at.client = await clientOf(at.server);
  });
  afterAll(async () => {
    await at.client.close();
    await at.server.close();
  });
  beforeEach(() => {
    at.schema = newSchema();
  });
  const env = (): Readonly<Record<string, string>> => ({
    ...service.env,
    TEAMSHEET_STATE_URL: at.server.url,
  });
  return {
    ...{ ...rest, folder, service, at, env },
    /** For a command that nobody ends. */
    run: (...args: readonly string[]): Promise<Outcome> => runHere(args, { cwd: folder.path, env: env() }),
    /** The rows of a query, in which `@` stands for the schema. */
    stored: async (query: string): Promise<readonly unknown[]> =>
      (await at.client.query(query.replaceAll('@', `"${at.schema}"`), [])).rows,
  };
}
