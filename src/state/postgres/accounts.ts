import { canonicalBaseUrl } from '../../model/service-address.ts';
import type { ServiceAccount } from '../../model/state/store.ts';
import { integer, text, type SqlRow } from '../sql-row.ts';
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
    const parse = (row: SqlRow): number => integer(row, 0);
    const number = await this.#db.get(parse, statement, storable(baseUrl), storable(accountId));
    if (number === undefined) return -1;
    this.#numbers.set(name, number);
    return number;
  }

  /** Those of an address. */
  of(baseUrl: string): Promise<readonly ServiceAccount[]> {
    const statement = 'SELECT account_id FROM {account} WHERE base_url = $1 ORDER BY number';
    return this.#db.all((row) => ({ baseUrl, accountId: text(row, 0) }), statement, storable(baseUrl));
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

/** The columns by which {@link serviceKey} finds what all names of a service on one machine share. */
export const OF_SERVICE = 'base_url = $1 AND account_id = $2';

/** All names of a service on one machine are one service. */
export const serviceKey = ({ baseUrl, accountId }: ServiceAccount): readonly [string, string] => [
  storable(canonicalBaseUrl(baseUrl)),
  storable(accountId),
];

/** From here to the end of the transaction nobody else changes what is kept of the account. */
export async function lockAccount(statements: Statements, number: number): Promise<void> {
  // Rows that refer to an account may still be added: intents have a lock of their own.
  await statements.run('SELECT 1 FROM {account} WHERE number = $1 FOR NO KEY UPDATE', number);
}
