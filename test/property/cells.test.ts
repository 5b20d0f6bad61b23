import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { resources } from '../../src/contract/index.ts';
import type { PushTarget, Resource } from '../../src/contract/resource.ts';
import { compileCell } from '../../src/mapping/cells.ts';
import type { CellContext } from '../../src/mapping/cells.ts';
import { canonical, exactNumber, parseDecimal } from '../../src/mapping/decimal.ts';
import { foldKey, readKey } from '../../src/mapping/key-text.ts';
import { columnWith } from '../../src/mapping/push-fields.ts';
import type { Cell } from '../../src/model/tables/cell.ts';
import type { Issue } from '../../src/model/issue.ts';
import { runs } from '../support/long.ts';

const RUNS = runs(200, 5000);
const context: CellContext = { locale: 'en', grouped: false, allowKeyShape: false, timezone: 'UTC' };

const targets = Object.entries(resources as Readonly<Record<string, Resource>>).flatMap(
  ([name, { push }]): [string, PushTarget][] => (push === undefined ? [] : [[name, push]]),
);
const fields = targets.flatMap(([resource, { fields: all, key }]) =>
  Object.entries(all).map(([name, field]) => ({
    title: `${resource}.${name}`,
    name,
    field,
    isKey: key.includes(name),
  })),
);

const written = fc.oneof(
  fc.string({ unit: 'binary', maxLength: 60 }),
  fc.string({
    unit: fc.constantFrom('0', '1', '9', '.', ',', '-', '+', 'e', 'E', ' ', ';', 'a', '\n', '\u00a0'),
    maxLength: 24,
  }),
  fc.constantFrom(
    '',
    ' ',
    'TRUE',
    'false',
    '1',
    '0',
    '90',
    '91',
    '9007199254740991',
    '9007199254740992',
    'abc',
    '#N/A',
    'null',
  ),
  fc.uuid(),
  fc.integer().map(String),
  fc.double({ noNaN: true, noDefaultInfinity: true }).map(String),
);
const cells: fc.Arbitrary<Cell> = fc.oneof(
  written,
  fc.double({ noNaN: true }).map((value): Cell => ({ kind: 'number', value })),
  fc.boolean().map((value): Cell => ({ kind: 'boolean', value })),
  fc.constant<Cell>({ kind: 'datetime', iso: '2026-03-02T00:00:00Z', shown: '2-Mar' }),
  fc.constant<Cell>({ kind: 'error', shown: '#REF!' }),
);

test('every resource that can be pushed has fields', () => {
  expect(fields.length).toBeGreaterThan(50);
});

describe('a cell', () => {
  test('is a value that the contract takes, or an error, or left out', () => {
    for (const { title, name, field, isKey } of fields) {
      for (const required of [true, false]) {
        const read = compileCell(columnWith(name, field, required), field, isKey, context);
        fc.assert(
          fc.property(cells, (cell) => {
            const issues: Issue[] = [];
            const value = read(cell, 'H', issues);
            const refused = issues.some(({ severity }) => severity === 'error');
            expect(refused && value !== undefined, `${title} refused and made`).toBe(false);
            if (value !== undefined)
              expect(field.schema.safeParse(value).success, `${title} ${JSON.stringify(value)}`).toBe(true);
            else if (required) expect(refused, `${title} required but silent`).toBe(true);
            for (const issue of issues) expect(issue.message).not.toMatch(/[\u0000-\u001f\u202e]/);
          }),
          { numRuns: Math.max(20, RUNS / 10) },
        );
      }
    }
  });

  test('that holds a number which the contract takes is that number', () => {
    const numbers = fields.filter(({ field }) => field.type === 'integer' || field.type === 'number');
    for (const { name, field, isKey } of numbers) {
      const read = compileCell(columnWith(name, field, true), field, isKey, context);
      const values =
        field.type === 'integer'
          ? fc.maxSafeInteger()
          : fc.integer({ min: -1e9, max: 1e9 }).map((value) => value / 1000);
      fc.assert(
        fc.property(values, (value) => {
          const issues: Issue[] = [];
          const found = read(String(value), 'H', issues);
          if (field.schema.safeParse(value).success) expect(found).toBe(value === 0 ? 0 : value);
          else expect(issues).toHaveLength(1);
        }),
        { numRuns: Math.max(20, RUNS / 10) },
      );
    }
  });
});

describe('written numbers', () => {
  test('a number is read exactly or not at all', () => {
    const digits = fc
      .tuple(
        fc.boolean(),
        fc.bigInt({ min: 0n, max: 10n ** 22n }),
        fc.array(fc.constantFrom(...Array.from('0123456789')), { maxLength: 20 }),
      )
      .map(
        ([negative, whole, fraction]) =>
          `${negative ? '-' : ''}${whole}${fraction.length === 0 ? '' : '.'}${fraction.join('')}`,
      );
    fc.assert(
      fc.property(digits, (text) => {
        const found = parseDecimal(text, context);
        if (!('digits' in found)) throw new Error(`${text} is a number`);
        const short = canonical(found.digits);
        const value = exactNumber(short);
        if (value !== undefined && Math.abs(value) >= 1e-6) expect(String(value)).toBe(short);
      }),
      { numRuns: RUNS },
    );
  });

  test('English and German spellings of one number are one number', () => {
    const digits = fc
      .tuple(fc.integer(), fc.integer({ min: 0, max: 99 }))
      .map(([whole, cents]) => [whole, cents] as const);
    fc.assert(
      fc.property(digits, ([whole, cents]) => {
        const grouped = (separator: string): string => String(whole).replace(/\B(?=(\d{3})+$)/g, separator);
        const expected = { digits: `${whole}.${cents}` };
        expect(parseDecimal(`${grouped(',')}.${cents}`, { locale: 'en', grouped: true })).toEqual(expected);
        expect(parseDecimal(`${grouped('.')},${cents}`, { locale: 'de', grouped: true })).toEqual(expected);
      }),
      { numRuns: RUNS },
    );
  });
});

describe('keys', () => {
  test('a key that was read is read as itself again, and folds to one form', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary', minLength: 1, maxLength: 12 }), (text) => {
        const key = readKey(text, 'H', false, []);
        if (key === undefined || key === '') return;
        const issues: Issue[] = [];
        expect(readKey(key, 'H', false, issues)).toBe(key);
        expect(issues).toEqual([]);
        expect(foldKey(key)).toBe(foldKey(key.normalize('NFD').normalize('NFC')));
      }),
      { numRuns: RUNS * 2 },
    );
  });
});
