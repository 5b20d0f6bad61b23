import type { Feature } from '../../contract/endpoint.ts';
import type { OperationId, PagedOperationId, QueryOf } from '../../contract/index.ts';
import type { Fields } from '../../model/tables/cell.ts';
import type { KnownRecord, RunRow } from '../../model/state/run-rows.ts';
import type { Said } from '../../model/said.ts';
import type { Issue } from '../../model/issue.ts';
import type { Rules } from '../../rules/rules.ts';
import type { SquadPlayer } from '../../rules/squad-rules.ts';
import type { PushRequests } from '../requests.ts';

/** What is known of players, by the player's id. */
export type KnownPlayers = ReadonlyMap<string, Omit<SquadPlayer, 'player'>>;

/** The lists that show all records where they are asked for nothing. */
type ListOperation = {
  [Id in PagedOperationId]: QueryOf<Id> extends { readonly fantasy_league_id: unknown } ? never : Id;
}[PagedOperationId];

/** A resource whose records the service lists, so that a key can be looked for there. */
export interface ListedResource {
  readonly operation: ListOperation;
  /** Counts these records and no others: a list that shows fewer is taken for one that comes late. */
  readonly feature: Feature;
  /** How people call one, and several. */
  readonly one: string;
  readonly several: string;
  /** The fields that the list can be asked for. */
  readonly filters: readonly ('fantasy_league_id' | 'user_id')[];
  /** What reads one record by its id. */
  readonly byId?: Extract<OperationId, `get-${string}`>;
  /** The records of the list are those of an answer, and are matched with rows as an answer is. */
  readonly showsAnswers?: true;
  /** Undefined for a record that does not say what its key is. */
  known(record: unknown): KnownRecord | undefined;
  /** What a record says beside the text of its key, by which it may be a row all the same; empty for one that says nothing. */
  besideKey(key: string, fields: Fields): string;
}

/** What planning has to know of a resource that can be pushed, beside its contract. */
export interface ResourcePlan {
  /** How the sum of a plan calls one record, and several. */
  readonly nouns: readonly [one: string, several: string];
  /** What is done to new records. */
  readonly verb: string;
  /** What the outcome `created` is called where people read it; left out where it makes a record. */
  readonly createdWord?: string;
  readonly requests: PushRequests;
  /** Left out where the service lists no records that can be compared. */
  readonly listed?: ListedResource;
  /** Fields that are sent, but that nothing which lists the records shows: without a memory of them they are not compared. */
  readonly hidden: readonly string[];
  /** Its keys are often numbers, whose zeros in front a spreadsheet takes away. */
  readonly keysLoseZeros?: true;
  /** Checks by the rules of the game what a row would make; `players` is what is known of the players of the row's league. */
  readonly ruleIssues?: (fields: Fields, rules: Rules, players: KnownPlayers) => readonly Issue[];
  /** What a row lacks to make a new record, with the remedy; undefined when it lacks nothing. */
  readonly lacks?: (row: Pick<RunRow, 'fields'>) => Said | undefined;
}

/** The same of a resource whose records the service lists. */
export interface ListedPlan extends ResourcePlan {
  readonly listed: ListedResource;
}
