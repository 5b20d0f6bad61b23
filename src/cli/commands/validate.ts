import type { PullMapping, PushMapping } from '../../mapping/mapping.ts';
import { renderCount, renderCountOf } from '../../model/count.ts';
import { renderRowMessage } from '../../model/issue.ts';
import { withLeague } from '../../model/league-name.ts';
import { renderSaid } from '../../model/said.ts';
import { EXIT } from '../../model/error.ts';
import type { Stop } from '../../sync/ports.ts';
import { groupReader } from '../../runtime/pull-reports.ts';
import { preparePull } from '../../sync/pull.ts';
import { eachRow } from '../../sync/rows/row-pages.ts';
import { rowIssues, validateSources, type Validation } from '../../sync/validate.ts';
import { defineCommand } from '../command.ts';
import { readConfig } from '../../runtime/config/config.ts';
import { mappingNames, sourceFlags } from '../flags.ts';
import { rulesOf } from '../../runtime/config/leagues.ts';
import { isPull, isPush, readMappings } from '../../runtime/config/mappings.ts';
import { writeWithList } from '../json-list.ts';
import { planOptions } from '../push/plan-options.ts';
import type { Program } from '../program.ts';
import { sayGoogle } from '../render/google.ts';
import { REMEDIES } from '../render/remedies.ts';
import { createReporter } from '../render/progress.ts';
import { renderStop, stopsDocument } from '../render/stop.ts';
import { renderColumns, renderMoreRows, safeText } from '../render/text.ts';
import type { Style } from '../screen.ts';
import { openState } from '../../runtime/state.ts';
import { openTables } from '../../runtime/tables.ts';

/** Invalid rows, and rows with a warning, that are shown one by one for each mapping. */
const SHOWN_ROWS = 20;

/** `validate`: checks the mappings, and every row of the sources of those that push; needs no request to the service, and may read Google Sheets. */
export const validate = defineCommand({
  options: sourceFlags,
  positionals: mappingNames,
  examples: [['validate users', 'every bad row with its place, value and remedy']],
  run: async (args, program) => {
    const config = readConfig(args, program);
    const { screen } = program;
    for (const warning of config.warnings) screen.warn(warning);
    const unset: Stop[] = [];
    const mappings = readMappings(config, args.mapping, program, undefined, (mapping, error) =>
      unset.push({ mapping, error }),
    );
    const [first] = unset;
    if (first !== undefined && mappings.length === 0) throw first.error;
    const { store } = await openState(config, program.clock, screen.warn);
    const { emit, stop } = createReporter(screen, program.clock);
    const task = { config, store, maxWaitMs: args.maxWait, readOnly: true };
    const { tables, google, pipes } = openTables(task, { ...program, emit });
    try {
      const ports = {
        store,
        tables,
        emit,
        signal: program.signal,
        variable: (name: string) => config.vars[name],
        timezone: config.timezone,
        rulesOf: rulesOf(config),
      };
      const options = planOptions(args);
      await preparePull(mappings.filter(isPull), ports.tables, { groups: groupReader(ports, config) });
      const validated = await validateSources(ports, mappings.filter(isPush), options);
      const validation = {
        ...validated,
        stops: [...validated.stops, ...unset],
        exitCode: unset.length > 0 ? EXIT.config : validated.exitCode,
      };
      stop();
      try {
        await tell(validation, mappings.filter(isPull), program);
      } finally {
        await validation.rows.remove();
      }
      return validation.exitCode;
    } finally {
      stop();
      await pipes.close();
      sayGoogle(google, program);
      await store.close();
    }
  },
});

async function tell(validation: Validation, pulls: readonly PullMapping[], program: Program): Promise<void> {
  const { screen } = program;
  if (screen.json) {
    await tellDocument(validation, pulls, program);
    return;
  }
  if (validation.mappings.length > 0) await screen.data(renderValidation(validation, screen.dataStyle));
  for (const { mapping, outcomes } of validation.mappings) {
    const invalid = await validation.rows.page(mapping.name, {
      change: 'invalid',
      afterRow: 0,
      limit: SHOWN_ROWS,
    });
    for (const row of invalid)
      await screen.data(
        `  ${screen.dataStyle('red', '✗')} ${safeText(renderRowMessage(mapping.source.origin, row.rowNumber, renderSaid(row.said)))}`,
      );
    const more = outcomes.invalid - invalid.length;
    if (more > 0) await screen.data(`  ${renderMoreRows(more)}`);
    await tellWarnings(validation.rows, mapping, program);
  }
  if (pulls.length > 0) await screen.data(`${renderCountOf(pulls.length, 'report')} checked: no mistakes`);
  // A variable that several mappings lack is one thing to do.
  const stops = Map.groupBy(validation.stops, ({ error: { code, next, message } }) =>
    code === 'mapping.variable' ? next : message,
  );
  for (const [stop] of stops.values()) if (stop !== undefined) screen.tell(renderStop(stop.error, program));
}

/** What is worth a look in rows that go on. */
async function tellWarnings(
  rows: Validation['rows'],
  { name, source }: PushMapping,
  { screen }: Program,
): Promise<void> {
  let found = 0;
  for await (const { rowNumber, said } of eachRow(rows, name, { open: true, told: true })) {
    found += 1;
    if (found > SHOWN_ROWS) continue;
    const warning = safeText(renderRowMessage(source.origin, rowNumber, renderSaid(said)));
    await screen.data(`  ${screen.dataStyle('yellow', '!')} ${warning}`);
  }
  const more = found - SHOWN_ROWS;
  if (more > 0)
    await screen.data(`  … and ${renderCountOf(more, 'more row with a warning', 'more rows with warnings')}`);
}

/** One document; the issues of a million rows are written as they are read. */
async function tellDocument(
  validation: Validation,
  pulls: readonly PullMapping[],
  program: Program,
): Promise<void> {
  const issues = async function* (): AsyncGenerator<object> {
    for await (const { code, severity, ...issue } of rowIssues(validation))
      yield withLeague('mapping', { ...issue, remedy: REMEDIES[code] ?? null, code, severity });
  };
  await writeWithList(program.screen, documentOf(validation, pulls, program), 'issues', issues());
}

function renderValidation({ mappings }: Validation, style: Style): string {
  const head = ['', 'rows', 'ready', 'invalid', 'excluded', 'twice'].map((text) => style('dim', text));
  const rows = mappings.map(({ mapping, outcomes, valid }) => [
    style('bold', safeText(mapping.name)),
    ...[outcomes.rows, valid, outcomes.invalid, outcomes.excluded, outcomes.unchanged].map(renderCount),
  ]);
  return renderColumns([head, ...rows], [false, true, true, true, true, true]);
}

function documentOf(
  { mappings, stops, exitCode }: Validation,
  pulls: readonly PullMapping[],
  program: Program,
): object {
  return {
    run: null,
    command: 'validate',
    exit_code: exitCode,
    mappings: [
      ...mappings.map(({ mapping: { name, resource, direction, leagues }, outcomes, valid }) =>
        withLeague('name', { name, resource, direction, ...(leagues && { leagues }), ...outcomes, valid }),
      ),
      ...pulls.map(({ name, resource, direction, destination }) =>
        withLeague('name', { name, resource, direction, destination: destination.origin }),
      ),
    ],
    stops: stopsDocument(stops, program),
  };
}
