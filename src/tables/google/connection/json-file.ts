import { ConfigError } from '../../../model/error.ts';
import { readFileText } from '../../regular-file.ts';

export type JsonObject = Readonly<Record<string, unknown>>;

/**
 * A file with a secret, as the JSON object that it holds; undefined when there is none. What stands in it is never quoted.
 * Errors: ConfigError `code` with the remedy `next`.
 */
export function readJsonFile(file: string, code: string, next: string): JsonObject | undefined {
  let text: string;
  try {
    text = readFileText(file);
  } catch (cause) {
    const { code: errno, message } = cause as NodeJS.ErrnoException;
    if (errno === 'ENOENT' || errno === 'ENOTDIR') return undefined;
    throw new ConfigError(code, `${file} cannot be read: ${message}`, { file, next, cause });
  }
  const value = parseObject(text);
  if (value !== undefined) return value;
  throw new ConfigError(code, `${file} is not a JSON object`, { file, next });
}

/** The JSON object that a text is, else undefined. */
export function parseObject(text: string): JsonObject | undefined {
  try {
    return objectIn(JSON.parse(text));
  } catch {
    return undefined;
  }
}

/** The value if it is a JSON object, else undefined. */
export function objectIn(value: unknown): JsonObject | undefined {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
    ? (value as JsonObject)
    : undefined;
}

/** A text of the object that is there and not empty. Errors: ConfigError `code`, which names the field and no value. */
export function requireText(
  object: JsonObject,
  name: string,
  file: string,
  code: string,
  next: string,
): string {
  const value = object[name];
  if (typeof value === 'string' && value !== '') return value;
  throw new ConfigError(code, `${file} has no "${name}"`, { file, next });
}

/** A text of the object, undefined when it is not there. */
export function textIn(object: JsonObject, name: string): string | undefined {
  const value = object[name];
  return typeof value === 'string' && value !== '' ? value : undefined;
}
