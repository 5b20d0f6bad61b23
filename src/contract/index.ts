import * as z from 'zod';
import type { Endpoint, Feature } from './endpoint.ts';
import type { PullTarget, PushableResource, PushTarget, Resource, RowAsked } from './resource.ts';
import { account, accountEndpoints } from './resources/account.ts';
import { autoSubstitutionEndpoints, autoSubstitutions } from './resources/auto-substitutions.ts';
import { fantasyLeagueEndpoints, fantasyLeagues } from './resources/fantasy-leagues.ts';
import { fixtureEndpoints, fixtures } from './resources/fixtures.ts';
import { lineupEndpoints, lineups } from './resources/lineups.ts';
import { miniLeagueEndpoints, miniLeagues } from './resources/mini-leagues.ts';
import { playerEndpoints, players } from './resources/players.ts';
import { pointsConfig, pointsConfigEndpoints } from './resources/points-config.ts';
import { priceEndpoints, prices } from './resources/prices.ts';
import { standings } from './resources/standings.ts';
import { squadEndpoints, squads } from './resources/squads.ts';
import { userEndpoints, users } from './resources/users.ts';

/** All operations of the service by their names on the command line, in the order of its interface (section 4). */
export const endpoints = {
  ...accountEndpoints,
  ...fantasyLeagueEndpoints,
  ...fixtureEndpoints,
  ...miniLeagueEndpoints,
  ...userEndpoints,
  ...squadEndpoints,
  ...lineupEndpoints,
  ...playerEndpoints,
  ...pointsConfigEndpoints,
  ...priceEndpoints,
  ...autoSubstitutionEndpoints,
} as const satisfies Record<string, Endpoint>;

export type OperationId = keyof typeof endpoints;
export const OPERATION_IDS = Object.keys(endpoints) as readonly OperationId[];

type Endpoints = typeof endpoints;
/** One record of an operation's answer. */
export type RecordOf<Id extends OperationId> = z.infer<Endpoints[Id]['record']>;
/** The body that an operation sends. */
export type BodyOf<Id extends OperationId> = Endpoints[Id] extends { body: infer Body extends z.ZodType }
  ? z.input<Body>
  : undefined;
/** The query that an operation takes. */
export type QueryOf<Id extends OperationId> = Endpoints[Id] extends { query: infer Query extends z.ZodType }
  ? z.input<Query>
  : undefined;
/** The operations whose answer carries `paging`. */
export type PagedOperationId = {
  [Id in OperationId]: Endpoints[Id] extends { paged: true } ? Id : never;
}[OperationId];

/** Whether an operation changes one record that is there. */
export const isChange = (operation: string): boolean =>
  operation in endpoints && endpoints[operation as OperationId].method === 'PATCH';

/** The feature of the account that counts the records of a list: the one that what is created at its address uses. */
export function countingFeature(operation: PagedOperationId): Feature | undefined {
  const { path } = endpoints[operation];
  const all: readonly Endpoint[] = Object.values(endpoints);
  return all.find((endpoint) => endpoint.path === path && endpoint.quota !== undefined)?.quota;
}

/** Every resource that a mapping may name. */
export const resources = {
  account,
  users,
  prices,
  points_config: pointsConfig,
  fantasy_leagues: fantasyLeagues,
  mini_leagues: miniLeagues,
  squads,
  lineups,
  players,
  fixtures,
  auto_substitutions: autoSubstitutions,
  standings,
} as const satisfies Record<string, Resource>;

export type ResourceName = keyof typeof resources;
export const RESOURCES = Object.keys(resources) as readonly ResourceName[];

/** The resources that can be pushed. */
export type PushedResource = {
  [Name in ResourceName]: (typeof resources)[Name] extends PushableResource ? Name : never;
}[ResourceName];

/** How rows are pushed to a resource, or undefined when it can only be pulled. */
export function pushTarget(resource: ResourceName): PushTarget | undefined {
  return resources[resource].push;
}

/** What a pull of a resource may ask for, or undefined when it cannot be pulled. */
export function pullTarget(resource: ResourceName): PullTarget | undefined {
  const { pull }: Resource = resources[resource];
  return pull;
}

/** What one row of a report is made of, with the paths that are added to the record (interfaces.md, section 4). */
export function reportRecord(resource: ResourceName, asked: RowAsked): z.ZodObject {
  const target = pullTarget(resource);
  return target?.rowRecord?.(asked) ?? target?.record ?? z.looseObject({});
}

export const isPushed = (resource: ResourceName): resource is PushedResource =>
  pushTarget(resource) !== undefined;
