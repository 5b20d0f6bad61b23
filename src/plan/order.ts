import { RESOURCES, type ResourceName } from '../contract/resource.ts';

/** Resources in the order in which they are pushed: what others depend on comes first. */
const PUSH_ORDER: readonly ResourceName[] = [
  'users',
  'fantasy_leagues',
  'points_config',
  'prices',
  'mini_leagues',
  'squads',
  'auto_substitutions',
];

const rank = (resource: ResourceName): number => {
  const at = PUSH_ORDER.indexOf(resource);
  return at === -1 ? PUSH_ORDER.length + RESOURCES.indexOf(resource) : at;
};

/** The mappings in dependency order; mappings of one resource keep their order. */
export function orderMappings<M extends { readonly resource: ResourceName }>(
  mappings: readonly M[],
): readonly M[] {
  return mappings.toSorted((a, b) => rank(a.resource) - rank(b.resource));
}
