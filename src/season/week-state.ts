import type { KeptCount, WeekState } from '../model/state/memory.ts';

/** What the kept readings say of one game week. Times are by our clock, but for those that the service states; NaN where it states none. */
export interface WeekFacts {
  readonly startMs: number;
  readonly endMs: number;
  /** When the next week begins. */
  readonly nextStartMs: number;
  /** A later week was shown as the current one. */
  readonly isPast: boolean;
  /** When the service last showed that it was not over: a match that had not begun, or an earlier week as the current one. */
  readonly runningAtMs: number | undefined;
  readonly lineups: Pick<KeptCount, 'ids' | 'oldestMs'> | undefined;
  /** Squads of the league that are known. */
  readonly squads: number;
  /** Line-ups were read of single squads alone: how many squads there are is not known. */
  readonly isPart: boolean;
  /** A reading after its end asked for every line-up. */
  readonly isRead: boolean;
  readonly processed: Processed | undefined;
  /** Squads whose later total contradicts the points that are kept, and by how many points in all. */
  readonly contradicted: { readonly squads: number; readonly points: number };
}

/** When the substitutions of a week were known to be processed, and by what. */
export interface Processed {
  readonly atMs: number;
  readonly by: ProcessedBy;
}
export type ProcessedBy = 'trigger' | 'log' | 'closed';

/** What there is to say of a week beside its state; the edge renders it. */
export type WeekNote =
  | { readonly code: 'ends'; readonly atMs: number }
  | { readonly code: 'not_read' | 'none_shown' }
  | { readonly code: 'not_processed' }
  | { readonly code: 'to_read_again'; readonly processedMs: number }
  | { readonly code: 'some_not_read'; readonly left: number }
  | { readonly code: 'read_in_part' }
  | { readonly code: 'processed_late' | 'read_early' }
  | { readonly code: 'contradicted'; readonly squads: number; readonly points: number }
  | { readonly code: 'missed' };

/** The state of a game week, and what there is to say of it. */
export interface StateOfWeek {
  readonly state: WeekState;
  readonly note: WeekNote | undefined;
}

/** Whether a game week is over: a later one was shown, or its end has come and the service has not shown since that it still runs. */
export function isOver(
  {
    isPast,
    endMs,
    nextStartMs,
    runningAtMs,
  }: Pick<WeekFacts, 'isPast' | 'endMs' | 'nextStartMs' | 'runningAtMs'>,
  nowMs: number,
): boolean {
  if (isPast) return true;
  const end = Number.isNaN(endMs) ? nextStartMs : endMs;
  // Where the service says otherwise after that time, its clock is not ours.
  return nowMs >= end && !((runningAtMs ?? -Infinity) >= end);
}

/** The state of a week that has begun. Of two times that are equal, the reading counts as the later one: readings bear the time at which they were asked for. */
export function weekState(facts: WeekFacts, nowMs: number): StateOfWeek {
  const { startMs, endMs, isPast, lineups, squads, processed, contradicted } = facts;
  if (!isOver(facts, nowMs))
    return { state: 'open', note: Number.isNaN(endMs) ? undefined : { code: 'ends', atMs: endMs } };
  if (lineups === undefined || lineups.ids === 0) {
    const code = facts.isRead ? 'none_shown' : isPast ? 'missed' : 'not_read';
    return { state: isPast ? 'missing' : 'provisional', note: { code } };
  }
  const left = Math.max(0, squads - lineups.ids);
  const lacking: WeekNote | undefined =
    left > 0 ? { code: 'some_not_read', left } : facts.isPart ? { code: 'read_in_part' } : undefined;
  const isReadAfter = processed !== undefined && lineups.oldestMs >= sinceWhen(processed, endMs);
  if (processed !== undefined && isPast && !(isReadAfter && lacking === undefined))
    return {
      state: 'final_by_totals',
      note: isReadAfter ? lacking : { code: lineups.oldestMs < startMs ? 'read_early' : 'processed_late' },
    };
  if (contradicted.squads > 0) return { state: 'stale', note: { code: 'contradicted', ...contradicted } };
  if (lacking !== undefined) return { state: 'provisional', note: lacking };
  if (processed === undefined) return { state: 'provisional', note: { code: 'not_processed' } };
  if (isReadAfter) return { state: 'final', note: undefined };
  return { state: 'provisional', note: { code: 'to_read_again', processedMs: processed.atMs } };
}

/** From when on readings are final. The operator who closes a week says that no substitution changed it, so that every reading after its end is. */
export const sinceWhen = ({ by, atMs }: Processed, endMs: number): number =>
  by !== 'closed' ? atMs : Number.isNaN(endMs) ? -Infinity : endMs;
