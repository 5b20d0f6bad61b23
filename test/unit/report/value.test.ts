import { describe, expect, it } from 'vitest';
import { cellOf } from '../../../src/report/value.ts';

describe('a cell', () => {
  it.each([
    ['text', 'x', 'x'],
    ['text', '', ''],
    ['text', 12, '12'],
    ['text', false, 'false'],
    ['text', { a: 1 }, '{"a":1}'],
    ['uuid', 'AB-CD', 'AB-CD'],
    ['integer', 12, 12],
    ['integer', '-12', -12],
    ['integer', '', null],
    ['integer', 4294967297, 4294967297],
    ['number', '7.50', 7.5],
    ['number', -0.5, -0.5],
    ['boolean', 'true', true],
    ['boolean', false, false],
    ['datetime', '2026-08-14T19:00:00Z', '2026-08-14T19:00:00Z'],
    ['datetime', '2026-08-14T21:00:00.123456+02:00', '2026-08-14T21:00:00.123456+02:00'],
    ['json', { a: [1] }, '{"a":[1]}'],
    ['json', [], '[]'],
    ['json', 'plain', 'plain'],
    ['json', 7, 7],
    ['json', true, true],
    ['json', null, null],
  ] as const)('of type %s takes %j as %j', (type, value, expected) => {
    expect(cellOf(value, type)).toEqual({ value: expected, fits: true });
  });

  it.each([
    ['integer', 1.5, '1.5'],
    ['integer', '9007199254740993', '9007199254740993'],
    ['integer', true, 'true'],
    ['number', '7,5', '7,5'],
    ['number', '1e5', '1e5'],
    ['boolean', 1, '1'],
    ['boolean', 'yes', 'yes'],
    ['datetime', 1786734000, '1786734000'],
    ['datetime', 'tomorrow', 'tomorrow'],
    ['uuid', 5, '5'],
    ['integer', { a: 1 }, '{"a":1}'],
  ] as const)('of type %s keeps %j as the text %j and says that it does not fit', (type, value, expected) => {
    expect(cellOf(value, type)).toEqual({ value: expected, fits: false });
  });
});
