import { describe, expect, it } from 'vitest';
import type { ResourceName } from '../../../../src/contract/index.ts';
import { fitRows, formsOf, mayFit } from '../../../../src/plan/reconcile/fit-rows.ts';
import type { Spelling } from '../../../../src/model/state/spelling.ts';

const shownAs = (keys: readonly string[]) => keys.map((key) => ({ key, record: { external_id: key } }));
const rowsOf = (keys: readonly (string | null)[]) => keys.map((key) => ({ key }));

function fit(
  keys: readonly string[],
  shown: readonly string[],
  {
    spelling,
    old = [],
    resource = 'users',
  }: {
    readonly spelling?: Spelling;
    readonly old?: readonly string[];
    readonly resource?: ResourceName;
  } = {},
) {
  const found = fitRows(resource, rowsOf(keys), shownAs(shown), spelling, ({ key }) => old.includes(key));
  return {
    kept: Object.fromEntries(found.kept),
    seen: found.seen,
    found: [...found.records.keys()].toSorted(),
  };
}

describe('records of rows', () => {
  it.each<[string, readonly string[], readonly string[], Spelling]>([
    ['lower case', ['U1', 'U2'], ['u1', 'u2'], { case: true }],
    ['upper case', ['a', 'b'], ['B', 'A'], { case: true }],
    ['narrow forms', ['Ｕ1'], ['U1'], { width: true }],
    ['no blanks around them', ['U1'], [' U1 '], { blanks: true }],
    ['a cut end', ['M-0001-north', 'M-0002-north'], ['M-0001', 'M-0002'], { cut: 6 }],
    ['a cut end before a blank', ['Hill Ann', 'Vales Bob'], ['Hill', 'Vales'], { cut: 5 }],
    [
      'a cut end and blanks behind it',
      ['Hill Ann', 'Vales Bob'],
      ['Hill   ', 'Vales  '],
      { blanks: true, cut: 5 },
    ],
    ['lower case and a cut end', ['M-0001-N', 'M-2'], ['m-0001', 'm-2'], { case: true, cut: 6 }],
  ])('are known by %s', (_, keys, shown, seen) => {
    const found = fit(keys, shown);
    expect([found.seen, found.found]).toEqual([seen, [...keys].toSorted()]);
    expect(Object.values(found.kept).toSorted()).toEqual([...shown].toSorted());
  });

  it('are those of the same key first', () => {
    expect(fit(['U1', 'u1'], ['u1'])).toEqual({ kept: {}, seen: undefined, found: ['u1'] });
    expect(fit(['U1', 'U10'], ['u1', 'u10'])).toMatchObject({ kept: { U1: 'u1', U10: 'u10' } });
  });

  it.each<[string, readonly string[], readonly string[], Readonly<Record<string, string>>, Spelling]>([
    [
      'whole, also where one is what a cut leaves of another',
      ['Ann', 'Ann-17'],
      ['ann', 'ann-17'],
      { Ann: 'ann', 'Ann-17': 'ann-17' },
      { case: true },
    ],
    [
      'cut beside whole ones',
      ['Ann', 'Ann-17-north'],
      ['ANN', 'ann-17'],
      { Ann: 'ANN', 'Ann-17-north': 'ann-17' },
      { case: true, cut: 6 },
    ],
    [
      'whole where a cut is not borne out by them',
      ['Ann-17', 'Bob-1234'],
      ['Ann', 'BOB-1234'],
      { 'Bob-1234': 'BOB-1234' },
      { case: true },
    ],
  ])('are %s', (_, keys, shown, kept, seen) => {
    expect(fit(keys, shown)).toMatchObject({ kept, seen });
  });

  it('that were found are no other rows as well, and rows that were found have no other records', () => {
    expect(fit(['Ann'], ['Ann', 'ANN'])).toEqual({ kept: {}, seen: undefined, found: ['Ann'] });
    const known = { spelling: { case: true } } as const;
    expect(fit(['Ann', 'Ann-17'], ['ann'], known)).toMatchObject({ kept: { Ann: 'ann' }, seen: undefined });
    expect(fit(['Ann'], ['ann', ' ann'], known)).toMatchObject({ kept: { Ann: 'ann' }, seen: undefined });
  });

  it('say the key as the row does, and all else as they are', () => {
    const recordsOf = (resource: ResourceName, key: string, record: object) =>
      fitRows(resource, rowsOf([null, key]), [{ key: key.toLowerCase(), record }], undefined, () => false)
        .records;
    expect(recordsOf('users', 'U1', { id: 'a', external_id: 'u1', name: 'x' })).toEqual(
      new Map([['U1', [{ id: 'a', external_id: 'U1', name: 'x' }]]]),
    );
    expect(recordsOf('mini_leagues', '1/Cup', { id: 7, name: 'cup' })).toEqual(
      new Map([['1/Cup', [{ id: 7, name: 'Cup' }]]]),
    );
  });

  it.each<[string, readonly string[], readonly string[], readonly string[]]>([
    ['what fits several rows', ['Ann1', 'aNN1'], ['ann1'], []],
    ['rows that several records fit', ['ANN'], ['ann', 'Ann'], []],
    ['what was there before', ['U1'], ['u1'], ['u1']],
    ['another text', ['U1'], ['V1'], []],
    ['a short rest of a text', ['Ann-17'], ['An'], []],
    ['a cut that a longer text does not bear out', ['Ann-17', 'Bob-1234'], ['Ann', 'Bob-1234'], []],
  ])('are not %s', (_, keys, shown, old) => {
    expect(fit(keys, shown, { old })).toMatchObject({ kept: {}, seen: undefined });
  });

  it('are found by a spelling that is known, also what was there before', () => {
    const known = { spelling: { case: true }, old: ['u1'] } as const;
    expect(fit(['U1'], ['u1'], known)).toEqual({ kept: { U1: 'u1' }, seen: undefined, found: ['U1'] });
    expect(fit(['Ann-0017'], ['ann-0'], known).seen).toEqual({ case: true, cut: 5 });
  });

  it('are of the same league and user', () => {
    const squads = { resource: 'squads' } as const;
    expect(fit(['1/2/Hill XI'], ['1/2/HILL XI'], squads).kept).toEqual({ '1/2/Hill XI': 'HILL XI' });
    expect(fit(['1/2/Hill XI'], ['1/3/HILL XI'], squads).kept).toEqual({});
    expect(fit(['1/7/delta'], ['1/7/delta', '1/7/Delta'], { resource: 'prices' })).toEqual({
      ...{ kept: {}, seen: undefined, found: ['1/7/delta'] },
    });
  });
});

it('only records that may be rows have to be kept of a list', () => {
  const isKept = mayFit('users', rowsOf([null, 'Ann-17']));
  expect(mayFit('prices', rowsOf(['1/7/delta']))('1/7/delta')).toBe(true);
  expect(['ANN-17', 'ann', 'Ann-17', 'an', 'bob'].map(isKept)).toEqual([true, true, true, false, false]);
});

it('the forms in which a key may be kept are all but itself', () => {
  expect(formsOf('users', 'Ann1')).toEqual(['Ann', 'ann1', 'ann', 'ANN1', 'ANN']);
  expect(formsOf('mini_leagues', '1/Cup')).toEqual(['1/cup', '1/CUP']);
  expect(formsOf('prices', '1/2/x')).toEqual([]);
});
