import { EXIT, type ExitCode } from '../../model/error.ts';
import { readMappings } from '../../runtime/mappings.ts';
import { readCalendar, readDone, timedMappings } from '../../runtime/schedules.ts';
import { idleBecause, nextRuns, type Calendar, type Idle, type Scheduled } from '../../schedule/due.ts';
import { openAccount } from '../../sync/plan/plan-sync.ts';
import type { Program } from '../program.ts';
import { renderColumns, renderTime, safeText } from '../render/text.ts';
import { withSession, type SessionArgs } from '../session.ts';

const SHOWN = 10;

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

/** `schedule next`: the next runs over all mappings; a mapping without one says why. Reads the account and the fixtures. */
export function showNext(names: readonly string[], args: SessionArgs, program: Program): Promise<ExitCode> {
  return withSession(
    args,
    program,
    async (session) => {
      const { config, ports } = session;
      const timed = timedMappings(readMappings(config, names, program));
      const account = await openAccount(ports);
      const calendar = await readCalendar(session, timed);
      const nowMs = program.clock.now();
      const jobs = await readDone(ports.store, account.service, timed);
      const next = nextOf(jobs, calendar, nowMs);
      const { screen } = program;
      await screen.data(screen.json ? JSON.stringify(next) : renderNextRuns(next, config.timezone));
      return EXIT.done;
    },
    { readOnly: true },
  );
}

function nextOf(jobs: readonly Scheduled[], calendar: Calendar, nowMs: number): readonly NextRun[] {
  const all = jobs.map((job) => ({ job, runs: nextRuns(job, calendar, nowMs, SHOWN) }));
  const runs = all.flatMap((each) => each.runs).toSorted((one, other) => one.atMs - other.atMs);
  const idle = all.filter((each) => each.runs.length === 0);
  return [
    ...runs.slice(0, SHOWN).map(({ mapping, week, atMs, schedule }) => ({
      league: null,
      mapping,
      week: week?.week ?? null,
      at: new Date(atMs).toISOString(),
      why: schedule,
    })),
    ...idle.map(({ job }) => ({
      ...{ league: null, mapping: job.mapping, week: null, at: null },
      why: IDLE[idleBecause(job, calendar)],
    })),
  ];
}

function renderNextRuns(next: readonly NextRun[], timezone: string): string {
  return renderColumns(
    next.map(({ mapping, week, at, why }) => [
      at === null ? 'never' : renderTime(Date.parse(at), timezone),
      mapping,
      week === null ? '' : `week ${safeText(week)}`,
      why,
    ]),
  );
}
