import { expect, it } from 'vitest';
import type { RunRow } from '../../src/model/state/run-rows.ts';
import type { Intent, IntentResult } from '../../src/model/state/store.ts';
import { leaveRest } from '../../src/sync/write/defer-rest.ts';
import { knownRecord, pushMapping, runRow } from '../support/builders.ts';
import { makeEngine } from '../support/engine.ts';
import { ACCOUNT, intentOf, pushTask, readTask, startedRun } from '../support/writes.ts';
import { told, words } from '../support/said.ts';

const CREATED = 'created, but its active flag was not set yet: the day is used up';
const NOT_SENT = 'not sent: the day is used up';

/** A row that creates a user of this number, inactive. */
const create = (at: number, changes: Partial<RunRow> = {}): RunRow =>
  runRow(
    at,
    { external_id: `U${at}`, display_name: `Name ${at}`, is_active: false },
    { change: 'create', ...changes },
  );

/** Writes of rows by their numbers, each with what came of it. */
type Sent = readonly (readonly [
  row: number,
  result: IntentResult | null,
  changes?: Partial<Intent>,
  detail?: string,
])[];

/** What is left of these rows, after these writes. */
async function left(given: readonly RunRow[], sent: Sent = []): Promise<object> {
  const engine = await makeEngine();
  const { rows, mapping } = await pushTask(engine, given);
  await engine.store.addRun(startedRun('OTHER'));
  for (const [at, [row, result, changes, detail = '']] of sent.entries()) {
    const id = `W${at}`;
    await engine.store.addIntent(ACCOUNT, intentOf(id, { rowNumbers: [row], keys: [`U${row}`], ...changes }));
    if (result !== null) await engine.store.recordResult(ACCOUNT, id, result, words(detail), []);
  }
  await leaveRest({ ...readTask(engine, mapping), runId: 'RUN', rows }, words('the day is used up'));
  const after = await rows.page(mapping.name, { afterRow: 0, limit: 10 });
  return Object.fromEntries(
    after.map(told).map(({ rowNumber, outcome, message }) => [rowNumber, [outcome, message]]),
  );
}

it('what was not sent is deferred, and what has its outcome keeps it', async () => {
  expect(
    await left([create(1), create(2, { outcome: 'created', id: 'id-2', said: words('a note') })]),
  ).toEqual({
    1: ['deferred', NOT_SENT],
    2: ['created', 'a note'],
  });
  expect(await left([create(2, { outcome: 'rejected' })], [[2, null]])).toEqual({ 2: ['rejected', ''] });
});

it('a row whose write has no answer is unknown, if it was a write of this run and mapping', async () => {
  const rows = [create(1), create(2), create(3), create(4)];
  const sent: Sent = [
    [1, null],
    [2, 'ambiguous'],
    [3, null, { runId: 'OTHER' }],
    [4, null, { mapping: 'others' }],
  ];
  const unknown = 'no trustworthy answer; teamsheet resume RUN looks for it';
  expect(await left(rows, sent)).toEqual({
    1: ['unknown', unknown],
    2: ['unknown', unknown],
    3: ['deferred', NOT_SENT],
    4: ['deferred', NOT_SENT],
  });
});

it('a user that was created and waits for its flag says so', async () => {
  const rows = [create(1, { id: 'id-1' }), create(2, { change: 'update', id: 'id-2' }), create(3)];
  expect(await left(rows)).toEqual({
    1: ['deferred', CREATED],
    2: ['deferred', NOT_SENT],
    3: ['deferred', NOT_SENT],
  });
});

it('a create that was applied made its user, also where its id is not known', async () => {
  const rows = [create(1), create(2), create(3), create(4), create(5)];
  const sent: Sent = [
    [1, 'applied'],
    [2, 'applied', { mapping: 'others' }],
    [3, 'applied', { operation: 'update-user' }],
    [4, 'not_applied'],
    [5, 'applied', { runId: 'OTHER' }],
  ];
  expect(await left(rows, sent)).toEqual({
    1: ['deferred', CREATED],
    2: ['deferred', NOT_SENT],
    3: ['deferred', NOT_SENT],
    4: ['deferred', NOT_SENT],
    5: ['deferred', NOT_SENT],
  });
});

it('a change that was sent, and of which nothing shows that it was applied, is not called unsent', async () => {
  const change = { operation: 'update-user' };
  const waits = create(1, { id: 'id-1' });
  const rows = [waits, create(2, { change: 'update', id: 'id-2' }), create(3)];
  const sent: Sent = [
    [1, 'not_applied', change, 'settled by reading back'],
    [2, 'not_applied', change, 'settled by reading back'],
    [3, 'not_applied', {}, 'settled by reading back'],
  ];
  expect(await left(rows, sent)).toEqual({
    1: ['deferred', CREATED],
    2: [
      'deferred',
      'sent without a trustworthy answer, and nothing shows that it was applied; not sent again: the day is used up',
    ],
    3: ['deferred', NOT_SENT],
  });
});

it('an answer that was recorded before its rows were marked counts', async () => {
  const engine = await makeEngine();
  const { rows, mapping } = await pushTask(engine, [create(1)]);
  await engine.store.addIntent(ACCOUNT, intentOf('W', { rowNumbers: [1], keys: ['U1'] }));
  const record = knownRecord('U1', { external_id: 'U1', display_name: 'Name 1', is_active: false }, 'id-1');
  await engine.store.recordResult(ACCOUNT, 'W', 'applied', [], [record]);
  await leaveRest({ ...readTask(engine, pushMapping()), runId: 'RUN', rows }, words('the day is used up'));
  const after = await rows.page(mapping.name, { afterRow: 0, limit: 10 });
  expect(after).toMatchObject([{ outcome: 'created', id: 'id-1', said: [] }]);
});
