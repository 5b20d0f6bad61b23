import { ConfigError } from '../model/error.ts';
import type { ServiceAccount, Store } from '../model/state/store.ts';

/** Runs and pulls that are looked at. */
const NEWEST = 1000;

/** The account of a service that this state worked with last, without asking the service. Errors: ConfigError `memory.none`. */
export async function rememberedAccount(
  store: Pick<Store, 'runs' | 'pulls' | 'memory'>,
  baseUrl: string,
): Promise<ServiceAccount> {
  const runs = [...(await store.pulls(NEWEST)), ...(await store.runs(NEWEST))];
  const newest = runs
    .filter(({ account }) => account.baseUrl === baseUrl)
    .toSorted((one, other) => other.startedAtMs - one.startedAtMs);
  const scopes = await store.memory.scopes();
  const found = newest[0]?.account ?? scopes.findLast(({ account }) => account.baseUrl === baseUrl)?.account;
  if (found !== undefined) return found;
  throw new ConfigError('memory.none', `nothing was read of ${baseUrl} yet, so nothing is remembered of it`, {
    next: 'weeks read',
  });
}
