import fc from 'fast-check';
import { stringify } from 'yaml';
import { describe, expect, test } from 'vitest';
import { ConfigError } from '../../src/model/error.ts';
import type { Mapping } from '../../src/mapping/mapping.ts';
import { parseMappings } from '../../src/mapping/parse/parse-mappings.ts';
import { createRowReader } from '../../src/mapping/rows.ts';
import { parseWhere } from '../../src/mapping/where.ts';
import { runs } from '../support/long.ts';

const RUNS = runs(200, 5000);
const parse = (text: string): readonly Mapping[] =>
  parseMappings(text, 'm.yaml', {
    variable: (name) => (name === 'set' ? '1' : undefined),
    resolvePath: (path) => `/${path}`,
    readLayout: (file) => ({ file, text: 'version: 1' }),
  });

const name = fc.constantFrom(
  'version',
  'name',
  'push',
  'pull',
  'source',
  'operation',
  'columns',
  'where',
  'destination',
  'csv',
  'external_id',
  'from',
  'type',
  'guards',
  'ids',
  '__proto__',
  'x',
);
const scalar = fc.oneof(
  fc.constantFrom<unknown>(
    1,
    0,
    -1,
    1.5,
    true,
    null,
    'users',
    'upsert',
    'auto',
    'users.csv',
    '${set}',
    '${unset}',
    '$${',
    '',
    'text',
    'a = "b"',
  ),
  fc.string({ maxLength: 8 }),
);
const { tree } = fc.letrec((tie) => ({
  tree: fc.oneof(
    { maxDepth: 4 },
    scalar,
    fc.array(tie('tree'), { maxLength: 3 }),
    fc.dictionary(name, tie('tree'), { maxKeys: 6 }),
  ),
}));
const valid = {
  version: 1,
  name: 'users',
  push: 'users',
  source: { csv: 'users.csv' },
  operation: 'upsert',
  columns: { external_id: 'A', display_name: { from: ['B', 'C'] } },
};

const onlyConfigErrors = (text: string): void => {
  try {
    parse(text);
  } catch (error) {
    expect(error).toBeInstanceOf(ConfigError);
    if (!(error instanceof ConfigError)) return;
    expect(error.message).toMatch(/^m\.yaml:\d+:\d+: ./);
    expect(error.place.line).toBeGreaterThanOrEqual(1);
  }
};

describe('a mapping file', () => {
  test('of any text is mappings or one error with its place', () => {
    fc.assert(
      fc.property(
        fc.string({ unit: fc.constantFrom(...Array.from('abc:-[]{},&*!#|>\'"\n \t01?%@`')), maxLength: 60 }),
        onlyConfigErrors,
      ),
      { numRuns: RUNS },
    );
  });

  test('of any values is mappings or one error with its place', () => {
    fc.assert(
      fc.property(tree, name, fc.boolean(), (value, key, whole) => {
        onlyConfigErrors(stringify(whole ? value : { ...valid, [key]: value }));
      }),
      { numRuns: RUNS * 2 },
    );
  });

  test('with one key misspelt names the key', () => {
    fc.assert(
      fc.property(fc.constantFrom('source', 'operation', 'columns', 'version'), (key) => {
        const { [key as keyof typeof valid]: moved, ...rest } = valid;
        expect(() => parse(stringify({ ...rest, [`${key}s_`]: moved }))).toThrow(`did you mean "${key}"?`);
      }),
    );
  });
});

test('a where reads back whatever header and text it names', () => {
  const quoted = (text: string): string => `"${text.replace(/["\\]/g, '\\$&')}"`;
  const condition = fc.record({
    header: fc.string({ minLength: 1 }),
    equals: fc.boolean(),
    text: fc.string(),
  });
  fc.assert(
    fc.property(fc.array(condition, { minLength: 1, maxLength: 4 }), (conditions) => {
      const where = conditions
        .map(({ header, equals, text }) => `${quoted(header)} ${equals ? '=' : '!='} ${quoted(text)}`)
        .join(' and ');
      const expected = conditions.map(({ header, equals, text }) => ({
        header: header.trim().normalize('NFC'),
        equals,
        text: text.trim(),
      }));
      expect(parseWhere(where)).toEqual(expected);
    }),
    { numRuns: RUNS },
  );
});

test('every row is valid, invalid or excluded, whatever its cells', () => {
  const [mapping] = parse(
    stringify({
      ...valid,
      source: { csv: 'users.csv', where: 'C != "out"' },
      columns: { ...valid.columns, display_name: 'B', is_active: { from: 'C', type: 'boolean' } },
    }),
  );
  if (mapping?.direction !== 'push') throw new Error('the mapping pushes');
  const cells = fc.array(
    fc.oneof(fc.string({ unit: 'binary', maxLength: 20 }), fc.constantFrom('out', '1', 'u1', '')),
    { minLength: 3, maxLength: 3 },
  );
  fc.assert(
    fc.property(fc.array(cells, { maxLength: 20 }), (rows) => {
      const reader = createRowReader(mapping, ['A', 'B', 'C'], {
        allowKeyShape: false,
        variable: () => undefined,
      });
      const parsed = [
        ...reader.read(rows.map((row, index) => ({ rowNumber: index + 2, cells: row }))),
        ...reader.end(),
      ];
      expect(parsed.map(({ rowNumber }) => rowNumber)).toEqual(rows.map((_, index) => index + 2));
      for (const { status, fields, issues, key, folded } of parsed) {
        expect(fields !== null).toBe(status === 'valid');
        expect(issues.some(({ severity }) => severity === 'error')).toBe(status === 'invalid');
        expect(key === null).toBe(folded === null);
        if (status === 'valid') expect(key).not.toBeNull();
      }
    }),
    { numRuns: RUNS },
  );
});
