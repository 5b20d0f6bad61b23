import { onTestFinished } from 'vitest';
import { changedBy } from '../../src/model/changed-by.ts';
import type { RunRow, RunRows } from '../../src/model/state/run-rows.ts';
import type { Intent, Run, ServiceAccount, Store } from '../../src/model/state/store.ts';
import { pushMapping } from './builders.ts';
import type { Engine } from './engine.ts';
import type { PushMapping } from '../../src/mapping/mapping.ts';
import type { PushTask, ReadTask } from '../../src/sync/ports.ts';

/** The account that tests of single steps write to. */
export const ACCOUNT: ServiceAccount = { baseUrl: 'http://127.0.0.1:8787', accountId: 'a' };

/** A mapping of that account. */
export const readTask = ({ ports }: Pick<Engine, 'ports'>, mapping: PushMapping): ReadTask => ({
  ports,
  account: ACCOUNT,
  mapping,
});

/** A push of that account that has not ended. */
export const startedRun = (id: string, changes: Partial<Run> = {}): Run => ({
  id,
  command: 'push',
  account: ACCOUNT,
  startedAtMs: 0,
  endedAtMs: null,
  exitCode: null,
  phase: 'writing',
  finished: false,
  mappings: '[]',
  summaries: [],
  requests: null,
  ...changes,
});

/** A write of users in a run called `RUN`. */
export const intentOf = (id: string, changes: Partial<Intent> = {}): Intent => ({
  id,
  runId: 'RUN',
  mapping: 'users',
  resource: 'users',
  operation: 'create-users',
  rowNumbers: [],
  keys: [],
  bodyDigest: 'digest',
  sentAtMs: 0,
  ...changes,
});

/** What writes of a run called `RUN` share: rows of their own, one request at a time, and users unless told otherwise. */
export async function pushTask(
  { store, ports }: Engine,
  given: readonly RunRow[],
  changes: Partial<PushTask> = {},
): Promise<PushTask> {
  await store.addRun(startedRun('RUN'));
  const rows = await store.openRunRows(null);
  onTestFinished(() => rows.remove());
  const { mapping = pushMapping() } = changes;
  await rows.add(mapping.name, given);
  return {
    ports: { ...ports, concurrency: 1 },
    runId: 'RUN',
    account: ACCOUNT,
    mapping,
    rows,
    writes: 0,
    used: undefined,
    onAmbiguous: 'hold',
    isResourceShared: false,
    quotas: new Map(),
    ...changes,
  };
}

/** The same store and rows, which tell in `calls` what happens to rows and writes: `marked`, `lasting` or `closed`. */
export function watched(
  store: Store,
  rows: RunRows,
  calls: string[],
): { readonly store: Store; readonly rows: RunRows } {
  return {
    store: changedBy(store, {
      recordResult: (...args) => {
        calls.push('closed');
        return store.recordResult(...args);
      },
    }),
    rows: changedBy<RunRows>(rows, {
      patch: (...args) => {
        calls.push('marked');
        return rows.patch(...args);
      },
      sync: () => {
        calls.push('lasting');
        return rows.sync();
      },
    }),
  };
}
