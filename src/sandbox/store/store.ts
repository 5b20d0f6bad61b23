import { closeSync, openSync } from 'node:fs';
import { DatabaseSync, type SQLInputValue, type SQLOutputValue, type StatementSync } from 'node:sqlite';
import { ConfigError, InternalError } from '../../model/error.ts';
import { lockFile, type FileLock } from './file-lock.ts';
import { migrate } from './migrations.ts';

/** One row as SQLite gives it. */
export type Row = Readonly<Record<string, SQLOutputValue>>;
type Params = readonly SQLInputValue[];

/** What has changed in a store since it was watched. */
export interface Changes {
  /** Committed changes since the last time; empty without any. */
  take(): Uint8Array;
  close(): void;
}

/** What the sandbox keeps: SQL with prepared statements, one connection, everything synchronous. */
export class Store {
  readonly #database: DatabaseSync;
  readonly #lock: FileLock | undefined;
  readonly #statements = new Map<string, StatementSync>();
  #writes = 0;

  constructor(database: DatabaseSync, lock?: FileLock) {
    this.#database = database;
    this.#lock = lock;
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

  /** Grows whenever something may have been written. */
  get writes(): number {
    return this.#writes;
  }

  /** Runs a statement; returns the row id of an insert. */
  run(sql: string, ...params: Params): number {
    this.#writes += 1;
    return Number(this.#prepare(sql).run(...params).lastInsertRowid);
  }

  /** The number in the first column called `n`. */
  count(sql: string, ...params: Params): number {
    return this.get(sql, params, (row) => int(row, 'n')) ?? 0;
  }

  /** All of `work` or, when it throws, nothing of it. Within another transaction it is a part of that one. */
  transaction<T>(work: () => T): T {
    if (this.#database.isTransaction) return work();
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

  /** How many rows were ever written over this connection: equal before and after something that changed nothing. */
  changes(): number {
    return this.count('SELECT total_changes() AS n');
  }

  /** Begins to watch what changes, for {@link Store.apply} of a copy. */
  watch(): Changes {
    let session = this.#database.createSession();
    return {
      take: () => {
        const changeset = session.changeset();
        if (changeset.length > 0) {
          session.close();
          session = this.#database.createSession();
        }
        return changeset;
      },
      close: () => session.close(),
    };
  }

  /** Makes the changes of another store here too. */
  apply(changeset: Uint8Array): void {
    this.#writes += 1;
    if (this.#database.applyChangeset(changeset)) return;
    throw new InternalError('sandbox.changes', 'a copy of the sandbox does not follow it');
  }

  /** The names of all tables. */
  tables(): readonly string[] {
    const sql = `SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite%'`;
    return this.all(sql, [], (row) => text(row, 'name'));
  }

  /** Empties every table but the values of the sandbox itself; numbering starts again. Within a transaction alone. */
  clear(): void {
    const tables = this.tables().filter((table) => table !== 'meta');
    this.#writes += 1;
    this.#database.exec('PRAGMA defer_foreign_keys = ON');
    for (const table of [...tables, 'sqlite_sequence']) this.#database.exec(`DELETE FROM ${table}`);
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
    this.#lock?.release();
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
 * @throws ConfigError `sandbox.db` when the file cannot be opened, is no database, was written by a newer version or is that of another sandbox
 * that is running.
 */
export function openStore(file: string | undefined): Store {
  let lock: FileLock | undefined;
  let database: DatabaseSync | undefined;
  try {
    if (file !== undefined) {
      closeSync(openSync(file, 'a', 0o600));
      lock = lockFile(file);
      if (lock === undefined) throw new Error('another sandbox is running on it');
    }
    database = new DatabaseSync(file ?? ':memory:', { timeout: 5_000 });
    database.exec('PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL');
    migrate(database);
    return new Store(database, lock);
  } catch (cause) {
    database?.close();
    lock?.release();
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
