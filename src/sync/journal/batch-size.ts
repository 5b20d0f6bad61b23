import { resources } from '../../contract/index.ts';
import type { PushMapping } from '../../mapping/mapping.ts';
import type { ServiceAccount, Store } from '../../model/state/store.ts';

const PREFIX = 'batch_limit:';
const factName = (mapping: PushMapping): string => `${PREFIX}${mapping.resource}`;

/** The most rows in one request that the service was found to take, by resource. */
export async function batchLimits(
  store: Pick<Store, 'facts'>,
  service: ServiceAccount,
): Promise<readonly { readonly resource: string; readonly rows: number; readonly atMs: number }[]> {
  const facts = await store.facts(service);
  return facts
    .filter(({ name }) => name.startsWith(PREFIX))
    .map(({ name, value, atMs }) => ({ resource: name.slice(PREFIX.length), rows: Number(value), atMs }));
}

/** Rows in one request: what the mapping says, one where the operation takes one, and never more than the service was found to take. */
export async function batchSize(
  store: Store,
  service: ServiceAccount,
  mapping: PushMapping,
): Promise<number> {
  if (resources[mapping.resource].push.batch === 1) return 1;
  const learnt = await store.fact(service, factName(mapping));
  return Math.max(1, Math.min(mapping.batchSize, learnt === undefined ? Infinity : Number(learnt.value)));
}

/** Remembers that the service refused a batch of `refused` rows for its size; answers the size to go on with. */
export async function shrinkBatch(
  store: Store,
  service: ServiceAccount,
  mapping: PushMapping,
  refused: number,
): Promise<number> {
  const learnt = await store.fact(service, factName(mapping));
  const size = Math.max(1, Math.min(Math.floor(refused / 2), Number(learnt?.value ?? Infinity)));
  await store.setFact(service, factName(mapping), String(size));
  return size;
}
