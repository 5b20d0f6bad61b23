import { readlinkSync } from 'node:fs';
import { join } from 'node:path';
import { parseEnv } from 'node:util';
import { ConfigError } from '../../model/error.ts';
import { notUtf8 } from '../../tables/csv/decode.ts';
import { readFileBytes, warnIfOpenToOthers } from '../../tables/regular-file.ts';

/** The process's environment over a `.env` file: what is really set is never overridden, an empty place in the file counts as unset. */
export interface Environment {
  readonly values: Readonly<Record<string, string | undefined>>;
  readonly warnings: readonly string[];
}

/** Reads the `.env` of a folder, if there is one. It is parsed, never evaluated. Errors: ConfigError `env.unreadable`. */
export function readEnvironment(folder: string, env: Environment['values']): Environment {
  const file = join(folder, '.env');
  const text = readOptionalText(file, 'env.unreadable');
  if (text === undefined) return { values: bareRecord(env), warnings: [] };
  const filled = Object.entries(parseEnv(text)).filter(([, value]) => value !== '');
  return { values: bareRecord(Object.fromEntries(filled), env), warnings: warnIfOpenToOthers(file) };
}

/** Names and values, the later part first, and nothing else: a name like `toString` that is in no part has no value. */
export function bareRecord<T>(...parts: readonly Readonly<Record<string, T>>[]): Readonly<Record<string, T>> {
  return Object.setPrototypeOf(Object.assign({}, ...parts), null) as Readonly<Record<string, T>>;
}

/** A UTF-8 file without its byte order mark, or undefined when there is none. Errors: ConfigError `code` for any other reason, such as a symbolic link that leads nowhere. */
export function readOptionalText(file: string, code: string): string | undefined {
  let bytes: Buffer;
  try {
    bytes = readFileBytes(file);
  } catch (cause) {
    const { code: errno, message } = cause as NodeJS.ErrnoException;
    const target = linkTarget(file);
    if (target !== undefined && (errno === 'ENOENT' || errno === 'ELOOP'))
      throw new ConfigError(code, `${file} is a symbolic link to "${target}", which leads to no file`, {
        ...{ file, cause },
        next: 'correct the link, or delete it',
      });
    if (errno === 'ENOENT' || errno === 'ENOTDIR') return undefined;
    throw new ConfigError(code, `${file} cannot be read: ${message}`, { file, cause });
  }
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch (cause) {
    // The byte itself may be one of a secret.
    const { at, lines, lineStart } = notUtf8(bytes);
    const spot = { line: 1 + lines, column: 1 + at - lineStart };
    throw new ConfigError(code, `${file}:${spot.line}:${spot.column}: the file is not UTF-8 here`, {
      ...{ file, ...spot, cause },
      next: 'save the file as UTF-8',
    });
  }
}

/** Where a symbolic link points, as it is written; undefined for what is none. */
function linkTarget(file: string): string | undefined {
  try {
    return readlinkSync(file);
  } catch {
    return undefined;
  }
}
