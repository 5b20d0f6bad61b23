import { existsSync } from 'node:fs';
import { join, relative, resolve, sep } from 'node:path';
import { spreadsheetIn } from '../../mapping/parse/parse-source.ts';
import { UsageError } from '../../model/error.ts';
import { createGoogleAccess, type CountedAccess } from '../../tables/google/connection/access.ts';
import { configOf, readConfig } from '../../runtime/config/config.ts';
import { googleConnectionOf } from '../../runtime/google.ts';
import { INPUT_RESOURCES, inputBook, inputTable, TABLES, type InputResource } from './input-tables.ts';
import { standsInside } from '../../runtime/config/inside-folder.ts';
import type { Program } from '../program.ts';
import { sayGoogle } from '../render/google.ts';
import { createReporter } from '../render/progress.ts';
import { fitMappings, type FittedMappings } from './propose.ts';
import { recogniseTabs, type FoundTab } from './recognise.ts';
import { seasonTabs, type SeasonTabs } from './season-tabs.ts';
import type { NewFile } from './setup-files.ts';

/** The tables of a set-up, made or found, with the mappings for them. */
export interface PlacedTables extends FittedMappings {
  /** The workbook, to be written where there is none; undefined for a spreadsheet, which is filled already. */
  readonly file: readonly [path: string, file: NewFile] | undefined;
  /** How a person calls the place. */
  readonly shown: string;
  /** The tabs that were made. */
  readonly made: readonly string[];
  readonly seasonTabs: SeasonTabs;
}

/**
 * A workbook for the inputs, or one that is there already, whose headers are read. The path is relative to the folder of the set-up; one that stands in the working
 * folder `cwd` instead is not passed over for an empty one. Errors: UsageError `init.workbook`; ConfigError `source.*`.
 */
export async function placeWorkbook(folder: string, workbook: string, cwd: string): Promise<PlacedTables> {
  if (!/\.xlsx$/i.test(workbook))
    throw new UsageError('init.workbook', `--workbook takes a file that ends in .xlsx, not "${workbook}"`);
  const path = resolve(folder, workbook);
  const shown = relative(folder, path).split(sep).join('/');
  const place = { kind: 'xlsx', file: shown, outside: !standsInside(folder, path) } as const;
  if (existsSync(path)) {
    const { readWorkbookHeaders } = await import('../../tables/input-headers.ts');
    const tabs = await readWorkbookHeaders(path, shown);
    const problems = tabs.flatMap(({ problem }) => (problem === undefined ? [] : [problem]));
    const fitted = fitMappings(place, tabs, []);
    return {
      ...fitted,
      notes: [...problems, ...fitted.notes],
      file: [shown, { text: '' }],
      shown,
      made: [],
      seasonTabs: seasonTabs(
        place,
        tabs.map(({ tab }) => tab),
      ),
    };
  }
  const here = resolve(cwd, workbook);
  if (existsSync(here))
    throw new UsageError(
      'init.workbook',
      `--workbook is relative to the new folder, and "${workbook}" stands in this one`,
      {
        next: `write --workbook "${relative(folder, here).split(sep).join('/')}" to read it, or another name for a new workbook`,
      },
    );
  const { renderInputWorkbook } = await import('../../tables/xlsx/write/input-workbook.ts');
  const book = inputBook('workbook');
  return {
    ...fitMappings(place, [], INPUT_RESOURCES),
    file: [shown, { text: await renderInputWorkbook(book) }],
    shown,
    made: [book.readMe.tab, ...book.tables.map(({ tab }) => tab)],
    seasonTabs: seasonTabs(place, []),
  };
}

/**
 * Makes the tabs that an existing spreadsheet lacks and reads the headers of the others; a tab with data is left alone. `googleKey` is the key file of a service
 * account, absolute.
 * Errors: UsageError `init.spreadsheet`; those of the credentials and of Google.
 */
export async function placeSpreadsheet(
  folder: string,
  spreadsheet: string,
  googleKey: string | undefined,
  program: Program,
): Promise<PlacedTables> {
  const id = spreadsheetId(spreadsheet);
  const reporter = createReporter(program.screen, program.clock);
  const access = openAccess(folder, googleKey, program, reporter.emit);
  try {
    const client = await access.client();
    const { fillSpreadsheet, readInputTabs } = await import('../../tables/google/input-spreadsheet.ts');
    const { spreadsheet: found, tabs } = await readInputTabs(client, id);
    const there = tabs.filter(({ isEmpty }) => !isEmpty);
    const made = lacking(there);
    const book = inputBook('spreadsheet');
    await fillSpreadsheet(client, found, { ...book, tables: made.map(inputTable) });
    const unheaded = there.filter(({ header, isReport }) => !isReport && header.every((name) => name === ''));
    const fitted = fitMappings({ kind: 'sheet', spreadsheet: id }, there, made);
    return {
      ...fitted,
      notes: [
        ...unheaded.map(
          ({ tab }) => `the tab "${tab}" holds data below an empty first row: it was left alone`,
        ),
        ...fitted.notes,
      ],
      file: undefined,
      shown: `"${found.title}"`,
      made: made.map((resource) => TABLES[resource].tab),
      seasonTabs: seasonTabs(
        { kind: 'sheet', spreadsheet: id },
        there.filter(({ isReport }) => !isReport).map(({ tab }) => tab),
      ),
    };
  } finally {
    reporter.stop();
    sayGoogle(access, program);
  }
}

/** The resources that no tab with data stands for, by its name or by its headers. */
function lacking(there: readonly FoundTab[]): readonly InputResource[] {
  const { tabs } = recogniseTabs(there);
  const titles = new Set(there.map(({ tab }) => tab.toLowerCase()));
  return INPUT_RESOURCES.filter(
    (resource) => !tabs.has(resource) && !titles.has(TABLES[resource].tab.toLowerCase()),
  );
}

function spreadsheetId(text: string): string {
  const id = spreadsheetIn(text);
  if (/^[\w-]+$/.test(id)) return id;
  throw new UsageError(
    'init.spreadsheet',
    `"${text}" is neither the id nor the address of a Google spreadsheet`,
  );
}

/** Google by the key file that was given, the configuration that is there already, a login beside its state, or the set-up of the machine. */
function openAccess(
  folder: string,
  googleKey: string | undefined,
  program: Program,
  emit: Parameters<typeof createGoogleAccess>[0]['emit'],
): CountedAccess {
  const file = join(folder, 'teamsheet.yaml');
  const config = existsSync(file)
    ? readConfig({ config: file, var: {} }, program)
    : configOf({}, { var: {} }, { cwd: folder, env: program.env });
  const google =
    googleKey === undefined ? config.google : { ...config.google, credentials: { file: googleKey } };
  return createGoogleAccess({
    connection: () => googleConnectionOf({ ...config, google }),
    readOnly: false,
    clock: program.clock,
    random: program.random,
    emit,
    signal: program.signal,
    // Nothing is remembered of tabs before there is a state.
    tabs: { recall: () => Promise.resolve(undefined), remember: () => Promise.resolve() },
    maxWaitMs: MAX_WAIT_MS,
  });
}

/** As `budget.max_wait` when nothing else is said. */
const MAX_WAIT_MS = 15 * 60_000;

/** A path as the configuration in a folder names it: relative where it stands inside, absolute otherwise. */
export function namedFrom(folder: string, path: string): string {
  return standsInside(folder, path) ? relative(folder, path).split(sep).join('/') : path;
}
