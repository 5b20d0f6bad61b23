import { access, constants, open, readdir, stat } from 'node:fs/promises';
import type { FileHandle } from 'node:fs/promises';
import { basename, dirname, join, matchesGlob } from 'node:path';
import { ConfigError } from '../model/error.ts';

/** A file found and opened: `origin` is how messages call it. */
export interface OpenedFile {
  readonly handle: FileHandle;
  readonly origin: string;
}

const SHOWN_MATCHES = 10;

/**
 * Opens the file that `path` names; a pattern with `*` or `?` in its last part must match exactly one file.
 * Errors: ConfigError `source.missing`, `source.glob`, `source.directory`, `source.unreadable`.
 */
export async function openSourceFile(path: string, origin: string): Promise<OpenedFile> {
  const found = await resolvePattern(path, origin);
  try {
    const facts = await stat(found.path);
    if (facts.isDirectory()) {
      throw new ConfigError('source.directory', `${found.origin}: this is a folder, not a file`, {
        file: found.origin,
        next: 'Name the file in it.',
      });
    }
    return { handle: await open(found.path, 'r'), origin: found.origin };
  } catch (cause) {
    throw cause instanceof ConfigError ? cause : openError(cause, found.origin);
  }
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
  const matches = names.filter((name) => matchesGlob(name, basename(path))).sort();
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

async function exists(path: string): Promise<boolean> {
  return access(path, constants.F_OK).then(
    () => true,
    () => false,
  );
}
