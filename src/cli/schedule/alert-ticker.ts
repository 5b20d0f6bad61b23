import { TeamsheetError } from '../../model/error.ts';
import { readConfig, type Config } from '../../runtime/config/config.ts';
import { environmentOf } from '../../runtime/config/connection.ts';
import { accountsOf, chosenLeagues } from '../../runtime/config/leagues.ts';
import { withState } from '../../runtime/state.ts';
import type { Deadline } from '../../schedule/alerts.ts';
import type { MappingId } from '../../schedule/mapping-states.ts';
import type { Calendar } from '../../schedule/due.ts';
import type { DueRun, Looked } from '../../schedule/runner.ts';
import { momentMs, type ClockWeek } from '../../schedule/weeks.ts';
import { apart } from '../../model/league-name.ts';
import { weekNumber } from '../../season/week-number.ts';
import type { SessionArgs } from '../session.ts';
import type { Program } from '../program.ts';
import { warnOnce } from '../warn-once.ts';

/** {@link tellerOfTime} at each tick, while nothing waits for it; while it is under way, another tick does nothing. */
export function alertTicker(args: SessionArgs, program: Program): (looked: Looked) => void {
  const tell = tellerOfTime(args, program);
  let isUnderWay = false;
  return (looked) => {
    if (isUnderWay) return;
    isUnderWay = true;
    void tell(looked).finally(() => {
      isUnderWay = false;
    });
  };
}

/** Tells what time alone brings: deadlines that come near, mappings that still fail, and alerts that wait in the outbox. What keeps it from that is told once, until it changes. */
export function tellerOfTime(args: SessionArgs, program: Program): (looked: Looked) => Promise<void> {
  const warnings = warnOnce(program, 'alerts: ');
  return async (looked) => {
    try {
      await tellOfTime(looked, args, program);
      warnings.passed();
    } catch (error) {
      if (!(error instanceof TeamsheetError)) throw error;
      warnings.failed(error);
    }
  };
}

async function tellOfTime(looked: Looked, args: SessionArgs, program: Program): Promise<void> {
  const { clock, signal, screen } = program;
  const config = readConfig(args, program);
  if (config.alerts.length === 0) return;
  const { tellAlerts } = await import('../../runtime/tell-alerts.ts');
  const idOf = idsIn(config);
  const deadlines = looked.flatMap(({ jobs, calendar }) =>
    jobs.flatMap(({ mapping, timing: { deadline } }) =>
      deadline === undefined
        ? []
        : calendar.weeks.flatMap((week) =>
            deadlineAt(idOf(mapping), week, momentMs(week, deadline), calendar),
          ),
    ),
  );
  const known = looked.flatMap(({ jobs }) => jobs.map(({ mapping }) => idOf(mapping)));
  const desk = { config, clock, signal, warn: screen.warn };
  await withState(
    config,
    clock,
    () => undefined,
    ({ store }) => tellAlerts({ ...desk, store }, { known, deadlines }),
  );
}

/** The deadlines of what runs now. */
export function deadlinesOfRuns(runs: readonly DueRun[], config: Config): readonly Deadline[] {
  const idOf = idsIn(config);
  return runs.flatMap(({ mapping, week, deadlineMs, calendar }) =>
    week === undefined ? [] : deadlineAt(idOf(mapping), week, deadlineMs, calendar),
  );
}

/** A deadline in our time, which alerts go by. */
const deadlineAt = (
  mapping: MappingId,
  week: ClockWeek,
  atMs: number | undefined,
  { aheadMs }: Calendar,
): readonly Deadline[] =>
  atMs === undefined
    ? []
    : [{ ...mapping, week: weekNumber(week.week), gameWeekId: week.id, atMs: atMs - aheadMs }];

/** Whose account a mapping runs in. */
function idsIn(config: Config): (name: string) => MappingId {
  const accounts = accountsOf(config);
  return (name) => {
    const { league } = apart(name);
    const account = accounts.find((each) => league !== undefined && chosenLeagues(each).includes(league));
    return { environment: environmentOf(account ?? accounts[0] ?? config), name };
  };
}
