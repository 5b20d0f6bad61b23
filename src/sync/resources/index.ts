import type { PushedResource } from '../../contract/index.ts';
import { autoSubstitutions } from './auto-substitutions.ts';
import { fantasyLeagues } from './fantasy-leagues.ts';
import { miniLeagues } from './mini-leagues.ts';
import { pointsConfig } from './points-config.ts';
import { prices } from './prices.ts';
import { squads } from './squads.ts';
import type { PushStrategy } from './strategy.ts';
import { users } from './users.ts';

/** What the steps of a push ask of each resource. */
export const strategies: Readonly<Record<PushedResource, PushStrategy>> = {
  users,
  fantasy_leagues: fantasyLeagues,
  points_config: pointsConfig,
  prices,
  mini_leagues: miniLeagues,
  squads,
  auto_substitutions: autoSubstitutions,
};
