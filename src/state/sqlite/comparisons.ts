import type { ResourceName } from '../../contract/index.ts';
import type { Comparisons, ServiceAccount } from '../../model/state/store.ts';
import { sealOf, type Database } from './database.ts';
import type { SqliteAccounts } from './accounts.ts';

/** What whole comparisons came to, in the state file: its triggers drop what is not right any more. A power cut may take the last ones. */
export class SqliteComparisons implements Comparisons {
  readonly #db: Database;
  readonly #accounts: SqliteAccounts;

  constructor(db: Database, accounts: SqliteAccounts) {
    this.#db = db;
    this.#accounts = accounts;
  }

  begin(account: ServiceAccount, resource: ResourceName, mapping: string, id: string): Promise<void> {
    return this.#db.writeLightly(() => {
      const statement =
        'INSERT OR REPLACE INTO comparison (account, resource, mapping, id) VALUES (?, ?, ?, ?)';
      this.#db.run(statement, this.#accounts.add(account), resource, mapping, id);
    });
  }

  keep(
    account: ServiceAccount,
    resource: ResourceName,
    mapping: string,
    id: string,
    document: string,
  ): Promise<void> {
    return this.#db.writeLightly(() => {
      const number = this.#accounts.find(account);
      this.#db.run(
        'UPDATE comparison SET document = ?, seal = ? WHERE account = ? AND resource = ? AND mapping = ? AND id = ?',
        ...[document, sealOf([number, resource, mapping, document]), number, resource, mapping, id],
      );
    });
  }

  last(account: ServiceAccount, resource: ResourceName, mapping: string): Promise<string | undefined> {
    return this.#db.read(() => {
      const number = this.#accounts.find(account);
      const statement =
        'SELECT document, seal FROM comparison WHERE account = ? AND resource = ? AND mapping = ?';
      const [document, seal] = this.#db.get(statement, number, resource, mapping) ?? [];
      if (typeof document !== 'string') return undefined;
      return seal === sealOf([number, resource, mapping, document]) ? document : undefined;
    });
  }
}
