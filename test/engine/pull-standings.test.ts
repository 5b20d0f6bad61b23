import { expect, it } from 'vitest';
import { RefusedError } from '../../src/model/error.ts';
import { virtualClock } from '../support/clock.ts';
import { fakeService, memoryTables, pull, pullMapping, pullPorts } from '../support/pull.ts';

const week = {
  ...{ id: 'week-1', week: 'GW1' },
  ...{ start_date: '2026-09-01T12:00:00Z', end_date: '2026-09-01T22:00:00Z' },
};
const CLOSED = 'S2';

it.each([
  [
    'counts it by the ranks of the service',
    [1, 2, 3],
    [
      ['s1', 1],
      ['s3', 3],
    ],
    [],
  ],
  [
    'says that ranks are those of the others where those of the service do not tell them',
    [undefined, 2, undefined],
    [
      ['s1', 1],
      ['s3', 2],
    ],
    ['nothing was shown of 1 squad in game week "GW1": ranks are those of the others'],
  ],
])('a report of standings with a squad that the service refuses to show %s', async (_, ranks, rows, said) => {
  const squads = ['S1', CLOSED, 'S3'];
  const service = fakeService({
    pages: (operation) =>
      operation === 'list-squads' ? [squads.map((id) => ({ id, fantasy_league: { id: 7 } }))] : [[]],
    get: (operation, id) => {
      if (operation === 'get-fantasy-league') return { id: 7, current_game_week: week };
      if (operation === 'get-fixtures') return [{ ...week, fixtures: [] }];
      if (id === CLOSED) throw new RefusedError(403, 'no access');
      if (operation === 'get-lineup') return { game_week: week, squad: {} };
      const at = squads.indexOf(String(id));
      const ranking = { total_points: 30 - 10 * at, game_week_points: 5, current_rank: ranks[at] };
      return { id, game_week: week, ranking };
    },
    account: { id: 'a' },
  });
  const { tables, written } = memoryTables();
  const ports = pullPorts(service, { tables, clock: virtualClock(Date.parse('2026-09-02T11:00:00Z')) });
  const report = pullMapping(
    'standings',
    { kind: 'csv', path: '/standings.csv' },
    { where: { fantasy_league_id: 7 } },
  );
  const [summary] = await pull(ports, [report], {});
  expect(summary?.error).toBeUndefined();
  const [header = [], ...all] = written.get('/standings.csv') ?? [];
  const cell = (row: readonly unknown[], name: string) => row[header.indexOf(name)];
  expect(all.map((row) => [cell(row, 'id'), cell(row, 'rank')])).toEqual(rows);
  const warnings = ports.events.flatMap((event) => (event.kind === 'warning' ? event.message : []));
  expect(
    warnings.filter((message) => message.includes('ranks')).map((each) => each.replace(/^\S+ /, '')),
  ).toEqual(said);
});
