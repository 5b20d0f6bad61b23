import { ConfigError, UnavailableError } from '../model/error.ts';
import { lacksFiles, MORE_FILES } from '../model/fetch-error.ts';
import { isErrno } from './private-files.ts';
import { UnreadableValueError } from './sql-row.ts';

// Primary result codes of SQLite (https://www.sqlite.org/rescode.html).
const BUSY = new Set([5, 6]);
const UNWRITABLE = new Set([8, 10, 13, 14]);
const DAMAGED = new Set([11, 26]);

/** Whether a failure says that a file is damaged or is no database. */
export const isDamage = (error: unknown): boolean =>
  error instanceof UnreadableValueError ||
  (error instanceof Error &&
    'errcode' in error &&
    typeof error.errcode === 'number' &&
    DAMAGED.has(error.errcode & 0xff));

/** What stands in a damaged file and what to do about it. Code `state.damaged`. */
export function damaged(file: string, reason: string, cause?: unknown): ConfigError {
  // SQLite says some things over several lines.
  const why = reason.replaceAll(/\s*\n\s*/g, ' ');
  return new ConfigError('state.damaged', `${file} is damaged or was not written by teamsheet: ${why}`, {
    file,
    next: 'Restore it from a backup, or move it away and plan again: nothing that the service has is lost.',
    cause,
  });
}

function unwritable(file: string, cause: Error): UnavailableError {
  return new UnavailableError('state.unwritable', `${file} cannot be opened and written: ${cause.message}`, {
    file,
    // SQLite does not say why it cannot open a file.
    next: lacksFiles(cause)
      ? MORE_FILES
      : 'Free some disk space, correct the permissions of the file and its folder, or let the program open more files (ulimit -n), then run the command again.',
    cause,
  });
}

/** Somebody removed the files of the state while they were in use: nothing of the command is there to go on with. Code `state.gone`. */
function gone(file: string, cause: Error): UnavailableError {
  return new UnavailableError('state.gone', `${file} was removed while the command was using it`, {
    file,
    next: 'Leave the folder of the state alone until the command ends, and run the command again.',
    cause,
  });
}

/** Somebody removed, renamed or replaced the file of the state while it was open: what would be written into it is kept nowhere. Code `state.moved`. */
export function moved(file: string): UnavailableError {
  const message = `${file} was removed, renamed or replaced while the command was using it, so that nothing more can be recorded`;
  return new UnavailableError('state.moved', message, {
    file,
    next: 'Leave the folder of the state alone until the command ends: put it back, or go to where it is now, and run the command again.',
  });
}

/**
 * The error that a failure of SQLite or of the file system means for `file`: `state.busy`, `state.damaged`, `state.gone` or `state.unwritable`; any
 * other error comes back as it is.
 */
export function storageError(file: string, error: unknown): unknown {
  if (!(error instanceof Error)) return error;
  if (isDamage(error)) return damaged(file, error.message, error);
  if ('syscall' in error) return isErrno(error, 'ENOENT') ? gone(file, error) : unwritable(file, error);
  if (!('errcode' in error) || typeof error.errcode !== 'number') return error;
  const result = error.errcode & 0xff;
  if (UNWRITABLE.has(result)) return unwritable(file, error);
  return BUSY.has(result) ? busy(file, error) : error;
}

/** Another process held a file too long. Code `state.busy`. */
export function busy(file: string, cause?: Error): UnavailableError {
  return new UnavailableError('state.busy', `${file} has been in use by another process for too long`, {
    file,
    next: 'Wait until the other command ends, then run this one again.',
    cause,
  });
}

/** Resolves with what `work` answers; what it throws becomes a rejection with the error that it means for `file`. */
export function attempt<T>(file: string, work: () => T): Promise<T> {
  return new Promise((resolve) => {
    try {
      resolve(work());
    } catch (error) {
      throw storageError(file, error);
    }
  });
}
