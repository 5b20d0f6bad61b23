import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { Run, Store } from '../../src/model/state/store.ts';
import { changedBy } from '../../src/model/changed-by.ts';
import { copyState, type Copied } from '../../src/state/copy.ts';
import { makePostgresState, readPostgresState } from '../../src/state/postgres/copy.ts';
import { makeSqliteState, readSqliteState } from '../../src/state/sqlite/copy.ts';
import { openStore } from '../../src/state/sqlite/store.ts';
import {
  clientOf,
  isServerEnough,
  newSchema,
  noPostgres,
  openTestState,
  OwnPostgres,
  startPostgres,
  type PostgresServer,
} from '../support/postgres.ts';
import type { PostgresClient } from '../../src/state/postgres/client.ts';
import { runRow } from '../support/run-row.ts';
import { testFolder } from '../support/test-folder.ts';
import { intentOf, startedRun } from '../support/writes.ts';

/** A state file finds no key with a NUL. */
const KEY = 'é\\ "🏆';
const ODD = 'a\0b \ud800 "é\\ 🏆';
const account = { baseUrl: 'https://data.example', accountId: 'club' };
const other = { baseUrl: 'https://data.example', accountId: 'rival' };
let nowMs = 0;
const clock = { now: () => (nowMs += 1), monotonic: () => nowMs, sleep: () => Promise.resolve() };

const folder = testFolder();
let schema: string;
beforeEach(() => {
  schema = newSchema();
  nowMs = 1000;
});

const run = (id: string, changes: Partial<Run> = {}): Run =>
  startedRun(id, { account, startedAtMs: 5, mappings: '{}', ...changes });

const intent = intentOf('', { runId: 'RUN-1', rowNumbers: [2], keys: [ODD], sentAtMs: 1 });

/** A state in which there is something of everything, and of rows and readings more than a page. */
async function fill(store: Store): Promise<void> {
  await store.addRun(run('RUN-2', { startedAtMs: 9 }));
  await store.addRun(run('RUN-1'));
  await store.addRun(run('RUN-3', { account: other, finished: true }));
  await store.addPull(run('PULL', { command: 'pull', finished: true }));
  const rows = await store.openRunRows('RUN-1');
  await rows.setHeader('users', ['Member ID', ODD]);
  await rows.add(
    'users',
    Array.from({ length: 2500 }, (_, at) =>
      runRow({ rowNumber: at + 2, key: `K${at}`, lines: [[ODD]], fields: { display_name: ODD } }),
    ),
  );
  await rows.patch('users', [{ rowNumber: 3, outcome: 'created', id: ODD, key: 'respelt' }]);
  await rows.setHeader('prices', []);
  await rows.close();
  for (const id of ['I-3', 'I-1', 'I-2']) await store.addIntent(account, { ...intent, id });
  const record = { id: ODD, number: 7, digests: { name: 'd' }, values: { display_name: ODD } };
  await store.recordResult(
    account,
    'I-1',
    'applied',
    [{ code: 'answer-again' }],
    [
      { ...record, key: KEY, managedBy: ODD },
      { ...record, key: '山'.repeat(800) },
    ],
  );
  await store.recordResult(account, 'I-3', 'ambiguous', [], []);
  await store.setFact(account, ODD, ODD);
  await store.setFact(other, 'list:users', '{}');
  await store.setKeyOrigin('digest', ODD);
  const scope = { account, league: 7 };
  await store.memory.keep(
    scope,
    Array.from({ length: 1200 }, (_, at) => ({
      ...{ gameWeek: 'w', kind: 'lineup' as const, id: `S${at}`, variant: '', readAtMs: at, squad: `S${at}` },
      ...{ member: `member ${at}`, record: { text: ODD.repeat(1 + (at % 90)) } },
    })),
  );
  await store.memory.forget(account, 'member 3');
  await store.alerts.change(() => ({
    states: [{ environment: 'test', league: undefined, mapping: 'users', state: 'ok' } as never],
    letters: [{ id: ODD, createdAtMs: 3, end: null } as never],
    forgetBeforeMs: 0,
  }));
}

/** Everything that can be asked of a state. */
async function look(store: Store): Promise<unknown> {
  const rows = await store.keptRunRows('RUN-1');
  const found = {
    runs: await store.runs(9),
    pulls: await store.pulls(9),
    unfinished: await store.newestUnfinishedRun(account),
    intents: await store.intents('RUN-1'),
    after: (await store.intentsAfter(account, 'I-3')).map(({ id }) => id),
    open: await store.openIntents(account),
    facts: [await store.facts(account), await store.facts(other), await store.keyOrigin('digest')],
    known: (await Array.fromAsync(store.allSnapshots(account, 'users')))
      .flat()
      .toSorted((a, b) => (a.key < b.key ? -1 : 1)),
    since: (await Array.fromAsync(store.allSnapshots(account, 'users', nowMs + 1))).flat(),
    named: [...(await store.snapshots(account, 'users', [KEY, '山'.repeat(800)])).values()],
    kept: (await Array.fromAsync(store.memory.kept({ account, league: 7 }, 'w', 'lineup'))).flat(),
    forgotten: await store.memory.forgotten(account),
    alerts: [await store.alerts.states(), await store.alerts.waiting()],
    rows: await rows?.page('users', { afterRow: 0, limit: 5000 }),
    headers: [await rows?.mappings(), await rows?.header('users')],
    others: await store.keptRunRows('RUN-2'),
  };
  await rows?.close();
  await store.close();
  return found;
}

const fileOf = (name: string): string => join(folder.path, name, 'state.sqlite');
const openFile = (name: string): Promise<Store> => openStore({ file: fileOf(name), clock });

/** What every database that a state is copied into and back does. */
function copySuite(name: string, open: () => Promise<PostgresClient>): void {
  describe(`a copy: ${name}`, () => {
    let client: PostgresClient;
    beforeEach(async () => {
      client = await open();
    });
    afterEach(() => client.close());
    const place = () => ({ client, name: 'postgres://127.0.0.1/test', schema });
    const into = (from: string): Promise<Copied> =>
      readSqliteState(fileOf(from), (source) =>
        makePostgresState(place(), (target) => copyState(source, target)),
      );
    const back = (to: string): Promise<Copied> =>
      readPostgresState(place(), (source) =>
        makeSqliteState(fileOf(to), (target) => copyState(source, target)),
      );

    it('holds what the state held, there and back, and goes on from there', async () => {
      const first = await openFile('first');
      await fill(first);
      await first.close();
      const copied = await into('first');
      expect(copied).toMatchObject({
        account: 2,
        run: 3,
        pull: 1,
        intent: 3,
        snapshot: 2,
        kept: 1199,
        run_row: 2500,
      });
      expect(await back('again')).toEqual(copied);
      const wanted = await look(await openFile('first'));
      expect(await look(await openFile('again'))).toEqual(wanted);
      const other = await openTestState(await open(), schema, folder.path, { clock });
      expect(await look(other.store)).toEqual(wanted);

      const { store } = await openTestState(await open(), schema, folder.path, { clock, held: [account] });
      await store.addRun(run('NEW'));
      await store.addIntent(account, { ...intent, id: 'NEW', runId: 'NEW' });
      await store.setFact({ ...account, accountId: 'third' }, 'a', '');
      expect((await store.intentsAfter(account, 'I-2')).map(({ id }) => id)).toEqual(['NEW']);
      await store.close();
    });

    it('is refused where there is a state, which stays as it is', async () => {
      const first = await openFile('first');
      await first.addRun(run('RUN-1'));
      await first.close();
      await into('first');
      await expect(into('first')).rejects.toMatchObject({ code: 'state.not_empty', exitCode: 6 });
      await expect(back('first')).rejects.toMatchObject({ code: 'state.not_empty', exitCode: 6 });
      const { store } = await openTestState(await open(), schema, folder.path, { clock });
      expect((await store.runs(9)).map(({ id }) => id)).toEqual(['RUN-1']);
      await store.close();
    });

    it.each(['Member ID,Name\nA-1,Ada\n', ''])('is refused where another file is: %j', async (text) => {
      await (await openFile('first')).close();
      await into('first');
      const file = join(folder.path, 'users.csv');
      writeFileSync(file, text);
      const copied = readPostgresState(place(), (source) =>
        makeSqliteState(file, (target) => copyState(source, target)),
      );
      await expect(copied).rejects.toMatchObject({
        ...{ code: 'state.not_empty', exitCode: 6 },
        message: `${file} is there and is no state: nothing is copied over it`,
      });
      expect(readFileSync(file, 'utf8')).toBe(text);
    });

    it('is not there at all where it could not be finished', async () => {
      const first = await openFile('first');
      await fill(first);
      await first.close();
      const stopped = new Error('stopped');
      const half = readSqliteState(fileOf('first'), (source) =>
        makePostgresState(place(), async (target) => {
          await copyState(source, changedBy(target, { makeRunRows: () => Promise.reject(stopped) }));
        }),
      );
      await expect(half).rejects.toBe(stopped);
      await into('first');
      const halfBack = readPostgresState(place(), (source) =>
        makeSqliteState(fileOf('again'), async (target) => {
          await copyState(source, target);
          throw stopped;
        }),
      );
      await expect(halfBack).rejects.toBe(stopped);
      expect(readdirSync(join(folder.path, 'again'))).toEqual([]);
      await back('again');
      expect(existsSync(join(folder.path, 'again', 'runs', 'RUN-1', 'rows.sqlite'))).toBe(true);
    });

    it('of a damaged state is refused', async () => {
      const first = await openFile('first');
      await fill(first);
      await first.close();
      const file = new DatabaseSync(fileOf('first'));
      file.exec("DROP TRIGGER fact_changed; UPDATE fact SET value = 'other'");
      file.close();
      await expect(into('first')).rejects.toMatchObject({ code: 'state.damaged', exitCode: 4 });
    });
  });
}

if (!isServerEnough)
  copySuite('PostgreSQL in this process', () => Promise.resolve(new OwnPostgres().client()));

describe.skipIf(noPostgres !== undefined)(`on a server (${noPostgres ?? 'found'})`, () => {
  let server: PostgresServer;
  beforeAll(async () => {
    server = await startPostgres();
  });
  afterAll(() => server.close());
  copySuite('PostgreSQL', () => clientOf(server));
});
