import { closeSync, openSync } from 'node:fs';
import { DatabaseSync } from 'node:sqlite';
import type { SQLInputValue, SQLOutputValue, StatementSync } from 'node:sqlite';
import { ConfigError, InternalError } from '../model/error.ts';
import { migrate } from './migrations.ts';

/** One row as SQLite gives it. */
export type Row = Readonly<Record<string, SQLOutputValue>>;
type Params = readonly SQLInputValue[];

/** What the sandbox keeps: SQL with prepared statements, one connection, everything synchronous. */
export class Store {
  readonly #database: DatabaseSync;
  readonly #statements = new Map<string, StatementSync>();

  constructor(database: DatabaseSync) {
    this.#database = database;
  }

  /** The first row, mapped, or undefined. */
  get<T>(sql: string, params: Params, map: (row: Row) => T): T | undefined {
    const row = this.#prepare(sql).get(...params);
    return row === undefined ? undefined : map(row);
  }

  /** Every row, mapped. */
  all<T>(sql: string, params: Params, map: (row: Row) => T): T[] {
    return this.#prepare(sql)
      .all(...params)
      .map(map);
  }

  /** Runs a statement; returns the row id of an insert. */
  run(sql: string, ...params: Params): number {
    return Number(this.#prepare(sql).run(...params).lastInsertRowid);
  }

  /** The number in the first column called `n`. */
  count(sql: string, ...params: Params): number {
    return this.get(sql, params, (row) => int(row, 'n')) ?? 0;
  }

  /** All of `work` or, when it throws, nothing of it. */
  transaction<T>(work: () => T): T {
    this.#database.exec('BEGIN IMMEDIATE');
    try {
      const result = work();
      this.#database.exec('COMMIT');
      return result;
    } catch (cause) {
      this.#database.exec('ROLLBACK');
      throw cause;
    }
  }

  /** A value of the sandbox itself (seed, key, account id ...), or undefined. */
  readMeta(name: string): string | undefined {
    return this.get('SELECT value FROM meta WHERE name = ?', [name], (row) => text(row, 'value'));
  }

  /** Keeps such a value, replacing the one before. */
  writeMeta(name: string, value: string): void {
    this.run('INSERT INTO meta VALUES (?, ?) ON CONFLICT DO UPDATE SET value = excluded.value', name, value);
  }

  close(): void {
    this.#database.close();
  }

  #prepare(sql: string): StatementSync {
    const known = this.#statements.get(sql);
    if (known !== undefined) return known;
    const statement = this.#database.prepare(sql);
    this.#statements.set(sql, statement);
    return statement;
  }
}

/**
 * The store in `file`, made when it is not there (readable by its owner alone: it holds the key), or in memory.
 * @throws ConfigError `sandbox.db` when the file cannot be opened, is no database or was written by a newer version.
 */
export function openStore(file: string | undefined): Store {
  try {
    if (file !== undefined) closeSync(openSync(file, 'a', 0o600));
    const database = new DatabaseSync(file ?? ':memory:', { timeout: 5_000 });
    database.exec('PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL');
    migrate(database);
    return new Store(database);
  } catch (cause) {
    throw new ConfigError('sandbox.db', `the sandbox cannot use ${file ?? 'memory'}: ${String(cause)}`, {
      file,
      next: 'name another file with --db, or leave --db out to keep everything in memory',
      cause,
    });
  }
}

/** A text column. */
export function text(row: Row, column: string): string {
  const value = row[column];
  if (typeof value === 'string') return value;
  throw mistyped(column, 'text');
}

/** A number column. */
export function int(row: Row, column: string): number {
  const value = row[column];
  if (typeof value === 'number') return value;
  throw mistyped(column, 'a number');
}

/** A number column that may be empty. */
export function intOrNull(row: Row, column: string): number | null {
  return row[column] === null ? null : int(row, column);
}

/** A column that holds 0 or 1. */
export function flag(row: Row, column: string): boolean {
  return int(row, column) === 1;
}

function mistyped(column: string, type: string): InternalError {
  return new InternalError('sandbox.column', `column ${column} of the sandbox does not hold ${type}`);
}
