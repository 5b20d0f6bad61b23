import type { RecordOf } from '../contract/index.ts';
import { isBroughtForward } from '../model/time/moved-matches.ts';
import type { WeekMoment } from '../model/time/schedule.ts';
import { parseTimeMs } from '../model/time/service-time.ts';

/** A game week with its times, in milliseconds since the epoch; a time that the service does not show is undefined. */
export interface ClockWeek {
  readonly id: string;
  /** As the service calls it. */
  readonly week: string;
  readonly startMs: number | undefined;
  readonly endMs: number | undefined;
  /** Its first match, but for those that are played before it. */
  readonly kickoffMs: number | undefined;
}

/** The game weeks that the fixtures of a league name, in the order of their starts (section 2.8). */
export function clockWeeks(fixtures: readonly RecordOf<'get-fixtures'>[]): readonly ClockWeek[] {
  const weeks = fixtures.map((week) => ({
    id: week.id,
    week: week.week ?? '?',
    startMs: timeOf(week.start_date),
    endMs: timeOf(week.end_date),
    kickoffs: (week.fixtures ?? []).flatMap(({ start_date }) => timeOf(start_date) ?? []),
  }));
  return weeks
    .toSorted((one, other) => (one.startMs ?? Infinity) - (other.startMs ?? Infinity))
    .map(({ kickoffs, ...week }, at, all): ClockWeek => {
      const own = kickoffs.filter((kickoffMs) => !isBroughtForward(kickoffMs, week, all[at - 1]));
      return { ...week, kickoffMs: own.length === 0 ? undefined : Math.min(...own) };
    });
}

/** A moment of a week; undefined where the service does not show what it is counted from. */
export function momentMs(week: ClockWeek, { anchor, offsetMs }: WeekMoment): number | undefined {
  const from = week[`${anchor}Ms`];
  return from === undefined ? undefined : from + offsetMs;
}

/**
 * The game week that a mapping means by a word at a time: `last` is over then, `current` has begun. That is the week that the run belongs to (`own`), where it is
 * that far; else the newest that is.
 */
export function weekAt(
  weeks: readonly ClockWeek[],
  word: 'last' | 'current',
  atMs: number,
  own?: ClockWeek,
): ClockWeek | undefined {
  const edge = word === 'last' ? 'endMs' : 'startMs';
  const isThere = (week: ClockWeek): boolean => (week[edge] ?? Infinity) <= atMs;
  return own !== undefined && isThere(own) ? own : weeks.findLast(isThere);
}

function timeOf(text: string | null | undefined): number | undefined {
  const ms = parseTimeMs(text ?? '');
  return Number.isNaN(ms) ? undefined : ms;
}
