/** Replaces a key in one text. */
export type Withhold = (text: string) => string;

/**
 * The same value with its texts passed through `withhold`: texts, lists, plain objects, and errors with their causes, which are changed in place.
 * Other objects come back as they are.
 */
export function withoutKey<T>(value: T, withhold: Withhold): T {
  return replaceIn(value, withhold, new Set()) as T;
}

function replaceIn(value: unknown, withhold: Withhold, seen: Set<Error>): unknown {
  if (typeof value === 'string') return withhold(value);
  if (Array.isArray(value)) return value.map((each) => replaceIn(each, withhold, seen));
  if (value instanceof Error) return replaceInError(value, withhold, seen);
  if (!isPlain(value)) return value;
  const texts = Object.entries(value).map(([name, each]) => [name, replaceIn(each, withhold, seen)] as const);
  return { ...value, ...Object.fromEntries(texts) };
}

/** It stays the error that it was, so that its class tells who acts next. */
function replaceInError(
  error: Error & { readonly next?: string },
  withhold: Withhold,
  seen: Set<Error>,
): Error {
  const { message, stack, next, cause } = error;
  if (seen.has(error)) return error;
  seen.add(error);
  const texts = { message, ...(stack !== undefined && { stack }), ...(next !== undefined && { next }) };
  const changed = Object.entries(texts).filter(([, text]) => withhold(text) !== text);
  for (const [name, text] of changed)
    Object.defineProperty(error, name, { value: withhold(text), configurable: true, writable: true });
  if (cause !== undefined)
    Object.defineProperty(error, 'cause', {
      value: replaceIn(cause, withhold, seen),
      configurable: true,
      writable: true,
    });
  return error;
}

function isPlain(value: unknown): value is Readonly<Record<string, unknown>> {
  if (typeof value !== 'object' || value === null) return false;
  const prototype: unknown = Object.getPrototypeOf(value);
  return prototype === Object.prototype || prototype === null;
}
