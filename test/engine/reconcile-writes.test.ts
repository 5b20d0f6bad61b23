import { describe, expect, it, onTestFinished } from 'vitest';
import type { PushMapping } from '../../src/mapping/mapping.ts';
import type { RunRow, RunRows } from '../../src/model/state/run-rows.ts';
import type { Words } from '../../src/model/said.ts';
import type { IntentResult, StoredIntent } from '../../src/model/state/store.ts';
import { digestFields } from '../../src/plan/digest.ts';
import { doubtDetail } from '../../src/plan/reconcile/soft-refusal.ts';
import { recordAnswers, reconcileWrites } from '../../src/sync/reconcile/writes.ts';
import { createUser, knownRecord, pushMapping, runRow } from '../support/builders.ts';
import { makeEngine, type Engine } from '../support/engine.ts';
import { ACCOUNT, intentOf, readTask, startedRun, watched } from '../support/writes.ts';
import { told, words } from '../support/said.ts';

const RUN = 'RUN';
const users = pushMapping();
const prices = pushMapping({ name: 'prices', resource: 'prices', operation: 'append' });
const NOT_READ_BACK =
  'sent, but no trustworthy answer came, and it cannot be read back; it is not sent again';

interface Sent {
  readonly rowNumbers: readonly number[];
  readonly operation?: string;
  readonly result?: IntentResult | null;
  readonly evidence?: object;
}

/** A run that ended with these rows and these writes, in order, of which the first is `W1`. */
interface Case {
  readonly mapping?: PushMapping;
  readonly rows: readonly RunRow[];
  readonly sent: readonly Sent[];
}

interface Ended {
  readonly engine: Engine;
  readonly mapping: PushMapping;
  readonly rows: RunRows;
}

async function ended({ mapping = users, rows: given, sent }: Case): Promise<Ended> {
  const engine = await makeEngine();
  const { store, clock } = engine;
  await store.addRun(startedRun(RUN));
  const rows = await store.openRunRows(null);
  onTestFinished(() => rows.remove());
  await rows.add(mapping.name, given);
  const { name, resource } = mapping;
  const keyOf = (row: number): string => given.find(({ rowNumber }) => rowNumber === row)?.key ?? '';
  for (const [at, { rowNumbers, operation = 'create-users', result = null, evidence }] of sent.entries()) {
    const id = `W${at + 1}`;
    const intent = intentOf(id, {
      mapping: name,
      resource,
      operation,
      rowNumbers,
      keys: rowNumbers.map(keyOf),
      sentAtMs: clock.now(),
      ...(evidence && { evidence: JSON.stringify({ atMs: 0, ...evidence }) }),
    });
    await store.addIntent(ACCOUNT, intent);
    if (result !== null) await store.recordResult(ACCOUNT, id, result, words('as it was'), []);
  }
  return { engine, mapping, rows };
}

const settle = ({ engine, mapping, rows }: Ended, onAmbiguous?: 'hold' | 'settle') =>
  reconcileWrites({ ...readTask(engine, mapping), runId: RUN, rows }, onAmbiguous);

const rowsOf = async ({ mapping, rows }: Ended): Promise<readonly object[]> =>
  (await rows.page(mapping.name, { afterRow: 0, limit: 100 }))
    .map(told)
    .map(({ rowNumber, outcome, id, message }) => ({
      rowNumber,
      outcome,
      ...(id !== null && { id }),
      ...(message !== '' && { message }),
    }));
const resultsOf = async ({ engine }: Ended): Promise<readonly StoredIntent['result'][]> =>
  (await engine.store.intents(RUN)).map(({ result }) => result);

const fieldsOf = (at: number) => ({ external_id: `U${at}`, display_name: `Name ${at}` });
/** A row that changes the user of this number. */
const update = (at: number, changes: Partial<RunRow> = {}): RunRow =>
  createUser(at, { change: 'update', id: `id-${at}`, ...changes });
const held = ({ engine }: Ended, at: number, changes: object = {}): void => {
  engine.service.users.push({ id: `id-${at}`, user_id: at, ...fieldsOf(at), is_active: true, ...changes });
};

describe('settling a create', () => {
  it('marks what the list shows, opens the rest, and remembers who wrote it', async () => {
    const given = await ended({ rows: [createUser(1), createUser(2)], sent: [{ rowNumbers: [1, 2] }] });
    held(given, 1);
    expect(await settle(given)).toEqual({ again: [2], created: [] });
    expect(await rowsOf(given)).toEqual([
      { rowNumber: 1, outcome: 'created', id: 'id-1' },
      { rowNumber: 2, outcome: null },
    ]);
    const [write] = await given.engine.store.intents(RUN);
    expect(write).toMatchObject({ result: 'not_applied', detail: [{ code: 'read-back-settled' }] });
    const remembers = await given.engine.store.snapshots(ACCOUNT, 'users', ['U1', 'U2']);
    expect([...remembers.values()]).toMatchObject([{ id: 'id-1', managedBy: 'users' }]);
  });

  it('marks its rows lastingly before it closes the write', async () => {
    const given = await ended({ rows: [createUser(1), createUser(2)], sent: [{ rowNumbers: [1, 2] }] });
    held(given, 1);
    const calls: string[] = [];
    const { store, rows } = watched(given.engine.store, given.rows, calls);
    await reconcileWrites({
      ...readTask({ ports: { ...given.engine.ports, store } }, users),
      runId: RUN,
      rows,
    });
    expect(calls).toEqual(['marked', 'lasting', 'closed']);
  });

  it('leaves to a later run what that created meanwhile, in any spelling, and compares again what differs', async () => {
    const rows = [
      createUser(1),
      createUser(2, { outcome: 'unknown', said: words('no answer') }),
      createUser(3),
      createUser(4),
    ];
    const given = await ended({
      rows,
      sent: [{ rowNumbers: [1, 2] }, { rowNumbers: [1] }, { rowNumbers: [3, 4] }],
    });
    const { store } = given.engine;
    await store.respell(ACCOUNT, 'users', { case: true });
    await store.addRun(startedRun('LATER'));
    const keys = { L1: ['u1', 'U2', 'U3'], L2: ['U4'] };
    for (const id of ['L1', 'L2'] as const)
      await store.addIntent(ACCOUNT, intentOf(id, { runId: 'LATER', keys: keys[id] }));
    await store.recordResult(ACCOUNT, 'L1', 'applied', [], []);
    await store.recordResult(ACCOUNT, 'L2', 'refused', [], []);
    for (const at of [1, 2, 4]) held(given, at);
    held(given, 3, { display_name: 'Another' });
    expect(await settle(given)).toEqual({ again: [3], created: [] });
    const message = 'a later run (LATER) created the record';
    expect(await rowsOf(given)).toEqual([
      { rowNumber: 1, outcome: 'unchanged', id: 'id-1', message },
      { rowNumber: 2, outcome: 'unchanged', id: 'id-2', message },
      { rowNumber: 3, outcome: null, message },
      { rowNumber: 4, outcome: 'unchanged', id: 'id-4', message },
    ]);
    expect(await resultsOf(given)).toEqual(['not_applied', 'not_applied', 'not_applied']);
  });

  it('counts as created what a later run sent too, but before this run sent it again', async () => {
    const given = await ended({ rows: [createUser(1)], sent: [{ rowNumbers: [1] }] });
    const { store } = given.engine;
    await store.addRun(startedRun('LATER'));
    await store.addIntent(ACCOUNT, intentOf('L1', { runId: 'LATER', keys: ['U1'] }));
    await store.recordResult(ACCOUNT, 'L1', 'not_applied', [], []);
    await store.addIntent(ACCOUNT, intentOf('AGAIN', { keys: ['U1'], rowNumbers: [1] }));
    held(given, 1);
    expect(await settle(given)).toEqual({ again: [], created: [] });
    expect(await rowsOf(given)).toEqual([{ rowNumber: 1, outcome: 'created', id: 'id-1' }]);
  });

  it('counts as created what a later run changed, or sent of another resource under such a key', async () => {
    const given = await ended({ rows: [createUser(1)], sent: [{ rowNumbers: [1] }] });
    const { store } = given.engine;
    await store.addRun(startedRun('LATER'));
    const later = { runId: 'LATER', keys: ['U1'] };
    await store.addIntent(ACCOUNT, intentOf('L1', { ...later, operation: 'update-user' }));
    await store.addIntent(
      ACCOUNT,
      intentOf('L2', { ...later, resource: 'squads', operation: 'create-squads', mapping: 'squads' }),
    );
    for (const id of ['L1', 'L2']) await store.recordResult(ACCOUNT, id, 'applied', [], []);
    held(given, 1);
    expect(await settle(given)).toEqual({ again: [], created: [] });
    expect(await rowsOf(given)).toEqual([{ rowNumber: 1, outcome: 'created', id: 'id-1' }]);
  });

  it('keeps of a write that stays open that its answer named records otherwise, and of no other', async () => {
    const named: Words = [{ code: 'answer-unnamed', what: 'row', others: true }];
    const detailOf = async (isListable: boolean): Promise<readonly unknown[]> => {
      const given = await ended({ rows: [createUser(1)], sent: [{ rowNumbers: [1] }] });
      const { store, service } = given.engine;
      await store.recordResult(ACCOUNT, 'W1', 'ambiguous', named, []);
      service.listable = isListable;
      held(given, 1);
      await settle(given);
      return (await store.intents(RUN)).map(({ result, detail }) => ({ result, detail }));
    };
    expect(await detailOf(false)).toEqual([{ result: 'ambiguous', detail: named }]);
    expect(await detailOf(true)).toEqual([{ result: 'applied', detail: [{ code: 'read-back-settled' }] }]);
  });

  it('counts as created what the later run sent again under a spelling that it did not know yet', async () => {
    const given = await ended({ rows: [createUser(1)], sent: [{ rowNumbers: [1] }] });
    const { store } = given.engine;
    await store.respell(ACCOUNT, 'users', { case: true });
    await store.addRun(startedRun('LATER'));
    const evidence = JSON.stringify({ atMs: 0, known: 1, alike: ['u1'], alikeIds: ['id-1'] });
    await store.addIntent(ACCOUNT, intentOf('L1', { runId: 'LATER', keys: ['U1'], evidence }));
    await store.recordResult(ACCOUNT, 'L1', 'applied', [], []);
    held(given, 1, { external_id: 'u1' });
    expect(await settle(given)).toEqual({ again: [], created: [] });
    expect(await rowsOf(given)).toEqual([
      { rowNumber: 1, outcome: 'created', id: 'id-1', message: 'kept as u1' },
    ]);
  });

  describe('that a service may have taken for a record which was there, under another spelling of its key', () => {
    const REFUSED: Words = [{ code: 'refused-doubtful', reason: 'HTTP 409', held: 'u1' }];
    const refusal = 'the service refused it: HTTP 409; it has "u1", and may take it for the same key';
    const unproved = 'sent without a trustworthy answer, and nothing shows that it was applied; ';
    const alike = (name: string): object => ({
      unlisted: 0,
      known: 1,
      alike: ['u1'],
      alikeIds: ['id-1'],
      alikeDigests: [digestFields({ display_name: name })],
    });
    /** The answer says no, and the list shows that record with this name. */
    async function refused(sent: readonly Sent[], name: string): Promise<Ended> {
      const given = await ended({ rows: [createUser(1)], sent });
      const id = `W${sent.length}`;
      await given.engine.store.recordResult(ACCOUNT, id, 'ambiguous', REFUSED, []);
      held(given, 1, { external_id: 'u1', display_name: name });
      return given;
    }
    const rejected = (message: string): readonly object[] => [{ rowNumber: 1, outcome: 'rejected', message }];

    it('is refused where that record is as it was', async () => {
      const given = await refused([{ rowNumbers: [1], evidence: alike('Old') }], 'Old');
      await settle(given);
      expect(await rowsOf(given)).toEqual(rejected(refusal));
      expect((await given.engine.store.intents(RUN)).map(({ detail }) => detail)).toEqual([REFUSED]);
    });

    it.each([['not known'], ['known']])(
      'is refused without proof where that record was changed and the spelling is %s',
      async (spelling) => {
        const given = await refused([{ rowNumbers: [1], evidence: alike('Old') }], 'Na');
        if (spelling === 'known') await given.engine.store.respell(ACCOUNT, 'users', { case: true });
        await settle(given);
        expect(await rowsOf(given)).toEqual(rejected(unproved + refusal));
        const [write] = await given.engine.store.intents(RUN);
        expect(write).toMatchObject({
          result: 'refused',
          detail: [...REFUSED, { code: 'read-back-changed' }],
        });
      },
    );

    it('says once that the record was changed, however often it is read', async () => {
      const given = await refused([{ rowNumbers: [1], evidence: alike('Old') }], 'Na');
      const changed: Words = [...REFUSED, { code: 'read-back-changed' }];
      await given.engine.store.recordResult(ACCOUNT, 'W1', 'ambiguous', changed, []);
      await settle(given);
      expect((await given.engine.store.intents(RUN)).map(({ detail }) => detail)).toEqual([changed]);
    });

    it('is refused without proof where an earlier write of the row changed that record', async () => {
      const first: Sent = { rowNumbers: [1], result: 'ambiguous', evidence: alike('Old') };
      const given = await refused([first, { rowNumbers: [1], evidence: alike('Na') }], 'Na');
      const { store } = given.engine;
      const changed: Words = [{ code: 'read-back-settled' }, { code: 'read-back-changed' }];
      await store.recordResult(ACCOUNT, 'W1', 'not_applied', changed, []);
      await settle(given);
      expect(await rowsOf(given)).toEqual(rejected(unproved + refusal));
    });

    it('is refused where the run changed that record itself', async () => {
      const given = await refused([{ rowNumbers: [1], evidence: alike('Old') }], 'Na');
      const own = intentOf('OWN', { operation: 'update-user', keys: ['u1'], rowNumbers: [9] });
      await given.engine.store.addIntent(ACCOUNT, own);
      await settle(given);
      expect(await rowsOf(given)).toEqual(rejected(refusal));
    });
  });

  it('leaves rows that wait for their flag open, with the id of what was created', async () => {
    const row = createUser(1, { fields: { ...fieldsOf(1), is_active: false } });
    const given = await ended({ rows: [row], sent: [{ rowNumbers: [1] }] });
    held(given, 1);
    expect(await settle(given)).toEqual({ again: [], created: [1] });
    expect(await rowsOf(given)).toEqual([{ rowNumber: 1, outcome: null, id: 'id-1' }]);
    expect(await resultsOf(given)).toEqual(['applied']);
  });

  it('says again what is wrong with a record, in the place of why the row was held', async () => {
    const row = createUser(1, { outcome: 'unknown', said: words('no answer') });
    const given = await ended({ rows: [row], sent: [{ rowNumbers: [1], result: 'ambiguous' }] });
    held(given, 1, { display_name: 'Somebody' });
    await settle(given);
    const [found] = await rowsOf(given);
    const message = 'the service has display_name "Somebody", not "Name 1"';
    expect(found).toMatchObject({ outcome: 'conflict', message });
  });

  it('takes away why a row was held from one that is open again or done', async () => {
    const unknown = { outcome: 'unknown' as const, said: words('no answer') };
    const given = await ended({
      rows: [createUser(1, unknown), createUser(2, unknown)],
      sent: [{ rowNumbers: [1, 2], result: 'ambiguous' }],
    });
    held(given, 1);
    await settle(given);
    expect(await rowsOf(given)).toEqual([
      { rowNumber: 1, outcome: 'created', id: 'id-1' },
      { rowNumber: 2, outcome: null },
    ]);
  });

  it('holds what cannot be read, and says why once', async () => {
    const given = await ended({
      rows: [createUser(1, { said: words('a remark') })],
      sent: [{ rowNumbers: [1] }],
    });
    given.engine.service.listable = false;
    expect(await settle(given)).toEqual({ again: [], created: [] });
    const [row] = await rowsOf(given);
    expect(row).toEqual({ rowNumber: 1, outcome: 'unknown', message: `a remark; ${NOT_READ_BACK}` });
    expect(await resultsOf(given)).toEqual(['ambiguous']);
    await settle(given);
    expect(await rowsOf(given)).toEqual([row]);
  });

  it('says what was seen in the place of who will look', async () => {
    const said: Words = [{ code: 'answer-none' }, { code: 'resume-looks', run: 'RUN' }];
    const row = createUser(1, { outcome: 'unknown', said });
    const given = await ended({ rows: [row], sent: [{ rowNumbers: [1] }] });
    given.engine.service.listable = false;
    await settle(given);
    expect(await rowsOf(given)).toMatchObject([{ message: `no trustworthy answer; ${NOT_READ_BACK}` }]);
  });

  it('asks nothing where every row has its outcome, and touches none of them', async () => {
    const done = [
      createUser(1, { outcome: 'created', id: 'x' }),
      createUser(2, { outcome: 'rejected', said: words('no') }),
    ];
    const given = await ended({ rows: done, sent: [{ rowNumbers: [1, 2] }] });
    expect(await settle(given)).toEqual({ again: [], created: [] });
    expect(given.engine.service.reads).toBe(0);
    expect(await rowsOf(given)).toEqual([
      { rowNumber: 1, outcome: 'created', id: 'x' },
      { rowNumber: 2, outcome: 'rejected', message: 'no' },
    ]);
    expect(await resultsOf(given)).toEqual(['applied']);
  });

  it('leaves the rows of a write alone that have an outcome already', async () => {
    const given = await ended({
      rows: [createUser(1, { outcome: 'rejected', said: words('no') }), createUser(2)],
      sent: [{ rowNumbers: [1, 2] }],
    });
    held(given, 2);
    await settle(given);
    expect(await rowsOf(given)).toEqual([
      { rowNumber: 1, outcome: 'rejected', message: 'no' },
      { rowNumber: 2, outcome: 'created', id: 'id-2' },
    ]);
  });

  it('is not kept back by what was counted before a write whose rows are done', async () => {
    const given = await ended({
      rows: [createUser(1, { outcome: 'created', id: 'id-1' }), createUser(2)],
      sent: [
        { rowNumbers: [1], evidence: { unlisted: 0 } },
        { rowNumbers: [2], evidence: { unlisted: 3 } },
      ],
    });
    held(given, 1);
    given.engine.service.removed = 3;
    expect(await settle(given)).toEqual({ again: [2], created: [] });
    expect(await resultsOf(given)).toEqual(['applied', 'not_applied']);
  });

  it('leaves what was answered, refused or surely not applied as it is', async () => {
    const results = ['applied', 'refused', 'not_applied'] as const;
    const given = await ended({
      rows: [createUser(1), createUser(2), createUser(3)],
      sent: results.map((result, at) => ({ rowNumbers: [at + 1], result })),
    });
    for (const at of [2, 3]) held(given, at);
    await given.engine.store.confirm(
      ACCOUNT,
      'users',
      [2, 3].map((at) => knownRecord(`U${at}`, fieldsOf(at))),
    );
    expect(await settle(given)).toEqual({ again: [], created: [] });
    expect(await resultsOf(given)).toEqual(results);
    expect(await rowsOf(given)).toEqual([1, 2, 3].map((rowNumber) => ({ rowNumber, outcome: null })));
  });

  it('that no list shows is held, and open again where that is allowed', async () => {
    const given = await ended({
      mapping: prices,
      rows: [runRow(1, { price: 5 }, { key: '1/1', change: 'create' })],
      sent: [{ rowNumbers: [1], operation: 'upload-prices', evidence: { count: 0, refs: [] } }],
    });
    expect(await settle(given)).toEqual({ again: [], created: [] });
    expect(await resultsOf(given)).toEqual(['ambiguous']);
    expect(await settle(given, 'settle')).toEqual({ again: [1], created: [] });
    expect(await resultsOf(given)).toEqual(['not_applied']);
  });
});

describe('settling writes that share rows', () => {
  it('lets the first of them decide, and says of the second what became of its rows', async () => {
    const given = await ended({
      rows: [createUser(1), createUser(2), createUser(3, { outcome: 'created', id: 'id-3' })],
      sent: [{ rowNumbers: [1, 2] }, { rowNumbers: [1, 3] }, { rowNumbers: [3] }],
    });
    expect(await settle(given)).toEqual({ again: [1, 2], created: [] });
    expect(await resultsOf(given)).toEqual(['not_applied', 'not_applied', 'applied']);
  });

  it('does not take the row of a second write for done because the first one is', async () => {
    const given = await ended({
      rows: [createUser(1), createUser(2)],
      sent: [{ rowNumbers: [1] }, { rowNumbers: [1, 2] }],
    });
    held(given, 2);
    expect(await settle(given)).toEqual({ again: [1], created: [] });
    expect(await resultsOf(given)).toEqual(['not_applied', 'applied']);
  });

  it('leaves a row that waits for its flag to the first', async () => {
    const row = createUser(1, { fields: { ...fieldsOf(1), is_active: false } });
    const given = await ended({
      rows: [row],
      sent: [{ rowNumbers: [1] }, { rowNumbers: [1], operation: 'update-user' }],
    });
    held(given, 1);
    expect(await settle(given)).toEqual({ again: [], created: [1] });
    expect(await resultsOf(given)).toEqual(['applied', 'applied']);
  });
});

describe('settling what was refused in other words', () => {
  const SAID = 'the service refused it: no envelope';
  const flagged = { ...fieldsOf(1), is_active: false };

  /** These rows, sent in one request that was refused so. */
  async function refused(rows: readonly RunRow[], operation?: string, holds: object | null = null) {
    const rowNumbers = rows.map(({ rowNumber }) => rowNumber);
    const given = await ended({ rows, sent: [{ rowNumbers, ...(operation && { operation }) }] });
    await given.engine.store.recordResult(ACCOUNT, 'W1', 'ambiguous', doubtDetail('no envelope', 400), []);
    if (holds !== null) held(given, 1, holds);
    const settled = await settle(given);
    return { settled, rows: await rowsOf(given), results: await resultsOf(given) };
  }

  it('rejects a row that was refused alone and is not there', async () => {
    expect(await refused([createUser(1)])).toEqual({
      settled: { again: [], created: [] },
      rows: [{ rowNumber: 1, outcome: 'rejected', message: SAID }],
      results: ['refused'],
    });
  });

  it('opens rows that were refused together, of which one may be good', async () => {
    expect(await refused([createUser(1), createUser(2)])).toEqual({
      settled: { again: [1, 2], created: [] },
      rows: [
        { rowNumber: 1, outcome: null },
        { rowNumber: 2, outcome: null },
      ],
      results: ['refused'],
    });
  });

  it('believes the list more than the refusal', async () => {
    expect(await refused([createUser(1)], undefined, {})).toMatchObject({
      rows: [{ rowNumber: 1, outcome: 'created', id: 'id-1' }],
      results: ['applied'],
    });
    expect(await refused([createUser(1, { fields: flagged })], undefined, {})).toMatchObject({
      settled: { again: [], created: [1] },
      rows: [{ rowNumber: 1, outcome: null, id: 'id-1' }],
    });
    expect(await refused([update(1)], 'update-user', {})).toMatchObject({
      rows: [{ rowNumber: 1, outcome: 'updated', id: 'id-1' }],
    });
  });

  it.each([
    ['a change', update(1, { before: { display_name: 'Old' } }), SAID],
    [
      'the flag of one that was created',
      update(1, { change: 'create', fields: flagged }),
      `created, but its active flag was not set: ${SAID}`,
    ],
  ])('rejects %s that did not come through', async (_what, row, message) => {
    const { rows } = await refused([row], 'update-user', { display_name: 'Old' });
    expect(rows).toEqual([{ rowNumber: 1, outcome: 'rejected', id: 'id-1', message }]);
  });
});

describe('settling a change of a user', () => {
  const sent = [{ rowNumbers: [1], operation: 'update-user' }];

  it.each([
    ['a change', update(1), 'updated'],
    ['the flag of one that was created', update(1, { change: 'create' }), 'created'],
  ])('%s that the list shows is done', async (_what, row, outcome) => {
    const given = await ended({ rows: [{ ...row, said: words('no answer') }], sent });
    held(given, 1);
    expect(await settle(given)).toEqual({ again: [], created: [] });
    expect(await rowsOf(given)).toEqual([{ rowNumber: 1, outcome, id: 'id-1' }]);
    expect(await resultsOf(given)).toEqual(['applied']);
  });

  it('that did not come through is sent again', async () => {
    const given = await ended({ rows: [update(1, { before: { display_name: 'Old name' } })], sent });
    held(given, 1, { display_name: 'Old name' });
    expect(await settle(given)).toEqual({ again: [1], created: [] });
    expect(await rowsOf(given)).toEqual([{ rowNumber: 1, outcome: null, id: 'id-1' }]);
    expect(await resultsOf(given)).toEqual(['not_applied']);
  });

  it('that came through is not sent again because another field was changed since', async () => {
    const row = update(1, { before: { is_active: true }, fields: { ...fieldsOf(1), is_active: false } });
    const given = await ended({ rows: [row], sent });
    held(given, 1, { is_active: false, display_name: 'Eve' });
    expect(await settle(given)).toEqual({ again: [], created: [] });
    expect(await rowsOf(given)).toMatchObject([{ rowNumber: 1, outcome: 'conflict', id: 'id-1' }]);
    const [{ message } = { message: '' }] = (await given.rows.rows('users', [1])).map(told);
    expect(message).toContain('updated, and changed later: the service now has another display_name');
    expect(await resultsOf(given)).toEqual(['applied']);
  });

  it('names every field that was changed since', async () => {
    const row = update(1, {
      before: { motto: 'One' },
      fields: { ...fieldsOf(1), is_active: false, motto: 'Two' },
    });
    const given = await ended({ rows: [row], sent });
    held(given, 1, { display_name: 'Eve' });
    await settle(given);
    const message = 'updated, and changed later: the service now has another display_name, is_active';
    expect(await rowsOf(given)).toEqual([{ rowNumber: 1, outcome: 'conflict', id: 'id-1', message }]);
  });
});

describe('settling a change of a user whose key is there twice', () => {
  const sent = [{ rowNumbers: [1], operation: 'update-user' }];
  const row = update(1, { before: { display_name: 'Old name' } });
  const another = { id: 'id-of-another', user_id: 9, external_id: 'U1', display_name: 'Old name' };

  it.each(['before', 'after'] as const)(
    'is a conflict, whichever is listed first (the other one %s)',
    async (at) => {
      const given = await ended({ rows: [row], sent });
      if (at === 'before') given.engine.service.users.push(another);
      held(given, 1);
      if (at === 'after') given.engine.service.users.push(another);
      expect(await settle(given)).toEqual({ again: [], created: [] });
      expect(await rowsOf(given)).toMatchObject([{ outcome: 'conflict', id: 'id-1' }]);
      const [{ message } = { message: '' }] = (await given.rows.rows('users', [1])).map(told);
      expect(message).toContain('2 users for "U1"');
      const remembered = await given.engine.store.snapshots(ACCOUNT, 'users', ['U1']);
      expect(remembered.get('U1')).toMatchObject({ id: 'id-1' });
    },
  );

  it('is a conflict where none of them is the one that was changed', async () => {
    const given = await ended({ rows: [row], sent });
    given.engine.service.users.push(another, { ...another, id: 'id-of-a-third', user_id: 10 });
    expect(await settle(given)).toEqual({ again: [], created: [] });
    const message = 'the service answered with 2 users for "U1"';
    expect(await rowsOf(given)).toEqual([{ rowNumber: 1, outcome: 'conflict', id: 'id-1', message }]);
  });

  it('does not take the record of another one for that of the row', async () => {
    const given = await ended({ rows: [row], sent });
    given.engine.service.users.push({ ...another, display_name: 'Name 1' });
    expect(await settle(given)).toEqual({ again: [1], created: [] });
    expect(await resultsOf(given)).toEqual(['not_applied']);
  });
});

describe('an answer that was recorded before its rows were marked', () => {
  const record = async (given: Ended): Promise<readonly object[]> => {
    const { engine, mapping, rows } = given;
    await recordAnswers({ ...readTask(engine, mapping), runId: RUN, rows });
    return rowsOf(given);
  };
  const applied = { result: 'applied' as const };

  it('of a create marks what is confirmed, and nothing else', async () => {
    const given = await ended({
      rows: [
        createUser(1),
        createUser(2),
        createUser(3, { outcome: 'conflict' }),
        createUser(4, { key: null }),
        createUser(5, { fields: null }),
        createUser(6, { fields: { ...fieldsOf(6), is_active: false } }),
      ],
      sent: [{ rowNumbers: [1, 2, 3, 4, 5, 6], ...applied }],
    });
    const { store } = given.engine;
    // Nobody knows what the service has of a field that it does not show.
    const listed = [
      knownRecord('U1', { external_id: 'U1' }),
      ...[3, 5, 6].map((at) => knownRecord(`U${at}`, { ...fieldsOf(at), is_active: true })),
    ];
    await store.confirm(ACCOUNT, 'users', listed);
    expect(await record(given)).toEqual([
      { rowNumber: 1, outcome: 'created', id: 'id-U1' },
      { rowNumber: 2, outcome: null },
      { rowNumber: 3, outcome: 'conflict' },
      { rowNumber: 4, outcome: null },
      { rowNumber: 5, outcome: null },
      { rowNumber: 6, outcome: null, id: 'id-U6' },
    ]);
  });

  it('of a create without an id to change it by leaves a row that waits for its flag', async () => {
    const row = createUser(1, { fields: { ...fieldsOf(1), is_active: false } });
    const given = await ended({ rows: [row], sent: [{ rowNumbers: [1], ...applied }] });
    const shown = knownRecord('U1', { ...fieldsOf(1), is_active: true }, null);
    await given.engine.store.confirm(ACCOUNT, 'users', [shown]);
    expect(await record(given)).toEqual([{ rowNumber: 1, outcome: null }]);
  });

  it('of a create that was changed since is a conflict that names the fields', async () => {
    const given = await ended({
      rows: [createUser(1, { said: words('a remark'), fields: { ...fieldsOf(1), motto: 'One' } })],
      sent: [{ rowNumbers: [1], ...applied }],
    });
    const changed = knownRecord('U1', { ...fieldsOf(1), display_name: 'Somebody', motto: 'Two' });
    await given.engine.store.confirm(ACCOUNT, 'users', [changed]);
    const message = 'a remark; created, and changed later: the service now has another display_name, motto';
    expect(await record(given)).toEqual([{ rowNumber: 1, outcome: 'conflict', id: 'id-U1', message }]);
  });

  const old = knownRecord('U1', { ...fieldsOf(1), display_name: 'Old' }, 'id-1');
  const change = [{ rowNumbers: [1], operation: 'update-user', ...applied }];

  it.each([
    ['an update', update(1), 'updated'],
    ['the flag of one that was created', update(1, { change: 'create' }), 'created'],
  ])('of %s is believed where the confirmed record holds it', async (_what, row, outcome) => {
    const given = await ended({ rows: [row], sent: change });
    await given.engine.store.confirm(ACCOUNT, 'users', [knownRecord('U1', fieldsOf(1), 'id-1')]);
    expect(await record(given)).toEqual([{ rowNumber: 1, outcome, id: 'id-1' }]);
  });

  it('of an update that was changed since is a conflict that names the fields', async () => {
    const given = await ended({ rows: [update(1, { said: words('a remark') })], sent: change });
    await given.engine.store.confirm(ACCOUNT, 'users', [old]);
    const message = 'a remark; updated, and changed later: the service now has another display_name';
    expect(await record(given)).toEqual([{ rowNumber: 1, outcome: 'conflict', id: 'id-1', message }]);
  });

  it('of a flag that was changed since leaves the row open', async () => {
    const given = await ended({ rows: [update(1, { change: 'create' })], sent: change });
    await given.engine.store.confirm(ACCOUNT, 'users', [old]);
    expect(await record(given)).toEqual([{ rowNumber: 1, outcome: null, id: 'id-1' }]);
  });

  it('of what no list shows is believed, and tells what was changed since', async () => {
    const row = (at: number) => runRow(at, { price: at }, { key: `1/${at}`, change: 'create' });
    const given = await ended({
      mapping: prices,
      rows: [row(1), row(2), row(3)],
      sent: [{ rowNumbers: [1, 2, 3], operation: 'upload-prices', ...applied }],
    });
    await given.engine.store.confirm(ACCOUNT, 'prices', [
      knownRecord('1/1', { price: 1 }, null),
      knownRecord('1/2', { price: 9 }, null),
      knownRecord('1/3', {}, null),
    ]);
    const message = 'created, and changed later: the service now has another price';
    expect(await record(given)).toEqual([
      { rowNumber: 1, outcome: 'created' },
      { rowNumber: 2, outcome: 'conflict', message },
      { rowNumber: 3, outcome: null },
    ]);
  });

  it('of another mapping is left to that one', async () => {
    const given = await ended({ rows: [createUser(1)], sent: [{ rowNumbers: [1], ...applied }] });
    await given.engine.store.confirm(ACCOUNT, 'users', [knownRecord('U1', fieldsOf(1))]);
    await given.rows.add('others', [createUser(1)]);
    const others = { ...given, mapping: { ...users, name: 'others' } };
    expect(await record(others)).toEqual([{ rowNumber: 1, outcome: null }]);
  });
});
