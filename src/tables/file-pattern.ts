import { existsSync, readdirSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';

/** Whether the last part of a path may stand for several names. */
export const isPattern = (path: string): boolean => /[*?]/.test(basename(path));

/** The files that a path of a source means: the one of that very name, or those of its folder that suit a pattern, by name. Errors: those of reading the folder. */
export function filesOf(path: string): readonly string[] {
  if (existsSync(path)) return [path];
  if (!isPattern(path)) return [];
  const folder = dirname(path);
  return readdirSync(folder)
    .filter((name) => suits(name, basename(path)))
    .toSorted()
    .map((name) => join(folder, name));
}

/** How messages call a file that a pattern means. */
export function originOf(file: string, pattern: string, origin: string): string {
  const at = origin.lastIndexOf(basename(pattern));
  return origin.slice(0, at) + basename(file) + origin.slice(at + basename(pattern).length);
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
