import { DatabaseSync } from 'node:sqlite';
import type { DatabaseFormat } from './database.ts';

const SQLITE_ERROR = 1;

/** What a file holds by name: its tables with their columns, indexes, triggers and views. */
function partsOf(connection: DatabaseSync): ReadonlySet<string> {
  const rows = connection
    .prepare(
      `SELECT type || ' ' || name || coalesce(' (' || (SELECT group_concat(name, ', ') FROM pragma_table_info(part.name)) || ')', '') AS part
       FROM sqlite_schema AS part WHERE name NOT LIKE 'sqlite\\_%' ESCAPE '\\'`,
    )
    .all();
  return new Set(rows.map(({ part }) => String(part)));
}

/** The parts of a file of each version, from 1 on. */
function partsByVersion({ migrations }: DatabaseFormat): readonly ReadonlySet<string>[] {
  const connection = new DatabaseSync(':memory:');
  try {
    connection.function('seal', { deterministic: true, varargs: true }, () => 0);
    return migrations.map((statements) => {
      connection.exec(statements);
      return partsOf(connection);
    });
  } finally {
    connection.close();
  }
}

const known = new WeakMap<DatabaseFormat, readonly ReadonlySet<string>[]>();

/**
 * Why a file is not of the version that it says, or undefined when it is: a part of that version is not there, or one of a later version is.
 * Parts that no version has are not ours to judge.
 */
export function wrongPart(
  connection: DatabaseSync,
  format: DatabaseFormat,
  version: number,
): string | undefined {
  const versions = known.get(format) ?? partsByVersion(format);
  known.set(format, versions);
  const own = versions[version - 1] ?? new Set();
  let found: ReadonlySet<string>;
  try {
    found = partsOf(connection);
  } catch (error) {
    // A view of a table that is gone cannot be described.
    if (error instanceof Error && 'errcode' in error && error.errcode === SQLITE_ERROR) return error.message;
    throw error;
  }
  const missing = [...own].find((part) => !found.has(part));
  if (missing !== undefined) return `it says that it is of format ${version}, and has no ${missing}`;
  const later = versions.slice(version).flatMap((parts) => [...parts]);
  const early = later.find((part) => !own.has(part) && found.has(part));
  return early && `it says that it is of format ${version}, and has the ${early} of a later one`;
}
