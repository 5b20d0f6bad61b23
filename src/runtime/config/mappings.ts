import { fileOf } from '../../model/tables/table.ts';
import { readdirSync } from 'node:fs';
import { join, relative, resolve } from 'node:path';
import type { Mapping, PullMapping, PushMapping } from '../../mapping/mapping.ts';
import { didYouMean } from '../../model/nearest.ts';
import { mappingNames, parseMappings, type MappingName } from '../../mapping/parse/parse-mappings.ts';
import { ConfigError, UsageError } from '../../model/error.ts';
import { foldName } from '../../model/fold-name.ts';
import { apart, inLeague } from '../../model/league-name.ts';
import { checkCron } from '../../schedule/cron.ts';
import type { Config, LeagueConfig, Surroundings } from './config.ts';
import { readOptionalText } from './env-file.ts';
import { standsInside } from './inside-folder.ts';
import { isThere, namingFile } from './mapping-files.ts';
import { joinLeagues, tableOf, type LeagueMapping } from './league-mappings.ts';
import { refuseSharedColumns } from './shared-columns.ts';

type Direction = Mapping['direction'];

/** The folder that messages name files from. */
type Seat = Pick<Surroundings, 'cwd'>;

interface MappingFile {
  /** The path as messages call it. */
  readonly shown: string;
  readonly text: string;
  readonly entries: readonly MappingName[];
}

/** What reading mappings needs of a configuration. */
export interface MappingConfig extends Pick<Config, 'folder' | 'mappings' | 'vars'> {
  /** Several leagues, whose variables stand in for `vars`: every mapping is read once for each. */
  readonly leagues?: readonly LeagueConfig[] | undefined;
  /** The folder that the paths of layouts are relative to; left out: `folder`. */
  readonly layouts?: string | undefined;
  /** What stands in mapping files, in place of the folder `mappings`. */
  readonly texts?: readonly string[] | undefined;
}

/** Whether an error says that there is no mapping, or none of a direction. */
export const isNoMapping = (error: unknown): error is ConfigError =>
  error instanceof ConfigError && ['mappings.missing', 'mappings.none'].includes(error.code);

/** Tells the mappings that push from the others. */
export const isPush = (mapping: Mapping): mapping is PushMapping => mapping.direction === 'push';
/** Tells the mappings that pull from the others. */
export const isPull = (mapping: Mapping): mapping is PullMapping => mapping.direction === 'pull';

/** The named mappings that push, or all of them, in the order of {@link readMappings}. Errors: those of it. */
export function readPushMappings(
  config: MappingConfig,
  names: readonly string[],
  program: Seat,
): readonly PushMapping[] {
  return readMappings(config, names, program, 'push').filter(isPush);
}

/** The named mappings that pull, or all of them, in the order of {@link readMappings}. Errors: those of it. */
export function readPullMappings(
  config: MappingConfig,
  names: readonly string[],
  program: Seat,
): readonly PullMapping[] {
  return readMappings(config, names, program, 'pull').filter(isPull);
}

/** Told of a mapping that is left out because a variable of it is not set. */
type OnUnset = (mapping: string, error: ConfigError) => void;

/**
 * The named mappings, or all (of one direction) but those whose optional file is not there, in the order of their files; with several leagues league by
 * league, each called by {@link inLeague}. A variable that only a mapping needs which is not wanted may be unset; with `onUnset`, a mapping whose variable
 * is not set is left out and told.
 * Errors: UsageError `mapping.unknown`, `mapping.direction`; ConfigError `mappings.missing`, `mappings.none`, `mapping.name_twice`,
 * `mapping.write_back_column`, `destination.source`, `destination.leagues`, and those of parsing.
 */
export function readMappings(
  config: MappingConfig,
  names: readonly string[],
  program: Seat,
  direction?: Direction,
  onUnset?: OnUnset,
): readonly Mapping[] {
  const files = listFiles(config, program);
  const known = indexNames(files);
  for (const name of names) {
    const entry = entryOf(name, known, config);
    if (entry === undefined) throw unknownName(name, namesIn(config, known));
    if (direction !== undefined && entry.direction !== direction) throw wrongDirection(entry);
  }
  const wanted =
    names.length > 0
      ? names
      : [...known.values()]
          .filter((entry) => direction === undefined || entry.direction === direction)
          .map(({ name }) => name);
  if (wanted.length === 0) {
    const what = direction === undefined ? 'mapping' : `mapping that can ${direction}`;
    throw new ConfigError(
      'mappings.none',
      `${relative(program.cwd, config.mappings) || '.'} holds no ${what}`,
      { next: 'init' },
    );
  }
  const leagues = config.leagues ?? [];
  const read =
    leagues.length === 0
      ? parseWanted(files, config, (name) => wanted.includes(name), onUnset)
      : joinLeagues(leagues.flatMap((league) => readLeague(files, config, league, wanted, onUnset)));
  const reports = read.filter(isPull);
  const writingBack = read.filter(isPush).filter(({ writeBack }) => writeBack !== undefined);
  if (reports.length + writingBack.length > 0) {
    const pushes = [...read, ...othersThatPush(read, files, config)].filter(isPush);
    refuseReportsOverSources(reports, pushes);
    refuseSharedColumns(writingBack, pushes);
  }
  return read.filter((mapping) => names.length > 0 || !isAbsent(mapping)).map(namingFile);
}

function parseWanted(
  files: readonly MappingFile[],
  config: MappingConfig,
  isWanted: (name: string) => boolean,
  onUnset: OnUnset | undefined,
): readonly Mapping[] {
  if (onUnset === undefined)
    return files.flatMap(({ text, shown }) => parseFile(text, shown, config, isWanted));
  return parseEach(
    files,
    config,
    ({ name }) => isWanted(name),
    (name, error) => {
      if (error.code !== 'mapping.variable') throw error;
      onUnset(name, error);
    },
  );
}

/** Mappings one by one, so that what is wrong with one is in the way of no other; without `onError` it is told nobody. */
function parseEach(
  files: readonly MappingFile[],
  config: MappingConfig,
  isOurs: (entry: MappingName) => boolean,
  onError: OnUnset = () => undefined,
): readonly Mapping[] {
  const parse = ({ text, shown }: MappingFile, name: string): readonly Mapping[] => {
    try {
      return parseFile(text, shown, config, (each) => each === name);
    } catch (error) {
      if (!(error instanceof ConfigError)) throw error;
      onError(name, error);
      return [];
    }
  };
  return files.flatMap((file) => file.entries.filter(isOurs).flatMap(({ name }) => parse(file, name)));
}

/** The wanted mappings as one league has them; those that are wanted of another league alone come along, to be compared with. */
function readLeague(
  files: readonly MappingFile[],
  config: MappingConfig,
  league: LeagueConfig,
  wanted: readonly string[],
  onUnset: OnUnset | undefined,
): readonly LeagueMapping[] {
  const { name: its, vars, chosen } = league;
  const own = { ...config, vars };
  const isHere = (name: string): boolean =>
    chosen && (wanted.includes(name) || wanted.includes(inLeague(name, its)));
  const isElsewhere = (name: string): boolean =>
    !isHere(name) && wanted.some((each) => apart(each).mapping === name);
  const unset: OnUnset | undefined =
    onUnset && ((name, error) => onUnset(inLeague(name, its), ofLeague(error, its)));
  const here = (): readonly Mapping[] => {
    try {
      return parseWanted(files, own, isHere, unset);
    } catch (error) {
      throw error instanceof ConfigError && error.code === 'mapping.variable' ? ofLeague(error, its) : error;
    }
  };
  const elsewhere = parseEach(files, own, ({ name }) => isElsewhere(name));
  return [
    ...here().map((mapping) => ({ league, mapping, wanted: true })),
    ...elsewhere.map((mapping) => ({ league, mapping, wanted: false })),
  ];
}

/** What a variable lacks, it may lack in one league alone. */
const ofLeague = ({ code, message, place, next }: ConfigError, league: string): ConfigError =>
  new ConfigError(code, `${message} in league ${league}`, { ...place, next });

/** The mapping that a word of the command line names: `prices`, or with several leagues `prices@north`. */
function entryOf(
  word: string,
  known: ReadonlyMap<string, MappingName>,
  config: MappingConfig,
): MappingName | undefined {
  const { mapping, league } = apart(word);
  if (league === undefined) return known.get(word);
  const isThere = config.leagues?.some(({ name, chosen }) => name === league && chosen) === true;
  return isThere ? known.get(mapping) : undefined;
}

/** An optional table that is not there has nothing to say when every mapping runs. */
function isAbsent(mapping: Mapping): boolean {
  if (mapping.direction === 'pull' || mapping.source.optional !== true) return false;
  const file = fileOf(mapping.source.location);
  return file !== undefined && !isThere(file);
}

/** The mappings that push and were not asked for, in each league. One may be wrong, or lack a variable, without being in the way. */
function othersThatPush(
  read: readonly Mapping[],
  files: readonly MappingFile[],
  config: MappingConfig,
): readonly Mapping[] {
  const readNames = new Set(read.map(({ name }) => name));
  const { leagues = [] } = config;
  return (leagues.length === 0 ? [{ name: undefined, vars: config.vars }] : leagues).flatMap(
    ({ name: league, vars }) =>
      parseEach(
        files,
        { ...config, vars },
        ({ name, direction }) =>
          direction === 'push' && !readNames.has(league === undefined ? name : inLeague(name, league)),
      ),
  );
}

/** A report must not take the place of a table that rows are pushed from. Errors: ConfigError `destination.source`. */
function refuseReportsOverSources(pulls: readonly PullMapping[], pushes: readonly PushMapping[]): void {
  const sources = new Map(pushes.map(({ name, source }) => [tableOf(source.location), name]));
  for (const { name, destination, place } of pulls) {
    const source = sources.get(tableOf(destination.location));
    if (source === undefined) continue;
    throw new ConfigError(
      'destination.source',
      `${place.file}:${place.line}: ${name} would write its report over ${destination.origin}, which ${source} reads its rows from`,
      { ...place, next: 'give the report a table of its own' },
    );
  }
}

/** The names of all mappings in the order of their files. Errors: those of {@link readMappings}. */
export function listMappingNames(config: MappingConfig, program: Seat): readonly string[] {
  return namesIn(config, indexNames(listFiles(config, program)));
}

function namesIn(
  { leagues = [] }: MappingConfig,
  known: ReadonlyMap<string, MappingName>,
): readonly string[] {
  const names = [...known.keys()];
  if (leagues.length === 0) return names;
  return leagues.flatMap((league) => (league.chosen ? names.map((name) => inLeague(name, league.name)) : []));
}

function indexNames(files: readonly MappingFile[]): ReadonlyMap<string, MappingName> {
  const known = new Map<string, MappingName>();
  // Result files bear these names: what macOS or Windows takes for one file is one name.
  const byFile = new Map<string, MappingName>();
  for (const entry of files.flatMap(({ entries }) => entries)) {
    const other = byFile.get(foldName(entry.name));
    if (other !== undefined) throw nameTwice(entry, other);
    known.set(entry.name, entry);
    byFile.set(foldName(entry.name), entry);
  }
  return known;
}

/** Parses the mappings in a text (those that are wanted) in the light of the configuration. Errors: those of parsing. */
export function parseFile(
  text: string,
  shown: string,
  { folder, vars, layouts = folder }: MappingConfig,
  wanted?: (name: string) => boolean,
): readonly Mapping[] {
  const resolvePath = (path: string, allowOutside: boolean): string => {
    if (standsInside(folder, path) || allowOutside) return resolve(folder, path);
    throw new ConfigError('mapping.outside', `"${path}" is outside the configuration's folder`, {
      next: 'move the file, or write allow_outside: true beside it',
    });
  };
  const context = {
    variable: (name: string) => vars[name],
    resolvePath,
    readLayout: (path: string) => readLayout(layouts, path),
    checkCron,
  };
  return parseMappings(text, shown, context, wanted);
}

/** Errors: ConfigError `mapping.outside`, `mapping.layout`. */
function readLayout(folder: string, path: string): { readonly file: string; readonly text: string } {
  if (!standsInside(folder, path)) {
    throw new ConfigError('mapping.outside', `the layout "${path}" is outside the configuration's folder`, {
      next: "move the file into the configuration's folder",
    });
  }
  const text = readOptionalText(resolve(folder, path), 'mapping.layout');
  if (text !== undefined) return { file: path, text };
  throw new ConfigError('mapping.layout', `there is no layout "${path}"`, {
    next: 'correct the path: it is relative to the folder of teamsheet.yaml; init writes the shipped layouts into templates/reports',
  });
}

function listFiles({ mappings, texts }: MappingConfig, { cwd }: Seat): readonly MappingFile[] {
  if (texts !== undefined)
    return texts.map((text, index) => {
      const shown = `mappings[${index}]`;
      return { shown, text, entries: mappingNames(text, shown) };
    });
  let names: readonly string[];
  try {
    // Editors and systems put files of their own beside those that they open, with a dot in front.
    names = readdirSync(mappings).filter((name) => /^[^.].*\.ya?ml$/i.test(name));
  } catch (cause) {
    throw new ConfigError(
      'mappings.missing',
      `there is no folder of mappings at ${relative(cwd, mappings) || mappings}`,
      {
        next: 'init',
        cause,
      },
    );
  }
  return names.toSorted().map((name) => {
    const shown = relative(cwd, join(mappings, name));
    const text = readOptionalText(join(mappings, name), 'mapping.unreadable') ?? '';
    return { shown, text, entries: mappingNames(text, shown) };
  });
}

function nameTwice({ name, place }: MappingName, other: MappingName): ConfigError {
  const spot = `${place.file}:${place.line}`;
  const there = `${other.place.file}:${other.place.line}`;
  const what =
    name === other.name
      ? `"${name}" is already the name of a mapping in ${there}`
      : `"${name}" and "${other.name}" in ${there} differ in capitals or Unicode forms alone; macOS or Windows would keep their results in one file`;
  return new ConfigError('mapping.name_twice', `${spot}: ${what}`, {
    ...place,
    next: 'give one of them another name',
  });
}

function unknownName(name: string, known: readonly string[]): UsageError {
  const question = didYouMean(name, known, ';');
  return new UsageError('mapping.unknown', `there is no mapping "${name}"${question}`, {
    next: `choose one of ${known.join(', ')}`,
  });
}

function wrongDirection({ name, direction }: MappingName): UsageError {
  const does = direction === 'push' ? 'pushes' : 'pulls';
  return new UsageError('mapping.direction', `"${name}" is a mapping that ${does}`, {
    next: `${direction} ${name}`,
  });
}
