import * as fc from 'fast-check';
import * as z from 'zod';

/** Small numbers, so that many of them are ids of something; and now and then a large one. */
const integer = (least: number, most: number): fc.Arbitrary<number> =>
  fc.oneof(
    { weight: 5, arbitrary: fc.integer({ min: least, max: Math.min(most, Math.max(least, 400)) }) },
    { weight: 1, arbitrary: fc.integer({ min: least, max: most }) },
  );
const text = (least: number, most: number): fc.Arbitrary<string> =>
  fc.oneof(
    fc
      .constantFrom('classic', 'current', 'D-001', 'Member', '=1+1', '💥💥💥')
      .filter((one) => one.length >= least),
    fc
      .string({ minLength: least, maxLength: Math.min(most, least + 20), unit: 'grapheme' })
      .filter((one) => one.length <= most),
  );
const bound = (value: unknown, otherwise: number): number =>
  typeof value === 'number' && Number.isSafeInteger(value) ? value : otherwise;

/** Values that a schema of the contract takes; `uuids` are those that a uuid may be, beside random ones. */
export function arbitraryOf(schema: z.ZodType, uuids: readonly string[]): fc.Arbitrary<unknown> {
  const inner = (one: unknown): fc.Arbitrary<unknown> => arbitraryOf(one as z.ZodType, uuids);
  if (schema instanceof z.ZodObject) {
    const shape = schema.shape as Record<string, z.ZodType>;
    const required = Object.keys(shape).filter((name) => !(shape[name] instanceof z.ZodOptional));
    const fields = Object.fromEntries(Object.entries(shape).map(([name, one]) => [name, inner(one)]));
    return fc.record(fields, { requiredKeys: required });
  }
  if (schema instanceof z.ZodOptional) return inner(schema.unwrap());
  if (schema instanceof z.ZodArray) {
    const least = schema.safeParse([]).success ? 0 : 1;
    return fc.array(inner(schema.element), { minLength: least, maxLength: 8 });
  }
  if (schema instanceof z.ZodGUID) return fc.oneof(fc.uuid(), fc.constantFrom(...uuids));
  if (schema instanceof z.ZodString) return text(bound(schema.minLength, 0), bound(schema.maxLength, 1_000));
  if (schema instanceof z.ZodBoolean) return fc.boolean();
  if (schema instanceof z.ZodNumber && schema.format === 'safeint') {
    return integer(bound(schema.minValue, -1_000_000), bound(schema.maxValue, 1_000_000));
  }
  if (schema instanceof z.ZodNumber) return fc.double({ noNaN: true, noDefaultInfinity: true });
  if (schema instanceof z.ZodUnion) return fc.oneof(...schema.options.map(inner));
  throw new Error(`no values for a schema of type ${schema.type}`);
}
