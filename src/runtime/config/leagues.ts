import { ConfigError } from '../../model/error.ts';
import { apart } from '../../model/league-name.ts';
import type { Rules } from '../../rules/rules.ts';
import type { Config, LeagueConfig } from './config.ts';

/**
 * The configuration of each account that the chosen leagues are in, in the order of the leagues: one run, one lock and one budget each. Without leagues it
 * is the configuration as it is.
 */
export function accountsOf(config: Config): readonly Config[] {
  const chosen = config.leagues.filter((league) => league.chosen);
  if (chosen.length === 0) return [config];
  return [...Map.groupBy(chosen, (league) => league.environment)].map(([environment, ours]): Config => ({
    ...withLeagues(config, ours),
    environment,
    placeOf: ours[0]?.placeOf ?? config.placeOf,
    // What is no mapping's, such as an import, is of the one league that was asked for.
    ...(ours.length === 1 && ours[0] && ownOf(ours[0])),
  }));
}

/** What a league says itself of the configuration. */
export const ownOf = ({ vars, season, rules, publish }: LeagueConfig): Partial<Config> => ({
  ...{ vars, season, rules, publish },
});

/** The configuration with these of its leagues chosen. */
export const withLeagues = (config: Config, ours: readonly LeagueConfig[]): Config => ({
  ...config,
  leagues: config.leagues.map((league) => ({ ...league, chosen: ours.includes(league) })),
});

/** The rules that a mapping goes by: those of its league. */
export const rulesOf =
  ({ leagues, rules }: Pick<Config, 'leagues' | 'rules'>) =>
  (mapping: string): Rules =>
    leagues.find(({ name }) => name === apart(mapping).league)?.rules ?? rules;

/** The table of groups that a mapping goes by: that of its league. */
export const groupsOf = (
  { leagues, season }: Pick<Config, 'leagues' | 'season'>,
  mapping: string,
): Config['season']['groups'] =>
  (leagues.find(({ name }) => name === apart(mapping).league)?.season ?? season).groups;

/** The configuration of the one account that the chosen leagues are in. Errors: ConfigError `config.league` when they are in several. */
export function onlyAccount(config: Config): Config {
  const [account = config, ...others] = accountsOf(config);
  if (others.length === 0) return account;
  throw new ConfigError('config.league', 'this is done in one account, and the leagues are in several', {
    ...config.placeOf(['leagues']),
    next: `name a league: --league ${chosenLeagues(config).join(', or --league ')}`,
  });
}

/** The same with every league of the account chosen: a run that began with all of them is found by any. */
export const wholeAccount = (config: Config): Config =>
  withLeagues(
    config,
    config.leagues.filter(({ environment }) => environment === config.environment),
  );

/** Whether a mapping may run in an account: one that is named without a league runs in each. */
export function runsIn(account: Pick<Config, 'leagues'>, name: string): boolean {
  const { league } = apart(name);
  return league === undefined || chosenLeagues(account).includes(league);
}

/** The names of the leagues that are worked on. */
export const chosenLeagues = ({ leagues }: Pick<Config, 'leagues'>): readonly string[] =>
  leagues.flatMap(({ name, chosen }) => (chosen ? [name] : []));
