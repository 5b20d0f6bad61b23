import { writeFileSync } from 'node:fs';
import { basename, extname, relative, resolve, sep } from 'node:path';
import { stringify } from 'yaml';
import type { ResourceName } from '../../contract/index.ts';
import type { PushTarget } from '../../contract/resource.ts';
import { asWritten } from '../../mapping/parse/parse-mappings.ts';
import { shortened } from '../../mapping/parse/schema.ts';
import type { PushMapping } from '../../mapping/mapping.ts';
import { ConfigError } from '../../model/error.ts';
import { REJECTED_TAB, RESULT_COLUMNS } from '../../model/results.ts';
import { isOpenFile, type SourceTable, type TableLocation } from '../../model/tables/table.ts';
import type { Config } from '../../runtime/config/config.ts';
import { bareRecord } from '../../runtime/config/env-file.ts';
import { standsInside } from '../../runtime/config/inside-folder.ts';
import { isPush, parseFile } from '../../runtime/config/mappings.ts';
import { systemCode } from '../../tables/system-error.ts';
import type { Program } from '../program.ts';
import type { Session } from '../session.ts';
import { bindHeader, operationOf, type GivenColumns } from './bind-headers.ts';

/** What the command line says of a file. */
export interface ImportedFile extends GivenColumns {
  readonly tab: string | undefined;
  readonly encoding: string | undefined;
  readonly locale: string | undefined;
  readonly saveMapping: string | undefined;
  readonly dryRun: boolean | undefined;
}

/** By its ending; what a file really is shows when it is read. */
export const isWorkbook = (file: string): boolean => /\.(?:xls[xmb]?|ods)$/i.test(file);

/** What a run calls the rows that it refused, and what it calls them where somebody has changed an older file of them. */
export const isRejected = (file: string): boolean => /\.rejected(?:\.\d+)?\.(?:csv|xlsx)$/.test(file);

/** The mapping as YAML, parsed like any other, so that what is saved is what was run. */
export async function makeMapping(
  name: ResourceName,
  target: PushTarget,
  args: ImportedFile,
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

async function tabOf(path: string, { file, tab }: ImportedFile, { pipes }: Session): Promise<string> {
  if (tab !== undefined && !isRejected(file)) return tab;
  const { onlyTab } = await import('../../tables/xlsx/read/tabs.ts');
  const found = await onlyTab(await pipes.fileOf(path, file), file, tab);
  return tab === undefined || found === REJECTED_TAB ? found : tab;
}

/** The table as a mapping names it. */
function sourceOf(location: FileLocation, { folder }: Config, { encoding, locale }: ImportedFile): object {
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
  { file, encoding = 'auto' }: ImportedFile,
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
