import type { KeptKind } from '../model/memory.ts';
import type { LeagueLine } from '../pages/dashboard/values.ts';
import { rememberedWeeks } from '../runtime/history.ts';
import type { Desk } from './desk.ts';

/** The game weeks that are remembered of the leagues of the configuration. */
export async function readWeeks({ store, baseUrls }: Desk): Promise<readonly LeagueLine[]> {
  const scopes = (await store.memory.scopes()).filter(({ account }) => baseUrls.has(account.baseUrl));
  const leagues: LeagueLine[] = [];
  for (const scope of scopes) {
    const counts = await store.memory.weeks(scope);
    const keptOf = (week: string, kind: KeptKind) =>
      counts.find((each) => each.gameWeek === week && each.kind === kind);
    const weeks = await rememberedWeeks(store.memory, scope);
    leagues.push({
      league: scope.league,
      weeks: weeks.map(({ id, text, startMs, endMs }) => ({
        week: text,
        startMs,
        endMs,
        squads: keptOf(id, 'squad')?.ids ?? 0,
        lineups: keptOf(id, 'lineup')?.ids ?? 0,
        readAtMs: keptOf(id, 'lineup')?.newestMs,
      })),
    });
  }
  return leagues;
}
