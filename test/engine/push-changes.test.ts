import { expect, it } from 'vitest';
import { InternalError } from '../../src/model/error.ts';
import { renderSaid } from '../../src/model/said.ts';
import type { RunRow } from '../../src/model/state/run-rows.ts';
import type { StoredIntent } from '../../src/model/state/store.ts';
import { resourcePlans } from '../../src/plan/resources/index.ts';
import { pushChanges } from '../../src/sync/write/push-changes.ts';
import { PushWriter } from '../../src/sync/write/push-writer.ts';
import { runRow } from '../support/builders.ts';
import { makeEngine, type Engine } from '../support/engine.ts';
import { applied } from '../support/fake-service.ts';
import { ACCOUNT, pushTask } from '../support/writes.ts';
import type { PushTask } from '../../src/sync/ports.ts';
import { pushMapping } from '../../src/sync/write/push-mapping.ts';
import { told, words } from '../support/said.ts';

const LOOKS = '; teamsheet resume RUN looks for it';

/** A change of the name of the user of this number. */
const change = (at: number, changes: Partial<RunRow> = {}): RunRow =>
  runRow(
    at,
    { external_id: `U${at}`, display_name: `New ${at}` },
    { change: 'update', id: `id-${at}`, before: { display_name: `Old ${at}` }, ...changes },
  );
/** A user that was created, and is to be inactive. */
const flag = (at: number): RunRow =>
  change(at, {
    change: 'create',
    before: null,
    fields: { external_id: `U${at}`, display_name: `Old ${at}`, is_active: false },
  });

interface Pushed {
  readonly engine: Engine;
  readonly rows: readonly { readonly outcome: RunRow['outcome']; readonly message: string }[];
  readonly intents: readonly StoredIntent[];
  readonly error: unknown;
}

/** Sends the changes of these rows, of users that the service has. */
async function pushed(
  given: readonly RunRow[],
  arrange: (engine: Engine) => void = () => undefined,
  send: (task: PushTask) => Promise<void> = (task) =>
    pushChanges(new PushWriter(task), resourcePlans.users.requests.change ?? expect.fail()),
): Promise<Pushed> {
  const engine = await makeEngine();
  const { store, service } = engine;
  for (const { rowNumber: at } of given)
    service.users.push({
      id: `id-${at}`,
      user_id: at,
      external_id: `U${at}`,
      display_name: `Old ${at}`,
      is_active: true,
    });
  arrange(engine);
  const task = await pushTask(engine, given);
  const { rows } = task;
  const error = await send(task).then(
    () => undefined,
    (thrown: unknown) => thrown,
  );
  const after = await rows.page('users', { afterRow: 0, limit: 9 });
  return {
    engine,
    rows: after.map(told).map(({ outcome, message }) => ({ outcome, message })),
    intents: await store.intents('RUN'),
    error,
  };
}
const resultsOf = ({ intents }: Pushed): readonly (readonly [StoredIntent['result'], string])[] =>
  intents.map(({ result, detail }) => [result, renderSaid(detail)]);

it('a change and a flag are sent, and what was answered is remembered', async () => {
  const all = await pushed([change(1), flag(2)]);
  expect(all.rows).toEqual([
    { outcome: 'updated', message: '' },
    { outcome: 'created', message: '' },
  ]);
  expect(resultsOf(all)).toEqual([
    ['applied', ''],
    ['applied', ''],
  ]);
  expect(all.engine.service.writes.map(({ body }) => body)).toEqual([
    { id: 'id-1', display_name: 'New 1' },
    { id: 'id-2', is_active: false },
  ]);
  const known = await all.engine.store.snapshots(ACCOUNT, 'users', ['U1']);
  expect(known.get('U1')).toMatchObject({ id: 'id-1', managedBy: 'users' });
});

it('rows that were not created yet, or that change nothing, are left alone', async () => {
  const given = [change(1, { change: 'create', id: null }), change(2, { change: 'unchanged' })];
  const all = await pushed(given);
  expect(all.intents).toEqual([]);
  expect(all.rows).toEqual([
    { outcome: null, message: '' },
    { outcome: null, message: '' },
  ]);
});

it('a refused change is rejected, and a refused flag says that the user is there', async () => {
  const all = await pushed([change(1, { said: words('a remark') }), flag(2)], ({ service }) => {
    service.refuses.add('U1').add('U2');
  });
  const refusal = 'the service refused it (403): not this one';
  expect(all.rows).toEqual([
    { outcome: 'rejected', message: `a remark; ${refusal}` },
    { outcome: 'rejected', message: `created, but its active flag was not set: ${refusal}` },
  ]);
  expect(resultsOf(all)).toEqual([
    ['refused', refusal],
    ['refused', refusal],
  ]);
});

it('a change without an answer goes again at once', async () => {
  const all = await pushed([change(1)], ({ service }) => void service.faults.push('vanished', 'lost'));
  expect(all.rows).toEqual([{ outcome: 'updated', message: '' }]);
  expect(resultsOf(all)).toEqual([
    ['ambiguous', 'timeout'],
    ['ambiguous', 'connection reset'],
    ['applied', ''],
  ]);
});

it('a change that is refused after one without an answer is held', async () => {
  const all = await pushed([change(1)], ({ service }) => void service.faults.push('lost', 'refused'));
  expect(all.rows).toEqual([{ outcome: 'unknown', message: `the service refused it (400): no${LOOKS}` }]);
  expect(resultsOf(all)).toEqual([
    ['ambiguous', 'connection reset'],
    ['refused', 'the service refused it (400): no'],
  ]);
});

it('a change that is never answered is held, and the run ends', async () => {
  const faults = ['vanished', 'vanished', 'lost', 'vanished', 'vanished', 'vanished'] as const;
  const all = await pushed([change(1), change(2)], ({ service }) => void service.faults.push(...faults));
  expect(all.rows[0]).toEqual({
    outcome: 'unknown',
    message: `no trustworthy answer (connection reset)${LOOKS}`,
  });
  expect(
    resultsOf(all)
      .slice(0, 3)
      .map(([result]) => result),
  ).toEqual(['ambiguous', 'ambiguous', 'ambiguous']);
  expect(all.error).toMatchObject({ code: 'service.ambiguous', next: 'resume RUN' });
});

it('an answer of somebody else proves nothing', async () => {
  const stranger = { id: 'x', external_id: 'X', display_name: 'Nobody' };
  const all = await pushed([change(1)], ({ service }) => {
    service.send = () => Promise.resolve(applied([stranger]));
  });
  expect(all.rows).toEqual([
    { outcome: 'unknown', message: `no trustworthy answer (the answer does not name this user)${LOOKS}` },
  ]);
  expect(resultsOf(all)).toEqual([['ambiguous', 'the answer does not name this user']]);
  expect(await all.engine.store.countSnapshots(ACCOUNT, 'users')).toBe(0);
});

it('a change that is always answered with somebody else is sent three times, and then it waits', async () => {
  const stranger = { id: 'x', external_id: 'X', display_name: 'Nobody' };
  let sent = 0;
  const all = await pushed(
    [change(1)],
    ({ service }) => {
      service.send = () => {
        sent += 1;
        if (sent > 9) throw new Error('it is sent without end');
        return Promise.resolve(applied([stranger]));
      };
    },
    (task) => pushMapping(task),
  );
  expect(all.error).toBeUndefined();
  expect(sent).toBe(3);
  expect(all.rows).toEqual([
    {
      outcome: 'deferred',
      message: `sent 3 times without a trustworthy answer, and nothing shows that it was applied (the last answer: the answer does not name this user)`,
    },
  ]);
});

it('an answer that holds other values is a conflict that names them, and one that leaves some out is not', async () => {
  const both = { external_id: 'U1', display_name: 'New 1', is_active: false };
  const before = { display_name: 'Old 1', is_active: true };
  const answers = (display_name: string | null, is_active: boolean | null) =>
    pushed([change(1, { fields: both, before, said: words('a remark') })], ({ service }) => {
      const record = { id: 'id-1', user_id: 1, external_id: 'U1', display_name, is_active };
      service.send = () => Promise.resolve(applied([record]));
    });
  const conflict = await answers('Old 1', true);
  expect(conflict.rows).toEqual([
    {
      outcome: 'conflict',
      message: 'a remark; the service still has another value of display_name, is_active',
    },
  ]);
  expect(resultsOf(conflict)).toEqual([['applied', '']]);
  expect(await conflict.engine.store.countSnapshots(ACCOUNT, 'users')).toBe(1);
  expect((await answers('New 1', null)).rows).toMatchObject([{ outcome: 'updated' }]);
});

it('an answer that does not show the flag of a created user says yes to it', async () => {
  const all = await pushed([flag(1)], ({ service }) => {
    const record = { id: 'id-1', user_id: 1, external_id: 'U1', display_name: 'Old 1', is_active: null };
    service.send = () => Promise.resolve(applied([record]));
  });
  expect(all.rows).toEqual([{ outcome: 'created', message: '' }]);
});

it('a flag that the service has no room for says that its user was created', async () => {
  const all = await pushed([flag(1)], ({ service }) => service.faults.push('throttled'));
  expect(all.error).toMatchObject({ code: 'service.throttled' });
  expect(all.rows).toMatchObject([{ outcome: 'deferred' }]);
  expect(all.rows[0]?.message).toMatch(/^created, but its active flag was not set: the service answered 429/);
});

it('a change that the service has no room for says nothing of a created user', async () => {
  const all = await pushed([change(1)], ({ service }) => service.faults.push('throttled'));
  expect(all.rows[0]?.message).toMatch(/^the service answered 429/);
});

it('what our own check refuses to send is in conflict, alone', async () => {
  const wrong = new InternalError(
    'request.invalid',
    'update-user was not sent: its body is wrong (id: Invalid GUID)',
  );
  const all = await pushed([change(1), flag(2), change(3)], ({ service }) => {
    service.faults.push({ throws: wrong }, { throws: wrong });
  });
  const why = (id: string): string =>
    `the service gives it the id "${id}", by which it cannot be changed: ${wrong.message}; ask your provider`;
  expect(all.error).toBeUndefined();
  expect(all.rows).toEqual([
    { outcome: 'conflict', message: why('id-1') },
    { outcome: 'conflict', message: `created, but its active flag was not set: ${why('id-2')}` },
    { outcome: 'updated', message: '' },
  ]);
  expect(resultsOf(all).map(([result]) => result)).toEqual(['not_applied', 'not_applied', 'applied']);
});
