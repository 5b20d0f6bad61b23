import type { PushedResource } from '../../contract/index.ts';
import { miniLeagues } from '../../plan/resources/mini-leagues.ts';
import type { ListedResource } from '../../plan/resources/resource-plan.ts';
import { squads } from '../../plan/resources/squads.ts';
import { users } from '../../plan/resources/users.ts';
import { listedEvidence } from '../evidence/pre-image.ts';
import { autoSubstitutions } from './auto-substitutions.ts';
import { fantasyLeagues } from './fantasy-leagues.ts';
import { pointsConfig } from './points-config.ts';
import { prices } from './prices.ts';
import { PLAIN, type PushStrategy } from './strategy.ts';

/** A resource whose records a list shows needs nothing else: what lists say is the same for all of them. */
const listed = ({ listed }: { readonly listed: ListedResource }): PushStrategy => ({
  ...PLAIN,
  listed,
  takeEvidence: listedEvidence,
});

/** What the steps of a push ask of each resource. */
export const strategies: Readonly<Record<PushedResource, PushStrategy>> = {
  users: listed(users),
  fantasy_leagues: fantasyLeagues,
  points_config: pointsConfig,
  prices,
  mini_leagues: listed(miniLeagues),
  squads: listed(squads),
  auto_substitutions: autoSubstitutions,
};
