import { requireLeague } from '../game/leagues.ts';
import { Refusal } from '../refusal.ts';
import { markup, type Markup } from '../../pages/markup.ts';
import { optionsOf } from './pickers.ts';
import { listLeagues } from './read/read-lists.ts';
import { numberOf, type Visit } from './visit.ts';

/** The fantasy league that the query names, or the first one. @throws Refusal 404 when there is none. */
export function chosenLeague(visit: Visit): { readonly id: number; readonly name: string } {
  const { store } = visit.context;
  const asked = numberOf(visit, 'league', 999_999_999, 0);
  if (asked > 0) return requireLeague(store, 'league', asked);
  const [first] = listLeagues(store, 1).rows;
  if (first === undefined) throw new Refusal(404, 'the account has no fantasy league yet');
  return first;
}

/** A field that chooses another league; nothing where there is one alone. With more than a page of them the number is typed. */
export function leagueField(visit: Visit, chosen: number): Markup | null {
  const { rows, total } = listLeagues(visit.context.store, 1);
  if (total <= 1) return null;
  if (total > rows.length) {
    return markup`<label>League <input name="league" type="number" min="1" max="${total}" value="${chosen}"></label>`;
  }
  const leagues = rows.map(({ id, name }) => [id, name] as const);
  return markup`<label>League <select name="league">${optionsOf(leagues, chosen)}</select></label>`;
}
