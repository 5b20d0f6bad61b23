import { lstatSync, statSync, type Stats } from 'node:fs';
import { dirname } from 'node:path';
import { ConfigError } from '../../model/error.ts';
import { isErrno } from '../private-files.ts';

/** The longest name that is made beside a state file. */
const LONGEST = '.4194304.new-journal';

/**
 * Refuses a path at which no state file can be, before anything is made. Rights and free space are not looked at: they change without the
 * configuration. Errors: ConfigError `state.path`.
 */
export function refuseWrongPath(file: string): void {
  if (file.includes('\0')) throw wrongPath(file.replaceAll('\0', '\\0'), 'it holds a NUL character');
  const found = entryAt(file, statSync, file);
  if (found?.isDirectory() === true) throw wrongPath(file, 'it is a folder, and a state is a file');
  if (found?.isFile() === false) throw wrongPath(file, 'it is no ordinary file');
  if (found !== undefined) return;
  entryAt(`${file}${LONGEST}`, lstatSync, file);
  for (let path = file; path !== dirname(path); path = dirname(path)) {
    if (entryAt(path, lstatSync, file) === undefined) continue;
    const target = entryAt(path, statSync, file);
    if (target === undefined) throw wrongPath(file, `${path} is a link that leads nowhere`);
    if (!target.isDirectory()) throw wrongPath(file, `${path} is a file, not a folder`);
    return;
  }
}

/** What stands at a path; undefined also where that cannot be seen. Errors: ConfigError `state.path` of `file`. */
function entryAt(path: string, look: typeof statSync, file: string): Stats | undefined {
  try {
    return look(path);
  } catch (error) {
    if (isErrno(error, 'ENAMETOOLONG')) throw wrongPath(file, 'its name is too long');
    if (isErrno(error, 'ELOOP')) throw wrongPath(file, 'its links lead in a circle');
    return undefined;
  }
}

function wrongPath(file: string, reason: string): ConfigError {
  return new ConfigError('state.path', `${file} cannot be the state file: ${reason}`, {
    file,
    next: 'Name another file in "state:" of teamsheet.yaml, or move away what is there, then run the command again.',
  });
}
