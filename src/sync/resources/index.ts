import { byName } from '../../contract/by-name.ts';
import type { PushedResource } from '../../contract/index.ts';
import { isListed, PUSHED_RESOURCES, resourcePlans, type ListedName } from '../../plan/resources/index.ts';
import { listedEvidence } from '../evidence/pre-image.ts';
import { autoSubstitutions } from './auto-substitutions.ts';
import { fantasyLeagues } from './fantasy-leagues.ts';
import { pointsConfig } from './points-config.ts';
import { prices } from './prices.ts';
import { PLAIN, type PushStrategy } from './strategy.ts';

/** Those that no list of the service shows as they can be compared. */
const unlisted: Readonly<Record<Exclude<PushedResource, ListedName>, PushStrategy>> = {
  fantasy_leagues: fantasyLeagues,
  points_config: pointsConfig,
  prices,
  auto_substitutions: autoSubstitutions,
};

/** A resource whose records a list shows needs nothing else: what lists say is the same for all of them. */
const listed = (resource: ListedName): PushStrategy => ({
  ...PLAIN,
  listed: resourcePlans[resource].listed,
  takeEvidence: listedEvidence,
});

/** What the steps of a push ask of each resource. */
export const strategies: Readonly<Record<PushedResource, PushStrategy>> = byName(
  PUSHED_RESOURCES,
  (resource) => (isListed(resource) ? listed(resource) : unlisted[resource]),
);
