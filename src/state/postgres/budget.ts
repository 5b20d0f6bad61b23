import {
  BUDGET_KEPT_MS,
  type BudgetDecision,
  type BudgetLook,
  type BudgetVisit,
  type SharedBudget,
} from '../../model/state/shared-budget.ts';
import { canonicalBaseUrl } from '../../model/service-address.ts';
import type { ServiceAccount } from '../../model/state/store.ts';
import { budgetLook, LOOK_BACK_MS, parseWindows, SWEEP_MS } from '../budget-rows.ts';
import { integer, text, textOrNull, type SqlRow } from '../sql-row.ts';
import { fromStorable, storable } from './storable.ts';
import type { Value } from './client.ts';
import type { Database } from './database.ts';

const NOW = '(extract(epoch FROM clock_timestamp()) * 1000)::bigint';
const OF = 'base_url = $1 AND account_id = $2';

/** The budgets of accounts over all machines, by the clock of the database. */
export class PostgresBudget implements SharedBudget {
  readonly #db: Database;
  #sweptMs = -Infinity;
  /** What the process that entered the last request saw then, where it was alone. */
  #last: { readonly of: string; readonly turn: number; readonly windows: BudgetLook['windows'] } | undefined;
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

  /** Nobody waits for anybody: where somebody else was let in since the look, it looks again. */
  async visit(
    account: ServiceAccount,
    visit: BudgetVisit,
    decide: (look: BudgetLook) => BudgetDecision,
  ): Promise<number | undefined> {
    const key = keyOf(account);
    const told = new Set<number>();
    let seen = this.#seenBefore(key, visit);
    for (;;) {
      const { turn, others, ...look } = seen ?? (await this.#look(key, visit));
      const decision = decide({ ...look, others: others.filter(({ number }) => !told.has(number)) });
      for (const { number, answeredAgoMs } of others) if (answeredAgoMs !== null) told.add(number);
      const isOld = seen !== undefined && decision.kind !== 'enter';
      seen = undefined;
      this.#last = undefined;
      if (isOld) continue;
      const entered = await this.#carryOut(key, visit, decision, turn);
      if (decision.kind === 'enter' && entered === undefined) continue;
      if (entered !== undefined && others.length + look.wanting.length === 0)
        this.#last = { of: [...key, visit.process].join(), turn: turn + 1, windows: look.windows };
      await this.#sweep();
      return entered;
    }
  }

  /** Where nobody else has the turn since an own request was entered, there is nothing new to see: whether that is so shows when the next one is entered. */
  #seenBefore(key: Key, { process, after, underWay, windows }: BudgetVisit): Seen | undefined {
    const last = this.#last;
    if (last === undefined || after === 0 || underWay.length > 0) return undefined;
    if (last.of !== [...key, process].join()) return undefined;
    return { turn: last.turn, windows: windows ?? last.windows, others: [], wanting: [], taken: 0 };
  }

  async leave(account: ServiceAccount, process: string): Promise<void> {
    await this.#db.run(`DELETE FROM {budget_want} WHERE ${OF} AND process = $3`, ...keyOf(account), process);
  }

  async #look(key: Key, visit: BudgetVisit): Promise<Seen> {
    const { process, after, underWay, windows } = visit;
    for (;;) {
      const row = await (underWay.length === 0
        ? this.#ask(LOOKS.fresh, ...key, process, after, LOOK_BACK_MS)
        : this.#ask(LOOKS.following, ...key, process, after, LOOK_BACK_MS, JSON.stringify(underWay)));
      if (row !== undefined)
        return {
          turn: integer(row, 0),
          windows: windows ?? parseWindows(text(row, 1)),
          ...(integer(row, 2) === 0 ? { wanting: [], taken: 0 } : await this.#shares(key, visit)),
          // The statement above makes it.
          others: (JSON.parse(textOrNull(row, 3) ?? '[]') as readonly SqlRow[]).map(budgetLook),
        };
      await this.#db.run(
        "INSERT INTO {budget} (base_url, account_id, windows) VALUES ($1, $2, '[]') ON CONFLICT DO NOTHING",
        ...key,
      );
    }
  }

  async #shares(
    key: Key,
    { process, withinMs }: BudgetVisit,
  ): Promise<Pick<BudgetLook, 'wanting' | 'taken'>> {
    const rows = await this.#db.all((row) => row, WANTING, ...key, process, withinMs);
    const wanting = rows.map((row) => ({ writes: integer(row, 0) === 1, taken: integer(row, 1) }));
    return { wanting, taken: integer(rows[0] ?? [0, 0, 0], 2) };
  }

  /** Answers the number of a request that was entered; undefined where none was to be, or somebody else had the turn. */
  async #carryOut(
    key: Key,
    { process, over, windows }: BudgetVisit,
    decision: BudgetDecision,
    turn: number,
  ): Promise<number | undefined> {
    const told = JSON.stringify(over.map(ended));
    switch (decision.kind) {
      case 'enter': {
        const { readsAccount, lastsMs } = decision;
        const [number] =
          (await this.#ask(
            ENTER,
            ...key,
            process,
            ...[windows === undefined ? null : JSON.stringify(windows), told, turn],
            Number(readsAccount),
            Math.ceil(lastsMs),
          )) ?? [];
        return number === undefined ? undefined : Number(number);
      }
      case 'wait':
        await this.#ask(WAIT, ...key, process, Number(decision.writes), Math.ceil(decision.forMs));
        break;
      case 'none':
    }
    if (over.length > 0) await this.#ask(END('$1', ''), told);
    if (windows !== undefined) await this.#ask(KEEP, ...key, JSON.stringify(windows));
    return undefined;
  }

  #ask(statement: string, ...values: Value[]): Promise<SqlRow | undefined> {
    return this.#db.alone((statements) => statements.get(statement, ...values), { keepsPlans: true });
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

type Seen = BudgetLook & { readonly turn: number };

type Key = readonly [baseUrl: string, accountId: string];

/** Ages are milliseconds by the clock of the database. Who sees an account for the first time reads nothing that was over long ago. */
const LOOK = (follows: boolean): string => `
  WITH at AS MATERIALIZED (SELECT ${NOW} AS ms)
  SELECT turn, windows, EXISTS (SELECT FROM {budget_want} WHERE ${OF} AND process <> $3 AND until_ms > at.ms)::integer,
    (SELECT json_agg(json_build_array(number, reads_account, at.ms - entered_ms,
         CASE WHEN over_ms IS NOT NULL THEN at.ms - over_ms WHEN deadline_ms <= at.ms THEN at.ms - deadline_ms END,
         CASE WHEN over_ms IS NULL AND deadline_ms <= at.ms THEN 1 ELSE doubtful END) ORDER BY number)
       FROM (${follows ? `SELECT * FROM {budget_request} WHERE number IN (SELECT json_array_elements_text($6::json)::bigint) AND number <= $4 UNION ALL ` : ''}
         SELECT * FROM {budget_request} WHERE ${OF} AND number > $4) AS request
       WHERE process <> $3 AND ($4 > 0 OR coalesce(over_ms, deadline_ms) > at.ms - $5))::text
  FROM {budget}, at WHERE ${OF}`;
const LOOKS = { fresh: LOOK(false), following: LOOK(true) };

/** How many requests a process entered in the time that counts for fairness. */
const TAKEN = (process: string): string =>
  `(SELECT count(*) FROM {budget_request} AS own WHERE ${OF} AND own.process = ${process} AND entered_ms > ${NOW} - $4)`;
const WANTING = `SELECT writes, ${TAKEN('want.process')}, ${TAKEN('$3')} FROM {budget_want} AS want WHERE ${OF} AND process <> $3 AND until_ms > ${NOW}`;

/** What is over, of a JSON in `$n`. */
const END = (json: string, also: string): string =>
  `UPDATE {budget_request} AS request SET over_ms = ${NOW} - ended.ago, doubtful = ended.doubtful
   FROM json_to_recordset(${json}::json) AS ended (number bigint, ago bigint, doubtful integer)${also} WHERE request.number = ended.number`;

/** Where two come at once, one changes the turn, and the other one then finds another turn than it looked at. So does who missed that others wait, or other windows. */
const ENTER = `
  WITH held AS (
      UPDATE {budget} SET turn = turn + 1, windows = coalesce($4, windows) WHERE ${OF} AND turn = $6 RETURNING turn
    ),
    told AS (${END('$5', ', held')}),
    had AS (DELETE FROM {budget_want} USING held WHERE ${OF} AND process = $3)
  INSERT INTO {budget_request} (base_url, account_id, process, reads_account, entered_ms, deadline_ms, doubtful)
  SELECT $1, $2, $3, $7, ${NOW}, ${NOW} + $8, 0 FROM held RETURNING number`;

const WAIT = `
  WITH held AS (UPDATE {budget} SET turn = turn + 1 WHERE ${OF})
  INSERT INTO {budget_want} (base_url, account_id, process, writes, until_ms) VALUES ($1, $2, $3, $4, ${NOW} + $5)
  ON CONFLICT (base_url, account_id, process) DO UPDATE SET writes = excluded.writes, until_ms = excluded.until_ms`;

const KEEP = `UPDATE {budget} SET windows = $3, turn = turn + 1 WHERE ${OF}`;

const ended = ({ number, agoMs, doubtful }: BudgetVisit['over'][number]) => ({
  number,
  ago: Math.floor(agoMs),
  doubtful: Number(doubtful),
});

const keyOf = ({ baseUrl, accountId }: ServiceAccount): Key => [
  storable(canonicalBaseUrl(baseUrl)),
  storable(accountId),
];
