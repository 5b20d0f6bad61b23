import type { Intent, Run, ServiceAccount } from '../../src/model/store.ts';

/** The account that tests of single steps write to. */
export const ACCOUNT: ServiceAccount = { baseUrl: 'http://127.0.0.1:8787', accountId: 'a' };

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
