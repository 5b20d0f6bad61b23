import { resources } from '../../contract/index.ts';
import { isPlanLookup } from '../../mapping/lookup.ts';
import type { PushMapping } from '../../mapping/mapping.ts';
import { quotaRoom, quotaUsed } from '../../model/quota.ts';
import type { RunRows } from '../../model/state/run-rows.ts';
import type { ServiceAccount } from '../../model/state/store.ts';
import { missingOf } from '../../plan/missing-mapping.ts';
import type { PlanOptions } from '../../plan/saved/push-plan.ts';
import { resourcePlans } from '../../plan/resources/index.ts';
import type { ListedResource } from '../../plan/resources/resource-plan.ts';
import { nothingKnown } from '../evidence/memory.ts';
import { openWrites } from '../journal/open-writes.ts';
import type { ReadingPorts, Comparison, OpenAccount, SyncPorts } from '../ports.ts';
import { type ReadingMemory, type Sieve } from '../rows/left-rows.ts';
import { spellingOf } from '../rows/spelling.ts';
import { noneThere, rememberedList } from './compare-listed.ts';
import { ChangeCounts, RowComparison } from './compare-rows.ts';
import { LastComparison } from './last-comparison.ts';

/** Rows of each kind that a plan shows one by one; the counts stand for the rest. */
export const SHOWN_ROWS = 12;

type Ports = ReadingPorts & Pick<SyncPorts, 'baseUrl' | 'random' | 'variable' | 'timezone' | 'release'>;

interface Foresight {
  readonly ports: Ports;
  readonly mapping: PushMapping;
  readonly listed: ListedResource;
  /** Undefined where this state knows no account yet. */
  readonly service: ServiceAccount | undefined;
  readonly comparison: Comparison;
  readonly options: PlanOptions;
}

/** A mapping whose rows were compared while they were read. */
export interface ComparedAhead {
  readonly comparison: Comparison;
  readonly counts: ChangeCounts;
  readonly isAnyCompared: boolean;
}

/**
 * What the rows of a mapping are going to be compared with, as this state says before the service is asked: the rows can be compared while they are read. Whoever
 * plans so sends nothing, and asks for no row again but for those that are shown.
 */
export class Foreseen {
  readonly #of: Foresight;
  #counts = new ChangeCounts();
  #isAnyCompared = false;

  constructor(of: Foresight) {
    this.#of = of;
  }

  /** Compares the rows of one reading, and leaves out those that a plan only counts. */
  sieve(): Sieve {
    this.#counts = new ChangeCounts();
    this.#isAnyCompared = false;
    const { mapping, comparison, options } = this.#of;
    const comparing = new RowComparison(mapping, comparison, options.allowKeyShape);
    return {
      memory: this.#memory(),
      compare: (rows) => {
        this.#isAnyCompared ||= rows.length > 0;
        return comparing.compare(rows);
      },
      leaves: (row, found) => {
        const { change = row.change, outcome = row.outcome, said = row.said } = found ?? {};
        if (outcome !== null) return said.length === 0 && outcome !== 'conflict' && outcome !== 'invalid';
        if (change !== 'create' && change !== 'update') return false;
        this.#counts.add(mapping, row, change);
        return change === 'create' && said.length === 0 && this.#counts.creates > SHOWN_ROWS;
      },
    };
  }

  #memory(): ReadingMemory | undefined {
    const { ports, mapping, service, comparison, options } = this.#of;
    if (service === undefined || comparison.known === 0) return undefined;
    return LastComparison.of(ports, mapping, service, options);
  }

  /** What the rows were compared with, where the account proves it right; undefined where they are to be read and compared as ever. */
  async confirmed(account: OpenAccount, rows: RunRows): Promise<ComparedAhead | undefined> {
    const { ports, mapping, listed, options } = this.#of;
    const { service, record } = account;
    const used = quotaUsed(record, listed.feature);
    const isOther = this.#of.service !== undefined && this.#of.service.accountId !== service.accountId;
    const now = isOther ? undefined : await comparisonAhead(ports, mapping, listed, service, options);
    if (now?.known !== this.#of.comparison.known || used !== now.known) return undefined;
    const pending = (await rows.countChanges(mapping.name, true)).get('pending') ?? 0;
    const { quota } = resources[mapping.resource].push;
    // Which rows wait for room is told by their order, the others among them.
    if (quota !== undefined && this.#counts.creates + pending > quotaRoom(record, quota)) return undefined;
    // Those that were found without being compared are among the unchanged.
    const isAnyCompared =
      this.#isAnyCompared || ((await rows.countChanges(mapping.name)).get('unchanged') ?? 0) > 0;
    return { comparison: now, counts: this.#counts, isAnyCompared };
  }
}

/** By mapping, what can be foreseen of a plan. Sends nothing. */
export async function foresee(
  ports: Ports,
  mappings: readonly PushMapping[],
  options: PlanOptions,
): Promise<ReadonlyMap<string, Foreseen>> {
  const [service, other] = await ports.store.accounts(ports.baseUrl);
  const foreseen = new Map<string, Foreseen>();
  // Whose key it is, the service says.
  if (other !== undefined) return foreseen;
  for (const mapping of mappings) {
    const { listed } = resourcePlans[mapping.resource];
    if (listed === undefined || !standsAlone(mapping, mappings, options)) continue;
    const comparison = await comparisonAhead(ports, mapping, listed, service, options);
    if (comparison === undefined) continue;
    foreseen.set(mapping.name, new Foreseen({ ports, mapping, listed, service, comparison, options }));
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
  ports: Ports,
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
  return (await ports.store.countSnapshots(service, resource)) === 0
    ? nothingKnown(noneThere(listed))
    : rememberedList({ ports, mapping, listed, service }, wanted);
}
