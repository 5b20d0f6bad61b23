import { variableSource } from '../mapping/push-fields.ts';
import { ConfigError } from '../model/error.ts';

type Vars = Readonly<Record<string, string | undefined>>;

/** The number of a fantasy league in a text; undefined for another text. */
export const leagueNumber = (text: unknown): number | undefined =>
  /^[1-9]\d{0,14}$/.test(String(text).trim()) ? Number(text) : undefined;

/** The fantasy league that the variable of that name says; `more` is said behind what is wrong with it. Errors: ConfigError `mapping.variable`. */
export function leagueIn(vars: Vars, more?: string, next?: string): number {
  const written = vars['fantasy_league_id'];
  const number = leagueNumber(written);
  if (number !== undefined) return number;
  throw noLeague(written, more, next);
}

/** The error for a variable that names no fantasy league. */
export function noLeague(
  written: string | undefined,
  more = '',
  next = variableSource('fantasy_league_id'),
): ConfigError {
  const what = written === undefined ? 'is not set' : `is "${written}", which is no number of a league`;
  return new ConfigError('mapping.variable', `the variable fantasy_league_id ${what}${more}`, { next });
}
