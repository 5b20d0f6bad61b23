import type { ResourceName } from '../../contract/index.ts';
import type { Comparisons, ServiceAccount } from '../../model/state/store.ts';
import type { SqlRow } from '../sql-row.ts';
import { lockAccount, type Accounts } from './accounts.ts';
import type { Database, Statements } from './database.ts';
import { fromStorableOrNull, storable } from './storable.ts';

/** Drops what comparisons came to: what is confirmed of the resource changes. */
export async function dropComparisons(
  statements: Statements,
  account: number,
  resource: ResourceName,
): Promise<void> {
  await statements.run('DELETE FROM {comparison} WHERE account = $1 AND resource = $2', account, resource);
}

/** What whole comparisons came to, on PostgreSQL. */
export class PostgresComparisons implements Comparisons {
  readonly #db: Database;
  readonly #accounts: Accounts;

  constructor(db: Database, accounts: Accounts) {
    this.#db = db;
    this.#accounts = accounts;
  }

  async begin(account: ServiceAccount, resource: ResourceName, mapping: string, id: string): Promise<void> {
    const number = await this.#accounts.add(account);
    await this.#db.together(async (statements) => {
      // Whoever changes what is confirmed has the account until it is done: what comes after this sees it and drops it.
      await lockAccount(statements, number);
      await statements.run(
        `INSERT INTO {comparison} (account, resource, mapping, id) VALUES ($1, $2, $3, $4)
         ON CONFLICT (account, resource, mapping) DO UPDATE SET id = excluded.id, document = NULL`,
        ...[number, resource, storable(mapping), storable(id)],
      );
    });
  }

  async keep(
    account: ServiceAccount,
    resource: ResourceName,
    mapping: string,
    id: string,
    document: string,
  ): Promise<void> {
    const number = await this.#accounts.find(account);
    await this.#db.run(
      'UPDATE {comparison} SET document = $5 WHERE account = $1 AND resource = $2 AND mapping = $3 AND id = $4',
      ...[number, resource, storable(mapping), storable(id), storable(document)],
    );
  }

  async last(account: ServiceAccount, resource: ResourceName, mapping: string): Promise<string | undefined> {
    const number = await this.#accounts.find(account);
    const statement =
      'SELECT document FROM {comparison} WHERE account = $1 AND resource = $2 AND mapping = $3';
    const parse = (row: SqlRow): string | null => fromStorableOrNull(row, 0);
    return (await this.#db.get(parse, statement, number, resource, storable(mapping))) ?? undefined;
  }
}
