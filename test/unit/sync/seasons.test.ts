import { expect, it } from 'vitest';
import type { LeagueScope } from '../../../src/model/state/memory.ts';
import type { WeekChoice } from '../../../src/mapping/week-choice.ts';
import { PUBLIC_RULES } from '../../../src/rules/rules.ts';
import { keptOfFixtures, keptOfLineup, keptOfPlayer } from '../../../src/season/kept.ts';
import { auditWeeks } from '../../../src/sync/audit.ts';
import { markProcessed } from '../../../src/sync/memory/processed.ts';
import { chosenWeeks } from '../../../src/sync/pulling/weeks.ts';
import { previewPoints } from '../../../src/sync/whatif.ts';
import { MemoryWeeks, WeeksData } from '../../simulation/memory-weeks.ts';

const SCOPE: LeagueScope = { account: { baseUrl: 'http://127.0.0.1:1', accountId: 'a' }, league: 7 };
const WEEK_7 = { kind: 'range', from: 7, to: 7 } as const;
const NOW_MS = Date.parse('2026-09-27T12:00:00Z');
const settings = { starter_points: 2 };
const portsOf = (memory: MemoryWeeks) =>
  ({ store: { memory } }) as unknown as Parameters<typeof auditWeeks>[0];

/** A squad's line-up of a game week, as it is shown `afterMs` after `start_date`. */
function keepLineup(
  memory: MemoryWeeks,
  id: string,
  week: { id: string; week?: string; start_date: string },
  afterMs: number,
) {
  const game_week = { week: '7', end_date: week.start_date, ...week };
  const lineup = { id, name: id, game_week, squad: { starting_xi: [], bench: [] }, total_points: 1 };
  return memory.keep(SCOPE, keptOfLineup(lineup, id, Date.parse(week.start_date) + afterMs));
}

it('audits and previews take a week by its number from the newest season', async () => {
  const memory = new MemoryWeeks(new WeeksData());
  for (const [id, start_date] of [
    ['old', '2025-09-27T12:00:00Z'],
    ['new', '2026-09-26T12:00:00Z'],
  ] as const)
    await keepLineup(memory, id, { id: `7 of ${id}`, start_date }, 1);
  const ports = portsOf(memory);
  const { weeks } = await auditWeeks(ports, SCOPE, PUBLIC_RULES, WEEK_7, NOW_MS);
  expect(weeks).toMatchObject([{ week: 7, squads: 1 }]);
  for (const choice of [WEEK_7, { kind: 'all' } as const]) {
    const found = await previewPoints(
      ports,
      SCOPE,
      PUBLIC_RULES,
      choice,
      { starter_points: 3 },
      settings,
      NOW_MS,
    );
    expect(found.squads).toMatchObject([{ id: 'new' }]);
  }
});

it('audits, previews and reports take the season that began last, not the one whose fixtures are known', async () => {
  const memory = new MemoryWeeks(new WeeksData());
  const keepWeek = async (id: string, week: string, start_date: string): Promise<void> => {
    const shown = { id, week, start_date, end_date: start_date, fixtures: [] };
    await memory.keep(SCOPE, keptOfFixtures(shown, NOW_MS));
  };
  const ports = portsOf(memory);
  const told = async () => {
    const { weeks } = await auditWeeks(ports, SCOPE, PUBLIC_RULES, WEEK_7, NOW_MS);
    const over = { starter_points: 3 };
    const found = await previewPoints(ports, SCOPE, PUBLIC_RULES, WEEK_7, over, settings, NOW_MS);
    return [weeks.map(({ squads }) => squads), found.squads.map(({ id }) => id)];
  };
  await keepLineup(memory, 'a', { id: 'seven', week: '7', start_date: '2026-05-02T12:00:00Z' }, 1);
  await keepWeek('eight', '8', '2026-05-09T12:00:00Z');
  await keepWeek('new seven', '7', '2026-10-31T12:00:00Z');
  expect(await told()).toEqual([[1], ['a']]);
  // Once a week of the new season has begun, numbers are those of it: of a range, none is of the old one.
  await keepWeek('new six', '6', '2026-09-20T12:00:00Z');
  expect(await told()).toEqual([[], []]);
  const context = { ...portsOf(memory), service: { timeMs: () => undefined }, clock: { now: () => NOW_MS } };
  context.store.fact = () => Promise.resolve(undefined);
  const range = { kind: 'range', from: 1, to: 12 } as const;
  const chosen = await chosenWeeks(range, SCOPE, context as unknown as Parameters<typeof chosenWeeks>[2]);
  expect(chosen.weeks.map(({ week }) => week.id)).toEqual(['new six']);
  expect(chosen.missing).toEqual([1, 2, 3, 4, 5]);
});

it('audits and previews leave out the game week in which a late squad begins, until it has begun', async () => {
  const memory = new MemoryWeeks(new WeeksData());
  for (const id of ['a', 'b', 'c'])
    await keepLineup(memory, id, { id: 'seven', start_date: '2026-09-26T12:00:00Z' }, 1);
  await keepLineup(
    memory,
    'late',
    { id: 'eight', week: '8', start_date: '2026-10-03T12:00:00Z' },
    -6 * 86_400_000,
  );
  const ports = portsOf(memory);
  for (const kind of ['current', 'last', 'all'] as const) {
    const { weeks } = await auditWeeks(ports, SCOPE, PUBLIC_RULES, { kind }, NOW_MS);
    expect(weeks, kind).toMatchObject([{ week: 7, squads: 3 }]);
    const over = { starter_points: 3 };
    const found = await previewPoints(ports, SCOPE, PUBLIC_RULES, { kind }, over, settings, NOW_MS);
    expect(found.weeks, kind).toEqual(['7']);
  }
});

it('audits and previews say of a week without line-ups that it is missing, and take none in its place', async () => {
  const memory = new MemoryWeeks(new WeeksData());
  const keep = (week: string, day: string): Promise<void> =>
    keepLineup(memory, 'a', { id: `week ${week}`, week, start_date: `2026-09-${day}T12:00:00Z` }, 1);
  await keep('5', '12');
  await keep('7', '26');
  for (const [week, day] of [
    ['6', '19'],
    ['8', '27'],
  ]) {
    const start_date = `2026-09-${day}T10:00:00Z`;
    const shown = { id: `week ${week}`, week: week ?? '', start_date, end_date: start_date, fixtures: [] };
    await memory.keep(SCOPE, keptOfFixtures(shown, Date.parse(start_date)));
  }
  const ports = portsOf(memory);
  const atMs = Date.parse('2026-09-27T11:00:00Z');
  for (const week of ['5', '8']) await markProcessed({ memory }, SCOPE, `week ${week}`, atMs, 'trigger');
  const audited = async (choice: WeekChoice) => {
    const { weeks, exitCode } = await auditWeeks(ports, SCOPE, PUBLIC_RULES, choice, NOW_MS);
    return [exitCode, ...weeks.map(({ week, squads }) => [week, squads])];
  };
  expect(await audited({ kind: 'last' })).toEqual([7, [8, 0]]);
  expect(await audited({ kind: 'current' })).toEqual([7, [8, 0]]);
  expect(await audited({ kind: 'all' })).toEqual([7, [5, 1], [6, 0], [7, 1], [8, 0]]);

  const previewed = async (choice: WeekChoice) => {
    const over = { starter_points: 3 };
    const found = await previewPoints(ports, SCOPE, PUBLIC_RULES, choice, over, settings, NOW_MS);
    return [found.weeks, found.missing.map(({ text }) => text)];
  };
  expect(await previewed({ kind: 'last' })).toEqual([[], ['8']]);
  expect(await previewed({ kind: 'all' })).toEqual([
    ['5', '7'],
    ['6', '8'],
  ]);
});

it('audits by line-ups that were fixed and by minutes of whole matches', async () => {
  const memory = new MemoryWeeks(new WeeksData());
  const beginMs = Date.parse('2026-09-26T12:00:00Z');
  const [endMs, processedMs] = [beginMs + 3_600_000, beginMs + 7_200_000];
  const week = { id: 'seven', week: '7', start_date: iso(beginMs), end_date: iso(endMs) };
  const entry = (player: string) => ({ player: { id: player }, position: { position: 'Midfielder' } });
  const squad = { starting_xi: [{ ...entry('1'), is_captain: true }, entry('2')], bench: [entry('3')] };
  const keep = (id: string, readAtMs: number): Promise<void> =>
    memory.keep(SCOPE, keptOfLineup({ id, name: id, game_week: week, squad }, id, readAtMs));
  await keep('early', beginMs - 1);
  await keep('fixed', endMs - 1);
  const play = async (readAtMs: number, minutes: number): Promise<void> => {
    for (const id of [1, 2, 3]) {
      const player = { id, weekly_stats: [{ game_week: '7', minutes_played: id === 2 ? minutes : 90 }] };
      await memory.keep(SCOPE, keptOfPlayer(player, { weekOf: () => 'seven', current: 'seven' }, readAtMs));
    }
  };
  await markProcessed({ memory }, SCOPE, 'seven', processedMs, 'trigger');
  const rules = { ...PUBLIC_RULES, eleven: { GK: [0, 0], DEF: [0, 0], MID: [0, 11], FWD: [0, 0] } } as const;
  const audited = async () => (await auditWeeks(portsOf(memory), SCOPE, rules, WEEK_7, NOW_MS)).weeks[0];
  // The match of the second player had not begun.
  await play(endMs - 1, 0);
  expect(await audited()).toMatchObject({
    differ: 0,
    lacks: new Map([
      ['lineup', 1],
      ['minutes', 1],
    ]),
  });
  await play(endMs, 90);
  expect(await audited()).toMatchObject({ agree: 1, differ: 0, lacks: new Map([['lineup', 1]]) });
});

const iso = (ms: number): string => new Date(ms).toISOString();
