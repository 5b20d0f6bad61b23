import * as z from 'zod';

/** The constraints of a field's schema, as numbers that a cell is checked against without running the schema. */
export interface Limits {
  readonly min: number;
  readonly max: number;
  readonly minLength: number;
  readonly maxLength: number;
  /** Of the elements of a list. */
  readonly item: Limits | undefined;
  /** The schema says more than these numbers, so it has to be run as well. */
  readonly partial: boolean;
}

const UNDERSTOOD = new Set([
  '$schema',
  'type',
  'minimum',
  'maximum',
  'minLength',
  'maxLength',
  'minItems',
  'items',
  // Of UUIDs, which have a cell type of their own.
  'format',
  'pattern',
]);

/** The limits that a field's schema states. */
export function limitsOf(schema: z.ZodType): Limits {
  return fromJson(z.toJSONSchema(schema, { io: 'input' }));
}

function fromJson(json: z.core.JSONSchema.BaseSchema): Limits {
  const { items } = json;
  return {
    min: json.minimum ?? -Infinity,
    max: json.maximum ?? Infinity,
    minLength: json.minLength ?? 0,
    maxLength: json.maxLength ?? Infinity,
    item: typeof items === 'object' && !Array.isArray(items) ? fromJson(items) : undefined,
    partial: Object.keys(json).some((keyword) => !UNDERSTOOD.has(keyword)) || (json.minItems ?? 0) > 1,
  };
}
