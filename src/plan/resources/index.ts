import type { PushedResource } from '../../contract/index.ts';
import { autoSubstitutions } from './auto-substitutions.ts';
import { fantasyLeagues } from './fantasy-leagues.ts';
import { miniLeagues } from './mini-leagues.ts';
import { pointsConfig } from './points-config.ts';
import { prices } from './prices.ts';
import type { ResourcePlan } from './resource-plan.ts';
import { squads } from './squads.ts';
import { users } from './users.ts';

/** What planning has to know of each resource that can be pushed, in the order in which they are pushed: what others depend on comes first. */
export const resourcePlans: Readonly<Record<PushedResource, ResourcePlan>> = {
  users,
  fantasy_leagues: fantasyLeagues,
  points_config: pointsConfig,
  prices,
  mini_leagues: miniLeagues,
  squads,
  auto_substitutions: autoSubstitutions,
};

/** The resources that can be pushed, in that order. */
export const PUSHED_RESOURCES = Object.keys(resourcePlans) as readonly PushedResource[];
