import * as z from 'zod';

/** What one leaf of a record may be, for report columns and typed cells. `json` is an object whose contents the service does not show. */
export const FIELD_TYPES = ['text', 'integer', 'number', 'boolean', 'datetime', 'uuid', 'json'] as const;
export type FieldType = (typeof FIELD_TYPES)[number];

/** The type of every leaf schema made in this file; wrappers (nullish, pipes) are looked through by {@link leavesOf}. */
const fieldTypes = z.registry<{ readonly type: FieldType }>();

function leaf<S extends z.ZodType>(type: FieldType, schema: S): S {
  fieldTypes.add(schema, { type });
  return schema;
}

const numberToText = (value: unknown): unknown => (typeof value === 'number' ? String(value) : value);
const digitsToInteger = (value: unknown): unknown =>
  typeof value === 'string' && /^-?\d{1,15}$/.test(value) ? Number(value) : value;
const decimalToNumber = (value: unknown): unknown =>
  typeof value === 'string' && /^-?\d{1,15}(\.\d{1,15})?$/.test(value) ? Number(value) : value;
/** Databases without a type for true and false answer with numbers. */
const TRUE: readonly unknown[] = [1, '1', 'true'];
const FALSE: readonly unknown[] = [0, '0', 'false'];
const wordToBoolean = (value: unknown): unknown =>
  TRUE.includes(value) || (FALSE.includes(value) ? false : value);

/** A schema made when it is first asked for, and the same one from then on: a schema never changes, and most of a start goes into making them. */
function shared<S extends z.ZodType>(make: () => S): () => S {
  let made: S | undefined;
  return () => (made ??= make());
}

/**
 * Schemas for what the service answers. They accept every plausible spelling of a value (an integer as digits in a string, a number where a
 * text is documented, 1 for true, any ISO precision, either case of a UUID) and keep it; a value of another kind is an issue of that record alone.
 */
export const read = {
  text: shared(() => leaf('text', z.preprocess(numberToText, z.string()))),
  integer: shared(() => leaf('integer', z.preprocess(digitsToInteger, z.int()))),
  number: shared(() => leaf('number', z.preprocess(decimalToNumber, z.number()))),
  boolean: shared(() => leaf('boolean', z.preprocess(wordToBoolean, z.boolean()))),
  datetime: shared(() => leaf('datetime', z.string().meta({ format: 'date-time' }))),
  uuid: shared(() => leaf('uuid', z.string().min(1).meta({ format: 'uuid' }))),
  opaque: shared(() => leaf('json', z.unknown())),
};

type Nullish<Shape extends z.ZodRawShape> = {
  [Key in keyof Shape]: z.ZodOptional<z.ZodNullable<Shape[Key]>>;
};

const nullishes = new WeakMap<z.ZodType, z.ZodType>();

/** Some languages write an object without contents as an empty list. */
const emptyToNull = (value: unknown): unknown => (Array.isArray(value) && value.length === 0 ? null : value);

function nullish(schema: z.ZodType): z.ZodType {
  const known = nullishes.get(schema);
  if (known !== undefined) return known;
  const own = schema instanceof z.ZodObject ? z.preprocess(emptyToNull, schema.nullable()) : schema;
  const made = own.nullish();
  nullishes.set(schema, made);
  return made;
}

/** An object of the service: the fields of `identity` must be there, each of `rest` may be null or absent, unknown fields are kept. */
export function record<Identity extends z.ZodRawShape, Rest extends z.ZodRawShape>(
  identity: Identity,
  rest: Rest,
) {
  const optional = Object.fromEntries(
    Object.entries(rest).map(([name, schema]) => [name, nullish(schema as z.ZodType)]),
  );
  // Object.fromEntries forgets which key has which schema.
  return z.looseObject({ ...identity, ...(optional as unknown as Nullish<Rest>) });
}

/** What an operation answers that makes no record of its own: any field may be null or absent, but not all of them, which would say nothing. */
export function result<Fields extends z.ZodRawShape>(fields: Fields) {
  return record({}, fields).refine(
    (answer: Readonly<Record<string, unknown>>) =>
      Object.keys(fields).some((name) => (answer[name] ?? null) !== null),
    { error: `none of ${Object.keys(fields).join(', ')} is there` },
  );
}

/** Schemas for what we send: exactly the constraints of the interface. */
export const send = {
  text: (min = 0) => z.string().min(min),
  integer: () => z.int(),
  /** An id, page or league number: integer >= 1. */
  positive: () => z.int().min(1),
  /** Eligibility minutes: 1 to 90 inclusive (section 2.9). */
  minutes: () => z.int().min(1).max(90),
  number: () => z.number(),
  boolean: () => z.boolean(),
  uuid: () => z.guid(),
};

/** One leaf of a record: its dotted path and type. */
export interface Leaf {
  readonly path: string;
  readonly type: FieldType;
}

/** A schema without what lets its values be absent, null or spelt otherwise. */
export function unwrap(schema: z.core.$ZodType): z.core.$ZodType {
  let inner = schema;
  for (;;) {
    if (fieldTypes.has(inner)) return inner;
    if (inner instanceof z.ZodOptional || inner instanceof z.ZodNullable) inner = inner.unwrap();
    else if (inner instanceof z.ZodPipe) inner = inner.out;
    else return inner;
  }
}

/**
 * The scalar leaves of a record in the interface's order, with dotted paths; an object whose contents are not shown is one `json` leaf.
 * Arrays have no leaves: a report either explodes them or names a path into them.
 */
export function leavesOf(schema: z.core.$ZodType, prefix = ''): readonly Leaf[] {
  const inner = unwrap(schema);
  const known = fieldTypes.get(inner as z.ZodType);
  if (known !== undefined) return [{ path: prefix, type: known.type }];
  if (!(inner instanceof z.ZodObject)) return [];
  return Object.entries(inner.shape as Record<string, z.core.$ZodType>).flatMap(([name, child]) =>
    leavesOf(child, prefix === '' ? name : `${prefix}.${name}`),
  );
}

/** What the contract says of a value, for whoever compares answers with it: any field may also be null or absent. */
export type Shape =
  | { readonly kind: 'leaf'; readonly type: FieldType }
  | { readonly kind: 'object'; readonly fields: Readonly<Record<string, Shape>> }
  | { readonly kind: 'list'; readonly element: Shape };

/** The shape of what {@link read} and {@link record} made. */
export function shapeOf(schema: z.core.$ZodType): Shape {
  const inner = unwrap(schema);
  const known = fieldTypes.get(inner as z.ZodType);
  if (known !== undefined) return { kind: 'leaf', type: known.type };
  if (inner instanceof z.ZodArray) return { kind: 'list', element: shapeOf(inner.element) };
  if (!(inner instanceof z.ZodObject)) return { kind: 'leaf', type: 'json' };
  const shape = inner.shape as Record<string, z.core.$ZodType>;
  return {
    kind: 'object',
    fields: Object.fromEntries(Object.entries(shape).map(([name, child]) => [name, shapeOf(child)])),
  };
}

/** `goalkeeper_goal_points` -> `Goalkeeper goal points`: a name as people read it. */
export function labelOf(name: string): string {
  const words = name.replaceAll('_', ' ');
  return words.charAt(0).toUpperCase() + words.slice(1);
}
