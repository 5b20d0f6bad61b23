import { describe, expect, it } from 'vitest';
import type { Run } from '../../../src/model/state/store.ts';
import { readBudget } from '../../../src/serve/budget.ts';
import type { Desk } from '../../../src/serve/desk.ts';

const DAY_MS = 24 * 60 * 60 * 1000;
const NOON_MS = Date.UTC(2026, 2, 5, 12);

const runAt = (startedAtMs: number): Run =>
  ({ startedAtMs, requests: { sent: 1, throttled: 0, waited_ms: 0 } }) as unknown as Run;

/** The days of a state with runs, the newest first. */
async function daysOf(runs: readonly Run[]): Promise<readonly (readonly [string, number])[]> {
  const desk = {
    store: {
      runs: (most: number) => Promise.resolve(runs.slice(0, most)),
      pulls: () => Promise.resolve([]),
    },
    accounts: [],
    isOurs: () => true,
    watch: { timezone: 'UTC', nowMs: NOON_MS },
  } as unknown as Desk;
  return (await readBudget(desk)).days.map(({ day, sent }) => [day, sent]);
}

const runsOf = (count: number, atMs: number): readonly Run[] =>
  Array.from({ length: count }, (_, index) => runAt(atMs - index));

describe('the requests of each day', () => {
  it('are those of the runs that began in it', async () => {
    expect(await daysOf([...runsOf(3, NOON_MS), ...runsOf(2, NOON_MS - DAY_MS)])).toEqual([
      ['2026-03-05', 3],
      ['2026-03-04', 2],
    ]);
  });

  it('are of whole days where there are more runs than are looked at', async () => {
    const older = runsOf(600, NOON_MS - DAY_MS);
    expect(await daysOf([...runsOf(600, NOON_MS), ...older])).toEqual([['2026-03-05', 600]]);
    expect(await daysOf(runsOf(1200, NOON_MS))).toEqual([['2026-03-05', 1000]]);
  });
});
