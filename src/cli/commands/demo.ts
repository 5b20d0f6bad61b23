import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { renderCount } from '../../model/count.ts';
import type { ExitCode } from '../../model/error.ts';
import { Secret } from '../../model/secret.ts';
import type { PullSummary } from '../../model/store.ts';
import { createSandbox } from '../../sandbox/index.ts';
import { preparePull } from '../../sync/pull.ts';
import { push, type PushResult } from '../../sync/push.ts';
import type { RunReport } from '../../sync/ports.ts';
import { defineCommand } from '../command.ts';
import { configSchema } from '../../runtime/config-file.ts';
import type { Config } from '../../runtime/config.ts';
import { readPullMappings, readPushMappings } from '../../runtime/mappings.ts';
import { packagePath } from '../../runtime/package.ts';
import type { Program } from '../program.ts';
import { createReporter } from '../render/progress.ts';
import { renderOutcomeTable, renderRecords, renderRequests } from '../render/report.ts';
import { renderColumns, renderDuration, safeText } from '../render/text.ts';
import { exitCodesOf, pullReports, worstExit } from '../../runtime/pull-reports.ts';
import { completePlanOptions } from '../../runtime/plan-options.ts';
import { openSession, type Session } from '../../runtime/session.ts';
import { withholdKey } from '../session.ts';
import { openState } from '../../runtime/state.ts';

/** Shipped mappings whose reports the demo writes. */
const REPORTS = [
  ...['squads', 'lineups', 'fixtures', 'auto-substitutions'].flatMap((name) => [
    `${name}-report`,
    `${name}-workbook`,
  ]),
  'history-workbook',
];
const VARS = { fantasy_league_id: '1', price_type: 'initial' };

/** `demo`: a season in a sandbox of this process; only `out/` stays. */
export const demo = defineCommand({
  options: {},
  positionals: {},
  examples: [['demo', 'writes out/season.xlsx and four CSV files']],
  run: async (_args, program) => {
    const scratch = mkdtempSync(join(tmpdir(), 'teamsheet-demo-'));
    const sandbox = await createSandbox({ seed: 'demo' });
    try {
      const { baseUrl, apiKey } = sandbox;
      const connection = { environment: 'demo', baseUrl, apiKey: new Secret(apiKey), warnings: [] };
      return await playSeason(configOf(scratch, program), connection, program);
    } finally {
      await sandbox.close();
      rmSync(scratch, { recursive: true, force: true });
    }
  },
});

/** Throw-away state, the shipped mappings, and reports below the working folder. */
function configOf(scratch: string, { cwd, env }: Program): Config {
  const { budget, push: limits, timezone, season, rules, publish } = configSchema.parse({ version: 1 });
  return {
    file: undefined,
    folder: cwd,
    env: { ...env, XDG_STATE_HOME: scratch },
    environments: undefined,
    environment: undefined,
    vars: VARS,
    leagues: [],
    state: join(scratch, 'state.sqlite'),
    mappings: packagePath('mappings'),
    timezone,
    rules,
    publish,
    budget,
    push: limits,
    season,
    google: undefined,
    alerts: [],
    warnings: [],
    placeOf: () => ({}),
  };
}

interface Season {
  readonly first: PushResult;
  readonly again: PushResult;
  readonly reports: readonly PullSummary[];
}

async function playSeason(
  config: Config,
  connection: Session['connection'],
  program: Program,
): Promise<ExitCode> {
  const { screen, clock } = program;
  const startedMs = clock.monotonic();
  const store = await openState(config, clock, (message) => screen.warn(message));
  const reporter = createReporter(screen, clock);
  try {
    withholdKey(connection, program);
    const world = { ...program, emit: reporter.emit };
    const session = openSession({ config, connection, store, command: 'demo' }, world);
    const pushes = readPushMappings(
      { ...config, folder: packagePath('templates/demo') },
      ['users', 'prices', 'points'],
      program,
    );
    // The reports go below the working folder, and their layouts are the shipped ones.
    const pulls = readPullMappings({ ...config, layouts: packagePath('.') }, REPORTS, program);
    const prepared = await preparePull(pulls, session.ports.tables);
    const pushAll = (): Promise<PushResult> =>
      push(session.ports, 'demo', pushes, OPTIONS, () => Promise.resolve());
    const season = {
      first: await pushAll(),
      again: await pushAll(),
      reports: await pullReports(session, prepared, undefined),
    };
    reporter.stop();
    return await tell(season, session, clock.monotonic() - startedMs, program);
  } finally {
    reporter.stop();
    await store.close();
  }
}

// The sandbox's price log may hold uploads that this new state does not remember.
const OPTIONS = completePlanOptions({ adopt: true });

async function tell(
  { first, again, reports }: Season,
  { ports, connection }: Session,
  tookMs: number,
  program: Program,
): Promise<ExitCode> {
  const { screen, name } = program;
  const codes = [first.report.exit_code, again.report.exit_code, ...exitCodesOf(reports)];
  const exitCode = worstExit(codes);
  const counts = ports.service.counts();
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
      requests: { ...counts, planned: counts.sent },
    };
    await screen.data(JSON.stringify(report));
    return exitCode;
  }
  const style = screen.dataStyle;
  const step = (number: number, text: string): string => `${style('bold', `${number}.`)} ${text}`;
  const pushed = first.report.mappings.filter((mapping) => mapping.direction === 'push');
  const rows = pushed.reduce((sum, mapping) => sum + mapping.rows, 0);
  const firstWrites = first.report.requests.writes;
  const againWrites = again.report.requests.writes - firstWrites;
  const byFile = Map.groupBy(reports, ({ destination }) => destination.replace(TAB, ''));
  const files = [...byFile].toSorted(([, one], [, other]) => other.length - one.length);
  await screen.data(
    [
      step(
        1,
        `A sandbox of the whole service ran at ${connection.baseUrl}: a fictional league with clubs, players, squads and played weeks.`,
      ),
      '',
      step(
        2,
        `${renderCount(rows)} rows were pushed from the shipped templates in ${renderCount(firstWrites)} writing requests:`,
      ),
      indent(renderOutcomeTable(pushed, style)),
      '',
      step(
        3,
        `The same push again wrote ${againWrites === 0 ? 'nothing: every row is there already' : `${renderCount(againWrites)} requests`}.`,
      ),
      '',
      step(4, 'Reports, ready to be opened:'),
      renderColumns(
        files.map(([file, its]) => [`   ${style('green', safeText(file))}`, its.map(renderTab).join(', ')]),
      ),
      '',
      `${renderRequests(counts)}, ${renderDuration(tookMs)} in all.`,
      `${style('bold', 'next:')} ${name} init`,
    ].join('\n'),
  );
  return exitCode;
}

/** A tab of a workbook at the end of a destination. */
const TAB = / tab "(.*)"$/;

function renderTab(summary: PullSummary): string {
  const { destination, error } = summary;
  const tab = TAB.exec(destination)?.[1];
  const what = error === undefined ? renderRecords(summary) : safeText(error.message);
  return tab === undefined ? what : `${tab} (${what})`;
}

const indent = (text: string): string => text.replace(/^/gm, '   ');
