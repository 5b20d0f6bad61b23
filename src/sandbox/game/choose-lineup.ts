import { changeLineup, ownLineup, readPlaces, type OwnedPlace } from './kept-lineups.ts';
import { FEWEST, MOST, pickLineup, type Place } from './lineup.ts';
import { Refusal } from '../refusal.ts';
import { byPosition, POSITIONS } from './season.ts';
import type { Store } from '../store/store.ts';

/** Who starts, who sits on the bench in which order, and who carries the armbands; players by id. */
export interface LineupChoice {
  readonly starting: readonly number[];
  readonly bench: readonly number[];
  readonly captain: number;
  readonly viceCaptain: number;
}

/**
 * Arranges a squad anew from a week on that has not begun. Starters stand by position, the bench as it is given.
 * @throws Refusal 400 where the choice does not name each player of the squad once, or starts other than a legal eleven though the squad has one.
 */
export function chooseLineup(store: Store, squad: number, week: number, choice: LineupChoice): void {
  const { number, bank } = ownLineup(store, squad, week);
  const places = readPlaces(store, number);
  checkPlayers(places, choice);
  checkEleven(places, choice);
  checkArmbands(choice);
  const byId = new Map(places.map((place) => [place.playerId, place]));
  const owned = (ids: readonly number[]): readonly OwnedPlace[] => ids.flatMap((id) => byId.get(id) ?? []);
  const starting = owned(choice.starting).toSorted(byPosition);
  const arranged = [...starting, ...owned(choice.bench)].map((place, index) => ({
    ...place,
    order: index + 1,
    isStarting: index < starting.length,
    isCaptain: place.playerId === choice.captain,
    isViceCaptain: place.playerId === choice.viceCaptain,
  }));
  changeLineup(store, { squad, gameWeek: week, bank }, arranged);
}

function checkPlayers(places: readonly OwnedPlace[], { starting, bench }: LineupChoice): void {
  const own = new Set(places.map(({ playerId }) => playerId));
  const seen = new Set<number>();
  for (const [field, ids] of [
    ['starting', starting],
    ['bench', bench],
  ] as const) {
    for (const [index, id] of ids.entries()) {
      const place = `${field}[${index}]`;
      if (!own.has(id)) {
        throw new Refusal(400, `${place}: ${id} is not in the squad; its players are ${[...own].join(', ')}`);
      }
      if (seen.has(id)) throw new Refusal(400, `${place}: ${id} stands twice; name each player once`);
      seen.add(id);
    }
  }
  const missing = [...own].filter((id) => !seen.has(id));
  if (missing.length > 0) {
    throw new Refusal(
      400,
      `starting, bench: ${missing.join(', ')} of the squad are missing; name all of its players`,
    );
  }
}

/** The squad's players permit what {@link pickLineup} can start, so no more is asked of a choice. */
function checkEleven(places: readonly OwnedPlace[], { starting }: LineupChoice): void {
  const possible = pickLineup(places.map((place) => ({ ...place, price: 0 }))).filter(
    ({ isStarting }) => isStarting,
  );
  if (starting.length !== possible.length) {
    throw new Refusal(400, `starting: ${starting.length} players; ${possible.length} of this squad start`);
  }
  const chosen = places.filter(({ playerId }) => starting.includes(playerId));
  if (isLegal(chosen) || !isLegal(possible)) return;
  const counts = POSITIONS.map((position) => `${countOf(chosen, position)} ${position}`).join(', ');
  const rules = POSITIONS.map((position) => `${FEWEST[position]} to ${MOST[position]} ${position}`).join(
    ', ',
  );
  throw new Refusal(400, `starting: ${counts}; eleven players start, ${rules}`);
}

const countOf = (places: readonly Place[], position: Place['position']): number =>
  places.filter((place) => place.position === position).length;

function isLegal(eleven: readonly Place[]): boolean {
  return (
    eleven.length === 11 &&
    POSITIONS.every((position) => {
      const count = countOf(eleven, position);
      return count >= FEWEST[position] && count <= MOST[position];
    })
  );
}

function checkArmbands({ starting, captain, viceCaptain }: LineupChoice): void {
  for (const [field, id] of [
    ['captain', captain],
    ['vice_captain', viceCaptain],
  ] as const) {
    if (!starting.includes(id))
      throw new Refusal(400, `${field}: ${id} does not start; name one of starting`);
  }
  if (captain === viceCaptain) {
    throw new Refusal(400, `vice_captain: ${viceCaptain} is captain; name another of starting`);
  }
}
