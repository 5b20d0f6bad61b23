import {
  BUDGET_KEPT_MS,
  type BudgetDecision,
  type BudgetLook,
  type BudgetVisit,
  type OthersRequest,
  type SharedBudget,
  type Wanting,
} from '../../model/state/shared-budget.ts';
import { canonicalBaseUrl } from '../../model/service-address.ts';
import type { ServiceAccount } from '../../model/state/store.ts';
import { budgetLook, LOOK_BACK_MS, parseWindows, SWEEP_MS } from '../budget-rows.ts';
import { fromStorable, storable } from './storable.ts';
import type { Database, Statements } from './database.ts';

const NOW = '(extract(epoch FROM clock_timestamp()) * 1000)::bigint';
const OF = 'base_url = $1 AND account_id = $2';

/** The budgets of accounts over all machines, by the clock of the database. */
export class PostgresBudget implements SharedBudget {
  readonly #db: Database;
  #sweptMs = -Infinity;
  readonly #monotonic: () => number;

  constructor(db: Database, monotonic: () => number) {
    this.#db = db;
    this.#monotonic = monotonic;
  }

  async accountOf(baseUrl: string, keyDigest: string): Promise<string | undefined> {
    const row = await this.#db.alone((statements) =>
      statements.get(
        'SELECT account_id FROM {budget_key} WHERE base_url = $1 AND key_digest = $2',
        storable(canonicalBaseUrl(baseUrl)),
        keyDigest,
      ),
    );
    return row && (fromStorable(row, 0) ?? undefined);
  }

  async rememberAccount(account: ServiceAccount, keyDigest: string): Promise<void> {
    const [baseUrl, accountId] = keyOf(account);
    await this.#db.run(
      `INSERT INTO {budget_key} (base_url, key_digest, account_id) VALUES ($1, $2, $3)
         ON CONFLICT (base_url, key_digest) DO UPDATE SET account_id = excluded.account_id`,
      baseUrl,
      keyDigest,
      accountId,
    );
  }

  async visit(
    account: ServiceAccount,
    visit: BudgetVisit,
    decide: (look: BudgetLook) => BudgetDecision,
  ): Promise<number | undefined> {
    const key = keyOf(account);
    const number = await this.#db.together(
      async (statements) => {
        // Nobody else comes in before the end of the transaction; what follows the lock sees all that was done before.
        const look = () =>
          Promise.all([
            statements.get(`SELECT windows FROM {budget} WHERE ${OF} FOR UPDATE`, ...key),
            keepWindows(statements, key, visit),
            endOwn(statements, visit),
            othersOf(statements, key, visit),
            sharesOf(statements, key, visit),
          ]);
        let [windows, , , others, shares] = await look();
        if (windows === undefined) {
          await statements.run(
            "INSERT INTO {budget} (base_url, account_id, windows) VALUES ($1, $2, '[]') ON CONFLICT DO NOTHING",
            ...key,
          );
          [windows, , , others, shares] = await look();
        }
        const known = visit.windows ?? parseWindows(String(windows?.[0] ?? '[]'));
        return carryOut(statements, key, visit, decide({ others, ...shares, windows: known }));
      },
      { keepsPlans: true },
    );
    await this.#sweep();
    return number;
  }

  async leave(account: ServiceAccount, process: string): Promise<void> {
    await this.#db.run(`DELETE FROM {budget_want} WHERE ${OF} AND process = $3`, ...keyOf(account), process);
  }

  /** Now and then takes away what nobody looks at any more. */
  async #sweep(): Promise<void> {
    if (this.#monotonic() - this.#sweptMs < SWEEP_MS) return;
    this.#sweptMs = this.#monotonic();
    await this.#db.alone(async (statements) => {
      await statements.run(
        `DELETE FROM {budget_request} WHERE coalesce(over_ms, deadline_ms) < ${NOW} - $1`,
        BUDGET_KEPT_MS,
      );
      await statements.run(`DELETE FROM {budget_want} WHERE until_ms < ${NOW} - $1`, BUDGET_KEPT_MS);
    });
  }
}

async function keepWindows(
  statements: Statements,
  key: readonly [string, string],
  { windows }: BudgetVisit,
): Promise<void> {
  if (windows === undefined) return;
  await statements.run(`UPDATE {budget} SET windows = $3 WHERE ${OF}`, ...key, JSON.stringify(windows));
}

async function endOwn(statements: Statements, { over }: BudgetVisit): Promise<void> {
  if (over.length === 0) return;
  await statements.run(
    `UPDATE {budget_request} AS request SET over_ms = ${NOW} - ended.ago, doubtful = ended.doubtful
     FROM json_to_recordset($1::json) AS ended (number bigint, ago bigint, doubtful integer) WHERE request.number = ended.number`,
    JSON.stringify(
      over.map(({ number, agoMs, doubtful }) => ({
        number,
        ago: Math.floor(agoMs),
        doubtful: Number(doubtful),
      })),
    ),
  );
}

async function othersOf(
  statements: Statements,
  key: readonly [string, string],
  { process, after, underWay }: BudgetVisit,
): Promise<readonly OthersRequest[]> {
  const rows = await statements.all(
    `WITH at AS MATERIALIZED (SELECT ${NOW} AS ms)
     SELECT number, reads_account, at.ms - entered_ms,
       CASE WHEN over_ms IS NOT NULL THEN at.ms - over_ms WHEN deadline_ms <= at.ms THEN at.ms - deadline_ms END,
       CASE WHEN over_ms IS NULL AND deadline_ms <= at.ms THEN 1 ELSE doubtful END
     FROM {budget_request}, at
     WHERE ${OF} AND process <> $3 AND (number > $4 OR number IN (SELECT json_array_elements_text($5::json)::bigint))
       AND ($4 > 0 OR coalesce(over_ms, deadline_ms) > at.ms - $6)
     ORDER BY number`,
    ...key,
    process,
    after,
    JSON.stringify(underWay),
    LOOK_BACK_MS,
  );
  return rows.map(budgetLook);
}

async function sharesOf(
  statements: Statements,
  key: readonly [string, string],
  { process, withinMs }: BudgetVisit,
): Promise<{ readonly wanting: readonly Wanting[]; readonly taken: number }> {
  const wants = await statements.all(
    `SELECT want.writes, (SELECT count(*) FROM {budget_request} AS request WHERE request.base_url = $1 AND request.account_id = $2
       AND request.process = want.process AND request.entered_ms > ${NOW} - $4)
     FROM {budget_want} AS want WHERE ${OF} AND process <> $3 AND until_ms > ${NOW}`,
    ...key,
    process,
    withinMs,
  );
  if (wants.length === 0) return { wanting: [], taken: 0 };
  const taken = await statements.count(
    `SELECT count(*) FROM {budget_request} WHERE ${OF} AND process = $3 AND entered_ms > ${NOW} - $4`,
    ...key,
    process,
    withinMs,
  );
  return {
    wanting: wants.map(([writes, requests]) => ({ writes: writes === 1, taken: Number(requests) })),
    taken,
  };
}

async function carryOut(
  statements: Statements,
  key: readonly [string, string],
  { process }: BudgetVisit,
  decision: BudgetDecision,
): Promise<number | undefined> {
  switch (decision.kind) {
    case 'none':
      return undefined;
    case 'wait':
      await statements.run(
        `INSERT INTO {budget_want} (base_url, account_id, process, writes, until_ms) VALUES ($1, $2, $3, $4, ${NOW} + $5)
         ON CONFLICT (base_url, account_id, process) DO UPDATE SET writes = excluded.writes, until_ms = excluded.until_ms`,
        ...key,
        process,
        Number(decision.writes),
        Math.ceil(decision.forMs),
      );
      return undefined;
    case 'enter':
      return statements.count(
        `WITH had AS (DELETE FROM {budget_want} WHERE ${OF} AND process = $3)
         INSERT INTO {budget_request} (base_url, account_id, process, reads_account, entered_ms, deadline_ms, doubtful)
         VALUES ($1, $2, $3, $4, ${NOW}, ${NOW} + $5, 0) RETURNING number`,
        ...key,
        process,
        Number(decision.readsAccount),
        Math.ceil(decision.lastsMs),
      );
  }
}

const keyOf = ({ baseUrl, accountId }: ServiceAccount): readonly [string, string] => [
  storable(canonicalBaseUrl(baseUrl)),
  storable(accountId),
];
