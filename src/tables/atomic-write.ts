import { lstat, mkdir, open, realpath, rename, rm, type FileHandle } from 'node:fs/promises';
import path from 'node:path';
import { UnavailableError } from '../model/error.ts';
import { draftIn, removeLeftDrafts } from './drafts.ts';
import { otherThanFile } from './regular-file.ts';

/** Takes the bytes or text of a file in order; resolves when the system has them. */
export type Append = (chunk: string | Uint8Array) => Promise<void>;

const REASONS: Readonly<Record<string, string>> = {
  EACCES: 'permission denied',
  EPERM: 'permission denied, or another program has it open',
  EBUSY: 'another program has it open',
  ENOSPC: 'the disk is full',
  EDQUOT: 'the disk quota is used up',
  EROFS: 'the file system is read-only',
  ENOTDIR: 'a part of its path is a file, not a folder',
  EISDIR: 'a folder has that name',
  ENAMETOOLONG: 'its name is too long',
};

/** That the system refused to write; what was there is as it was. */
export function unwritable(file: string, cause: unknown): UnavailableError {
  const code = (cause as NodeJS.ErrnoException).code ?? 'unknown';
  return new UnavailableError(
    'destination.unwritable',
    `cannot write ${file}: ${REASONS[code] ?? (cause as Error).message} (${code}); what was there is unchanged`,
    {
      file,
      cause,
      next: 'Close programs that have it open, check its folder and free space, then run the same command again.',
    },
  );
}

/** That the file is another one than the report was made of, which may hold what nobody has read. */
export function changed(file: string): UnavailableError {
  return new UnavailableError(
    'destination.changed',
    `${file} changed while the report was made; nothing was written`,
    { file, next: 'Run the same command again when nobody else writes the file.' },
  );
}

/** The file has taken the place of the old one, and a power cut may undo that. */
function notDurable(file: string, cause: unknown): UnavailableError {
  const code = (cause as NodeJS.ErrnoException).code ?? 'unknown';
  return new UnavailableError(
    'destination.unwritable',
    `${file} is written, but its folder cannot be saved: ${REASONS[code] ?? (cause as Error).message} (${code}); after a power cut the old file may come back`,
    { file, cause, next: 'Check the disk, then run the same command again.' },
  );
}

async function attempt<T>(file: string, effect: () => Promise<T>): Promise<T> {
  try {
    return await effect();
  } catch (error) {
    throw unwritable(file, error);
  }
}

/** The file to replace. A pipe or a device is none: its name would be taken from it. */
async function resolveTarget(file: string): Promise<string> {
  const target = await followLink(file);
  const entry = await lstat(target).catch(() => undefined);
  const other = entry && otherThanFile(entry);
  // The system refuses a folder in its own words.
  if (other === undefined || entry?.isDirectory() === true) return target;
  throw new UnavailableError(
    'destination.unwritable',
    `cannot write ${file}: it is ${other}, not a file; it was left as it is`,
    { file, next: 'Name another file, then run the command again.' },
  );
}

/** The path itself, or what a link at that path names when it stands in the same folder. */
async function followLink(file: string): Promise<string> {
  const entry = await lstat(file).catch(() => undefined);
  if (entry?.isSymbolicLink() !== true) return file;
  const folder = await realpath(path.dirname(file));
  const target = await realpath(file).catch(() => undefined);
  if (target !== undefined && path.dirname(target) === folder) return target;
  throw new UnavailableError(
    'destination.symlink',
    `${file} is a symbolic link that leads out of its folder; nothing was written`,
    { file, next: 'Remove the link, or name the real file in the mapping.' },
  );
}

/** Makes the rename durable. Not every system lets a folder be opened or synced; the file itself is synced by then. */
async function syncFolder(folder: string): Promise<void> {
  try {
    const handle = await open(folder, 'r');
    try {
      await handle.sync();
    } finally {
      await handle.close();
    }
  } catch (error) {
    const code = (error as NodeJS.ErrnoException).code ?? '';
    if (!['EISDIR', 'EPERM', 'EACCES', 'EINVAL', 'ENOTSUP'].includes(code)) throw error;
  }
}

async function fill<T>(
  handle: FileHandle,
  file: string,
  produce: (append: Append) => Promise<T>,
  mode: number | undefined,
): Promise<T> {
  try {
    if (mode !== undefined) await attempt(file, () => handle.chmod(mode));
    const result = await produce((chunk) => attempt(file, () => handle.appendFile(chunk)));
    await attempt(file, () => handle.sync());
    return result;
  } finally {
    await attempt(file, () => handle.close());
  }
}

/** What this process does last with a file, by its path. */
const turns = new Map<string, Promise<void>>();

/** Does the work once all work of this process on the same file has ended, so that no other write comes between a look at the file and its replacement. */
async function inTurn<T>(file: string, work: () => Promise<T>): Promise<T> {
  const turn = (turns.get(file) ?? Promise.resolve()).then(work);
  const ended = turn.then(
    () => undefined,
    () => undefined,
  );
  turns.set(file, ended);
  try {
    return await turn;
  } finally {
    if (turns.get(file) === ended) turns.delete(file);
  }
}

/**
 * Writes a file so that it is at any time the old one or the new one, whole: `produce` fills a new file in the same folder, which then takes
 * the name. Its folder is made when missing, and what writes that were killed left in it is removed. Without `mode` the umask decides; a given mode is exact. Answers what `produce` answers; what
 * that throws passes through and the old file stays. Where `isOutdated` says that what it filled is made of an older file by now, it fills another.
 * Errors: UnavailableError `destination.unwritable`, `destination.symlink`.
 */
export async function writeAtomically<T>(
  file: string,
  produce: (append: Append) => Promise<T>,
  mode?: number,
  isOutdated: () => Promise<boolean> = () => Promise.resolve(false),
): Promise<T> {
  const folder = path.dirname(file);
  await attempt(file, () => mkdir(folder, { recursive: true }));
  const target = await resolveTarget(file);
  await removeLeftDrafts(folder);
  const temporary = draftIn(folder);
  const handle = await attempt(file, () => open(temporary, 'wx', mode));
  try {
    const result = await fill(handle, file, produce, mode);
    const isReplaced = await inTurn(target, async () => {
      if (await isOutdated()) return false;
      await attempt(file, () => rename(temporary, target));
      return true;
    });
    if (!isReplaced) {
      await attempt(file, () => rm(temporary));
      return await writeAtomically(file, produce, mode, isOutdated);
    }
    await syncFolder(folder).catch((error: unknown) => {
      throw notDurable(file, error);
    });
    return result;
  } catch (error) {
    // The first failure tells more than one of cleaning up after it.
    await rm(temporary, { force: true }).catch(() => undefined);
    throw error;
  }
}
