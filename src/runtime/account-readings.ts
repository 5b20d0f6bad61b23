import { FEATURES } from '../contract/endpoint.ts';
import type { Account } from '../contract/resources/account.ts';
import type { AccountReading } from '../model/account-reading.ts';
import { RATE_WINDOWS } from '../model/budget.ts';
import type { ServiceAccount, Store } from '../model/state/store.ts';

const DAY_MS = 24 * 60 * 60 * 1000;
/** Days that are kept: a day takes the place of the one so many days before it. */
const KEPT_DAYS = 400;
const PREFIX = 'account_reading:';

/** Keeps what the account said, as the last reading of its day. Errors: those of the store. */
export async function keepReading(
  store: Pick<Store, 'setFact'>,
  account: ServiceAccount,
  { config }: Account,
  atMs: number,
): Promise<void> {
  const reading: AccountReading = {
    day: new Date(atMs).toISOString().slice(0, 10),
    atMs,
    windows: RATE_WINDOWS.map((name) => {
      const { used, limit } = config?.rate_limit?.[name] ?? {};
      return { name: name.replace('_', ' '), used: used ?? null, most: limit ?? null, isBlocked: false };
    }),
    quotas: FEATURES.map((name) => {
      const { used, max, is_blocked: blocked } = config?.features?.[name] ?? {};
      const isBlocked = blocked === true;
      return { name: name.replaceAll('_', ' '), used: used ?? null, most: max ?? null, isBlocked };
    }),
  };
  await store.setFact(account, `${PREFIX}${Math.floor(atMs / DAY_MS) % KEPT_DAYS}`, JSON.stringify(reading));
}

/** What the account said, day by day, the newest first. */
export async function readReadings(
  store: Pick<Store, 'facts'>,
  account: ServiceAccount,
): Promise<readonly AccountReading[]> {
  const facts = await store.facts(account);
  // Only keepReading writes facts of these names.
  const readings = facts.flatMap(({ name, value }) =>
    name.startsWith(PREFIX) ? [JSON.parse(value) as AccountReading] : [],
  );
  return readings.toSorted((one, other) => other.atMs - one.atMs);
}
