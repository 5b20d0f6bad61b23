import { StoppedError } from '../model/error.ts';
import type { Clock } from '../model/ports.ts';
import type { HeldLock, ServiceAccount } from '../model/state/store.ts';
import { maySendStill } from '../plan/reconcile/intents.ts';
import { copyState, type Copied, type CopySource, type CopyTarget } from '../state/copy.ts';
import { makeSqliteState, readSqliteState } from '../state/sqlite/copy.ts';
import type { Config } from './config/config.ts';
import { withClient, withState, type OpenState } from './state.ts';

/**
 * Copies the state of a configuration to where another one has it, while nobody writes to its accounts; the other is whole or not there. Errors: StoppedError
 * `lock.held`, `state.not_empty`, `state.silent_write`; those of {@link withState}.
 */
export async function copyStateTo(
  from: Config,
  to: Config,
  clock: Clock,
  warn: (message: string) => void,
): Promise<Copied> {
  return withState(from, clock, warn, async (state) => {
    const held: HeldLock[] = [];
    try {
      for (const account of await readState(from, accountsIn)) {
        held.push(await state.lock.acquire(account, 'state copy'));
        await refuseSilent(state, account);
      }
      return await readState(from, (source) => makeState(to, (target) => copyState(source, target)));
    } finally {
      for (const lock of held) await lock.release();
    }
  });
}

async function accountsIn(source: CopySource): Promise<readonly ServiceAccount[]> {
  const accounts: ServiceAccount[] = [];
  for await (const page of source.rows('account'))
    for (const [, baseUrl, accountId] of page)
      accounts.push({ baseUrl: String(baseUrl), accountId: String(accountId) });
  return accounts;
}

/** A copy does not know of other processes: what one of them may still send would be taken for absent. */
async function refuseSilent({ store }: OpenState, account: ServiceAccount): Promise<void> {
  const silent = (await store.openIntents(account)).find((write) => maySendStill(write) !== undefined);
  if (silent === undefined) return;
  throw new StoppedError(
    'state.silent_write',
    `run ${silent.runId} has a write of a process that went silent and may still send it`,
    { next: `resolve ${silent.id}` },
  );
}

async function readState<T>(config: Config, work: (source: CopySource) => Promise<T>): Promise<T> {
  const { state } = config;
  if (state.kind === 'file') return readSqliteState(state.file, work);
  const { readPostgresState } = await import('../state/postgres/copy.ts');
  return withClient(state, config, (client) => readPostgresState({ ...state, client }, work));
}

async function makeState<T>(config: Config, work: (target: CopyTarget) => Promise<T>): Promise<T> {
  const { state } = config;
  if (state.kind === 'file') return makeSqliteState(state.file, work);
  const { makePostgresState } = await import('../state/postgres/copy.ts');
  return withClient(state, config, (client) => makePostgresState({ ...state, client }, work));
}
