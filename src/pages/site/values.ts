import type { WeekState } from '../../model/state/memory.ts';
import type { PitchPlayer } from '../pitch.ts';

/** A player as pages name him. */
export type SitePlayer = Pick<
  PitchPlayer,
  'name' | 'fullName' | 'club' | 'clubId' | 'position' | 'positionName' | 'isKeeper'
>;

/** A squad as pages name it. Whoever is hidden or forgotten has none. */
export interface SquadName {
  /** Its number, the same all season: its page is named after it. */
  readonly number: number;
  readonly name: string;
  /** The member; undefined where members' names are not displayed. */
  readonly member: string | undefined;
}

/** A player in a line-up of one week. What is not known is undefined. */
export interface SiteEntry extends Omit<PitchPlayer, keyof SitePlayer | 'href'> {
  readonly player: SitePlayer;
}

/** Who starts, and the bench in its order. */
export interface SiteLineup {
  readonly starting: readonly SiteEntry[];
  readonly bench: readonly SiteEntry[];
}

/** What one squad did in one week; what is not known is undefined. */
export interface SquadWeek {
  readonly week: number;
  readonly rank: number | undefined;
  readonly previousRank: number | undefined;
  /** It is in none of the weeks before, and others are. */
  readonly isNew: boolean;
  readonly points: number | undefined;
  readonly total: number | undefined;
  readonly captain: SitePlayer | undefined;
  readonly captainPoints: number | undefined;
  readonly benchPoints: number | undefined;
  /** Points that transfers cost; never below 0. */
  readonly hits: number | undefined;
  readonly chip: string | undefined;
  readonly value: number | undefined;
  /** Since the week before; undefined where one of the two line-ups is not known. */
  readonly playersIn: readonly SitePlayer[] | undefined;
  readonly playersOut: readonly SitePlayer[] | undefined;
  readonly lineup: SiteLineup | undefined;
}

/** One squad with its season. */
export interface SiteSquad extends SquadName {
  readonly groups: readonly string[];
  /** What the table says beside its name, such as that it joined late. */
  readonly mark: string | undefined;
  /** Ascending; a week of which nothing is known is left out. */
  readonly weeks: readonly SquadWeek[];
}

/** A squad with the number that it is named for. */
export interface SquadNumber {
  readonly squad: SquadName;
  readonly value: number;
}

/** How many squads did something with a player. */
export interface PlayerCount {
  readonly player: SitePlayer;
  readonly squads: number;
}

/** A captain, and what the armband brought. */
export interface CaptainCount extends PlayerCount {
  /** Of the player himself, not doubled. */
  readonly points: number | undefined;
}

/** Who owns a player. */
export interface Ownership extends PlayerCount {
  /** What the squads count of his points, in percent of the squads: a captain counts twice. */
  readonly effectivePct: number;
  readonly ownedPct: number;
  readonly points: number | undefined;
}

/** A squad's substitution. */
export interface SiteSubstitution {
  readonly squad: SquadName;
  readonly out: SitePlayer | undefined;
  readonly in: SitePlayer | undefined;
  readonly inPoints: number | undefined;
}

/** A chip, and who played it. */
export interface ChipUse {
  readonly chip: string;
  readonly squads: readonly SquadName[];
}

/** One week of the league. The lists begin with the most. Nothing of a later week is in it, so that its page stays as it is. */
export interface SiteWeek {
  readonly number: number;
  readonly state: WeekState;
  /** Whether its own number of squads have points. */
  readonly squads: number;
  readonly lineups: number;
  readonly average: number | undefined;
  /** Those with the most points of the week. */
  readonly best: readonly SquadNumber[];
  /** The first of the table after it. */
  readonly top: readonly (SquadNumber & { readonly rank: number; readonly weekPoints: number | undefined })[];
  /** Places won and places lost. */
  readonly climbers: readonly SquadNumber[];
  readonly fallers: readonly SquadNumber[];
  readonly captains: readonly CaptainCount[];
  readonly ownership: readonly Ownership[];
  /** Those with the most points of whom few squads have one. */
  readonly differentials: readonly Ownership[];
  readonly bench: readonly SquadNumber[];
  readonly playersIn: readonly PlayerCount[];
  readonly playersOut: readonly PlayerCount[];
  /** Points that transfers cost. */
  readonly hits: readonly SquadNumber[];
  readonly chips: readonly ChipUse[];
  readonly substitutions: readonly SiteSubstitution[];
  /** Whether the service's log of substitutions is known to be whole for this week. */
  readonly isProcessed: boolean;
}

/** The weeks of a calendar month, and who has the most points of it. */
export interface SiteMonth {
  /** Such as `August 2026`. */
  readonly name: string;
  readonly weeks: readonly number[];
  /** Weeks of it of which nothing was read: their points are not in the sums. */
  readonly missing: readonly number[];
  /** Whether no further week can change it. */
  readonly isOver: boolean;
  /** The most points first. */
  readonly table: readonly SquadNumber[];
}

/** The squads of one of the operator's own groups, the best first; those whose points are not known have no place and stand at the end. */
export interface SiteGroup {
  readonly name: string;
  readonly table: readonly {
    readonly rank: number | undefined;
    readonly squad: SiteSquad;
    /** Those that count in the group. */
    readonly points: number | null;
  }[];
}

/** A league as its members see it. */
export interface Site {
  readonly title: string;
  /** In the order of the table of the last week. */
  readonly squads: readonly SiteSquad[];
  /** Ascending. */
  readonly weeks: readonly SiteWeek[];
  readonly groups: readonly SiteGroup[];
  readonly months: readonly SiteMonth[];
}
