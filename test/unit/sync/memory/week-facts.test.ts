import { beforeEach, expect, it } from 'vitest';
import { UnavailableError } from '../../../../src/model/error.ts';
import type { Kept } from '../../../../src/model/state/memory.ts';
import { WeekFacts } from '../../../../src/sync/memory/week-facts.ts';
import { MemoryWeeks, WeeksData } from '../../../simulation/memory-weeks.ts';

const WEEK = 'week-1';
const scope = { account: { baseUrl: 'https://data.example', accountId: 'club' }, league: 1 };

/** Counts the records that are read. */
class CountingWeeks extends MemoryWeeks {
  read = 0;
  override async *latest(...args: Parameters<MemoryWeeks['latest']>): AsyncGenerator<readonly Kept[]> {
    for await (const page of super.latest(...args)) {
      this.read += page.length;
      yield page;
    }
  }
}

let memory: CountingWeeks;
beforeEach(() => {
  memory = new CountingWeeks(new WeeksData());
});

const squad = (id: string, total: number, readAtMs: number): Kept => ({
  ...{ gameWeek: WEEK, kind: 'squad', id, variant: '', readAtMs, squad: id, member: `M-${id}` },
  record: { id, name: `Squad ${id}`, ranking: { total_points: total } },
});
const totals = async (): Promise<readonly (readonly [string, number | null])[]> => {
  const facts = await WeekFacts.open(memory, scope);
  return [...(await facts.squads(WEEK))].map(([id, { total }]) => [id, total]);
};

it('reads the records of a week once, and gives the same facts from then on', async () => {
  await memory.keep(scope, [squad('A', 10, 5), squad('B', 20, 6)]);
  const first = await totals();
  expect(first).toEqual([
    ['A', 10],
    ['B', 20],
  ]);
  expect(await totals()).toEqual(first);
  expect(memory.read).toBe(2);
});

it.each([
  ['the newest', squad('B', 21, 7)],
  ['one between the oldest and the newest', squad('B', 21, 6)],
  ['another squad', squad('D', 21, 2)],
])('reads them again after %s was read', async (_what, reading) => {
  await memory.keep(scope, [squad('A', 10, 1), squad('B', 20, 3), squad('C', 30, 6)]);
  await totals();
  await memory.keep(scope, [reading]);
  expect(new Map(await totals()).get(reading.id)).toBe(21);
  expect(await totals()).toEqual(await totals());
});

it('has nobody who is forgotten, in no summary either', async () => {
  await memory.keep(scope, [squad('A', 10, 5), squad('B', 20, 6)]);
  await totals();
  await memory.forget(scope.account, 'M-A');
  expect((await Array.fromAsync(memory.kept(scope, WEEK, 'summary'))).flat()).toEqual([]);
  expect(await totals()).toEqual([['B', 20]]);
});

it('is empty for a week of which nothing is kept', async () => {
  expect(await totals()).toEqual([]);
});

it('are there where the disk has no room for them', async () => {
  await memory.keep(scope, [squad('A', 10, 5)]);
  memory.keep = () => Promise.reject(new UnavailableError('state.full', 'the disk is full'));
  expect(await totals()).toEqual([['A', 10]]);
});
