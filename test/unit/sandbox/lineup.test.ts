import { describe, expect, it } from 'vitest';
import { pickLineup } from '../../../src/sandbox/game/lineup.ts';
import type { Place } from '../../../src/sandbox/game/lineup.ts';
import type { Position } from '../../../src/sandbox/game/season.ts';
import { substitute } from '../../../src/sandbox/game/substitutions.ts';

/** Players 1, 2, ... from words such as `GK DEF DEF`, the first the dearest. */
function squad(words: string) {
  return words.split(' ').map((word, index) => ({
    playerId: index + 1,
    position: word as Position,
    price: 100 - index,
  }));
}

const FULL = 'GK GK DEF DEF DEF DEF DEF MID MID MID MID MID FWD FWD FWD';

const starters = (places: readonly Place[]): string =>
  places
    .filter((place) => place.isStarting)
    .map((place) => place.position)
    .join(' ');

describe('a line-up', () => {
  it.each([
    [FULL, 'GK DEF DEF DEF DEF DEF MID MID MID MID FWD'],
    [
      'FWD FWD FWD MID MID MID MID MID DEF DEF DEF DEF DEF GK GK',
      'GK DEF DEF DEF MID MID MID MID FWD FWD FWD',
    ],
    ['MID', 'MID'],
    ['GK GK GK', 'GK'],
    ['DEF GK', 'GK DEF'],
    [Array(15).fill('DEF').join(' '), Array(11).fill('DEF').join(' ')],
    [
      'GK FWD FWD FWD FWD FWD FWD FWD FWD FWD FWD DEF DEF DEF MID MID',
      'GK DEF DEF DEF MID MID FWD FWD FWD FWD FWD',
    ],
    [
      'MID MID MID MID MID MID MID MID MID MID MID MID DEF DEF',
      'DEF DEF MID MID MID MID MID MID MID MID MID',
    ],
  ])('of %s starts %s', (words, expected) => {
    expect(starters(pickLineup(squad(words)))).toBe(expected);
  });

  it('keeps the given order on the bench, goalkeepers first, and numbers the places', () => {
    const places = pickLineup(squad(FULL));
    expect(places.map((place) => place.order)).toEqual(Array.from({ length: 15 }, (_, index) => index + 1));
    expect(places.slice(11).map((place) => place.playerId)).toEqual([2, 12, 14, 15]);
  });

  it('makes the dearest starter captain and the next vice-captain', () => {
    const places = pickLineup(squad('GK GK DEF DEF DEF MID MID FWD'));
    expect(places.filter((place) => place.isCaptain).map((place) => place.playerId)).toEqual([1]);
    expect(places.filter((place) => place.isViceCaptain).map((place) => place.playerId)).toEqual([3]);
    expect(pickLineup(squad('FWD'))[0]).toMatchObject({ isCaptain: true, isViceCaptain: false });
  });
});

/** Places from words: a bar begins the bench, `-` marks a player without minutes. */
function week(words: string) {
  const [eleven = '', bench = ''] = words.split(' | ');
  const count = eleven.split(' ').length;
  const entries = [...eleven.split(' '), ...(bench === '' ? [] : bench.split(' '))];
  const absent = new Set(entries.flatMap((word, index) => (word.includes('-') ? [index + 1] : [])));
  const places = entries.map((word, index): Place => ({
    playerId: index + 1,
    position: word.replace('-', '') as Position,
    order: index + 1,
    isStarting: index < count,
    isCaptain: false,
    isViceCaptain: false,
  }));
  return { places, minutesOf: (playerId: number) => (absent.has(playerId) ? 0 : 90) };
}

describe('automatic substitutions', () => {
  it.each([
    ['nothing when all played', 'GK DEF DEF DEF DEF MID MID MID MID FWD FWD | GK DEF MID FWD', []],
    ['goalkeeper for goalkeeper', 'GK- DEF DEF DEF DEF MID MID MID MID FWD FWD | GK DEF MID FWD', [[1, 12]]],
    [
      'nobody for the goalkeeper but a goalkeeper who played',
      'GK- DEF DEF DEF DEF MID MID MID MID FWD FWD | GK- DEF MID FWD',
      [],
    ],
    ['never the goalkeeper for a field player', 'GK DEF DEF DEF DEF MID- MID MID MID FWD FWD | GK', []],
    [
      'the first of the bench who played',
      'GK DEF DEF DEF DEF MID- MID MID MID FWD FWD | GK DEF- MID FWD',
      [[6, 14]],
    ],
    [
      'in bench order, whatever the position',
      'GK DEF DEF DEF DEF MID- MID MID MID FWD FWD | GK DEF MID FWD',
      [[6, 13]],
    ],
    ['three defenders stay', 'GK DEF- DEF DEF MID MID MID MID MID FWD FWD | GK MID- FWD DEF', [[2, 15]]],
    ['two midfielders stay', 'GK DEF DEF DEF DEF DEF MID- MID FWD FWD FWD | GK DEF- FWD MID', [[7, 15]]],
    ['a forward stays', 'GK DEF DEF DEF DEF MID MID MID MID MID FWD- | GK DEF MID FWD', [[11, 15]]],
    [
      'several, each substitute once',
      'GK- DEF- DEF DEF DEF MID- MID MID MID FWD FWD- | GK DEF MID FWD',
      [
        [1, 12],
        [2, 13],
        [6, 14],
        [11, 15],
      ],
    ],
    [
      'the second absent defender of four waits for a defender',
      'GK DEF- DEF- DEF DEF MID MID MID MID FWD FWD | GK MID FWD DEF',
      [
        [2, 13],
        [3, 15],
      ],
    ],
    ['a squad that is not legal becomes no worse', 'DEF- DEF MID FWD | MID', []],
  ] as const)('%s', (_what, words, expected) => {
    const { places, minutesOf } = week(words);
    const { substitutions } = substitute(places, minutesOf);
    expect(substitutions.map((pair) => [pair.out.playerId, pair.in.playerId])).toEqual(expected);
  });

  it('the two change places', () => {
    const { places, minutesOf } = week('GK DEF DEF DEF DEF MID- MID MID MID FWD FWD | GK DEF MID FWD');
    const result = substitute(places, minutesOf);
    expect(result.substitutions[0]).toMatchObject({
      out: { playerId: 6, order: 13, isStarting: false },
      in: { playerId: 13, order: 6, isStarting: true },
    });
    expect(result.places.map((place) => place.order)).toEqual(places.map((place) => place.order));
  });
});
