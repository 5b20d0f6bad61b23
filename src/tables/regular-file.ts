import { closeSync, constants, fstatSync, openSync, readFileSync, statSync } from 'node:fs';
import type { BigIntStats, Stats } from 'node:fs';
import { stat } from 'node:fs/promises';

/** Opens without waiting for whoever writes into a pipe; a file is opened as ever. On Windows the flag is undefined, which counts as 0. */
export const OPEN_FLAGS = constants.O_RDONLY | constants.O_NONBLOCK;

/** What stands at a path, when it is no file: `a folder`, `a pipe`; undefined for a file. */
export function otherThanFile(
  facts: Pick<Stats, 'isFile' | 'isDirectory' | 'isFIFO' | 'isSocket'>,
): string | undefined {
  if (facts.isFile()) return undefined;
  if (facts.isDirectory()) return 'a folder';
  if (facts.isFIFO()) return 'a pipe';
  return facts.isSocket() ? 'a socket' : 'a device';
}

/** A text that tells a file from every other one that may come in its place. */
export const versionIn = ({ dev, ino, size, mtimeNs }: BigIntStats): string =>
  [dev, ino, size, mtimeNs].join(' ');

/** The same of what stands at a path; empty where nothing does. */
export const versionOf = (path: string): Promise<string> =>
  stat(path, { bigint: true }).then(versionIn, () => '');

/** The bytes of a small file, which may be looked at several times: what is no file is refused at once. Errors: those of `node:fs`, and an Error that says what stands there instead. */
export function readFileBytes(file: string): Buffer {
  const descriptor = openSync(file, OPEN_FLAGS);
  try {
    const other = otherThanFile(fstatSync(descriptor));
    if (other !== undefined) throw new Error(`it is ${other}, not a file; write what it holds into a file`);
    return readFileSync(descriptor);
  } finally {
    closeSync(descriptor);
  }
}

/** The same as text in UTF-8, without the byte order mark that editors put before it. */
export const readFileText = (file: string): string => new TextDecoder().decode(readFileBytes(file));

/** A warning when a file with a secret can be read by its group or by everybody. */
export function warnIfOpenToOthers(file: string): readonly string[] {
  const open = process.platform !== 'win32' && (statSync(file).mode & 0o044) !== 0;
  return open ? [`${file} can be read by other accounts of this machine; type: chmod 600 '${file}'`] : [];
}
