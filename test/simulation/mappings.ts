import type { PushMapping } from '../../src/mapping/mapping.ts';
import { mappingsOf } from '../support/builders.ts';
import type { Dice } from './dice.ts';
import type { Kind } from './records.ts';

/** A price in the place of the one before, or a step that is added to it. */
export type PriceType = 'current' | 'delta';

const KNOWN = '{ value: 1, type: integer }';
const LOOKED_UP = '{ value: Cup, lookup: { in: fantasy_leagues, match: name, take: id } }';

const yaml = (league: string, priceType: string): string => `
- { version: 1, name: squads, push: squads, source: { csv: squads }, operation: create, columns: {
    fantasy_league_id: ${league}, name: Name, players_in: { from: Players, split: ";", type: integer },
    user_id: { from: Member, lookup: { in: users, match: external_id, take: user_id } } } }
- { version: 1, name: minis, push: mini_leagues, source: { csv: mini_leagues }, operation: create, columns: {
    fantasy_league_id: ${league}, name: Name, type: { value: open } } }
- { version: 1, name: users, push: users, source: { csv: users }, operation: upsert, columns: {
    external_id: Member, display_name: Name, is_active: { from: Active, type: boolean } } }
- { version: 1, name: leagues, push: fantasy_leagues, source: { csv: fantasy_leagues }, operation: create, columns: {
    name: Name, league_id: { from: League, type: integer } } }
- { version: 1, name: prices, push: prices, source: { csv: prices }, operation: append, compare: snapshot, columns: {
    fantasy_league_id: ${league}, player_id: { from: Player, type: integer },
    price: { from: Price, type: number }, type: { value: ${priceType} } } }
- { version: 1, name: points, push: points_config, source: { csv: points_config }, operation: set, columns: auto }
- { version: 1, name: triggers, push: auto_substitutions, source: { csv: auto_substitutions }, operation: trigger, columns: {
    fantasy_league_id: { value: 1, type: integer }, game_week_id: { from: Week, type: uuid } } }
`;

const parsed = new Map<string, readonly PushMapping[]>();

function parse(league: string, priceType: string): readonly PushMapping[] {
  const text = yaml(league, priceType);
  const found = parsed.get(text) ?? mappingsOf(text, 'simulation.yaml');
  parsed.set(text, found);
  return found;
}

/** The mapping of the second table of members. */
export const GUESTS_MAPPING = 'guests';

/** The same mappings, with one of a second table of members. */
export const withGuests = (mappings: readonly PushMapping[]): readonly PushMapping[] =>
  mappings.flatMap((mapping) =>
    mapping.resource === 'users'
      ? [mapping, { ...mapping, name: GUESTS_MAPPING, source: guestsOf(mapping) }]
      : mapping,
  );

const guestsOf = ({ source }: PushMapping): PushMapping['source'] => ({
  ...source,
  origin: GUESTS_MAPPING,
  location: { ...source.location, path: GUESTS_MAPPING } as PushMapping['source']['location'],
});

/** Draws what the operator keeps in step, and how. */
export function drawMappings(dice: Dice, priceType: PriceType): readonly PushMapping[] {
  // A league that is made by the same push, or one that is there.
  const own = dice.chance(0.4);
  const kinds = new Set<Kind>(
    dice.some<Kind>(['users', 'squads', 'mini_leagues', 'prices', 'points_config', 'auto_substitutions']),
  );
  if (own) kinds.add('fantasy_leagues');
  if (kinds.has('squads') || kinds.size === 0 || dice.chance(0.6)) kinds.add('users');
  const batchSize = dice.pick([1, 2, 3, 100]);
  const compare = dice.pick(['auto', 'auto', 'live', 'snapshot'] as const);
  const deactivates = dice.chance(0.3);
  return parse(own ? LOOKED_UP : KNOWN, priceType)
    .filter(({ resource }) => kinds.has(resource))
    .map((mapping): PushMapping => ({
      ...mapping,
      batchSize,
      compare: isListed(mapping) ? compare : mapping.compare,
      ...(mapping.resource === 'users' && deactivates && { missingRows: 'deactivate' as const }),
      guards: { ...mapping.guards, maxDeactivate: 1000 },
    }));
}

const isListed = ({ resource }: PushMapping): boolean =>
  resource === 'users' || resource === 'squads' || resource === 'mini_leagues';
