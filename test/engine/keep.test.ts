import { describe, expect, it } from 'vitest';
import { IncompleteError } from '../../src/model/error.ts';
import { keptOfFixtures } from '../../src/season/kept.ts';
import { virtualClock } from '../support/clock.ts';
import type { Kept, KeptKind } from '../../src/model/state/memory.ts';
import {
  fakeService,
  memoryTables,
  pull,
  pullMapping,
  pullPorts,
  type FakeAnswers,
} from '../support/pull.ts';

const scope = { account: { baseUrl: 'http://127.0.0.1:1', accountId: 'a' }, league: 7 };
const week = (number: number) => ({
  id: `week-${number}`,
  week: `GW${number}`,
  start_date: `2026-09-0${number}T12:00:00Z`,
  end_date: `2026-09-0${number}T22:00:00Z`,
});
const answers: FakeAnswers = {
  pages: (operation) =>
    operation === 'list-squads'
      ? [
          [
            { id: 'S1', fantasy_league: { id: 7 } },
            { id: 'S2', fantasy_league: { id: 7 } },
          ],
        ]
      : operation === 'list-prices'
        ? [[{ id: 'P1', fantasy_league_id: 7, game_week: week(2), player: { id: 4 } }]]
        : [[{ id: 'A1', squad: { id: 'S1' } }]],
  get: (operation, id) => {
    if (operation === 'get-fixtures') return [1, 2].map((n) => ({ ...week(n), fixtures: [{ id: `F${n}` }] }));
    if (operation === 'get-fantasy-league')
      return { id: 7, current_game_week: week(2), next_game_week: week(3) };
    if (operation === 'get-player')
      return { id, price: 5, weekly_stats: [{ game_week: '1' }, { game_week: '2' }] };
    if (operation === 'get-points-config') return { id: 'config', fantasy_league_id: 7, starter_points: 2 };
    if (operation === 'get-squad') return { id, user: { external_id: 'M' }, game_week: week(2) };
    return {
      id: `line-up of ${id}`,
      user: { external_id: 'M' },
      game_week: week(2),
      squad: {},
      total_points: 5,
    };
  },
  account: { id: 'a' },
};
const REPORTS = [
  // Players first: what names a week by its number waits for the weeks.
  pullMapping('players', { kind: 'csv', path: '/players.csv' }, { where: { fantasy_league_id: 7, id: [4] } }),
  pullMapping('points_config', { kind: 'csv', path: '/points.csv' }, { where: { fantasy_league_id: 7 } }),
  pullMapping('prices', { kind: 'csv', path: '/prices.csv' }),
  pullMapping('fixtures', { kind: 'csv', path: '/fixtures.csv' }, { where: { fantasy_league_id: 7 } }),
  pullMapping('fantasy_leagues', { kind: 'csv', path: '/league.csv' }, { where: { fantasy_league_id: 7 } }),
  pullMapping(
    'squads',
    { kind: 'csv', path: '/squads.csv' },
    { where: { fantasy_league_id: 7 }, detail: true },
  ),
  pullMapping('lineups', { kind: 'csv', path: '/lineups.csv' }, { where: { fantasy_league_id: 7 } }),
  pullMapping('auto_substitutions', { kind: 'csv', path: '/log.csv' }, { where: { fantasy_league_id: 7 } }),
];

async function readings(changes: Parameters<typeof pullPorts>[1] = {}) {
  const ports = pullPorts(fakeService(answers), { tables: memoryTables().tables, ...changes });
  const summaries = await pull(ports, REPORTS, {});
  const of = async (gameWeek: string, kind: KeptKind): Promise<readonly Kept[]> =>
    (await Array.fromAsync(ports.store.memory.kept(scope, gameWeek, kind))).flat();
  return {
    ports,
    summaries,
    of,
    ids: async (gameWeek: string, kind: KeptKind) => (await of(gameWeek, kind)).map(({ id }) => id),
  };
}

describe('a pull', () => {
  it('keeps every kind of record under the game week that it names', async () => {
    const { ids, of, summaries } = await readings();
    expect(summaries.map(({ error }) => error)).toEqual(REPORTS.map(() => undefined));
    expect(await ids('week-2', 'lineup')).toEqual(['s1', 's2']);
    expect(await ids('week-2', 'squad')).toEqual(['s1', 's2']);
    expect(await ids('week-1', 'fixture')).toEqual(['f1']);
    expect(await ids('week-3', 'game_week')).toEqual(['week-3']);
    expect(await ids('week-2', 'price')).toEqual(['p1']);
    expect(await ids('week-2', 'points_config')).toEqual(['points_config']);
    expect(await ids('', 'substitution')).toEqual(['a1']);
    expect(await ids('week-2', 'mark')).toEqual(['current', 'unread']);
    expect((await of('week-1', 'player'))[0]?.record).toEqual({
      player: { id: 4 },
      stat: { game_week: '1' },
    });
    expect((await of('week-2', 'player'))[0]?.record).toMatchObject({ player: { id: 4, price: 5 } });
  });

  it('keeps statistics under the week of the season that has begun, though the fixtures of the next one are known', async () => {
    const ports = pullPorts(fakeService(answers), {
      tables: memoryTables().tables,
      clock: { ...virtualClock(Date.parse('2026-09-20T12:00:00Z')) },
    });
    const next = { ...week(2), id: 'next-2', start_date: '2026-11-20T12:00:00Z', end_date: null };
    await ports.store.memory.keep(scope, keptOfFixtures({ ...next, fixtures: [] }, 1));
    await pull(ports, REPORTS.slice(0, 5), {});
    const kept = await Array.fromAsync(ports.store.memory.kept(scope, 'week-2', 'player'));
    expect(kept.flat().map(({ id }) => id)).toEqual(['4']);
  });

  it('reads the league once for all standings, with a limit too', async () => {
    const of = (name: string) => ({
      ...pullMapping('standings', { kind: 'csv', path: `/${name}.csv` }, { where: { fantasy_league_id: 7 } }),
      name,
    });
    const service = fakeService(answers);
    const ports = pullPorts(service, { tables: memoryTables().tables });
    const last = { ...of('last'), weeks: { kind: 'last' } as const };
    const summaries = await pull(ports, [of('all'), last], { limit: 1 });
    expect(summaries.map(({ records }) => records)).toEqual([1, 1]);
    for (const one of ['get-lineup S1', 'get-lineup S2', 'get-squad S1', 'get-squad S2'])
      expect(service.calls.filter((call) => call === one).length, one).toBe(1);
  });

  it('keeps nothing where the configuration says so', async () => {
    const { ports } = await readings({ season: { keep: false, forgetAfterMs: undefined } });
    expect(await ports.store.memory.scopes()).toEqual([]);
  });

  it('forgets weeks that ended too long ago', async () => {
    const clock = {
      now: () => Date.parse('2026-09-02T23:00:00Z'),
      monotonic: () => 0,
      sleep: () => Promise.resolve(),
    };
    const { ids } = await readings({ clock, season: { keep: true, forgetAfterMs: 60 * 60 * 1000 + 1 } });
    expect(await ids('week-1', 'player')).toEqual([]);
    expect(await ids('week-2', 'lineup')).toEqual(['s1', 's2']);
  });

  it('keeps what it read before it stopped', async () => {
    const stopped = fakeService({
      ...answers,
      get: (operation, id) => {
        if (operation === 'get-lineup' && id === 'S2')
          throw new IncompleteError('budget.exhausted', 'no requests left', {});
        return answers.get?.(operation, id);
      },
    });
    const ports = pullPorts(stopped, { tables: memoryTables().tables });
    const [summary] = await pull(ports, REPORTS.slice(-2, -1), {});
    expect(summary?.error?.code).toBe('budget.exhausted');
    const kept = await Array.fromAsync(ports.store.memory.kept(scope, 'week-2', 'lineup'));
    expect(kept.flat().map(({ id }) => id)).toEqual(['s1']);
  });
});
