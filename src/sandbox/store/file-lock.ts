import { closeSync, openSync, rmSync } from 'node:fs';
import { DatabaseSync } from 'node:sqlite';

/** Keeps other sandboxes from a file. */
export interface FileLock {
  release(): void;
}

const SQLITE_BUSY = 5;

/**
 * The lock of a database file, which one sandbox holds at a time: much of what a sandbox knows is in its memory, and it would not see what another
 * one writes. It is SQLite's exclusive lock on a file of its own beside the database, which the operating system frees however its owner ends and
 * which leaves the database to readers. Undefined while another process holds it.
 */
export function lockFile(file: string): FileLock | undefined {
  const path = `${file}-lock`;
  closeSync(openSync(path, 'a', 0o600));
  const lock = new DatabaseSync(path, { timeout: 0 });
  try {
    lock.exec('PRAGMA journal_mode = MEMORY; BEGIN EXCLUSIVE');
  } catch (cause) {
    lock.close();
    if (cause instanceof Error && 'errcode' in cause && cause.errcode === SQLITE_BUSY) return undefined;
    throw cause;
  }
  return {
    release: () => {
      rmSync(path, { force: true });
      lock.close();
    },
  };
}
