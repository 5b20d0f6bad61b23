import { expect, it } from 'vitest';
import { StoppedError } from '../../src/model/error.ts';
import type { Store, StoredIntent } from '../../src/model/state/store.ts';
import { changedBy } from '../../src/model/changed-by.ts';
import { push } from '../../src/sync/push.ts';
import { resolve } from '../../src/sync/resolve.ts';
import { resume } from '../../src/sync/resume.ts';
import { makeEngine, PLAN_OPTIONS, type Engine } from '../support/engine.ts';
import { accountOf, approve, mappingOn, userEngine, userTable } from '../support/push-case.ts';

const users = mappingOn('users.csv', { batchSize: 1 });

/** A push of an engine that stops at its first write, as one that loses its lock: nobody records what came of it. */
async function cutOff(engine: Engine): Promise<void> {
  const lost = new StoppedError('lock.lost', 'the lock is not held any more');
  const store = changedBy(engine.store, { recordResult: () => Promise.reject(lost) });
  const pushed = push({ ...engine.ports, store, concurrency: 1 }, 'push', [users], PLAN_OPTIONS, approve);
  await expect(pushed).rejects.toMatchObject({ code: 'lock.lost' });
}

/** The state as others see it, who took the lock of a process that went silent. */
function takenOver({ store }: Engine, goneAtMs: () => number | null): Store {
  let first: string | undefined;
  const marked = async (read: Promise<readonly StoredIntent[]>): Promise<readonly StoredIntent[]> => {
    const writes = await read;
    first ??= writes[0]?.id;
    const silent = { holder: 'pid 1 (push) on tower', goneAtMs: goneAtMs() };
    return writes.map((write) => (write.id === first ? { ...write, silent } : write));
  };
  return changedBy(store, {
    openIntents: (account) => marked(store.openIntents(account)),
    intents: (run) => marked(store.intents(run)),
  });
}

const keysOf = ({ service }: Engine): readonly string[] => service.users.map((user) => user.external_id);

/** An engine whose first write, of user A, was recorded and did not go out. */
const asleep = async (...lines: readonly string[]) => fallAsleep(await makeEngine(), ...lines);

async function fallAsleep(engine: Engine, ...lines: readonly string[]) {
  userTable(engine, ...lines);
  engine.service.faults.push('vanished');
  await cutOff(engine);
  let goneAtMs: number | null = null;
  const ports = { ...engine.ports, store: takenOver(engine, () => goneAtMs) };
  return { engine, ports, gone: (atMs: number) => (goneAtMs = atMs) };
}

it('a write of a silent process is not sent again when reading back does not show it, and other rows are', async () => {
  const { engine, ports } = await asleep('A,Ann,', 'B,Bob,');
  const resumed = await resume(ports, undefined, approve);
  expect(resumed?.report).toMatchObject({ exit_code: 7, mappings: [{ created: 1, unknown: 1 }] });
  expect(engine.files.get('users.results')?.[1]?.join()).toContain(
    'pid 1 (push) on tower recorded this write, went silent and may still send it',
  );
  expect(keysOf(engine)).toEqual(['B']);
  // Asked again and again, also by those who want it settled.
  await resume(ports, resumed?.report.run ?? '', approve, { onAmbiguous: 'settle' });
  expect(keysOf(engine)).toEqual(['B']);
});

it('waits for the settle time of a process that says only while the lists are read that it is awake and gone', async () => {
  const { engine, ports, gone } = await asleep('A,Ann,');
  const waking: typeof ports.service.list = (...asked) => {
    gone(engine.clock.time);
    return ports.service.list(...asked);
  };
  const service = changedBy(ports.service, { list: waking });
  userTable(engine, 'A,Ann,', 'C,Cyd,');
  const pushed = await push({ ...ports, service }, 'push', [users], PLAN_OPTIONS, approve);
  expect(pushed.report).toMatchObject({ exit_code: 7, mappings: [{ created: 1, deferred: 1 }] });
  expect(keysOf(engine)).toEqual(['C']);
  // What it sent then is there by now.
  await engine.service.send('create-users', { body: { users: [{ external_id: 'A', display_name: 'Ann' }] } });
  const again = await push(ports, 'push', [users], PLAN_OPTIONS, approve);
  expect(again.report).toMatchObject({ exit_code: 0, mappings: [{ created: 0, unchanged: 2 }] });
});

it('is not sent again by a run that has waited and reads it back when its process says that it is gone', async () => {
  const { engine, ports, gone } = await asleep('A,Ann,');
  const store = changedBy(ports.store, {
    intents: (run) => {
      gone(engine.clock.time);
      return ports.store.intents(run);
    },
  });
  const resumed = await resume({ ...ports, store }, undefined, approve);
  expect(resumed?.report).toMatchObject({ mappings: [{ unknown: 1 }] });
  expect(keysOf(engine)).toEqual([]);
  expect((await resume(ports, undefined, approve))?.report).toMatchObject({ mappings: [{ created: 1 }] });
  expect(keysOf(engine)).toEqual(['A']);
});

it('its keys wait in later pushes too, also where a change of another value is wanted', async () => {
  const { engine, ports } = await asleep('A,Ann,');
  userTable(engine, 'A,Anna,', 'C,Cyd,');
  const pushed = await push(ports, 'push', [users], PLAN_OPTIONS, approve);
  expect(pushed.report).toMatchObject({ exit_code: 7, mappings: [{ created: 1, deferred: 1 }] });
  expect(keysOf(engine)).toEqual(['C']);
});

it('what it sent when it woke is found', async () => {
  const { engine, ports } = await asleep('A,Ann,');
  expect((await resume(ports, undefined, approve))?.report).toMatchObject({ mappings: [{ unknown: 1 }] });
  await engine.service.send('create-users', { body: { users: [{ external_id: 'A', display_name: 'Ann' }] } });
  expect((await resume(ports, undefined, approve))?.report).toMatchObject({
    exit_code: 0,
    mappings: [{ created: 1 }],
  });
  expect(keysOf(engine)).toEqual(['A']);
});

/** Nothing shows that the write went out; once its process is gone, its row comes to what is expected. */
async function expectOpenUntilGone(
  { engine, ports, gone }: Awaited<ReturnType<typeof fallAsleep>>,
  then: Readonly<Record<string, number>>,
): Promise<void> {
  const resumed = async () => (await resume(ports, undefined, approve))?.report;
  expect(await resumed()).toMatchObject({ mappings: [{ unknown: 1 }] });
  expect(await engine.store.openIntents(accountOf(engine))).toHaveLength(1);
  engine.clock.time += 3_600_000;
  gone(engine.clock.time);
  expect(await resumed()).toMatchObject({ mappings: [then] });
  expect(await engine.store.openIntents(accountOf(engine))).toEqual([]);
}

it('what somebody else made of its key, with other values, does not show that it went out', async () => {
  const asleepNow = await asleep('A,Ann,');
  const { engine } = asleepNow;
  await engine.service.send('create-users', {
    body: { users: [{ external_id: 'A', display_name: 'Anton' }] },
  });
  await expectOpenUntilGone(asleepNow, { conflict: 1 });
  expect(keysOf(engine)).toEqual(['A']);
});

it('a record that was there before, and is known for its own only since, does not show that it went out', async () => {
  const engine = await makeEngine({ spelling: { lower: 'everywhere' } });
  await engine.service.send('create-users', { body: { users: [{ external_id: 'A', display_name: 'Ann' }] } });
  const asleepNow = await fallAsleep(engine, 'A,Ann,', 'B,Bob,');
  await resume(asleepNow.ports, undefined, approve);
  // What became of row B has shown how the service spells keys.
  await expectOpenUntilGone(asleepNow, { unknown: 0 });
  expect(keysOf(engine)).toEqual(['A', 'B']);
});

it('of an account that counts nothing, no record shows that it went out: it may have been there unseen', async () => {
  const engine = await makeEngine({ counter: 'absent' });
  const asleepNow = await fallAsleep(engine, 'A,Ann,');
  await engine.service.send('create-users', { body: { users: [{ external_id: 'A', display_name: 'Ann' }] } });
  await expectOpenUntilGone(asleepNow, { created: 1 });
  expect(keysOf(engine)).toEqual(['A']);
});

it('is sent again once its process is known to be gone for the settle time', async () => {
  const { engine, ports, gone } = await asleep('A,Ann,');
  await resume(ports, undefined, approve);
  engine.clock.time += 3_600_000;
  gone(engine.clock.time);
  engine.clock.slept.length = 0;
  expect((await resume(ports, undefined, approve))?.report).toMatchObject({
    exit_code: 0,
    mappings: [{ created: 1 }],
  });
  expect(engine.clock.slept).toEqual([ports.settleMs]);
  expect(keysOf(engine)).toEqual(['A']);
});

/** An engine that went silent between recording a change of user A and sending it. */
async function asleepInChange() {
  const engine = await userEngine(['A,Ann,']);
  await push(engine.ports, 'push', [users], PLAN_OPTIONS, approve);
  userTable(engine, 'A,Anna,');
  engine.service.faults.push('vanished');
  await cutOff(engine);
  const [run] = await engine.store.runs(1);
  const [change] = await engine.store.intents(run?.id ?? '');
  let goneAtMs: number | null = null;
  const slept = (write: StoredIntent): StoredIntent =>
    write.id === change?.id ? { ...write, silent: { holder: 'tower', goneAtMs } } : write;
  const store = changedBy(engine.store, {
    openIntents: async (account) => (await engine.store.openIntents(account)).map(slept),
    intents: async (id) => (await engine.store.intents(id)).map(slept),
  });
  return { engine, ports: { ...engine.ports, store }, gone: (atMs: number) => (goneAtMs = atMs) };
}

it('a change stays unknown while the record does not show it', async () => {
  const { engine, ports } = await asleepInChange();
  expect((await resume(ports, undefined, approve))?.report).toMatchObject({ mappings: [{ unknown: 1 }] });
  expect(engine.service.users[0]?.display_name).toBe('Ann');
});

it('a change that is there does not say that it went out: nothing else is sent of its key, until its process is gone', async () => {
  const { engine, ports, gone } = await asleepInChange();
  const [user] = engine.service.users;
  await engine.service.send('update-user', { body: { id: user?.id ?? '', display_name: 'Anna' } });
  expect((await resume(ports, undefined, approve))?.report).toMatchObject({ mappings: [{ updated: 1 }] });
  expect(await engine.store.openIntents(accountOf(engine))).toHaveLength(1);
  const same = await push(ports, 'push', [users], PLAN_OPTIONS, approve);
  expect(same.report).toMatchObject({ exit_code: 0, mappings: [{ unchanged: 1 }] });
  userTable(engine, 'A,Anne,');
  const other = await push(ports, 'push', [users], PLAN_OPTIONS, approve);
  expect(other.report).toMatchObject({ exit_code: 7, mappings: [{ deferred: 1 }] });
  engine.clock.time += 3_600_000;
  gone(engine.clock.time);
  const sent = await push(ports, 'push', [users], PLAN_OPTIONS, approve);
  expect(sent.report).toMatchObject({ exit_code: 0, mappings: [{ updated: 1 }] });
  expect(await engine.store.openIntents(accountOf(engine))).toEqual([]);
});

it('is decided by the operator', async () => {
  const { engine, ports } = await asleep('A,Ann,');
  await resume(ports, undefined, approve);
  const [run] = await engine.store.runs(1);
  const [write] = await engine.store.intents(run?.id ?? '');
  const seen = await resolve(ports, write?.id, undefined, approve);
  expect(seen).toMatchObject({ exitCode: 7, cases: [{ settled: undefined }] });
  const decided = await resolve(ports, write?.id, 'not-applied', approve);
  expect(decided).toMatchObject({ exitCode: 0, cases: [{ settled: 'not_applied' }] });
  expect((await resume(ports, undefined, approve))?.report).toMatchObject({ mappings: [{ created: 1 }] });
  expect(keysOf(engine)).toEqual(['A']);
});

/** An engine that sent a change of user A twice without an answer, and then went silent between recording the second one and sending it. */
async function asleepInSecondTry() {
  const engine = await userEngine(['A,Ann,']);
  await push(engine.ports, 'push', [users], PLAN_OPTIONS, approve);
  userTable(engine, 'A,Anna,');
  engine.service.faults.push('vanished', 'vanished');
  const lost = new StoppedError('lock.lost', 'the lock is not held any more');
  let results = 0;
  const dying = changedBy(engine.store, {
    recordResult: (...result) => {
      results += 1;
      return results === 1 ? engine.store.recordResult(...result) : Promise.reject(lost);
    },
  });
  const pushed = push({ ...engine.ports, store: dying }, 'push', [users], PLAN_OPTIONS, approve);
  await expect(pushed).rejects.toMatchObject({ code: 'lock.lost' });
  const [run] = await engine.store.runs(1);
  const tries = await engine.store.intents(run?.id ?? '');
  expect(tries).toMatchObject([{ result: 'ambiguous' }, { result: null }]);
  let goneAtMs: number | null = null;
  const slept = (write: StoredIntent): StoredIntent =>
    write.id === tries[1]?.id ? { ...write, silent: { holder: 'tower', goneAtMs } } : write;
  const store = changedBy(engine.store, {
    openIntents: async (account) => (await engine.store.openIntents(account)).map(slept),
    intents: async (id) => (await engine.store.intents(id)).map(slept),
  });
  return { engine, ports: { ...engine.ports, store }, gone: (atMs: number) => (goneAtMs = atMs) };
}

it('a change is not sent a third time while its second try may still go out, though nothing came of the first', async () => {
  const { engine, ports, gone } = await asleepInSecondTry();
  expect((await resume(ports, undefined, approve))?.report).toMatchObject({ mappings: [{ unknown: 1 }] });
  expect(engine.service.users[0]?.display_name).toBe('Ann');
  engine.clock.time += 3_600_000;
  gone(engine.clock.time);
  expect((await resume(ports, undefined, approve))?.report).toMatchObject({ mappings: [{ updated: 1 }] });
  expect(engine.service.users[0]?.display_name).toBe('Anna');
});

it('a change that is found after two tries does not say that the second went out, so that its key waits', async () => {
  const { engine, ports } = await asleepInSecondTry();
  const [user] = engine.service.users;
  await engine.service.send('update-user', { body: { id: user?.id ?? '', display_name: 'Anna' } });
  expect((await resume(ports, undefined, approve))?.report).toMatchObject({ mappings: [{ updated: 1 }] });
  userTable(engine, 'A,Anne,');
  const pushed = await push(ports, 'push', [users], PLAN_OPTIONS, approve);
  expect(pushed.report).toMatchObject({ exit_code: 7, mappings: [{ deferred: 1 }] });
});
