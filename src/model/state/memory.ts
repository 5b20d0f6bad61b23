import type { ServiceAccount } from './store.ts';

/** One fantasy league of an account: memory never crosses it. */
export interface LeagueScope {
  readonly account: ServiceAccount;
  readonly league: number;
}

/** What is kept of a game week. `game_week` is its own summary; `mark` is what teamsheet knows of it, such as that its substitutions are processed; `unread` is a squad of which a reading has still to read the line-up; `published` is what the members' site shows of it; `summary` is made of other records, so that they need not be read. */
export const KEPT_KINDS = [
  'game_week',
  'fixture',
  'lineup',
  'squad',
  'player',
  'price',
  'points_config',
  'substitution',
  'mark',
  'unread',
  'published',
  'summary',
] as const;
export type KeptKind = (typeof KEPT_KINDS)[number];

/**
 * One record as the service showed it of one game week. Of readings with the same gameWeek, kind, id and variant the latest is kept, and of two at one time the one
 * whose JSON text is greater, so that the order in which readings are kept never matters.
 */
export interface Kept {
  /** The id of the game week in lower case; empty for a record that names no week. */
  readonly gameWeek: string;
  readonly kind: KeptKind;
  /** Of the record, within its kind. */
  readonly id: string;
  /** Tells line-ups of one squad and week apart that differ in who starts, in their order or in the armbands; empty for every other kind. */
  readonly variant: string;
  /** When it was asked for, so that the service showed it then or later. */
  readonly readAtMs: number;
  /** The squad and the `external_id` of the member that it is about. */
  readonly squad?: string;
  readonly member?: string;
  readonly record: unknown;
}

/** What is kept of one kind in one game week. */
export interface KeptCount {
  readonly gameWeek: string;
  readonly kind: KeptKind;
  /** Each id counts once, whatever its variants. */
  readonly ids: number;
  /** Of each id the latest reading counts: the earliest and the latest of these. */
  readonly oldestMs: number;
  readonly newestMs: number;
  /** What the times of these readings add up to: another number where one of them is another. */
  readonly timesSum: number;
}

/**
 * `open`: it is not over. `provisional`: it is over, and its substitutions are not known to be processed, or not every line-up was read after that. `final`: every
 * line-up was read after they were processed, while the service showed the week. `final_by_totals`: they were processed after the next week began. `stale`: a
 * later total contradicts it. `missing`: it is over, and none of its line-ups was read.
 */
export type WeekState = 'open' | 'provisional' | 'final' | 'final_by_totals' | 'stale' | 'missing';

/** The memory of game weeks. Every method is one durable transaction. */
export interface Memory {
  /** Keeps readings; those about a forgotten member are left out, and those that name no member and are about a squad of one. */
  keep(scope: LeagueScope, kept: readonly Kept[]): Promise<void>;
  /** What is kept of a kind in a game week, in pages, by id and then by time; two readings of one line-up may stand in two pages. */
  kept(scope: LeagueScope, gameWeek: string, kind: KeptKind): AsyncIterable<readonly Kept[]>;
  /** The latest reading of each id of a kind in a game week, in pages, by id. */
  latest(scope: LeagueScope, gameWeek: string, kind: KeptKind): AsyncIterable<readonly Kept[]>;
  /** When each id of a kind in a game week was read last; no record is read. */
  readAt(scope: LeagueScope, gameWeek: string, kind: KeptKind): Promise<ReadonlyMap<string, number>>;
  /** How much is kept of each kind in each game week; no record is read. */
  weeks(scope: LeagueScope): Promise<readonly KeptCount[]>;
  /** The leagues of which anything is kept. */
  scopes(): Promise<readonly LeagueScope[]>;
  /** Deletes what is about the member, what names no member and is about a squad of the member in any league, and every summary, and answers how many records were about the member. The id stays, so that {@link keep} leaves the person out. */
  forget(account: ServiceAccount, member: string): Promise<number>;
  /** The members of the account that are forgotten. */
  forgotten(account: ServiceAccount): Promise<readonly string[]>;
  /** Deletes what is kept of a game week and was read before `readBeforeMs`; of anybody, and nothing stays of it. */
  drop(scope: LeagueScope, gameWeek: string, readBeforeMs: number): Promise<void>;
}
