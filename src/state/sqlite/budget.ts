import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import type { Clock } from '../../model/ports.ts';
import {
  BUDGET_KEPT_MS,
  type BudgetDecision,
  type BudgetLook,
  type BudgetVisit,
  type SharedBudget,
  type Wanting,
} from '../../model/state/shared-budget.ts';
import { canonicalBaseUrl } from '../../model/service-address.ts';
import type { ServiceAccount } from '../../model/state/store.ts';
import { AHEAD_MS, budgetLook, LOOK_BACK_MS, parseWindows, SWEEP_MS } from '../budget-rows.ts';
import { makePrivateFile, makePrivateFolder } from '../private-files.ts';
import { integer, text, UnreadableValueError } from '../sql-row.ts';
import { attempt, isDamage } from '../storage-error.ts';
import { BUSY_TIMEOUT_MS, Database } from './database.ts';

/** What a power cut takes of it, the account tells: nothing waits for the disk. */
const TABLES = `
  PRAGMA journal_mode = WAL;
  PRAGMA synchronous = OFF;
  CREATE TABLE IF NOT EXISTS budget (account TEXT PRIMARY KEY, windows TEXT NOT NULL);
  CREATE TABLE IF NOT EXISTS budget_key (name TEXT PRIMARY KEY, account_id TEXT NOT NULL);
  CREATE TABLE IF NOT EXISTS budget_request (
    number INTEGER PRIMARY KEY AUTOINCREMENT,
    account TEXT NOT NULL,
    process TEXT NOT NULL,
    reads_account INTEGER NOT NULL,
    entered_ms INTEGER NOT NULL,
    deadline_ms INTEGER NOT NULL,
    over_ms INTEGER,
    doubtful INTEGER NOT NULL
  );
  CREATE INDEX IF NOT EXISTS budget_request_account ON budget_request (account, number);
  CREATE TABLE IF NOT EXISTS budget_want (
    account TEXT NOT NULL,
    process TEXT NOT NULL,
    writes INTEGER NOT NULL,
    until_ms INTEGER NOT NULL,
    PRIMARY KEY (account, process)
  );
`;

/**
 * The budgets of accounts over all processes of this machine, in a file of `folder`, by its wall clock. It is made when it is first asked, and anew where it is damaged.
 * Errors of all: UnavailableError `state.*`.
 */
export const sqliteBudget = (folder: string, clock: Pick<Clock, 'now'>): SharedBudget & { close(): void } =>
  new SqliteBudget(folder, clock);

function connectAnew(folder: string, file: string): DatabaseSync {
  makePrivateFolder(folder);
  try {
    return connect(file);
  } catch (error) {
    if (!isDamage(error)) throw error;
    for (const end of ['', '-wal', '-shm']) rmSync(`${file}${end}`, { force: true });
    return connect(file);
  }
}

function connect(file: string): DatabaseSync {
  makePrivateFile(file);
  const connection = new DatabaseSync(file, { timeout: BUSY_TIMEOUT_MS });
  try {
    connection.exec(TABLES);
    const check = connection.prepare('PRAGMA quick_check(1)').get();
    if (check?.['quick_check'] !== 'ok') throw new UnreadableValueError(String(check?.['quick_check']));
    return connection;
  } catch (error) {
    connection.close();
    throw error;
  }
}

class SqliteBudget implements SharedBudget {
  readonly #folder: string;
  readonly #file: string;
  readonly #clock: Pick<Clock, 'now'>;
  #opened: Database | undefined;
  #sweptMs = -Infinity;

  constructor(folder: string, clock: Pick<Clock, 'now'>) {
    this.#folder = folder;
    this.#file = join(folder, 'budget.sqlite');
    this.#clock = clock;
  }

  accountOf(baseUrl: string, keyDigest: string): Promise<string | undefined> {
    return this.#together((db) => {
      const row = db.get('SELECT account_id FROM budget_key WHERE name = ?', keyName(baseUrl, keyDigest));
      return row && text(row, 0);
    });
  }

  rememberAccount({ baseUrl, accountId }: ServiceAccount, keyDigest: string): Promise<void> {
    return this.#together((db) => {
      db.run(
        'INSERT INTO budget_key VALUES (?, ?) ON CONFLICT DO UPDATE SET account_id = excluded.account_id',
        keyName(baseUrl, keyDigest),
        accountId,
      );
    });
  }

  hasKeyOf({ baseUrl, accountId }: ServiceAccount): Promise<boolean> {
    const statement = 'SELECT 1 FROM budget_key WHERE account_id = ? AND instr(name, ?) = 1';
    return this.#together((db) => db.get(statement, accountId, keyName(baseUrl, '')) !== undefined);
  }

  visit(
    account: ServiceAccount,
    visit: BudgetVisit,
    decide: (look: BudgetLook) => BudgetDecision,
  ): Promise<number | undefined> {
    const name = nameOf(account);
    return this.#together((db) => {
      const nowMs = this.#now();
      this.#sweep(db, nowMs);
      if (visit.windows !== undefined) db.run(KEEP, name, JSON.stringify(visit.windows));
      for (const { number, agoMs, doubtful } of visit.over)
        db.run(END, nowMs - Math.floor(agoMs), Number(doubtful), number);
      const windows = db.get('SELECT windows FROM budget WHERE account = ?', name);
      const decision = decide({
        others: others(db, name, nowMs, visit),
        ...shares(db, name, nowMs, visit),
        windows: windows === undefined ? [] : parseWindows(text(windows, 0)),
      });
      return carryOut(db, name, nowMs, visit, decision);
    });
  }

  leave(account: ServiceAccount, process: string): Promise<void> {
    return this.#together((db) => wantNothing(db, nameOf(account), process));
  }

  /** A second call does nothing. */
  close(): void {
    this.#opened?.close();
  }

  /** Now and then takes away what nobody looks at any more. What a clock that was set back left in the future counts as entered now. */
  #sweep(db: Database, nowMs: number): void {
    if (nowMs >= this.#sweptMs && nowMs < this.#sweptMs + SWEEP_MS) return;
    this.#sweptMs = nowMs;
    db.run('DELETE FROM budget_request WHERE coalesce(over_ms, deadline_ms) < ?', nowMs - BUDGET_KEPT_MS);
    db.run(SET_BACK, nowMs, nowMs + AHEAD_MS);
    db.run('DELETE FROM budget_want WHERE until_ms < ?', nowMs);
  }

  #now(): number {
    return Math.floor(this.#clock.now());
  }

  /** One transaction that others wait for. */
  async #together<T>(work: (db: Database) => T): Promise<T> {
    const db = await attempt(
      this.#file,
      () => (this.#opened ??= new Database(this.#file, connectAnew(this.#folder, this.#file))),
    );
    return db.write(() => work(db));
  }
}

const KEEP = 'INSERT INTO budget VALUES (?, ?) ON CONFLICT DO UPDATE SET windows = excluded.windows';
const SET_BACK = `UPDATE budget_request SET entered_ms = ?1, over_ms = over_ms - entered_ms + ?1,
  deadline_ms = deadline_ms - entered_ms + ?1 WHERE entered_ms > ?2`;
const END = 'UPDATE budget_request SET over_ms = ?, doubtful = ? WHERE number = ?';

/** Two searches, because SQLite looks through all requests of the account for one that joins both by OR. */
function others(
  db: Database,
  name: string,
  nowMs: number,
  { process, after, underWay }: BudgetVisit,
): BudgetLook['others'] {
  return db
    .all(
      `SELECT number, reads_account, ?1 - entered_ms,
         CASE WHEN over_ms IS NOT NULL THEN ?1 - over_ms WHEN deadline_ms <= ?1 THEN ?1 - deadline_ms END,
         CASE WHEN over_ms IS NULL AND deadline_ms <= ?1 THEN 1 ELSE doubtful END
       FROM (SELECT * FROM budget_request WHERE account = ?2 AND number > ?4
         UNION ALL SELECT * FROM budget_request WHERE number IN (SELECT value FROM json_each(?5)) AND number <= ?4)
       WHERE process <> ?3 AND (?4 > 0 OR coalesce(over_ms, deadline_ms) > ?1 - ?6)
       ORDER BY number`,
      nowMs,
      name,
      process,
      after,
      JSON.stringify(underWay),
      LOOK_BACK_MS,
    )
    .map(budgetLook);
}

function shares(
  db: Database,
  name: string,
  nowMs: number,
  { process, withinMs }: BudgetVisit,
): { readonly wanting: readonly Wanting[]; readonly taken: number } {
  const sinceMs = nowMs - withinMs;
  const takenBy = (who: string): number => {
    const statement =
      'SELECT count(*) FROM budget_request WHERE account = ? AND process = ? AND reads_account = 0 AND entered_ms > ?';
    return db.count(statement, name, who, sinceMs);
  };
  const wants = db.all(
    'SELECT process, writes FROM budget_want WHERE account = ? AND process <> ? AND until_ms > ?',
    name,
    process,
    nowMs,
  );
  return {
    wanting: wants.map((row) => ({ writes: integer(row, 1) === 1, taken: takenBy(text(row, 0)) })),
    taken: wants.length === 0 ? 0 : takenBy(process),
  };
}

function carryOut(
  db: Database,
  name: string,
  nowMs: number,
  { process }: BudgetVisit,
  decision: BudgetDecision,
): number | undefined {
  switch (decision.kind) {
    case 'none':
      return undefined;
    case 'wait':
      db.run(
        'INSERT INTO budget_want VALUES (?, ?, ?, ?) ON CONFLICT DO UPDATE SET writes = excluded.writes, until_ms = excluded.until_ms',
        name,
        process,
        Number(decision.writes),
        nowMs + Math.ceil(decision.forMs),
      );
      return undefined;
    case 'enter':
      wantNothing(db, name, process);
      return db.count(
        'INSERT INTO budget_request (account, process, reads_account, entered_ms, deadline_ms, doubtful) VALUES (?, ?, ?, ?, ?, 0) RETURNING number',
        name,
        process,
        Number(decision.readsAccount),
        nowMs,
        nowMs + Math.ceil(decision.lastsMs),
      );
  }
}

function wantNothing(db: Database, name: string, process: string): void {
  db.run('DELETE FROM budget_want WHERE account = ? AND process = ?', name, process);
}

const keyName = (baseUrl: string, keyDigest: string): string => `${canonicalBaseUrl(baseUrl)}\n${keyDigest}`;
const nameOf = ({ baseUrl, accountId }: ServiceAccount): string =>
  `${canonicalBaseUrl(baseUrl)}\n${accountId}`;
