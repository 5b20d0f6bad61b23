import { renderCount, renderCountOf } from '../../../src/model/count.ts';
import { describe, expect, it } from 'vitest';
import {
  cutText,
  renderColumns,
  renderDuration,
  safeJson,
  safeLines,
  safeText,
} from '../../../src/cli/render/text.ts';
import { renderTime } from '../../../src/model/time/render-time.ts';

describe('safeText', () => {
  it.each([
    ['escape sequences', '\u001b[31mred\u001b[0m', '\\u{1b}[31mred\\u{1b}[0m'],
    ['line breaks', 'a\r\nb\tc', 'a\\r\\nb\\tc'],
    ['bidi controls', 'abc\u202edef\u2066', 'abc\\u{202e}def\\u{2066}'],
    ['what hides', 'a\u200bb\u00adc\u2060', 'a\\u{200b}b\\u{ad}c\\u{2060}'],
    ['the C1 escape', '\u009b2J', '\\u{9b}2J'],
  ])('spells out %s', (_what, text, expected) => {
    expect(safeText(text)).toBe(expected);
  });

  it('leaves names in any script alone', () => {
    const names = 'Żaneta Łuk 李小龙 วีระ محمد 👩‍👩‍👧';
    expect(safeText(names)).toBe(names);
  });

  it('keeps the lines of a message apart', () => {
    expect(safeLines('one\ntwo\u0007')).toBe('one\ntwo\\u{7}');
  });
});

describe('safeJson', () => {
  it('escapes what JSON leaves raw, and keeps the value', () => {
    const value = { name: 'a\u009b2J\u202e\u2066b\u007f\u2028 José 👍🏽', at: ['\u001b'] };
    const json = safeJson(JSON.stringify(value));
    expect(json).toBe('{"name":"a\\u009b2J\\u202e\\u2066b\\u007f\\u2028 José 👍🏽","at":["\\u001b"]}');
    expect(JSON.parse(json)).toEqual(value);
  });
});

describe('renderDuration', () => {
  it.each([
    [-5, '0 ms'],
    [850, '850 ms'],
    [1500, '1.5 s'],
    [59_400, '59 s'],
    [60_000, '1 min'],
    [200_000, '3 min 20 s'],
    [3_600_000, '1 h'],
    [7_500_000, '2 h 5 min'],
    [259_200_000, '3 d'],
    [5_546_400_000, '64 d 4 h'],
  ])('%i ms is %s', (ms, text) => {
    expect(renderDuration(ms)).toBe(text);
  });
});

it('groups the digits of numbers', () => {
  expect([0, 999, 1000, 1234567, -1000, 1234.5].map(renderCount)).toEqual([
    '0',
    '999',
    '1,000',
    '1,234,567',
    '-1,000',
    '1,234.5',
  ]);
});

it('counts with a word of the right number', () => {
  expect([
    renderCountOf(1, 'row'),
    renderCountOf(1234, 'row'),
    renderCountOf(2, 'more row', 'more rows'),
  ]).toEqual(['1 row', '1,234 rows', '2 more rows']);
});

it('shows times in the zone of the configuration', () => {
  const ms = Date.UTC(2026, 6, 1, 12, 0, 0);
  expect([renderTime(ms, 'UTC'), renderTime(ms, 'Europe/London')]).toEqual([
    '2026-07-01 12:00:00',
    '2026-07-01 13:00:00',
  ]);
});

it('sets columns side by side, whatever styles they carry', () => {
  const rows = [
    ['name', 'rows'],
    ['\u001b[1musers\u001b[22m', '7'],
  ];
  expect(renderColumns(rows, [false, true])).toBe('name   rows\n\u001b[1musers\u001b[22m     7');
});

it('cuts whole characters', () => {
  expect([cutText('short', 5), cutText('👋👋👋👋', 3)]).toEqual(['short', '👋👋…']);
});
