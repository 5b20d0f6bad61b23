import { Buffer } from 'node:buffer';
import { join } from 'node:path';

import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';

import type { Kept, LeagueScope } from '../../src/model/state/memory.ts';
import type { KnownRecord, RunRows } from '../../src/model/state/run-rows.ts';
import { fromIssues } from '../../src/model/said.ts';
import type {
  ComparedMapping,
  Intent,
  Lock,
  LockLook,
  PushSummary,
  Run,
  Store,
} from '../../src/model/state/store.ts';
import { outcomeCounts } from '../../src/plan/counts.ts';
import type { PostgresClient } from '../../src/state/postgres/client.ts';
import { createLock } from '../../src/state/sqlite/lock.ts';
import { openStore } from '../../src/state/sqlite/store.ts';
import { MemoryStore, StoreData } from '../simulation/memory-store.ts';
import {
  clientOf,
  isServerEnough,
  noPostgres,
  newSchema,
  openTestState,
  OwnPostgres,
  startPostgres,
  type PostgresServer,
} from '../support/postgres.ts';
import { runRow } from '../support/run-row.ts';
import { told, words } from '../support/said.ts';
import { intentOf, startedRun } from '../support/writes.ts';
import { testFolder } from '../support/test-folder.ts';

const folder = testFolder();
let nowMs: number;
let disk: StoreData;
const clock = { now: () => nowMs, monotonic: () => nowMs, sleep: () => Promise.resolve() };
const account = { baseUrl: 'https://data.example', accountId: 'club' };
const otherAccount = { baseUrl: 'https://data.example', accountId: 'rival' };

beforeEach(() => {
  nowMs = 1_000;
  disk = new StoreData();
});

/** A server where there is one; every test has a schema of its own. */
let server: PostgresServer | undefined;
let schema: string;
beforeAll(async () => {
  if (noPostgres === undefined) server = await startPostgres();
});
afterAll(() => server?.close());
beforeEach(() => {
  schema = newSchema();
});
const openOn = async (client: PostgresClient): Promise<Store> =>
  (await openTestState(client, schema, folder.path, { clock, held: [account, otherAccount] })).store;
const lockOn = async (client: PostgresClient): Promise<Lock & LockLook> =>
  (await openTestState(client, schema, folder.path, { clock })).lock;
const onPGlite = (): Promise<Store> => openOn(new OwnPostgres().client());
const onServer = async (): Promise<Store> => openOn(await clientOf(server));

if (!isServerEnough) {
  storeSuite('PostgreSQL in this process', onPGlite);
  memorySuite('PostgreSQL in this process', onPGlite);
  runRowsSuite('PostgreSQL in this process', onPGlite, 'RUN-1');
  lockSuite('PostgreSQL in this process', () => lockOn(new OwnPostgres().client()));
}
describe.skipIf(noPostgres !== undefined)(`on a server (${noPostgres ?? 'found'})`, () => {
  storeSuite('PostgreSQL', onServer);
  memorySuite('PostgreSQL', onServer);
  runRowsSuite('PostgreSQL', onServer, 'RUN-1');
  const clients: PostgresClient[] = [];
  afterEach(() => Promise.all(clients.splice(0).map((client) => client.close())));
  lockSuite('PostgreSQL', async () => {
    const client = await clientOf(server);
    clients.push(client);
    return lockOn(client);
  });
});

storeSuite('SQLite', () => openStore({ file: join(folder.path, 'state.sqlite'), clock }));
memorySuite('SQLite', () => openStore({ file: join(folder.path, 'state.sqlite'), clock }));
memorySuite('memory', () => Promise.resolve(new MemoryStore(disk, clock)));
runRowsSuite(
  'SQLite, of a run',
  () => openStore({ file: join(folder.path, 'state.sqlite'), clock }),
  'RUN-1',
);
runRowsSuite('SQLite, temporary', () => openStore({ file: join(folder.path, 'state.sqlite'), clock }), null);
storeSuite('memory', () => Promise.resolve(new MemoryStore(disk, clock)));
runRowsSuite('memory, of a run', () => Promise.resolve(new MemoryStore(disk, clock)), 'RUN-1');
runRowsSuite('memory, temporary', () => Promise.resolve(new MemoryStore(disk, clock)), null);
lockSuite('SQLite', () => Promise.resolve(createLock({ folder: join(folder.path, 'locks') })));

function run(id: string, changes: Partial<Run> = {}): Run {
  const planned = {
    startedAtMs: 1_700_000_000_000,
    phase: 'planning',
    mappings: '[{"name":"users"}]',
  } as const;
  return startedRun(id, { account, ...planned, ...changes });
}

const intent = (id: string, changes: Partial<Intent> = {}): Intent =>
  intentOf(id, { runId: 'RUN-1', rowNumbers: [2, 3], keys: ['a', 'b'], sentAtMs: 5, ...changes });

function record(key: string, changes: Partial<KnownRecord> = {}): KnownRecord {
  return {
    key,
    id: `id of ${key}`,
    number: 7,
    digests: { display_name: 'd' },
    values: { is_active: true },
    ...changes,
  };
}

/** What every Store does; `open` answers one whose state outlives `close`, and is empty before each test. */
function storeSuite(name: string, open: () => Promise<Store>): void {
  describe(`Store: ${name}`, () => {
    let store: Store;
    beforeEach(async () => {
      store = await open();
    });
    afterEach(() => store.close());

    it('keeps runs across a restart, newest first', async () => {
      await store.addRun(run('A', { startedAtMs: 10 }));
      await store.addRun(run('B', { startedAtMs: 30 }));
      await store.addRun(run('C', { startedAtMs: 20 }));
      await store.close();
      store = await open();
      expect((await store.runs(2)).map((found) => found.id)).toEqual(['B', 'C']);
      expect(await store.run('A')).toEqual(run('A', { startedAtMs: 10 }));
      expect(await store.run('D')).toBeUndefined();
    });

    it('changes only the named parts of a run', async () => {
      await store.addRun(run('A'));
      await store.updateRun('A', { phase: 'ended', exitCode: 3, endedAtMs: 99 });
      expect(await store.run('A')).toEqual(run('A', { phase: 'ended', exitCode: 3, endedAtMs: 99 }));
      await expect(store.updateRun('Z', { exitCode: 0 })).rejects.toMatchObject({ code: 'state.no_run' });
    });

    it('keeps pulls beside the runs, newest first', async () => {
      await store.addRun(run('A', { startedAtMs: 10 }));
      await store.addPull(run('P', { command: 'pull', startedAtMs: 20 }));
      await store.addPull(run('Q', { command: 'pull', startedAtMs: 15 }));
      await store.updatePull('P', { finished: true, exitCode: 0 });
      await store.close();
      store = await open();
      expect((await store.pulls(5)).map(({ id, exitCode }) => [id, exitCode])).toEqual([
        ['P', 0],
        ['Q', null],
      ]);
      expect((await store.runs(5)).map(({ id }) => id)).toEqual(['A']);
      expect((await store.newestUnfinishedRun(account))?.id).toBe('A');
      await expect(store.updatePull('Z', { exitCode: 0 })).rejects.toMatchObject({ code: 'state.no_run' });
      await store.removeRuns(['P']);
      expect((await store.pulls(5)).map(({ id }) => id)).toEqual(['Q']);
    });

    it('tells of which keys the records were confirmed with some digests', async () => {
      const digests = { external_id: 'k', display_name: 'd', is_active: 'a' };
      const odd = '","digests":{"display_name":"x"}';
      await store.confirm(account, 'users', [
        record('a', { digests }),
        record('b', { digests }),
        record(odd, { digests, id: odd, values: { display_name: 'x', external_id: odd } }),
        record('n', { digests, id: null }),
        record('"id":"x"', { digests, shownAs: '"id":', id: 'i' }),
      ]);
      await store.confirm(otherAccount, 'users', [record('c', { digests })]);
      await store.confirm(account, 'squads', [record('c', { digests })]);
      type Asked = readonly [key: string, Record<string, string>];
      const idsOf = (...wanted: readonly Asked[]) => {
        const asked = wanted.map(([key, each]) => ({ key, digests: each }));
        return store.confirmedWith(account, 'users', asked);
      };
      const places = async (...wanted: readonly Asked[]) => {
        const ids = await idsOf(...wanted);
        expect(ids).toHaveLength(wanted.length);
        return ids.flatMap((id, at) => (id === undefined ? [] : at));
      };
      const held = { display_name: 'd', is_active: 'a' };
      expect(await places(['b', held], ['c', held], ['a', held], ['a', {}], ['x', {}])).toEqual([0, 2, 3]);
      expect(await places([odd, held], [odd, { display_name: 'x' }], [odd, { name: 'd' }])).toEqual([0]);
      expect(await places(['a', { display_name: 'x' }], ['a', { ...held, is_active: 'd' }])).toEqual([]);
      expect(await places(['a', { managedBy: 'd' }], ['a', { active: 'a' }], ['a', { values: '' }])).toEqual(
        [],
      );
      expect(await places()).toEqual([]);
      expect(await idsOf([odd, held], ['n', held], ['"id":"x"', held], ['n', { active: 'a' }])).toEqual([
        ...[odd, null, 'i', undefined],
      ]);
      await store.confirm(account, 'users', [record('a', { digests: { display_name: 'e' } })]);
      expect(await places(['a', held], ['a', { display_name: 'e' }])).toEqual([1]);
      await store.respell(account, 'users', { case: true });
      expect(await places(['B', held], ['b', held], ['A', held])).toEqual([0, 1]);
    });

    it('keeps what a comparison came to until what is confirmed of its resource changes', async () => {
      const members = { account, resource: 'users', mapping: 'members' } as const;
      const last = (other: Partial<ComparedMapping> = {}) => store.comparisons.last({ ...members, ...other });
      const compare = async (...changes: readonly (() => Promise<void>)[]): Promise<string | undefined> => {
        await store.comparisons.begin(members, '1');
        for (const change of changes) await change();
        await store.comparisons.keep(members, '1', 'found');
        return last();
      };
      await store.confirm(account, 'users', [record('a'), record('B')]);
      expect(await last()).toBeUndefined();
      await store.comparisons.keep(members, '1', 'never begun');
      expect(await last()).toBeUndefined();
      expect(await compare()).toBe('found');
      expect(await last({ resource: 'squads' })).toBeUndefined();
      expect(await last({ mapping: 'others' })).toBeUndefined();
      expect(await last({ account: otherAccount })).toBeUndefined();

      // What is not confirmed of it is no matter.
      await store.setFact(account, 'list:users', '1');
      await store.confirm(account, 'squads', [record('a')]);
      await store.confirm(otherAccount, 'users', [record('a')]);
      await store.addIntent(account, intent('1'));
      expect(await last()).toBe('found');
      await store.close();
      store = await open();
      expect(await last()).toBe('found');

      const changes: Readonly<Record<string, () => Promise<void>>> = {
        other: () => store.confirm(account, 'users', [record('a', { digests: {} })]),
        same: () => store.confirm(account, 'users', [record('a')], true),
        more: () => store.confirm(account, 'users', [record('c')]),
        answer: () => store.recordResult(account, '1', 'applied', [], [record('d')]),
        spelt: () => store.respell(account, 'users', { case: true }),
        fewer: () => store.forgetOlder(account, 'users', nowMs + 1),
      };
      for (const [name, change] of Object.entries(changes)) {
        nowMs += 1;
        expect([name, await compare()]).toEqual([name, 'found']);
        await change();
        expect([name, await last()]).toEqual([name, undefined]);
        expect([name, await last()]).toEqual([name, undefined]);
      }
      expect(await compare(() => store.confirm(account, 'users', [record('a')]))).toBeUndefined();
      expect(await compare()).toBe('found');
      expect(await compare(() => store.comparisons.begin(members, '2'))).toBeUndefined();
      await store.comparisons.keep(members, '2', 'of the second \0');
      expect(await last()).toBe('of the second \0');
    });

    it('keeps the rows that a comparison found, in parts, until another one is begun in its place', async () => {
      const { comparisons } = store;
      const guests = { account, resource: 'users', mapping: 'guests' } as const;
      const parts = async (id: string): Promise<readonly (string | undefined)[]> =>
        Promise.all(
          [0, 1].map(async (part) => {
            const rows = await store.comparisons.rows(id, part);
            return rows && Buffer.from(rows).toString('hex');
          }),
        );
      await comparisons.addRows('1', 0, Buffer.from('never begun'));
      expect(await parts('1')).toEqual([undefined, undefined]);
      await comparisons.begin({ ...guests, mapping: 'members' }, '1');
      await comparisons.begin(guests, '2');
      await comparisons.addRows('1', 0, Buffer.of(0, 255, 39));
      await comparisons.addRows('1', 1, Buffer.of(1));
      await comparisons.addRows('1', 1, Buffer.of(2, 10));
      await comparisons.addRows('2', 0, Buffer.of(3));
      await store.close();
      store = await open();
      expect([await parts('1'), await parts('2')]).toEqual([
        ['00ff27', '020a'],
        ['03', undefined],
      ]);

      await store.comparisons.begin(guests, '3');
      expect([await parts('1'), await parts('2')]).toEqual([
        ['00ff27', '020a'],
        [undefined, undefined],
      ]);
      // They go with their comparisons once something is confirmed, and none come after.
      await store.confirm(account, 'users', [record('a')]);
      await store.comparisons.addRows('3', 0, Buffer.of(4));
      expect([await parts('1'), await parts('3')]).toEqual([
        [undefined, undefined],
        [undefined, undefined],
      ]);
    });

    it('finds the newest unfinished run of an account', async () => {
      expect(await store.newestUnfinishedRun(account)).toBeUndefined();
      await store.addRun(run('A', { startedAtMs: 10 }));
      await store.addRun(run('B', { startedAtMs: 20 }));
      await store.addRun(run('C', { startedAtMs: 30, account: otherAccount }));
      await store.updateRun('B', { finished: true });
      expect((await store.newestUnfinishedRun(account))?.id).toBe('A');
      expect((await store.newestUnfinishedRun(otherAccount))?.id).toBe('C');
    });

    it('finds the runs of an account that ended in conflict, oldest first', async () => {
      const summary: PushSummary = {
        name: 'users',
        resource: 'users',
        direction: 'push',
        deactivated: 0,
        results: null,
        ...outcomeCounts(new Map()),
      };
      const summaries = [{ ...summary, conflict: 1 }];
      await store.addRun(run('B', { startedAtMs: 20, summaries }));
      await store.addRun(run('A', { startedAtMs: 10, summaries }));
      await store.addRun(run('C', { startedAtMs: 5, summaries: [{ ...summary, conflict: 0 }] }));
      await store.addRun(run('D', { startedAtMs: 5, summaries, account: otherAccount }));
      expect((await store.runsInConflict(account)).map(({ id }) => id)).toEqual(['A', 'B']);
    });

    it('finds intents of an account by how their ids begin', async () => {
      for (const id of ['01JA1', '01JA2', '01JB1']) await store.addIntent(account, intent(id));
      await store.addIntent(otherAccount, intent('01JA3'));
      const found = async (prefix: string, limit: number): Promise<readonly string[]> =>
        (await store.findIntents(account, prefix, limit)).map(({ id }) => id);
      expect(await found('01JA', 5)).toEqual(['01JA1', '01JA2']);
      expect(await found('01JA', 1)).toEqual(['01JA1']);
      expect(await found('01JA3', 5)).toEqual([]);
      expect(await found('%', 5)).toEqual([]);
    });

    it('removes runs with their writes and rows, but none with a write that is open', async () => {
      await store.addRun(run('A', { finished: true }));
      await store.addRun(run('B', { finished: true }));
      await store.addIntent(account, intent('1', { runId: 'A' }));
      await store.recordResult(account, '1', 'applied', [], [record('a')]);
      await store.addIntent(account, intent('2', { runId: 'B' }));
      await (await store.openRunRows('A')).close();
      await store.removeRuns(['A']);
      expect(await store.run('A')).toBeUndefined();
      expect(await store.intents('A')).toEqual([]);
      expect(await store.keptRunRows('A')).toBeUndefined();
      expect(await store.countSnapshots(account, 'users')).toBe(1);
      await expect(store.removeRuns(['B'])).rejects.toMatchObject({ code: 'state.open_run' });
      expect((await store.run('B'))?.id).toBe('B');
      expect(await store.intents('B')).toHaveLength(1);
    });

    it('tells what is there of runs that are not recorded', async () => {
      expect(await store.strayRuns()).toEqual([]);
      await store.addRun(run('A'));
      for (const id of ['A', 'CUT']) await (await store.openRunRows(id)).close();
      const found = await store.strayRuns();
      expect(found.map(({ id }) => id)).toEqual(['CUT']);
      expect(found[0]?.changedAtMs).toBeGreaterThan(Date.UTC(2020, 0, 1));
      await store.removeRuns(['CUT']);
      expect(await store.strayRuns()).toEqual([]);
    });

    it('keeps of the rows of an ended run what was written, the keys of what was refused and the columns that are wrong', async () => {
      const wrong = {
        code: 'cell.length',
        severity: 'error',
        column: 'Name',
        value: 'Ada',
        message: 'Ada',
      } as const;
      const whole = { code: 'row.cells', severity: 'error', message: 'Ada' } as const;
      const rows = await store.openRunRows('A');
      await rows.add('users', [
        runRow({ rowNumber: 2, outcome: 'created', id: 'u1', said: words('x') }),
        runRow({ rowNumber: 3, outcome: 'rejected', said: words('Ada is refused') }),
        runRow({ rowNumber: 4, outcome: 'unchanged' }),
        runRow({ rowNumber: 5, outcome: 'invalid', key: null, said: fromIssues([wrong, whole]) }),
        ...Array.from({ length: 600 }, (_, n) => runRow({ rowNumber: 6 + n, outcome: 'unchanged' })),
      ]);
      await rows.addKnown('users', [record('m-4')]);
      await rows.add('squads', [runRow({ rowNumber: 2, key: '1/Ann', outcome: 'rejected' })]);
      await rows.patch('squads', [{ rowNumber: 2, key: '1/81' }]);
      await rows.keepWritten();
      const kept = await store.keptRunRows('A');
      const page = (await kept?.page('users', { afterRow: 0, limit: 9 })) ?? [];
      expect(
        page.map(({ rowNumber, key, fields, id, lines, said }) => [rowNumber, key, fields, id, lines, said]),
      ).toEqual([
        [2, 'm-2', { external_id: 'm-2', is_active: true, players_in: [1, 2] }, 'u1', [], []],
        [3, 'm-3', null, null, [], []],
        [
          5,
          null,
          null,
          null,
          [],
          fromIssues([{ code: 'cell.length', severity: 'error', column: 'Name', message: '' }]),
        ],
      ]);
      const refused = { outcomes: ['rejected', 'invalid'], afterRow: 3, limit: 9 } as const;
      expect((await kept?.page('users', refused))?.map(({ rowNumber }) => rowNumber)).toEqual([5]);
      expect(await kept?.countKnown('users')).toBe(0);
      const [lookedUp] = (await kept?.page('squads', { afterRow: 0, limit: 9 })) ?? [];
      expect(lookedUp).toMatchObject({ key: '1/81', readKey: '1/Ann' });
      await kept?.close();
      const empty = await store.openRunRows('B');
      await empty.add('users', [runRow({ rowNumber: 2, outcome: 'unchanged' })]);
      await empty.keepWritten();
      expect(await store.keptRunRows('B')).toBeUndefined();
    });

    it('keeps an intent open until it has a result, and an ambiguous one until it has another one', async () => {
      await store.addIntent(account, intent('1'));
      await store.addIntent(account, intent('2', { runId: 'RUN-2' }));
      await store.addIntent(otherAccount, intent('3'));
      await store.recordResult(account, '1', 'ambiguous', words('the answer was cut'), []);
      expect(await store.openIntents(account)).toEqual([
        { ...intent('1'), result: 'ambiguous', detail: words('the answer was cut') },
        { ...intent('2', { runId: 'RUN-2' }), result: null, detail: [] },
      ]);
      await store.recordResult(account, '1', 'applied', words('found'), []);
      expect((await store.openIntents(account)).map((open) => open.id)).toEqual(['2']);
      expect((await store.intents('RUN-1')).map((found) => [found.id, found.result])).toEqual([
        ['1', 'applied'],
        ['3', null],
      ]);
    });

    it('answers the intents of an account that were recorded after another one, whatever their clock says', async () => {
      const earlier = { runId: 'RUN-2', sentAtMs: 1 };
      await store.addIntent(account, intent('1'));
      await store.addIntent(account, intent('2', { sentAtMs: 9 }));
      await store.addIntent(otherAccount, intent('3'));
      await store.addIntent(account, intent('4', earlier));
      await store.recordResult(account, '4', 'applied', words('found'), []);
      expect(await store.intentsAfter(account, '1')).toEqual([
        { ...intent('2', { sentAtMs: 9 }), result: null, detail: [] },
        { ...intent('4', earlier), result: 'applied', detail: words('found') },
      ]);
      expect(await store.intentsAfter(account, '4')).toEqual([]);
      expect(await store.intentsAfter(account, 'unheard of')).toEqual([]);
    });

    it('records the result of an intent and confirms its records together, or does neither', async () => {
      await store.addIntent(account, intent('1'));
      await store.recordResult(account, '1', 'applied', [], [record('a'), record('b')]);
      expect(await store.countSnapshots(account, 'users')).toBe(2);
      const rejected = store.recordResult(account, 'unheard of', 'applied', [], [record('c')]);
      await expect(rejected).rejects.toMatchObject({ code: 'state.no_intent' });
      await expect(
        store.recordResult(otherAccount, '1', 'refused', [], []),
        'an intent of another account',
      ).rejects.toMatchObject({ code: 'state.no_intent' });
      expect(await store.countSnapshots(account, 'users')).toBe(2);
      expect((await store.intents('RUN-1'))[0]?.result).toBe('applied');
    });

    it('records results with a new intent, or does neither', async () => {
      const recorded = (intentId: string, key: string) =>
        ({ intentId, result: 'applied', detail: words(`of ${key}`), confirmed: [record(key)] }) as const;
      await store.addIntent(account, intent('1'));
      await store.addIntent(account, intent('2'));
      await store.addIntent(account, intent('3'), [recorded('1', 'a'), recorded('2', 'b')]);
      expect((await store.intents('RUN-1')).map(({ id, result, detail }) => [id, result, detail])).toEqual([
        ['1', 'applied', words('of a')],
        ['2', 'applied', words('of b')],
        ['3', null, []],
      ]);
      expect(await store.countSnapshots(account, 'users')).toBe(2);
      const rejected = store.addIntent(account, intent('4'), [recorded('3', 'c'), recorded('2', 'd')]);
      await expect(rejected).rejects.toMatchObject({ code: 'state.no_intent' });
      expect((await store.openIntents(account)).map(({ id }) => id)).toEqual(['3']);
      expect(await store.countSnapshots(account, 'users')).toBe(2);
    });

    it('knows the accounts of an address by what it keeps of them', async () => {
      await store.confirm(account, 'users', [record('a')]);
      expect(await store.accounts(account.baseUrl)).toContainEqual(account);
      expect(await store.accounts('https://elsewhere.example')).toEqual([]);
    });

    it('answers the last confirmed records by key, whole', async () => {
      const odd = ['', '007', '7', "o'neil", 'a\u0000b', '山田', '\u{1f3c6}', '"\\', ' x '];
      await store.confirm(account, 'users', [
        record('a', { id: null, number: null }),
        ...odd.map((key) => record(key)),
      ]);
      await store.confirm(account, 'users', [record('a', { number: 9, values: { price: 4.5 } })]);
      await store.confirm(account, 'squads', [record('a')]);
      const found = await store.snapshots(account, 'users', ['a', ...odd, 'nobody', 'a']);
      expect(found.get('a')).toEqual(record('a', { number: 9, values: { price: 4.5 } }));
      expect([...found.keys()].sort()).toEqual(['a', ...odd].sort());
      expect(await store.snapshots(otherAccount, 'users', ['a'])).toEqual(new Map());
      const pages = await Array.fromAsync(store.allSnapshots(account, 'users'));
      expect(
        pages
          .flat()
          .map((each) => each.key)
          .sort(),
      ).toEqual(['a', ...odd].sort());
    });

    it('lists more records than a page holds, each once', async () => {
      const records = Array.from({ length: 4500 }, (_, n) => record(`m-${n}`));
      await store.confirm(account, 'users', records);
      const pages = await Array.fromAsync(store.allSnapshots(account, 'users'));
      expect(new Set(pages.flat().map((each) => each.key)).size).toBe(4500);
      expect(pages.flat()).toHaveLength(4500);
      expect(pages.length).toBeGreaterThan(1);
      expect(await Array.fromAsync(store.allSnapshots(otherAccount, 'users'))).toEqual([]);
    });

    it('forgets what was confirmed before a list', async () => {
      await store.confirm(account, 'users', [record('gone'), record('kept')]);
      nowMs = 2_000;
      await store.confirm(account, 'users', [record('kept')]);
      await store.forgetOlder(account, 'users', 2_000);
      expect((await Array.fromAsync(store.allSnapshots(account, 'users'))).flat()).toEqual([record('kept')]);
    });

    it('lists what was confirmed since a time', async () => {
      await store.confirm(account, 'users', [record('before'), record('again')]);
      nowMs += 1_000;
      await store.confirm(account, 'users', [record('again'), record('now')]);
      const pages = await Array.fromAsync(store.allSnapshots(account, 'users', nowMs));
      expect(pages.flat()).toEqual([record('again'), record('now')]);
      expect(await Array.fromAsync(store.allSnapshots(account, 'users', nowMs + 1))).toEqual([]);
    });

    it('finds records whose keys have blanks behind what is asked for', async () => {
      const keys = ['M-1', 'M-1 ', 'M-1   ', 'M-1 B', 'M-1 B ', 'M-12', "M-1 '\u00a0", 'm-1 ', '50%  '];
      await store.confirm(
        account,
        'users',
        keys.map((key) => record(key)),
      );
      await store.confirm(otherAccount, 'users', [record('M-2 ')]);
      const found = async (...wanted: readonly string[]): Promise<readonly string[]> =>
        (await store.paddedSnapshots(account, 'users', wanted)).map(({ key }) => key).toSorted();
      expect(await found('M-1', 'M-2', 'nobody')).toEqual(['M-1 ', 'M-1   ']);
      expect(await found('M-1 B', '50%')).toEqual(['50%  ', 'M-1 B ']);
      expect(await found()).toEqual([]);
      expect(await store.paddedSnapshots(account, 'squads', ['M-1'])).toEqual([]);
    });

    it('finds records by any spelling of their keys once it is known, and of two that meet the one of which more is known', async () => {
      const [sent, shown] = [record('M-1', { managedBy: 'users' }), record('m-1', { number: 8 })];
      await store.confirm(account, 'users', [sent]);
      nowMs = 2_000;
      await store.confirm(account, 'users', [shown, record('m-2')]);
      await store.confirm(otherAccount, 'users', [sent]);
      await store.confirm(account, 'squads', [record('1/2/Hill')]);
      await store.respell(account, 'users', { case: true });
      expect(await store.snapshots(account, 'users', ['M-1', 'm-1', 'M-2', 'M-3'])).toEqual(
        new Map(
          [
            ['M-1', { ...shown, key: 'M-1', managedBy: 'users' }],
            ['m-1', { ...shown, managedBy: 'users' }],
            ['M-2', record('m-2', { key: 'M-2' })],
          ].map(([key, each]) => [key as string, each]),
        ),
      );
      await store.confirm(account, 'users', [record('M-2', { number: 9 })]);
      expect(await store.countSnapshots(account, 'users')).toBe(2);
      await store.forgetOlder(account, 'users', 2_000);
      expect(await store.countSnapshots(account, 'users')).toBe(2);
      expect((await store.snapshots(otherAccount, 'users', ['m-1', 'M-1'])).size).toBe(1);
      expect((await store.snapshots(account, 'squads', ['1/2/hill'])).size).toBe(0);
      expect((await store.fact(account, 'spelling:users'))?.value).toBe('{"case":true}');
    });

    it('keeps facts with their time and the origin of a key', async () => {
      await store.setFact(account, 'batch.users', '100');
      nowMs = 3_000;
      await store.setFact(account, 'batch.users', '50');
      expect(await store.fact(account, 'batch.users')).toEqual({ value: '50', atMs: 3_000 });
      expect(await store.fact(otherAccount, 'batch.users')).toBeUndefined();
      expect(await store.keyOrigin('digest')).toBeUndefined();
      await store.setKeyOrigin('digest', 'https://old.example');
      await store.setKeyOrigin('digest', 'https://data.example');
      expect(await store.keyOrigin('digest')).toBe('https://data.example');
    });

    it('lists the facts of one account by name, and sets several as one', async () => {
      expect(await store.facts(account)).toEqual([]);
      await store.setFact(account, 'b', 'old');
      await store.setFact(otherAccount, 'c', 'of another account');
      nowMs = 4_000;
      await store.setFacts(account, [
        { name: 'b', value: 'new' },
        { name: 'a', value: '1' },
      ]);
      expect(await store.facts(account)).toEqual([
        { name: 'a', value: '1', atMs: 4_000 },
        { name: 'b', value: 'new', atMs: 4_000 },
      ]);
      await store.setFacts(account, []);
      expect(await store.facts(account)).toHaveLength(2);
    });

    it('keeps the rows of a run until they are removed', async () => {
      let rows = await store.openRunRows('RUN-1');
      await rows.add('users', [runRow({ rowNumber: 2 })]);
      await rows.setHeader('users', ['Member ID']);
      await rows.close();
      rows = await store.openRunRows('RUN-1');
      expect(await rows.header('users')).toEqual(['Member ID']);
      expect(await rows.rows('users', [2])).toEqual([runRow({ rowNumber: 2 })]);
      await rows.remove();
      rows = await store.openRunRows('RUN-1');
      expect(await rows.rows('users', [2])).toEqual([]);
      await rows.close();
    });

    it('can be closed twice', async () => {
      await store.close();
      await store.close();
      await expect(store.runs(1)).rejects.toThrow();
    });
  });
}

/** What every RunRows does. */
function runRowsSuite(name: string, open: () => Promise<Store>, runId: string | null): void {
  describe(`RunRows: ${name}`, () => {
    let store: Store;
    let rows: RunRows;
    beforeEach(async () => {
      store = await open();
      rows = await store.openRunRows(runId);
    });
    afterEach(async () => {
      await rows.remove();
      await store.close();
    });

    it('gives rows back whole, in row order, by mapping', async () => {
      const whole = runRow({
        rowNumber: 4,
        lines: [
          ['a', ''],
          ['b', 'line\nbreak'],
        ],
        change: 'update',
        before: { display_name: 'Bo', is_active: null },
        said: words('two "lines"'),
        outcome: 'updated',
        id: '99',
      });
      const bare = runRow({
        rowNumber: 2,
        key: null,
        folded: null,
        fields: null,
        change: 'invalid',
      });
      await rows.add('users', [whole, bare]);
      await rows.add('prices', [runRow({ rowNumber: 2 })]);
      expect(await rows.page('users', { afterRow: 0, limit: 10 })).toEqual([bare, whole]);
      const { rowNumber, lines, said, outcome, id, key, fields, lookups, before } = whole;
      const all = { afterRow: 3, limit: 10 };
      expect(await rows.page('users', { ...all, only: 'lines' })).toMatchObject([
        { rowNumber, lines, said, outcome, id },
      ]);
      expect(await rows.page('users', { ...all, only: 'fields' })).toMatchObject([
        { rowNumber, key, fields, said, outcome, id, before, ...(lookups && { lookups }) },
      ]);
      expect(await rows.rows('users', [4, 2, 77])).toEqual([bare, whole]);
      expect(await rows.rows('unheard of', [2])).toEqual([]);
    });

    it('keeps the key that was read beside the one that a lookup gave', async () => {
      const row = runRow({ rowNumber: 2, key: '1/Ann' });
      await rows.add('squads', [row, runRow({ rowNumber: 3, key: '1/Bob' })]);
      await rows.patch('squads', [{ rowNumber: 2, key: '1/new[Ann]' }]);
      await rows.patch('squads', [
        { rowNumber: 2, key: '1/81', outcome: 'rejected' },
        { rowNumber: 3, key: '1/Bob' },
      ]);
      const [first, second] = await rows.page('squads', { afterRow: 0, limit: 10 });
      expect(first).toEqual({ ...row, key: '1/81', readKey: '1/Ann', outcome: 'rejected' });
      expect(second).not.toHaveProperty('readKey');
    });

    it('pages by change, by openness and by both', async () => {
      const changes = ['create', 'update', 'create', 'unchanged', 'create'] as const;
      await rows.add(
        'users',
        changes.map((change, n) => runRow({ rowNumber: n + 1, change })),
      );
      await rows.patch('users', [
        { rowNumber: 3, outcome: 'created' },
        { rowNumber: 4, outcome: 'unchanged' },
      ]);
      const numbers = async (query: Partial<Parameters<RunRows['page']>[1]>): Promise<number[]> =>
        (await rows.page('users', { afterRow: 0, limit: 10, ...query })).map((row) => row.rowNumber);
      expect(await numbers({ change: 'create' })).toEqual([1, 3, 5]);
      expect(await numbers({ open: true })).toEqual([1, 2, 5]);
      expect(await numbers({ change: 'create', open: true })).toEqual([1, 5]);
      expect(await numbers({ change: 'create', open: true, afterRow: 1 })).toEqual([5]);
      expect(await numbers({ limit: 2 })).toEqual([1, 2]);
      await rows.patch(
        'users',
        [2, 3].map((rowNumber) => ({ rowNumber, said: words('why') })),
      );
      expect(await numbers({ told: true })).toEqual([2, 3]);
      expect(await numbers({ told: true, open: true })).toEqual([2]);
    });

    it('patches only what a patch names, null included', async () => {
      await rows.add('users', [runRow({ rowNumber: 2, said: words('kept'), outcome: 'deferred', id: '1' })]);
      await rows.patch('users', [
        { rowNumber: 2 },
        { rowNumber: 2, outcome: null, id: null, before: { a: 1 } },
      ]);
      expect(await rows.rows('users', [2])).toEqual([
        runRow({ rowNumber: 2, said: words('kept'), before: { a: 1 } }),
      ]);
    });

    it('refuses a patch of a row that it does not hold, and then changes nothing', async () => {
      await rows.add('users', [runRow({ rowNumber: 2 })]);
      const patched = rows.patch('users', [
        { rowNumber: 2, outcome: 'created' },
        { rowNumber: 3, outcome: 'created' },
      ]);
      await expect(patched).rejects.toMatchObject({ code: 'state.no_row' });
      expect((await rows.rows('users', [2]))[0]?.outcome).toBeNull();
    });

    it('refuses a row number twice, and then adds none', async () => {
      await rows.add('users', [runRow({ rowNumber: 2 })]);
      await expect(rows.add('users', [runRow({ rowNumber: 3 }), runRow({ rowNumber: 2 })])).rejects.toThrow(
        /unique/i,
      );
      expect(await rows.countOutcomes('users')).toEqual(new Map([['open', 1]]));
    });

    it('settles, reopens and counts', async () => {
      await rows.add('users', [
        runRow({ rowNumber: 1, change: 'create' }),
        runRow({ rowNumber: 2, change: 'update' }),
        runRow({ rowNumber: 3, change: 'invalid', outcome: 'invalid', said: words('too long') }),
      ]);
      await rows.deferOpen('users', words('no budget'), 'create');
      expect(await rows.countOutcomes('users')).toEqual(
        new Map([
          ['deferred', 1],
          ['invalid', 1],
          ['open', 1],
        ]),
      );
      await rows.deferOpen('users', words('deadline'));
      expect((await rows.rows('users', [1, 2, 3])).map((row) => told(row).message)).toEqual([
        'no budget',
        'deadline',
        'too long',
      ]);
      expect(await rows.countChanges('users', true)).toEqual(new Map());
      await rows.reopenDeferred('users');
      expect((await rows.rows('users', [1, 2, 3])).map((row) => told(row).message)).toEqual([
        '',
        '',
        'too long',
      ]);
      expect(await rows.countChanges('users', true)).toEqual(
        new Map([
          ['create', 1],
          ['update', 1],
        ]),
      );
      expect(await rows.countOutcomes('users')).toEqual(
        new Map([
          ['open', 2],
          ['invalid', 1],
        ]),
      );
      expect(await rows.countChanges('users')).toEqual(
        new Map([
          ['create', 1],
          ['update', 1],
          ['invalid', 1],
        ]),
      );
      expect(await rows.countChanges('none')).toEqual(new Map());
    });

    it('groups valid rows of one key in order of their first row', async () => {
      const keys = ['b', 'a', 'c', 'a', 'b', 'a', null, 'c', 'd'];
      await rows.add(
        'users',
        keys.map((key, n) => runRow({ rowNumber: n + 1, key, change: n === 2 ? 'excluded' : 'pending' })),
      );
      await rows.add('prices', [runRow({ rowNumber: 1, key: 'd' })]);
      const found = await Array.fromAsync(rows.duplicates('users'));
      expect(found.map(({ key, rows: group }) => [key, group.map(({ rowNumber }) => rowNumber)])).toEqual([
        ['b', [1, 5]],
        ['a', [2, 4, 6]],
      ]);
      expect(found[0]?.rows[1]?.fields).toEqual(runRow({ rowNumber: 5, key: 'b' }).fields);
    });

    it('pairs a row with the earliest one that differs only when folded', async () => {
      const keys = ['Ann', 'ann', 'Ann', 'bob', 'ANN', 'BOB', 'cy', 'cy'];
      await rows.add(
        'users',
        keys.map((key, n) => runRow({ rowNumber: n + 1, key, change: n === 3 ? 'invalid' : 'pending' })),
      );
      const pairs = await Array.fromAsync(rows.lookAlikes('users'));
      expect(pairs.sort((a, b) => a.rowNumber - b.rowNumber)).toEqual([
        { rowNumber: 2, otherRow: 1, otherKey: 'Ann' },
        { rowNumber: 3, otherRow: 2, otherKey: 'ann' },
        { rowNumber: 5, otherRow: 1, otherKey: 'Ann' },
      ]);
    });

    it('lets rows be patched while groups of more than a page are read', async () => {
      const all = Array.from({ length: 6000 }, (_, n) => runRow({ rowNumber: n + 1, key: `m-${n % 3000}` }));
      await rows.add('users', all);
      let groups = 0;
      for await (const group of rows.duplicates('users')) {
        groups += 1;
        expect(group.rows).toHaveLength(2);
        if (groups % 500 === 1) {
          await rows.patch(
            'users',
            group.rows.map(({ rowNumber }) => ({ rowNumber, change: 'invalid' })),
          );
        }
      }
      expect(groups).toBe(3000);
    });

    it('answers known records by key, two of one key as two, one that is listed twice as one', async () => {
      await rows.addKnown('users', [record('a'), record('b', { id: null })]);
      await rows.addKnown('users', [record('a', { id: 'second' }), record('b', { id: null, number: 8 })]);
      const known = await rows.known('users', ['a', 'b', 'c', 'a']);
      expect(
        known
          .get('a')
          ?.map((each) => each.id)
          .sort(),
      ).toEqual(['id of a', 'second']);
      expect(known.get('b')).toEqual([record('b', { id: null, number: 8 })]);
      expect(known.has('c')).toBe(false);
      expect(await rows.countKnown('users')).toBe(2);
      expect(await rows.countKnown('prices')).toBe(0);
    });

    it('makes open creates, updates and rows of another mapping pending again, but not what was created and waits for its change', async () => {
      await rows.add('users', [
        runRow({ rowNumber: 1, change: 'create' }),
        runRow({ rowNumber: 2, change: 'create', id: 'created' }),
        runRow({ rowNumber: 3, change: 'update', before: { a: 1 }, id: 'known' }),
        runRow({ rowNumber: 4, change: 'create', outcome: 'created', id: 'done' }),
        runRow({ rowNumber: 5, change: 'conflict' }),
        runRow({ rowNumber: 6, change: 'unchanged' }),
        runRow({ rowNumber: 7, change: 'unchanged', outcome: 'unchanged' }),
      ]);
      await rows.restart('users');
      const changes = (await rows.page('users', { afterRow: 0, limit: 10 })).map((row) => row.change);
      expect(changes).toEqual([
        ...['pending', 'create', 'pending', 'create', 'conflict'],
        ...['pending', 'unchanged'],
      ]);
      expect((await rows.rows('users', [3]))[0]?.before).toBeNull();
    });

    it('keeps the header of each mapping', async () => {
      await rows.setHeader('users', ['Member ID', '', 'Näme']);
      await rows.setHeader('users', ['Member ID', 'Näme']);
      expect(await rows.header('users')).toEqual(['Member ID', 'Näme']);
      expect(await rows.header('prices')).toEqual([]);
    });
  });
}

/** What every Lock does within one process; `create` answers locks that share their owners. */
function lockSuite(name: string, create: () => Promise<Lock & LockLook>): void {
  const acquire = async (...wanted: Parameters<Lock['acquire']>): ReturnType<Lock['acquire']> =>
    (await create()).acquire(...wanted);
  describe(`Lock: ${name}`, () => {
    it('lets one writer in, names it to the next, and lets that in afterwards', async () => {
      const first = await acquire(account, 'push');
      await expect(acquire(account, 'sync')).rejects.toMatchObject({
        code: 'lock.held',
        exitCode: 6,
        message: expect.stringMatching(
          new RegExp(
            `^https://data\\.example \\(account club\\) is being written to by pid ${process.pid} \\(push\\) on \\S+ since `,
          ),
        ) as string,
      });
      await first.release();
      await first.release();
      const second = await acquire(account, 'sync');
      await second.release();
    });

    it('is looked at without being taken', async () => {
      const [one, other] = [await create(), await create()];
      await one.refuseHeld(account);
      const held = await other.acquire(account, 'push');
      await one.refuseHeld(otherAccount);
      for (const each of [one, other])
        await expect(each.refuseHeld(account)).rejects.toMatchObject({
          code: 'lock.held',
          message: expect.stringContaining(`being written to by pid ${process.pid} (push) on `) as string,
        });
      await held.check();
      await held.release();
      await one.refuseHeld(account);
    });

    it('does not keep writers of different accounts apart', async () => {
      const held = await Promise.all([acquire(account, 'push'), acquire(otherAccount, 'push')]);
      await Promise.all(held.map((each) => each.release()));
    });
  });
}

const WEEK = '0b0e6b1c-0000-4000-8000-000000000007';
const NEXT_WEEK = '0b0e6b1c-0000-4000-8000-000000000008';

function reading(id: string, changes: Partial<Kept> = {}): Kept {
  return {
    gameWeek: WEEK,
    kind: 'lineup',
    id,
    variant: 'a',
    readAtMs: 10,
    squad: id,
    member: `member of ${id}`,
    record: { id, total_points: 51, squad: { bench: [] } },
    ...changes,
  };
}

/** What every memory of game weeks does; `open` answers a state that outlives `close`, and is empty before each test. */
function memorySuite(name: string, open: () => Promise<Store>): void {
  describe(`Memory: ${name}`, () => {
    const scope: LeagueScope = { account, league: 7 };
    const otherLeague: LeagueScope = { account, league: 8 };
    let store: Store;
    beforeEach(async () => {
      store = await open();
    });
    afterEach(() => store.close());
    const all = async (of = scope, gameWeek = WEEK, kind: Kept['kind'] = 'lineup'): Promise<Kept[]> =>
      (await Array.fromAsync(store.memory.kept(of, gameWeek, kind))).flat();

    it('keeps readings across a restart, each under its own league, week and kind', async () => {
      const kept = [
        reading('B'),
        reading('A', { readAtMs: 20 }),
        reading('A', { variant: 'b', readAtMs: 15 }),
        reading('C', { gameWeek: NEXT_WEEK }),
        reading('1', { kind: 'player', record: { player: { id: 1 } } }),
      ];
      await store.memory.keep(scope, kept);
      await store.memory.keep(otherLeague, [reading('D')]);
      await store.memory.keep({ account: otherAccount, league: 7 }, [reading('E')]);
      await store.close();
      store = await open();
      expect(await all()).toEqual([kept[2], kept[1], kept[0]]);
      expect(await all(scope, NEXT_WEEK)).toEqual([kept[3]]);
      expect(await all(scope, WEEK, 'player')).toEqual([kept[4]]);
      expect(await all(otherLeague)).toEqual([reading('D')]);
      expect(await all({ account, league: 9 })).toEqual([]);
      expect(await store.memory.scopes()).toEqual([scope, otherLeague, { account: otherAccount, league: 7 }]);
    });

    it('keeps a record that names nobody and any text in it', async () => {
      const { squad: _squad, member: _member, ...nobody } = reading('x', { kind: 'mark' });
      const mark = { ...nobody, record: { by: 'trigger', text: '🏆 \u0000 "§"', nothing: null } };
      await store.memory.keep(scope, [mark]);
      expect(await all(scope, WEEK, 'mark')).toEqual([mark]);
    });

    it('keeps the latest of readings of one record, and the greater of two at one time', async () => {
      const at = (readAtMs: number, points: number): Kept =>
        reading('A', { readAtMs, record: { total_points: points } });
      await store.memory.keep(scope, [at(20, 2), at(10, 1)]);
      expect(await all()).toEqual([at(20, 2)]);
      await store.memory.keep(scope, [at(20, 3)]);
      await store.memory.keep(scope, [at(20, 2)]);
      expect(await all()).toEqual([at(20, 3)]);
      await store.memory.keep(scope, [at(30, 1)]);
      expect(await all()).toEqual([at(30, 1)]);
    });

    it('deletes summaries with whoever is forgotten, also one who is seen later', async () => {
      const summary = reading('squad', { kind: 'summary', variant: '', readAtMs: 1 });
      const { squad: _squad, member: _member, ...ofAll } = summary;
      const left = (): Promise<readonly Kept[]> => all(scope, WEEK, 'summary');
      await store.memory.keep(scope, [ofAll]);
      expect(await store.memory.forget(scope.account, 'nobody')).toBe(0);
      expect(await left()).toEqual([]);
      await store.memory.keep(scope, [ofAll]);
      await store.memory.keep(scope, [reading('Z', { squad: 'Z', member: 'nobody' })]);
      expect(await left()).toEqual([]);
    });

    it('counts what is kept of each week and kind, each id by its latest reading', async () => {
      await store.memory.keep(scope, [
        reading('A', { readAtMs: 10 }),
        reading('A', { readAtMs: 30, variant: 'b' }),
        reading('B', { readAtMs: 20 }),
        reading('A', { kind: 'squad', variant: '', readAtMs: 5 }),
        reading('A', { gameWeek: NEXT_WEEK, readAtMs: 40 }),
      ]);
      expect(await store.memory.weeks(scope)).toEqual([
        { gameWeek: WEEK, kind: 'lineup', ids: 2, oldestMs: 20, newestMs: 30, timesSum: 50 },
        { gameWeek: WEEK, kind: 'squad', ids: 1, oldestMs: 5, newestMs: 5, timesSum: 5 },
        { gameWeek: NEXT_WEEK, kind: 'lineup', ids: 1, oldestMs: 40, newestMs: 40, timesSum: 40 },
      ]);
      expect(await store.memory.weeks(otherLeague)).toEqual([]);
    });

    it('answers the latest reading of each id alone, and when each was read', async () => {
      const ids = Array.from({ length: 700 }, (_, index) => `squad ${String(index).padStart(4, '0')}`);
      const kept = ids.flatMap((id, index) => [
        reading(id, { readAtMs: 10 + index, variant: 'a' }),
        reading(id, { readAtMs: 5000 - index, variant: index % 2 === 0 ? 'b' : '0' }),
      ]);
      await store.memory.keep(scope, [...kept, reading('other', { kind: 'squad', variant: '' })]);
      const latest = (await Array.fromAsync(store.memory.latest(scope, WEEK, 'lineup'))).flat();
      expect(latest).toEqual(kept.filter((_, index) => index % 2 === 1));
      expect([...(await store.memory.readAt(scope, WEEK, 'lineup'))]).toEqual(
        ids.map((id, index) => [id, 5000 - index]),
      );
      expect(await Array.fromAsync(store.memory.latest(otherLeague, WEEK, 'lineup'))).toEqual([]);
      expect(await store.memory.readAt(otherLeague, WEEK, 'lineup')).toEqual(new Map());
    });

    it('answers of two readings at one time the one whose variant is greater as the latest', async () => {
      const two = [reading('A', { variant: 'a' }), reading('A', { variant: 'b' })];
      await store.memory.keep(scope, two);
      expect((await Array.fromAsync(store.memory.latest(scope, WEEK, 'lineup'))).flat()).toEqual([two[1]]);
    });

    it('counts anew what was kept, dropped or forgotten since', async () => {
      const ids = async (): Promise<readonly number[]> =>
        (await store.memory.weeks(scope)).map((count) => count.ids);
      expect(await ids()).toEqual([]);
      await store.memory.keep(scope, [reading('A', { member: 'M1' }), reading('B', { member: 'M2' })]);
      expect(await ids()).toEqual([2]);
      await store.memory.forget(account, 'M1');
      expect(await ids()).toEqual([1]);
      await store.memory.drop(scope, WEEK, Infinity);
      expect(await ids()).toEqual([]);
    });

    it('keeps a record that did not change with its new time, short or long, in any script', async () => {
      for (const length of [1, 250, 790, 800, 5_000]) {
        const record = { text: 'é🏆"'.repeat(length) };
        for (const readAtMs of [10, 20])
          await store.memory.keep(scope, [reading(`of ${length}`, { readAtMs, record })]);
        expect((await all()).filter(({ id }) => id === `of ${length}`)).toEqual([
          reading(`of ${length}`, { readAtMs: 20, record }),
        ]);
      }
    });

    it('answers more readings than fit in one page', async () => {
      const ids = Array.from({ length: 1_201 }, (_, index) => `squad ${String(index).padStart(4, '0')}`);
      const entries = {
        starting_xi: Array.from({ length: 11 }, (_, at) => ({ points: at, is_starting: true })),
      };
      await store.memory.keep(
        scope,
        ids.map((id) => reading(id, { record: entries })),
      );
      const found = await all();
      expect(found.map(({ id }) => id)).toEqual(ids);
      expect(found.at(-1)?.record).toEqual(entries);
    });

    it('forgets a member with the squads, in every league of the account, and leaves both out from then on', async () => {
      const transfer = reading('t1', { gameWeek: '', kind: 'substitution', variant: '', squad: 'A' });
      const { member: _member, ...substitution } = transfer;
      await store.memory.keep(scope, [reading('A'), reading('B'), substitution]);
      await store.memory.keep(otherLeague, [reading('C', { member: 'member of A' })]);
      await store.memory.keep({ account: otherAccount, league: 7 }, [reading('A')]);
      expect(await store.memory.forget(account, 'member of A')).toBe(3);
      expect(await store.memory.forget(account, 'member of A')).toBe(0);
      await store.memory.keep(scope, [
        reading('A', { readAtMs: 99 }),
        substitution,
        reading('B', { readAtMs: 11 }),
      ]);
      expect((await all()).map(({ id }) => id)).toEqual(['B']);
      expect(await all(scope, '', 'substitution')).toEqual([]);
      expect(await all(otherLeague)).toEqual([]);
      expect(await all({ account: otherAccount, league: 7 })).toEqual([reading('A')]);
      expect(await store.memory.forgotten(account)).toEqual(['member of A']);
      expect(await store.memory.forgotten(otherAccount)).toEqual([]);
    });

    it('takes what it kept of a squad away once the squad is seen to be that of a forgotten member', async () => {
      const { member: _member, ...nameless } = reading('A', {
        gameWeek: '',
        kind: 'substitution',
        variant: '',
      });
      await store.memory.forget(account, 'member of A');
      await store.memory.keep(scope, [nameless]);
      expect(await all(scope, '', 'substitution')).toEqual([nameless]);
      await store.memory.keep(scope, [reading('A')]);
      expect(await all(scope, '', 'substitution')).toEqual([]);
      expect(await all()).toEqual([]);
    });

    it('keeps a squad of a forgotten member for the one who has it since', async () => {
      const [before, after] = [reading('A'), reading('A', { gameWeek: NEXT_WEEK, member: 'next owner' })];
      await store.memory.keep(scope, [before, after]);
      await store.memory.forget(account, 'member of A');
      expect(await all()).toEqual([]);
      expect(await all(scope, NEXT_WEEK)).toEqual([after]);
      const later = { ...after, readAtMs: 99 };
      await store.memory.keep(scope, [later, before]);
      expect(await all()).toEqual([]);
      expect(await all(scope, NEXT_WEEK)).toEqual([later]);
    });

    it('drops what is kept of one week and was read before a time', async () => {
      await store.memory.keep(scope, [
        reading('A'),
        reading('B', { readAtMs: 20 }),
        reading('C', { gameWeek: NEXT_WEEK }),
      ]);
      await store.memory.keep(otherLeague, [reading('A')]);
      await store.memory.drop(scope, WEEK, 20);
      expect((await all()).map(({ id }) => id)).toEqual(['B']);
      expect(await all(scope, NEXT_WEEK)).toHaveLength(1);
      expect(await all(otherLeague)).toHaveLength(1);
    });
  });
}
