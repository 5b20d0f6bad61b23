import type { Mapping } from '../mapping/mapping.ts';
import { variableSource } from '../mapping/push-fields.ts';
import { ConfigError } from '../model/error.ts';
import type { ServiceAccount, Store } from '../model/store.ts';
import { cronProblem } from '../schedule/cron.ts';
import { nextRuns, type Calendar, type Done, type Scheduled, type ScheduledRun } from '../schedule/due.ts';
import { clockWeeks, type ClockWeek } from '../schedule/weeks.ts';
import type { Session } from './session.ts';

/** A mapping whose times are set. */
type Timed = Mapping & { readonly timing: NonNullable<Mapping['timing']> };

const hasSchedule = (mapping: Mapping): mapping is Timed => (mapping.timing?.schedule.length ?? 0) > 0;

/** The mappings with a schedule. Errors: ConfigError `schedule.none`, `schedule.cron` with the mapping's place. */
export function timedMappings(mappings: readonly Mapping[]): readonly Timed[] {
  const timed = mappings.filter(hasSchedule);
  if (timed.length === 0)
    throw new ConfigError('schedule.none', 'no mapping has a schedule', {
      next: 'write schedule: "*/15 8-22 * * *" or schedule: { at: "each.kickoff - 24h" } into a mapping',
    });
  for (const { name, place, timing } of timed) {
    for (const schedule of timing.schedule) {
      const problem = schedule.kind === 'cron' ? cronProblem(schedule.text) : undefined;
      if (problem === undefined) continue;
      const message = `mapping ${name}: schedule "${schedule.text}": ${problem}`;
      throw new ConfigError('schedule.cron', message, {
        ...place,
        next: 'write five fields: minute, hour, day of the month, month, day of the week',
      });
    }
  }
  return timed;
}

/** The game weeks of the league, read now, where any schedule goes by them or the league is known. Errors: ConfigError `mapping.variable`; those of the service. */
export async function readCalendar(
  { ports, config }: Pick<Session, 'ports' | 'config'>,
  timed: readonly Timed[],
): Promise<Calendar> {
  const { timezone } = config;
  const league = config.vars['fantasy_league_id'];
  if (league === undefined && !timed.some(goesByWeeks)) return { weeks: [], timezone };
  if (league === undefined || !/^[1-9]\d{0,14}$/.test(league.trim()))
    throw new ConfigError(
      'mapping.variable',
      league === undefined
        ? 'the variable fantasy_league_id is not set: schedules need the game weeks of the league'
        : `the variable fantasy_league_id is "${league}", which is no number of a league`,
      { next: variableSource('fantasy_league_id') },
    );
  const { records } = await ports.service.get('get-fixtures', { id: Number(league) });
  return { weeks: clockWeeks(records), timezone };
}

const goesByWeeks = ({ timing }: Timed): boolean =>
  timing.deadline !== undefined || timing.schedule.some(({ kind }) => kind === 'week');

const factOf = (mapping: string): string => `schedule:${mapping}`;

/** The mappings with what the schedule has done for them. */
export async function readDone(
  store: Pick<Store, 'fact'>,
  account: ServiceAccount,
  timed: readonly Timed[],
): Promise<readonly Scheduled[]> {
  const jobs: Scheduled[] = [];
  for (const { name, timing } of timed) {
    const kept = await store.fact(account, factOf(name));
    // Only this file writes the fact.
    const done = kept === undefined ? undefined : (JSON.parse(kept.value) as Done);
    jobs.push({ mapping: name, timing, done });
  }
  return jobs;
}

/** Keeps what the schedule has done, by mapping. */
export async function keepDone(
  store: Pick<Store, 'setFacts'>,
  account: ServiceAccount,
  done: ReadonlyMap<string, Done>,
): Promise<void> {
  const facts = Array.from(done, ([mapping, each]) => ({
    name: factOf(mapping),
    value: JSON.stringify(each),
  }));
  await store.setFacts(account, facts);
}

const WEEKS_FACT = 'schedule_weeks';

/** Keeps the game weeks that schedules go by, so that what only reads the state can tell what comes. */
export const keepCalendar = (
  store: Pick<Store, 'setFact'>,
  account: ServiceAccount,
  { weeks }: Calendar,
): Promise<void> => store.setFact(account, WEEKS_FACT, JSON.stringify(weeks));

/** The game weeks as they were last kept, and when; without weeks and time where they never were. */
export async function keptCalendar(
  store: Pick<Store, 'fact'>,
  account: ServiceAccount,
  timezone: string,
): Promise<Calendar & { readonly atMs: number | undefined }> {
  const kept = await store.fact(account, WEEKS_FACT);
  // Only keepCalendar writes the fact.
  const weeks = kept === undefined ? [] : (JSON.parse(kept.value) as readonly ClockWeek[]);
  return { weeks, timezone, atMs: kept?.atMs };
}

/** The next run of each mapping with a schedule, by the mapping's name; a mapping that is never due has none. Errors: those of {@link timedMappings}. */
export async function nextByMapping(
  store: Pick<Store, 'fact'>,
  account: ServiceAccount,
  mappings: readonly Mapping[],
  calendar: Calendar,
  nowMs: number,
): Promise<ReadonlyMap<string, ScheduledRun>> {
  const timed = mappings.some(hasSchedule) ? timedMappings(mappings) : [];
  const jobs = await readDone(store, account, timed);
  return new Map(
    jobs.flatMap((job) => nextRuns(job, calendar, nowMs, 1).map((run) => [job.mapping, run] as const)),
  );
}
