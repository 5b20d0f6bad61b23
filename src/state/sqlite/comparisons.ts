import type { ComparedMapping, Comparisons } from '../../model/state/store.ts';
import { bytes } from '../sql-row.ts';
import { sealOf, type Database } from './database.ts';
import type { SqliteAccounts } from './accounts.ts';

/** What comparisons came to, in the state file: its triggers drop what is not right any more. A power cut may take the last ones. */
export class SqliteComparisons implements Comparisons {
  readonly #db: Database;
  readonly #accounts: SqliteAccounts;

  constructor(db: Database, accounts: SqliteAccounts) {
    this.#db = db;
    this.#accounts = accounts;
  }

  begin({ account, resource, mapping }: ComparedMapping, id: string): Promise<void> {
    return this.#db.writeLightly(() => {
      const number = this.#accounts.add(account);
      const last = 'DELETE FROM comparison WHERE account = ? AND resource = ? AND mapping = ?';
      this.#db.run(last, number, resource, mapping);
      const statement = 'INSERT INTO comparison (account, resource, mapping, id) VALUES (?, ?, ?, ?)';
      this.#db.run(statement, number, resource, mapping, id);
    });
  }

  keep({ account, resource, mapping }: ComparedMapping, id: string, document: string): Promise<void> {
    return this.#db.writeLightly(() => {
      const number = this.#accounts.find(account);
      this.#db.run(
        'UPDATE comparison SET document = ?, seal = ? WHERE account = ? AND resource = ? AND mapping = ? AND id = ?',
        ...[document, sealOf([number, resource, mapping, document]), number, resource, mapping, id],
      );
    });
  }

  last({ account, resource, mapping }: ComparedMapping): Promise<string | undefined> {
    return this.#db.read(() => {
      const number = this.#accounts.find(account);
      const statement =
        'SELECT document, seal FROM comparison WHERE account = ? AND resource = ? AND mapping = ?';
      const [document, seal] = this.#db.get(statement, number, resource, mapping) ?? [];
      if (typeof document !== 'string') return undefined;
      return seal === sealOf([number, resource, mapping, document]) ? document : undefined;
    });
  }

  addRows(id: string, part: number, rows: Uint8Array): Promise<void> {
    return this.#db.writeLightly(() => {
      const statement =
        'INSERT OR REPLACE INTO compared_rows (id, part, bytes) SELECT id, ?, ? FROM comparison WHERE id = ?';
      this.#db.run(statement, part, rows, id);
    });
  }

  rows(id: string, part: number): Promise<Uint8Array | undefined> {
    return this.#db.read(() => {
      const row = this.#db.get('SELECT bytes FROM compared_rows WHERE id = ? AND part = ?', id, part);
      return row && bytes(row, 0);
    });
  }
}
