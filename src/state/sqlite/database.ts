import { linkSync, lstatSync, readdirSync, renameSync, rmSync, statSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { DatabaseSync, type SQLInputValue, type SQLOutputValue, type StatementSync } from 'node:sqlite';
import { crc32 } from 'node:zlib';

import { ConfigError } from '../../model/error.ts';
import { wrongPart } from './check-schema.ts';
import { isErrno, makePrivateFile, makePrivateFolder } from '../private-files.ts';
import { integer, type SqlRow } from '../sql-row.ts';
import { attempt, busy, damaged, moved, storageError } from '../storage-error.ts';

/** The shape of a file: what marks it as ours, and the statements that bring it from version n to n + 1. */
export interface DatabaseFormat {
  readonly applicationId: number;
  readonly migrations: readonly string[];
}

interface DatabaseOptions {
  /** Absolute path; null keeps the data in a nameless file of the operating system that ends with the process. */
  readonly file: string | null;
  readonly format: DatabaseFormat;
  /** `full`: a commit survives a power cut. `normal`: it survives the process, and a power cut may take the last commits but never the file. */
  readonly durability: 'full' | 'normal';
  /** How long a statement waits for another process; {@link BUSY_TIMEOUT_MS} by default. */
  readonly busyTimeoutMs?: number | undefined;
  /** Whether the file is checked whole, its indexes too, however large it is. */
  readonly isChecked?: boolean;
}

export const BUSY_TIMEOUT_MS = 10_000;

/** Larger files are checked page by page as they are read, not whole at every start. */
const QUICK_CHECK_MAX_BYTES = 8 * 1024 * 1024;

/** An open SQLite file with its prepared statements. `all`, `get` and `run` are for use inside `read` and `write`. */
export class Database {
  readonly #name: string;
  readonly #connection: DatabaseSync;
  readonly #isThere: () => boolean;
  readonly #statements = new Map<string, StatementSync>();

  constructor(name: string, connection: DatabaseSync, isThere = () => true) {
    this.#name = name;
    this.#connection = connection;
    this.#isThere = isThere;
  }

  /** Resolves with what `work` read. Errors: those of `storageError`. */
  read<T>(work: () => T): Promise<T> {
    return attempt(this.#name, work);
  }

  /** Runs `work` as one transaction; resolves once it is committed. Errors: those of `storageError`, `state.moved`, and then nothing was changed. */
  write<T>(work: () => T): Promise<T> {
    return this.read(() => {
      // SQLite goes on writing into a file that has no name any more, or another one, and nobody would find that again.
      if (!this.#isThere()) throw moved(this.#name);
      return transaction(this.#connection, work);
    });
  }

  /** The same for what can be read again: of a file of full durability a power cut may take it, unless a later {@link write} was committed. */
  writeLightly<T>(work: () => T): Promise<T> {
    return this.read(() => {
      const before = this.count('PRAGMA synchronous');
      this.#connection.exec('PRAGMA synchronous = NORMAL');
      try {
        return transaction(this.#connection, work);
      } finally {
        this.#connection.exec(`PRAGMA synchronous = ${before}`);
      }
    });
  }

  all(statement: string, ...values: SQLInputValue[]): SqlRow[] {
    // Node types rows as objects; `#prepared` made them arrays.
    return this.#prepared(statement).all(...values) as unknown[] as SqlRow[];
  }

  get(statement: string, ...values: SQLInputValue[]): SqlRow | undefined {
    // An array, as in `all`.
    return this.#prepared(statement).get(...values) as unknown as SqlRow | undefined;
  }

  /** The rows of an answer one by one. */
  *each(statement: string, ...values: SQLInputValue[]): Generator<SqlRow> {
    // An array, as in `all`.
    for (const row of this.#prepared(statement).iterate(...values)) yield row as unknown as SqlRow;
  }

  /** The integer that a one-row, one-column answer holds. */
  count(statement: string, ...values: SQLInputValue[]): number {
    return integer(this.get(statement, ...values) ?? [], 0);
  }

  /** Answers how many rows changed. */
  run(statement: string, ...values: SQLInputValue[]): number {
    return Number(this.#prepared(statement).run(...values).changes);
  }

  /** Another text once this connection or another process has changed the file. */
  version(): string {
    return `${this.count('PRAGMA data_version')} ${this.count('SELECT total_changes()')}`;
  }

  /** Resolves once all commits so far survive a power cut, whatever the durability. Errors: those of `storageError`. */
  sync(): Promise<void> {
    return this.read(() => {
      // Brings the log into the file; SQLite syncs the one before and the other after.
      const [isBusy] = this.get('PRAGMA wal_checkpoint(TRUNCATE)') ?? [];
      if (isBusy !== 0) throw busy(this.#name);
    });
  }

  /** Closes the file; a second call does nothing. */
  close(): void {
    if (this.#connection.isOpen) this.#connection.close();
  }

  #prepared(statement: string): StatementSync {
    let prepared = this.#statements.get(statement);
    if (prepared === undefined) {
      prepared = this.#connection.prepare(statement);
      // The types of Node do not say that rows are then arrays.
      prepared.setReturnArrays(true);
      this.#statements.set(statement, prepared);
    }
    return prepared;
  }
}

function transaction<T>(connection: DatabaseSync, work: () => T): T {
  connection.exec('BEGIN IMMEDIATE');
  try {
    const result = work();
    connection.exec('COMMIT');
    return result;
  } catch (error) {
    // A full disk ends the transaction by itself.
    if (connection.isTransaction) connection.exec('ROLLBACK');
    throw error;
  }
}

/**
 * Opens a file of the given format, creating it (0600, in folders of 0700) or bringing it to the newest version. Errors: ConfigError `state.newer`
 * and `state.damaged`, UnavailableError `state.unwritable` and `state.busy`.
 */
export function openDatabase(options: DatabaseOptions): Database {
  const { file } = options;
  const name = file ?? 'the temporary store';
  try {
    // Asked in this order: a process that makes the file has a log only when the file is there.
    const log = file !== null && exists(`${file}-wal`);
    if (file !== null && !exists(file)) {
      // SQLite would copy what it holds into the new file.
      if (log) throw damaged(file, `it is gone, and its log ${file}-wal is there`);
      createFile(file, options);
    }
    // Asked without opening the file: closing it again would drop the locks of a connection that this process already has.
    if (file !== null) {
      const found = statSync(file);
      if (!found.isFile()) throw damaged(file, 'it is no ordinary file');
      if (found.size === 0) throw damaged(file, 'it is empty');
    }
    const connection = connect(file, options);
    try {
      prepareConnection(connection, options);
      return new Database(name, connection, placeOf(options));
    } catch (error) {
      connection.close();
      throw error;
    }
  } catch (error) {
    throw storageError(name, error);
  }
}

/** Whether a file of full durability still stands where it was opened. The others are made again where they are lost. */
function placeOf({ file, durability }: DatabaseOptions): () => boolean {
  if (file === null || durability !== 'full') return () => true;
  const look = () => statSync(file, { bigint: true, throwIfNoEntry: false });
  const opened = look();
  return () => {
    const found = look();
    return found?.ino === opened?.ino && found?.dev === opened?.dev;
  };
}

/** `seal(...)` in statements is the checksum of some values. */
function connect(file: string | null, { busyTimeoutMs = BUSY_TIMEOUT_MS }: DatabaseOptions): DatabaseSync {
  const connection = new DatabaseSync(file ?? '', { timeout: busyTimeoutMs });
  connection.function('seal', { deterministic: true, varargs: true }, (...values) => sealOf(values));
  return connection;
}

/** The checksum of the values with U+0000 between them, bytes as decimals with commas: what `seal(...)` answers in statements. */
export function sealOf(values: readonly SQLOutputValue[]): number {
  let seal = 0;
  let text = '';
  let isFirst = true;
  for (const value of values) {
    if (!isFirst) text += '\0';
    isFirst = false;
    if (value instanceof Uint8Array) {
      seal = crc32(decimalsOf(value), crc32(text, seal));
      text = '';
    } else text += String(value ?? '');
  }
  return crc32(text, seal);
}

const COMMA = 0x2c;
const ZERO = 0x30;
const digits = (unit: number): Uint8Array =>
  Uint8Array.from({ length: 256 }, (_, byte) => ZERO + (Math.trunc(byte / unit) % 10));
const [HUNDREDS, TENS, ONES] = [digits(100), digits(10), digits(1)];

/** `1,20,255`, as joining the bytes makes it, in a fraction of the time. */
function decimalsOf(bytes: Uint8Array): Uint8Array {
  const out = Buffer.allocUnsafe(4 * bytes.length);
  let at = 0;
  for (const byte of bytes) {
    if (at > 0) out[at++] = COMMA;
    if (byte >= 100) out[at++] = HUNDREDS[byte] ?? 0;
    if (byte >= 10) out[at++] = TENS[byte] ?? 0;
    out[at++] = ONES[byte] ?? 0;
  }
  return out.subarray(0, at);
}

/** The file appears under its name only when it is whole, so that an empty one is always a cut one and two processes never race over a new one. */
function createFile(file: string, options: DatabaseOptions): void {
  makePrivateFolder(dirname(file));
  removeLeftDrafts(file);
  const draft = `${file}.${process.pid}.new`;
  try {
    makePrivateFile(draft);
    const connection = connect(draft, options);
    try {
      migrate(connection, options.format);
      // Last: a log that holds something is copied into the file by closing it, and on a full disk that fails without a word.
      connection.exec('PRAGMA journal_mode = WAL');
    } finally {
      connection.close();
    }
    publish(draft, file);
  } finally {
    for (const suffix of ['', '-journal', '-wal', '-shm']) rmSync(`${draft}${suffix}`, { force: true });
  }
}

/** Removes what processes that were killed while they made `file` left behind. */
function removeLeftDrafts(file: string): void {
  const name = `${basename(file)}.`;
  for (const entry of readdirSync(dirname(file))) {
    const pid = entry.startsWith(name) && /^(\d+)\.new(-\w+)?$/.exec(entry.slice(name.length))?.[1];
    if (typeof pid === 'string' && !isRunning(Number(pid)))
      rmSync(join(dirname(file), entry), { force: true });
  }
}

/** Whether another process of that number runs: this one makes no two files of one name at once. */
function isRunning(pid: number): boolean {
  try {
    return pid !== process.pid && process.kill(pid, 0);
  } catch (error) {
    return !isErrno(error, 'ESRCH');
  }
}

/** A file that another process published first stays; only where links are unknown can a rename not see it. */
function publish(draft: string, file: string): void {
  try {
    linkSync(draft, file);
  } catch {
    if (!exists(file)) renameSync(draft, file);
  }
}

/** True of a link that leads nowhere too: it is not ours to replace. */
function exists(file: string): boolean {
  return lstatSync(file, { throwIfNoEntry: false }) !== undefined;
}

function prepareConnection(connection: DatabaseSync, options: DatabaseOptions): void {
  const { file, format } = options;
  if (file === null) {
    connection.exec('PRAGMA journal_mode = MEMORY; PRAGMA synchronous = OFF');
  } else {
    checkFormat(connection, file, options);
    connection.exec(`PRAGMA synchronous = ${options.durability === 'full' ? 'FULL' : 'NORMAL'}`);
  }
  connection.exec('PRAGMA cache_size = -16000');
  if (versionOf(connection) < format.migrations.length) migrate(connection, format);
}

function checkFormat(
  connection: DatabaseSync,
  file: string,
  { format, isChecked = false }: DatabaseOptions,
): void {
  if (pragma(connection, 'application_id') !== format.applicationId) {
    throw damaged(file, 'it is an SQLite file of another program');
  }
  const version = versionOf(connection);
  if (version > format.migrations.length) {
    throw new ConfigError(
      'state.newer',
      `${file} was written by a newer teamsheet (format ${version}; this one knows ${format.migrations.length})`,
      { file, next: 'Install the newest teamsheet, then run the command again.' },
    );
  }
  const wrong = wrongPart(connection, format, version);
  if (wrong !== undefined) throw damaged(file, wrong);
  if (!isChecked && statSync(file).size > QUICK_CHECK_MAX_BYTES) return;
  const check = isChecked ? 'integrity_check' : 'quick_check';
  const found = connection.prepare(`PRAGMA ${check}(1)`).get()?.[check];
  if (found !== 'ok') throw damaged(file, String(found));
}

function migrate(connection: DatabaseSync, format: DatabaseFormat): void {
  transaction(connection, () => {
    // Read again inside the transaction: another process may have migrated meanwhile.
    for (const statements of format.migrations.slice(versionOf(connection))) connection.exec(statements);
    connection.exec(`PRAGMA application_id = ${format.applicationId}`);
    connection.exec(`PRAGMA user_version = ${format.migrations.length}`);
  });
}

function versionOf(connection: DatabaseSync): number {
  return pragma(connection, 'user_version');
}

function pragma(connection: DatabaseSync, name: 'application_id' | 'user_version'): number {
  return Number(connection.prepare(`PRAGMA ${name}`).get()?.[name]);
}
