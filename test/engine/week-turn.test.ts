import { describe, expect, it } from 'vitest';
import type { PullMapping } from '../../src/mapping/mapping.ts';
import { keptMark } from '../../src/season/kept.ts';
import { leagueWeeks } from '../../src/sync/memory/league-weeks.ts';
import { prepareReading } from '../../src/sync/weeks/read-week.ts';
import { virtualClock } from '../support/clock.ts';
import { fakeService, memoryTables, pull, pullMapping, pullPorts } from '../support/pull.ts';

const LEAGUE = 7;
const NOW = Date.parse('2026-09-02T11:00:00Z');
const week = (number: number) => ({
  id: `week-${number}`,
  week: `GW${number}`,
  start_date: `2026-09-0${number}T12:00:00Z`,
  end_date: `2026-09-0${number}T22:00:00Z`,
});
const LATE = 'S9';

/** A league of four squads and, where there is one, a late one, whose game week 1 was processed; the service turns to the next week once it has shown so many line-ups. */
function league({ hasLate = false } = {}) {
  const squads = ['S1', 'S2', 'S3', 'S4', ...(hasLate ? [LATE] : [])];
  let turnsAfter = Infinity;
  let shown = 0;
  const current = (): number => (shown > turnsAfter ? 2 : 1);
  const service = fakeService({
    pages: (operation) =>
      operation === 'list-squads' ? [squads.map((id) => ({ id, fantasy_league: { id: LEAGUE } }))] : [[]],
    get: (operation, id) => {
      if (operation === 'get-fixtures')
        return [1, 2].map((number) => ({
          ...week(number),
          fixtures: [{ id: `F${number}`, status: number === 1 ? 'finished' : 'scheduled' }],
        }));
      if (operation === 'get-fantasy-league') return { id: LEAGUE, current_game_week: week(current()) };
      if (operation === 'get-points-config') return { id: 'config', fantasy_league_id: LEAGUE };
      if (operation === 'get-player') return { id };
      if (operation === 'get-squad') return { id, game_week: week(id === LATE ? 2 : current()) };
      shown += 1;
      const player = { id: String(squads.indexOf(String(id)) + 101) };
      return { game_week: week(id === LATE ? 2 : current()), squad: { starting_xi: [{ player }] } };
    },
    account: { id: 'a' },
  });
  const ports = pullPorts(service, { tables: memoryTables().tables, clock: virtualClock(NOW) });
  const scope = { account: ports.account, league: LEAGUE };
  const { memory } = ports.store;
  return {
    processed: () =>
      memory.keep(scope, [keptMark('week-1', 'processed', NOW - 3_600_000, { by: 'trigger' })]),
    turnAfter: (lineups: number) => (turnsAfter = shown + lineups),
    pull: async (where: PullMapping['where'] = { fantasy_league_id: LEAGUE }, limit?: number) => {
      // What names squads by their ids says nothing of their league: the list of squads does.
      const squads = pullMapping('squads', { kind: 'csv', path: '/squads.csv' });
      const lineups = pullMapping('lineups', { kind: 'csv', path: '/lineups.csv' }, { where });
      const summaries = await pull(ports, [squads, lineups], { limit });
      expect(summaries.flatMap(({ error }) => error ?? [])).toEqual([]);
    },
    calls: service.calls,
    read: async () => {
      const account = { service: ports.account, record: { id: 'a' } };
      const reading = await prepareReading(
        { ...ports, store: ports.store as never },
        account,
        LEAGUE,
        undefined,
      );
      await reading.read();
      await reading.close();
    },
    warnings: () =>
      ports.events.flatMap((event) => (event.kind === 'warning' ? event.message.replace(/^\S+ /, '') : [])),
    state: async () => {
      const found = await leagueWeeks(memory, scope, NOW);
      const { state, note } = found.find((each) => each.week.id === 'week-1') ?? {};
      return [state, note];
    },
  };
}
const FINAL = ['final', undefined];
const WAYS = ['pull', 'read'] as const;

describe.each(WAYS)('a game week that turns while its line-ups are read (%s)', (way) => {
  it('lacks those that the service did not show before', async () => {
    const at = league();
    await at.processed();
    at.turnAfter(3);
    await at[way]();
    expect(await at.state()).toEqual(['final_by_totals', { code: 'some_not_read', left: 1 }]);
    expect(at.warnings()).toEqual([
      'the next game week began while line-ups were read: 1 line-up is of that week',
    ]);
  });

  it('lacks none of a squad that was made late, nor what was read before', async () => {
    const at = league({ hasLate: true });
    await at.processed();
    await at[way]();
    expect([await at.state(), at.warnings()]).toEqual([FINAL, []]);
    at.turnAfter(2);
    await at.pull();
    expect(await at.state()).toEqual(FINAL);
  });
});

describe('a game week of which line-ups of single squads were read', () => {
  it.each([
    ['by their ids', { id: ['S1', 'S2'] }, undefined],
    ['by a limit', { fantasy_league_id: LEAGUE }, 2],
    ['by their user', { fantasy_league_id: LEAGUE, user_id: 3 }, undefined],
  ])('is not final before all are read: %s', async (_how, where, limit) => {
    const at = league();
    await at.processed();
    await at.pull(where, limit);
    expect(await at.state()).toEqual(['provisional', { code: 'read_in_part' }]);
    await at.pull({ fantasy_league_id: LEAGUE }, 5);
    expect(await at.state()).toEqual(FINAL);
    await at.pull(where, limit);
    expect(await at.state()).toEqual(FINAL);
  });
});

it('reads the players of line-ups that a week shows which begins before the first of them is read', async () => {
  const at = league();
  at.turnAfter(0);
  await at.read();
  expect(await at.state()).toEqual(['missing', { code: 'missed' }]);
  expect(at.calls.filter((call) => call.startsWith('get-player')).toSorted()).toEqual(
    [101, 102, 103, 104].map((id) => `get-player ${id}`),
  );
});
