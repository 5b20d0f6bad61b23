import type { RecordOf } from '../../contract/index.ts';
import type { PushMapping } from '../../mapping/mapping.ts';
import { triggerMapping } from '../../mapping/parse/parse-trigger.ts';
import { StoppedError, UsageError, type ExitCode } from '../../model/error.ts';
import { requestsMade } from '../../model/requests-made.ts';
import { parseTimeMs } from '../../model/time/service-time.ts';
import { push } from '../../sync/push.ts';
import { findWeek } from '../../sync/rows/league-weeks.ts';
import type { PlanOptions } from '../../plan/saved/push-plan.ts';
import type { PlannedPush } from '../../sync/ports.ts';
import { completePlanOptions } from '../../runtime/plan-options.ts';
import { defineCommand } from '../command.ts';
import { guardFlags, serviceFlags, text, writeFlags, yes } from '../flags.ts';
import { leagueOf } from '../league.ts';
import { safeText } from '../render/text.ts';
import { renderTime } from '../../model/time/render-time.ts';
import { askApproval, tellResult, type Work } from '../push/run-push.ts';
import { withSession, type Session } from '../session.ts';
import { audit, weeksOf } from '../substitutions/audit.ts';
import { changedBy, changedDocument, renderChanged } from '../substitutions/changed.ts';
import { showPlan } from '../push/show-plan.ts';

/** The name of its mapping. */
const NAME = 'substitutions';

/** `substitutions trigger --week N`: has the service process the automatic substitutions of one game week, once. */
export const substitutions = defineCommand({
  options: {
    ...serviceFlags,
    ...writeFlags,
    ...guardFlags,
    week: text('the game week: its number as the fixtures name it, current or last'),
    weeks: text('audit: game weeks such as 1-12, last or all; the last one without it'),
    adopt: yes('go on although the log has substitutions and this state remembers no trigger'),
    again: yes('trigger a game week that was triggered before'),
    'dry-run': yes('show what would be sent'),
  },
  positionals: { action: { type: 'string', demandOption: true, describe: 'trigger or audit' } },
  examples: [
    ['substitutions trigger --week 7', 'show it, ask, and have game week 7 processed'],
    ['substitutions trigger --week last', 'the game week that ended last'],
    ['substitutions audit --weeks 1-12', 'compare what was processed with the rules'],
  ],
  run: (args, program) => {
    const { action, week } = args;
    if (action === 'audit') {
      const choice = weeksOf(week, args.weeks);
      const work = (session: Session) => audit(session, leagueOf(session.config), choice, program);
      return withSession(args, program, work, { readOnly: true });
    }
    if (action !== 'trigger')
      throw new UsageError(
        'usage.substitutions',
        `there is no "substitutions ${action}"; there are trigger and audit`,
      );
    if (args.weeks !== undefined)
      throw new UsageError('usage.substitutions', '--weeks is for audit; trigger takes one --week');
    if (week === undefined || !/^(current|last|[1-9]\d{0,3})$/.test(week))
      throw new UsageError(
        'usage.substitutions',
        'substitutions trigger needs --week: a whole number, current or last',
        { next: 'substitutions trigger --week last' },
      );
    return withSession(
      args,
      program,
      async (session) => {
        const league = leagueOf(session.config);
        const named = week === 'current' || week === 'last' ? week : Number(week);
        const location = { kind: 'weeks', week: named, league } as const;
        const found = await findWeek(session.ports, location);
        const name = `game week ${found.week ?? found.id} of fantasy league ${league}`;
        program.screen.say(safeText(`${name}: ${datesOf(found, session.config.timezone)}`));
        const work = { ...session, program, yes: args.yes };
        const asked = {
          allowGuards: args.allowGuard,
          adopt: args.adopt === true,
          again: args.again === true,
        };
        const options = { ...completePlanOptions(asked), weeks: { [NAME]: [found.id] } };
        const mappings = [triggerMapping(NAME, { file: name, line: 1 }, location, name)];
        return args.dryRun === true
          ? showPlan(NAME, mappings, options, work, { check: refuseProcessed })
          : trigger({ name, league, id: found.id, text: found.week ?? '' }, mappings, options, work);
      },
      { readOnly: args.dryRun },
    );
  },
});

/** Errors: StoppedError `week.processed` where this state remembers that the game week was triggered. */
function refuseProcessed({ mappings }: PlannedPush): void {
  const processed = mappings.find(({ outcomes }) => outcomes.unchanged > 0);
  if (processed === undefined) return;
  throw new StoppedError('week.processed', `${processed.mapping.source.origin} was triggered before`, {
    flagged: (add) => `if this is intended, ${add} --again`,
  });
}

async function trigger(
  week: { readonly name: string; readonly league: number; readonly id: string; readonly text: string },
  mappings: readonly PushMapping[],
  options: PlanOptions,
  work: Work,
): Promise<ExitCode> {
  // The fixtures were read just now, so that the service's clock was heard.
  const sinceMs = work.ports.service.timeMs() ?? work.ports.clock.now();
  const ask = askApproval(work);
  const result = await push(work.ports, NAME, mappings, options, async (planned, run) => {
    refuseProcessed(planned);
    await ask(planned, run);
  });
  const isSent = result.report.mappings.some((each) => each.direction === 'push' && each.created > 0);
  const pairs = isSent
    ? await changedBy(work, { ...week, sinceMs: Math.floor(sinceMs / 1000) * 1000 })
    : undefined;
  const requests = requestsMade(work.ports.service, result.report.requests);
  return tellResult({ ...result, report: { ...result.report, requests } }, work, {
    week: week.name,
    lines: pairs === undefined ? [] : renderChanged(pairs),
    document: pairs === undefined ? {} : { changed: changedDocument(pairs) },
  });
}

function datesOf({ start_date, end_date }: RecordOf<'get-fixtures'>, timezone: string): string {
  return [start_date, end_date]
    .map((text) => parseTimeMs(text ?? ''))
    .map((ms) => (Number.isNaN(ms) ? '?' : renderTime(ms, timezone)))
    .join(' to ');
}
