import type { Config } from '../runtime/config/config.ts';
import { chosenLeagues } from '../runtime/config/leagues.ts';
import { leagueIn } from '../runtime/league-number.ts';

/** The fantasy league that a command is about: the variable of that name. Errors: ConfigError `mapping.variable`. */
export function leagueOf(config: Config): number {
  const leagues = chosenLeagues(config);
  const which = leagues.length > 1 ? `name a league: --league ${leagues.join(', or --league ')}` : undefined;
  return leagueIn(config.vars, undefined, which);
}
