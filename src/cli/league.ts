import type { Config } from '../runtime/config/config.ts';
import { chosenLeagues } from '../runtime/config/leagues.ts';
import { leagueNumber, noLeague } from '../runtime/league-number.ts';

/** The fantasy league that a command is about: the variable of that name. Errors: ConfigError `mapping.variable`. */
export function leagueOf(config: Config): number {
  const written = config.vars['fantasy_league_id'];
  const number = leagueNumber(written);
  if (number !== undefined) return number;
  const leagues = chosenLeagues(config);
  const which = leagues.length > 1 ? `name a league: --league ${leagues.join(', or --league ')}` : undefined;
  throw noLeague(written, '', which);
}
