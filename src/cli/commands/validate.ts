import { dirname } from 'node:path';
import type { PullMapping, PushMapping } from '../../mapping/mapping.ts';
import { renderRowIssue, renderRowMessage } from '../../model/issue.ts';
import type { RunRow } from '../../model/run-rows.ts';
import { preparePull } from '../../sync/pull.ts';
import { eachRow } from '../../sync/rows/row-pages.ts';
import { validateSources } from '../../sync/validate.ts';
import type { Validation } from '../../sync/validate.ts';
import { createTables } from '../../tables/index.ts';
import { createPipes } from '../../tables/pipes.ts';
import { defineCommand } from '../command.ts';
import { readConfig } from '../../runtime/config.ts';
import { mappingNames, sourceFlags } from '../flags.ts';
import { openGoogle } from '../../runtime/google.ts';
import { isPull, isPush, readMappings } from '../../runtime/mappings.ts';
import { writeWithList } from '../json-list.ts';
import { planOptions } from '../push/plan-options.ts';
import type { Program } from '../program.ts';
import { sayGoogle } from '../render/google.ts';
import { REMEDIES } from '../render/remedies.ts';
import { createReporter } from '../render/progress.ts';
import { nextAfterStop, renderStop } from '../render/stop.ts';
import { renderColumns, renderCount, renderCountOf, renderMoreRows, safeText } from '../render/text.ts';
import type { Style } from '../screen.ts';
import { openState } from '../../runtime/state.ts';

/** Invalid rows, and rows with a warning, that are shown one by one for each mapping. */
const SHOWN_ROWS = 20;

/** `validate`: checks the mappings, and every row of the sources of those that push; needs no request to the service, and may read Google Sheets. */
export const validate = defineCommand({
  options: sourceFlags,
  positionals: mappingNames,
  examples: [['validate users', 'every bad row with its place, value and remedy']],
  run: async (args, program) => {
    const config = readConfig(args, program);
    for (const warning of config.warnings) program.screen.warn(warning);
    const mappings = readMappings(config, args.mapping, program);
    const store = await openState(config, program);
    const { emit, stop } = createReporter(program.screen, program.clock);
    const maxWaitMs = args.maxWait ?? config.budget.max_wait;
    const google = openGoogle(config, { ...program, emit, store, maxWaitMs, readOnly: true });
    const pipes = createPipes({
      folder: dirname(config.state),
      ...program,
      say: (message) => emit({ kind: 'note', message }),
    });
    try {
      const ports = {
        store,
        tables: createTables(google, pipes.fileOf),
        emit,
        signal: program.signal,
        variable: (name: string) => config.vars[name],
        timezone: config.timezone,
      };
      const options = planOptions(args);
      await preparePull(mappings.filter(isPull), ports.tables);
      const validation = await validateSources(ports, mappings.filter(isPush), options);
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
        `  ${screen.dataStyle('red', '✗')} ${safeText(renderRowMessage(mapping.source.origin, row.rowNumber, row.message))}`,
      );
    const more = outcomes.invalid - invalid.length;
    if (more > 0) await screen.data(`  ${renderMoreRows(more)}`);
    await tellWarnings(validation.rows, mapping, program);
  }
  if (pulls.length > 0)
    await screen.data(
      `${renderCountOf(pulls.length, 'mapping that pulls is', 'mappings that pull are')} right`,
    );
  for (const { error } of validation.stops) screen.tell(renderStop(error, program));
}

/** What is worth a look in rows that go on. */
async function tellWarnings(
  rows: Validation['rows'],
  { name, source }: PushMapping,
  { screen }: Program,
): Promise<void> {
  let found = 0;
  for await (const { rowNumber, message } of eachRow(rows, name, { open: true })) {
    if (message === '') continue;
    found += 1;
    if (found > SHOWN_ROWS) continue;
    const warning = safeText(renderRowMessage(source.origin, rowNumber, message));
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
    for (const { mapping } of validation.mappings) {
      const header = await validation.rows.header(mapping.name);
      for await (const row of eachRow(validation.rows, mapping.name)) yield* issuesOf(row, mapping, header);
    }
  };
  await writeWithList(program.screen, documentOf(validation, pulls, program), 'issues', issues());
}

/** The errors and warnings of a row as a program reads them. */
function issuesOf(
  { rowNumber, lines, issues }: RunRow,
  { name, source }: PushMapping,
  header: readonly string[],
): readonly object[] {
  return (issues ?? []).map((issue) => ({
    mapping: name,
    file: source.origin,
    row: issue.row ?? rowNumber,
    column: issue.column ?? null,
    value:
      issue.value ?? (issue.column === undefined ? null : (lines[0]?.[header.indexOf(issue.column)] ?? null)),
    message: renderRowIssue(source.origin, rowNumber, issue),
    remedy: REMEDIES[issue.code] ?? null,
    code: issue.code,
    severity: issue.severity,
  }));
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
      ...mappings.map(({ mapping, outcomes, valid }) => ({
        name: mapping.name,
        resource: mapping.resource,
        direction: mapping.direction,
        ...outcomes,
        valid,
      })),
      ...pulls.map(({ name: pull, resource, direction, destination }) => ({
        name: pull,
        resource,
        direction,
        destination: destination.origin,
      })),
    ],
    stops: stops.map(({ mapping, error }) => ({
      mapping,
      code: error.code,
      message: error.message,
      next: nextAfterStop(error, program),
    })),
  };
}
