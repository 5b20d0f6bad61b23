import { describe, expect, it } from 'vitest';
import {
  AccessError,
  IncompleteError,
  InternalError,
  InterruptedError,
  UnavailableError,
} from '../../src/model/error.ts';
import { renderSaid } from '../../src/model/said.ts';
import type { RunRow } from '../../src/model/state/run-rows.ts';
import type { WriteResult } from '../../src/model/service.ts';
import type { Intent, IntentResult, StoredIntent } from '../../src/model/state/store.ts';
import { digestOf } from '../../src/plan/digest.ts';
import type { Confirmation } from '../../src/plan/requests.ts';
import { PushWriter } from '../../src/sync/write/push-writer.ts';
import { createUser, knownRecord, pushMapping } from '../support/builders.ts';
import { makeEngine, type Engine } from '../support/engine.ts';
import { ACCOUNT, intentOf, pushTask } from '../support/writes.ts';
import type { PushTask } from '../../src/sync/ports.ts';
import { told, words } from '../support/said.ts';

const applied: WriteResult<'create-users'> = {
  kind: 'applied',
  status: 201,
  message: 'created',
  records: [],
  issues: [],
};
const lost = (reason: string, status?: number): WriteResult<'create-users'> => ({
  kind: 'ambiguous',
  reason,
  ...(status !== undefined && { status }),
});
const full: WriteResult<'create-users'> = { kind: 'refused', status: 429, message: 'slow down' };

interface Writing {
  readonly engine: Engine;
  readonly task: PushTask;
  readonly writer: PushWriter;
  readonly given: readonly RunRow[];
}

async function writing(given: readonly RunRow[], changes: Partial<PushTask> = {}): Promise<Writing> {
  const engine = await makeEngine();
  const task = await pushTask(engine, given, changes);
  return { engine, task, writer: new PushWriter(task), given };
}

/** Sends all rows in one request, which the service answers so. */
function send(
  { engine, writer, given }: Writing,
  answer: WriteResult<'create-users'> | Error,
): ReturnType<typeof writer.send<'create-users'>> {
  const { service } = engine;
  service.send = () => (answer instanceof Error ? Promise.reject(answer) : Promise.resolve(answer as never));
  return writer.send('create-users', given, { body: { users: [] } });
}

const intentsOf = ({ engine }: Writing): Promise<readonly StoredIntent[]> => engine.store.intents('RUN');
const resultsOf = async (all: Writing): Promise<readonly object[]> =>
  (await intentsOf(all)).map(({ result, detail }) => [result, renderSaid(detail)]);
const rowsOf = async ({ task: { rows, mapping } }: Writing): Promise<readonly object[]> =>
  (await rows.page(mapping.name, { afterRow: 0, limit: 100 })).map(told).map(({ outcome, message, id }) => ({
    outcome,
    message,
    ...(id !== null && { id }),
  }));
const failure = (sending: Promise<unknown>): Promise<unknown> =>
  sending.then(
    () => undefined,
    (error: unknown) => error,
  );

it('open rows come in row order, those that are wanted only', async () => {
  const given = [
    createUser(1),
    createUser(2, { outcome: 'created' }),
    createUser(3),
    createUser(4, { change: 'update' }),
  ];
  const { writer } = await writing(given);
  const rows = await Array.fromAsync(writer.openRows(({ change }) => change === 'create'));
  expect(rows.map(({ rowNumber }) => rowNumber)).toEqual([1, 3]);
});

describe('before a write goes out', () => {
  it('its intent is recorded: who, what, and what was seen before', async () => {
    const all = await writing([createUser(1), createUser(2, { key: null })], { used: 3 });
    all.engine.clock.skewMs = 7;
    const { service, store, clock } = all.engine;
    let before: readonly StoredIntent[] = [];
    service.send = async (_operation, { body }) => {
      before = await store.intents('RUN');
      service.writes.push({ operation: 'create-users', body });
      return applied as never;
    };
    const body = { users: [{ external_id: 'U1', display_name: 'Name 1' }] };
    const { intent, result } = await all.writer.send('create-users', all.given, { body });
    expect(before).toEqual([{ ...intent, result: null, detail: [] }]);
    expect(intent).toEqual({
      id: expect.stringMatching(/^01J\d{23}$/) as string,
      runId: 'RUN',
      mapping: 'users',
      resource: 'users',
      operation: 'create-users',
      rowNumbers: [1, 2],
      keys: ['U1', ''],
      bodyDigest: digestOf(body),
      sentAtMs: clock.now(),
      evidence: JSON.stringify({ atMs: clock.now(), unlisted: 3, known: 0 }),
    });
    expect([result, service.writes]).toEqual([applied, [{ operation: 'create-users', body }]]);
  });

  it('what is known is recorded also where the account counts nothing', async () => {
    const all = await writing([createUser(1)]);
    const { intent } = await send(all, applied);
    expect(intent.evidence).toBe(JSON.stringify({ atMs: all.engine.clock.now(), known: 0 }));
  });

  it('nothing is recorded once the run is to end', async () => {
    const all = await writing([createUser(1)]);
    const stop = new InterruptedError('SIGINT', 'interrupted');
    all.engine.abort.abort(stop);
    expect(await failure(send(all, applied))).toBe(stop);
    expect(await intentsOf(all)).toEqual([]);
  });

  it.each([
    ['a budget that ends', new IncompleteError('budget.exhausted', 'used up')],
    ['a signal', new InterruptedError('SIGTERM', 'terminated')],
    ['a key that is refused', new AccessError('service.access', 'no right')],
    ['an id that cannot be sent', new InternalError('request.invalid', 'not sent: its body is wrong')],
  ])('%s stops it, and nothing was applied', async (_, error) => {
    const all = await writing([createUser(1)]);
    expect(await failure(send(all, error))).toBe(error);
    expect(await resultsOf(all)).toEqual([['not_applied', error.message]]);
  });

  it.each([new UnavailableError('service.down', 'gone'), new Error('a mistake')])(
    'after any other error (%s) nobody knows, and its intent stays open',
    async (error) => {
      const all = await writing([createUser(1)]);
      expect(await failure(send(all, error))).toBe(error);
      expect(await resultsOf(all)).toEqual([[null, '']]);
    },
  );
});

describe('a write that', () => {
  it('never reached the service was not applied, and ends the run', async () => {
    const all = await writing([createUser(1)]);
    const error = await failure(send(all, { kind: 'not_applied', reason: 'connection refused' }));
    expect(error).toMatchObject({
      name: 'UnavailableError',
      code: 'service.unreachable',
      message: 'the service could not be reached (connection refused); nothing of this request was sent',
      next: 'resume RUN',
    });
    expect(await resultsOf(all)).toEqual([['not_applied', 'connection refused']]);
    expect(all.engine.events).toMatchObject([{ kind: 'progress', done: 0 }]);
  });

  const SAID = 'the service answered 429 (slow down) again and again, even after the waits that it asked for';

  it('is refused for its row, for want of room, is deferred, and ends the run', async () => {
    const all = await writing([createUser(1, { said: words('a remark') })]);
    const error = await failure(send(all, full));
    expect(error).toMatchObject({ code: 'service.throttled', message: SAID, next: 'resume RUN' });
    expect(await resultsOf(all)).toEqual([['refused', SAID]]);
    expect(await rowsOf(all)).toEqual([{ outcome: 'deferred', message: `a remark; ${SAID}` }]);
  });

  it.each<readonly [string, Partial<Intent>, IntentResult | null, string | null]>([
    ['nobody knows', {}, null, null],
    ['no answer came', {}, 'ambiguous', null],
    ['nothing showed of it', { operation: 'update-user' }, 'not_applied', null],
    ['a list proved that it was not applied', {}, 'not_applied', 'deferred'],
    ['it was another row', { rowNumbers: [2] }, null, 'deferred'],
    ['it was another mapping', { mapping: 'others' }, null, 'deferred'],
  ])('is refused so after a write of which %s leaves its row to the end of the run', async (...given) => {
    const [, changes, result, outcome] = given;
    const all = await writing([createUser(1)]);
    const { store } = all.engine;
    await store.addIntent(ACCOUNT, intentOf('W', { rowNumbers: [1], ...changes }));
    if (result !== null) await store.recordResult(ACCOUNT, 'W', result, [{ code: 'read-back-settled' }], []);
    expect(await failure(send(all, full))).toMatchObject({ code: 'service.throttled' });
    expect(await rowsOf(all)).toMatchObject([{ outcome }]);
  });

  it('is refused for want of room as a batch may have been applied in part, and stays open', async () => {
    const all = await writing([createUser(1), createUser(2)]);
    expect(await failure(send(all, full))).toMatchObject({ code: 'service.throttled', message: SAID });
    expect(await resultsOf(all)).toEqual([['ambiguous', SAID]]);
    const message = `no trustworthy answer (${SAID}); teamsheet resume RUN looks for it`;
    const held = { outcome: 'unknown', message };
    expect(await rowsOf(all)).toEqual([held, held]);
  });

  it.each([
    ['by a quota', { ...full, quota: { feature: 'users', room: 0 } } as const],
    ['for what it holds', { kind: 'refused', status: 400, message: 'no' } as const],
    ['in other words than the envelope', lost('no envelope', 429)],
  ])('is refused %s is an answer', async (_, refused) => {
    const all = await writing([createUser(1)]);
    expect((await send(all, refused)).result).toEqual(refused);
    expect(await resultsOf(all)).toEqual([[null, '']]);
  });

  it('is answered counts as progress, which begins before the first answer and goes past the plan where more were needed', async () => {
    const all = await writing([createUser(1)], { writes: 2 });
    for (const answer of [applied, lost('timeout'), applied]) await send(all, answer);
    const unit = { kind: 'progress', mapping: 'users', unit: 'requests' };
    expect(all.engine.events).toEqual([
      { ...unit, done: 0, total: 2 },
      { ...unit, done: 1, total: 2 },
      { ...unit, done: 2, total: 2 },
      { ...unit, done: 3, total: 3 },
    ]);
    expect(all.writer.isSpent(1)).toBe(false);
  });
});

describe('an answer that shows every row', () => {
  const answers = async (count: number) => {
    const all = await writing(Array.from({ length: count }, (_, at) => createUser(at + 1)));
    const { writer, engine } = all;
    engine.service.send = () => Promise.resolve(applied as never);
    const steps: string[] = [];
    const { store } = engine;
    const stored = { addIntent: store.addIntent.bind(store), recordResult: store.recordResult.bind(store) };
    store.addIntent = async (account, intent, settled = []) => {
      await stored.addIntent(account, intent, settled);
      steps.push([...settled.map(() => 'answer'), 'intent'].join(' with '));
    };
    store.recordResult = async (...recorded) => {
      await stored.recordResult(...recorded);
      steps.push('answer');
    };
    const push = async (row: RunRow): Promise<void> => {
      const { intent } = await writer.send('create-users', [row], { body: { users: [] } });
      const record = knownRecord(row.key ?? '', {});
      await writer.recordAnswer(intent, [record], () => {
        steps.push(`row ${row.rowNumber}`);
        return Promise.resolve();
      });
    };
    return { ...all, steps, push };
  };

  it('is recorded with the intent of the next request while rows wait, and what follows comes after', async () => {
    const { writer, given, steps, push, engine } = await answers(3);
    const pool = writer.openPool(1);
    for (const row of given) await pool.add(() => push(row));
    await pool.done();
    expect(steps).toEqual([
      ...['intent', 'answer with intent', 'row 1', 'answer with intent', 'row 2', 'answer', 'row 3'],
    ]);
    expect((await engine.store.intents('RUN')).map(({ result }) => result)).toEqual(Array(3).fill('applied'));
    expect([...(await engine.store.snapshots(ACCOUNT, 'users', ['U1', 'U3'])).values()]).toMatchObject([
      { managedBy: 'users' },
      { managedBy: 'users' },
    ]);
  });

  it('is recorded at once where no row waits', async () => {
    const { given, steps, push } = await answers(1);
    for (const row of given) await push(row);
    expect(steps).toEqual(['intent', 'answer', 'row 1']);
  });

  it('is recorded before one that leaves a doubt, and where the next request does not go out', async () => {
    const { writer, given, steps, push } = await answers(2);
    const pool = writer.openPool(1);
    const [first, second] = given;
    if (first === undefined || second === undefined) throw new Error('two rows were given');
    await pool.add(() => push(first));
    await pool.add(() => Promise.reject(new Error('full')));
    await expect(pool.done()).rejects.toThrow('full');
    expect(steps).toEqual(['intent', 'answer', 'row 1']);
    const again = writer.openPool(1);
    await again.add(() => push(first));
    await again.add(async () => {
      const { intent } = await writer.send('create-users', [second], { body: { users: [] } });
      await writer.recordResult(intent, 'doubted', [], []);
    });
    await again.done();
    expect(steps.slice(3)).toEqual(['intent', 'answer with intent', 'row 1', 'answer']);
  });

  it('is known to the evidence of the next write before it is recorded', async () => {
    const { writer, given, push, engine } = await answers(2);
    await engine.store.confirm(ACCOUNT, 'users', [knownRecord('other', {})]);
    const [first] = given;
    if (first === undefined) throw new Error('two rows were given');
    const pool = writer.openPool(1);
    await pool.add(() => push(first));
    await pool.add(() => push(createUser(3, { key: 'u1' })));
    await pool.done();
    const [, second] = await engine.store.intents('RUN');
    expect(JSON.parse(second?.evidence ?? '{}')).toMatchObject({ known: 1, alike: ['U1'] });
  });
});

describe('answers that do not come', () => {
  it('are counted by row, three times at most, with the last reason', async () => {
    const all = await writing([createUser(1), createUser(2)]);
    const { writer } = all;
    expect([writer.isSpent(1), renderSaid(writer.lastReason(1))]).toEqual([false, '']);
    await send(all, lost('timeout'));
    await send(all, lost('connection reset'));
    writer.countLost([createUser(2)], words('no name'));
    expect([writer.isSpent(1), renderSaid(writer.lastReason(1))]).toEqual([false, 'connection reset']);
    expect([writer.isSpent(2), renderSaid(writer.lastReason(2))]).toEqual([true, 'no name']);
    await send(all, lost('timeout'));
    expect([writer.isSpent(1), renderSaid(writer.lastReason(1))]).toEqual([true, 'timeout']);
    expect(writer.isSpent(3)).toBe(false);
  });

  it('do not count where they said no', async () => {
    const all = await writing([createUser(1)]);
    for (let sent = 0; sent < 3; sent += 1) await send(all, lost('no envelope', 400));
    expect([all.writer.isSpent(1), renderSaid(all.writer.lastReason(1))]).toEqual([false, '']);
    expect(() => {
      all.writer.checkAmbiguous(words('no envelope'));
    }).not.toThrow();
  });

  it('end the run when three come in a row', async () => {
    const all = await writing([createUser(1)]);
    const check = (): void => {
      all.writer.checkAmbiguous(words('connection reset'));
    };
    for (const answer of [lost('a'), lost('b', 500), applied, lost('c'), lost('d')]) {
      await send(all, answer);
      expect(check).not.toThrow();
    }
    await send(all, lost('e'));
    expect(check).toThrow(
      expect.objectContaining({
        name: 'UnavailableError',
        code: 'service.ambiguous',
        message:
          '3 writes in a row had no trustworthy answer (the last: connection reset), so the run stopped',
        next: 'resume RUN',
      }),
    );
  });

  it('leave a write open from when it was surely sent', async () => {
    const all = await writing([createUser(1)]);
    const { writer, engine } = all;
    const { intent } = await send(all, lost('timeout'));
    engine.clock.time += 5000;
    engine.clock.skewMs = 60_000;
    await writer.recordResult(intent, 'doubted', words('timeout'), []);
    expect(writer.openSinceMs).toBe(engine.clock.monotonic());
    expect(await resultsOf(all)).toEqual([['ambiguous', 'timeout']]);
  });

  it.each(['answered', 'refused', 'not-sent'] as const)('leave no write open that was %s', async (event) => {
    const all = await writing([createUser(1)]);
    const { intent } = await send(all, lost('timeout'));
    await all.writer.recordResult(intent, event, words('why'), []);
    expect(all.writer.openSinceMs).toBeUndefined();
    await expect(all.writer.recordResult(intent, 'doubted', words('timeout'), [])).rejects.toThrow(
      'no open intent',
    );
  });
});

describe('what is known of rows', () => {
  const users = { mapping: pushMapping({ name: 'players' }) };

  it('is remembered with the mapping that wrote it', async () => {
    const all = await writing([createUser(1)], users);
    const { intent } = await send(all, applied);
    await all.writer.recordResult(intent, 'answered', [], [knownRecord('U1', {})]);
    const found = new Map([['U2', { id: 'id-2', record: knownRecord('U2', {}) }]]);
    await all.writer.remember([createUser(2), createUser(3), createUser(4, { key: null })], found);
    const known = await all.engine.store.snapshots(ACCOUNT, 'users', ['U1', 'U2', 'U3', '']);
    expect([...known.values()].map(({ key, managedBy }) => [key, managedBy])).toEqual([
      ['U1', 'players'],
      ['U2', 'players'],
    ]);
  });

  it('is marked and told, where a row has come to an end', async () => {
    const all = await writing([createUser(1), createUser(2), createUser(3, { key: null }), createUser(4)]);
    const yes = (at: number) => ({ id: `id-${at}`, record: knownRecord(`U${at}`, { is_active: true }) });
    const found = new Map<string, Confirmation>([
      ['U1', { ...yes(1), note: { code: 'text', text: 'a note' } }],
      ['', yes(3)],
      ['U4', yes(4)],
    ]);
    const inactive = createUser(4, { fields: { external_id: 'U4', is_active: false } });
    await all.writer.patchConfirmed([...all.given.slice(0, 3), inactive], found);
    expect(await rowsOf(all)).toEqual([
      { outcome: 'created', message: 'a note', id: 'id-1' },
      { outcome: null, message: '' },
      { outcome: null, message: '' },
      { outcome: null, message: '', id: 'id-4' },
    ]);
    await all.writer.patch([
      { rowNumber: 2, outcome: null },
      { rowNumber: 3, outcome: 'deferred' },
    ]);
    expect(all.engine.events).toEqual([
      { kind: 'outcome', mapping: 'users', rowNumber: 1, outcome: 'created', message: 'a note' },
      { kind: 'outcome', mapping: 'users', rowNumber: 3, outcome: 'deferred', message: '' },
    ]);
  });

  it('is nothing of those that are held, which says what to do', async () => {
    const all = await writing([createUser(1), createUser(2, { said: words('a remark') })]);
    await all.writer.hold(all.given, words('no trustworthy answer (timeout)'));
    const message = 'no trustworthy answer (timeout); teamsheet resume RUN looks for it';
    expect(await rowsOf(all)).toEqual([
      { outcome: 'unknown', message },
      { outcome: 'unknown', message: `a remark; ${message}` },
    ]);
  });

  it('is said of those that are deferred: only a create that has its id was created', async () => {
    const all = await writing([
      createUser(1),
      createUser(2, { id: 'id-2', said: words('a remark') }),
      createUser(3, { change: 'update', id: 'id-3' }),
      createUser(4, { change: 'update' }),
    ]);
    await all.writer.defer(all.given, words('no room'));
    expect(await rowsOf(all)).toEqual([
      { outcome: 'deferred', message: 'no room' },
      {
        outcome: 'deferred',
        message: 'a remark; created, but its active flag was not set: no room',
        id: 'id-2',
      },
      { outcome: 'deferred', message: 'no room', id: 'id-3' },
      { outcome: 'deferred', message: 'no room' },
    ]);
  });
});
