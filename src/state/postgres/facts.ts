import type { Clock } from '../../model/ports.ts';
import { readSpelling, type Spelling } from '../../model/state/spelling.ts';
import type { Fact, Facts, ServiceAccount } from '../../model/state/store.ts';
import { integer, text } from '../sql-row.ts';
import type { Accounts } from './accounts.ts';
import type { Database, Statements } from './database.ts';
import { fromStorable, storable } from './storable.ts';

/** The facts of accounts in the tables of the state. */
export class PostgresFacts implements Facts {
  readonly #db: Database;
  readonly #accounts: Accounts;
  readonly #clock: Clock;

  constructor(db: Database, accounts: Accounts, clock: Clock) {
    this.#db = db;
    this.#accounts = accounts;
    this.#clock = clock;
  }

  async fact(account: ServiceAccount, name: string): Promise<Omit<Fact, 'name'> | undefined> {
    return this.#db.get(
      (row) => ({ value: fromStorable(row, 0), atMs: integer(row, 1) }),
      'SELECT value, at_ms FROM {fact} WHERE account = $1 AND name = $2',
      ...[await this.#accounts.find(account), storable(name)],
    );
  }

  setFact(account: ServiceAccount, name: string, value: string): Promise<void> {
    return this.setFacts(account, [{ name, value }]);
  }

  async facts(account: ServiceAccount): Promise<readonly Fact[]> {
    return this.#db.all(
      (row) => ({ name: fromStorable(row, 0), value: fromStorable(row, 1), atMs: integer(row, 2) }),
      'SELECT name, value, at_ms FROM {fact} WHERE account = $1 ORDER BY name',
      await this.#accounts.find(account),
    );
  }

  async setFacts(account: ServiceAccount, facts: readonly Pick<Fact, 'name' | 'value'>[]): Promise<void> {
    const number = await this.#accounts.add(account);
    await this.#db.alone((statements) => this.write(statements, number, facts));
  }

  /** In a transaction. */
  async write(
    statements: Statements,
    account: number,
    facts: readonly Pick<Fact, 'name' | 'value'>[],
  ): Promise<void> {
    const last = new Map(facts.map(({ name, value }) => [storable(name), storable(value)]));
    const values = [...last].map(([name, value]) => ({ name, value }));
    await statements.run(
      `INSERT INTO {fact} SELECT $1::bigint, name, value, $3::bigint FROM json_to_recordset($2::json) AS each(name text, value text)
       ON CONFLICT (account, name) DO UPDATE SET value = excluded.value, at_ms = excluded.at_ms`,
      ...[account, JSON.stringify(values), this.#clock.now()],
    );
  }
}

/** How the service was seen to spell keys, by the names of the facts. */
export async function spellingsIn(
  statements: Statements,
  account: number,
): Promise<ReadonlyMap<string, Spelling>> {
  const statement = "SELECT name, value FROM {fact} WHERE account = $1 AND name LIKE 'spelling:%'";
  const rows = await statements.all(statement, account);
  return new Map(
    rows.flatMap((row) => {
      const spelling = readSpelling(fromStorable(row, 1));
      return spelling === undefined ? [] : [[text(row, 0), spelling]];
    }),
  );
}
