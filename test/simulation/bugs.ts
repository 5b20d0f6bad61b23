import { TransportError } from '../../src/client/transport-error.ts';
import { changedBy } from '../../src/model/changed-by.ts';
import type { Transport } from '../../src/model/ports.ts';
import type { Service } from '../../src/model/service.ts';
import type { Store, StoredIntent } from '../../src/model/state/store.ts';
import type { PlantedBug } from './process.ts';

/** A write is simply sent again when its connection was reset. */
const retryAfterReset =
  (next: Transport): Transport =>
  async (request) => {
    try {
      return await next(request);
    } catch (error) {
      if (request.method !== 'POST' || !(error instanceof TransportError) || error.fault !== 'reset')
        throw error;
      return next(request);
    }
  };

/** The records of an answer are taken for those of the request, in its order. */
function matchByPosition(service: Service): Service {
  const send: Service['send'] = async (operation, input) => {
    const result = await service.send(operation, input);
    if (operation !== 'create-users' || result.kind !== 'applied') return result;
    const { users } = input.body as { readonly users: readonly object[] };
    const records = result.records.map((record, index) => ({ ...(record as object), ...users[index] }));
    return { ...result, records: records as unknown as typeof result.records };
  };
  return changedBy(service, { send });
}

/** Whoever takes a lock over asks nobody whether the process that had it may still send. */
function forgetSilent(store: Store): Store {
  const awake = async (writes: Promise<readonly StoredIntent[]>): Promise<readonly StoredIntent[]> =>
    (await writes).map(({ silent: _, ...write }) => write);
  return changedBy(store, {
    intents: (run) => awake(store.intents(run)),
    openIntents: (account) => awake(store.openIntents(account)),
  });
}

/** Mistakes that a sync engine may well have, each as a variant of the real one. */
export const BUGS = {
  'retry-after-reset': { wire: retryAfterReset },
  'no-settle': { settleMs: 0 },
  'match-by-position': { service: matchByPosition },
  'forget-silent': { store: forgetSilent },
} as const satisfies Readonly<Record<string, PlantedBug>>;
