import type { AccountBudget, JobQueue, Lease, WorkerHost, Workers } from '../../model/state/workers.ts';
import { parseWindows } from '../budget-rows.ts';
import { integer, text } from '../sql-row.ts';
import { fromStorable } from './storable.ts';
import type { PostgresClient } from './client.ts';
import { Database, type Statements } from './database.ts';
import { shownQueue } from './jobs.ts';
import { knownFormat } from './schema.ts';

const MS = (column: string): string => `(extract(epoch FROM ${column}) * 1000)::bigint`;
const DAY = "now() - interval '1 day'";
/** A worker that has said nothing for three times as long as it should is gone, as pg-boss has it. */
const IS_HEARD = "heartbeat_on >= now() - 3 * heartbeat_seconds * interval '1 second'";

/** Looks at what machines do together, in the schema of the state and in that of the jobs; what is not made yet is empty. Errors: those of {@link knownFormat}. */
export async function readWorkers(
  client: PostgresClient,
  name: string,
  schemas: { readonly state: string; readonly jobs: string },
): Promise<Workers> {
  const state = new Database(client, name, schemas.state);
  const isMade = (await knownFormat(state)) > 0;
  const ofState = await state.alone(async (statements) =>
    isMade
      ? { leases: await readLeases(statements), budgets: await readBudgets(statements) }
      : { leases: [], budgets: [] },
  );
  return new Database(client, name, schemas.jobs).alone(async (statements) => {
    if (!(await hasTable(statements, '{instance}'))) return { hosts: [], queues: [], ...ofState };
    return { hosts: await readHosts(statements), queues: await readQueues(statements), ...ofState };
  });
}

const hasTable = async (statements: Statements, table: string): Promise<boolean> =>
  (await statements.count(`SELECT count(to_regclass('${table}'))`)) > 0;

async function readLeases(statements: Statements): Promise<readonly Lease[]> {
  const rows = await statements.all(
    `SELECT base_url, account_id, owner, host, ${MS('since')}, ${MS('expires')} FROM {lease} WHERE expires > clock_timestamp() ORDER BY base_url, account_id`,
  );
  return rows.map((row) => ({
    baseUrl: text(row, 0),
    accountId: text(row, 1),
    owner: text(row, 2),
    machine: text(row, 3),
    sinceMs: integer(row, 4),
    untilMs: integer(row, 5),
  }));
}

/** Of accounts that have said how many requests they take: before that, nobody knows whose a key is. */
async function readBudgets(statements: Statements): Promise<readonly AccountBudget[]> {
  const rows = await statements.all(
    `WITH at AS MATERIALIZED (SELECT ${MS('clock_timestamp()')} AS ms)
     SELECT base_url, account_id, windows,
       (SELECT count(*) FROM {budget_request} AS request WHERE ${OF_BUDGET('request')} AND over_ms IS NULL AND deadline_ms > at.ms),
       (SELECT count(*) FROM {budget_request} AS request WHERE ${OF_BUDGET('request')} AND coalesce(over_ms, deadline_ms) > at.ms - 60000),
       (SELECT count(*) FROM {budget_want} AS want WHERE ${OF_BUDGET('want')} AND until_ms > at.ms)
     FROM {budget} AS budget, at WHERE windows <> '[]' ORDER BY base_url, account_id`,
  );
  return rows.map((row) => ({
    baseUrl: fromStorable(row, 0),
    accountId: fromStorable(row, 1),
    windows: parseWindows(text(row, 2)),
    underWay: integer(row, 3),
    lastMinute: integer(row, 4),
    waiting: integer(row, 5),
  }));
}

const OF_BUDGET = (table: string): string =>
  `${table}.base_url = budget.base_url AND ${table}.account_id = budget.account_id`;

async function readHosts(statements: Statements): Promise<readonly WorkerHost[]> {
  const rows = await statements.all(
    `SELECT coalesce(name, host), host, pid, CASE WHEN stopped_on IS NOT NULL THEN 'ended' WHEN ${IS_HEARD} THEN 'alive' ELSE 'gone' END,
       ${MS('started_on')}, ${MS('heartbeat_on')} FROM {instance} WHERE heartbeat_on > ${DAY} ORDER BY 4, 5 DESC`,
  );
  return rows.map((row) => ({
    name: text(row, 0),
    machine: text(row, 1),
    pid: integer(row, 2),
    // The statement above names them.
    state: text(row, 3) as WorkerHost['state'],
    startedAtMs: integer(row, 4),
    heardAtMs: integer(row, 5),
  }));
}

async function readQueues(statements: Statements): Promise<readonly JobQueue[]> {
  const count = (where: string): string => `count(id) FILTER (WHERE ${where})`;
  const rows = await statements.all(
    `SELECT queue.name, ${count("state < 'active'")}, ${count("state = 'active'")}, ${count(`state = 'completed' AND completed_on > ${DAY}`)},
       ${count(`state = 'failed' AND completed_on > ${DAY}`)} FROM {queue} LEFT JOIN {job} ON job.name = queue.name
     WHERE queue.name NOT LIKE E'\\\\_\\\\_pgboss%' GROUP BY queue.name ORDER BY queue.name`,
  );
  return rows.map((row) => ({
    name: shownQueue(text(row, 0)),
    waiting: integer(row, 1),
    active: integer(row, 2),
    done: integer(row, 3),
    failed: integer(row, 4),
  }));
}
