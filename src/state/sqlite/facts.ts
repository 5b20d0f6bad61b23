import type { ResourceName } from '../../contract/index.ts';
import type { Clock } from '../../model/ports.ts';
import { readSpelling, spellingFact, type Spelling } from '../../model/state/spelling.ts';
import type { Fact, Facts, ServiceAccount } from '../../model/state/store.ts';
import { integer, text } from '../sql-row.ts';
import type { SqliteAccounts } from './accounts.ts';
import type { Database } from './database.ts';

/** The facts of accounts in the state file. */
export class SqliteFacts implements Facts {
  readonly #db: Database;
  readonly #accounts: SqliteAccounts;
  readonly #clock: Clock;

  constructor(db: Database, accounts: SqliteAccounts, clock: Clock) {
    this.#db = db;
    this.#accounts = accounts;
    this.#clock = clock;
  }

  fact(account: ServiceAccount, name: string): Promise<Omit<Fact, 'name'> | undefined> {
    return this.#db.read(() => {
      const row = this.#db.get(
        'SELECT value, at_ms FROM sealed_fact WHERE account = ? AND name = ?',
        this.#accounts.find(account),
        name,
      );
      return row && { value: text(row, 0), atMs: integer(row, 1) };
    });
  }

  setFact(account: ServiceAccount, name: string, value: string): Promise<void> {
    return this.setFacts(account, [{ name, value }]);
  }

  facts(account: ServiceAccount): Promise<readonly Fact[]> {
    return this.#db.read(() =>
      this.#db
        .all(
          'SELECT name, value, at_ms FROM sealed_fact WHERE account = ? ORDER BY name',
          this.#accounts.find(account),
        )
        .map((row) => ({ name: text(row, 0), value: text(row, 1), atMs: integer(row, 2) })),
    );
  }

  setFacts(account: ServiceAccount, facts: readonly Pick<Fact, 'name' | 'value'>[]): Promise<void> {
    return this.#db.write(() => {
      const number = this.#accounts.add(account);
      for (const { name, value } of facts) this.write(number, name, value);
    });
  }

  /** In a transaction. */
  write(account: number, name: string, value: string): void {
    const statement = 'INSERT OR REPLACE INTO fact (account, name, value, at_ms) VALUES (?, ?, ?, ?)';
    this.#db.run(statement, account, name, value, this.#clock.now());
  }

  /** How the service was seen to spell the keys of a resource. */
  spelling(account: number, resource: ResourceName): Spelling | undefined {
    const statement = 'SELECT value FROM sealed_fact WHERE account = ? AND name = ?';
    const row = this.#db.get(statement, account, spellingFact(resource));
    return readSpelling(row && text(row, 0));
  }
}
