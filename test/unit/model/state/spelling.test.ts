import { describe, expect, it } from 'vitest';
import type { KnownRecord } from '../../../../src/model/state/run-rows.ts';
import {
  bothSpellings,
  isSameSpelling,
  oneOfSpellings,
  partsOfKey,
  readSpelling,
  shownKey,
  speaksAgainst,
  speltKey,
  speltText,
  spellingFact,
  spellingOf,
  type Spelling,
} from '../../../../src/model/state/spelling.ts';

type Pairs = readonly (readonly [sent: string, kept: string])[];

it('the text of a key stands behind the fields before it', () => {
  expect(partsOfKey('users', 'a/b')).toEqual({ before: '', text: 'a/b' });
  expect(partsOfKey('mini_leagues', '1/Cup/2')).toEqual({ before: '1/', text: 'Cup/2' });
  expect(partsOfKey('squads', '1/2/Hill XI')).toEqual({ before: '1/2/', text: 'Hill XI' });
  expect(partsOfKey('squads', '1')).toBeUndefined();
  expect(partsOfKey('squads', '1/Hill XI')).toBeUndefined();
  expect(partsOfKey('prices', '1/7/delta')).toBeUndefined();
});

it.each<[string, string, Spelling, string]>([
  ['nothing but its composed form', 'e\u0301 ', {}, 'é '],
  ['case', 'STRASSE', { case: true }, 'strasse'],
  ['case of letters that become two', 'straße', { case: true }, 'strasse'],
  ['width', 'Ｕ１', { width: true }, 'U1'],
  ['blanks', ' U1 ', { blanks: true }, 'U1'],
  ['what follows a cut', 'Hill XI', { cut: 6 }, 'Hill X'],
  ['a blank where it is cut', 'Hill XI', { cut: 5 }, 'Hill'],
  ['half of a character not', '🦄🦄🦄', { cut: 2 }, '🦄🦄'],
  ['no blank without a cut', 'Hill ', {}, 'Hill '],
])('all spellings of a text lack %s', (_, text, spelling, common) => {
  expect(speltText(text, spelling)).toBe(common);
});

it('a key is spelt in its text alone, and not where no spelling is known or no text stands', () => {
  expect(speltKey('squads', '1/2/Hill XI', { case: true })).toBe('1/2/hill xi');
  expect(speltKey('squads', '1/2/Hill XI', undefined)).toBe('1/2/Hill XI');
  expect(speltKey('prices', '1/2/Delta', { case: true })).toBe('1/2/Delta');
  expect(speltKey('prices', '1/2/Delta', undefined)).toBe('1/2/Delta');
});

it('a list shows the record of a key under the text that the service keeps', () => {
  expect(shownKey('squads', '1/2/Hill XI', 'HILL XI')).toBe('1/2/HILL XI');
  expect(shownKey('squads', '1/2/Hill XI')).toBe('1/2/Hill XI');
  expect(shownKey('prices', '1/7/delta')).toBe('1/7/delta');
});

describe('the spelling that records show', () => {
  it.each<[Spelling, Pairs]>([
    [{}, [['U1', 'U1']]],
    [{ case: true }, [['U1', 'u1']]],
    [{ width: true }, [['Ｕ1', 'U1']]],
    [{ blanks: true }, [['U1', 'U1 ']]],
    [{ case: true, width: true }, [['Ｕ1', 'u1']]],
    [{ case: true, blanks: true }, [['U1', ' u1']]],
    [{ width: true, blanks: true }, [['Ｕ1', ' U1']]],
    [{ case: true, width: true, blanks: true }, [['Ｕ1', ' u1']]],
    [{ cut: 4 }, [['Hill XI', 'Hill']]],
    [{ case: true, cut: 4 }, [['Hill XI', 'hill']]],
    [{ width: true, cut: 3 }, [['Ｕ12 north', 'U12']]],
    [{ blanks: true, cut: 4 }, [['Hill XI', ' Hill ']]],
    [{ case: true, width: true, cut: 3 }, [['Ｕ12 north', 'u12']]],
    [{ case: true, blanks: true, cut: 3 }, [['U12 north', 'u12   ']]],
    [{ width: true, blanks: true, cut: 3 }, [['Ｕ12 north', 'U12   ']]],
    [{ case: true, width: true, blanks: true, cut: 3 }, [['Ｕ12 north', 'u12   ']]],
    [
      { cut: 5 },
      [
        ['Hill XI', 'Hill'],
        ['Vales XI', 'Vales'],
      ],
    ],
  ])('is the narrowest: %j', (spelling, pairs) => {
    expect(spellingOf(pairs)).toEqual(spelling);
  });

  it.each<[string, Pairs]>([
    ['another text', [['U1', 'V1']]],
    ['an end that is too short to say anything', [['Alpha', 'Al']]],
    ['nothing that is left of a text', [['Alpha', '']]],
    [
      'a cut that a longer text was not given',
      [
        ['Ann-17', 'Ann'],
        ['Bob-1234', 'Bob-1234'],
      ],
    ],
  ])('is not %s', (_, pairs) => {
    expect(spellingOf(pairs)).toBeUndefined();
  });
});

describe('a text that is shown as it was sent', () => {
  const LOWER: Pairs = [
    ['M-1', 'm-1'],
    ['7', '7'],
  ];
  const UPPER: Pairs = [
    ['m-1', 'M-1'],
    ['7', '7'],
  ];
  const FILLED: Pairs = [
    ['D', 'D     '],
    ['Erik', 'Erik '],
    ['Albert', 'Albert'],
  ];

  it.each<[string, string, Spelling, Pairs]>([
    ['is longer than a cut', 'Hills', { cut: 4 }, []],
    ['has blanks around it where they are taken away', ' M-1', { blanks: true }, [[' M-2', 'M-2']]],
    ['lacks blanks where shorter texts are filled up', 'Erika', { blanks: true }, FILLED],
    ['is wide where that is made narrow', 'Ｕ1', { width: true }, []],
    ['has capitals where small letters are shown', 'M-2', { case: true }, LOWER],
    ['has small letters where capitals are shown', 'm-2', { case: true }, UPPER],
    ['breaks the second rule alone', 'M-2', { cut: 4, case: true }, LOWER],
  ])('speaks against a spelling where it %s', (_, text, spelling, pairs) => {
    expect(speaksAgainst(text, spelling, pairs)).toBe(true);
  });

  it.each<[string, string, Spelling, Pairs]>([
    ['nothing is taken away', ' Ｍ-1 ', {}, LOWER],
    ['it is as long as a cut', '🦄🦄🦄🦄', { cut: 4 }, []],
    ['it has no blanks around it', 'M-1', { blanks: true }, [[' M-2', 'M-2']]],
    ['it is filled up too', 'A     ', { blanks: true }, FILLED],
    ['it is as long as what is filled up', 'Erikas', { blanks: true }, FILLED],
    ['it is narrow', 'U1', { width: true }, []],
    ['it has small letters', 'm-2', { case: true }, LOWER],
    ['it has capitals', 'M-2', { case: true }, UPPER],
  ])('says nothing of a spelling where %s', (_, text, spelling, pairs) => {
    expect(speaksAgainst(text, spelling, pairs)).toBe(false);
  });
});

it('two spellings at once take away what either does', () => {
  expect(bothSpellings(undefined, { case: true })).toEqual({ case: true });
  expect(bothSpellings({ width: true, cut: 9 }, { case: true })).toEqual({ case: true, width: true, cut: 9 });
  expect(bothSpellings({ cut: 9 }, { cut: 4 })).toEqual({ cut: 4 });
  expect(bothSpellings({ cut: 4 }, { cut: 9 })).toEqual({ cut: 4 });
  expect(bothSpellings({ blanks: true }, {})).toEqual({ blanks: true });
});

it('two spellings are the same when they take the same away', () => {
  expect(isSameSpelling({ case: true, cut: 4 }, { cut: 4, case: true })).toBe(true);
  expect(isSameSpelling(undefined, {})).toBe(true);
  expect(isSameSpelling(undefined, { case: true })).toBe(false);
  for (const part of [{ case: true }, { width: true }, { blanks: true }, { cut: 4 }] as const)
    expect([isSameSpelling(part, {}), isSameSpelling({}, part), isSameSpelling(part, part)]).toEqual([
      false,
      false,
      true,
    ]);
});

it('a spelling is a fact of its resource', () => {
  expect(spellingFact('users')).toBe('spelling:users');
  expect(readSpelling('{"case":true,"cut":4}')).toEqual({ case: true, cut: 4 });
  expect(readSpelling(undefined)).toBeUndefined();
});

describe('two records that were known under spellings of one key', () => {
  const record = (
    key: string,
    digests: Readonly<Record<string, string>>,
    managedBy?: string,
  ): KnownRecord => ({
    ...{ key, id: `id of ${key}`, number: null, digests, values: {} },
    ...(managedBy !== undefined && { managedBy }),
  });

  it('are the one of which more is known, or else the first, under the key of the first', () => {
    const [bare, whole] = [record('m-1', {}), record('M-1', { name: 'x' })];
    expect(oneOfSpellings(bare, whole)).toEqual({ ...whole, key: 'm-1' });
    expect(oneOfSpellings(whole, bare)).toEqual(whole);
    const [one, other] = [record('m-1', { name: 'x' }), record('M-1', { name: 'y' })];
    expect(oneOfSpellings(one, other)).toEqual(one);
  });

  it('keep what is known of fields that the service keeps otherwise, where they are one record', () => {
    const keptOtherwise = { name: { sent: 'x', shown: 'y', times: 1 } };
    const listed = { ...record('m-1', { name: 'y' }), id: 'one' };
    const sent = { ...record('M-1', { name: 'y' }), id: 'one', keptOtherwise };
    expect(oneOfSpellings(listed, sent)).toEqual({ ...listed, keptOtherwise });
    expect(oneOfSpellings(sent, listed)).toEqual(sent);
    expect(oneOfSpellings(listed, { ...sent, id: 'other' })).toEqual(listed);
    expect(oneOfSpellings(listed, listed)).not.toHaveProperty('keptOtherwise');
  });

  it('belong to the mapping that either belonged to', () => {
    const [bare, managed] = [record('m-1', {}), record('M-1', {}, 'users')];
    expect(oneOfSpellings(bare, managed)).toEqual({ ...bare, managedBy: 'users' });
    expect(oneOfSpellings(record('m-1', {}, 'ours'), managed).managedBy).toBe('ours');
    expect(oneOfSpellings(bare, bare)).not.toHaveProperty('managedBy');
  });
});
