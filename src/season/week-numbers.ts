/** A player in a line-up, as far as the numbers of a week need him. */
export interface CountedEntry {
  readonly player: string;
  /** As the line-up shows them: those of a captain count more than once. */
  readonly points: number | undefined;
  readonly isStarting: boolean;
  readonly isCaptain: boolean;
}

/** What is known of one squad in one week. */
export interface CountedSquad {
  readonly squad: string;
  readonly rank: number | undefined;
  readonly previousRank: number | undefined;
  readonly points: number | undefined;
  readonly total: number | undefined;
  readonly benchPoints: number | undefined;
  /** Points that transfers cost, not below 0. */
  readonly hits: number | undefined;
  readonly chip: string | undefined;
  /** Undefined where no line-up was read. */
  readonly entries: readonly CountedEntry[] | undefined;
  /** Since the week before; undefined where one of the line-ups is not known. */
  readonly playersIn: readonly string[] | undefined;
  readonly playersOut: readonly string[] | undefined;
}

/** A squad with the number that it is named for. */
export interface NumberedSquad {
  readonly squad: string;
  readonly value: number;
}

/** How many squads did something with a player. */
export interface CountedPlayer {
  readonly player: string;
  readonly squads: number;
}

/** How a player is owned. */
export interface OwnedPlayer extends CountedPlayer {
  /** In percent of the squads whose line-up is known. */
  readonly ownedPct: number;
  /** How often his points count, in percent of those squads. */
  readonly effectivePct: number;
  readonly points: number | undefined;
}

/** What there is to tell of a week. Every list begins with the most; of equals the better rank stands first, or the smaller id. */
export interface WeekNumbers {
  readonly squads: number;
  readonly lineups: number;
  readonly average: number | undefined;
  readonly best: readonly NumberedSquad[];
  readonly top: readonly {
    readonly squad: string;
    readonly rank: number;
    readonly value: number;
    readonly weekPoints: number | undefined;
  }[];
  readonly climbers: readonly NumberedSquad[];
  readonly fallers: readonly NumberedSquad[];
  readonly captains: readonly (CountedPlayer & { readonly points: number | undefined })[];
  readonly ownership: readonly OwnedPlayer[];
  readonly differentials: readonly OwnedPlayer[];
  readonly bench: readonly NumberedSquad[];
  readonly playersIn: readonly CountedPlayer[];
  readonly playersOut: readonly CountedPlayer[];
  readonly hits: readonly NumberedSquad[];
  readonly chips: readonly { readonly chip: string; readonly squads: readonly string[] }[];
}

/** A list that ranks everybody is cut here. */
const MOST = 50;
/** A differential is owned by at most so many of a hundred squads, and by one at least. */
const FEW_PCT = 10;

/** The numbers of a week from its squads. `pointsOf` are the points of players themselves, where their statistics were read; otherwise line-ups tell them. */
export function weekNumbers(
  given: readonly CountedSquad[],
  pointsOf: ReadonlyMap<string, number>,
): WeekNumbers {
  const squads = given.toSorted(byRank);
  const lineups = squads.flatMap(({ entries }) => (entries === undefined ? [] : [entries]));
  const own = ownPoints(lineups, pointsOf);
  const ownership = ownedPlayers(lineups, own);
  const few = Math.max(1, Math.floor((lineups.length * FEW_PCT) / 100));
  const points = squads.flatMap((each) => each.points ?? []);
  return {
    squads: points.length,
    lineups: lineups.length,
    average: points.length === 0 ? undefined : points.reduce((sum, one) => sum + one, 0) / points.length,
    best: bestOf(squads),
    top: topOf(squads),
    climbers: ranked(squads, placesWon),
    fallers: ranked(squads, (squad) => -(placesWon(squad) ?? 0)),
    captains: captainsOf(lineups, own),
    ownership: ownership.slice(0, MOST),
    differentials: ownership
      .filter(({ squads: owners, points: value = 0 }) => owners <= few && value > 0)
      .toSorted((one, other) => (other.points ?? 0) - (one.points ?? 0) || one.squads - other.squads)
      .slice(0, MOST),
    bench: ranked(squads, ({ benchPoints }) => benchPoints),
    playersIn: countPlayers(squads.flatMap(({ playersIn = [] }) => playersIn)).slice(0, MOST),
    playersOut: countPlayers(squads.flatMap(({ playersOut = [] }) => playersOut)).slice(0, MOST),
    hits: ranked(squads, ({ hits }) => hits),
    chips: chipsOf(squads),
  };
}

const byRank = (one: CountedSquad, other: CountedSquad): number =>
  (one.rank ?? Infinity) - (other.rank ?? Infinity) || compareText(one.squad, other.squad);

const compareText = (one: string, other: string): number => (one < other ? -1 : one > other ? 1 : 0);

const placesWon = ({ rank, previousRank }: CountedSquad): number | undefined =>
  rank === undefined || previousRank === undefined ? undefined : previousRank - rank;

/** Squads with more than nothing of a value, the most first. */
function ranked(
  squads: readonly CountedSquad[],
  value: (squad: CountedSquad) => number | undefined,
): readonly NumberedSquad[] {
  return squads
    .map((squad) => ({ squad: squad.squad, value: value(squad) ?? 0 }))
    .filter((each) => each.value > 0)
    .toSorted((one, other) => other.value - one.value)
    .slice(0, MOST);
}

/** Everybody with the most points of the week. */
function bestOf(squads: readonly CountedSquad[]): readonly NumberedSquad[] {
  const most = squads.reduce((best, { points = -Infinity }) => Math.max(best, points), -Infinity);
  return squads.flatMap(({ squad, points }) => (points === most ? [{ squad, value: points }] : []));
}

const topOf = (squads: readonly CountedSquad[]): WeekNumbers['top'] =>
  squads
    .slice(0, MOST)
    .flatMap(({ squad, rank, total, points }) =>
      rank === undefined || total === undefined ? [] : [{ squad, rank, value: total, weekPoints: points }],
    );

/** The points of players themselves: from their statistics, else from squads in which they start and are not captain. */
function ownPoints(
  lineups: readonly (readonly CountedEntry[])[],
  pointsOf: ReadonlyMap<string, number>,
): ReadonlyMap<string, number> {
  const own = new Map<string, number>();
  for (const entries of lineups) {
    for (const { player, points, isStarting, isCaptain } of entries) {
      if (points !== undefined && isStarting && !isCaptain && !own.has(player)) own.set(player, points);
    }
  }
  return new Map([...own, ...pointsOf]);
}

/** How often the points of an entry count: as its points say, where the player's own are known and not 0. */
function countsOf(
  { player, points, isStarting, isCaptain }: CountedEntry,
  own: ReadonlyMap<string, number>,
): number {
  if (!isStarting) return 0;
  const each = own.get(player);
  const times = each === undefined || each === 0 || points === undefined ? undefined : points / each;
  if (times !== undefined && Number.isInteger(times) && times >= 1) return times;
  return isCaptain ? 2 : 1;
}

function ownedPlayers(
  lineups: readonly (readonly CountedEntry[])[],
  own: ReadonlyMap<string, number>,
): readonly OwnedPlayer[] {
  const owned = new Map<string, { squads: number; counts: number }>();
  for (const entries of lineups) {
    for (const entry of entries) {
      const sum = owned.get(entry.player) ?? { squads: 0, counts: 0 };
      owned.set(entry.player, { squads: sum.squads + 1, counts: sum.counts + countsOf(entry, own) });
    }
  }
  const pct = (value: number): number => (100 * value) / lineups.length;
  return [...owned]
    .map(([player, { squads, counts }]) => ({
      player,
      squads,
      ownedPct: pct(squads),
      effectivePct: pct(counts),
      points: own.get(player),
    }))
    .toSorted(
      (one, other) =>
        other.effectivePct - one.effectivePct ||
        other.squads - one.squads ||
        compareText(one.player, other.player),
    );
}

const captainsOf = (
  lineups: readonly (readonly CountedEntry[])[],
  own: ReadonlyMap<string, number>,
): WeekNumbers['captains'] =>
  countPlayers(
    lineups.flatMap((entries) => entries.filter((each) => each.isCaptain).map(({ player }) => player)),
  )
    .slice(0, MOST)
    .map((each) => ({ ...each, points: own.get(each.player) }));

/** How often each id stands in the list, the most first. */
function countPlayers(players: readonly string[]): readonly CountedPlayer[] {
  return [...Map.groupBy(players, (player) => player)]
    .map(([player, its]) => ({ player, squads: its.length }))
    .toSorted((one, other) => other.squads - one.squads || compareText(one.player, other.player));
}

const chipsOf = (squads: readonly CountedSquad[]): WeekNumbers['chips'] =>
  [
    ...Map.groupBy(
      squads.filter(({ chip }) => chip !== undefined),
      ({ chip }) => chip ?? '',
    ),
  ]
    .map(([chip, users]) => ({ chip, squads: users.map(({ squad }) => squad) }))
    .toSorted((one, other) => other.squads.length - one.squads.length || compareText(one.chip, other.chip));
