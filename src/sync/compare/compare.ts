import type { Account } from '../../contract/resources/account.ts';
import type { PushMapping } from '../../mapping/mapping.ts';
import { renderCountOf } from '../../model/count.ts';
import type { TeamsheetError } from '../../model/error.ts';
import type { KnownRecord, RunRows } from '../../model/run-rows.ts';
import type { Said } from '../../model/said.ts';
import type { ServiceAccount } from '../../model/store.ts';
import { quotaUsed } from '../../model/quota.ts';
import { compareListed } from './compare-listed.ts';
import { besideMemory, compareLive } from './compare-live.ts';
import { checkAnyMemory } from './no-memory.ts';
import { openWrites, unansweredKeys } from '../journal/open-writes.ts';
import { rowPages } from '../rows/row-pages.ts';
import type { PlanOptions, SyncPorts } from '../ports.ts';
import { resourcePlans } from '../../plan/resources/index.ts';

type Known = ReadonlyMap<string, readonly KnownRecord[]>;

/** What a mapping's rows are compared with. */
export interface Comparison {
  /** Known records by key. */
  lookup(keys: readonly string[]): Promise<Known>;
  /** Records known in all; 0 before the first push. */
  readonly known: number;
  /** For people: what it was, and how old. */
  readonly described: string;
  /** What this state last saw confirmed, not what the service says now. */
  readonly fromMemory?: true;
  /** Set when a key that is not known may exist all the same, so that its row must wait. */
  readonly unknownKeysWait?: Said;
  /** Why the row of a key must wait: a write of it was never answered and cannot be read back. */
  readonly unanswered?: (key: string) => Said | undefined;
  readonly stop?: TeamsheetError;
}

/** What a comparison is found with. */
export type ComparePorts = Pick<SyncPorts, 'service' | 'store' | 'clock' | 'emit' | 'signal' | 'settleMs'>;

/**
 * Finds what the rows of a mapping are compared with (push-protocol.md, "What is known already"). Only reads.
 * Errors: those of reading.
 */
export async function prepareComparison(
  ports: ComparePorts,
  mapping: PushMapping,
  account: Account,
  service: ServiceAccount,
  rows: RunRows,
  options: Pick<PlanOptions, 'compare' | 'adopt' | 'again'>,
): Promise<Comparison> {
  const wanted = options.compare ?? mapping.compare;
  const { resource } = mapping;
  const listed = resourcePlans[resource].listed;
  if (listed !== undefined) return compareListed(ports, mapping, listed, account, service, rows, wanted);
  if (resource === 'auto_substitutions' && options.again === true)
    return nothingKnown('--again: sent even if it was sent before');
  const comparison =
    resource === 'fantasy_leagues'
      ? await compareFantasyLeagues(ports, mapping, account, service, rows)
      : resource === 'auto_substitutions'
        ? await compareTriggers(ports, mapping, service, rows, options.adopt)
        : await compareOthers(ports, mapping, service, rows, options.adopt, wanted);
  const open = await openWrites(ports, service, resource);
  return { ...comparison, unanswered: await unansweredKeys(ports, service, resource, open) };
}

/** The service cannot list its fantasy leagues: what this state created is all that can be known. */
async function compareFantasyLeagues(
  ports: ComparePorts,
  mapping: PushMapping,
  account: Account,
  service: ServiceAccount,
  rows: RunRows,
): Promise<Comparison> {
  const comparison = await fromSnapshots(
    ports,
    mapping,
    service,
    'compared with the fantasy leagues that this state created',
  );
  const others = (quotaUsed(account, 'fantasy_leagues') ?? 0) - comparison.known;
  if (others > 0 && (await hasUnknownKeys(mapping, rows, comparison))) {
    const are = renderCountOf(others, 'fantasy league');
    const message = `${mapping.name}: the account has ${are} that this state did not create, and the service cannot list them: see that none of the rows names one of these`;
    ports.emit({ kind: 'warning', message });
  }
  return comparison;
}

/** Whether one of the rows that are to be compared would be created. */
export async function hasUnknownKeys(
  { name }: PushMapping,
  rows: RunRows,
  comparison: Comparison,
): Promise<boolean> {
  for await (const page of rowPages(rows, name, { change: 'pending', open: true })) {
    const keys = page.flatMap(({ key }) => key ?? []);
    const known = await comparison.lookup(keys);
    if (keys.some((key) => !known.has(key))) return true;
  }
  return false;
}

/** A trigger goes out once for each league and game week. The log holds no game week, so without a memory nobody can tell which were processed. */
async function compareTriggers(
  ports: ComparePorts,
  mapping: PushMapping,
  service: ServiceAccount,
  rows: RunRows,
  adopt: boolean,
): Promise<Comparison> {
  const comparison = await fromSnapshots(
    ports,
    mapping,
    service,
    'compared with the triggers that this state sent',
  );
  return adopt ? comparison : withMemory(ports, mapping, service, rows, comparison);
}

async function withMemory(
  ports: ComparePorts,
  mapping: PushMapping,
  service: ServiceAccount,
  rows: RunRows,
  comparison: Comparison,
): Promise<Comparison> {
  const stop = await checkAnyMemory(ports, mapping, service, rows);
  return stop === undefined ? comparison : { ...comparison, stop };
}

/** Resources without a list to compare with or to read back from. */
async function compareOthers(
  ports: ComparePorts,
  mapping: PushMapping,
  service: ServiceAccount,
  rows: RunRows,
  adopt: boolean,
  wanted: PushMapping['compare'],
): Promise<Comparison> {
  if (wanted === 'none') return nothingKnown('compared with nothing, as compare: none says');
  if (wanted === 'live') return compareLive(ports, mapping, service, rows);
  const comparison = await fromSnapshots(ports, mapping, service, 'compared with the last confirmed push');
  if (mapping.resource === 'points_config') return besideMemory(ports, mapping, service, comparison);
  return mapping.resource !== 'prices' || adopt
    ? comparison
    : withMemory(ports, mapping, service, rows, comparison);
}

/** A comparison with nothing. */
export const nothingKnown = (described: string): Comparison => ({
  lookup: () => Promise.resolve(new Map()),
  known: 0,
  described,
});

/** A comparison with what this state last saw confirmed. */
export async function fromSnapshots(
  ports: ComparePorts,
  mapping: PushMapping,
  service: ServiceAccount,
  described: string,
): Promise<Comparison> {
  const known = await ports.store.countSnapshots(service, mapping.resource);
  return {
    lookup: async (keys) => {
      const found = await ports.store.snapshots(service, mapping.resource, keys);
      return new Map([...found].map(([key, record]) => [key, [record]]));
    },
    known,
    fromMemory: true,
    described: known === 0 ? 'nothing was pushed yet' : described,
  };
}
