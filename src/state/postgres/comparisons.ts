import type { ResourceName } from '../../contract/index.ts';
import type { ComparedMapping, Comparisons } from '../../model/state/store.ts';
import { bytes, type SqlRow } from '../sql-row.ts';
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

/** What comparisons came to, on PostgreSQL. */
export class PostgresComparisons implements Comparisons {
  readonly #db: Database;
  readonly #accounts: Accounts;

  constructor(db: Database, accounts: Accounts) {
    this.#db = db;
    this.#accounts = accounts;
  }

  async begin({ account, resource, mapping }: ComparedMapping, id: string): Promise<void> {
    const number = await this.#accounts.add(account);
    await this.#db.together(async (statements) => {
      // Whoever changes what is confirmed has the account until it is done: what comes after this sees it and drops it.
      await lockAccount(statements, number);
      const values = [number, resource, storable(mapping)];
      await statements.run(
        'DELETE FROM {comparison} WHERE account = $1 AND resource = $2 AND mapping = $3',
        ...values,
      );
      await statements.run(
        'INSERT INTO {comparison} (account, resource, mapping, id) VALUES ($1, $2, $3, $4)',
        ...values,
        storable(id),
      );
    });
  }

  async keep({ account, resource, mapping }: ComparedMapping, id: string, document: string): Promise<void> {
    const number = await this.#accounts.find(account);
    await this.#db.run(
      'UPDATE {comparison} SET document = $5 WHERE account = $1 AND resource = $2 AND mapping = $3 AND id = $4',
      ...[number, resource, storable(mapping), storable(id), storable(document)],
    );
  }

  async last({ account, resource, mapping }: ComparedMapping): Promise<string | undefined> {
    const number = await this.#accounts.find(account);
    const statement =
      'SELECT document FROM {comparison} WHERE account = $1 AND resource = $2 AND mapping = $3';
    const parse = (row: SqlRow): string | null => fromStorableOrNull(row, 0);
    return (await this.#db.get(parse, statement, number, resource, storable(mapping))) ?? undefined;
  }

  async addRows(id: string, part: number, rows: Uint8Array): Promise<void> {
    await this.#db.run(
      `INSERT INTO {compared_rows} (id, part, bytes) SELECT id, $2::integer, decode($3, 'base64') FROM {comparison} WHERE id = $1
       ON CONFLICT (id, part) DO UPDATE SET bytes = excluded.bytes`,
      ...[storable(id), part, Buffer.from(rows.buffer, rows.byteOffset, rows.byteLength).toString('base64')],
    );
  }

  rows(id: string, part: number): Promise<Uint8Array | undefined> {
    const statement = 'SELECT bytes FROM {compared_rows} WHERE id = $1 AND part = $2';
    return this.#db.get((row) => bytes(row, 0), statement, storable(id), part);
  }
}
