import { writeFileSync } from 'node:fs';
import { basename, extname, relative, resolve, sep } from 'node:path';
import { stringify } from 'yaml';
import { isPushed, pushTarget, RESOURCES, type ResourceName } from '../../contract/index.ts';
import type { PushOperation, PushTarget } from '../../contract/resource.ts';
import { asWritten } from '../../mapping/parse/parse-mappings.ts';
import { shortened } from '../../mapping/parse/schema.ts';
import { requiredFields, variableOf } from '../../mapping/push-fields.ts';
import type { PushMapping } from '../../mapping/mapping.ts';
import { nearest } from '../../model/nearest.ts';
import { ConfigError, UsageError } from '../../model/error.ts';
import { fileOf, isOpenFile, type SourceTable, type TableLocation } from '../../model/tables/table.ts';
import { REJECTED_TAB, RESULT_COLUMNS } from '../../model/results.ts';
import { type ArgsOf, defineCommand } from '../command.ts';
import { bareRecord } from '../../runtime/config/env-file.ts';
import type { Config } from '../../runtime/config/config.ts';
import { compareFlags, pairs, text, yes } from '../flags.ts';
import { fold, matchHeaders, separatorRemedy, VALUE_HEADERS } from '../header-match.ts';
import { systemCode } from '../../tables/system-error.ts';
import { standsInside } from '../../runtime/config/inside-folder.ts';
import { isPush, parseFile, readPushMappings } from '../../runtime/config/mappings.ts';
import { planOptions } from '../push/plan-options.ts';
import type { Program } from '../program.ts';
import { renderTyped } from '../render/stop.ts';
import { safeText } from '../render/text.ts';
import { runPush } from '../push/run-push.ts';
import { wholeAccount } from '../../runtime/config/leagues.ts';
import { withSession, type Session } from '../session.ts';
import { showPlan } from '../push/show-plan.ts';

/** What rows can be imported as: whatever a push can send. */
const PUSHABLE = RESOURCES.filter(isPushed);

const options = {
  ...compareFlags,
  as: { ...text(`the resource of the rows: ${PUSHABLE.join(', ')}`), demandOption: true },
  set: pairs('set', 'field=value for every row; may be repeated'),
  match: pairs(
    'match',
    '"Header=field" for a header with another name than the field; may be repeated',
    'last',
  ),
  tab: text('the tab of a workbook that holds the rows; without it, the only one with any'),
  locale: { ...text('how the numbers are written: en reads 1,234.50, de 1.234,50'), choices: ['en', 'de'] },
  'save-mapping': text('write the mapping into this file, to use it again'),
  'dry-run': yes('show the plan and send nothing'),
} as const;
const positionals = {
  file: { type: 'string', demandOption: true, describe: 'a CSV file or a workbook' },
} as const;
type ImportArgs = ArgsOf<typeof options & typeof positionals>;

/** `import FILE --as RESOURCE`: one file, its headers matched to fields; the mapping that this makes can be saved. */
export const importFile = defineCommand({
  options,
  positionals,
  examples: [
    ['import members.csv --as users', 'headers such as "Member ID" and "Name" are known'],
    ['import season.xlsx --as users --tab Members', 'one tab of a workbook'],
    ['import prices.csv --as prices --set type=weekly', 'a field that the file does not have'],
  ],
  run: (args, program) => {
    const { name, target } = importTarget(args.as);
    refuseNoFile(args.file, program);
    refuseFlags(args);
    for (const field of [...Object.values(args.match), ...Object.keys(args.set)])
      refuseUnknownField(field, name, target);
    for (const [field, value] of Object.entries(args.set))
      if (value.trim() === '') throw new ConfigError('import.set', `--set ${field}: is empty`);
    return withSession(
      args,
      program,
      async (session) => {
        const mapping = await makeMapping(name, target, args, session, program);
        // A points configuration takes its league from a variable, wherever that is set.
        const ports = {
          ...session.ports,
          variable: (field: string) => args.set[field] ?? session.ports.variable(field),
        };
        const work = { ...session, ports, program, yes: args.yes };
        if (args.dryRun === true) return showPlan('import', [mapping], planOptions(args), work);
        const exitCode = await runPush('import', [mapping], planOptions(args), work);
        const table = ownTable(mapping, session, program);
        if (table !== undefined)
          program.screen.say(
            safeText(`${table} still has these rows as they were refused: correct them there too`),
          );
        return exitCode;
      },
      { readOnly: args.dryRun },
    );
  },
});

/** The table whose rows to correct were imported; undefined for any other file, and where no mapping reads the table any more. */
function ownTable(
  { source: { location } }: PushMapping,
  { config, ports }: Session,
  program: Program,
): string | undefined {
  const file = fileOf(location);
  const corrected = file === undefined ? undefined : ports.results.mappingToMend(file);
  if (corrected === undefined) return undefined;
  try {
    return readPushMappings(wholeAccount(config), [corrected], program)[0]?.source.origin;
  } catch (error) {
    // The import is done, whatever is wrong with a mapping that it did not need.
    if (error instanceof ConfigError || error instanceof UsageError) return undefined;
    throw error;
  }
}

function importTarget(as: string): { readonly name: ResourceName; readonly target: PushTarget } {
  const name = PUSHABLE.find((known) => known === as || known.replaceAll('_', '-') === as);
  const target = name && pushTarget(name);
  if (name !== undefined && target !== undefined) return { name, target };
  const near = nearest(as, PUSHABLE);
  throw new UsageError('import.resource', `--as ${as}: rows can be imported as ${PUSHABLE.join(', ')}`, {
    next: near === undefined ? undefined : `use --as ${near}`,
  });
}

/** By its ending; what a file really is shows when it is read. */
const isWorkbook = (file: string): boolean => /\.(?:xls[xmb]?|ods)$/i.test(file);

/** A lone `-` comes from the command line as an empty name. */
function refuseNoFile(file: string, { typed }: Program): void {
  if (/^https?:\/\//i.test(file))
    throw new UsageError('import.file', `${file} is an address, and an import takes a file`, {
      next: 'download it as CSV or .xlsx; or name a Google spreadsheet in a mapping, see docs/connect-google-sheets.md',
    });
  if (file !== '' && file !== '-') return;
  if (!typed.includes('-')) throw new UsageError('import.file', 'the name of the file is empty');
  const words = typed.map((word) => (word === '-' ? '/dev/stdin' : word));
  throw new UsageError('import.file', '"-" is no file; for piped input, type /dev/stdin', {
    next: renderTyped(words),
  });
}

/** What a run calls the rows that it refused, and what it calls them where somebody has changed an older file of them. */
const isRejected = (file: string): boolean => /\.rejected(?:\.\d+)?\.(?:csv|xlsx)$/.test(file);

/** The rows to correct are imported with the flags of the table that they are of, whatever their own file is. */
function refuseFlags({ file, tab, encoding }: ImportArgs): void {
  if (isRejected(file)) return;
  const flag = isWorkbook(file)
    ? encoding !== undefined && ['--encoding', 'CSV files']
    : tab !== undefined && ['--tab', 'workbooks'];
  if (flag === false) return;
  throw new UsageError('import.flag', `${file}: ${flag.join(' is for ')} only`, { next: 'leave it out' });
}

function refuseUnknownField(field: string, name: string, { fields }: PushTarget): void {
  if (Object.hasOwn(fields, field)) return;
  const near = nearest(field, Object.keys(fields));
  throw new UsageError(
    'import.field',
    `${name} have no field "${field}"${near === undefined ? '' : `; did you mean "${near}"?`}`,
    {
      next: `the fields are ${Object.keys(fields).join(', ')}`,
    },
  );
}

/** The mapping as YAML, parsed like any other, so that what is saved is what was run. */
async function makeMapping(
  name: ResourceName,
  target: PushTarget,
  args: ImportArgs,
  session: Session,
  program: Program,
): Promise<PushMapping> {
  const { config } = session;
  const path = resolve(program.cwd, args.file);
  const location = isWorkbook(args.file)
    ? ({ kind: 'xlsx', path, tab: await tabOf(path, args, session) } as const)
    : ({ kind: 'csv', path } as const);
  const source = sourceOf(location, config, args);
  const header = await readHeader(location, args, session);
  // A file of rows to correct that is imported, and rejected, time and again keeps its name.
  // What the shell gives has a number for a name.
  const file = isOpenFile(args.file) ? 'pipe' : args.file;
  const stem = basename(file, extname(file)).replace(/(\.rejected)+$/, '.rejected');
  const document = {
    version: 1,
    name:
      shortened(stem)
        .replace(/[^\p{L}\p{M}\p{N} _.-]/gu, '_')
        .replace(/^[^\p{L}\p{N}_]+/u, '') || 'import',
    push: name,
    ...bindHeader(name, target, header, source, args, session),
    operation: operationOf(target),
  };
  // Variables stand in values alone: what the file, its tab or its headers are called is no variable.
  const literal = (key: unknown, value: unknown): unknown =>
    typeof value === 'string' && key !== 'value' ? asWritten(value) : value;
  const yaml = stringify(document, literal, { lineWidth: 0 });
  const mapping = parseImport(yaml, args.saveMapping ?? args.file, {
    ...config,
    vars: bareRecord(config.vars, args.set),
  });
  if (mapping === undefined) throw new ConfigError('import.mapping', `${args.file} makes no mapping`);
  if (args.saveMapping !== undefined && args.dryRun !== true) saveMapping(args.saveMapping, yaml, program);
  return { ...mapping, ofImport: true };
}

/** Errors: ConfigError `import.set` for the values of `--set`, which alone can be wrong in a mapping that was made; those of parsing. */
function parseImport(yaml: string, shown: string, config: Config): PushMapping | undefined {
  try {
    return parseFile(yaml, shown, config).find(isPush);
  } catch (cause) {
    if (!(cause instanceof ConfigError)) throw cause;
    const problems = cause.problems.flatMap(({ keys: [columns, field = '', value], message }) =>
      columns === 'columns' && value === 'value' ? [`--set ${field}: ${message}`] : [],
    );
    if (problems.length === 0) throw cause;
    throw new ConfigError('import.set', problems.join('\n'), { cause, next: cause.next });
  }
}

type FileLocation = Extract<TableLocation, { path: string }>;

async function tabOf(path: string, { file, tab }: ImportArgs, { pipes }: Session): Promise<string> {
  if (tab !== undefined && !isRejected(file)) return tab;
  const { onlyTab } = await import('../../tables/xlsx/read/tabs.ts');
  const found = await onlyTab(await pipes.fileOf(path, file), file, tab);
  return tab === undefined || found === REJECTED_TAB ? found : tab;
}

/** The table as a mapping names it. */
function sourceOf(location: FileLocation, { folder }: Config, { encoding, locale }: ImportArgs): object {
  const path = relative(folder, location.path).split(sep).join('/');
  return {
    ...(location.kind === 'csv' ? { csv: path, encoding } : { xlsx: path, tab: location.tab }),
    ...(standsInside(folder, path) ? {} : { allow_outside: true }),
    locale,
  };
}

/** What to do about a header that cannot be read, by the code of the error: an import has no keys of a mapping. */
const HEADER_REMEDIES: Readonly<Record<string, string>> = {
  'source.delimiter': 'Name the separator in a first line of the file, such as sep=;',
  'header.none': 'Write the names of the columns into the first row.',
};

async function readHeader(
  location: FileLocation,
  { file, encoding = 'auto' }: ImportArgs,
  { ports }: Session,
): Promise<readonly string[]> {
  const origin = location.kind === 'csv' ? file : `${file} tab "${location.tab}"`;
  const how = { origin, headerRow: 1, delimiter: 'auto', encoding };
  let table: SourceTable;
  try {
    table = await ports.tables[location.kind].open(location, how);
  } catch (cause) {
    const next = cause instanceof ConfigError ? HEADER_REMEDIES[cause.code] : undefined;
    if (!(cause instanceof ConfigError) || next === undefined) throw cause;
    throw new ConfigError(cause.code, cause.message, { ...cause.place, cause, next });
  }
  await table.close();
  return table.header.filter((name) => !RESULT_COLUMNS.some((column) => column === name));
}

const operationOf = ({ operations }: PushTarget): PushOperation =>
  operations.includes('upsert') ? 'upsert' : (operations[0] ?? 'create');

/** Headers of a points configuration that has one setting in each line. */
const SETTING_HEADERS = ['setting', 'name', 'field'];

function bindHeader(
  name: ResourceName,
  target: PushTarget,
  header: readonly string[],
  source: object,
  args: ImportArgs,
  { ports }: Session,
): object {
  const key = header.find((column) => SETTING_HEADERS.includes(fold(column)));
  const value = header.find((column) => VALUE_HEADERS.includes(fold(column)));
  if (
    target.isSettings === true &&
    key !== undefined &&
    value !== undefined &&
    Object.keys(args.match).length === 0
  ) {
    return {
      source: { ...source, layout: 'key_value', key_column: key, value_column: value },
      columns: 'auto',
    };
  }
  const given = Object.entries(args.match).map(
    ([wanted, field]) => [headerCalled(wanted, field, header, args.file), field] as const,
  );
  const { headers, unused, doubtful } = matchHeaders(header, target.fields, new Map(given));
  for (const [field, names] of doubtful)
    if (args.set[field] === undefined) throw doubtfulField(field, names, args.file);
  const columns: Record<string, object> = {};
  const required = requiredFields(name, operationOf(target));
  for (const [field, { type }] of Object.entries(target.fields)) {
    const from = headers.get(field);
    const fixed = args.set[field];
    const variable = variableOf(name, field);
    const words = type === 'boolean' && YES_AND_NO;
    const squad = squadColumn(field, unused);
    if (fixed !== undefined) columns[field] = { value: fixed, ...words };
    else if (from !== undefined) columns[field] = { from, ...words };
    else if (squad !== undefined) columns[field] = squad;
    else if (variable !== undefined && ports.variable(variable) !== undefined)
      columns[field] = { value: `\${${variable}}` };
    else if (required.includes(field)) throw missingField(field, header, target, args);
  }
  return { source, columns };
}

/** The header that `--match` means: as it stands, else the only one that differs in no more than capitals, blanks and signs. */
function headerCalled(wanted: string, field: string, header: readonly string[], file: string): string {
  if (header.includes(wanted)) return wanted;
  const [alike, ...others] = header.filter((name) => fold(name) === fold(wanted));
  if (alike !== undefined && others.length === 0) return alike;
  const near = nearest(wanted, header);
  const separated = separatorRemedy(header, (names) => names.some((name) => fold(name) === fold(wanted)));
  throw new ConfigError(
    'import.header',
    `${file} row 1: no column is called "${wanted}"; there is ${quoted(header)}`,
    { file, line: 1, next: separated ?? (near && `write --match "${near}=${field}"`) },
  );
}

const MEMBER_HEADERS = ['memberid', 'member', 'externalid', 'membershipnumber'];
const PLAYER_HEADER = /^(?:p|player)\d+$/;

/** A squad names its user by your own member id, and its players side by side, where no column is the field itself. */
function squadColumn(field: string, unused: readonly string[]): object | undefined {
  const member = unused.find((column) => MEMBER_HEADERS.includes(fold(column)));
  const players = unused.filter((column) => PLAYER_HEADER.test(fold(column)));
  if (field === 'user_id' && member !== undefined)
    return { from: member, lookup: { in: 'users', match: 'external_id', take: 'user_id' } };
  return field === 'players_in' && players.length > 0 ? { from_all: players, blank: 'omit' } : undefined;
}

const YES_AND_NO = {
  true_values: ['yes', 'y', 'x', 'active'],
  false_values: ['no', 'n', 'inactive'],
  blank: 'omit',
};

const quoted = (names: readonly string[], between = ', '): string =>
  names.map((name) => `"${name}"`).join(between);

function doubtfulField(field: string, names: readonly string[], file: string): ConfigError {
  return new ConfigError(
    'header.ambiguous',
    `${file} row 1: the columns ${quoted(names, ' and ')} both look like ${field}`,
    { file, line: 1, next: `add --match "${names[0] ?? ''}=${field}" to name the right one` },
  );
}

function missingField(
  field: string,
  header: readonly string[],
  { fields }: PushTarget,
  { file }: ImportArgs,
): ConfigError {
  const separated = separatorRemedy(header, (names) =>
    matchHeaders(names, fields, new Map()).headers.has(field),
  );
  const isTitle = header.filter((name) => name !== '').length === 1;
  const other = separated ?? (isTitle ? 'if that is a title, delete all rows above the header' : undefined);
  const match = `add --match "Header=${field}" to name its column, or --set ${field}=value for every row`;
  return new ConfigError(
    'import.missing_field',
    `${file} row 1: no column for ${field} among ${quoted(header)}`,
    {
      file,
      line: 1,
      next: other === undefined ? match : `${match}; or, ${other}`,
    },
  );
}

const UNSAVED: Readonly<Record<string, string>> = {
  EEXIST: 'there is a file of that name',
  ENOENT: 'there is no such folder',
};

function saveMapping(file: string, yaml: string, { cwd, screen }: Program): void {
  try {
    writeFileSync(resolve(cwd, file), yaml, { flag: 'wx' });
    screen.say(`mapping saved as ${file}`);
  } catch (cause) {
    const why = UNSAVED[systemCode(cause) ?? ''] ?? (cause as Error).message;
    throw new ConfigError('import.save', `the mapping cannot be saved as ${file}: ${why}`, {
      file,
      cause,
      next: 'name another file after --save-mapping',
    });
  }
}
