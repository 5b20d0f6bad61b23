import { describe, expect, it } from 'vitest';
import { squadFacts } from '../../../src/season/squad-facts.ts';
import { contradiction, learnHits, pointsOf, type SquadPoints } from '../../../src/season/totals.ts';

const points = (total: number, week: number, deduction?: number): SquadPoints => ({ total, week, deduction });
const before = points(100, 50, 0);

describe('whether the points of a week are net of transfers', () => {
  it.each([
    ['net', [points(146, 46, 4)]],
    ['gross', [points(146, 50, 4)]],
    [undefined, [points(146, 46, 0)]],
    [undefined, [points(146, 46)]],
    [undefined, [points(147, 46, 4)]],
    [undefined, [points(146, 46, 4), points(146, 50, 4)]],
    ['net', [points(146, 46, 4), points(138, 38, 8), points(146, 50, 4)]],
  ])('is learnt as %s', (learnt, afters) => {
    expect(learnHits(afters.map((after) => ({ before, after })))).toBe(learnt);
  });
});

describe('a later total', () => {
  it.each([
    ['agrees', points(150, 50, 0), undefined, 0],
    ['contradicts by two points', points(152, 50, 0), undefined, 2],
    ['tells nothing of a squad that paid while that is not learnt', points(146, 46, 4), undefined, undefined],
    ['tells nothing where no line-up says whether it paid', points(150, 50), 'net', undefined],
    ['agrees with net points', points(146, 46, 4), 'net', 0],
    ['agrees with gross points', points(146, 50, 4), 'gross', 0],
    ['contradicts gross points', points(145, 50, 4), 'gross', -1],
  ] as const)('%s', (_what, after, hits, difference) => {
    expect(contradiction({ before, after }, hits)).toBe(difference);
  });
});

it('reads the points of a squad where they are those of its game week', () => {
  const ranking = { game_week_points: 46, total_points: 146, game_week: '7' };
  expect(pointsOf(squadFacts({ ranking, game_week: { week: 'GW7' } }))).toEqual(points(146, 46));
  expect(pointsOf(squadFacts({ ranking }))).toEqual(points(146, 46));
  expect(pointsOf(squadFacts({ ranking, game_week: { week: 'GW8' } }))).toBeUndefined();
  expect(pointsOf(squadFacts({ ranking: { game_week_points: 46 } }))).toBeUndefined();
});
