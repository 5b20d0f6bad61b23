import type { ServiceAccount } from '../../model/state/store.ts';
import { integer, text } from '../sql-row.ts';
import type { Database, Statements } from './database.ts';
import { storable } from './storable.ts';

/** The numbers that the state gives to accounts. They never change, and are asked for before a transaction begins, not in it. */
export class Accounts {
  readonly #db: Database;
  readonly #numbers = new Map<string, number>();

  constructor(db: Database) {
    this.#db = db;
  }

  /** -1, which nothing has, for one that was never written to. */
  async find({ baseUrl, accountId }: ServiceAccount): Promise<number> {
    const name = `${baseUrl} ${accountId}`;
    const known = this.#numbers.get(name);
    if (known !== undefined) return known;
    const statement = 'SELECT number FROM {account} WHERE base_url = $1 AND account_id = $2';
    const row = await this.#db.alone((statements) =>
      statements.get(statement, storable(baseUrl), storable(accountId)),
    );
    if (row === undefined) return -1;
    const number = integer(row, 0);
    this.#numbers.set(name, number);
    return number;
  }

  /** Those of an address. */
  async of(baseUrl: string): Promise<readonly ServiceAccount[]> {
    const statement = 'SELECT account_id FROM {account} WHERE base_url = $1 ORDER BY number';
    const rows = await this.#db.alone((statements) => statements.all(statement, storable(baseUrl)));
    return rows.map((row) => ({ baseUrl, accountId: text(row, 0) }));
  }

  /** Gives it one where it has none. */
  async add(account: ServiceAccount): Promise<number> {
    const known = await this.find(account);
    if (known !== -1) return known;
    await this.#db.run(
      'INSERT INTO {account} (base_url, account_id) VALUES ($1, $2) ON CONFLICT DO NOTHING',
      storable(account.baseUrl),
      storable(account.accountId),
    );
    return this.find(account);
  }
}

/** From here to the end of the transaction nobody else changes what is kept of the account. */
export async function lockAccount(statements: Statements, number: number): Promise<void> {
  // Rows that refer to an account may still be added: intents have a lock of their own.
  await statements.run('SELECT 1 FROM {account} WHERE number = $1 FOR NO KEY UPDATE', number);
}
