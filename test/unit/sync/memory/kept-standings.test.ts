import { describe, expect, it } from 'vitest';
import type { LeagueScope } from '../../../../src/model/state/memory.ts';
import { keptMark, keptOfFixtures, keptOfLineup, keptOfSquad } from '../../../../src/season/kept.ts';
import { lineupFacts } from '../../../../src/season/squad-facts.ts';
import { keptStandings } from '../../../../src/sync/memory/kept-standings.ts';
import { leagueWeeks, type LeagueWeek } from '../../../../src/sync/memory/league-weeks.ts';
import { MemoryWeeks, WeeksData } from '../../../simulation/memory-weeks.ts';

const SCOPE: LeagueScope = { account: { baseUrl: 'http://127.0.0.1:1', accountId: 'a' }, league: 7 };
const DAY_MS = 24 * 60 * 60 * 1000;

it('the standings of a season have nothing of the one before', async () => {
  const memory = new MemoryWeeks(new WeeksData());
  const keep = async (
    week: number,
    start: string,
    totals: Readonly<Record<string, number>>,
  ): Promise<void> => {
    const startMs = Date.parse(start);
    const end_date = new Date(startMs + DAY_MS).toISOString();
    const game_week = { id: `${week} of ${start}`, week: String(week), start_date: start, end_date };
    for (const [id, total_points] of Object.entries(totals))
      await memory.keep(SCOPE, keptOfSquad({ id, game_week, ranking: { total_points } }, startMs + DAY_MS));
  };
  await keep(38, '2026-05-16T12:00:00Z', { old: 2_000, stays: 1_900 });
  await keep(1, '2026-08-15T12:00:00Z', { stays: 50, new: 60 });
  await keep(2, '2026-08-22T12:00:00Z', { stays: 120, new: 90, late: 30 });

  const weeks = await leagueWeeks(memory, SCOPE, Date.parse('2026-08-30T12:00:00Z'));
  const ids = new Set(weeks.map(({ week }) => week.id));
  const found = await Array.fromAsync(keptStandings(memory, SCOPE, weeks, ids, { groups: [] }));
  expect(
    found.map(({ rows = [] }) =>
      rows.map(({ id, rank, previous_rank, mark }) => [id, rank, previous_rank, mark]),
    ),
  ).toEqual([
    [
      ['old', 1, null, null],
      ['stays', 2, null, null],
    ],
    [
      ['new', 1, null, null],
      ['stays', 2, null, null],
    ],
    [
      ['stays', 1, 2, null],
      ['new', 2, 1, null],
      ['late', 3, null, 'late'],
    ],
  ]);
});

it.each([
  ['of its season', 0],
  ['of the next season', 70],
])(
  'have no points of a line-up that was read before the next week, %s, where neither end nor matches are known',
  async (_, breakDays) => {
    const memory = new MemoryWeeks(new WeeksData());
    const startOf = (at: number): number => Date.UTC(2026, 7, 8 + (7 + breakDays) * at, 12);
    const keep = (week: number, total_points: number, readAtMs: number) => {
      const game_week = {
        id: `week-${week}`,
        week: breakDays > 0 ? '1' : String(week),
        start_date: new Date(startOf(week)).toISOString(),
      };
      const squad = { starting_xi: [], bench: [] };
      return memory.keep(SCOPE, keptOfLineup({ id: 'l', game_week, squad, total_points }, 'a', readAtMs));
    };
    await keep(1, 3, startOf(1) + 1);
    await keep(2, 40, startOf(2) + 1);
    const pointsNow = async () => {
      const weeks = await leagueWeeks(memory, SCOPE, startOf(2) + DAY_MS);
      const ids = new Set(['week-1']);
      const [found] = await Array.fromAsync(keptStandings(memory, SCOPE, weeks, ids, { groups: [] }));
      return found?.rows?.map(({ points }) => points);
    };
    expect(await pointsNow()).toEqual([null]);
    const kickOff = new Date(startOf(1) + 1).toISOString();
    const matches = (start_date: string) =>
      keptOfFixtures(
        { id: 'week-1', week: '1', start_date: kickOff, fixtures: [{ id: 'f', start_date }] },
        startOf(2),
      );
    await memory.keep(SCOPE, matches(new Date(startOf(1) - DAY_MS).toISOString()));
    expect(await pointsNow()).toEqual([3]);
  },
);

it('have nothing of a detail that was read while a week without an end ran, which was closed since', async () => {
  const memory = new MemoryWeeks(new WeeksData());
  const startMs = Date.UTC(2026, 7, 15, 12);
  const week = { id: 'week-1', week: '1', start_date: new Date(startMs).toISOString() };
  const next = { id: 'week-2', week: '2', start_date: new Date(startMs + 7 * DAY_MS).toISOString() };
  const squad = { starting_xi: [], bench: [] };
  const ranking = { total_points: 3, game_week_points: 3 };
  for (const kept of [
    keptOfFixtures({ ...week, fixtures: [{ id: 'f', start_date: week.start_date }] }, startMs),
    keptOfFixtures({ ...next, fixtures: [] }, startMs),
    keptOfLineup({ id: 'l', game_week: week, squad, total_points: 3 }, 'a', startMs + 1),
    keptOfSquad({ id: 'a', game_week: week, ranking }, startMs + 1),
    [keptMark('week-1', 'processed', startMs + 8 * DAY_MS, { by: 'closed' })],
  ])
    await memory.keep(SCOPE, kept);
  const weeks = await leagueWeeks(memory, SCOPE, startMs + 8 * DAY_MS);
  const ids = new Set(['week-1']);
  const [found] = await Array.fromAsync(keptStandings(memory, SCOPE, weeks, ids, { groups: [] }));
  expect(weeks[0]?.state).toBe('final');
  expect(found?.rows?.map(({ points, total }) => [points, total])).toEqual([[null, null]]);
});

describe('the standings of a season that was read in part', () => {
  const gameWeek = (number: number) => {
    const startMs = Date.parse('2026-08-15T12:00:00Z') + 7 * (number - 1) * DAY_MS;
    const [start_date, end_date] = [startMs, startMs + DAY_MS].map((ms) => new Date(ms).toISOString());
    return { id: `week-${number}`, week: String(number), start_date, end_date };
  };
  const endMs = (number: number): number => Date.parse(gameWeek(number).end_date ?? '');
  const lineup = (number: number, total_points: number, points_deduction: number) => ({
    id: 'line-up',
    game_week: gameWeek(number),
    squad: { starting_xi: [], bench: [] },
    ...{ total_points, transfer_hits: { hits: points_deduction / 4, points_deduction } },
  });

  /** Totals of weeks 1, 2, 4, 5 and 7; of week 3 and of a squad of week 1 line-ups alone, of weeks 0 and 6 their fixtures. Substitutions of week 4 were processed late. */
  async function season(): Promise<{ memory: MemoryWeeks; weeks: readonly LeagueWeek[] }> {
    const memory = new MemoryWeeks(new WeeksData());
    const squads: readonly (readonly [number, Readonly<Record<string, readonly [number, number]>>])[] = [
      [1, { a: [50, 50], b: [60, 60] }],
      [2, { a: [120, 70], b: [90, 30], late: [30, 30] }],
      [4, { a: [200, 74], b: [210, 100], late: [60, 30], c: [40, 10] }],
      [5, { a: [246, 50], b: [250, 30], late: [70, 10] }],
      [7, { a: [300, 20], b: [290, 20] }],
    ];
    for (const [number, each] of squads)
      for (const [id, [total_points, game_week_points]] of Object.entries(each)) {
        const ranking = { total_points, game_week_points };
        await memory.keep(SCOPE, keptOfSquad({ id, game_week: gameWeek(number), ranking }, endMs(number)));
      }
    const lineups: readonly (readonly [number, string, number, number])[] = [
      [1, 'c', 5, 0],
      [3, 'a', 10, 4],
      [3, 'b', 20, 0],
      [5, 'a', 50, 4],
      [5, 'b', 30, 0],
    ];
    for (const [number, id, points, paid] of lineups)
      await memory.keep(SCOPE, keptOfLineup(lineup(number, points, paid), id, endMs(number)));
    for (const number of [0, 6])
      await memory.keep(SCOPE, keptOfFixtures({ ...gameWeek(number), fixtures: [] }, endMs(number)));
    const weeks = await leagueWeeks(memory, SCOPE, endMs(8));
    const processed = { atMs: endMs(4) + 1, by: 'log' } as const;
    const late = (league: LeagueWeek): LeagueWeek =>
      league.week.id === 'week-4' ? { ...league, state: 'final_by_totals', processed } : league;
    return { memory, weeks: weeks.map(late) };
  }

  const standingsOf = async (ids: readonly string[]) => {
    const { memory, weeks } = await season();
    return Array.fromAsync(keptStandings(memory, SCOPE, weeks, new Set(ids), { groups: [] }));
  };
  it('rank within groups by what was won since their first week, whichever weeks are asked for', async () => {
    const { memory, weeks } = await season();
    const groups = ['a', 'b'].map((member) => ({ member, group: 'Cup', fromWeek: 2 }));
    const user = (external_id: string) => ({ id: external_id, external_id });
    for (const id of ['a', 'b']) {
      const ranking = { total_points: id === 'a' ? 300 : 301, game_week_points: 20 };
      await memory.keep(
        SCOPE,
        keptOfSquad({ id, game_week: gameWeek(7), ranking, user: user(id) }, endMs(7) + 1),
      );
    }
    const ids = new Set(['week-7']);
    const [found] = await Array.fromAsync(keptStandings(memory, SCOPE, weeks, ids, { groups }));
    // Since the totals of week 1, which are 50 and 60: 250 and 241.
    expect(found?.rows?.map(({ id, group_rank: rank }) => [id, rank])).toEqual([
      ['b', 2],
      ['a', 1],
    ]);
  });

  const IDS = [0, 1, 2, 3, 4, 5, 6, 7].map((number) => gameWeek(number).id);

  // Without a line-up of the week after, nobody knows what a squad paid there.
  it('add up what is kept, less what transfers cost, and take late points from the next totals', async () => {
    const found = await standingsOf(IDS);
    expect(
      found.map(({ week, rows }) => [
        week.id,
        rows?.map(({ id, points, total, previous_rank, mark }) => [id, points, total, previous_rank, mark]),
      ]),
    ).toEqual([
      ['week-0', undefined],
      [
        'week-1',
        [
          ['b', 60, 60, null, null],
          ['a', 50, 50, null, null],
          ['c', 5, null, null, null],
        ],
      ],
      [
        'week-2',
        [
          ['a', 70, 120, 2, null],
          ['b', 30, 90, 1, null],
          ['late', 30, 30, null, 'late'],
        ],
      ],
      [
        'week-3',
        [
          ['a', 10, 126, 1, null],
          ['b', 20, 110, 2, null],
        ],
      ],
      [
        'week-4',
        [
          ['b', 110, 220, 2, null],
          ['a', 74, 200, 1, null],
          ['c', null, null, null, null],
          ['late', null, null, null, 'late'],
        ],
      ],
      [
        'week-5',
        [
          ['b', 30, 250, 1, null],
          ['a', 50, 246, 2, null],
          ['late', 10, 70, null, 'late'],
        ],
      ],
      ['week-6', undefined],
      [
        'week-7',
        [
          ['a', 20, 300, null, null],
          ['b', 20, 290, null, null],
        ],
      ],
    ]);
  });

  it.each(IDS)('are the same for %s alone as among all', async (id) => {
    const all = await standingsOf(IDS);
    expect(await standingsOf([id])).toEqual(all.filter(({ week }) => week.id === id));
  });

  it('are made of the line-ups that the caller has of the weeks that are asked for', async () => {
    const { memory, weeks } = await season();
    const asked: string[] = [];
    const lineups = (week: { readonly id: string }) => {
      asked.push(week.id);
      return Promise.resolve(new Map([['b', lineupFacts(lineup(3, 25, 0))]]));
    };
    const own = keptStandings(memory, SCOPE, weeks, new Set(['week-3']), { groups: [], lineups });
    const [found] = await Array.fromAsync(own);
    expect(asked).toEqual(['week-3']);
    expect(found?.rows?.map(({ id, total }) => [id, total])).toEqual([['b', 115]]);
  });

  it('say what of a week was read before its last match, once it is over', async () => {
    const { memory } = await season();
    const startMs = endMs(8) - DAY_MS;
    for (const [id, readAtMs] of [
      ['a', startMs - 1],
      ['b', startMs],
      ['c', endMs(8)],
    ] as const)
      await memory.keep(SCOPE, keptOfLineup(lineup(8, 9, 0), id, readAtMs));
    const of = async (nowMs: number) => {
      const weeks = await leagueWeeks(memory, SCOPE, nowMs);
      const own = keptStandings(memory, SCOPE, weeks, new Set(['week-8']), { groups: [] });
      const [found] = await Array.fromAsync(own);
      return [[...(found?.early.lineups ?? [])], found?.rows?.map(({ id, points }) => [id, points])];
    };
    expect(await of(endMs(8) - 1)).toMatchObject([[], expect.arrayContaining([['a', 9]])]);
    expect(await of(endMs(8))).toMatchObject([
      [
        ['a', 'nothing'],
        ['b', 'places'],
      ],
      expect.arrayContaining([
        ['a', null],
        ['b', null],
        ['c', 9],
      ]),
    ]);
  });

  it('have no points of a line-up that was read while the last match ran', async () => {
    const { memory } = await season();
    const kickOffMs = endMs(8) - 10 * 60 * 60 * 1000;
    const fixtures = [{ id: 'last', start_date: new Date(kickOffMs).toISOString() }];
    await memory.keep(SCOPE, keptOfFixtures({ ...gameWeek(8), fixtures }, kickOffMs));
    const overMs = kickOffMs + 2 * 60 * 60 * 1000;
    await memory.keep(SCOPE, keptOfLineup(lineup(8, 9, 0), 'a', overMs - 1));
    await memory.keep(SCOPE, keptOfLineup(lineup(8, 9, 0), 'b', overMs));
    const weeks = await leagueWeeks(memory, SCOPE, endMs(8));
    const own = keptStandings(memory, SCOPE, weeks, new Set(['week-8']), { groups: [] });
    const [found] = await Array.fromAsync(own);
    expect(found?.rows?.map(({ id, points }) => [id, points])).toEqual(
      expect.arrayContaining([
        ['a', null],
        ['b', 9],
      ]),
    );
  });

  it.each([
    ['free_hit', 1],
    // It may be a free hit by another name.
    ['one week off', null],
  ])(
    'compare the squad after a chip with the one before it, also where that week alone is asked for: %s',
    async (chip, transfers) => {
      const memory = new MemoryWeeks(new WeeksData());
      for (const [number, players, chip_selected] of [
        [1, 'A B C', null],
        [2, 'X Y Z', chip],
        [3, 'A B D', null],
      ] as const) {
        const starting_xi = players.split(' ').map((id) => ({ player: { id } }));
        const shown = { ...lineup(number, 10, 0), chip_selected, squad: { starting_xi, bench: [] } };
        const ranking = { total_points: 10 * number, game_week_points: 10 };
        await memory.keep(SCOPE, keptOfLineup(shown, 'a', endMs(number)));
        await memory.keep(
          SCOPE,
          keptOfSquad({ id: 'a', game_week: gameWeek(number), ranking }, endMs(number)),
        );
      }
      const weeks = await leagueWeeks(memory, SCOPE, endMs(4));
      const found = keptStandings(memory, SCOPE, weeks, new Set(['week-3']), { groups: [] });
      expect((await Array.fromAsync(found))[0]?.rows).toMatchObject([{ transfers }]);
    },
  );

  it('have no total from before a correction beside one from after it, where a week follows from totals', async () => {
    const memory = new MemoryWeeks(new WeeksData());
    const keep = async (number: number, id: string, points: number, total_points: number, atMs: number) => {
      const [game_week, ranking] = [gameWeek(number), { total_points, game_week_points: points }];
      await memory.keep(SCOPE, keptOfLineup(lineup(number, points, 0), id, atMs));
      await memory.keep(SCOPE, keptOfSquad({ id, game_week, ranking }, atMs));
    };
    const processedMs = endMs(1) + 1_000;
    await memory.keep(SCOPE, [keptMark('week-1', 'processed', processedMs, { by: 'log' })]);
    // One was read after the substitutions, the other before them; both won 5 points by a correction since.
    await keep(1, 'read', 50, 50, processedMs);
    await keep(1, 'unread', 49, 49, processedMs - 1);
    await keep(2, 'read', 10, 65, endMs(2));
    await keep(2, 'unread', 10, 64, endMs(2));
    const weeks = await leagueWeeks(memory, SCOPE, endMs(3));
    expect(weeks.map(({ state }) => state)).toEqual(['final_by_totals', 'provisional']);
    const found = keptStandings(memory, SCOPE, weeks, new Set(['week-1']), { groups: [] });
    expect(
      (await Array.fromAsync(found))[0]?.rows?.map(({ id, points, total }) => [id, points, total]),
    ).toEqual([
      ['read', 55, 55],
      ['unread', 54, 54],
    ]);
  });

  it('are none where no week is asked for', async () => {
    expect(await standingsOf(['another'])).toEqual([]);
  });
});
