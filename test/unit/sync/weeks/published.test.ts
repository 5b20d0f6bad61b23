import { expect, it } from 'vitest';
import type { WeekValues } from '../../../../src/season/week-values.ts';
import { keepPublished, publishedWeek } from '../../../../src/sync/weeks/published.ts';
import { MemoryWeeks, WeeksData } from '../../../simulation/memory-weeks.ts';

const scope = { account: { baseUrl: 'https://data.example', accountId: 'club' }, league: 1 };
const WEEK: WeekValues = {
  gameWeek: 'week-1',
  number: 1,
  state: 'final',
  mark: 'final',
  kickOffMs: 5,
  isProcessed: true,
  hasWholeRanks: true,
  players: new Map(),
  squads: [],
};

it('gives a week as it was published, but for one whose points were made otherwise', async () => {
  const memory = new MemoryWeeks(new WeeksData());
  await keepPublished(memory, scope, [WEEK], 10);
  expect(await publishedWeek(memory, scope, 'week-1')).toEqual(WEEK);
  // Its points were those of line-ups, also where these show them before what transfers cost.
  const record = { ...WEEK, format: 4, players: [] };
  await memory.keep(scope, [
    { gameWeek: 'week-1', kind: 'published', id: '', variant: '', readAtMs: 20, record },
  ]);
  expect(await publishedWeek(memory, scope, 'week-1')).toBeUndefined();
});
