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
import { OF_SERVICE, serviceKey } from './accounts.ts';
import { fromStorable, storable } from './storable.ts';
import type { Database, Statements } from './database.ts';

const NOW = '(extract(epoch FROM clock_timestamp()) * 1000)::bigint';
/** Who has lost so many turns keeps the others waiting for its own: one that is far away would lose them all. */
const MOST_LOST = 1;

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

  accountOf(baseUrl: string, keyDigest: string): Promise<string | undefined> {
    return this.#db.get(
      (row) => fromStorable(row, 0),
      'SELECT account_id FROM {budget_key} WHERE base_url = $1 AND key_digest = $2',
      ...[storable(canonicalBaseUrl(baseUrl)), keyDigest],
    );
  }

  async rememberAccount(account: ServiceAccount, keyDigest: string): Promise<void> {
    const [baseUrl, accountId] = serviceKey(account);
    await this.#db.run(
      `INSERT INTO {budget_key} (base_url, key_digest, account_id) VALUES ($1, $2, $3)
         ON CONFLICT (base_url, key_digest) DO UPDATE SET account_id = excluded.account_id`,
      baseUrl,
      keyDigest,
      accountId,
    );
  }

  async hasKeyOf(account: ServiceAccount): Promise<boolean> {
    const statement = `SELECT count(*) FROM {budget_key} WHERE ${OF_SERVICE}`;
    return (await this.#db.count(statement, ...serviceKey(account))) > 0;
  }

  /** Where somebody else was let in since the look, it looks again, and keeps the others waiting once it has lost {@link MOST_LOST} turns. */
  async visit(
    account: ServiceAccount,
    visit: BudgetVisit,
    decide: (look: BudgetLook) => BudgetDecision,
  ): Promise<number | undefined> {
    const key = serviceKey(account);
    const told = new Set<number>();
    const decideNew = ({ others, wanting, taken, windows }: Seen): BudgetDecision => {
      const unseen = others.filter(({ number }) => !told.has(number));
      for (const { number, answeredAgoMs } of others) if (answeredAgoMs !== null) told.add(number);
      return decide({ others: unseen, wanting, taken, windows });
    };
    let seen = this.#seenBefore(key, visit);
    this.#last = undefined;
    for (let lost = 0; ; lost += 1) {
      const known = seen;
      seen = undefined;
      const work = (statements: Statements) => this.#enterNext(statements, key, visit, decideNew, known);
      const entered =
        lost < MOST_LOST
          ? await this.#db.alone(work, { keepsPlans: true })
          : await this.#db.together(
              async (statements) => {
                await statements.run(`SELECT FROM {budget} WHERE ${OF_SERVICE} FOR UPDATE`, ...key);
                return work(statements);
              },
              { keepsPlans: true },
            );
      if (entered === 'lost') continue;
      await this.#sweep();
      return entered;
    }
  }

  /** Looks, or goes by what is known, and carries out what comes of it; `lost` where somebody else has taken the turn, or what is known is not enough to say no. */
  async #enterNext(
    statements: Statements,
    key: Key,
    visit: BudgetVisit,
    decide: (seen: Seen) => BudgetDecision,
    known: Seen | undefined,
  ): Promise<number | undefined | 'lost'> {
    const seen = known ?? (await look(statements, key, visit));
    const decision = decide(seen);
    if (known !== undefined && decision.kind !== 'enter') return 'lost';
    const entered = await carryOut(statements, key, visit, decision, seen.turn);
    if (decision.kind !== 'enter') return undefined;
    if (entered === undefined) return 'lost';
    const { turn, windows, others, wanting } = seen;
    if (others.length + wanting.length === 0)
      this.#last = { of: [...key, visit.process].join(), turn: turn + 1, windows };
    return entered;
  }

  /** Where nobody else has the turn since an own request was entered, there is nothing new to see: whether that is so shows when the next one is entered. */
  #seenBefore(key: Key, { process, after, underWay, windows }: BudgetVisit): Seen | undefined {
    const last = this.#last;
    if (last === undefined || after === 0 || underWay.length > 0) return undefined;
    if (last.of !== [...key, process].join()) return undefined;
    return { turn: last.turn, windows: windows ?? last.windows, others: [], wanting: [], taken: 0 };
  }

  async leave(account: ServiceAccount, process: string): Promise<void> {
    await this.#db.run(
      `DELETE FROM {budget_want} WHERE ${OF_SERVICE} AND process = $3`,
      ...serviceKey(account),
      process,
    );
  }

  /** Now and then takes away what nobody looks at any more. */
  async #sweep(): Promise<void> {
    if (this.#monotonic() - this.#sweptMs < SWEEP_MS) return;
    this.#sweptMs = this.#monotonic();
    const over = `DELETE FROM {budget_request} WHERE coalesce(over_ms, deadline_ms) < ${NOW} - $1`;
    await this.#db.run(over, BUDGET_KEPT_MS);
    await this.#db.run(`DELETE FROM {budget_want} WHERE until_ms < ${NOW} - $1`, BUDGET_KEPT_MS);
  }
}

type Seen = BudgetLook & { readonly turn: number };

type Key = readonly [baseUrl: string, accountId: string];

async function look(statements: Statements, key: Key, visit: BudgetVisit): Promise<Seen> {
  const { process, after, underWay, windows } = visit;
  for (;;) {
    const row = await (underWay.length === 0
      ? statements.get(LOOKS.fresh, ...key, process, after, LOOK_BACK_MS)
      : statements.get(LOOKS.following, ...key, process, after, LOOK_BACK_MS, JSON.stringify(underWay)));
    if (row !== undefined)
      return {
        turn: integer(row, 0),
        windows: windows ?? parseWindows(text(row, 1)),
        ...(integer(row, 2) === 0 ? { wanting: [], taken: 0 } : await shares(statements, key, visit)),
        // The statement above makes it.
        others: (JSON.parse(textOrNull(row, 3) ?? '[]') as readonly SqlRow[]).map(budgetLook),
      };
    await statements.run(
      "INSERT INTO {budget} (base_url, account_id, windows) VALUES ($1, $2, '[]') ON CONFLICT DO NOTHING",
      ...key,
    );
  }
}

async function shares(
  statements: Statements,
  key: Key,
  { process, withinMs }: BudgetVisit,
): Promise<Pick<BudgetLook, 'wanting' | 'taken'>> {
  const rows = await statements.all(WANTING, ...key, process, withinMs);
  const wanting = rows.map((row) => ({ writes: integer(row, 0) === 1, taken: integer(row, 1) }));
  return { wanting, taken: integer(rows[0] ?? [0, 0, 0], 2) };
}

/** Answers the number of a request that was entered; undefined where none was to be, or somebody else had the turn. */
async function carryOut(
  statements: Statements,
  key: Key,
  { process, over, windows }: BudgetVisit,
  decision: BudgetDecision,
  turn: number,
): Promise<number | undefined> {
  const told = JSON.stringify(over.map(ended));
  if (decision.kind === 'enter') {
    const row = await statements.get(
      ENTER,
      ...key,
      process,
      ...[windows === undefined ? null : JSON.stringify(windows), told, turn],
      Number(decision.readsAccount),
      Math.ceil(decision.lastsMs),
    );
    return row && integer(row, 0);
  }
  if (decision.kind === 'wait')
    await statements.run(WAIT, ...key, process, Number(decision.writes), Math.ceil(decision.forMs));
  if (over.length > 0) await statements.run(END('$1', ''), told);
  if (windows !== undefined) await statements.run(KEEP, ...key, JSON.stringify(windows));
  return undefined;
}

/** Ages are milliseconds by the clock of the database. Who sees an account for the first time reads nothing that was over long ago. */
const LOOK = (follows: boolean): string => `
  WITH at AS MATERIALIZED (SELECT ${NOW} AS ms)
  SELECT turn, windows, EXISTS (SELECT FROM {budget_want} WHERE ${OF_SERVICE} AND process <> $3 AND until_ms > at.ms)::integer,
    (SELECT json_agg(json_build_array(number, reads_account, at.ms - entered_ms,
         CASE WHEN over_ms IS NOT NULL THEN at.ms - over_ms WHEN deadline_ms <= at.ms THEN at.ms - deadline_ms END,
         CASE WHEN over_ms IS NULL AND deadline_ms <= at.ms THEN 1 ELSE doubtful END) ORDER BY number)
       FROM (${follows ? `SELECT * FROM {budget_request} WHERE number IN (SELECT json_array_elements_text($6::json)::bigint) AND number <= $4 UNION ALL ` : ''}
         SELECT * FROM {budget_request} WHERE ${OF_SERVICE} AND number > $4) AS request
       WHERE process <> $3 AND ($4 > 0 OR coalesce(over_ms, deadline_ms) > at.ms - $5))::text
  FROM {budget}, at WHERE ${OF_SERVICE}`;
const LOOKS = { fresh: LOOK(false), following: LOOK(true) };

/** How many requests a process entered in the time that counts for fairness; a reading of the account gets it nothing. */
const TAKEN = (process: string): string =>
  `(SELECT count(*) FROM {budget_request} AS own WHERE ${OF_SERVICE} AND own.process = ${process} AND own.reads_account = 0 AND entered_ms > ${NOW} - $4)`;
const WANTING = `SELECT writes, ${TAKEN('want.process')}, ${TAKEN('$3')} FROM {budget_want} AS want WHERE ${OF_SERVICE} AND process <> $3 AND until_ms > ${NOW}`;

/** What is over, of a JSON in `$n`. */
const END = (json: string, also: string): string =>
  `UPDATE {budget_request} AS request SET over_ms = ${NOW} - ended.ago, doubtful = ended.doubtful
   FROM json_to_recordset(${json}::json) AS ended (number bigint, ago bigint, doubtful integer)${also} WHERE request.number = ended.number`;

/** Where two come at once, one changes the turn, and the other one then finds another turn than it looked at. So does who missed that others wait, or other windows. */
const ENTER = `
  WITH held AS (
      UPDATE {budget} SET turn = turn + 1, windows = coalesce($4, windows) WHERE ${OF_SERVICE} AND turn = $6 RETURNING turn
    ),
    told AS (${END('$5', ', held')}),
    had AS (DELETE FROM {budget_want} USING held WHERE ${OF_SERVICE} AND process = $3)
  INSERT INTO {budget_request} (base_url, account_id, process, reads_account, entered_ms, deadline_ms, doubtful, turn)
  SELECT $1, $2, $3, $7, ${NOW}, ${NOW} + $8, 0, turn FROM held RETURNING number`;

const WAIT = `
  WITH held AS (UPDATE {budget} SET turn = turn + 1 WHERE ${OF_SERVICE})
  INSERT INTO {budget_want} (base_url, account_id, process, writes, until_ms) VALUES ($1, $2, $3, $4, ${NOW} + $5)
  ON CONFLICT (base_url, account_id, process) DO UPDATE SET writes = excluded.writes, until_ms = excluded.until_ms`;

const KEEP = `UPDATE {budget} SET windows = $3, turn = turn + 1 WHERE ${OF_SERVICE}`;

const ended = ({ number, agoMs, doubtful }: BudgetVisit['over'][number]) => ({
  number,
  ago: Math.floor(agoMs),
  doubtful: Number(doubtful),
});
