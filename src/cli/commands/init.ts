import { chmodSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join, relative, resolve } from 'node:path';
import { parseEnv } from 'node:util';
import { ConfigError, EXIT, UsageError } from '../../model/error.ts';
import { isTimezone } from '../../runtime/config/config-file.ts';
import { readEnvironment, readOptionalText } from '../../runtime/config/env-file.ts';
import { defineCommand } from '../command.ts';
import { text as textFlag, texts } from '../flags.ts';
import { askAccess } from '../init/ask-access.ts';
import { askVars } from '../init/ask-vars.ts';
import { namedFrom, placeSpreadsheet, placeWorkbook, type PlacedTables } from '../init/place-tables.ts';
import { askReportKinds, askReportPlace, REPORT_KINDS, REPORT_PLACES } from '../init/report-places.ts';
import { setupFiles, type NewFile, type SetupVars } from '../init/setup-files.ts';
import type { Program } from '../program.ts';
import type { Style } from '../screen.ts';
import { renderColumns, safeText } from '../render/text.ts';

/** `init [DIR]`: writes configuration, mappings, templates and, when asked, the tables themselves; what is there already is kept. */
export const init = defineCommand({
  options: {
    workbook: textFlag(
      'make a workbook for the inputs, such as season.xlsx, or read the headers of one that is there',
    ),
    spreadsheet: textFlag(
      'id or address of a Google spreadsheet: make the tabs that it lacks, read the headers of the others',
    ),
    'google-key': textFlag('the key file of the Google service account that the spreadsheet is shared with'),
    reports: {
      type: 'string',
      requiresArg: true,
      choices: REPORT_PLACES,
      describe: `where the reports go: ${REPORT_PLACES.join(', ')}; without a terminal: workbook`,
    },
    show: {
      ...texts(`what the reports show; may be repeated: ${REPORT_KINDS.join(', ')}`),
      choices: REPORT_KINDS,
      defaultDescription: 'without a terminal: all',
    },
  },
  positionals: { dir: { type: 'string', describe: 'the folder to set up; without it, this one' } },
  examples: [
    ['init', 'set up this folder, asking for the address and the key'],
    ['init season-2026 --workbook season.xlsx', 'set up a new folder with a workbook to fill in'],
    ['init --spreadsheet ID --google-key league.key.json', 'the same in a shared Google spreadsheet'],
  ],
  run: async ({ dir = '.', workbook, spreadsheet, googleKey, reports, show, var: given }, program) => {
    const { screen, cwd } = program;
    const folder = resolve(cwd, dir);
    if (workbook !== undefined && spreadsheet !== undefined)
      throw new UsageError(
        'init.both',
        '--workbook and --spreadsheet are two places for the same tables: give one',
      );
    const { access, leagues } = await askAccess(program);
    const vars = await askVars(given, leagues, program);
    const inputs =
      spreadsheet !== undefined ? 'spreadsheet' : workbook !== undefined ? 'workbook' : undefined;
    const reportPlace = await askReportPlace(reports, inputs, program);
    const reportKinds = await askReportKinds(show, reportPlace, program);
    const key = googleKey === undefined ? undefined : resolve(cwd, googleKey);
    const tables =
      workbook !== undefined
        ? await placeWorkbook(folder, workbook, cwd)
        : spreadsheet === undefined
          ? undefined
          : await placeSpreadsheet(folder, spreadsheet, key, program);
    const files = setupFiles({
      access,
      vars,
      timezone: machineZone(),
      reportPlace,
      reportKinds,
      seasonTabs: tables?.seasonTabs,
      pushMappings: tables?.files,
      googleKey: key === undefined ? undefined : namedFrom(folder, key),
    });
    const all = [...files, ...(tables?.file === undefined ? [] : [tables.file])];
    const results = all.map(([path, file]) => ({ path, written: writeNew(join(folder, path), file) }));
    const written = results.filter((file) => file.written).map(({ path }) => path);
    const kept = results.filter((file) => !file.written).map(({ path }) => path);
    warnOfKept(folder, kept, files, { key: googleKey, given, tables }, program);
    const shown = relative(cwd, folder) || '.';
    if (screen.json) {
      const { proposed = [], notes = [], made = [] } = tables ?? {};
      await screen.data(
        JSON.stringify({
          command: 'init',
          exit_code: EXIT.done,
          folder: shown,
          written,
          kept,
          ...(tables === undefined ? {} : { tabs_made: made, proposed, notes }),
        }),
      );
    } else {
      await screen.data(renderInit(shown, results, { missing: missingIn(folder), tables }, program));
    }
    return EXIT.done;
  },
});

/** The time zone of this machine; UTC where the system names none. */
function machineZone(): string {
  // Of a zone that Node does not know it is undefined.
  const zone: unknown = new Intl.DateTimeFormat().resolvedOptions().timeZone;
  return typeof zone === 'string' && isTimezone(zone) ? zone : 'UTC';
}

/** A file that was kept may say something else than the set-up needs. */
function warnOfKept(
  folder: string,
  kept: readonly string[],
  files: ReadonlyMap<string, NewFile>,
  {
    key,
    given,
    tables,
  }: {
    readonly key: string | undefined;
    readonly given: SetupVars;
    readonly tables: PlacedTables | undefined;
  },
  { screen }: Program,
): void {
  if (kept.includes('.gitignore') && !ignoresSecrets(join(folder, '.gitignore')))
    screen.warn('the .gitignore that was kept does not name .env: add it, or the key may be committed');
  if (kept.includes('teamsheet.yaml') && key !== undefined)
    screen.warn(
      `teamsheet.yaml was kept: write google: { credentials: { file: ${JSON.stringify(key)} } } into it`,
    );
  const vars = Object.entries(given).map(([name, value]) => `${name}: ${JSON.stringify(value)}`);
  if (kept.includes('teamsheet.yaml') && vars.length > 0)
    screen.warn(`teamsheet.yaml was kept: write vars: { ${vars.join(', ')} } into it`);
  for (const name of tables?.files.keys() ?? []) {
    const path = join('mappings', name);
    const text = files.get(path)?.text;
    if (kept.includes(path) && readFileSync(join(folder, path), 'utf8') !== text)
      screen.warn(
        `${path} was kept and is not the one for ${tables?.shown ?? ''}: delete it and run init again to have that`,
      );
  }
}

const ignoresSecrets = (file: string): boolean =>
  readFileSync(file, 'utf8')
    .split(/\r?\n/)
    .some((line) => /^\/?\.env\*?$/.test(line.trim()));

function writeNew(path: string, file: NewFile): boolean {
  try {
    mkdirSync(dirname(path), { recursive: true });
    if (file.completes === true && existsSync(path)) return complete(path, file);
    writeFileSync(path, file.text, { flag: 'wx', mode: file.private === true ? 0o600 : 0o666 });
    return true;
  } catch (cause) {
    if (cause instanceof ConfigError) throw cause;
    if ((cause as NodeJS.ErrnoException).code === 'EEXIST') return false;
    throw new ConfigError('init.unwritable', `${path} cannot be written: ${(cause as Error).message}`, {
      file: path,
      cause,
    });
  }
}

/** Adds the variables that a file lacks, and fills in those that have no value there; false where nothing is to be written. Errors: ConfigError `env.unreadable`. */
function complete(path: string, { text }: NewFile): boolean {
  const there = readOptionalText(path, 'env.unreadable') ?? '';
  const named = parseEnv(there);
  const lacking = String(text)
    .split('\n')
    .flatMap((line) => Object.entries(parseEnv(line)).map(([name, value]) => ({ line, name, value })))
    .filter(({ name, value }) => named[name] === undefined || (named[name] === '' && value !== ''));
  if (lacking.length === 0) return false;
  const lines = there === '' ? [] : there.replace(/\n$/, '').split('\n');
  for (const { line, name } of lacking) {
    const empty = lines.findIndex((each) => parseEnv(each)[name] === '');
    if (empty === -1) lines.push(line);
    else lines[empty] = line;
  }
  // Others of this machine may have been free to read it while it held no key.
  chmodSync(path, 0o600);
  writeFileSync(path, `${lines.join('\n')}\n`);
  return true;
}

/** The variables that have no value in the `.env` of a folder. */
function missingIn(folder: string): readonly string[] {
  const { values } = readEnvironment(folder, {});
  return ['TEAMSHEET_BASE_URL', 'TEAMSHEET_API_KEY'].filter((name) => values[name] === undefined);
}

function renderInit(
  folder: string,
  files: readonly { readonly path: string; readonly written: boolean }[],
  { missing, tables }: { readonly missing: readonly string[]; readonly tables: PlacedTables | undefined },
  { screen, name }: Program,
): string {
  const style = screen.dataStyle;
  const rows = files.map(({ path, written }) =>
    written
      ? [style('green', '+'), safeText(path), '']
      : [style('dim', '='), safeText(path), style('dim', 'kept as it is')],
  );
  const keptEnv = files.some(({ path, written }) => path === '.env' && !written);
  const isNew = (mapping: string): boolean =>
    files.some(({ path, written }) => written && path === join(mapping));
  const steps = [
    ...(folder === '.' ? [] : [`cd ${safeText(folder)}`]),
    ...(missing.length > 0
      ? [`fill ${missing.join(' and ')} into .env`]
      : keptEnv
        ? ['check TEAMSHEET_BASE_URL and TEAMSHEET_API_KEY in your .env, which was kept']
        : []),
    `${name} doctor`,
    ...tableSteps(tables, isNew),
    `${name} plan users`,
    ...(tables === undefined ? [] : [`${name} schedule run --port 8790`]),
  ];
  const parts = [
    renderColumns(rows),
    ...(tables === undefined ? [] : renderTables(tables, isNew, style)),
    `${style('bold', 'next:')}\n${steps.map((step) => `  ${step}`).join('\n')}`,
  ];
  return parts.join('\n\n');
}

function tableSteps(
  tables: PlacedTables | undefined,
  isNew: (mapping: string) => boolean,
): readonly string[] {
  if (tables === undefined) return ['copy templates/users.csv to users.csv and fill it in'];
  return [
    ...tables.proposed
      .filter(({ mapping }) => isNew(mapping))
      .map(({ mapping }) => `check ${mapping}, which init proposed`),
    ...(tables.made.length > 0 ? [`fill in ${safeText(tables.shown)}; its tab "Read me" says how`] : []),
  ];
}

/** The fields without a header that are named on the screen; the mapping lists all. */
const MISSING_SHOWN = 5;

/** The tabs that were made in a spreadsheet, what was proposed for those that were there, and what a person should know of the others. */
function renderTables(
  { file, shown, made, proposed, notes }: PlacedTables,
  isNew: (mapping: string) => boolean,
  style: Style,
): readonly string[] {
  const facts = [
    ...(file === undefined && made.length > 0 ? [`${shown}: made the tabs ${made.join(', ')}`] : []),
    ...proposed.flatMap(({ mapping, tab, matched, guessed, missing, unused }) => [
      `${mapping} ${isNew(mapping) ? 'is' : 'would be'} proposed for the tab "${tab}": ${Object.entries(
        matched,
      )
        .map(([field, header]) => `${field} from "${header}"${guessed.includes(field) ? ' (guessed)' : ''}`)
        .join(', ')}`,
      ...(unused.length > 0 ? [`  not used: ${unused.map((header) => `"${header}"`).join(', ')}`] : []),
      ...(missing.length > 0
        ? [
            `  missing: ${missing.slice(0, MISSING_SHOWN).join(', ')}${missing.length > MISSING_SHOWN ? ` and ${missing.length - MISSING_SHOWN} more` : ''}; name the column in ${mapping}`,
          ]
        : []),
    ]),
  ];
  const lines = [...facts.map(safeText), ...notes.map((note) => `${style('yellow', '!')} ${safeText(note)}`)];
  return lines.length === 0 ? [] : [lines.join('\n')];
}
