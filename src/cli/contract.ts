import type { Learnt } from '../model/state/learnt.ts';
import type { ServiceAccount, Store } from '../model/state/store.ts';
import { batchLimits } from '../sync/journal/batch-size.ts';
import { readLearnt } from '../sync/runs/learn.ts';
import { seenSpellings, type SeenSpelling } from '../sync/rows/spelling.ts';
import type { Session } from './session.ts';

/** What is known of the service of an account beyond its interface. */
export interface Contract {
  readonly account: ServiceAccount;
  readonly learnt: readonly Learnt[];
  readonly limits: Awaited<ReturnType<typeof batchLimits>>;
  readonly spellings: readonly SeenSpelling[];
  readonly timezone: string;
}

const MANY_RUNS = 50;

/**
 * Everything that was learnt so far, that of the command itself included; the service is asked nothing. Where the account cannot be read, it is that
 * of the newest run at the same address, beside what was seen without an account.
 */
export async function readContract({ ports, config, learn }: Session): Promise<Contract> {
  const { store } = ports;
  const now = await learn();
  const account = now.accountId === '' ? ((await lastAccount(store, now.baseUrl)) ?? now) : now;
  const nameless = account === now ? [] : await readLearnt(store, now);
  return {
    account,
    learnt: [...(await readLearnt(store, account)), ...nameless],
    limits: await batchLimits(store, account),
    spellings: await seenSpellings(ports, account),
    timezone: config.timezone,
  };
}

async function lastAccount(store: Pick<Store, 'runs'>, baseUrl: string): Promise<ServiceAccount | undefined> {
  const runs = await store.runs(MANY_RUNS);
  return runs.find(({ account }) => account.baseUrl === baseUrl)?.account;
}
