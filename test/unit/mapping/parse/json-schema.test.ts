import { expect, test } from 'vitest';
import { layoutJsonSchema, mappingJsonSchema } from '../../../../src/mapping/parse/json-schema.ts';
import { FLAG_KEYS, NUMBER_KEYS } from '../../../../src/mapping/parse/schema.ts';

type Json = null | boolean | number | string | readonly Json[] | { readonly [key: string]: Json };

/** Every named property of a schema, wherever it stands. */
function properties(schema: Json): readonly (readonly [string, Json])[] {
  if (schema === null || typeof schema !== 'object') return [];
  if (Array.isArray(schema)) return schema.flatMap(properties);
  return Object.entries(schema).flatMap(([key, value]) => [
    ...(key === 'properties' && value !== null ? Object.entries(value) : []),
    ...properties(value),
  ]);
}

const all = properties([mappingJsonSchema(), layoutJsonSchema()] as Json);
const typed = (...types: readonly string[]): readonly string[] => [
  ...new Set(
    all
      .filter(
        ([, value]) =>
          value !== null &&
          typeof value === 'object' &&
          'type' in value &&
          typeof value.type === 'string' &&
          types.includes(value.type),
      )
      .map(([name]) => name),
  ),
];

test('every key is described for editors', () => {
  expect(all.length).toBeGreaterThan(60);
  const bare = all
    .filter(([, value]) => !JSON.stringify(value).includes('"description"'))
    .map(([name]) => name);
  expect(bare).toEqual([]);
});

test('the keys that take numbers and truth values are those of the schema', () => {
  const numbers = all
    .filter(([, value]) => /^\{[^{]*"(?:type":"(?:number|integer)|const":1)/.test(JSON.stringify(value)))
    .map(([name]) => name);
  expect([...new Set(numbers)].toSorted()).toEqual([...NUMBER_KEYS].toSorted());
  expect(typed('boolean').toSorted()).toEqual([...FLAG_KEYS].toSorted());
});

test('unknown keys are refused everywhere but where names are free', () => {
  const open = all.filter(
    ([, value]) =>
      JSON.stringify(value).includes('"properties"') &&
      !JSON.stringify(value).includes('"additionalProperties":false'),
  );
  expect(open.map(([name]) => name)).toEqual([]);
});
