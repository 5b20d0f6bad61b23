import type { BigIntStats } from 'node:fs';
import { open, readdir, stat, type FileHandle } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { ConfigError } from '../model/error.ts';
import type { SourceTable } from '../model/tables/table.ts';
import { exists, OPEN_FLAGS, otherThanFile } from './regular-file.ts';

type OpenTable = Omit<SourceTable, 'close'>;

/** A file found and opened: `origin` is how messages call it. */
export interface OpenedFile {
  readonly handle: FileHandle;
  readonly origin: string;
  /** Errors: ConfigError `source.changed` when the file is not the one that was opened any more. */
  readonly requireUnchanged: () => Promise<void>;
}

const SHOWN_MATCHES = 10;

/**
 * Opens the file that `path` names; a pattern with `*` or `?` in its last part must match exactly one file.
 * Errors: ConfigError `source.missing`, `source.glob`, `source.directory`, `source.not_a_file`, `source.unreadable`.
 */
export async function openSourceFile(path: string, origin: string): Promise<OpenedFile> {
  const found = await resolvePattern(path, origin);
  try {
    // A socket cannot be opened at all.
    refuseOther(await stat(found.path), found.origin);
    const handle = await open(found.path, OPEN_FLAGS);
    try {
      const before = await handle.stat({ bigint: true });
      return { handle, origin: found.origin, requireUnchanged: () => refuseChanged(found, before) };
    } catch (cause) {
      await handle.close();
      throw cause;
    }
  } catch (cause) {
    throw cause instanceof ConfigError ? cause : openError(cause, found.origin);
  }
}

/**
 * Opens a table in a file; its rows end with an error when the file was cut, replaced or added to while it was read. The file is closed with the table, and
 * after the last row. Errors: those of {@link openSourceFile} and of `openTable`; ConfigError `source.changed`.
 */
export async function openWholeTable(
  path: string,
  origin: string,
  openTable: (file: OpenedFile) => Promise<OpenTable>,
): Promise<SourceTable> {
  const file = await openSourceFile(path, origin);
  try {
    const table = await openTable(file);
    return { ...table, batches: () => wholeBatches(table, file), close: () => file.handle.close() };
  } catch (error) {
    await file.handle.close();
    await file.requireUnchanged();
    throw error;
  }
}

async function* wholeBatches(table: OpenTable, file: OpenedFile): ReturnType<SourceTable['batches']> {
  try {
    yield* table.batches();
  } catch (error) {
    // What seems wrong with the rows may be that half of them are gone.
    await file.requireUnchanged();
    throw error;
  } finally {
    await file.handle.close();
  }
  await file.requireUnchanged();
}

type Found = Awaited<ReturnType<typeof resolvePattern>>;

async function refuseChanged({ path, origin }: Found, before: BigIntStats): Promise<void> {
  const now = await stat(path, { bigint: true }).catch(() => undefined);
  const isSame = (['dev', 'ino', 'size', 'mtimeNs'] as const).every((fact) => now?.[fact] === before[fact]);
  if (isSame) return;
  throw new ConfigError('source.changed', `${origin}: the file changed while it was read`, {
    file: origin,
    next: 'Run the same command again once the file is written.',
  });
}

function refuseOther(facts: Parameters<typeof otherThanFile>[0], origin: string): void {
  const other = otherThanFile(facts);
  if (other === undefined) return;
  const [code, next] =
    other === 'a folder'
      ? ['source.directory', 'Name the file in it.']
      : ['source.not_a_file', 'Write what it holds into a file, and name that.'];
  throw new ConfigError(code, `${origin}: this is ${other}, not a file`, { file: origin, next });
}

function openError(cause: unknown, origin: string): ConfigError {
  const code = cause instanceof Error && 'code' in cause ? cause.code : undefined;
  if (code === 'ENOENT' || code === 'ENOTDIR') return missing(origin, cause);
  const [what, next] =
    code === 'EACCES' || code === 'EPERM'
      ? ['no permission to read the file', 'Give yourself the right to read it.']
      : [`the file cannot be read (${cause instanceof Error ? cause.message : String(cause)})`, undefined];
  return new ConfigError('source.unreadable', `${origin}: ${what}`, { file: origin, next, cause });
}

function missing(origin: string, cause?: unknown): ConfigError {
  return new ConfigError('source.missing', `${origin}: there is no such file`, {
    file: origin,
    next: "Check the path; one in a mapping is relative to the config file's folder. Tables to start from stand in templates/.",
    cause,
  });
}

async function resolvePattern(path: string, origin: string): Promise<{ path: string; origin: string }> {
  if (!/[*?]/.test(basename(path)) || (await exists(path))) return { path, origin };
  const folder = dirname(path);
  const names = await readdir(folder).catch((cause: unknown) => {
    throw openError(cause, origin);
  });
  const matches = names.filter((name) => suits(name, basename(path))).sort();
  const [only] = matches;
  if (only === undefined) throw missing(origin);
  if (matches.length > 1) {
    const shown = matches.slice(0, SHOWN_MATCHES).join(', ');
    const more = matches.length > SHOWN_MATCHES ? ` and ${matches.length - SHOWN_MATCHES} more` : '';
    throw new ConfigError('source.glob', `${origin}: ${matches.length} files match: ${shown}${more}`, {
      file: origin,
      next: 'Make the pattern match exactly one file, or name the file.',
    });
  }
  return {
    path: join(folder, only),
    origin: origin.slice(0, origin.length - basename(origin).length) + only,
  };
}

/**
 * Whether a pattern means a name: `*` stands for any characters, `?` for one, everything else for itself. A dot that begins a name is meant by a dot alone.
 * No pattern takes longer than a look at each of its characters for each character of the name.
 */
function suits(name: string, pattern: string): boolean {
  if (name.startsWith('.') && !pattern.startsWith('.')) return false;
  const [given, wanted] = [Array.from(name), Array.from(pattern)];
  let [at, next] = [0, 0];
  // Where the last `*` stands, and where what it stands for ends.
  let [star, end] = [-1, 0];
  while (at < given.length) {
    if (wanted[next] === '*') [star, end, next] = [next, at, next + 1];
    else if (wanted[next] === '?' || wanted[next] === given[at]) [at, next] = [at + 1, next + 1];
    else if (star === -1) return false;
    else [at, end, next] = [end + 1, end + 1, star + 1];
  }
  return wanted.slice(next).every((rest) => rest === '*');
}
