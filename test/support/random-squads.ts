import fc from 'fast-check';
import type { Position } from '../../src/rules/rules.ts';
import type { Place } from '../../src/rules/substitutions.ts';

/** Legal formations of the public rules: how many defenders, midfielders and forwards start. */
const FORMATIONS = [3, 4, 5].flatMap((DEF) =>
  [2, 3, 4, 5]
    .flatMap((MID) => [1, 2, 3].map((FWD) => ({ DEF, MID, FWD })))
    .filter(({ MID, FWD }) => DEF + MID + FWD === 10),
);

/** Line-ups of legal squads of fifteen, in which some did not play. */
export const lineups: fc.Arbitrary<readonly Place[]> = fc
  .record({
    formation: fc.constantFrom(...FORMATIONS),
    played: fc.array(
      fc.oneof(
        { weight: 2, arbitrary: fc.integer({ min: 1, max: 90 }) },
        { weight: 1, arbitrary: fc.constant(0) },
      ),
      { minLength: 15, maxLength: 15 },
    ),
    bench: fc.shuffledSubarray([0, 1, 2, 3], { minLength: 4 }),
    captains: fc.shuffledSubarray([0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10], { minLength: 2, maxLength: 2 }),
  })
  .map(({ formation: { DEF, MID, FWD }, played, bench, captains }) => {
    const of = (position: Position, count: number): readonly Position[] =>
      Array.from({ length: count }, () => position);
    const left = ['GK', ...of('DEF', 5 - DEF), ...of('MID', 5 - MID), ...of('FWD', 3 - FWD)] as const;
    const positions = [
      'GK' as const,
      ...of('DEF', DEF),
      ...of('MID', MID),
      ...of('FWD', FWD),
      ...bench.map((index) => left[index] ?? 'GK'),
    ];
    return positions.map((position, index) => ({
      player: String(index + 101),
      order: index + 1,
      isStarting: index < 11,
      isCaptain: captains[0] === index,
      isViceCaptain: captains[1] === index,
      position,
      minutes: played[index],
    }));
  });
