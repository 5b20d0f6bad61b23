import type { LeagueLine } from '../pages/dashboard/values.ts';
import { momentText } from '../pages/dashboard/words.ts';
import { rememberedWeeks } from '../runtime/history.ts';
import { readAtMs, renderWeekNote } from '../runtime/weeks/week-note.ts';
import { nameOfWeek } from '../season/game-week.ts';
import type { Desk } from './desk.ts';

/** The game weeks that are remembered of the leagues of the configuration. */
export async function readWeeks({ store, isOurs, watch }: Desk): Promise<readonly LeagueLine[]> {
  const scopes = (await store.memory.scopes()).filter(isOurs);
  const leagues: LeagueLine[] = [];
  for (const scope of scopes) {
    const weeks = await rememberedWeeks(store, scope, watch.nowMs);
    leagues.push({
      league: scope.league,
      weeks: weeks.map(({ week, state, note, squads, lineups }) => ({
        week: nameOfWeek(week),
        state,
        squads: squads?.ids ?? 0,
        lineups: lineups?.ids ?? 0,
        readAtMs: readAtMs({ lineups, squads }),
        note: note === undefined ? '' : renderWeekNote(note, (ms) => momentText(ms, watch)),
      })),
    });
  }
  return leagues;
}
