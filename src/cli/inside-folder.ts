import { realpathSync } from 'node:fs';
import { basename, dirname, isAbsolute, join, relative, resolve, sep } from 'node:path';

/** Whether a path, with all its symbolic links followed, stands in a folder; the parts that do not exist yet count as they are written. */
export function standsInside(folder: string, path: string): boolean {
  const way = relative(realPath(folder), realPath(resolve(folder, path)));
  return way !== '..' && !way.startsWith(`..${sep}`) && !isAbsolute(way);
}

const UNREACHED: ReadonlySet<string> = new Set(['ENOENT', 'ENOTDIR', 'ELOOP']);

function realPath(path: string): string {
  try {
    return realpathSync(path);
  } catch (cause) {
    // What stands in the way (a file for a folder, a link to itself) is told by whoever opens the path.
    if (!UNREACHED.has((cause as NodeJS.ErrnoException).code ?? '')) throw cause;
    const parent = dirname(path);
    return parent === path ? path : join(realPath(parent), basename(path));
  }
}
