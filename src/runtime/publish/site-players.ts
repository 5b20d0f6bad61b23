import { shortNames } from '../../pages/short-names.ts';
import type { SiteLineup, SitePlayer } from '../../pages/site/values.ts';
import type { SquadValues, WeekValues } from '../../season/week-values.ts';

/** The players of a season by their ids. */
export interface SitePlayers {
  readonly of: (id: string) => SitePlayer;
}

/** Every player as the last week shows him that has him; one of whom nothing is known is called by his id. */
export function sitePlayers(weeks: readonly WeekValues[]): SitePlayers {
  const last = new Map(weeks.flatMap(({ players }) => [...players]));
  const names = shortNames([...last.values()]);
  const players = new Map<string, SitePlayer>();
  for (const { id, first, last: lastName, ...player } of last.values()) {
    const { club, clubId, position, positionName, isKeeper } = player;
    const fullName = `${first} ${lastName}`.trim();
    players.set(id, {
      ...{ club, clubId, position, positionName, isKeeper },
      name: names.get(id) ?? fullName,
      fullName,
    });
  }
  return { of: (id) => players.get(id) ?? unknownPlayer(id) };
}

const unknownPlayer = (id: string): SitePlayer => ({
  name: `Player ${id}`,
  fullName: `Player ${id}`,
  club: '',
  clubId: 1,
  position: '',
  positionName: '',
  isKeeper: false,
});

/** A line-up with the names of its players; undefined where none was read. */
export function lineupOf(
  { entries, substitutions }: SquadValues,
  players: SitePlayers,
): SiteLineup | undefined {
  if (entries === undefined) return undefined;
  const cameIn = new Set(substitutions.map((each) => each.in));
  const wentOut = new Set(substitutions.map((each) => each.out));
  const all = entries.map(({ player, isStarting, ...entry }) => ({
    isStarting,
    entry: { ...entry, player: players.of(player), cameIn: cameIn.has(player), wentOut: wentOut.has(player) },
  }));
  return {
    starting: all.flatMap(({ isStarting, entry }) => (isStarting ? [entry] : [])),
    bench: all.flatMap(({ isStarting, entry }) => (isStarting ? [] : [entry])),
  };
}
