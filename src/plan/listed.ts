import type { Feature } from '../contract/endpoint.ts';
import type { PagedOperationId, RecordOf } from '../contract/index.ts';
import type { ResourceName } from '../contract/resource.ts';
import type { KnownRecord } from '../model/run-rows.ts';
import { knownMiniLeague, knownSquad, knownUser } from './known-records.ts';

/** A resource whose records the service lists, so that a key can be looked for there. */
export interface ListedResource {
  readonly operation: Extract<PagedOperationId, 'list-users' | 'list-squads' | 'list-mini-leagues'>;
  readonly feature: Feature;
  /** How people call one, and several. */
  readonly one: string;
  readonly several: string;
  /** Undefined for a record that does not say what its key is. */
  known(record: unknown): KnownRecord | undefined;
}

/** The resources that can be compared with a list, and read back from it. */
export const listedResources: Readonly<Partial<Record<ResourceName, ListedResource>>> = {
  users: {
    operation: 'list-users',
    feature: 'users',
    one: 'user',
    several: 'users',
    known: (record) => knownUser(record as RecordOf<'list-users'>),
  },
  mini_leagues: {
    operation: 'list-mini-leagues',
    feature: 'mini_leagues',
    one: 'mini league',
    several: 'mini leagues',
    known: (record) => knownMiniLeague(record as RecordOf<'list-mini-leagues'>),
  },
  squads: {
    operation: 'list-squads',
    feature: 'squads',
    one: 'squad',
    several: 'squads',
    known: (record) => knownSquad(record as RecordOf<'list-squads'>),
  },
};

/** Fields that are sent, but that nothing which lists the records shows: without a memory of them they are not compared. */
export const HIDDEN_FIELDS: Readonly<Partial<Record<ResourceName, readonly string[]>>> = {
  squads: ['players_in'],
  mini_leagues: ['type'],
  fantasy_leagues: ['league_id'],
};
