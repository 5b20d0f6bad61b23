import type { LaterPoints } from '../../season/standings.ts';
import { contradiction, type HitsInPoints } from '../../season/totals.ts';
import { sinceWhen } from '../../season/week-state.ts';
import { stepsTo } from './contradictions.ts';
import type { LeagueWeek } from './league-weeks.ts';
import type { WeekFacts } from './week-facts.ts';

/** A week that follows from totals, between those before and after it as far as they are remembered. */
interface WeekBetween {
  readonly last: LeagueWeek | undefined;
  readonly league: LeagueWeek;
  readonly next: LeagueWeek | undefined;
}

/** From when on readings have the substitutions of a week in them, as far as that is known. */
export const finalSince = ({ processed, week }: LeagueWeek): number =>
  processed === undefined ? -Infinity : sinceWhen(processed, week.endMs);

/**
 * By the squad's id, what totals of the next week tell of one whose substitutions came after what was read of it; null where they do not tell it. Squads of which all was read after them
 * are left out, where these totals do not contradict it: one that was corrected since has its later total, as the others have theirs.
 */
export async function laterPoints(
  facts: WeekFacts,
  { last, league, next }: WeekBetween,
  hits: HitsInPoints,
): Promise<ReadonlyMap<string, LaterPoints>> {
  const { week } = league;
  const sinceMs = finalSince(league);
  const [lineupAt, squadAt] = [await facts.readAt(week.id, 'lineup'), await facts.readAt(week.id, 'squad')];
  const steps = next && (await stepsTo(facts, week, next.week));
  const nextAt = next && (await facts.readAt(next.week.id, 'squad'));
  const wasFinal = (atMs: number | undefined): boolean => (atMs ?? -Infinity) >= sinceMs;
  // What the total was before the week is told by a reading after the last substitutions, and before the week has its costs only where these are in its points.
  const tellsBefore = (atMs = -Infinity): boolean =>
    atMs >= (last === undefined ? -Infinity : finalSince(last)) && !(hits !== 'net' && atMs < week.startMs);
  const told = new Map<string, LaterPoints>();
  for (const id of new Set([...lineupAt.keys(), ...squadAt.keys()])) {
    const own = [lineupAt.get(id), squadAt.get(id)].filter((atMs) => atMs !== undefined);
    const step = wasFinal(nextAt?.get(id)) ? steps?.get(id) : undefined;
    const more = step && contradiction(step, hits);
    if (own.every(wasFinal) && (more ?? 0) === 0) continue;
    told.set(id, {
      points: step && more !== undefined && tellsBefore(squadAt.get(id)) ? step.before.week + more : null,
      total: step && more !== undefined ? step.before.total + more : null,
    });
  }
  return told;
}
