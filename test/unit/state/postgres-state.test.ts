import { afterAll, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import type { KnownRecord } from '../../../src/model/state/run-rows.ts';
import type { Intent, Lock, Store } from '../../../src/model/state/store.ts';
import { DatabaseFailure, type PostgresClient } from '../../../src/state/postgres/client.ts';
import { pgClient } from '../../../src/state/postgres/pg-client.ts';
import { lookAtDatabase } from '../../../src/state/postgres/look.ts';
import { readWorkers } from '../../../src/state/postgres/workers.ts';
import {
  clientOf,
  newSchema,
  noPostgres,
  onePostgres,
  openTestState,
  startPooler,
  startPostgres,
  type PostgresServer,
} from '../../support/postgres.ts';
import { runRow } from '../../support/run-row.ts';
import { intentOf, startedRun } from '../../support/writes.ts';
import { testFolder } from '../../support/test-folder.ts';

const clock = { now: () => 1, monotonic: () => 1, sleep: () => Promise.resolve() };
const account = { baseUrl: 'https://data.example', accountId: 'club' };

const postgres = onePostgres();
let client: PostgresClient;
let schema: string;
const folder = testFolder();
beforeEach(async () => {
  client = await postgres.client();
  schema = newSchema();
});

type State = Awaited<ReturnType<typeof openTestState>>;
const open = (options: Partial<Parameters<typeof openTestState>[3]> = {}): Promise<State> =>
  openTestState(client, schema, folder.path, { clock, ...options });

const intent = (id: string): Intent => intentOf(id, { rowNumbers: [2], keys: ['a'] });

const record = (key: string, id: string): KnownRecord => ({ key, id, number: 1, digests: {}, values: {} });
const run = startedRun('RUN', { account });

describe('the tables of a state', () => {
  it('are made once, and used as they are from then on', async () => {
    await (await open()).store.setFact(account, 'a', '1');
    expect((await (await open()).store.fact(account, 'a'))?.value).toBe('1');
    expect((await client.query(`SELECT count(*) FROM "${schema}"."format"`, [])).rows).toEqual([[1]]);
  });

  it('are refused, and left as they are, where a newer teamsheet made them', async () => {
    await open();
    await client.query(`UPDATE "${schema}"."format" SET version = 99`, []);
    await expect(open()).rejects.toMatchObject({
      code: 'state.newer',
      exitCode: 4,
      message: expect.stringMatching(
        /^the state in postgres:\/\/127\.0\.0\.1\/test was written by a newer teamsheet \(format 99; this one knows \d+\)$/,
      ) as string,
    });
    const { rows } = await client.query(`SELECT version FROM "${schema}"."format"`, []);
    expect(rows).toEqual([[99]]);
    const status = readWorkers(client, 'postgres://127.0.0.1/test', { state: schema, jobs: 'none' });
    await expect(status).rejects.toMatchObject({ code: 'state.newer', exitCode: 4 });
  });

  it('are not made where another program has a table of one of the names, and nothing is left of them', async () => {
    await client.query(`CREATE SCHEMA "${schema}"`, []);
    await client.query(`CREATE TABLE "${schema}"."run" (id integer)`, []);
    await expect(open()).rejects.toMatchObject({ code: 'state.damaged', exitCode: 4 });
    const names = await client.query(
      'SELECT table_name FROM information_schema.tables WHERE table_schema = $1',
      [schema],
    );
    expect(names.rows).toEqual([['run']]);
  });

  it('say so where one of them is gone', async () => {
    const { store } = await open();
    await client.query(`DROP TABLE "${schema}"."fact"`, []);
    await expect(store.fact(account, 'a')).rejects.toMatchObject({ code: 'state.damaged', exitCode: 4 });
    await expect(lookAtDatabase(client, 'postgres://127.0.0.1/test', schema, clock)).rejects.toMatchObject({
      ...{ code: 'state.damaged', exitCode: 4 },
      message: expect.stringContaining(`it lacks "${schema}.fact"`) as string,
    });
  });

  it('say so where a value in them is not what was written', async () => {
    const { store } = await open({ held: [account] });
    await store.addIntent(account, intent('1'));
    await client.query(`UPDATE "${schema}"."intent" SET document = left(document, 9)`, []);
    await expect(store.openIntents(account)).rejects.toMatchObject({ code: 'state.damaged', exitCode: 4 });
  });

  it('lend no lock to a machine whose clock is wrong', async () => {
    const at = async (offMs: number): Promise<unknown> => {
      const moved = { ...clock, now: () => Date.now() + offMs };
      const { lock } = await open({ clock: moved, clockToleranceMs: 5_000 });
      return lock.acquire(account, 'push').then((held) => held.release());
    };
    await at(1_000);
    for (const offMs of [-60_000, 60_000])
      await expect(at(offMs)).rejects.toMatchObject({
        ...{ code: 'lock.clock', exitCode: 6 },
        message: expect.stringMatching(/^the clock of this machine is \d\d s off that of /) as string,
      });
    await at(0);
  });

  it.each([-60_000, 60_000])('end a lock whose machine has its clock set by %d ms', async (offMs) => {
    let off = 0;
    let renew = (): void => undefined;
    const { lock } = await open({
      clock: { ...clock, now: () => Date.now() + off },
      clockToleranceMs: 5_000,
      repeat: (work) => {
        renew = work;
        return () => undefined;
      },
    });
    const held = await lock.acquire(account, 'push');
    off = offMs;
    renew();
    await vi.waitFor(() => expect(held.lost.reason).toMatchObject({ code: 'lock.clock' }));
    await expect(held.check()).rejects.toMatchObject({ code: 'lock.clock' });
  });

  it('are looked at without being made', async () => {
    const look = (...times: readonly number[]) => {
      const left = [...times];
      const now = (): number => left.shift() ?? 0;
      return lookAtDatabase(client, 'postgres://127.0.0.1/test', schema, { ...clock, now });
    };
    const before = await look(0, Number.MAX_SAFE_INTEGER);
    expect(before).toMatchObject({ format: 0, refused: [], clockOffMs: 0 });
    expect(before.version).toMatch(/^\d+/);
    // A machine whose clock says 1970.
    expect((await look(0, 1)).clockOffMs).toBeGreaterThan(Date.UTC(2020));
    await open();
    expect((await look()).format).toBe(before.newest);
    await client.query(`UPDATE "${schema}"."format" SET version = 99`, []);
    expect((await look()).format).toBe(99);
  });

  it('of several teams stand beside each other in one database', async () => {
    const { store } = await open();
    await store.setFact(account, 'a', 'ours');
    schema = newSchema();
    const { store: theirs } = await open();
    expect(await theirs.fact(account, 'a')).toBeUndefined();
  });

  it.each([
    ['28P01', 'state.access', 4],
    ['3D000', 'state.access', 4],
    ['42501', 'state.rights', 4],
    ['53100', 'state.unwritable', 8],
    ['25006', 'state.unwritable', 8],
    ['40P01', 'state.busy', 8],
    ['57P01', 'state.unreachable', 8],
    ['08006', 'state.unreachable', 8],
    [undefined, 'state.unreachable', 8],
  ])('that answer SQLSTATE %s are %s', async (sqlState, code, exitCode) => {
    const failing: PostgresClient = {
      ...client,
      query: () => Promise.reject(new DatabaseFailure(sqlState, new Error('why'))),
    };
    const opened = openTestState(failing, schema, folder.path, { clock });
    await expect(opened).rejects.toMatchObject({
      code,
      exitCode,
      message: expect.stringMatching(/^postgres:\/\/127\.0\.0\.1\/test .*: why$/) as string,
    });
  });
});

describe('texts', () => {
  it.each([
    ['a NUL', 'a\0b'],
    ['half of a surrogate pair', 'a\ud800b'],
    ['a backslash and quotes', '\\u0000 "\'\\'],
    ['more than an index takes', '山'.repeat(5000)],
  ])('with %s come back as they were', async (_what, odd) => {
    const { store } = await open({ held: [account] });
    const record = { key: odd, id: odd, number: null, digests: { [odd]: odd }, values: { name: odd } };
    await store.confirm(account, 'users', [{ ...record, managedBy: odd }]);
    expect((await store.snapshots(account, 'users', [odd])).get(odd)).toEqual({ ...record, managedBy: odd });
    await store.setFact(account, 'odd', odd);
    expect((await store.fact(account, 'odd'))?.value).toBe(odd);
    const rows = await store.openRunRows('RUN');
    const row = runRow({ rowNumber: 2, key: odd, folded: odd, lines: [[odd]], id: odd });
    await rows.add(odd, [row]);
    await rows.addKnown(odd, [record]);
    expect(await rows.rows(odd, [2])).toEqual([row]);
    expect((await rows.known(odd, [odd])).get(odd)).toEqual([record]);
    await store.addIntent(account, { ...intent('1'), keys: [odd] });
    expect((await store.openIntents(account))[0]?.keys).toEqual([odd]);
  });
});

/** Timers that a test turns. */
function byHand(): { readonly repeat: (work: () => void, everyMs: number) => () => void; turn(): void } {
  const works = new Set<() => void>();
  return {
    repeat: (work, everyMs) => {
      expect(everyMs).toBe(10_000);
      works.add(work);
      return () => works.delete(work);
    },
    turn: () => works.forEach((work) => work()),
  };
}

describe('the lease of an account', () => {
  const secondsLeft = async (): Promise<number> => {
    const { rows } = await client.query(
      `SELECT (extract(epoch FROM expires) - extract(epoch FROM clock_timestamp()))::double precision FROM "${schema}"."lease"`,
      [],
    );
    return Number(rows[0]?.[0]);
  };
  const runOut = () =>
    client.query(`UPDATE "${schema}"."lease" SET expires = clock_timestamp() - interval '1 second'`, []);
  const number = async (): Promise<number> =>
    Number((await client.query(`SELECT number FROM "${schema}"."lease"`, [])).rows[0]?.[0]);
  const hold = async (options: Partial<Parameters<typeof openTestState>[3]> = {}): Promise<State> => {
    const state = await open(options);
    await state.lock.acquire(account, 'push');
    return state;
  };
  const add = ({ store }: { readonly store: Store }, id: string): Promise<void> =>
    store.addIntent(account, intent(id));
  const acquire = ({ lock }: { readonly lock: Lock }) => lock.acquire(account, 'resume');

  it('is wanted for every intent', async () => {
    const state = await open();
    await expect(add(state, '1')).rejects.toMatchObject({ code: 'lock.lost', exitCode: 6 });
    const held = await acquire(state);
    await add(state, '1');
    await held.release();
    await expect(add(state, '2')).rejects.toMatchObject({ code: 'lock.lost' });
    expect((await state.store.openIntents(account)).map(({ id }) => id)).toEqual(['1']);
  });

  it('is taken over once it has run out, and its first holder records nothing any more', async () => {
    const first = await hold({ process: '' });
    const second = await open({ process: '' });
    await expect(acquire(second)).rejects.toMatchObject({ code: 'lock.held' });
    await runOut();
    const before = await number();
    const held = await acquire(second);
    expect(await number()).toBeGreaterThan(before);
    await expect(add(first, '1')).rejects.toMatchObject({ code: 'lock.lost', exitCode: 6 });
    await add(second, '2');
    expect((await second.store.openIntents(account)).map(({ id }) => id)).toEqual(['2']);
    const settled = first.store.recordResult(account, '2', 'applied', [], []);
    await expect(settled).rejects.toMatchObject({ code: 'lock.lost' });
    expect((await second.store.openIntents(account)).map(({ id }) => id)).toEqual(['2']);
    await second.store.addRun(run);
    await expect(first.store.updateRun('RUN', { finished: true })).rejects.toMatchObject({
      code: 'lock.lost',
    });
    await held.release();
    await expect(add(first, '3')).rejects.toMatchObject({ code: 'lock.lost' });
  });

  it('is wanted for what is kept of a run and of the service too: who wakes up behind another machine changes none of it', async () => {
    const first = await hold({ process: '' });
    const rows = await first.store.openRunRows('RUN');
    await rows.add('users', [runRow({ rowNumber: 2, key: 'a' })]);
    await first.store.confirm(account, 'users', [record('a', 'first')]);
    await runOut();
    const second = await open({ process: '' });
    await acquire(second);
    const lost = { code: 'lock.lost' };
    for (const change of [
      () => rows.add('users', [runRow({ rowNumber: 3, key: 'b' })]),
      () => rows.patch('users', [{ rowNumber: 2, outcome: 'created' }]),
      () => rows.deferOpen('users', []),
      () => rows.reopenDeferred('users'),
      () => rows.restart('users'),
      () => rows.addKnown('users', [record('a', 'late')]),
      () => rows.setHeader('users', ['late']),
      () => rows.keepWritten(),
      () => rows.remove(),
      () => first.store.confirm(account, 'users', [record('a', 'late')]),
      () => first.store.forgetOlder(account, 'users', 5000),
      () => first.store.respell(account, 'users', { case: true }),
    ])
      await expect(change()).rejects.toMatchObject(lost);
    const kept = await (await second.store.keptRunRows('RUN'))?.rows('users', [2, 3]);
    expect(kept).toMatchObject([{ rowNumber: 2, outcome: null }]);
    expect((await second.store.snapshots(account, 'users', ['a'])).get('a')?.id).toBe('first');
  });

  describe('that ran out while a write was on its way', () => {
    const MACHINE = 'boot pid:[1]';
    const ENDED = `${MACHINE} 4194304`;
    let nowMs = 0;
    const moved = { ...clock, now: () => nowMs };
    const silentOf = async ({ store }: State): Promise<readonly unknown[]> =>
      (await store.openIntents(account)).map(({ id, silent }) => [id, silent?.goneAtMs]);
    /** A holder of that process, whose lease somebody else has by now. */
    async function overtaken(process: string): Promise<{ readonly first: State; readonly second: State }> {
      const first = await open({ process, clock: moved });
      const held = await acquire(first);
      first.lock.acquire = () => Promise.resolve(held);
      await add(first, 'answered');
      await first.store.recordResult(account, 'answered', 'ambiguous', [], []);
      await add(first, 'open');
      await runOut();
      const second = await open({ process: `other pid:[1] 7`, clock: moved });
      await acquire(second);
      return { first, second };
    }
    beforeEach(() => {
      nowMs = 1000;
    });

    it('leaves it open to its holder, and names that', async () => {
      const { second } = await overtaken(ENDED);
      const [, write] = await second.store.openIntents(account);
      expect(write?.silent).toEqual({
        holder: expect.stringMatching(/^pid \d+ \(resume\) on \S/) as string,
        goneAtMs: null,
      });
      expect((await second.store.intents('RUN')).map(({ silent }) => silent)).toContainEqual(write?.silent);
    });

    it('is told by its holder, when that wakes and ends', async () => {
      const { first, second } = await overtaken(ENDED);
      nowMs = 2000;
      await (await acquire(first)).release();
      expect(await silentOf(second)).toContainEqual(['open', 2000]);
      await expect(add(first, 'late')).rejects.toMatchObject({ code: 'lock.lost' });
      await add(second, 'own');
    });

    it('is told by the next process of its machine, once it does not run any more', async () => {
      const { second } = await overtaken(ENDED);
      await open({ process: `another pid:[1] 8`, clock: moved });
      expect(await silentOf(second)).toContainEqual(['open', null]);
      nowMs = 3000;
      await open({ process: `${MACHINE} ${process.pid}`, clock: moved });
      expect(await silentOf(second)).toContainEqual(['open', 3000]);
    });

    it('is told by the next process that has the name of its host', async () => {
      const holder = await open({ process: ENDED, clock: moved });
      await holder.leases.arriveAs('tower');
      const { second } = await overtaken(ENDED);
      nowMs = 4000;
      const next = await open({ process: 'third pid:[1] 9', clock: moved });
      await next.leases.arriveAs('mast');
      expect(await silentOf(second)).toContainEqual(['open', null]);
      await next.leases.arriveAs('tower');
      expect(await silentOf(second)).toContainEqual(['open', 4000]);
      // Nobody waits for the end of what the last one holds either, and nothing of that is left to it.
      const last = await open({ process: 'fourth pid:[1] 10', clock: moved });
      await runOut();
      await acquire(next);
      await add(next, 'next');
      await last.leases.arriveAs('tower');
      await acquire(last);
      const [write] = (await last.store.openIntents(account)).filter(({ id }) => id === 'next');
      expect(write).not.toHaveProperty('silent');
    });

    it('is told by its own process, where that let it go while the database was away', async () => {
      const living = `${MACHINE} ${process.pid}`;
      let isAway = false;
      const real = client;
      client = {
        ...real,
        transaction: (work) =>
          isAway ? Promise.reject(new DatabaseFailure(undefined, new Error('away'))) : real.transaction(work),
      };
      const first = await open({ process: living, clock: moved });
      const held = await acquire(first);
      await add(first, 'open');
      isAway = true;
      await expect(held.release()).rejects.toMatchObject({ code: 'state.unreachable' });
      isAway = false;
      await runOut();
      // Another session of the same process takes it.
      const second = await open({ process: living, clock: moved });
      nowMs = 5000;
      await acquire(second);
      expect(await silentOf(second)).toContainEqual(['open', 5000]);
      // That of a session which still works says nothing of itself.
      await add(second, 'under way');
      await runOut();
      await acquire(await open({ process: living, clock: moved }));
      expect(await silentOf(second)).toContainEqual(['under way', null]);
    });

    it('is nothing where every write had an answer', async () => {
      const first = await hold({ process: ENDED });
      await add(first, 'answered');
      await first.store.recordResult(account, 'answered', 'ambiguous', [], []);
      await runOut();
      const second = await open({ process: '' });
      await acquire(second);
      expect(await silentOf(second)).toEqual([['answered', undefined]]);
    });
  });

  it('of a sleeper that nobody took over is still its own', async () => {
    const first = await hold();
    await runOut();
    await add(first, '1');
    expect(await secondsLeft()).toBeGreaterThan(20);
  });

  it('is renewed at a third of its term, and never again once it was released or lost', async () => {
    const timers = byHand();
    const first = await hold({ repeat: timers.repeat, process: '' });
    await runOut();
    timers.turn();
    await expect.poll(secondsLeft).toBeGreaterThan(20);
    await runOut();
    const second = await open({ process: '' });
    const held = await acquire(second);
    const before = (await client.query(`SELECT expires::text FROM "${schema}"."lease"`, [])).rows;
    timers.turn();
    // One session: this statement comes after the renewal.
    expect((await client.query(`SELECT expires::text FROM "${schema}"."lease"`, [])).rows).toEqual(before);
    await held.release();
    await expect(add(first, '1')).rejects.toMatchObject({ code: 'lock.lost' });
  });

  it('that was let go is not taken again by what was under way', async () => {
    const timers = byHand();
    const state = await open({ repeat: timers.repeat });
    const held = await acquire(state);
    timers.turn();
    await held.release();
    expect(await secondsLeft()).toBe(-Infinity);
    await expect(add(state, '1')).rejects.toMatchObject({ code: 'lock.lost' });
  });

  it('of a process of this machine that is gone is free at once, that of any other is not', async () => {
    const machine = 'boot pid:[1]';
    await hold({ process: `${machine} 4194304` });
    await expect(acquire(await open({ process: `other pid:[1] ${process.pid}` }))).rejects.toMatchObject({
      code: 'lock.held',
    });
    const held = await acquire(await open({ process: `${machine} ${process.pid}` }));
    await expect(acquire(await open({ process: `${machine} 1` }))).rejects.toMatchObject({
      code: 'lock.held',
    });
    await held.release();
  });

  it('is one for all names of a service on this machine', async () => {
    const { lock } = await open();
    const at = (baseUrl: string) => lock.acquire({ ...account, baseUrl }, 'push');
    const mine = await at('http://localhost:8787/a');
    await expect(at('http://127.0.0.1:8787/a')).rejects.toMatchObject({ code: 'lock.held' });
    await (await at('http://127.0.0.1:8788/a')).release();
    await mine.release();
  });
});

describe.skipIf(noPostgres !== undefined)(`on a server (${noPostgres ?? 'found'})`, () => {
  let server: PostgresServer;
  beforeAll(async () => {
    server = await startPostgres();
  });
  afterAll(() => server.close());
  const openOn = async (): Promise<State> =>
    openTestState(await clientOf(server), schema, folder.path, { clock, process: '' });

  it('the tables are made once by processes that start together', async () => {
    const states = await Promise.all(Array.from({ length: 8 }, openOn));
    await Promise.all(states.map(({ store }, n) => store.setFact(account, `fact ${n}`, '')));
    expect(await states[0]?.store.facts(account)).toHaveLength(8);
    await Promise.all(states.map(({ store }) => store.close()));
  });

  it('the rights that a user lacks are told', async () => {
    const owner = await clientOf(server);
    await (await openOn()).store.close();
    const user = `user_${schema}`.slice(0, 60);
    await owner.query(`CREATE ROLE "${user}" LOGIN`, []);
    const theirs = await clientOf({ ...server, url: server.url.replace(/\/\/[^@]*@/, `//${user}@`) });
    const look = () => lookAtDatabase(theirs, 'postgres://127.0.0.1/test', schema, clock);
    await expect(look()).rejects.toMatchObject({ code: 'state.rights', exitCode: 4 });
    await owner.query(`GRANT USAGE ON SCHEMA "${schema}" TO "${user}"`, []);
    await owner.query(
      `GRANT SELECT, INSERT, UPDATE, DELETE ON ALL TABLES IN SCHEMA "${schema}" TO "${user}"`,
      [],
    );
    await owner.query(`REVOKE DELETE ON "${schema}"."fact" FROM "${user}"`, []);
    expect((await look()).refused).toEqual([schema, 'fact']);
    await owner.query(`DROP OWNED BY "${user}"`, []);
    await owner.query(`DROP ROLE "${user}"`, []);
    await theirs.close();
    await owner.close();
  });

  it.each([
    [
      'that takes no writes, such as a copy of another',
      'SET default_transaction_read_only = on',
      'state.unwritable',
      'name the server that takes writes',
    ],
    [
      'that takes no more connections',
      'CONNECTION LIMIT 0',
      'state.unreachable',
      'Wait until other commands end, or allow more connections',
    ],
  ])('one %s is told with what to do', async (_, setting, code, remedy) => {
    const owner = await clientOf(server);
    await (await openOn()).store.close();
    const user = `user_${schema}`.slice(0, 60);
    await owner.query(`CREATE ROLE "${user}" LOGIN`, []);
    await owner.query(`GRANT ALL ON SCHEMA "${schema}" TO "${user}"`, []);
    await owner.query(`GRANT ALL ON ALL TABLES IN SCHEMA "${schema}" TO "${user}"`, []);
    await owner.query(`ALTER ROLE "${user}" ${setting}`, []);
    const theirs = await clientOf({ ...server, url: server.url.replace(/\/\/[^@]*@/, `//${user}@`) });
    await expect(lookAtDatabase(theirs, 'postgres://127.0.0.1/test', schema, clock)).rejects.toMatchObject({
      ...{ code, exitCode: 8 },
      next: expect.stringContaining(remedy) as string,
    });
    await theirs.close();
    await owner.query(`DROP OWNED BY "${user}"`, []);
    await owner.query(`DROP ROLE "${user}"`, []);
    await owner.close();
  });

  it('one of many that want a lease at once is given it', async () => {
    const states = await Promise.all(Array.from({ length: 8 }, openOn));
    const found = await Promise.allSettled(states.map(({ lock }) => lock.acquire(account, 'push')));
    expect(found.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
    const codes = found.flatMap((each) =>
      each.status === 'rejected' ? [(each.reason as { code: unknown }).code] : [],
    );
    expect(codes).toEqual(Array(7).fill('lock.held'));
    await Promise.all(states.map(({ store }) => store.close()));
  });

  it('a member who is forgotten while readings are kept stays forgotten', async () => {
    const [one, other] = await Promise.all([openOn(), openOn()]);
    const scope = { account, league: 7 };
    const reading = {
      gameWeek: 'w',
      kind: 'squad',
      variant: '',
      readAtMs: 1,
      squad: 'S',
      member: 'M',
      record: {},
    } as const;
    const work = Array.from({ length: 20 }, (_, n) =>
      one.store.memory.keep(scope, [{ ...reading, id: String(n) }]),
    );
    await Promise.all([...work, other.store.memory.forget(account, 'M')]);
    expect(await Array.fromAsync(one.store.memory.kept(scope, 'w', 'squad'))).toEqual([]);
    await Promise.all([one.store.close(), other.store.close()]);
  });

  it('what a part of a transaction asks for once another part has ended it is not done', async () => {
    const each = await clientOf(server);
    const table = `"${newSchema()}"`;
    await each.query(`CREATE TABLE ${table} (n integer)`, []);
    const refused = new Error('the lock is lost');
    const over = Promise.withResolvers<undefined>();
    let late: Promise<unknown> | undefined;
    const ended = each.transaction(async (session) => {
      late = over.promise.then(() => session.query(`INSERT INTO ${table} VALUES (1)`, []));
      await Promise.all([session.query('SELECT', []).then(() => Promise.reject(refused)), late]);
    });
    await expect(ended).rejects.toBe(refused);
    over.resolve(undefined);
    await expect(late).rejects.toThrow('the transaction is over');
    expect((await each.query(`SELECT n FROM ${table}`, [])).rows).toEqual([]);
    await each.query(`DROP TABLE ${table}`, []);
    await each.close();
  });

  it('a process that is stopped in a transaction keeps nobody waiting for long', async () => {
    const each = await clientOf(server);
    const shown = 'SHOW idle_in_transaction_session_timeout';
    expect((await each.transaction((session) => session.query(shown, []))).rows).toEqual([['5s']]);
    expect((await each.query(shown, [])).rows).toEqual([['0']]);
    await each.close();
  });

  it('a transaction that ends with a statement is committed with it, or undone with it', async () => {
    const each = await clientOf(server);
    const table = newSchema();
    await each.query(`CREATE TABLE public.${table} (n integer)`, []);
    const add = (n: number, last: string): Promise<unknown> =>
      each.transaction(async (session) => {
        await session.query(`INSERT INTO public.${table} VALUES ($1)`, [n]);
        return session.query(last, [], { ends: true });
      });
    await add(1, 'SELECT 1');
    await expect(add(2, 'SELECT 1 / 0')).rejects.toMatchObject({ sqlState: '22012' });
    const more = each.transaction(async (session) => {
      await session.query('SELECT 1', [], { ends: true });
      return session.query(`INSERT INTO public.${table} VALUES (3)`, []);
    });
    await expect(more).rejects.toThrow('the transaction is over');
    // The next transaction of that connection is one of its own.
    await each.transaction((session) => session.query(`INSERT INTO public.${table} VALUES (4)`, []));
    expect((await each.query(`SELECT n FROM public.${table}`, [])).rows).toEqual([[1], [4]]);
    await each.query(`DROP TABLE public.${table}`, []);
    await each.close();
  });

  it('who waits for a free connection does not take the database for gone', async () => {
    const each = await pgClient({ connectionString: server.url }, 1_500);
    const kept = { keepsPlan: true };
    await Promise.all(Array.from({ length: 8 }, () => each.query('SELECT pg_sleep(0.1)', [], kept)));
    const long = 'SELECT 1, pg_sleep(1.6)';
    const asked = Array.from({ length: 9 }, () => [
      each.query(long, []),
      each.query(long, [], kept),
      each.transaction((session) => session.query(long, [])),
    ]);
    for (const { rows } of await Promise.all(asked.flat())) expect(rows).toMatchObject([[1, '']]);
    await each.close();
  });

  it('a connection that the server has ended with a statement is not used again', async () => {
    const each = await clientOf(server);
    const kept = { keepsPlan: true };
    const pids = await Promise.all(
      Array.from({ length: 12 }, (_, at) =>
        each.query('SELECT pg_backend_pid(), pg_sleep($1)', [at < 8 ? 0.05 : 0], kept),
      ),
    );
    const [[pid]] = pids[0]?.rows as [[number, string]];
    const other = await clientOf(server);
    const waits = Array.from({ length: 16 }, () =>
      each.query('SELECT pg_sleep(0.2)', [], kept).then(
        () => 'ok',
        () => 'ended',
      ),
    );
    await other.query('SELECT pg_terminate_backend($1)', [pid]);
    expect((await Promise.all(waits)).filter((end) => end === 'ended').length).toBeLessThanOrEqual(1);
    await other.close();
    await each.close();
  });

  it('plans are kept by a connection that ends at the database, and none behind a pooler', async () => {
    const kept = async (url: string): Promise<unknown> => {
      const each = await clientOf({ ...server, url });
      // The first transaction of a connection waits for nobody to tell where it ends.
      await each.query('SELECT', []);
      const answer = await each.transaction(async (session) => {
        await session.query('SELECT $1::integer', [1], { keepsPlan: true });
        await session.query('SELECT $1::text', ['a']);
        return session.query('SELECT statement FROM pg_prepared_statements', []);
      });
      await each.close();
      return answer.rows;
    };
    expect(await kept(server.url)).toEqual([['SELECT $1::integer']]);
    const pooler = await startPooler(server);
    expect(await kept(pooler.url)).toEqual([]);
    await pooler.close();
  });

  it.skipIf(process.env['TEAMSHEET_TEST_POSTGRES'] !== undefined)(
    'outcomes of rows that were synced outlast a crash of the database',
    async () => {
      const { store } = await openOn();
      const rows = await store.openRunRows('RUN');
      await rows.add('users', [runRow({ rowNumber: 2 }), runRow({ rowNumber: 3 })]);
      await rows.patch('users', [{ rowNumber: 2, outcome: 'created' }]);
      await rows.patch('users', [{ rowNumber: 3, outcome: 'updated', said: [] }]);
      await rows.sync();
      await store.close();
      await server.restart?.();
      const { store: next } = await openOn();
      const kept = await (await next.keptRunRows('RUN'))?.rows('users', [2, 3]);
      expect(kept?.map(({ outcome }) => outcome)).toEqual(['created', 'updated']);
      await next.close();
    },
  );

  it.skipIf(process.env['TEAMSHEET_TEST_POSTGRES'] !== undefined)(
    'a database that goes away is said to be unreachable, and used again once it is back',
    async () => {
      const { store } = await openOn();
      await store.setFact(account, 'a', 'before');
      const broken = server.restart?.();
      const failure: unknown = await (async () => {
        for (;;) await store.setFact(account, 'a', 'during');
      })().catch((error: unknown) => error);
      expect(failure).toMatchObject({ code: 'state.unreachable', exitCode: 8 });
      await broken;
      await store.setFact(account, 'a', 'after');
      expect((await store.fact(account, 'a'))?.value).toBe('after');
      await store.close();
    },
  );
});
