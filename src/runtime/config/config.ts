import { dirname, join, relative, resolve } from 'node:path';
import { ConfigError, type Place } from '../../model/error.ts';
import { didYouMean } from '../../model/nearest.ts';
import { configSchema, parseConfig, type ConfigFile, type ParsedConfig } from './config-file.ts';
import { at, replaceNames, requireName, varsOf } from './names.ts';
import type { PublishConfig } from './publish-config.ts';
import {
  holdsPassword,
  isAddress,
  placeOfState,
  readAddress,
  stateFolderOf,
  type StatePlace,
} from './state-place.ts';
import { bareRecord, readEnvironment, readOptionalText, type Environment } from './env-file.ts';

/** Where a program runs. */
export interface Surroundings {
  readonly env: Environment['values'];
  readonly cwd: string;
}

/** The configuration in force: the file's, or what the environment makes without one. Paths are absolute. */
export interface Config {
  /** Undefined without a configuration file. */
  readonly file: string | undefined;
  /** Paths in the configuration and in mappings are relative to this folder. */
  readonly folder: string;
  /** The process's environment over the `.env`. */
  readonly env: Surroundings['env'];
  readonly environments: ConfigFile['environments'];
  /** The environment that was asked for, or is the default. */
  readonly environment: string | undefined;
  /** Values for `${name}` in mappings: `--var`, then the file's vars, then the environment. */
  readonly vars: Readonly<Record<string, string | undefined>>;
  /** All leagues of the file in its order; none where the folder has one league, whose environment and variables are the configuration's own. */
  readonly leagues: readonly LeagueConfig[];
  readonly state: StatePlace;
  /** The folder of what stays on this machine, absolute: results of runs, logins, pipes. */
  readonly stateFolder: string;
  /** What is not secured is used all the same. */
  readonly insecure: boolean;
  readonly mappings: string;
  readonly timezone: string;
  readonly budget: ConfigFile['budget'];
  readonly push: ConfigFile['push'];
  readonly google: ConfigFile['google'];
  readonly season: ConfigFile['season'];
  readonly rules: ConfigFile['rules'];
  readonly alerts: ConfigFile['alerts'];
  /** What of the league is published; of a league, what it says itself over what is said for all. */
  readonly publish: PublishConfig;
  readonly warnings: readonly string[];
  /** Where a part of the file stands, for messages. */
  readonly placeOf: ParsedConfig['placeOf'];
}

/** One of several leagues. */
export interface LeagueConfig extends Pick<
  Config,
  'environment' | 'vars' | 'season' | 'rules' | 'publish' | 'placeOf'
> {
  readonly name: string;
  /** Asked for; the others are only looked at, so that none is in the way of another. */
  readonly chosen: boolean;
}

const CONFIG_FILE = 'teamsheet.yaml';

/** What stands in for parts of the file. Paths are relative to the working folder. */
interface ConfigArgs {
  readonly config?: string | undefined;
  readonly env?: string | undefined;
  readonly league?: string | undefined;
  readonly var: Readonly<Record<string, string>>;
  readonly mappings?: string | undefined;
  readonly insecure?: boolean | undefined;
  /** A file, or the address of a database. */
  readonly state?: string | undefined;
}

/** Finds and reads the configuration. Errors: ConfigError `config.*` with file, line and column. */
export function readConfig(args: ConfigArgs, program: Surroundings): Config {
  const file = args.config === undefined ? findUpwards(program.cwd) : resolve(program.cwd, args.config);
  const folder = file === undefined ? program.cwd : dirname(file);
  const parse = (env: Surroundings['env']): ParsedConfig =>
    file === undefined ? withoutFile(env) : readFile(file, relative(program.cwd, file));
  return { ...inForce(folder, parse, args, program), file };
}

/**
 * The configuration of a program that has it as a value, in place of the text of `teamsheet.yaml` in the working folder.
 * Errors: ConfigError `config.*`.
 */
export function configOf(written: object, args: Omit<ConfigArgs, 'config'>, program: Surroundings): Config {
  const parse = (): ParsedConfig => parseConfig(JSON.stringify({ version: 1, ...written }), 'config');
  return { ...inForce(program.cwd, parse, args, program), file: undefined };
}

function inForce(
  folder: string,
  parse: (env: Surroundings['env']) => ParsedConfig,
  args: ConfigArgs,
  program: Surroundings,
): Omit<Config, 'file'> {
  const environment = readEnvironment(folder, program.env);
  const env = environment.values;
  const { value, placeOf } = parse(env);
  const { timezone, budget, push, google, season, rules, alerts, publish } = value;
  const state = stateOf(value, folder, env, placeOf, args, program.cwd);
  return {
    folder,
    env,
    environments: value.environments && bareRecord(value.environments),
    environment: args.env ?? value.environment,
    ...{ timezone, budget, push, google, season, rules, alerts, publish },
    vars: bareRecord(env, varsOf(value.vars, env), args.var),
    leagues: leaguesOf(value, env, args, placeOf),
    state,
    stateFolder: stateFolderOf(state, folder),
    insecure: args.insecure === true,
    mappings:
      args.mappings === undefined
        ? resolve(folder, replaceNames(value.mappings, env, placeOf(['mappings'])))
        : resolve(program.cwd, args.mappings),
    warnings: environment.warnings,
    placeOf,
  };
}

/** Errors: ConfigError `config.unset`, `state.password`, `state.address`. */
function stateOf(
  { state, state_schema: schema, state_lease: leaseMs }: ConfigFile,
  folder: string,
  env: Surroundings['env'],
  placeOf: ParsedConfig['placeOf'],
  args: ConfigArgs,
  cwd: string,
): StatePlace {
  const place = placeOf(['state']);
  const given = { folder, env, schema, leaseMs };
  if (args.state !== undefined) return placeOfState(args.state, { ...given, folder: cwd }, {});
  if (typeof state !== 'string') return readAddress(requireName(state.env, env, place), given, place);
  if (isAddress(state) && holdsPassword(state))
    throw new ConfigError('state.password', `${at(place)}the password of the state is never written here`, {
      ...place,
      next: 'Set PGPASSWORD or PGPASSFILE, or name a variable that holds the whole address: state: { env: TEAMSHEET_STATE_URL }.',
    });
  return placeOfState(replaceNames(state, env, place), given, place);
}

/** The leagues with what is in force in each. Errors: ConfigError `config.league`. */
function leaguesOf(
  { leagues = {}, environments, environment, vars, season, rules, publish }: ConfigFile,
  env: Surroundings['env'],
  args: ConfigArgs,
  placeOf: ParsedConfig['placeOf'],
): readonly LeagueConfig[] {
  const only = Object.keys(environments ?? {});
  const otherwise = args.env ?? environment ?? (only.length === 1 ? only[0] : undefined);
  const read = Object.entries(leagues).map(([name, league]): LeagueConfig => {
    const id = league.fantasy_league_id === undefined ? {} : { fantasy_league_id: league.fantasy_league_id };
    const known = bareRecord(env, { league: name }, varsOf(id, env));
    const own = league.environment;
    return {
      name,
      environment: own ?? otherwise,
      vars: bareRecord(env, varsOf(vars, known), varsOf(league.vars, known), known, args.var),
      season: { ...season, ...(league.groups && { groups: league.groups }) },
      rules: league.rules ?? rules,
      publish: publishOf(publish, league.publish),
      chosen: [undefined, name].includes(args.league) && [undefined, own ?? args.env].includes(args.env),
      placeOf: (path) =>
        placeOf(path[0] === 'environment' && own !== undefined ? ['leagues', name, 'environment'] : path),
    };
  });
  if (args.league !== undefined && !Object.hasOwn(leagues, args.league))
    throw noLeague(args.league, Object.keys(leagues), placeOf(['leagues']));
  if (read.length > 0 && !read.some(({ chosen }) => chosen)) {
    const are = read.map(({ name, environment: its }) => `${name} is in ${its ?? 'none'}`).join(', ');
    throw new ConfigError(
      'config.league',
      `no league that is asked for is in environment "${args.env}": ${are}`,
      {
        ...placeOf(['leagues']),
        next: 'leave --env out, or choose another league with --league',
      },
    );
  }
  return read;
}

/** What a league publishes: its own keys over those of all leagues; who is hidden in all of them is hidden in each. */
const publishOf = (all: PublishConfig, own: PublishConfig = {}): PublishConfig => ({
  ...all,
  ...own,
  hide: [...(all.hide ?? []), ...(own.hide ?? [])],
});

function noLeague(name: string, names: readonly string[], place: Place): ConfigError {
  const question = didYouMean(name, names, ';');
  return new ConfigError('config.league', `there is no league "${name}"${question}`, {
    ...place,
    next:
      names.length === 0
        ? 'leave --league out: teamsheet.yaml names no leagues'
        : `choose one of ${names.join(', ')}`,
  });
}

function readFile(file: string, shown: string): ParsedConfig {
  const text = readOptionalText(file, 'config.unreadable');
  if (text === undefined)
    throw new ConfigError('config.missing', `${shown}: there is no such file`, { file: shown });
  return parseConfig(text, shown);
}

function findUpwards(from: string): string | undefined {
  for (let folder = from; ; folder = dirname(folder)) {
    const file = join(folder, CONFIG_FILE);
    if (readOptionalText(file, 'config.unreadable') !== undefined) return file;
    if (dirname(folder) === folder) return undefined;
  }
}

function withoutFile(env: Surroundings['env']): ParsedConfig {
  const connected = env['TEAMSHEET_BASE_URL'] !== undefined || env['TEAMSHEET_API_KEY'] !== undefined;
  const environments = connected
    ? { default: { base_url: '${TEAMSHEET_BASE_URL}', api_key: { env: 'TEAMSHEET_API_KEY' } } }
    : undefined;
  return { value: configSchema.parse({ version: 1, environments }, { jitless: true }), placeOf: () => ({}) };
}
