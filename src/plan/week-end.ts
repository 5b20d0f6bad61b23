import type { RecordOf } from '../contract/index.ts';
import { isPutOff } from '../model/time/moved-matches.ts';
import { parseTimeMs } from '../model/time/service-time.ts';
import { renderTime } from '../model/time/render-time.ts';

type GameWeek = RecordOf<'get-fixtures'>;

/** What the service shows of the game weeks of one fantasy league. */
export interface LeagueWeeks {
  /** Undefined where it refuses to show them. */
  readonly weeks: readonly GameWeek[] | undefined;
  /** The game week that it calls the current one, in small letters; empty where it does not say. */
  readonly currentId: string;
  /** When that began; NaN where it does not say. */
  readonly currentMs: number;
  /** The time by its own clock, where its answers hold one. */
  readonly nowMs: number | undefined;
}

/** Whether a game week is over; `why` follows its name. */
export type WeekEnd =
  { readonly kind: 'ended' } | { readonly kind: 'open' | 'unknown'; readonly why: string };

const ENDED: WeekEnd = { kind: 'ended' };
const open = (why: string): WeekEnd => ({ kind: 'open', why });
const unknown = (why: string): WeekEnd => ({ kind: 'unknown', why });

const timeOf = (text: string | null | undefined): number => parseTimeMs(text ?? '');
const startOf = ({ start_date }: GameWeek): number => timeOf(start_date);
const matchesOf = (weeks: readonly GameWeek[]) => weeks.flatMap(({ fixtures }) => fixtures ?? []);

/** The game week with this id, in whatever case its letters are written. */
export const weekOf = (weeks: readonly GameWeek[], id: string): GameWeek | undefined =>
  weeks.find((each) => each.id.toLowerCase() === id.toLowerCase());

/**
 * Whether a game week is over, by its end, its kick-offs, the service's clock and the game week that the service calls current. The words of `status` are not shown by
 * the interface: they are learnt from the weeks before and after. Whatever is not shown, or contradicts the rest, leaves it unknown. Times are told in `timezone`.
 */
export function weekEnd(id: string, { weeks, currentMs, nowMs }: LeagueWeeks, timezone: string): WeekEnd {
  if (weeks === undefined) return unknown('the service does not show its fixtures');
  const listed = weekOf(weeks, id);
  if (listed === undefined) return unknown('it does not stand in the fixtures');
  const week = withoutPutOff(listed, weeks);
  if (startOf(week) > currentMs) return open('it begins after the game week that the service calls current');
  const isPast = startOf(week) < currentMs;
  return byClock(week, nowMs, isPast, timezone) ?? (isPast ? ENDED : byStatus(week, weeks, currentMs, nowMs));
}

/** A week without the matches that were put off. */
function withoutPutOff(week: GameWeek, weeks: readonly GameWeek[]): GameWeek {
  const next = { startMs: Math.min(...weeks.map(startOf).filter((ms) => ms > startOf(week))) };
  return {
    ...week,
    fixtures: matchesOf([week]).filter(({ start_date }) => !isPutOff(timeOf(start_date), next)),
  };
}

/** The game week that is over and began last; none where none is over for certain. */
export function lastEnded(shown: LeagueWeeks): readonly GameWeek[] {
  const ended = (shown.weeks ?? []).filter(({ id }) => weekEnd(id, shown, 'UTC').kind === 'ended');
  return ended.toSorted((one, other) => startOf(one) - startOf(other)).slice(-1);
}

/** What the times of a week say; undefined where they say that it is over. */
function byClock(
  week: GameWeek,
  nowMs: number | undefined,
  isPast: boolean,
  timezone: string,
): WeekEnd | undefined {
  const shown = (ms: number): string => renderTime(ms, timezone);
  if (nowMs === undefined)
    return isPast ? undefined : unknown('the answers of the service hold no time of its clock');
  const endMs = timeOf(week.end_date);
  const clock = `the service's clock says ${shown(nowMs)}`;
  if (endMs > nowMs) return open(`it ends at ${shown(endMs)}, and ${clock}`);
  const kickOffMs = matchesOf([week]).reduce(
    (last, { start_date }) => Math.max(last, timeOf(start_date) || 0),
    0,
  );
  if (kickOffMs > nowMs) return open(`a match of it begins at ${shown(kickOffMs)}, and ${clock}`);
  return undefined;
}

function byStatus(
  week: GameWeek,
  weeks: readonly GameWeek[],
  currentMs: number,
  nowMs: number | undefined,
): WeekEnd {
  const beforeMs = Number.isNaN(currentMs) ? (nowMs ?? Infinity) : currentMs;
  const wordsIn = (matches: ReturnType<typeof matchesOf>) =>
    new Set(matches.flatMap(({ status }) => status ?? []));
  const wordsOf = (some: readonly GameWeek[]) => wordsIn(matchesOf(some));
  const toCome = weeks.filter((each) => startOf(each) > beforeMs);
  // A match that is played before its week may be over.
  const notBegun = wordsIn(
    toCome.flatMap((each) =>
      matchesOf([each]).filter(({ start_date }) => !(timeOf(start_date) < startOf(each))),
    ),
  );
  const words = [...wordsOf([week])];
  const waiting = words.find((word) => notBegun.has(word));
  if (waiting !== undefined)
    return open(`a match of it is "${waiting}", as those of game weeks that have not begun`);
  const endMs = timeOf(week.end_date);
  const isAfterAll = matchesOf([week]).every(({ start_date }) => timeOf(start_date) < endMs);
  if (isAfterAll && !Number.isNaN(endMs)) return ENDED;
  const over = wordsOf(weeks.filter((each) => startOf(each) < startOf(week)));
  const isOver = words.length > 0 && words.every((word) => over.has(word));
  return isOver ? ENDED : unknown('the fixtures do not show when its last match ends');
}
