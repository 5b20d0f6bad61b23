import { ConfigError } from '../model/error.ts';
import { keyDigest } from '../model/key-digest.ts';
import type { Secret } from '../model/secret.ts';
import type { SharedBudget } from '../model/state/shared-budget.ts';
import type { ServiceAccount, Store } from '../model/state/store.ts';
import { isSameAccount } from '../sync/journal/stored-run.ts';
import { newestOfAll } from './history.ts';
import type { Session } from './session.ts';

/** Runs that are looked at for accounts. */
const NEWEST = 1000;

/** The account of a key, without asking the service, as far as the state knows it by an address; undefined where nobody knows whose the key is. */
export async function accountOfKey(
  { store, budget }: { readonly store: Pick<Store, 'accounts'>; readonly budget: SharedBudget },
  baseUrl: string,
  apiKey: Secret,
): Promise<ServiceAccount | undefined> {
  const accountId = await budget.accountOf(baseUrl, keyDigest(apiKey));
  if (accountId !== undefined) return { baseUrl, accountId: accountId.toLowerCase() };
  // A state that was copied knows no keys. An account of another key may be another one, and so may each of several.
  const accounts = (await store.accounts(baseUrl)).filter((each) => each.accountId !== '');
  const [only, other] = accounts;
  if (only === undefined || other !== undefined) return undefined;
  return (await budget.hasKeyOf(only)) ? undefined : only;
}

/** The account that a session works with, where the state knows something of it; the service is not asked. Errors: ConfigError `memory.none`. */
export async function rememberedAccount({
  ports: { store, baseUrl },
  budget,
  connection: { apiKey },
}: Pick<Session, 'ports' | 'budget' | 'connection'>): Promise<ServiceAccount> {
  const account = await accountOfKey({ store, budget }, baseUrl, apiKey);
  const known = await knownAccounts(store, new Set([baseUrl]));
  if (account !== undefined && known.some((each) => isSameAccount(each, account))) return account;
  throw new ConfigError(
    'memory.none',
    `nothing was read of ${baseUrl} with this API key yet, so nothing is remembered of its account`,
    { next: 'weeks read' },
  );
}

/** The account of a key at an address, as {@link accountOfKey}; where nobody knows which it is, each that the state knows there. */
export async function accountsAt(
  state: { readonly store: Store; readonly budget: SharedBudget },
  baseUrl: string,
  apiKey: Secret,
): Promise<readonly ServiceAccount[]> {
  const known = await knownAccounts(state.store, new Set([baseUrl]));
  const own = known.length > 1 ? await accountOfKey(state, baseUrl, apiKey) : undefined;
  return own === undefined ? known : known.filter((each) => isSameAccount(each, own));
}

/** The accounts of these services that the state knows, without asking the service. */
async function knownAccounts(
  store: Pick<Store, 'runs' | 'pulls' | 'memory'>,
  baseUrls: ReadonlySet<string>,
): Promise<readonly ServiceAccount[]> {
  const runs = await newestOfAll(store, NEWEST);
  const scopes = await store.memory.scopes();
  const found: ServiceAccount[] = [];
  for (const { account } of [...runs, ...scopes]) {
    const isNew = !found.some((each) => isSameAccount(each, account));
    // An account that could not be read has no id.
    if (isNew && account.accountId !== '' && baseUrls.has(account.baseUrl)) found.push(account);
  }
  return found;
}
