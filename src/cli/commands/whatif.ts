import { extname, resolve } from 'node:path';
import { EXIT, UsageError } from '../../model/error.ts';
import { renderCount, renderCountOf } from '../../model/count.ts';
import type { ReportValue } from '../../model/tables/table.ts';
import type { Settings } from '../../rules/points.ts';
import { nameOfWeek } from '../../season/game-week.ts';
import { settingsOf } from '../../sync/memory/league-records.ts';
import { openAccount } from '../../sync/plan/plan-sync.ts';
import { readPointsConfig } from '../../sync/pulling/resources.ts';
import { serviceNow } from '../../sync/memory/service-time.ts';
import { previewPoints, type Preview } from '../../sync/whatif.ts';
import { defineCommand } from '../command.ts';
import { pairs, serviceFlags, text } from '../flags.ts';
import { leagueOf } from '../league.ts';
import type { Program } from '../program.ts';
import { renderColumns, safeText } from '../render/text.ts';
import { withSession, type Session } from '../session.ts';
import { weeksOf } from '../substitutions/audit.ts';
import { readPairs, readTable, refuseUnseen } from '../whatif/settings.ts';

/** `whatif points`: what other points would have made of the game weeks that are kept. Writes nothing to the service. */
export const whatif = defineCommand({
  options: {
    ...serviceFlags,
    config: text('a CSV table of points settings (a name in .yaml is the configuration file)'),
    set: pairs('set', 'name=value: one setting of points; repeatable'),
    weeks: text('game weeks such as 1-12, last or all; all that are kept without it'),
    out: text('write squads with rank and points now and then to this file, .csv or .xlsx'),
  },
  positionals: { what: { type: 'string', demandOption: true, describe: 'points' } },
  examples: [
    ['whatif points --set forward_goal_points=5', 'what another value would have made'],
    ['whatif points --config new-points.csv --weeks 1-12 --out whatif.csv', 'a whole table, of some weeks'],
  ],
  run: (args, program) => {
    if (args.what !== 'points')
      throw new UsageError('usage.whatif', `there is no "whatif ${args.what}"; there is points`);
    const isFile = args.config !== undefined && /\.ya?ml$/i.test(args.config);
    const table = isFile ? undefined : args.config;
    if (table === undefined && Object.keys(args.set).length === 0)
      throw new UsageError('usage.whatif', 'whatif points needs --set name=value or --config TABLE', {
        next: 'whatif points --set forward_goal_points=5',
      });
    if (args.out !== undefined && !['.csv', '.xlsx'].includes(extname(args.out).toLowerCase()))
      throw new UsageError(
        'usage.whatif',
        `--out needs a name that ends in .csv or .xlsx, not "${args.out}"`,
      );
    const choice = weeksOf(undefined, args.weeks ?? 'all');
    const given = readPairs(args.set);
    const session = { ...args, config: isFile ? args.config : undefined };
    return withSession(
      session,
      program,
      async ({ ports, config }) => {
        const league = leagueOf(config);
        const account = await openAccount(ports);
        const scope = { account: account.service, league };
        const over = {
          ...(table === undefined ? {} : await readTable(table, program.cwd, ports.tables.csv)),
          ...given,
        };
        const asked = { ...ports, account: account.service, mapping: 'whatif' };
        const inForce = settingsOf((await readPointsConfig(league, asked)).record);
        refuseUnseen(over, inForce);
        const nowMs = await serviceNow(ports, account.service);
        const preview = await previewPoints(ports, scope, config.rules, choice, over, inForce, nowMs);
        if (args.out !== undefined) await writeSquads(args.out, preview, ports, program);
        await tell(preview, over, inForce, program);
        return preview.squads.length === 0 ? EXIT.incomplete : EXIT.done;
      },
      { readOnly: true },
    );
  },
});

const COLUMNS = [
  ['Rank then', 'integer'],
  ['Rank now', 'integer'],
  ['Squad', 'text'],
  ['Points then', 'integer'],
  ['Points now', 'integer'],
  ['Change', 'integer'],
  ['Squad ID', 'text'],
] as const;

async function writeSquads(
  file: string,
  { squads }: Preview,
  { tables, timezone }: Session['ports'],
  { cwd }: Program,
): Promise<void> {
  async function* rows(): AsyncGenerator<readonly (readonly ReportValue[])[]> {
    await Promise.resolve();
    yield squads.map(({ id, name, rankNow, rankThen, totalNow, totalThen }) => [
      ...[rankThen, rankNow, name, totalThen, totalNow, totalThen - totalNow, id],
    ]);
  }
  const path = resolve(cwd, file);
  const isBook = extname(file).toLowerCase() === '.xlsx';
  const location = isBook
    ? ({ kind: 'xlsx', path, tab: 'What if' } as const)
    : ({ kind: 'csv', path } as const);
  const columns = COLUMNS.map(([header, type]) => ({ header, type, format: undefined }));
  const options = { mode: 'replace', key: [], excel: false, formulas: 'escape', timezone } as const;
  await tables[location.kind].write([
    { location, table: { name: 'whatif', columns, rows: rows() }, options },
  ]);
}

/** The squads that win or lose most. */
const SHOWN = 5;

async function tell(preview: Preview, over: Settings, inForce: Settings, program: Program): Promise<void> {
  const { screen } = program;
  const changed = [...preview.settings].map(([name, points]) => ({
    ...{ setting: name, before: inForce[name] ?? null, after: over[name] ?? null, points },
  }));
  const { weeks, missing, squads, playerWeeks, explained, unknown } = preview;
  if (screen.json) {
    const shown = squads.map(({ id, name, rankNow, rankThen, totalNow, totalThen }) => ({
      squad: { id, name },
      ...{ rank_now: rankNow, rank_then: rankThen, points_now: totalNow, points_then: totalThen },
      change: totalThen - totalNow,
    }));
    await screen.data(
      JSON.stringify({
        weeks,
        missing_weeks: missing.flatMap(({ number }) => number ?? []),
        player_weeks: playerWeeks,
        explained,
        unknown,
        settings: changed,
        squads: shown,
      }),
    );
    return;
  }
  if (squads.length === 0) {
    screen.tell('No line-up of these game weeks is kept: pull line-ups and players first.');
    return;
  }
  for (const week of missing)
    screen.tell(`Game week ${safeText(nameOfWeek(week))} is not counted: none of its line-ups is kept.`);
  const style = screen.dataStyle;
  const rows = changed.map(({ setting, before, after, points }) => [
    setting,
    ...[before, after, points].map((value) => String(value ?? '')),
  ]);
  const head = ['setting', 'now', 'then', 'points of all squads'].map((word) => style('dim', word));
  await screen.data(renderColumns([head, ...rows], [false, true, true, true]));
  const change = (squad: Preview['squads'][number]): number => squad.totalThen - squad.totalNow;
  const byChange = squads.toSorted((one, other) => change(other) - change(one));
  await screen.data(
    renderMoves('winners', byChange.filter((each) => change(each) > 0).slice(0, SHOWN), style),
  );
  await screen.data(
    renderMoves(
      'losers',
      byChange
        .filter((each) => change(each) < 0)
        .slice(-SHOWN)
        .toReversed(),
      style,
    ),
  );
  const left =
    unknown === 0
      ? ''
      : `; something is not known of ${renderCountOf(unknown, 'entry', 'entries')}, and is not counted`;
  screen.say(
    `${renderCount(explained)} of ${renderCount(playerWeeks)} player weeks are explained by the points in force${left}.`,
  );
}

function renderMoves(name: string, squads: Preview['squads'], style: Program['screen']['dataStyle']): string {
  if (squads.length === 0) return style('dim', `no ${name}`);
  const head = [name, 'points', 'change', 'rank now', 'rank then'].map((word) => style('dim', word));
  const rows = squads.map((each) => [
    safeText(each.name),
    String(each.totalThen),
    String(each.totalThen - each.totalNow),
    String(each.rankNow),
    String(each.rankThen),
  ]);
  return renderColumns([head, ...rows], [false, true, true, true, true]);
}
