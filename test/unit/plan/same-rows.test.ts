import { Buffer } from 'node:buffer';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { sumsOf } from '../../../src/model/repeated-texts.ts';
import { rowDigest, SameRows } from '../../../src/plan/same-rows.ts';

const digestOf = (n: number): string => rowDigest([`K-${n}`, 'Ann']);

/** All bytes that are given away once rows were gathered. */
function gathered(numbers: readonly number[], same = new SameRows()): Uint8Array[] {
  const parts: Uint8Array[] = [];
  const take = (isEnd: boolean): unknown => {
    const part = same.take(isEnd);
    return part && parts.push(part.slice());
  };
  for (const [at, n] of numbers.entries()) {
    same.begin();
    same.find(digestOf(n), n);
    same.add(n, sumsOf(`K-${n}`));
    if (at % 1000 === 999) take(false);
  }
  take(true);
  return parts;
}

const knowing = (parts: readonly Uint8Array[]): SameRows =>
  new SameRows(new Uint8Array(Buffer.concat(parts)).buffer);

describe('rowDigest', () => {
  it('tells apart what cells hold and where one ends', () => {
    const rows = [
      ['a', 'b'],
      ['ab', ''],
      ['', 'ab'],
      ['a"', '"b'],
      ['a","b'],
      [{ kind: 'number', value: 1 }, 'b'],
      [{ kind: 'number', value: 1, shown: '1.0' }, 'b'],
      ['1', 'b'],
      [{ kind: 'boolean', value: true }, 'b'],
      [{ kind: 'datetime', iso: '2026-11-27' }, 'b'],
      ['2026-11-27', 'b'],
    ] as const;
    expect(new Set(rows.map(rowDigest)).size).toBe(rows.length);
    expect(rowDigest(['a', 'b'])).toHaveLength(16);
  });
});

describe('SameRows', () => {
  it('finds the rows that were gathered, in any order, with the sums of their keys', () => {
    const numbers = fc.uniqueArray(fc.nat(500), { maxLength: 60 });
    fc.assert(
      fc.property(numbers, fc.array(fc.nat(500), { maxLength: 80 }), (known, asked) => {
        const same = knowing(gathered(known));
        for (const n of [...known, ...known.toReversed(), ...asked])
          expect([n, same.find(digestOf(n), n)]).toEqual([
            n,
            known.includes(n) ? sumsOf(`K-${n}`) : undefined,
          ]);
      }),
    );
  });

  it('gives rows away in parts, each row once, and knows those of all parts', () => {
    const numbers = Array.from({ length: 20_000 }, (_, n) => n);
    const parts = gathered(numbers);
    expect(parts.map(({ length }) => length / 24)).toEqual([9000, 9000, 2000]);
    expect(new SameRows().take(true)).toBeUndefined();
    const same = knowing(parts);
    expect(numbers.filter((n) => same.find(digestOf(n), n) === undefined)).toEqual([]);
    const [more = new Uint8Array()] = gathered([20_000], same);
    expect(more.length * 20_000).toBe(Buffer.concat(parts).length);
    const all = knowing([...parts, more]);
    expect([0, 20_000, 20_001].map((n) => all.find(digestOf(n), n) !== undefined)).toEqual([
      true,
      true,
      false,
    ]);
  });

  it('gathers those rows of a batch that are added, each with its own digest', () => {
    const same = new SameRows();
    const numbers = Array.from({ length: 10_000 }, (_, n) => n + 2);
    const isAdded = (n: number): boolean => n % 3 === 0;
    for (const n of numbers) same.find(digestOf(n), n);
    for (const n of numbers.filter(isAdded)) same.add(n, sumsOf(`K-${n}`));
    same.add(20_000, sumsOf('never looked for'));
    const all = knowing([same.take(true)?.slice() ?? new Uint8Array()]);
    for (const n of numbers)
      expect([n, all.find(digestOf(n), n)]).toEqual([n, isAdded(n) ? sumsOf(`K-${n}`) : undefined]);
    expect(same.take(true)).toBeUndefined();
  });

  it('says whether most of the known rows were not found', () => {
    const parts = gathered([1, 2, 3, 4]);
    for (const [found, areMostGone] of [
      [[], true],
      [[1], true],
      [[1, 2], false],
      [[4, 3, 2, 1], false],
    ] as const) {
      const same = knowing(parts);
      for (const n of found) same.find(digestOf(n), n);
      expect([found, same.areMostGone]).toEqual([found, areMostGone]);
    }
    expect(new SameRows().areMostGone).toBe(false);
  });

  it('finds nothing once it has given its memory back', () => {
    const same = knowing(gathered([1, 2]));
    same.forget();
    expect(same.find(digestOf(1), 1)).toBeUndefined();
  });
});
