import { expect, it } from 'vitest';
import type { RecordOf } from '../../../src/contract/index.ts';
import type { PlayerWeek, Settings } from '../../../src/rules/points.ts';
import { whatIf } from '../../../src/season/whatif.ts';
import { settingNames } from '../../support/points.ts';

const SETTINGS: Settings = {
  ...Object.fromEntries(settingNames.map((name) => [name, 0])),
  starter_points: 1,
  minutes_played_points: 1,
  forward_goal_points: 4,
  midfielder_goal_points: 5,
  time_onfield_eligibility_minutes: 60,
  clean_sheet_eligibility_minutes: 60,
};
const player = (
  position: PlayerWeek['position'],
  goals: number,
  points: number,
  minutes = 90,
): PlayerWeek => ({
  position,
  stat: {
    ...{ goals, points, minutes_played: minutes, games_started: 1, assists: 0, saves: 0, clean_sheets: 0 },
    ...{ yellow_cards: 0, red_cards: 0, penalty_saves: 0, penalty_missed: 0, goals_conceded: 0 },
  },
});
/** A forward with two goals, one with none, a midfielder with one who was taken off early, and one whose points nobody can explain. */
const PLAYERS = new Map([
  ['1', player('FWD', 2, 10)],
  ['2', player('FWD', 0, 2)],
  ['3', player('MID', 1, 6, 45)],
  ['4', player('MID', 1, 3)],
]);

type Lineup = RecordOf<'get-lineup'>;
type Told = readonly [player: string, points: number];
function lineup(id: string, eleven: readonly Told[], bench: readonly Told[], total: number): Lineup {
  const entry = ([name, points]: Told, index: number) => ({
    player: { id: name },
    is_captain: index === 0,
    points,
  });
  return {
    id,
    squad: { starting_xi: eleven.map(entry), bench: bench.map((one) => entry(one, 1)) },
    total_points: total,
  };
}
const run = (lineups: readonly Lineup[], over: Settings) =>
  whatIf(
    {
      settings: SETTINGS,
      lineupSettings: SETTINGS,
      lineups: new Map(lineups.map((each) => [each.id, each])),
      players: PLAYERS,
    },
    over,
  );

const A = lineup(
  'A',
  [
    ['1', 20],
    ['3', 6],
  ],
  [['4', 3]],
  26,
);
const B = lineup(
  'B',
  [
    ['3', 12],
    ['2', 2],
  ],
  [['1', 10]],
  14,
);

it('counts (new - old) x count x the multiplier of each entry that counts', () => {
  // The captain of A scored twice and counts double; the one on the bench of B does not count.
  const { squads, settings } = run([A, B], { forward_goal_points: 5, midfielder_goal_points: 4 });
  expect([...squads]).toEqual([
    ['A', 4 - 1],
    ['B', -2],
  ]);
  expect([...settings]).toEqual([
    ['forward_goal_points', 4],
    ['midfielder_goal_points', -3],
  ]);
});

it('counts the bench where the points of the line-up add up with it alone', () => {
  const boosted = lineup(
    'C',
    [
      ['3', 12],
      ['2', 2],
    ],
    [['1', 10]],
    24,
  );
  expect(run([boosted], { forward_goal_points: 5 }).squads.get('C')).toBe(2);
});

it('knows how often a player counts where the service counted the week again by newer settings', () => {
  const newer = { ...SETTINGS, starter_points: 2 };
  const again = [...PLAYERS].map(([id, { position, stat }]): [string, PlayerWeek] => [
    id,
    { position, stat: { ...stat, points: (stat.points ?? 0) + 1 } },
  ]);
  const week = {
    ...{ settings: newer, lineupSettings: SETTINGS, players: new Map(again) },
    lineups: new Map([A, B].map((each) => [each.id, each])),
  };
  // What counts already changes nothing; one more for each start counts twice for the captain.
  expect([...whatIf(week, { starter_points: 2 }).squads.values()]).toEqual([0, 0]);
  expect(whatIf(week, { starter_points: 3 })).toMatchObject({ unknown: 0 });
  expect([...whatIf(week, { starter_points: 3 }).squads.values()]).toEqual([3, 3]);
});

it('takes thresholds of weeks alone that are explained, and says how many are', () => {
  const whole = lineup(
    'D',
    [
      ['3', 12],
      ['4', 3],
    ],
    [],
    15,
  );
  const found = run([whole], { time_onfield_eligibility_minutes: 45 });
  expect(found).toMatchObject({ playerWeeks: 2, explained: 1, unknown: 1 });
  expect(found.squads.get('D')).toBe(2);
});

it('learns of the others how often a player without points counts, and guesses nothing where they differ', () => {
  const none = new Map([...PLAYERS, ['9', player('FWD', 1, 0)]]);
  const ask = (lineups: readonly Lineup[]) =>
    whatIf(
      {
        ...{ settings: SETTINGS, lineupSettings: SETTINGS, players: none },
        lineups: new Map(lineups.map((each) => [each.id, each])),
      },
      { forward_goal_points: 5 },
    );
  const E = lineup('E', [['9', 0]], [], 0);
  expect(ask([A, B, E]).squads.get('E')).toBe(2);
  const triple = lineup('F', [['1', 30]], [], 30);
  expect(ask([A, triple, E])).toMatchObject({ unknown: 1 });
  expect(ask([A, triple, E]).squads.get('E')).toBe(0);
});

it('is not misled by points that were corrected after the line-up was read', () => {
  const players = new Map([...PLAYERS, ['5', player('FWD', 1, 6)]]);
  const of = (id: string, captain: number, second: number): Lineup =>
    lineup(
      id,
      [
        ['1', captain],
        ['2', second],
        ['3', 6],
        ['5', 6],
      ],
      [],
      captain + second + 12,
    );
  const ask = (captain: number) =>
    whatIf(
      {
        ...{ settings: SETTINGS, lineupSettings: SETTINGS, players },
        lineups: new Map(
          [of('A', captain, 4), of('B', 20, 2), of('C', 20, 2)].map((each) => [each.id, each]),
        ),
      },
      { starter_points: 2 },
    );
  // Player 2 had 4 points when A was read, which is twice what he has now: he counts once all the same, and the captain twice.
  expect(ask(20).squads.get('A')).toBe(5);
  expect(ask(25)).toMatchObject({ unknown: 0 });
  expect(ask(25).squads.get('A')).toBe(5);
  // Three times may be a chip, or points that were corrected.
  expect(ask(30)).toMatchObject({ unknown: 1 });
  expect(ask(30).squads.get('A')).toBe(3);
});

it('knows nothing of line-ups that were read before the matches, and learns of those that were read later', () => {
  const early = lineup(
    'G',
    [
      ['1', 0],
      ['3', 0],
    ],
    [],
    0,
  );
  const alone = run([early], { starter_points: 3 });
  expect(alone).toMatchObject({ playerWeeks: 2, unknown: 2 });
  expect(alone.squads.get('G')).toBe(0);
  const among = run([A, B, early], { starter_points: 3 });
  expect(among).toMatchObject({ unknown: 0 });
  expect(among.squads.get('G')).toBe(6);
});

it('knows of a line-up that was read early as much as it can show', () => {
  const halfTime = lineup(
    'H',
    [
      ['1', 10],
      ['3', 6],
    ],
    [],
    16,
  );
  const ask = (early: 'places' | 'nothing') =>
    whatIf(
      {
        ...{ settings: SETTINGS, lineupSettings: SETTINGS, players: PLAYERS },
        lineups: new Map([A, B, halfTime].map((each) => [each.id, each])),
        early: new Map([['H', early]]),
      },
      { starter_points: 2 },
    );
  // Who stands there is sure, and what was shown of their points is not: the captain counts as the others do.
  expect(ask('places')).toMatchObject({ unknown: 0 });
  expect(ask('places').squads.get('H')).toBe(3);
  expect(ask('nothing')).toMatchObject({ unknown: 2 });
  expect(ask('nothing').squads.get('H')).toBe(0);
});

it('counts a vice-captain as a captain where the captain did not play alone', () => {
  const players = new Map([...PLAYERS, ['6', { position: 'FWD', stat: { minutes_played: 0, points: 0 } }]]);
  const of = (id: string, captain: string, vice: Told): Lineup => {
    const made = lineup(id, [[captain, 0], vice], [], vice[1]);
    const [first, second] = made.squad?.starting_xi ?? [];
    if (first === undefined || second === undefined) throw new Error('two players start');
    return { ...made, squad: { starting_xi: [first, { ...second, is_vice_captain: true }], bench: [] } };
  };
  const acting = [of('A', '6', ['1', 20]), of('B', '6', ['1', 20])];
  const week = {
    ...{ settings: SETTINGS, lineupSettings: SETTINGS, players },
    lineups: new Map([...acting, of('C', '2', ['1', 0])].map((each) => [each.id, each])),
  };
  const { squads } = whatIf(week, { forward_goal_points: 5 });
  expect([...squads.values()]).toEqual([4, 4, 0]);
});
