import { expect, it } from 'vitest';
import { lineupFacts, squadFacts } from '../../../src/season/squad-facts.ts';

it('reads what a squad paid for transfers, a deduction as positive', () => {
  expect(lineupFacts({ id: 'A', transfer_hits: { hits: 1, points_deduction: -4 } })).toMatchObject({
    hits: 1,
    paid: 4,
  });
  expect(lineupFacts({ id: 'A', transfer_hits: null })).toMatchObject({ hits: null, paid: null });
});

it('has the captain, the points of the bench where all are shown, and the players', () => {
  const captain = { id: '7', last_name: 'Able' };
  const squad = {
    starting_xi: [{ player: captain, is_captain: true, points: 8 }],
    bench: [
      { player: { id: '8' }, points: 2 },
      { player: { id: '9' }, points: 1 },
    ],
  };
  expect(lineupFacts({ id: 'A', squad })).toMatchObject({
    ...{ captain, captainPoints: 8, benchPoints: 3 },
    players: ['7', '8', '9'],
  });
  const hidden = { ...squad, bench: [{ player: { id: '8' }, points: 2 }, { player: { id: '9' } }] };
  expect(lineupFacts({ id: 'A', squad: hidden })).toMatchObject({ benchPoints: null });
});

it('has the rank that stood beside a total', () => {
  expect(squadFacts({ ranking: { current_rank: 3, total_points: 40 } })).toMatchObject({
    rank: 3,
    total: 40,
  });
  expect(squadFacts({})).toMatchObject({ rank: null, total: null });
});

it('has the chips that name a week', () => {
  const chips = [
    { chip: 'wildcard', game_week_played: '3' },
    { chip: 'bench_boost', game_week_played: null },
  ];
  expect(squadFacts({ chips }).chips).toEqual([{ chip: 'wildcard', week: '3' }]);
});
