import {
  chmodSync,
  closeSync,
  existsSync,
  fsyncSync,
  mkdirSync,
  openSync,
  readdirSync,
  rmdirSync,
} from 'node:fs';
import { dirname } from 'node:path';

/** True of an error of the file system or the system that has this code. */
export function isErrno(error: unknown, code: string): boolean {
  return error instanceof Error && 'code' in error && error.code === code;
}

/** Creates a folder and its missing parents, each 0700 under any umask; folders that exist keep their mode. Errors: those of the file system. */
export function makePrivateFolder(folder: string): void {
  try {
    makeFolder(folder);
  } catch (error) {
    if (!isErrno(error, 'ENOENT') || dirname(folder) === folder) throw error;
    makePrivateFolder(dirname(folder));
    // Below a link that leads nowhere the parent "exists" and this still fails: it is tried once more, not for ever.
    makeFolder(folder);
  }
}

function makeFolder(folder: string): void {
  try {
    mkdirSync(folder, { mode: 0o700 });
    chmodSync(folder, 0o700);
  } catch (error) {
    if (!isErrno(error, 'EEXIST')) throw error;
  }
}

/** Deletes a folder that nothing stands in; any other one, and one that is gone, is left as it is. Errors: those of the file system. */
export function removeEmptyFolder(folder: string): void {
  if (existsSync(folder) && readdirSync(folder).length === 0) rmdirSync(folder);
}

/** Has the names in a folder survive a power cut. Windows knows no such thing. Errors: those of the file system. */
export function syncFolder(folder: string): void {
  if (process.platform === 'win32') return;
  const descriptor = openSync(folder, 'r');
  try {
    fsyncSync(descriptor);
  } finally {
    closeSync(descriptor);
  }
}

/** Creates an empty file, 0600 under any umask; false when something of that name exists, which is left as it is. */
export function makePrivateFile(file: string): boolean {
  try {
    closeSync(openSync(file, 'wx', 0o600));
  } catch (error) {
    if (isErrno(error, 'EEXIST')) return false;
    throw error;
  }
  chmodSync(file, 0o600);
  return true;
}
