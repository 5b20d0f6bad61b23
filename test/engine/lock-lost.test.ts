import { expect, it } from 'vitest';
import { StoppedError, UnavailableError, type TeamsheetError } from '../../src/model/error.ts';
import type { Store } from '../../src/model/state/store.ts';
import { push } from '../../src/sync/push.ts';
import { resume } from '../../src/sync/resume.ts';
import { changedBy } from '../../src/model/changed-by.ts';
import { PLAN_OPTIONS, type Engine } from '../support/engine.ts';
import { approve, mappingOn, userEngine } from '../support/push-case.ts';

const lost = new StoppedError('lock.lost', 'the lock is not held any more');
const moved = new UnavailableError('state.moved', 'the state is not where it was');

/** A state that refuses the intents after so many, as one does whose lock somebody else has taken, or whose file is not there any more. */
const losing = ({ store }: Engine, after: number, error: TeamsheetError): Store => {
  let intents = 0;
  return changedBy(store, {
    addIntent: (...intent) => ((intents += 1) > after ? Promise.reject(error) : store.addIntent(...intent)),
  });
};

it.each([
  [lost, 0, 6],
  [lost, 1, 7],
  [moved, 0, 8],
  [moved, 1, 7],
])(
  'a push that meets %o after %i writes ends with exit %i, and leaves its run to others',
  async (error, writes, exitCode) => {
    const engine = await userEngine(['A,Ann,', 'B,Bob,', 'C,Cyd,']);
    const mapping = mappingOn('users.csv', { batchSize: 1 });
    const pushed = push(
      { ...engine.ports, store: losing(engine, writes, error), concurrency: 1 },
      'push',
      [mapping],
      PLAN_OPTIONS,
      approve,
    );
    await expect(pushed).rejects.toMatchObject({ code: error.code, exitCode });
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
