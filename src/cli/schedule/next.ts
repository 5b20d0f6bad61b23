import { TeamsheetError, type ExitCode } from '../../model/error.ts';
import { apart, inLeague } from '../../model/league-name.ts';
import type { Clock } from '../../model/ports.ts';
import { worstExit } from '../../model/worst-exit.ts';
import { readConfig } from '../../runtime/config/config.ts';
import { withState } from '../../runtime/state.ts';
import { idleBecause, nextRuns, scheduleNow, type Idle } from '../../schedule/due.ts';
import { nextReadings, type ReadingWhy, type WeekReadings } from '../../schedule/readings.ts';
import type { LookedLeague } from '../../schedule/runner.ts';
import type { Program } from '../program.ts';
import { renderStop } from '../render/stop.ts';
import { renderColumns, safeText } from '../render/text.ts';
import { renderTime } from '../../model/time/render-time.ts';
import type { SessionArgs } from '../session.ts';
import { lookAt, readAccount, scheduledAccounts } from './accounts.ts';

const SHOWN = 10;

/** What stands in the place of a mapping where game weeks are read; no mapping can be called so. */
const WEEKS_READ = 'weeks:read';
const READ_BECAUSE: Readonly<Record<ReadingWhy, string>> = {
  before_end: 'before the game week ends',
  after_end: 'the game week is over',
  processed: 'its substitutions are processed',
  before_next: 'before the next game week begins',
};

const IDLE: Readonly<Record<Idle, string>> = {
  season_over: 'no game week is left: the fixtures of the next season are not there yet',
  no_game_weeks: 'the league has no game weeks yet',
  no_times: 'the service shows no time that the schedule or the deadline counts from',
};

/** A line of `schedule next`, as its JSON. */
interface NextRun {
  readonly league: string | null;
  readonly mapping: string;
  readonly week: string | null;
  /** Null where nothing comes. */
  readonly at: string | null;
  readonly why: string;
}

/** `schedule next`: the next runs over all leagues; a mapping without one says why. Reads the accounts and the fixtures. */
export async function showNext(
  names: readonly string[],
  args: SessionArgs,
  program: Program,
): Promise<ExitCode> {
  const { screen, clock, signal } = program;
  const config = readConfig(args, program);
  const leagues: LookedLeague[] = [];
  const unread: ExitCode[] = [];
  const accounts = scheduledAccounts(names, args, program);
  for (const scheduled of accounts) {
    try {
      const read = await readAccount(scheduled, args, program);
      await withState(config, clock, screen.warn, async ({ store }) => {
        for (const league of scheduled.leagues) leagues.push(await lookAt(league, read, store, program));
      });
    } catch (error) {
      // An account that does not let itself be read is not in the way of the others.
      if (!(error instanceof TeamsheetError) || accounts.length === 1 || signal.aborted) throw error;
      screen.tell(renderStop(error, program));
      unread.push(error.exitCode);
    }
  }
  const next = nextOf(leagues, clock);
  await screen.data(screen.json ? JSON.stringify(next) : renderNextRuns(next, config.timezone));
  if (next.length === 0 && unread.length === 0) sayWhyNothing(names, leagues, program);
  if (!screen.json && next.some(({ at }) => at !== null)) screen.say(`times are those of ${config.timezone}`);
  return worstExit(unread);
}

/** Without any run that comes and any mapping that is idle, no mapping has a schedule. */
function sayWhyNothing(
  names: readonly string[],
  leagues: readonly LookedLeague[],
  { screen }: Program,
): void {
  screen.say(`nothing comes: no mapping ${names.length === 0 ? 'has' : 'that was named has'} a schedule`);
  for (const { league, readings } of leagues) {
    if (readings === undefined) continue;
    const whose = league === undefined ? '' : ` of ${safeText(league)}`;
    screen.say(`no reading of a game week${whose} comes: ${unreadBecause(readings)}`);
  }
}

function unreadBecause({ weeks }: WeekReadings): string {
  if (weeks.length === 0) return IDLE.no_game_weeks;
  const isTimed = weeks.every(({ endMs }) => endMs !== undefined);
  return isTimed ? IDLE.season_over : 'the service does not show when its game weeks end';
}

function nextOf(leagues: readonly LookedLeague[], clock: Clock): readonly NextRun[] {
  const coming = leagues.flatMap(({ league = null, jobs, calendar, readings }) => {
    const nowMs = scheduleNow(calendar, clock);
    const line = (mapping: string, week: string | null, atMs: number, why: string) => ({
      ourMs: atMs - calendar.aheadMs,
      line: { league, mapping: apart(mapping).mapping, week, at: new Date(atMs).toISOString(), why },
    });
    return [
      ...jobs
        .flatMap((job) => nextRuns(job, calendar, nowMs, SHOWN))
        .map(({ mapping, week, atMs, schedule }) => line(mapping, week?.week ?? null, atMs, schedule)),
      ...(readings === undefined ? [] : nextReadings(readings, nowMs, SHOWN)).map(({ week, atMs, why }) =>
        line(WEEKS_READ, week.week, atMs, READ_BECAUSE[why]),
      ),
    ];
  });
  const idle = leagues.flatMap(({ league = null, jobs, calendar }) =>
    jobs
      .filter((job) => nextRuns(job, calendar, scheduleNow(calendar, clock), 1).length === 0)
      .map((job) => ({
        ...{ league, mapping: apart(job.mapping).mapping, week: null, at: null },
        why: IDLE[idleBecause(job, calendar)],
      })),
  );
  const runs = coming.toSorted((one, other) => one.ourMs - other.ourMs).map(({ line }) => line);
  return [...runs.slice(0, SHOWN), ...idle];
}

function renderNextRuns(next: readonly NextRun[], timezone: string): string {
  return renderColumns(
    next.map(({ league, mapping, week, at, why }) => [
      at === null ? 'never' : renderTime(Date.parse(at), timezone),
      league === null ? mapping : inLeague(mapping, league),
      week === null ? '' : `week ${safeText(week)}`,
      why,
    ]),
  );
}
