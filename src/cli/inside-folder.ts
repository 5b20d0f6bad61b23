import { realpathSync } from 'node:fs';
import { basename, dirname, isAbsolute, join, relative, resolve, sep } from 'node:path';

/** Whether a path, with all its symbolic links followed, stands in a folder; the parts that do not exist yet count as they are written. */
export function standsInside(folder: string, path: string): boolean {
  const way = relative(realPath(folder), realPath(resolve(folder, path)));
  return way !== '..' && !way.startsWith(`..${sep}`) && !isAbsolute(way);
}

function realPath(path: string): string {
  try {
    return realpathSync(path);
  } catch (cause) {
    if ((cause as NodeJS.ErrnoException).code !== 'ENOENT') throw cause;
    const parent = dirname(path);
    return parent === path ? path : join(realPath(parent), basename(path));
  }
}
