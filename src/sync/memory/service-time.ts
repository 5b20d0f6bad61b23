import type { Clock } from '../../model/ports.ts';
import type { Service } from '../../model/service.ts';
import type { ServiceAccount, Store } from '../../model/state/store.ts';

/** What tells the service's time. */
export interface ServiceTimePorts {
  readonly service: Pick<Service, 'timeMs'>;
  readonly store: Pick<Store, 'fact'>;
  readonly clock: Pick<Clock, 'now'>;
}

const FACT = 'service_ahead_ms';

/** By how much the service's clock was ahead of ours when an earlier command heard it; undefined where none did. */
export async function lastAheadMs(
  { store }: Pick<ServiceTimePorts, 'store'>,
  account: ServiceAccount,
): Promise<number | undefined> {
  const known = await store.fact(account, FACT);
  return known === undefined ? undefined : Number(known.value);
}

/** Headers name seconds, and those of a busy server are a little old: what is heard falls back by no more than this while no clock was set. */
const FALLS_BACK_MS = 2_000;

/** What was known stays while what is heard falls back by little: a reading is never put before one that was made earlier. */
function steadyAheadMs(knownMs: number | undefined, heardMs: number): number {
  return knownMs !== undefined && knownMs > heardMs && knownMs - heardMs <= FALLS_BACK_MS ? knownMs : heardMs;
}

/**
 * The service's time in whole milliseconds, which everything in the memory of game weeks goes by: the service states when weeks begin and end, and that of a sandbox may be months away
 * from ours. Where this command heard nothing of it, it is ours and the difference that was known last.
 */
export class ServiceTime {
  readonly #ports: ServiceTimePorts;
  readonly #account: ServiceAccount;
  #knownMs: Promise<number | undefined> | undefined;

  constructor(ports: ServiceTimePorts, account: ServiceAccount) {
    this.#ports = ports;
    this.#account = account;
  }

  /** Errors: those of the store. */
  async nowMs(): Promise<number> {
    return this.#ports.clock.now() + (await this.#aheadMs());
  }

  /** Keeps by how much the service's clock is ahead of ours, where this command heard it. Errors: those of the store. */
  async keep(store: Pick<Store, 'setFact'>): Promise<void> {
    if (this.#ports.service.timeMs() !== undefined)
      await store.setFact(this.#account, FACT, String(await this.#aheadMs()));
  }

  async #aheadMs(): Promise<number> {
    const knownMs = await (this.#knownMs ??= lastAheadMs(this.#ports, this.#account));
    const heardMs = this.#ports.service.timeMs();
    if (heardMs === undefined) return knownMs ?? 0;
    const aheadMs = steadyAheadMs(knownMs, Math.floor(heardMs) - this.#ports.clock.now());
    this.#knownMs = Promise.resolve(aheadMs);
    return aheadMs;
  }
}

/** The service's time, see {@link ServiceTime}. Errors: those of the store. */
export const serviceNow = (ports: ServiceTimePorts, account: ServiceAccount): Promise<number> =>
  new ServiceTime(ports, account).nowMs();

/** By how much the service's clock is ahead of ours, where an answer told `heardMs` some time ago. Errors: those of the store. */
export const aheadSince = async (
  store: ServiceTimePorts['store'],
  account: ServiceAccount,
  heardMs: number,
): Promise<number> => steadyAheadMs(await lastAheadMs({ store }, account), heardMs);

/** By how much the service's clock was ahead of ours at what an earlier command did: as that command kept it, else as it is now. */
export async function earlierAheadMs(ports: ServiceTimePorts, account: ServiceAccount): Promise<number> {
  return (await lastAheadMs(ports, account)) ?? (await serviceNow(ports, account)) - ports.clock.now();
}
