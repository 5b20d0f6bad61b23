import type { Clock } from '../../model/ports.ts';
import type { Service } from '../../model/service.ts';
import type { ServiceAccount, Store } from '../../model/store.ts';

/** What tells the service's time. */
export interface ServiceTimePorts {
  readonly service: Pick<Service, 'timeMs'>;
  readonly store: Pick<Store, 'fact'>;
  readonly clock: Pick<Clock, 'now'>;
}

const FACT = 'service_ahead_ms';

/** By how much the service's clock was ahead of ours when an earlier command heard it; undefined where none did. */
async function lastAheadMs(
  { store }: Pick<ServiceTimePorts, 'store'>,
  account: ServiceAccount,
): Promise<number | undefined> {
  const known = await store.fact(account, FACT);
  return known === undefined ? undefined : Number(known.value);
}

/** Keeps by how much the service's clock is ahead of ours, where this command heard it. Errors: those of the store. */
export async function keepServiceAhead(
  { service, store, clock }: ServiceTimePorts & { readonly store: Pick<Store, 'setFact'> },
  account: ServiceAccount,
): Promise<void> {
  const heardMs = service.timeMs();
  if (heardMs !== undefined) await store.setFact(account, FACT, String(Math.floor(heardMs) - clock.now()));
}

/**
 * The service's time in whole milliseconds, which everything in the memory of game weeks goes by: the service states when weeks begin and end, and that of a sandbox may be months away
 * from ours. Where this command heard nothing of it, it is ours and the difference that was known last.
 */
export async function serviceNow(ports: ServiceTimePorts, account: ServiceAccount): Promise<number> {
  const heardMs = ports.service.timeMs();
  if (heardMs !== undefined) return Math.floor(heardMs);
  return ports.clock.now() + ((await lastAheadMs(ports, account)) ?? 0);
}

/** By how much the service's clock was ahead of ours at what an earlier command did: as that command kept it, else as it is now. */
export async function earlierAheadMs(ports: ServiceTimePorts, account: ServiceAccount): Promise<number> {
  return (await lastAheadMs(ports, account)) ?? (await serviceNow(ports, account)) - ports.clock.now();
}
