import { variableSource } from '../mapping/push-fields.ts';
import { ConfigError } from '../model/error.ts';

/** The number of a fantasy league in a text; undefined for another text. */
export const leagueNumber = (text: unknown): number | undefined =>
  /^[1-9]\d{0,14}$/.test(String(text).trim()) ? Number(text) : undefined;

/** The error for a variable that names no fantasy league; `more` is said behind it. */
export function noLeague(
  written: string | undefined,
  more: string,
  next = variableSource('fantasy_league_id'),
): ConfigError {
  const what = written === undefined ? 'is not set' : `is "${written}", which is no number of a league`;
  return new ConfigError('mapping.variable', `the variable fantasy_league_id ${what}${more}`, { next });
}
