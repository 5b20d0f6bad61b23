import type { PushMapping } from '../mapping/mapping.ts';
import { ConfigError } from '../model/error.ts';
import { PUSHED_RESOURCES } from './resources/index.ts';

/** The resources and mappings that a mapping looks something up in, once the plan is made. */
function lookedUp({ columns }: Pick<PushMapping, 'columns'>): readonly string[] {
  if (columns === 'auto') return [];
  return columns.flatMap(({ lookup }) => (typeof lookup?.in === 'string' ? [lookup.in] : []));
}

/**
 * The mappings in dependency order: by resource, and each after those that it looks something up in; otherwise they keep their order.
 * Errors: ConfigError `lookup.circle` when mappings look each other up.
 */
export function orderMappings<M extends Pick<PushMapping, 'name' | 'resource' | 'columns' | 'place'>>(
  mappings: readonly M[],
): readonly M[] {
  const left = mappings.toSorted(
    (a, b) => PUSHED_RESOURCES.indexOf(a.resource) - PUSHED_RESOURCES.indexOf(b.resource),
  );
  const ordered: M[] = [];
  while (left.length > 0) {
    const at = left.findIndex((mapping) => {
      const names = lookedUp(mapping);
      return !left.some((other) => names.includes(other.name) || names.includes(other.resource));
    });
    if (at === -1) {
      const [{ place }] = left as [M];
      throw new ConfigError(
        'lookup.circle',
        `${place.file}:${place.line}: the lookups of ${left.map((each) => each.name).join(', ')} form a circle`,
        { ...place, next: 'remove one of the lookups' },
      );
    }
    ordered.push(...left.splice(at, 1));
  }
  return ordered;
}
