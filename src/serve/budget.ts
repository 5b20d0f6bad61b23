import type { Budget } from '../pages/dashboard/budget.ts';
import type { DayRequests } from '../pages/dashboard/values.ts';
import { readReadings } from '../runtime/account-readings.ts';
import type { Desk } from './desk.ts';
import { newestSince } from './run-line.ts';

/** What the state holds of requests, windows and quotas. */
export async function readBudget(desk: Desk): Promise<Budget> {
  const { store, accounts, watch } = desk;
  const dayOf = new Intl.DateTimeFormat('sv-SE', { timeZone: watch.timezone, dateStyle: 'short' });
  const { runs, sinceMs } = await newestSince(desk);
  const days = Map.groupBy(runs, ({ startedAtMs }) => dayOf.format(startedAtMs));
  // The first day of those that are looked at has older runs; where it is the only one, it is better than none.
  if (sinceMs !== undefined && days.size > 1) days.delete(dayOf.format(sinceMs));
  return {
    days: Array.from(days, ([day, runs]): DayRequests => {
      const counts = runs.flatMap(({ requests }) => requests ?? []);
      const sum = (name: 'sent' | 'throttled' | 'waited_ms'): number =>
        counts.reduce((all, each) => all + each[name], 0);
      return { day, sent: sum('sent'), throttled: sum('throttled'), waitedMs: sum('waited_ms') };
    }),
    accounts: await Promise.all(
      accounts.map(async (account) => ({
        service: account.baseUrl,
        readings: await readReadings(store, account),
      })),
    ),
  };
}
