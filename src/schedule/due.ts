import type { Clock } from '../model/ports.ts';
import type { Timing } from '../model/time/schedule.ts';
import { lastCronMs, nextCronMs } from './cron.ts';
import { momentMs, type ClockWeek } from './weeks.ts';

/** What the schedule has done for a mapping. */
export interface Done {
  /** When it was first looked at: nothing before is due. */
  readonly sinceMs: number;
  /** The last time of a cron schedule that was carried out, or was made up for. */
  readonly cronMs?: number;
  /** The moments of game weeks that were carried out or made up for: `TEXT ID`. They do not come again where their fixtures move. */
  readonly weeks?: readonly string[];
  /** The run that was begun and did not end by itself, or came to nothing in an outage: it is due again, with its week and its deadline. */
  readonly unfinished?: BegunRun;
  /** When that run was begun last, where an outage ended it: it is tried again a while later. */
  readonly triedMs?: number;
}

type BegunRun = ScheduledRun & Required<Pick<ScheduledRun, 'begunMs'>>;
/** What is done while a run is under way. */
type Begun = Done & Required<Pick<Done, 'cronMs' | 'unfinished'>>;

/** A mapping with schedules. */
export interface Scheduled {
  readonly mapping: string;
  readonly timing: Timing;
  /** Undefined: the schedule has not seen it before. */
  readonly done: Done | undefined;
  /** What is kept is another: it was kept by a clock that was ahead. */
  readonly isMended?: true;
}

/** A run that is due, or comes next. */
export interface ScheduledRun {
  readonly mapping: string;
  readonly atMs: number;
  /** The game week that its rows belong to, and keep; undefined where there is none. */
  readonly week: ClockWeek | undefined;
  /** Its rows are deferred from then on. */
  readonly deadlineMs: number | undefined;
  /** The schedule as it is written. */
  readonly schedule: string;
  /** Earlier game weeks whose runs were missed, and that it makes up for, the latest first. */
  readonly missed?: readonly ClockWeek[];
  /** When it was begun first, in our time, where it goes on. */
  readonly begunMs?: number;
  /** Its moment came after what goes on was begun: that ends first, and then its table is read. */
  readonly isLater?: true;
}

/** Why a mapping is never due: its season is over, its fixtures are not known, or its deadline cannot be told. */
export type Idle = 'season_over' | 'no_game_weeks' | 'no_times';

/** What schedules go by beside the mappings. */
export interface Calendar {
  readonly weeks: readonly ClockWeek[];
  /** The IANA time zone of cron schedules. */
  readonly timezone: string;
  /** By how much the clock of the service, which says when game weeks begin and end, is ahead of ours, in milliseconds. */
  readonly aheadMs: number;
}

/** What an outage ended is tried again so long afterwards. */
export const RETRY_MS = 15 * 60_000;

/** Clocks that are not heard for an hour may be off by that hour. */
const SET_BACK_MS = 2 * 60 * 60_000;

/** A clock that is heard again may seem to go back by less. */
const WAVERS_MS = 60_000;

/** Whether a time is kept by a clock that was set back since: it has not come. */
export const isAhead = (keptMs: number, nowMs: number): boolean => keptMs - nowMs > SET_BACK_MS;

/** The time that schedules go by: the service's. */
export const scheduleNow = ({ aheadMs }: Pick<Calendar, 'aheadMs'>, clock: Pick<Clock, 'now'>): number =>
  clock.now() + aheadMs;

/**
 * What is due of a mapping: of all times that came since it last ran, the latest one, so that what was missed is made up once. A run belongs to
 * the week that its moment is of; by cron, to the first week whose deadline (or, without one, whose end) had not come.
 */
export function dueRun(job: Scheduled, calendar: Calendar, nowMs: number): ScheduledRun | undefined {
  const { timing, done } = job;
  if (done === undefined) return undefined;
  const due = timing.schedule.flatMap((schedule): readonly ScheduledRun[] => {
    if (schedule.kind === 'cron') {
      const afterMs = done.cronMs ?? done.sinceMs;
      const untilMs = Math.min(nowMs, lastMomentMs(timing, calendar));
      const atMs = lastCronMs(schedule.text, calendar.timezone, afterMs, untilMs);
      return atMs === undefined ? [] : cronRun(job, schedule.text, atMs, calendar);
    }
    return weekRuns(job, schedule, calendar).filter(({ atMs }) => atMs <= nowMs && atMs > done.sinceMs);
  });
  const { unfinished, triedMs = -Infinity } = done;
  if (due.length === 0 && Math.abs(nowMs - triedMs) < RETRY_MS) return undefined;
  const found = unfinished === undefined ? due : [...due, unfinished];
  const [run, ...others] = found.toSorted((one, other) => other.atMs - one.atMs);
  const weeks = others.flatMap(({ week, missed = [] }) => (week === undefined ? missed : [week, ...missed]));
  const missed = weeks.filter(({ id }) => id !== run?.week?.id);
  if (run === undefined) return undefined;
  const isLater = unfinished !== undefined && run !== unfinished;
  return {
    ...run,
    ...(missed.length > 0 && { missed }),
    ...(isLater && { begunMs: unfinished.begunMs, isLater }),
  };
}

/** The run of a mapping that the schedule sees for the first time and is to run at once: as if it were due now. */
export function firstRun(job: Scheduled, calendar: Calendar, nowMs: number): ScheduledRun {
  const [first] = job.timing.schedule;
  const schedule = first?.text ?? '';
  const [run] = cronRun(job, schedule, nowMs, calendar);
  return run ?? { mapping: job.mapping, atMs: nowMs, week: undefined, deadlineMs: undefined, schedule };
}

/** The next runs of a mapping after `nowMs`, at most `count`, in the order of their times. */
export function nextRuns(
  job: Scheduled,
  calendar: Calendar,
  nowMs: number,
  count: number,
): readonly ScheduledRun[] {
  const found = job.timing.schedule.flatMap((schedule): readonly ScheduledRun[] =>
    schedule.kind === 'week'
      ? weekRuns(job, schedule, calendar).filter(({ atMs }) => atMs > nowMs)
      : cronRuns(job, schedule.text, calendar, nowMs, count),
  );
  return found.toSorted((one, other) => one.atMs - other.atMs).slice(0, count);
}

/** Why a mapping has no next run. */
export function idleBecause({ timing }: Scheduled, { weeks }: Calendar): Idle {
  if (weeks.length === 0) return 'no_game_weeks';
  const moments = [
    ...timing.schedule.flatMap((schedule) => (schedule.kind === 'week' ? [schedule.at] : [])),
    ...(timing.deadline === undefined ? [] : [timing.deadline]),
  ];
  const isTimed = moments.every((moment) => weeks.some((week) => momentMs(week, moment) !== undefined));
  return isTimed ? 'season_over' : 'no_times';
}

/** What is done once a run has begun: every time up to now is over, in every schedule of the mapping. */
export function doneBy(job: Scheduled, run: ScheduledRun, calendar: Calendar, nowMs: number): Begun {
  const weeks = job.timing.schedule.flatMap((schedule) =>
    schedule.kind === 'week'
      ? weekRuns(job, schedule, calendar)
          .filter(({ atMs }) => atMs <= nowMs)
          .map(({ week }) => markOf(schedule.text, week?.id))
      : [],
  );
  const { sinceMs = nowMs, weeks: before = [] } = job.done ?? {};
  return {
    ...{ sinceMs, cronMs: nowMs },
    weeks: [...new Set([...before, ...weeks])],
    unfinished: { begunMs: nowMs - calendar.aheadMs, ...run },
  };
}

/** The same once the run has ended by itself, whatever came of it. */
export function ended({ unfinished: _, ...done }: Begun): Done {
  return done;
}

/** The same where an outage ended it. */
export const leftOver = (done: Begun): Done => ({ ...done, triedMs: done.cronMs });

/**
 * The same without what a clock that was set back since made of it: what has not come was not carried out. Undefined where the mapping was first seen by that
 * clock.
 */
export function withoutAhead(
  done: Done | undefined,
  { schedule }: Timing,
  { weeks }: Pick<Calendar, 'weeks'>,
  nowMs: number,
): Done | undefined {
  if (done === undefined || isAhead(done.sinceMs, nowMs)) return undefined;
  const { cronMs, triedMs: _, unfinished, ...kept } = done;
  if (cronMs === undefined || !isAhead(cronMs, nowMs)) return done;
  const toCome = schedule.flatMap((each) =>
    each.kind === 'week'
      ? weeks
          .filter((week) => (momentMs(week, each.at) ?? -Infinity) > nowMs)
          .map(({ id }) => markOf(each.text, id))
      : [],
  );
  return {
    ...kept,
    weeks: (done.weeks ?? []).filter((mark) => !toCome.includes(mark)),
    ...(unfinished !== undefined && unfinished.atMs <= nowMs && { unfinished }),
  };
}

/** A game week that is to be carried out again, and since when, by the time of the schedules. */
export interface Again {
  readonly week: string;
  readonly sinceMs: number;
}

/**
 * The same where a game week is to be carried out again: of its moments, those that have come are due, unless a run has begun since. By a clock that was set back
 * since, that is not to be told before its time has come: each run would begin before it.
 */
export function withAgain(
  done: Done | undefined,
  { schedule }: Timing,
  { week, sinceMs }: Again,
  nowMs: number,
): Done | undefined {
  if (done === undefined || (done.cronMs ?? -Infinity) >= sinceMs || sinceMs - nowMs > WAVERS_MS) return done;
  const marks = schedule.map(({ text }) => markOf(text, week));
  return { ...done, weeks: (done.weeks ?? []).filter((mark) => !marks.includes(mark)) };
}

const markOf = (text: string, week = ''): string => `${text} ${week}`;

/** The moments of all weeks that were not carried out. */
function weekRuns(
  { mapping, timing, done }: Scheduled,
  schedule: Extract<Timing['schedule'][number], { kind: 'week' }>,
  { weeks }: Calendar,
): readonly ScheduledRun[] {
  return weeks.flatMap((week) => {
    const atMs = momentMs(week, schedule.at);
    if (atMs === undefined || done?.weeks?.includes(markOf(schedule.text, week.id)) === true) return [];
    const deadlineMs = timing.deadline && momentMs(week, timing.deadline);
    return [{ mapping, atMs, week, deadlineMs, schedule: schedule.text }];
  });
}

function* cronTimes(text: string, timezone: string, afterMs: number): Generator<number> {
  let atMs = nextCronMs(text, timezone, afterMs);
  for (; atMs !== undefined; atMs = nextCronMs(text, timezone, atMs)) yield atMs;
}

function cronRuns(
  job: Scheduled,
  text: string,
  calendar: Calendar,
  nowMs: number,
  count: number,
): readonly ScheduledRun[] {
  const times = cronTimes(text, calendar.timezone, nowMs).take(count);
  return [...times].flatMap((atMs) => cronRun(job, text, atMs, calendar));
}

/** The last moment at which a run by cron has a week whose deadline comes. */
function lastMomentMs({ deadline }: Timing, { weeks }: Calendar): number {
  if (deadline === undefined) return Infinity;
  return Math.max(...weeks.map((week) => momentMs(week, deadline) ?? -Infinity)) - 1;
}

/** A run by cron; none where it has a deadline and no week is left whose deadline comes. */
function cronRun(
  { mapping, timing }: Scheduled,
  schedule: string,
  atMs: number,
  { weeks }: Calendar,
): readonly ScheduledRun[] {
  const { deadline } = timing;
  const run = { mapping, atMs, schedule };
  if (deadline === undefined) {
    const week = weeks.find(({ endMs }) => endMs !== undefined && endMs > atMs);
    return [{ ...run, week, deadlineMs: undefined }];
  }
  for (const week of weeks) {
    const deadlineMs = momentMs(week, deadline);
    if (deadlineMs !== undefined && deadlineMs > atMs) return [{ ...run, week, deadlineMs }];
  }
  return [];
}
