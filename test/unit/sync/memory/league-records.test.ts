import { expect, it } from 'vitest';
import type { LeagueScope } from '../../../../src/model/state/memory.ts';
import { keptMark, keptOfFixtures, keptOfLineup, keptOfPlayer } from '../../../../src/season/kept.ts';
import { keptPlayers, keptWeeks, minutesOf } from '../../../../src/sync/memory/league-records.ts';
import { MemoryWeeks, WeeksData } from '../../../simulation/memory-weeks.ts';

const SCOPE: LeagueScope = { account: { baseUrl: 'http://127.0.0.1:1', accountId: 'a' }, league: 7 };
const HOUR_MS = 60 * 60 * 1000;
const START_MS = Date.parse('2026-08-15T12:00:00Z');
const NEXT_MS = START_MS + 7 * 24 * HOUR_MS;
const iso = (ms: number): string => new Date(ms).toISOString();

/** The first of two weeks without an end, whose matches begin at these times. */
async function firstWeek(kickOffs: readonly number[], marks: { processedMs?: number } = {}) {
  const memory = new MemoryWeeks(new WeeksData());
  const week = { id: 'week-1', week: '1', start_date: iso(START_MS) };
  const next = { id: 'week-2', week: '2', start_date: iso(NEXT_MS) };
  const fixtures = kickOffs.map((ms, at) => ({ id: `f${at}`, start_date: iso(ms) }));
  const lineup = (captain: string) => ({
    ...{ id: 'l', game_week: week, total_points: 3 },
    squad: { starting_xi: [{ player: { id: captain }, is_captain: true }], bench: [] },
  });
  for (const kept of [
    keptOfFixtures({ ...week, fixtures }, START_MS),
    keptOfFixtures({ ...next, fixtures: [] }, START_MS),
    keptOfLineup(lineup('1'), 'a', START_MS + HOUR_MS),
    keptOfLineup(lineup('2'), 'a', NEXT_MS - HOUR_MS),
  ])
    await memory.keep(SCOPE, kept);
  const { processedMs } = marks;
  if (processedMs !== undefined)
    await memory.keep(SCOPE, [keptMark('week-1', 'processed', processedMs, { by: 'log' })]);
  const [found] = await keptWeeks(memory, SCOPE, { kind: 'all' });
  return found;
}

it('a match that was put off to a later week keeps no week without an end open: a line-up from after the others is one after substitutions', async () => {
  const kickOffMs = START_MS + 2 * HOUR_MS;
  const week = await firstWeek([kickOffMs, NEXT_MS + 14 * 24 * HOUR_MS]);
  expect(week).toMatchObject({
    overMs: kickOffMs + 2 * HOUR_MS,
    wholeMs: kickOffMs + 2 * HOUR_MS,
  });
  const { before, after } = week?.lineups.get('a') ?? {};
  expect([before, after].map((each) => each?.squad?.starting_xi?.[0]?.player?.id)).toEqual(['1', '2']);
});

it('a week without an end and without matches is over when its substitutions are processed, else when the next one begins', async () => {
  expect((await firstWeek([]))?.wholeMs).toBe(NEXT_MS);
  const processedMs = NEXT_MS - 2 * HOUR_MS;
  expect((await firstWeek([], { processedMs }))?.wholeMs).toBe(processedMs);
  expect((await firstWeek([], { processedMs: NEXT_MS + HOUR_MS }))?.wholeMs).toBe(NEXT_MS);
});

it('a player without statistics has no minutes where his club has no match in the week, or one that was put off, also where others are shown with none', async () => {
  const memory = new MemoryWeeks(new WeeksData());
  const fixtures = (id: string, home: string, away: string, atMs = START_MS) => [
    { id, start_date: iso(atMs), teams: { home: { id: 1, name: home }, away: { id: 2, name: away } } },
  ];
  const putOff = fixtures('f3', 'Elm', 'Fir', NEXT_MS + 24 * HOUR_MS);
  const week = { id: 'week-1', week: '1', start_date: iso(START_MS) };
  const next = { id: 'week-2', week: '2', start_date: iso(NEXT_MS) };
  const first = { ...week, fixtures: [...fixtures('f1', 'Ash', 'Birch'), ...putOff] };
  await memory.keep(SCOPE, keptOfFixtures(first, START_MS));
  await memory.keep(SCOPE, keptOfFixtures({ ...next, fixtures: fixtures('f2', 'Ash', 'Cedar') }, START_MS));
  const shown = [
    { id: 1, team: 'Ash', minutes_played: 90 },
    { id: 2, team: 'Birch', minutes_played: 0 },
    { id: 3, team: 'Birch' },
    { id: 4, team: 'Cedar' },
    { id: 5, team: 'Dogwood' },
    { id: 6, team: 'Elm' },
  ];
  const readMs = START_MS + 24 * HOUR_MS;
  for (const { id, team, minutes_played } of shown) {
    const weekly_stats = minutes_played === undefined ? [] : [{ game_week: '1', minutes_played }];
    const at = { weekOf: () => 'week-1', current: 'week-1' };
    await memory.keep(SCOPE, keptOfPlayer({ id, team, weekly_stats }, at, readMs));
  }
  const [found] = await keptWeeks(memory, SCOPE, { kind: 'all' });
  if (found === undefined) throw new Error('no week');
  const minutes = minutesOf(await keptPlayers(memory, SCOPE, found, { positions: {} }));
  // Of Dogwood no match is known, and who of Birch has none is not shown.
  expect(minutes).toEqual(
    new Map([
      ['1', 90],
      ['2', 0],
      ['4', 0],
      ['6', 0],
    ]),
  );
});
