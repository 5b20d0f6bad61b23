import { expect, it } from 'vitest';
import { RefusedError } from '../../src/model/error.ts';
import type { RunEvent } from '../../src/model/event.ts';
import { fakeService, memoryTables, pull, pullMapping, pullPorts } from '../support/pull.ts';

const PLAYERS = pullMapping(
  'players',
  { kind: 'csv', path: 'out/players.csv' },
  {
    where: { fantasy_league_id: 1 },
    columns: [{ header: 'id', from: 'id', type: undefined, format: undefined }],
  },
);

const range = (from: number, to: number, step = 1): readonly number[] =>
  Array.from({ length: Math.floor((to - from) / step) + 1 }, (_, index) => from + index * step);
const said = (events: readonly RunEvent[], kind: 'note' | 'warning'): readonly string[] =>
  events.flatMap((event) => (event.kind === kind ? [event.message] : []));

/** A new league whose service knows these players, and what it answers to any other id. */
function newLeague(known: readonly number[], otherwise: (id: number) => unknown = notFound) {
  const service = fakeService({
    pages: () => [],
    get: (operation, id) => {
      if (operation === 'get-fantasy-league') return { id: 1 };
      return known.includes(Number(id)) ? { id } : otherwise(Number(id));
    },
  });
  const { tables, written } = memoryTables();
  const ports = pullPorts(service, { tables });
  const read = async (limit?: number) => {
    const asked = service.calls.length;
    const [summary] = await pull(ports, [PLAYERS], { limit });
    const ids = (written.get('out/players.csv') ?? []).slice(1).map(([id]) => Number(id));
    return {
      summary,
      ids,
      requests: service.calls.slice(asked).filter((call) => call.startsWith('get-player')),
    };
  };
  return { read, events: ports.events };
}
const notFound = (): never => {
  throw new RefusedError(404, 'no such player');
};

it.each([
  ['from 1 on', range(1, 40)],
  ['with gaps', [...range(1, 10), ...range(150, 160), ...range(350, 360)]],
  ['in tens, starting high', range(4_007, 4_507, 10)],
  ['starting high', range(5_311, 5_400)],
  ['from a round number on', range(100_001, 100_060)],
])('finds the players of a league that nothing is known of: %s', async (_how, known) => {
  const { read, events } = newLeague(known);
  const { ids, summary } = await read();
  expect(ids).toEqual(known);
  expect(summary).toMatchObject({ records: known.length });
  expect(summary).not.toHaveProperty('left_out');
  expect(said(events, 'note').at(-1)).toMatch(
    new RegExp(
      `^players-report: ${known.length} players were found among [\\d,]+ ids that were tried; where players are missing, write ids: "FROM-TO"`,
    ),
  );
  expect(said(events, 'warning')).toEqual([]);
});

it('asks for each id once, and of the next pull for the players alone', async () => {
  const { read, events } = newLeague(range(1, 40));
  const first = await read();
  expect(new Set(first.requests).size).toBe(first.requests.length);
  expect(said(events, 'note')[1]).toBe(
    'players-report: no player of league 1 is known, so ids are tried from 1 on, one request each, until 200 in a row are not known',
  );
  const again = await read();
  expect(again.ids).toEqual(first.ids);
  expect(again.requests).toHaveLength(40);
});

it('takes no other record, and no empty one, for a player', async () => {
  const known = range(1, 5);
  const { read } = newLeague(known, (id) => (id % 2 === 0 ? undefined : { id: 1 }));
  expect((await read()).ids).toEqual(known);
});

it('says what helps where nobody is found, at a cost that has a bound', async () => {
  const { read, events } = newLeague([]);
  const { ids, requests } = await read();
  expect(ids).toEqual([]);
  expect(requests.length).toBeLessThan(700);
  expect(said(events, 'warning')).toEqual([
    expect.stringMatching(
      /^players-report: no player was found among \d+ ids that were tried; ask your provider for the ids, and write ids: "FROM-TO"/,
    ),
  ]);
});

it('does not search for the whole where only the first records are wanted', async () => {
  const { read } = newLeague(range(1, 2_000));
  const { ids, requests } = await read(3);
  expect(ids).toEqual([1, 2, 3]);
  expect(requests.length).toBeLessThan(60);
  // What was cut short is not remembered as the whole.
  expect((await read()).ids).toHaveLength(2_000);
});

it('tries no id of a league that is not there', async () => {
  const service = fakeService({ pages: () => [], get: notFound });
  const { tables } = memoryTables();
  const [summary] = await pull(pullPorts(service, { tables }), [PLAYERS], {});
  expect(summary).toMatchObject({ error: { message: expect.stringMatching(/no such player/) as string } });
  expect(service.calls.filter((call) => call.startsWith('get-player'))).toEqual([]);
});
