import { pushTarget, type RecordOf } from '../../contract/index.ts';
import type { PushMapping } from '../../mapping/mapping.ts';
import { columnWith } from '../../mapping/push-fields.ts';
import { ConfigError, UsageError, type ExitCode } from '../../model/error.ts';
import { parseTimeMs } from '../../model/service-time.ts';
import type { TableKind } from '../../model/table.ts';
import { lastEnded } from '../../plan/week-end.ts';
import { weeksOfNumber } from '../../season/week-number.ts';
import { push } from '../../sync/push.ts';
import { readLeagueWeeks } from '../../sync/resources/auto-substitutions.ts';
import type { PlanOptions } from '../../plan/push-plan.ts';
import { completePlanOptions } from '../../runtime/plan-options.ts';
import { defineCommand } from '../command.ts';
import { guardFlags, serviceFlags, text, writeFlags, yes } from '../flags.ts';
import { leagueOf } from '../league.ts';
import { renderTime, safeText } from '../render/text.ts';
import { askApproval, tellResult, type Work } from '../push/run-push.ts';
import { withSession, type Session } from '../session.ts';
import { audit, weeksOf } from '../substitutions/audit.ts';
import { showPlan } from '../push/show-plan.ts';

const FIELDS = ['fantasy_league_id', 'game_week_id'] as const;

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
        const found = await findWeek(session.ports, week, league);
        const name = `game week ${found.week ?? found.id} of fantasy league ${league}`;
        program.screen.say(safeText(`${name}: ${datesOf(found, session.config.timezone)}`));
        const tables = { ...session.ports.tables, csv: oneRow([String(league), found.id]) };
        const work = { ...session, ports: { ...session.ports, tables }, program, yes: args.yes };
        const options = completePlanOptions({
          allowGuards: args.allowGuard,
          adopt: args.adopt === true,
          again: args.again === true,
        });
        const mappings = [triggerOf(name)];
        return args.dryRun === true
          ? showPlan('substitutions', mappings, options, work)
          : trigger(name, mappings, options, work);
      },
      { readOnly: args.dryRun },
    );
  },
});

/** What went out before is not sent again; the flag that sends it is told. */
async function trigger(
  week: string,
  mappings: readonly PushMapping[],
  options: PlanOptions,
  work: Work,
): Promise<ExitCode> {
  const result = await push(work.ports, 'substitutions', mappings, options, askApproval(work));
  const isThere = result.report.mappings.some((each) => each.direction === 'push' && each.unchanged > 0);
  const next = isThere ? ['this game week was triggered before; to trigger it once more, add --again'] : [];
  return tellResult({ ...result, next }, work, week);
}

function datesOf({ start_date, end_date }: RecordOf<'get-fixtures'>, timezone: string): string {
  return [start_date, end_date]
    .map((text) => parseTimeMs(text ?? ''))
    .map((ms) => (Number.isNaN(ms) ? '?' : renderTime(ms, timezone)))
    .join(' to ');
}

type Week = RecordOf<'get-fixtures'>;

/** The game week of a number, the one that the service calls current, or the last that is over. */
async function findWeek(ports: Session['ports'], wanted: string, league: number): Promise<Week> {
  const shown = await readLeagueWeeks(ports, league);
  const weeks = shown.weeks ?? [];
  const found =
    wanted === 'current'
      ? weeks.filter(({ id }) => id.toLowerCase() === shown.currentId)
      : wanted === 'last'
        ? lastEnded(shown)
        : weeksOfNumber(weeks, Number(wanted));
  const [only] = found;
  if (only !== undefined && found.length === 1) return only;
  const names = weeks.map(({ week }) => week ?? '?').join(', ');
  const words = { current: 'that the service calls current', last: 'that is over' }[wanted] ?? wanted;
  const what = found.length > 1 ? `${found.length} game weeks` : 'no game week';
  throw new ConfigError(
    'substitutions.week',
    `fantasy league ${league} has ${what} ${words}; it has ${names}`,
    {
      next: 'choose one of them with --week',
    },
  );
}

/** A table of one row, where the engine reads a source. */
const oneRow = (cells: readonly string[]): TableKind => ({
  kind: 'csv',
  open: (_, { origin }) => {
    async function* batches() {
      await Promise.resolve();
      yield [{ rowNumber: 1, cells }];
    }
    return Promise.resolve({ origin, header: FIELDS, warnings: [], batches, close: () => Promise.resolve() });
  },
  write: () => Promise.reject(new UsageError('usage.substitutions', 'a game week is no report')),
});

function triggerOf(origin: string): PushMapping {
  const fields = pushTarget('auto_substitutions')?.fields ?? {};
  return {
    direction: 'push',
    name: 'substitutions',
    place: { file: origin, line: 1 },
    resource: 'auto_substitutions',
    operation: 'trigger',
    source: {
      location: { kind: 'csv', path: origin },
      origin,
      headerRow: 1,
      where: [],
      delimiter: 'auto',
      encoding: 'auto',
      locale: 'en',
      layout: { kind: 'table' },
    },
    columns: FIELDS.flatMap((name) => {
      const field = fields[name];
      return field === undefined ? [] : [columnWith(name, field, true, { from: [name] })];
    }),
    autoValues: {},
    missingRows: 'ignore',
    writeBack: undefined,
    rejectMode: 'skip',
    guards: { minRows: 1, maxChangePct: 100, maxDeactivate: 0, maxStep: undefined, maxStepPct: undefined },
    batchSize: 1,
    compare: 'auto',
  };
}
