import { FEWEST, MOST, type Place } from './lineup.ts';
import type { Position } from './season.ts';

/** The player who goes out and the one who comes in, with the places they have afterwards. */
interface Substitution {
  readonly out: Place;
  readonly in: Place;
}

/** A line-up after the automatic substitutions of a week, in its new order, and what was changed. */
interface Substituted {
  readonly places: readonly Place[];
  readonly substitutions: readonly Substitution[];
}

/**
 * Automatic substitutions by the public rules. A goalkeeper without minutes is replaced by the first bench goalkeeper who played; an outfield player without
 * minutes by the first outfield substitute in bench order who played and does not break the formation. Without minutes the captain gives the
 * armband to the vice-captain, if that one played. A line-up that is not legal to begin with may not become less so.
 */
export function substitute(lineup: readonly Place[], minutesOf: (playerId: number) => number): Substituted {
  const played = (place: Place): boolean => minutesOf(place.playerId) > 0;
  let places = passArmband(lineup, played);
  const pairs: [out: number, into: number][] = [];
  for (const starter of lineup.filter((place) => place.isStarting && !played(place))) {
    const into = places.find(
      (place) => !place.isStarting && played(place) && keepsFormation(places, starter, place),
    );
    if (into === undefined) continue;
    places = swap(places, starter.playerId, into.playerId);
    pairs.push([starter.playerId, into.playerId]);
  }
  const placeOf = new Map(places.map((place) => [place.playerId, place]));
  const substitutions = pairs.flatMap(([outId, intoId]) => {
    const out = placeOf.get(outId);
    const into = placeOf.get(intoId);
    return out === undefined || into === undefined ? [] : [{ out, in: into }];
  });
  return { places, substitutions };
}

/** The players who changed places between two states of a line-up, in the order of those who went out. */
export function changesBetween(
  before: readonly Place[],
  after: readonly Place[],
): readonly { readonly out: number; readonly in: number }[] {
  const now = new Map(after.map((place) => [place.playerId, place]));
  const atOrder = new Map(after.map((place) => [place.order, place.playerId]));
  return before
    .filter((place) => place.isStarting && now.get(place.playerId)?.isStarting === false)
    .flatMap((place) => {
      const into = atOrder.get(place.order);
      return into === undefined ? [] : [{ out: place.playerId, in: into }];
    });
}

function keepsFormation(places: readonly Place[], out: Place, into: Place): boolean {
  if (out.position === into.position) return true;
  if (out.position === 'GK' || into.position === 'GK') return false;
  const starting = (position: Position): number =>
    places.filter((place) => place.isStarting && place.position === position).length;
  return starting(out.position) > FEWEST[out.position] && starting(into.position) < MOST[into.position];
}

/** The two change places in the order; who comes in starts and who goes out sits on the bench. */
function swap(places: readonly Place[], outId: number, intoId: number): readonly Place[] {
  const out = places.find((place) => place.playerId === outId);
  const into = places.find((place) => place.playerId === intoId);
  if (out === undefined || into === undefined) return places;
  return places
    .map((place) => {
      if (place === out) return { ...out, order: into.order, isStarting: false };
      return place === into ? { ...into, order: out.order, isStarting: true } : place;
    })
    .toSorted((one, other) => one.order - other.order);
}

function passArmband(lineup: readonly Place[], played: (place: Place) => boolean): readonly Place[] {
  const captain = lineup.find((place) => place.isCaptain);
  const vice = lineup.find((place) => place.isViceCaptain);
  if (captain === undefined || vice === undefined || played(captain) || !played(vice)) return lineup;
  return lineup.map((place) => {
    if (place === captain) return { ...place, isCaptain: false, isViceCaptain: true };
    return place === vice ? { ...place, isCaptain: true, isViceCaptain: false } : place;
  });
}
