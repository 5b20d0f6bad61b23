import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { FEWEST, MOST, pickLineup } from '../../../src/sandbox/game/lineup.ts';
import type { Place } from '../../../src/sandbox/game/lineup.ts';
import { POSITIONS } from '../../../src/sandbox/game/season.ts';
import type { Position } from '../../../src/sandbox/game/season.ts';
import { substitute } from '../../../src/sandbox/game/substitutions.ts';
import { runs } from '../../support/long.ts';

const RUNS = runs(2_000, 20_000);

const candidates = (position: fc.Arbitrary<Position>, minLength: number, maxLength: number) =>
  fc
    .array(fc.record({ position, price: fc.integer({ min: 38, max: 60 }) }), { minLength, maxLength })
    .map((players) => players.map((player, index) => ({ ...player, playerId: index + 1 })));
const anySquad = candidates(fc.constantFrom(...POSITIONS), 1, 20);
/** The squad of the public game, in any order. */
const publicSquad = fc
  .tuple(
    fc.shuffledSubarray(
      'GK GK DEF DEF DEF DEF DEF MID MID MID MID MID FWD FWD FWD'.split(' ') as Position[],
      { minLength: 15 },
    ),
    fc.array(fc.integer({ min: 38, max: 130 }), { minLength: 15, maxLength: 15 }),
  )
  .map(([positions, prices]) =>
    positions.map((position, index) => ({ playerId: index + 1, position, price: prices[index] ?? 38 })),
  );
const squad = fc.oneof(anySquad, publicSquad);

function countOf(places: readonly { readonly position: Position }[], position: Position): number {
  return places.filter((place) => place.position === position).length;
}

const startersOf = (places: readonly Place[]): readonly Place[] => places.filter((place) => place.isStarting);

/** Positions that a starting eleven has too few or too many of. */
function brokenPositions(places: readonly Place[]): readonly Position[] {
  const starters = startersOf(places);
  return POSITIONS.filter((position) => {
    const count = countOf(starters, position);
    return count < FEWEST[position] || count > MOST[position];
  });
}

function canBeLegal(players: readonly { readonly position: Position }[]): boolean {
  const most = POSITIONS.map((position) => Math.min(MOST[position], countOf(players, position)));
  const enough = POSITIONS.every((position) => countOf(players, position) >= FEWEST[position]);
  return enough && most.reduce((sum, count) => sum + count, 0) >= 11;
}

describe('the line-up of any squad', () => {
  it('holds every player once, and is legal wherever the squad can be', () => {
    fc.assert(
      fc.property(squad, (players) => {
        const places = pickLineup(players);
        expect(places.map((place) => place.order)).toEqual(players.map((_, index) => index + 1));
        expect(places.map((place) => place.playerId).toSorted((a, b) => a - b)).toEqual(
          players.map((player) => player.playerId),
        );
        const starters = startersOf(places);
        expect(places.slice(0, starters.length)).toEqual(starters);
        expect(starters.length).toBeLessThanOrEqual(11);
        expect(places.filter((place) => place.isCaptain)).toHaveLength(1);
        expect(places.filter((place) => place.isViceCaptain)).toHaveLength(starters.length > 1 ? 1 : 0);
        expect(
          places.filter((place) => place.isCaptain || place.isViceCaptain).every((p) => p.isStarting),
        ).toBe(true);
        if (canBeLegal(players)) expect([starters.length, brokenPositions(places)]).toEqual([11, []]);
      }),
      { numRuns: RUNS },
    );
  });

  it('leaves no dearer player on the bench who could take the place of a starter', () => {
    fc.assert(
      fc.property(publicSquad, (players) => {
        const priceOf = new Map(players.map((player) => [player.playerId, player.price]));
        const places = pickLineup(players);
        const starters = startersOf(places);
        for (const benched of places.filter((place) => !place.isStarting)) {
          for (const starter of starters) {
            const eleven = [
              ...starters.filter((place) => place !== starter),
              { ...benched, isStarting: true },
            ];
            if (brokenPositions(eleven).length > 0) continue;
            expect(priceOf.get(benched.playerId)).toBeLessThanOrEqual(priceOf.get(starter.playerId) ?? 0);
          }
        }
      }),
      { numRuns: RUNS / 4 },
    );
  });
});

const week = fc
  .tuple(squad, fc.array(fc.boolean(), { minLength: 20, maxLength: 20 }))
  .map(([players, absent]) => ({
    lineup: pickLineup(players),
    minutesOf: (playerId: number): number => (absent[playerId - 1] === true ? 0 : 90),
  }));

describe('automatic substitutions of any line-up in any week', () => {
  it('break no formation, take out nobody who played and bring in nobody who did not', () => {
    fc.assert(
      fc.property(week, ({ lineup, minutesOf }) => {
        const { places, substitutions } = substitute(lineup, minutesOf);
        for (const position of brokenPositions(places)) {
          const [before, after] = [lineup, places].map((all) => countOf(startersOf(all), position));
          expect(after).toBe(before);
        }
        for (const { out, in: into } of substitutions) {
          expect([minutesOf(out.playerId), minutesOf(into.playerId)]).toEqual([0, 90]);
          expect([out.isStarting, into.isStarting]).toEqual([false, true]);
          expect(out.position === 'GK').toBe(into.position === 'GK');
        }
        const stay = startersOf(lineup).filter((place) => minutesOf(place.playerId) > 0);
        expect(stay.every(({ playerId }) => places.find((p) => p.playerId === playerId)?.isStarting)).toBe(
          true,
        );
        expect(startersOf(places)).toHaveLength(startersOf(lineup).length);
        expect(places.map((place) => place.order)).toEqual(lineup.map((place) => place.order));
      }),
      { numRuns: RUNS },
    );
  });

  it('follow the order of the bench: no substitute is passed over who could have come on', () => {
    fc.assert(
      fc.property(week, ({ lineup, minutesOf }) => {
        let now = lineup;
        for (const { out, in: into } of substitute(lineup, minutesOf).substitutions) {
          const benched = now.filter((place) => !place.isStarting);
          const earlier = benched.slice(
            0,
            benched.findIndex((place) => place.playerId === into.playerId),
          );
          for (const passed of earlier.filter((place) => minutesOf(place.playerId) > 0)) {
            expect(brokenPositions(swapped(now, out.playerId, passed.playerId)).length).toBeGreaterThan(0);
          }
          now = swapped(now, out.playerId, into.playerId);
        }
      }),
      { numRuns: RUNS },
    );
  });

  it('are complete: doing them again changes nothing', () => {
    fc.assert(
      fc.property(week, ({ lineup, minutesOf }) => {
        const { places } = substitute(lineup, minutesOf);
        expect(substitute(places, minutesOf)).toEqual({ places, substitutions: [] });
      }),
      { numRuns: RUNS },
    );
  });

  it('pass the armband to the vice-captain exactly when the captain did not play and the vice-captain did', () => {
    fc.assert(
      fc.property(week, ({ lineup, minutesOf }) => {
        const idOf = (places: readonly Place[], flag: 'isCaptain' | 'isViceCaptain') =>
          places.find((place) => place[flag])?.playerId;
        const captain = idOf(lineup, 'isCaptain') ?? 0;
        const vice = idOf(lineup, 'isViceCaptain');
        const passes = vice !== undefined && minutesOf(captain) === 0 && minutesOf(vice) > 0;
        const { places } = substitute(lineup, minutesOf);
        expect([idOf(places, 'isCaptain'), idOf(places, 'isViceCaptain')]).toEqual(
          passes ? [vice, captain] : [captain, vice],
        );
      }),
      { numRuns: RUNS },
    );
  });
});

function swapped(places: readonly Place[], outId: number, intoId: number): readonly Place[] {
  const orderOf = (id: number): number => places.find((place) => place.playerId === id)?.order ?? 0;
  return places
    .map((place) => {
      if (place.playerId === outId) return { ...place, isStarting: false, order: orderOf(intoId) };
      return place.playerId === intoId ? { ...place, isStarting: true, order: orderOf(outId) } : place;
    })
    .toSorted((one, other) => one.order - other.order);
}
