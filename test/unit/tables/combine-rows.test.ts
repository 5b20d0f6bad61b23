import { describe, expect, it } from 'vitest';
import type { ReportValue } from '../../../src/model/tables/table.ts';
import { combineRows, keyPositions } from '../../../src/tables/combine-rows.ts';

type Rows = readonly (readonly ReportValue[])[];

const COLUMNS = [{ header: 'a' }, { header: 'b' }, { header: 'c' }];
const merged = (key: string, old: Rows, fresh: Rows): Rows =>
  combineRows({ mode: 'merge', key: Array.from(key) }, COLUMNS, old, fresh);

describe('old and fresh rows', () => {
  const old = [
    [1, 'a'],
    [2, 'b'],
    [2, 'again'],
    [null, 'blank'],
  ];

  it('are the fresh ones alone, or all in order', () => {
    expect(combineRows({ mode: 'replace' }, COLUMNS, old, [[3, 'c']])).toEqual([[3, 'c']]);
    expect(combineRows({ mode: 'append' }, COLUMNS, old, [[3, 'c']])).toEqual([...old, [3, 'c']]);
  });

  it('are merged where the first old one of a key stands; new keys follow', () => {
    const fresh = [
      [3, 'c'],
      ['2', 'B'],
      ['', 'BLANK'],
    ];
    expect(merged('a', old, fresh)).toEqual([
      [1, 'a'],
      ['2', 'B'],
      [2, 'again'],
      ['', 'BLANK'],
      [3, 'c'],
    ]);
  });

  it('have keys as they are shown: numbers and texts, two ways to write a date', () => {
    const shown = [[7, '2026-08-14T19:00:00Z', true]];
    const written = [['7', '2026-08-14T21:00:00.000+02:00', 'true']];
    expect(merged('abc', shown, written)).toEqual(written);
    expect(merged('a', [['07']], [['7']])).toEqual([['07'], ['7']]);
    expect(merged('ab', [['a', 'b']], [['ab', '']])).toHaveLength(2);
  });

  it('are refused when two fresh rows have one key, or the key is no column', () => {
    const twice = [['1'], [1]];
    expect(() => merged('a', [], twice)).toThrow('two rows of the report have the same key ["1"]');
    expect(keyPositions(['a', 'b'], ['b', 'a'])).toEqual([1, 0]);
    expect(() => keyPositions(['a'], ['b'])).toThrow('the key "b" is not a column');
    expect(() => keyPositions(['a'], [])).toThrow('mode: merge needs a key');
  });
});
