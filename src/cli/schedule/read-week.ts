import { pullTarget } from '../../contract/index.ts';
import { TeamsheetError, type ExitCode } from '../../model/error.ts';
import type { LeagueScope } from '../../model/state/memory.ts';
import type { ServiceAccount } from '../../model/state/store.ts';
import { environmentOf } from '../../runtime/config/connection.ts';
import { publishAll } from '../../runtime/publish/publish-all.ts';
import { readWeeks, type LeagueReading as Reading, type WeeksRead } from '../../runtime/weeks/read-weeks.ts';
import { isPull } from '../../runtime/config/mappings.ts';
import { keepAgain, type TimedLeague } from '../../runtime/schedules.ts';
import { keepReading } from '../../runtime/weeks/week-readings.ts';
import type { LeagueNotice } from '../../schedule/alerts.ts';
import { scheduleNow } from '../../schedule/due.ts';
import type { LeagueReading } from '../../schedule/runner.ts';
import { weekNumber } from '../../season/week-number.ts';
import { serviceNow } from '../../sync/memory/service-time.ts';
import { auditWeeks } from '../../sync/audit.ts';
import { leagueWeeks, type LeagueWeek } from '../../sync/memory/league-weeks.ts';
import type { Program } from '../program.ts';
import { renderSite } from '../render/publish.ts';
import { renderStop } from '../render/stop.ts';
import { renderReading } from '../render/weeks.ts';
import { withAccount, type Session, type SessionArgs } from '../session.ts';

/** A week that is not whole is told of when so little time is left to read it. */
const ABOUT_TO_BE_LOST_MS = 6 * 60 * 60 * 1000;

/** Reads a game week of a league as `weeks read` does; tells of what is about to be lost and of substitutions that differ from the rules, has its reports written again where they may differ, and publishes the league where it is published. */
export async function readDueWeek(
  due: LeagueReading,
  league: TimedLeague,
  account: ServiceAccount,
  args: SessionArgs,
  program: Program,
): Promise<ExitCode> {
  const { screen } = program;
  try {
    return await withAccount(
      league.config,
      args,
      program,
      async (session) => {
        const came = await readAndKeep(due, league, account, session, program);
        const { isWhole, reading } = came;
        session.endProgress();
        for (const each of reading) screen.say(renderReading(each, league.config.timezone));
        await tellNotices(await noticesOf(due, league, came, account, session), session, program);
        if (isWhole) await makeReportsDue(due, league, came, account, session);
        if (isWhole && league.config.publish.out !== undefined) await publish(session, program);
        return came.exitCode;
      },
      { isPart: true },
    );
  } catch (error) {
    if (!(error instanceof TeamsheetError) || program.signal.aborted) throw error;
    screen.tell(renderStop(error, program));
    return error.exitCode;
  }
}

/** The first whole reading since the substitutions of a week were processed may find other points and line-ups than the reports of the week that were written before. */
async function makeReportsDue(
  { week: { id }, of: { calendar, readings } }: LeagueReading,
  { timed }: TimedLeague,
  { reading: [came] }: CameOf,
  account: ServiceAccount,
  { ports }: Session,
): Promise<void> {
  const { processed, week } = came?.week ?? {};
  const whole = readings?.done.whole;
  const isKnown = whole?.id === id && whole.atMs >= (processed?.atMs ?? Infinity);
  const clockWeek = calendar.weeks.find((each) => each.id.toLowerCase() === id);
  if (processed === undefined || week?.id !== id || isKnown || clockWeek === undefined) return;
  const byWeek = timed.filter(isPull).filter(({ resource }) => pullTarget(resource)?.byWeek !== undefined);
  const names = byWeek.map(({ name }) => name);
  await keepAgain(ports.store, account, names, {
    week: clockWeek.id,
    sinceMs: scheduleNow(calendar, ports.clock),
  });
}

interface CameOf {
  readonly exitCode: ExitCode;
  readonly isWhole: boolean;
  readonly reading: readonly Reading[];
}

/** However it ends, that it was tried is remembered: it is tried again later. */
async function readAndKeep(
  { of: { calendar } }: LeagueReading,
  { kept = 0 }: TimedLeague,
  account: ServiceAccount,
  session: Session,
  program: Program,
): Promise<CameOf> {
  const { ports } = session;
  const beganMs = scheduleNow(calendar, program.clock);
  const keep = (shown: string | undefined, isWhole: boolean): Promise<void> =>
    keepReading(ports.store, account, kept, calendar, { beganMs, shown, isWhole });
  await keep(undefined, false);
  const { leagues, exitCode, stoppedBy } = await tryRead(session, program);
  const isWhole = stoppedBy === undefined;
  await keep(leagues[0]?.week?.week.id, isWhole);
  if (stoppedBy !== undefined) program.screen.tell(renderStop(stoppedBy, program, 'weeks read'));
  return { exitCode, isWhole, reading: leagues };
}

/** What stops all of it, such as an outage, is to be told of the week too. */
async function tryRead(
  session: Session,
  { cwd, signal }: Program,
): Promise<Pick<WeeksRead, 'exitCode' | 'leagues' | 'stoppedBy'>> {
  try {
    return await readWeeks(session, cwd);
  } catch (error) {
    if (!(error instanceof TeamsheetError) || signal.aborted) throw error;
    return { exitCode: error.exitCode, leagues: [], stoppedBy: error };
  }
}

async function noticesOf(
  due: LeagueReading,
  { name, config, kept = 0 }: TimedLeague,
  came: CameOf,
  account: ServiceAccount,
  session: Session,
): Promise<readonly LeagueNotice[]> {
  const { week } = due;
  const number = weekNumber(week.week);
  if (number === undefined) return [];
  const environment = environmentOf(config);
  const about = { environment, league: name ?? null, week: number, gameWeekId: week.id };
  const scope = { account, league: kept };
  return came.isWhole
    ? auditNotices(about, came, scope, session)
    : lostNotices(about, came, due, scope, session);
}

type About = Pick<LeagueNotice, 'environment' | 'league' | 'week' | 'gameWeekId'>;

/** What the service showed of the week that was due; undefined where it showed another. */
const shownOf = ({ gameWeekId }: About, { reading: [came] }: CameOf): Reading | undefined =>
  came?.week?.week.id === gameWeekId.toLowerCase() ? came : undefined;

async function lostNotices(
  about: About,
  came: CameOf,
  { untilMs, of: { calendar } }: LeagueReading,
  scope: LeagueScope,
  { ports }: Session,
): Promise<readonly LeagueNotice[]> {
  const nowMs = scheduleNow(calendar, ports.clock);
  if (untilMs === undefined || untilMs - nowMs > ABOUT_TO_BE_LOST_MS) return [];
  const shown = shownOf(about, came);
  if (shown === undefined && came.reading.length > 0) return [];
  const left = shown === undefined ? await unreadOf(about, scope, nowMs, ports.store) : squadsOf(shown);
  if (left.missing === 0) return [];
  return [{ ...about, ...left, event: 'week_missing', untilMs: untilMs - calendar.aheadMs }];
}

const squadsOf = ({ left, read, week }: Reading): Unread => ({
  squads: Math.max(left.lineups + read.lineups, week?.lineups?.ids ?? 0),
  missing: Math.max(left.lineups, left.squads),
});

interface Unread {
  readonly squads: number;
  readonly missing: number;
}

/** Without a word of the service, the squads of a league are those of an earlier week. */
async function unreadOf(
  { gameWeekId }: About,
  scope: LeagueScope,
  nowMs: number,
  { memory }: Session['ports']['store'],
): Promise<Unread> {
  const weeks = await leagueWeeks(memory, scope, nowMs);
  const read = (week: LeagueWeek | undefined): number => week?.lineups?.ids ?? 0;
  const squads = Math.max(0, ...weeks.map(read));
  return { squads, missing: squads - read(weeks.find(({ week }) => week.id === gameWeekId.toLowerCase())) };
}

async function auditNotices(
  about: About,
  came: CameOf,
  scope: LeagueScope,
  { ports, config }: Session,
): Promise<readonly LeagueNotice[]> {
  if (shownOf(about, came) === undefined) return [];
  const choice = { kind: 'range', from: about.week, to: about.week } as const;
  const audit = await auditWeeks(ports, scope, config.rules, choice, await serviceNow(ports, scope.account));
  return audit.weeks
    .filter(({ differ }) => differ > 0)
    .map(({ squads, differ }) => ({ ...about, squads, event: 'audit_differs', differ }));
}

async function tellNotices(
  notices: readonly LeagueNotice[],
  { config, ports: { store } }: Session,
  { clock, signal, screen }: Program,
): Promise<void> {
  if (notices.length === 0 || config.alerts.length === 0) return;
  const { tellAlerts } = await import('../../runtime/tell-alerts.ts');
  await tellAlerts({ config, clock, signal, warn: screen.warn, store }, { notices });
}

async function publish(session: Session, { screen, cwd, clock, signal }: Program): Promise<void> {
  const desk = { clock, signal, warn: screen.warn };
  const asked = { out: undefined, cwd, choice: { kind: 'all' } } as const;
  for (const done of await publishAll(session, asked, desk)) screen.say(renderSite(done));
}
