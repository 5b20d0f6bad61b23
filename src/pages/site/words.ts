import type { WeekState } from '../../model/state/memory.ts';
import { markup, type Markup } from '../markup.ts';
import { count } from '../parts.ts';
import type { SquadWeek } from './values.ts';

/** What members are told of how far a week is known. */
export const STATE_WORDS: Readonly<Record<WeekState, { readonly short: string; readonly long: string }>> = {
  open: { short: 'in play', long: 'The week is not over: everything here may still move.' },
  provisional: { short: 'provisional', long: 'The week is over. Substitutions may still change it.' },
  final: { short: 'final', long: 'The week is over and its substitutions are made.' },
  final_by_totals: {
    short: 'final',
    long: 'The week is over. Its points are the difference of two totals; line-ups that are shown are those before substitutions.',
  },
  stale: { short: 'being checked', long: 'A later total does not agree with the points of this week.' },
  missing: { short: 'not read', long: 'The line-ups of this week were not read in time.' },
};

/** Places won or lost since the week before, with a sign and in words; a squad that joined is new. */
export function movement({
  rank,
  previousRank,
  isNew = false,
}: Partial<Pick<SquadWeek, 'rank' | 'previousRank' | 'isNew'>> = {}): Markup {
  if (rank !== undefined && isNew) return markup`<span class="move same">new</span>`;
  if (rank === undefined || previousRank === undefined) return markup`<span class="move">–</span>`;
  const places = previousRank - rank;
  if (places === 0)
    return markup`<span class="move same"><span aria-hidden="true">=</span><span class="sr">same place</span></span>`;
  const [sign, way, word] = places > 0 ? ['▲', 'up', 'up'] : ['▼', 'down', 'down'];
  return markup`<span class="move ${way}"><span aria-hidden="true">${sign}</span><span class="sr">${word} </span>${count(Math.abs(places))}</span>`;
}

/** The same in plain text: `▲3`, `▼1`, `=`. */
export function plainMovement(rank: number | undefined, previousRank: number | undefined): string {
  if (rank === undefined || previousRank === undefined) return '·';
  const places = previousRank - rank;
  return places === 0 ? '=' : places > 0 ? `▲${places}` : `▼${-places}`;
}

/** `1 point`, `2 points`. */
export const plural = (value: number, one: string): string =>
  `${count(value)} ${value === 1 ? one : `${one}s`}`;

/** The words of a chip as the service has them, with blanks for underscores. */
export const chipWords = (chip: string): string => chip.replaceAll('_', ' ');
