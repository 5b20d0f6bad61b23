import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { PullMapping, PushMapping } from '../../mapping/mapping.ts';
import { triggerMapping } from '../../mapping/parse/parse-trigger.ts';
import { renderCount, renderCountOf } from '../../model/count.ts';
import { ConfigError, type ExitCode } from '../../model/error.ts';
import { Secret } from '../../model/secret.ts';
import type { PullSummary, RequestCounts } from '../../model/state/store.ts';
import { worstExit } from '../../model/worst-exit.ts';
import { createSandbox, type Sandbox } from '../../sandbox/index.ts';
import { preparePull } from '../../sync/pull.ts';
import { push, type PushResult } from '../../sync/push.ts';
import type { RunReport, SyncPorts } from '../../sync/ports.ts';
import { defineCommand } from '../command.ts';
import { configOf, type Config } from '../../runtime/config/config.ts';
import { readPullMappings, readPushMappings } from '../../runtime/config/mappings.ts';
import { packagePath } from '../../runtime/package.ts';
import type { Program } from '../program.ts';
import type { Emit } from '../../model/event.ts';
import { createReporter } from '../render/progress.ts';
import { renderOutcomeTable, renderRecords, renderRequests } from '../render/report.ts';
import { renderColumns, renderDuration, safeText } from '../render/text.ts';
import { exitCodesOf, pullReports } from '../../runtime/pull-reports.ts';
import { completePlanOptions } from '../../runtime/plan-options.ts';
import { readWeeks, type WeeksRead } from '../../runtime/weeks/read-weeks.ts';
import { withPorts, type Session } from '../../runtime/session.ts';
import { withholdKey } from '../session.ts';
import { openState } from '../../runtime/state.ts';

const REPORTS = [
  'table-workbook',
  ...['squads', 'lineups', 'fixtures', 'auto-substitutions'].flatMap((name) => [
    `${name}-report`,
    `${name}-workbook`,
  ]),
  'history-workbook',
];
const VARS = { fantasy_league_id: '1', price_type: 'initial' };

/** So many game weeks are played, read and triggered. */
const WEEKS = 5;
/** A game week is read at once, without a pause for the budget. */
const PER_MINUTE = 100_000;
/** Before the first game week, so that the memory holds every one. */
const STARTS = '2026-08-10T09:00:00Z';

/** `demo`: some weeks of a season in a sandbox of this process; only `out/` stays. */
export const demo = defineCommand({
  options: {},
  positionals: {},
  examples: [['demo', 'writes out/season.xlsx and four CSV files']],
  run: async (_args, program) => {
    const scratch = mkdtempSync(join(tmpdir(), 'teamsheet-demo-'));
    const config = demoConfig(scratch, program);
    // The reports go below the working folder, and their layouts are the shipped ones.
    const pulls = readPullMappings({ ...config, layouts: packagePath('.') }, REPORTS, program);
    try {
      refuseOwnReports(pulls, program);
      await using sandbox = await createSandbox({
        seed: 'demo',
        now: STARTS,
        settings: { per_minute: PER_MINUTE },
      });
      return await playSeason(config, pulls, sandbox, program);
    } finally {
      rmSync(scratch, { recursive: true, force: true });
    }
  },
});

/** In a folder that is set up, reports that are there already may be somebody's own. Errors: ConfigError `demo.exists`. */
function refuseOwnReports(pulls: readonly PullMapping[], { cwd }: Program): void {
  if (!['teamsheet.yaml', '.teamsheet'].some((name) => existsSync(join(cwd, name)))) return;
  const there = pulls
    .map(({ destination }) => destination.origin.replace(TAB, ''))
    .find((file) => existsSync(join(cwd, file)));
  if (there === undefined) return;
  throw new ConfigError(
    'demo.exists',
    `${there} exists already, and may be your own report; nothing was written`,
    {
      file: there,
      next: 'run the demo in an empty folder',
    },
  );
}

/** Throw-away state, the shipped mappings, and reports below the working folder. */
function demoConfig(scratch: string, { cwd, env }: Program): Config {
  const args = { var: VARS, mappings: packagePath('mappings'), state: join(scratch, 'state.sqlite') };
  const seat = { cwd: scratch, env: { ...env, XDG_STATE_HOME: scratch } };
  return { ...configOf({}, args, seat), folder: cwd };
}

interface Season {
  readonly first: PushResult;
  readonly again: PushResult;
  readonly weeks: readonly PlayedWeek[];
  readonly reports: readonly PullSummary[];
  readonly requests: Omit<RequestCounts, 'planned'>;
}

interface PlayedWeek {
  readonly trigger: PushResult;
  readonly read: WeeksRead;
}

async function playSeason(
  config: Config,
  pulls: readonly PullMapping[],
  sandbox: Sandbox,
  program: Program,
): Promise<ExitCode> {
  const { screen, clock } = program;
  const startedMs = clock.monotonic();
  const { baseUrl } = sandbox;
  const connection = { environment: 'demo', baseUrl, apiKey: new Secret(sandbox.apiKey), warnings: [] };
  const { store, lock, budget } = await openState(config, clock, screen.warn);
  const reporter = createReporter(screen, clock);
  // The story at the end says what the notes of its steps say.
  const emit: Emit = (event) => {
    if (event.kind !== 'note') reporter.emit(event);
  };
  const requests = { sent: 0, reads: 0, writes: 0, throttled: 0, waited_ms: 0 };
  /** Each step is a session of its own, as a command is: the sandbox's clock moves between them. */
  const inSession = <T>(work: (session: Session) => Promise<T>): Promise<T> =>
    withPorts(
      { config, connection, store, lock, budget, command: 'demo' },
      { ...program, emit },
      async (session) => {
        const done = await work(session);
        const counts = session.ports.service.counts();
        for (const name of COUNTED) requests[name] += counts[name];
        return done;
      },
    );
  try {
    withholdKey(connection, program);
    const pushes = readPushMappings(
      { ...config, folder: packagePath('templates/demo') },
      ['users', 'prices', 'points'],
      program,
    );
    const [first, again] = [
      await inSession(({ ports }) => pushAll(ports, pushes)),
      await inSession(({ ports }) => pushAll(ports, pushes)),
    ];
    const weeks: PlayedWeek[] = [];
    for (let week = 1; week <= WEEKS; week += 1) {
      await sandbox.control('POST', '/play-next-week');
      await sandbox.control('POST', '/clock', { advance: '1h' });
      const trigger = await inSession(({ ports }) => pushAll(ports, [LAST_WEEK]));
      weeks.push({ trigger, read: await inSession((session) => readWeeks(session, program.cwd)) });
    }
    const reports = await inSession(async (session) =>
      pullReports(session, await preparePull(pulls, session.ports.tables), undefined),
    );
    reporter.stop();
    const season = { first, again, weeks, reports, requests };
    return await tell(season, connection, clock.monotonic() - startedMs, program);
  } finally {
    reporter.stop();
    await store.close();
  }
}

const COUNTED = ['sent', 'reads', 'writes', 'throttled', 'waited_ms'] as const;

const pushAll = (ports: SyncPorts, mappings: readonly PushMapping[]): Promise<PushResult> =>
  push(ports, 'demo', mappings, OPTIONS, () => Promise.resolve());

/** Has the substitutions of the game week that ended last processed. */
const LAST_WEEK = triggerMapping(
  'substitutions',
  { file: 'demo', line: 1 },
  { kind: 'weeks', week: 'last', league: Number(VARS.fantasy_league_id) },
  'weeks: last',
);

// The sandbox's price log may hold uploads that this new state does not remember.
const OPTIONS = completePlanOptions({ adopt: true });

async function tell(
  { first, again, weeks, reports, requests }: Season,
  { baseUrl }: Session['connection'],
  tookMs: number,
  program: Program,
): Promise<ExitCode> {
  const { screen, name } = program;
  const exitCode = worstExit([
    ...[first, again, ...weeks.map(({ trigger }) => trigger)].map(({ report }) => report.exit_code),
    ...weeks.map(({ read }) => read.exitCode),
    ...exitCodesOf(reports),
  ]);
  if (screen.json) {
    const report: RunReport = {
      run: null,
      command: 'demo',
      exit_code: exitCode,
      // The results stood in the throw-away folder and are gone with it.
      mappings: [
        ...first.report.mappings.map((mapping) =>
          mapping.direction === 'push' ? { ...mapping, results: null } : mapping,
        ),
        ...reports,
      ],
      requests: { ...requests, planned: requests.sent },
    };
    await screen.data(JSON.stringify(report));
    return exitCode;
  }
  const style = screen.dataStyle;
  const step = (number: number, text: string): string => `${style('bold', `${number}.`)} ${text}`;
  const pushed = first.report.mappings.filter((mapping) => mapping.direction === 'push');
  const rows = pushed.reduce((sum, mapping) => sum + mapping.rows, 0);
  const firstWrites = first.report.requests.writes;
  const againWrites = again.report.requests.writes;
  const kept = weeks.flatMap(({ read }) => read.leagues.map(({ week }) => week?.lineups?.ids ?? 0));
  const lineups = kept.reduce((sum, ids) => sum + ids, 0);
  const byFile = Map.groupBy(reports, ({ destination }) => destination.replace(TAB, ''));
  const files = [...byFile].toSorted(([, one], [, other]) => other.length - one.length);
  await screen.data(
    [
      step(
        1,
        `A sandbox of the whole service ran at ${baseUrl}: a fictional league with clubs, players and squads.`,
      ),
      '',
      step(
        2,
        `${renderCount(rows)} rows were pushed from the demo's tables in ${renderCount(firstWrites)} writing requests:`,
      ),
      indent(renderOutcomeTable(pushed, style)),
      `   The same push again wrote ${againWrites === 0 ? 'nothing: every row is there already' : `${renderCount(againWrites)} requests`}.`,
      '',
      step(
        3,
        `${renderCountOf(weeks.length, 'game week')} went by. After each, its automatic substitutions were triggered, and its line-ups, points and ranks were read: ${renderCountOf(lineups, 'line-up')} in all.`,
      ),
      '',
      step(4, 'Reports, ready to be opened:'),
      renderColumns(
        files.flatMap(([file, its]) =>
          its.map((summary, at) => [
            `   ${at === 0 ? style('green', safeText(file)) : ''}`,
            ...renderTab(summary),
          ]),
        ),
      ),
      '',
      `${renderRequests({ ...requests, planned: requests.sent })}, ${renderDuration(tookMs)} in all.`,
      `${style('bold', 'next:')} ${name} init`,
    ].join('\n'),
  );
  return exitCode;
}

/** A tab of a workbook at the end of a destination. */
const TAB = / tab "(.*)"$/;

/** What a report holds, and its tab. */
function renderTab(summary: PullSummary): readonly string[] {
  const { destination, error } = summary;
  const what = error === undefined ? renderRecords(summary) : safeText(error.message);
  const tab = TAB.exec(destination)?.[1];
  return tab === undefined ? [what] : [`${tab}: ${what}`];
}

const indent = (text: string): string => text.replace(/^/gm, '   ');
