import { isPlanLookup } from '../../mapping/lookup.ts';
import type { PushMapping } from '../../mapping/mapping.ts';
import { quotaUsed } from '../../model/quota.ts';
import type { ServiceAccount } from '../../model/state/store.ts';
import { missingOf } from '../../plan/missing-mapping.ts';
import type { PlanOptions } from '../../plan/saved/push-plan.ts';
import { resourcePlans } from '../../plan/resources/index.ts';
import type { ListedResource } from '../../plan/resources/resource-plan.ts';
import { nothingKnown } from '../evidence/memory.ts';
import { openWrites } from '../journal/open-writes.ts';
import type { ReadingPorts, Comparison, OpenAccount, SyncPorts } from '../ports.ts';
import { spellingOf } from '../rows/spelling.ts';
import { noneThere, rememberedList } from './compare-listed.ts';
import { type ChangeCounts, RowComparison } from './compare-rows.ts';
import { countOnce } from './known-count.ts';

export type ForeseeingPorts = ReadingPorts & Pick<SyncPorts, 'baseUrl' | 'random'>;

/**
 * What the rows of a mapping are going to be compared with, as this state says before the service is asked: the rows can be compared while they are read.
 */
export interface Foreseen {
  readonly mapping: PushMapping;
  /** Undefined where this state knows no account yet. */
  readonly service: ServiceAccount | undefined;
  readonly comparison: Comparison;
  readonly comparing: RowComparison;
  /** What the rows were compared with, where the account proves it right; undefined where they are to be compared as ever. */
  readonly provedRight: (account: OpenAccount) => Promise<Comparison | undefined>;
}

/** A mapping whose rows were compared while they were read. */
export interface ComparedAhead {
  readonly comparison: Comparison;
  /** The changes that were counted so far. */
  readonly counts?: ChangeCounts;
  readonly isAnyCompared: boolean;
}

/** What can be foreseen of some mappings. Sends nothing. */
export async function foresee(
  ports: ForeseeingPorts,
  mappings: readonly PushMapping[],
  options: PlanOptions,
): Promise<readonly Foreseen[]> {
  const [service, other] = await ports.store.accounts(ports.baseUrl);
  // Whose key it is, the service says.
  if (other !== undefined) return [];
  const foreseen: Foreseen[] = [];
  for (const mapping of mappings) {
    const { listed } = resourcePlans[mapping.resource];
    if (listed === undefined || !standsAlone(mapping, mappings, options)) continue;
    const ahead = (known: ServiceAccount | undefined): Promise<Comparison | undefined> =>
      comparisonAhead(ports, mapping, listed, known, options);
    const comparison = await ahead(service);
    if (comparison === undefined) continue;
    const comparing = new RowComparison(mapping, comparison, options.allowKeyShape);
    const provedRight: Foreseen['provedRight'] = async ({ service: own, record }) => {
      if (service !== undefined && service.accountId !== own.accountId) return undefined;
      const now = await ahead(own);
      const isRight = now?.known === comparison.known && quotaUsed(record, listed.feature) === now.known;
      return isRight ? now : undefined;
    };
    foreseen.push({ mapping, service, comparison, comparing, provedRight });
  }
  return foreseen;
}

/** Whether nobody asks for rows of a mapping but the mapping itself, and each of them is compared alone. */
function standsAlone(
  mapping: PushMapping,
  mappings: readonly PushMapping[],
  { only = {}, skipUnfilled = false }: PlanOptions,
): boolean {
  const { name, resource, source } = mapping;
  return (
    mappings.filter((each) => each.resource === resource).length === 1 &&
    !mappings.some(({ columns }) => columns !== 'auto' && columns.some(isPlanLookup)) &&
    missingOf(mapping) === undefined &&
    !Object.hasOwn(only, name) &&
    !(skipUnfilled && source.optional === true)
  );
}

/** What a state without open writes compares rows with, if the account counts as many records as it knows. */
async function comparisonAhead(
  ports: ForeseeingPorts,
  mapping: PushMapping,
  listed: ListedResource,
  service: ServiceAccount | undefined,
  options: PlanOptions,
): Promise<Comparison | undefined> {
  const wanted = options.compare ?? mapping.compare;
  if (wanted !== 'auto' && wanted !== 'snapshot') return undefined;
  if (service === undefined) return nothingKnown(noneThere(listed));
  const { resource } = mapping;
  if ((await openWrites(ports, service, resource)).length > 0) return undefined;
  if ((await spellingOf(ports, service, resource)) !== undefined) return undefined;
  const known = await countOnce(ports, service, resource);
  return known === 0
    ? nothingKnown(noneThere(listed))
    : rememberedList({ ports, mapping, listed, account: service }, wanted, known);
}
