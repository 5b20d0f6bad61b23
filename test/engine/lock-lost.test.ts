import { expect, it } from 'vitest';
import { StoppedError } from '../../src/model/error.ts';
import type { Store } from '../../src/model/state/store.ts';
import { push } from '../../src/sync/push.ts';
import { resume } from '../../src/sync/resume.ts';
import { changedBy } from '../../src/model/changed-by.ts';
import { PLAN_OPTIONS, type Engine } from '../support/engine.ts';
import { approve, mappingOn, userEngine } from '../support/push-case.ts';

const lost = new StoppedError('lock.lost', 'the lock is not held any more');

/** A state that refuses the intents after so many, as one does whose lock somebody else has taken. */
const losing = ({ store }: Engine, after: number): Store => {
  let intents = 0;
  return changedBy(store, {
    addIntent: (...intent) => ((intents += 1) > after ? Promise.reject(lost) : store.addIntent(...intent)),
  });
};

it.each([
  [0, 6],
  [1, 7],
])(
  'a push that loses its lock after %i writes ends with exit %i, and leaves its run to others',
  async (writes, exitCode) => {
    const engine = await userEngine(['A,Ann,', 'B,Bob,', 'C,Cyd,']);
    const mapping = mappingOn('users.csv', { batchSize: 1 });
    const pushed = push(
      { ...engine.ports, store: losing(engine, writes), concurrency: 1 },
      'push',
      [mapping],
      PLAN_OPTIONS,
      approve,
    );
    await expect(pushed).rejects.toMatchObject({ code: 'lock.lost', exitCode });
    const [run] = await engine.store.runs(1);
    expect(run).toMatchObject({ phase: 'writing', finished: false, exitCode: null });
    const rows = await engine.store.keptRunRows(run?.id ?? '');
    expect([...((await rows?.countOutcomes('users')) ?? [])].toSorted()).toEqual(
      writes === 0
        ? [['open', 3]]
        : [
            ['created', 1],
            ['open', 2],
          ],
    );
    await rows?.close();
    const resumed = await resume(engine.ports, undefined, approve);
    expect(resumed?.report).toMatchObject({ exit_code: 0, mappings: [{ created: 3 }] });
  },
);
