import { expect, it } from 'vitest';
import type { Kept } from '../../../../src/model/state/memory.ts';
import { markUnread, unreadIn } from '../../../../src/sync/memory/unread.ts';
import { MemoryWeeks, WeeksData } from '../../../simulation/memory-weeks.ts';

const WEEK = 'week-1';
const scope = { account: { baseUrl: 'https://data.example', accountId: 'club' }, league: 1 };

const lineup = (squad: string, readAtMs: number): Kept => ({
  ...{ gameWeek: WEEK, kind: 'lineup', id: squad, variant: '', readAtMs, squad, member: `M-${squad}` },
  record: { squad },
});

it('counts the squads of the last reading whose line-up was not read since', async () => {
  const memory = new MemoryWeeks(new WeeksData());
  expect(await unreadIn(memory, scope, WEEK)).toBeUndefined();
  await markUnread(memory, scope, WEEK, ['A', 'b', 'c'], 10);
  await memory.keep(scope, [lineup('a', 11)]);
  expect(await unreadIn(memory, scope, WEEK)).toEqual({ squads: 2, isPart: false, atMs: 10 });
  await markUnread(memory, scope, WEEK, ['c'], 20);
  expect(await unreadIn(memory, scope, WEEK)).toEqual({ squads: 1, isPart: false, atMs: 20 });
});

it('has no squad of who is forgotten', async () => {
  const memory = new MemoryWeeks(new WeeksData());
  await markUnread(memory, scope, WEEK, ['a', 'b'], 10);
  await memory.keep(scope, [lineup('a', 11), lineup('b', 11)]);
  await memory.forget(scope.account, 'M-a');
  expect((await Array.fromAsync(memory.kept(scope, WEEK, 'unread'))).flat().map(({ id }) => id)).toEqual([
    'b',
  ]);
  expect(JSON.stringify((await Array.fromAsync(memory.kept(scope, WEEK, 'mark'))).flat())).not.toContain(
    '"a"',
  );
  await markUnread(memory, scope, WEEK, ['a', 'b'], 20);
  expect(await unreadIn(memory, scope, WEEK)).toEqual({ squads: 0, isPart: false, atMs: 20 });
});
