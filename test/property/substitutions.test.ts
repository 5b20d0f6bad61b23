import fc from 'fast-check';
import { expect, it } from 'vitest';
import { PUBLIC_RULES } from '../../src/rules/rules.ts';
import { expectedSubstitutions } from '../../src/rules/substitutions.ts';
import type { Expected, Pair, Place } from '../../src/rules/substitutions.ts';
import { lineups } from '../support/random-squads.ts';
import { runs } from '../support/long.ts';

const RUNS = runs(300, 3000);

/** The public rules word by word, on formations written as texts such as "1-4-4-2": slow, and nothing of the code under test. */
const LEGAL = new Set([
  '1-3-4-3',
  '1-3-5-2',
  '1-4-3-3',
  '1-4-4-2',
  '1-4-5-1',
  '1-5-2-3',
  '1-5-3-2',
  '1-5-4-1',
]);

const shapeOf = (eleven: readonly Place[]): string =>
  (['GK', 'DEF', 'MID', 'FWD'] as const)
    .map((position) => eleven.filter((place) => place.position === position).length)
    .join('-');

function play(lineup: readonly Place[], order: readonly Place[]): readonly Pair[] {
  let eleven = lineup.slice(0, 11);
  const bench = lineup.slice(11);
  const pairs: Pair[] = [];
  for (const absent of order) {
    const index = bench.findIndex((substitute) => {
      const trial = eleven.map((place) => (place === absent ? substitute : place));
      return (substitute.minutes ?? 0) > 0 && LEGAL.has(shapeOf(trial));
    });
    const [substitute] = index === -1 ? [] : bench.splice(index, 1);
    if (substitute === undefined) continue;
    eleven = eleven.map((place) => (place === absent ? substitute : place));
    pairs.push({ out: absent.player, in: substitute.player });
  }
  return pairs;
}

function* orders<T>(items: readonly T[]): Generator<readonly T[]> {
  if (items.length === 0) yield [];
  for (const [index, first] of items.entries())
    for (const rest of orders(items.toSpliced(index, 1))) yield [first, ...rest];
}

const keyOf = (pairs: readonly Pair[]): string =>
  pairs
    .map((pair) => `${pair.out}>${pair.in}`)
    .toSorted()
    .join();
const fewAbsent = lineups.filter(
  (lineup) => lineup.slice(0, 11).filter(({ minutes }) => minutes === 0).length <= 6,
);

it('substitutes as the public rules do, in every order that they leave open', () => {
  fc.assert(
    fc.property(fewAbsent, (lineup) => {
      const absent = lineup.slice(0, 11).filter(({ minutes }) => minutes === 0);
      const { pairs, others } = expectedSubstitutions(lineup, PUBLIC_RULES) as Expected;
      expect(pairs).toEqual(play(lineup, absent));
      const all = [...orders(absent)].map((order) => keyOf(play(lineup, order)));
      expect(new Set([pairs, ...others].map(keyOf))).toEqual(new Set(all));
    }),
    { numRuns: RUNS },
  );
});

it('leaves the armband with a captain who played, else gives it to a vice-captain who did, else to nobody', () => {
  fc.assert(
    fc.property(lineups, (lineup) => {
      const { captain } = expectedSubstitutions(lineup, PUBLIC_RULES) as Expected;
      const wearers = [
        ...lineup.filter(({ isCaptain }) => isCaptain),
        ...lineup.filter(({ isViceCaptain }) => isViceCaptain),
      ];
      expect(captain).toBe(wearers.find(({ minutes = 0 }) => minutes > 0)?.player);
    }),
    { numRuns: RUNS },
  );
});

it('says nothing where what it needs is hidden, and the same as before where it needs nothing of it', () => {
  fc.assert(
    fc.property(lineups, fc.nat(14), fc.constantFrom('minutes', 'position'), (lineup, index, field) => {
      const known = expectedSubstitutions(lineup, PUBLIC_RULES);
      const hidden = lineup.map((place, at) => (at === index ? { ...place, [field]: undefined } : place));
      const found = expectedSubstitutions(hidden, PUBLIC_RULES);
      if (found.kind === 'known') expect(found).toEqual(known);
      else expect(found).toEqual({ kind: 'unknown', lacks: field, player: lineup[index]?.player });
      // Of the eleven everything decides as soon as one of them did not play.
      if (field === 'minutes' && index < 11) expect(found.kind).toBe('unknown');
    }),
    { numRuns: RUNS },
  );
});
