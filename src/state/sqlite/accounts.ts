import type { ServiceAccount } from '../../model/state/store.ts';
import { integer, text } from '../sql-row.ts';
import type { Database } from './database.ts';

/** The numbers by which the state file knows accounts. */
export class SqliteAccounts {
  readonly #db: Database;

  constructor(db: Database) {
    this.#db = db;
  }

  /** The number of an account; -1, which nothing has, for one that was never written to. */
  find(account: ServiceAccount): number {
    const row = this.#db.get(
      'SELECT number FROM account WHERE base_url = ? AND account_id = ?',
      account.baseUrl,
      account.accountId,
    );
    return row === undefined ? -1 : integer(row, 0);
  }

  /** The number of an account, which is made where it was never written to. */
  add(account: ServiceAccount): number {
    this.#db.run(
      'INSERT INTO account (base_url, account_id) VALUES (?, ?) ON CONFLICT DO NOTHING',
      account.baseUrl,
      account.accountId,
    );
    return this.find(account);
  }

  /** Those of an address. */
  of(baseUrl: string): Promise<readonly ServiceAccount[]> {
    return this.#db.read(() =>
      this.#db
        .all('SELECT account_id FROM account WHERE base_url = ? ORDER BY number', baseUrl)
        .map((row) => ({ baseUrl, accountId: text(row, 0) })),
    );
  }
}
