import { isPushed, type PushedResource, type ResourceName } from '../../contract/index.ts';
import { autoSubstitutions } from './auto-substitutions.ts';
import { fantasyLeagues } from './fantasy-leagues.ts';
import { miniLeagues } from './mini-leagues.ts';
import { pointsConfig } from './points-config.ts';
import { prices } from './prices.ts';
import type { ListedPlan, ResourcePlan } from './resource-plan.ts';
import { squads } from './squads.ts';
import { users } from './users.ts';

const plans = {
  users,
  fantasy_leagues: fantasyLeagues,
  points_config: pointsConfig,
  prices,
  mini_leagues: miniLeagues,
  squads,
  auto_substitutions: autoSubstitutions,
} as const satisfies Readonly<Record<PushedResource, ResourcePlan>>;

type Plans = typeof plans;
/** The resources that can be pushed and whose records the service lists. */
export type ListedName = {
  [Name in PushedResource]: Plans[Name] extends ListedPlan ? Name : never;
}[PushedResource];

/** What planning has to know of each resource that can be pushed, in the order in which they are pushed: what others depend on comes first. */
export const resourcePlans: Readonly<Record<PushedResource, ResourcePlan>> &
  Readonly<Record<ListedName, ListedPlan>> = plans;

/** Whether a push compares with a list of the records. */
export const isListed = (resource: ResourceName): resource is ListedName =>
  isPushed(resource) && resourcePlans[resource].listed !== undefined;

/** The resources that can be pushed, in that order. */
export const PUSHED_RESOURCES = Object.keys(resourcePlans) as readonly PushedResource[];
