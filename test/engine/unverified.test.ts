import { expect, it } from 'vitest';
import type { Outcome } from '../../src/model/outcome.ts';
import { renderSaid, type Words } from '../../src/model/said.ts';
import type { RunRows } from '../../src/model/state/run-rows.ts';
import type { Intent, IntentResult } from '../../src/model/state/store.ts';
import { deferCreated, deferOpen, noteSent, wordsOfCreated } from '../../src/sync/journal/unverified.ts';
import type { RowsTask, SyncPorts } from '../../src/sync/ports.ts';
import { isListedCreate, mayBeApplied } from '../../src/plan/reconcile/intents.ts';
import { doubtDetail } from '../../src/plan/reconcile/soft-refusal.ts';
import { pushMapping, runRow } from '../support/builders.ts';
import { makeEngine } from '../support/engine.ts';
import { ACCOUNT, intentOf, startedRun } from '../support/writes.ts';
import { words } from '../support/said.ts';

const SAID_NO = doubtDetail('JSON that is not the envelope', 400);
const READ_BACK: Words = [{ code: 'read-back-settled' }];
const CHANGED: Words = [{ code: 'read-back-changed' }];
const change = { operation: 'update-user' } as const;
const upload = { resource: 'prices', operation: 'upload-prices' } as const;
const create = { operation: 'create-users' } as const;
const squad = { resource: 'squads', operation: 'create-squad' } as const;

const taskOf = (ports: SyncPorts, rows: RunRows): RowsTask => ({
  ...{ ports, runId: 'RUN', account: ACCOUNT },
  ...{ mapping: pushMapping(), rows },
});

it.each<readonly [Partial<Intent>, IntentResult | null, Words, boolean]>([
  [change, 'not_applied', READ_BACK, true],
  [upload, 'not_applied', READ_BACK, true],
  [upload, 'refused', SAID_NO, true],
  // These never reached the service, were refused in so many words, or are still open.
  [change, 'not_applied', words('connection refused'), false],
  [change, 'refused', words('the service refused it (400): no'), false],
  [change, 'applied', READ_BACK, false],
  [change, 'ambiguous', SAID_NO, false],
  [change, null, [], false],
  // A list shows these for good.
  [create, 'not_applied', READ_BACK, false],
  [squad, 'not_applied', READ_BACK, false],
  [create, 'refused', SAID_NO, false],
  // A record that it may stand in was changed.
  [create, 'not_applied', [...READ_BACK, ...CHANGED], true],
  [create, 'refused', [...SAID_NO, ...CHANGED], true],
  [create, 'applied', [...READ_BACK, ...CHANGED], false],
])('of %o that is %s (%s) it may be that it was applied: %s', (sent, result, detail, may) => {
  expect(mayBeApplied({ ...intentOf('W', sent), result, detail })).toBe(may);
});

it('only what a list shows, changes apart, is proved by its absence', () => {
  expect([create, squad, change, upload].map((sent) => isListedCreate(intentOf('W', sent)))).toEqual([
    true,
    true,
    false,
    false,
  ]);
});

it('the rows of such writes are those of their mapping and their run', async () => {
  const { store, ports } = await makeEngine();
  const settled = async (id: string, sent: Partial<Intent>, detail: Words): Promise<void> => {
    await store.addIntent(ACCOUNT, intentOf(id, { ...change, ...sent }));
    await store.recordResult(ACCOUNT, id, 'not_applied', detail, []);
  };
  await store.addRun(startedRun('RUN'));
  await store.addRun(startedRun('OTHER'));
  await settled('W1', { rowNumbers: [2, 3] }, READ_BACK);
  await settled('W2', { rowNumbers: [3] }, READ_BACK);
  await settled('W3', { rowNumbers: [4] }, words('connection refused'));
  await settled('W4', { rowNumbers: [5], mapping: 'others' }, READ_BACK);
  await settled('W5', { rowNumbers: [6], runId: 'OTHER' }, READ_BACK);
  const rows = await store.openRunRows('RUN');
  const { name } = pushMapping();
  await rows.add(
    name,
    [2, 3, 4, 5, 6].map((number) => runRow(number, {}, { change: 'update' })),
  );
  await deferOpen(taskOf(ports, rows), words('it is late'));
  const all = await rows.rows(name, [2, 3, 4, 5, 6]);
  const sent = all.filter(({ said }) => said[0]?.code === 'sent-not-shown');
  expect(sent.map(({ rowNumber }) => rowNumber)).toEqual([2, 3]);
});

/** A run with four rows, of which one write of rows 2, 3 and 5 was settled by reading back; row 5 was created, and its flag was sent. */
async function sentThree(outcomes: readonly (Outcome | null)[]) {
  const { store, ports } = await makeEngine();
  await store.addRun(startedRun('RUN'));
  await store.addIntent(ACCOUNT, intentOf('W', { ...change, rowNumbers: [2, 3, 5] }));
  await store.recordResult(ACCOUNT, 'W', 'not_applied', READ_BACK, []);
  const rows = await store.openRunRows('RUN');
  const { name } = pushMapping();
  await rows.add(
    name,
    outcomes.map((outcome, at) => runRow(at + 2, {}, { change: at === 3 ? 'create' : 'update', outcome })),
  );
  const told = async (): Promise<readonly (readonly [string | null, string])[]> =>
    (await rows.rows(name, [2, 3, 4, 5])).map(({ outcome, said }) => [outcome, renderSaid(said)]);
  return { ports, rows, told };
}

it('open rows that are left tell which of them were sent', async () => {
  const { ports, rows, told } = await sentThree([null, 'updated', null, null]);
  await deferOpen(taskOf(ports, rows), words('it is late'), 'update');
  expect(await told()).toEqual([
    [
      'deferred',
      'sent without a trustworthy answer, and nothing shows that it was applied; not sent again: it is late',
    ],
    ['updated', ''],
    ['deferred', 'not sent: it is late'],
    [null, ''],
  ]);
  await deferOpen(taskOf(ports, rows), words('it is late'));
  expect((await told())[3]).toEqual([
    'deferred',
    'sent without a trustworthy answer, and nothing shows that it was applied; not sent again: it is late',
  ]);
});

it('rows that need no change any more tell which of them were sent', async () => {
  const { ports, rows, told } = await sentThree(['unchanged', 'rejected', 'unchanged', 'unchanged']);
  await rows.patch(pushMapping().name, [{ rowNumber: 5, said: words('a remark') }]);
  await noteSent(taskOf(ports, rows));
  expect(await told()).toEqual([
    [
      'unchanged',
      'sent without a trustworthy answer, and nothing shows that it was applied; the record is now as the row says',
    ],
    ['rejected', ''],
    ['unchanged', ''],
    ['unchanged', 'a remark'],
  ]);
});

it('rows that wait for something else tell which of them were sent', async () => {
  const { ports, rows, told } = await sentThree(['deferred', 'unchanged', 'updated', 'updated']);
  const why = words('an earlier write is open');
  await rows.patch(
    pushMapping().name,
    [2, 4].map((rowNumber) => ({ rowNumber, outcome: 'deferred', said: why })),
  );
  await noteSent(taskOf(ports, rows));
  expect([(await told())[0], (await told())[2]]).toEqual([
    [
      'deferred',
      'sent without a trustworthy answer, and nothing shows that it was applied; not sent again: an earlier write is open',
    ],
    ['deferred', 'an earlier write is open'],
  ]);
});

it('rows whose records were created wait for their flag; all others are left', async () => {
  const { store, ports } = await makeEngine();
  await store.addRun(startedRun('RUN'));
  const answered = async (id: string, sent: Partial<Intent>, result: IntentResult): Promise<void> => {
    await store.addIntent(ACCOUNT, intentOf(id, sent));
    await store.recordResult(ACCOUNT, id, result, [], []);
  };
  await answered('W1', { ...create, rowNumbers: [2] }, 'applied');
  await answered('W2', { ...create, rowNumbers: [3] }, 'not_applied');
  await answered('W3', { ...change, rowNumbers: [4] }, 'applied');
  await answered('W4', { ...squad, mapping: 'users', rowNumbers: [5] }, 'applied');
  const rows = await store.openRunRows(null);
  const open = { outcome: null } as const;
  await rows.add('users', [
    ...[2, 3, 4, 5].map((rowNumber) => runRow(rowNumber, {}, { ...open, change: 'create', id: null })),
    // The answer of an earlier write told the id of one of them.
    runRow(6, {}, { ...open, change: 'create', id: 'known' }),
    runRow(7, {}, { ...open, change: 'update', id: 'known' }),
  ]);
  const reason = words('the budget has ended');
  const said: Words = [{ code: 'flag-not-set-yet', reason }];
  const wordsOf = await wordsOfCreated(taskOf(ports, rows), reason);
  const page = await rows.page('users', { afterRow: 0, limit: 10 });
  expect(page.map(wordsOf)).toEqual([said, undefined, undefined, undefined, said, undefined]);
  await deferCreated(taskOf(ports, rows), reason, 'create');
  const after = await rows.page('users', { afterRow: 0, limit: 10 });
  expect(after.map(({ outcome }) => outcome)).toEqual(['deferred', null, null, null, 'deferred', null]);
  expect(after[0]?.said).toEqual(said);
  await rows.remove();
});
