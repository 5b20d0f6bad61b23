import type { WeekState } from '../model/state/memory.ts';
import type { CountedEntry, CountedSquad } from './week-numbers.ts';

/** A player as a week shows him; what is not known is empty or undefined. */
export interface PlayerValues {
  readonly id: string;
  readonly first: string;
  readonly last: string;
  readonly club: string;
  readonly clubId: number;
  /** In one word and at length, as the service has them. */
  readonly position: string;
  readonly positionName: string;
  readonly isKeeper: boolean;
  /** His own points in the week. */
  readonly points: number | undefined;
}

/** A player in a line-up of a week. */
export interface EntryValues extends CountedEntry {
  readonly minutes: number | undefined;
  readonly isViceCaptain: boolean;
}

/** A substitution of a week; what cannot be told is left out. */
export interface SubstitutionValues {
  readonly out: string | undefined;
  readonly in: string | undefined;
}

/** What is known of one squad in one week, as it is published. */
export interface SquadValues extends Pick<
  CountedSquad,
  'squad' | 'rank' | 'points' | 'total' | 'benchPoints' | 'hits' | 'chip'
> {
  /** The member's `external_id`. */
  readonly member: string | undefined;
  readonly name: string;
  readonly memberName: string;
  readonly isActive: boolean;
  readonly captain: string | undefined;
  readonly captainPoints: number | undefined;
  readonly value: number | undefined;
  /** A line-up was read, be it before the week began. */
  readonly isRead: boolean;
  /** The eleven, then the bench in its order; undefined where no line-up tells it. */
  readonly entries: readonly EntryValues[] | undefined;
  readonly substitutions: readonly SubstitutionValues[];
}

/** One game week of a league, as it is published. */
export interface WeekValues {
  /** The id of the game week. */
  readonly gameWeek: string;
  readonly number: number;
  readonly state: WeekState;
  /** What must be another for a published week to change. */
  readonly mark: string;
  /** Its first kick-off, or its start where no match is known; NaN where the service shows neither. */
  readonly kickOffMs: number;
  readonly isProcessed: boolean;
  /** Whether its ranks count the squads of forgotten members and those that the service did not show; true where there are none. */
  readonly hasWholeRanks: boolean;
  readonly players: ReadonlyMap<string, PlayerValues>;
  readonly squads: readonly SquadValues[];
}
