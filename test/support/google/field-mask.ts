import { invalid } from './refusal.ts';

/** What a field mask names: `true` is the field with everything in it; the key `*` stands for every field. */
export interface Mask {
  readonly [field: string]: Mask | true;
}

type Fields = Readonly<Record<string, unknown>>;

/** Whether a value is a JSON object. */
export function isObject(value: unknown): value is Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Reads a mask such as `a.b,c(d,e/f)`. Errors: a refusal of 400. */
export function parseMask(text: string): Mask {
  const tokens = text.match(/[A-Za-z_][\w]*|\*|\S/g) ?? [];
  let at = 0;
  const fail = (): never => {
    throw invalid(`Error expanding 'fields' parameter. Cannot parse '${text}'.`);
  };
  const list = (into: Record<string, Mask | true>): Mask => {
    do item(into);
    while (tokens[at] === ',' && at++ >= 0);
    return into;
  };
  const item = (into: Record<string, Mask | true>): void => {
    const name = tokens[at++] ?? '';
    if (!/^(?:\w+|\*)$/.test(name)) fail();
    const next = tokens[at];
    if (next !== '.' && next !== '/' && next !== '(') {
      into[name] = true;
      return;
    }
    at++;
    const known = into[name];
    const inner: Record<string, Mask | true> = known === true || known === undefined ? {} : { ...known };
    if (next === '(') {
      list(inner);
      if (tokens[at++] !== ')') fail();
    } else item(inner);
    if (known !== true) into[name] = inner;
  };
  const mask = list({});
  if (at !== tokens.length) fail();
  return mask;
}

/** The part of an answer that a mask asks for; lists are passed through element by element. */
export function select(value: unknown, mask: Mask | true): unknown {
  if (mask === true || mask['*'] === true) return value;
  if (Array.isArray(value)) return value.map((element) => select(element, mask));
  if (!isObject(value)) return value;
  const picked: Record<string, unknown> = {};
  for (const [field, inner] of Object.entries(mask)) {
    if (value[field] !== undefined) picked[field] = select(value[field], inner);
  }
  return picked;
}

/** An update by mask: fields that it names are taken from the source, or cleared when the source lacks them; others stay. */
export function assign<T extends object>(target: T, source: object, mask: Mask | true): T {
  if (mask === true || mask['*'] === true) return { ...source } as T;
  const result: Record<string, unknown> = Object.fromEntries(Object.entries(target));
  const from: Fields = { ...source };
  for (const [field, inner] of Object.entries(mask)) {
    let value: unknown = from[field];
    if (inner !== true) {
      const [before, after] = [result[field], from[field]];
      value = assign(isObject(before) ? before : {}, isObject(after) ? after : {}, inner);
      if (isObject(value) && Object.keys(value).length === 0) value = undefined;
    }
    if (value === undefined || value === null) Reflect.deleteProperty(result, field);
    else result[field] = value;
  }
  return result as T;
}

/** A mask that an update must have. Errors: a refusal of 400 when it is empty. */
export function requiredMask(fields: string | null | undefined): Mask {
  if (fields === undefined || fields === null || fields === '')
    throw invalid("At least one field must be listed in 'fields'. (Use '*' to indicate all fields.)");
  return parseMask(fields);
}
