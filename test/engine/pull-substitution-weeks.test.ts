import { describe, expect, it } from 'vitest';
import type { PullMapping } from '../../src/mapping/mapping.ts';
import type { Kept } from '../../src/model/state/memory.ts';
import { preparePull, pullPrepared } from '../../src/sync/pull.ts';
import { keptMark, keptOfFixtures, keptOfSubstitution } from '../../src/season/kept.ts';
import { fakeService, memoryTables, pullMapping, pullPorts } from '../support/pull.ts';

const uuid = (at: number): string => `00000000-0000-4000-8000-${String(at).padStart(12, '0')}`;
const START_MS = Date.parse('2026-10-01T12:00:00.000Z');
const WEEK_MS = 7 * 24 * 60 * 60 * 1000;
const text = (ms: number): string => new Date(ms).toISOString();
/** Three hours after a week's end its substitutions are processed. */
const processedMs = (week: number): number => START_MS + week * WEEK_MS + 3 * 60 * 60 * 1000;

const weekOf = (week: number): readonly Kept[] =>
  keptOfFixtures(
    {
      id: uuid(week),
      week: `GW ${week}`,
      start_date: text(START_MS + (week - 1) * WEEK_MS),
      end_date: text(START_MS + week * WEEK_MS),
      fixtures: [],
    },
    START_MS,
  );
const substitution = (at: number, createdMs: number | undefined) => ({
  id: uuid(at),
  squad: { id: uuid(900), name: 'Dale XI' },
  ...(createdMs !== undefined && { created_at: text(createdMs) }),
});
const LOG = [
  substitution(13, processedMs(1) + 2_000),
  substitution(12, processedMs(2) + 1_000),
  substitution(11, processedMs(1) + 3_000),
  substitution(14, undefined),
];

/** What is written of a choice of weeks, with what was told. */
async function written(weeks: PullMapping['weeks'], offline: boolean) {
  const service = fakeService({
    get: (operation) =>
      operation === 'get-fantasy-league' ? { id: 7, current_game_week: { id: uuid(2), week: 'GW 2' } } : [],
    pages: () => [LOG],
  });
  const { tables, written: files } = memoryTables();
  const ports = { ...pullPorts(service), tables };
  const scope = { account: ports.account, league: 7 };
  const { memory } = ports.store;
  await memory.keep(scope, [...weekOf(1), ...weekOf(2)]);
  await memory.keep(
    scope,
    [1, 2].map((week) => keptMark(uuid(week), 'processed', processedMs(week), { by: 'trigger' })),
  );
  if (offline)
    await memory.keep(
      scope,
      LOG.flatMap((record) => keptOfSubstitution(record, processedMs(2))),
    );
  const mapping = pullMapping(
    'auto_substitutions',
    { kind: 'csv', path: 'subs.csv', encoding: 'utf-8', delimiter: ',', quote: '"' } as never,
    { where: { fantasy_league_id: 7 }, ...(weeks !== undefined && { weeks }) },
  );
  const [summary] = await pullPrepared(ports, await preparePull([mapping], tables), { offline });
  const [header = [], ...rows] = files.get('subs.csv') ?? [];
  const told = ports.events.flatMap((event) => (event.kind === 'warning' ? [event.message] : []));
  return {
    ids: rows.map((row) => row[header.indexOf('id')]),
    weeks: rows.map((row) => row[header.indexOf('game_week.week')]),
    summary,
    told,
    calls: service.calls,
  };
}

const UNTOLD =
  'auto_substitutions-report: 1 record of the substitution log of fantasy league 7 left out: nothing tells the game week';

describe('automatic substitutions of game weeks', () => {
  it.each([true, false])(
    'are those of the week, in the order of their times (offline: %s)',
    async (offline) => {
      const { ids, told, calls } = await written({ kind: 'range', from: 1, to: 1 }, offline);
      expect(ids).toEqual([uuid(13), uuid(11)]);
      expect(told).toEqual([UNTOLD]);
      expect(calls.length > 0).toBe(!offline);
    },
  );

  it('come week by week where all are asked for, without a record whose week cannot be told', async () => {
    const { ids, summary, told } = await written({ kind: 'all' }, true);
    expect(ids).toEqual([uuid(13), uuid(11), uuid(12)]);
    expect(summary).toMatchObject({ records: 3 });
    expect(told).toEqual([UNTOLD]);
  });

  it('are the whole log where no week is asked for, each record with its week', async () => {
    const { ids, weeks, told } = await written(undefined, false);
    expect(ids).toEqual(LOG.map(({ id }) => id));
    expect(weeks).toEqual(['GW 1', 'GW 2', 'GW 1', null]);
    expect(told).toEqual([]);
  });
});
