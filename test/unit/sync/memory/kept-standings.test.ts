import { expect, it } from 'vitest';
import type { LeagueScope } from '../../../../src/model/state/memory.ts';
import { keptOfSquad } from '../../../../src/season/kept.ts';
import { keptStandings } from '../../../../src/sync/memory/kept-standings.ts';
import { leagueWeeks } from '../../../../src/sync/memory/league-weeks.ts';
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
