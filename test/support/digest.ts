import { createHash } from 'node:crypto';
import { DatabaseSync } from 'node:sqlite';

/** A digest of every row of every table of a sandbox's file, but for the values of the sandbox itself. */
export function digestTables(file: string): string {
  const database = new DatabaseSync(file, { readOnly: true });
  try {
    const hash = createHash('sha256');
    const tables = database
      .prepare(`SELECT name FROM sqlite_schema WHERE type = 'table' AND name <> 'meta' ORDER BY name`)
      .all();
    for (const { name } of tables) {
      hash.update(`${String(name)}\n`);
      for (const row of database.prepare(`SELECT * FROM ${String(name)}`).iterate())
        hash.update(JSON.stringify(Object.values(row)));
    }
    return hash.digest('hex');
  } finally {
    database.close();
  }
}
