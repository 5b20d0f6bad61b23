import { variableSource } from '../mapping/push-fields.ts';
import { ConfigError } from '../model/error.ts';
import type { Config } from '../runtime/config/config.ts';
import { chosenLeagues } from '../runtime/config/leagues.ts';

/** The fantasy league that a command is about: the variable of that name. Errors: ConfigError `mapping.variable`. */
export function leagueOf(config: Config): number {
  const value = config.vars['fantasy_league_id'];
  const leagues = chosenLeagues(config);
  if (value !== undefined && /^[1-9]\d{0,14}$/.test(value.trim())) return Number(value);
  const what = value === undefined ? 'is not set' : `is "${value}", which is no number of a league`;
  throw new ConfigError('mapping.variable', `the variable fantasy_league_id ${what}`, {
    next:
      leagues.length > 1
        ? `name a league: --league ${leagues.join(', or --league ')}`
        : variableSource('fantasy_league_id'),
  });
}
