import { expect, it } from 'vitest';
import type { LockLook } from '../../src/model/state/store.ts';
import { StoppedError } from '../../src/model/error.ts';
import { openCasesOf } from '../../src/runtime/history.ts';
import { withEngine } from '../support/engine.ts';
import { ACCOUNT, intentOf, startedRun } from '../support/writes.ts';

it('the writes of a run that goes on are no open cases, and those of a run that ended or was killed are', async () => {
  await withEngine(async ({ store }) => {
    await store.addRun(startedRun('OLDER', { account: ACCOUNT, phase: 'ended', endedAtMs: 1, exitCode: 7 }));
    await store.addIntent(ACCOUNT, intentOf('old', { runId: 'OLDER' }));
    await store.addRun(startedRun('NEWER', { account: ACCOUNT, phase: 'writing' }));
    await store.addIntent(ACCOUNT, intentOf('new', { runId: 'NEWER' }));
    const idsWith = async (lock: LockLook): Promise<readonly string[]> =>
      (await openCasesOf({ store, lock }, [ACCOUNT])).map(({ id }) => id);
    const held = new StoppedError('lock.held', 'push writes to the account');
    expect(await idsWith({ refuseHeld: () => Promise.reject(held) })).toEqual(['old']);
    expect(await idsWith({ refuseHeld: () => Promise.resolve() })).toEqual(['old', 'new']);
  });
});
