import { realpathSync } from 'node:fs';
import { ConfigError } from '../../model/error.ts';
import { basename, dirname, isAbsolute, join, relative, resolve, sep } from 'node:path';

/**
 * Whether a path, with all its symbolic links followed, stands in a folder; the parts that do not exist yet count as they are written.
 * Errors: ConfigError `mapping.path` for one that cannot be looked at.
 */
export function standsInside(folder: string, path: string): boolean {
  // Below a folder that is not there yet the system does not say so.
  if (isTooLong(path)) throw wrongPath(path, 'is too long');
  const way = relative(realPath(folder), realPath(resolve(folder, path)));
  return way !== '..' && !way.startsWith(`..${sep}`) && !isAbsolute(way);
}

/** Why a path cannot be looked at. */
const WRONG: Readonly<Record<string, string>> = {
  ERR_INVALID_ARG_VALUE: 'holds a NUL character',
  ENAMETOOLONG: 'is too long',
  EACCES: 'leads through a folder that may not be opened',
};

const LONGEST_NAME_BYTES = 255;
const LONGEST_PATH_BYTES = 4096;

const isTooLong = (path: string): boolean =>
  Buffer.byteLength(path) > LONGEST_PATH_BYTES ||
  path.split(sep).some((name) => Buffer.byteLength(name) > LONGEST_NAME_BYTES);

const SHOWN_CHARACTERS = 100;

function wrongPath(path: string, wrong: string, cause?: unknown): ConfigError {
  const shown = path.length > SHOWN_CHARACTERS ? `${path.slice(0, SHOWN_CHARACTERS)}…` : path;
  return new ConfigError('mapping.path', `the path ${JSON.stringify(shown)} ${wrong}`, {
    next: 'correct the path',
    cause,
  });
}

const UNREACHED: ReadonlySet<string> = new Set(['ENOENT', 'ENOTDIR', 'ELOOP']);

/** A path with all its symbolic links followed; the parts that do not exist yet stay as they are written. Errors: ConfigError `mapping.path`. */
export function realPath(path: string): string {
  try {
    return realpathSync(path);
  } catch (cause) {
    const wrong = WRONG[(cause as NodeJS.ErrnoException).code ?? ''];
    if (wrong !== undefined) throw wrongPath(path, wrong, cause);
    // What stands in the way (a file for a folder, a link to itself) is told by whoever opens the path.
    if (!UNREACHED.has((cause as NodeJS.ErrnoException).code ?? '')) throw cause;
    const parent = dirname(path);
    return parent === path ? path : join(realPath(parent), basename(path));
  }
}
