import { open, stat, type FileHandle } from 'node:fs/promises';
import { basename } from 'node:path';
import { ConfigError } from '../model/error.ts';
import { listed } from '../model/listed.ts';
import type { SourceTable } from '../model/tables/table.ts';
import { filesOf, isPattern, originOf } from './file-pattern.ts';
import { OPEN_FLAGS, otherThanFile, versionIn, versionOf } from './regular-file.ts';
import { systemCode } from './system-error.ts';

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
  const found = resolvePattern(path, origin);
  try {
    // A socket cannot be opened at all.
    refuseOther(await stat(found.path), found.origin);
    const handle = await open(found.path, OPEN_FLAGS);
    try {
      const before = versionIn(await handle.stat({ bigint: true }));
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

type Found = ReturnType<typeof resolvePattern>;

async function refuseChanged({ path, origin }: Found, before: string): Promise<void> {
  if ((await versionOf(path)) === before) return;
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
  const code = systemCode(cause);
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

function resolvePattern(path: string, origin: string): { path: string; origin: string } {
  if (!isPattern(path)) return { path, origin };
  const [only, ...others] = matchesOf(path, origin);
  if (only === undefined) throw missing(origin);
  if (others.length > 0) {
    const names = [only, ...others].map((match) => basename(match));
    const shown = listed(names, SHOWN_MATCHES);
    throw new ConfigError('source.glob', `${origin}: ${names.length} files match: ${shown}`, {
      file: origin,
      next: 'Make the pattern match exactly one file, or name the file.',
    });
  }
  return { path: only, origin: originOf(only, path, origin) };
}

function matchesOf(path: string, origin: string): readonly string[] {
  try {
    return filesOf(path);
  } catch (cause) {
    throw openError(cause, origin);
  }
}
