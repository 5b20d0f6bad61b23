import { execFileSync, spawn } from 'node:child_process';
import {
  chmodSync,
  copyFileSync,
  existsSync,
  mkdirSync,
  readFileSync,
  readdirSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { crc32 } from 'node:zlib';

import { beforeEach, describe, expect, it } from 'vitest';

import type { KnownRecord } from '../../../../src/model/state/run-rows.ts';
import type { Store } from '../../../../src/model/state/store.ts';
import { storageError } from '../../../../src/state/storage-error.ts';
import { openStore } from '../../../../src/state/sqlite/store.ts';
import { RUN_ROWS_FORMAT } from '../../../../src/state/sqlite/run-rows-format.ts';
import { STATE_FORMAT } from '../../../../src/state/sqlite/state-format.ts';
import { runRow } from '../../../support/run-row.ts';
import { intentOf, startedRun } from '../../../support/writes.ts';
import { testFolder } from '../../../support/test-folder.ts';

const clock = { now: () => 1, monotonic: () => 1, sleep: () => Promise.resolve() };
const account = { baseUrl: 'https://data.example', accountId: 'club' };
const WRITER = join(import.meta.dirname, '../../../support/state-writer.ts');

const folder = testFolder();
let file: string;
const open = (): Promise<Store> => openStore({ file, clock, busyTimeoutMs: 50 });

beforeEach(() => {
  file = join(folder.path, '.teamsheet', 'state.sqlite');
});

function modes(): Record<string, string> {
  const found = readdirSync(folder.path, { recursive: true, encoding: 'utf8' });
  return Object.fromEntries(
    found.sort().map((name) => [name, (statSync(join(folder.path, name)).mode & 0o777).toString(8)]),
  );
}

async function fillStore(store: Store, facts: number): Promise<void> {
  for (let n = 0; n < facts; n += 1) await store.setFact(account, `fact ${n}`, 'x'.repeat(200));
}

async function countFacts(store: Store, facts: number): Promise<number> {
  let found = 0;
  while (found < facts && (await store.fact(account, `fact ${found}`)) !== undefined) found += 1;
  for (let n = found; n < facts; n += 1) expect(await store.fact(account, `fact ${n}`)).toBeUndefined();
  return found;
}

describe('the files of the state', () => {
  it('are refused below a link that leads nowhere, and below a folder that takes none', async () => {
    symlinkSync(join(folder.path, 'nowhere', 'at-all'), join(folder.path, '.teamsheet'));
    await expect(open()).rejects.toMatchObject({ code: 'state.path', exitCode: 4 });
    const below = join(folder.path, '.teamsheet', 'deep', 'er', 'state.sqlite');
    await expect(openStore({ file: below, clock })).rejects.toMatchObject({ code: 'state.path' });
  });

  it.each([0o000, 0o022, 0o777])('are for their owner alone under umask %o', (umask) => {
    // The umask belongs to the process, and a test thread cannot change it.
    const script = `
      process.umask(${umask});
      const { openStore } = await import(${JSON.stringify(join(import.meta.dirname, '../../../../src/state/sqlite/store.ts'))});
      const clock = { now: () => 1, monotonic: () => 1, sleep: () => Promise.resolve() };
      const store = await openStore({ file: ${JSON.stringify(file)}, clock });
      const rows = await store.openRunRows('RUN');
      await rows.setHeader('users', ['a']);
      await store.setKeyOrigin('digest', 'https://data.example');
      process.kill(process.pid, 'SIGKILL');`;
    expect(() => execFileSync(process.execPath, ['--input-type=module', '-e', script])).toThrow(
      /Command failed/,
    );
    expect(modes()).toEqual({
      '.teamsheet': '700',
      '.teamsheet/runs': '700',
      '.teamsheet/runs/RUN': '700',
      '.teamsheet/runs/RUN/rows.sqlite': '600',
      '.teamsheet/runs/RUN/rows.sqlite-shm': '600',
      '.teamsheet/runs/RUN/rows.sqlite-wal': '600',
      '.teamsheet/state.sqlite': '600',
      '.teamsheet/state.sqlite-shm': '600',
      '.teamsheet/state.sqlite-wal': '600',
    });
  });

  it('leave the mode of a folder that was there', async () => {
    mkdirSync(dirname(file));
    chmodSync(dirname(file), 0o755);
    await (await open()).close();
    expect(modes()).toEqual({ '.teamsheet': '755', '.teamsheet/state.sqlite': '600' });
  });

  it.each([
    ['with its folder', []],
    ['the folder of its results apart', ['users.results.csv']],
  ])('are gone with the rows of a run, %s', async (_what, results) => {
    const store = await open();
    const rows = await store.openRunRows('RUN');
    await rows.add('users', [runRow({ rowNumber: 2 })]);
    const runFolder = join(folder.path, '.teamsheet', 'runs', 'RUN');
    for (const name of results) writeFileSync(join(runFolder, name), '');
    await rows.remove();
    await rows.remove();
    await store.close();
    expect(Object.keys(modes())).toEqual([
      '.teamsheet',
      '.teamsheet/runs',
      ...results.flatMap((name) => ['.teamsheet/runs/RUN', `.teamsheet/runs/RUN/${name}`]),
      '.teamsheet/state.sqlite',
    ]);
  });

  it('are none for rows without a run', async () => {
    const store = await open();
    const before = Object.keys(modes());
    const rows = await store.openRunRows(null);
    await rows.add('users', [runRow({ rowNumber: 2 })]);
    expect(Object.keys(modes())).toEqual(before);
    await rows.close();
    await store.close();
  });

  it.each(['../../elsewhere', 'a/b', ''])('are refused for a run called "%s"', async (id) => {
    const store = await open();
    await expect(store.openRunRows(id)).rejects.toMatchObject({ code: 'state.run_id' });
    await store.close();
  });

  it('may be open in several processes and connections at once', async () => {
    const first = await open();
    const second = await open();
    await first.setFact(account, 'a', '1');
    await second.setFact(account, 'a', '2');
    expect((await first.fact(account, 'a'))?.value).toBe('2');
    await first.close();
    await second.close();
  });

  it('count what is known anew after each change, also one of another process', async () => {
    const first = await open();
    const second = await open();
    const record = (key: string): KnownRecord => ({ key, id: key, number: null, digests: {}, values: {} });
    const count = (): Promise<number> => first.countSnapshots(account, 'users');
    expect(await count()).toBe(0);
    await first.confirm(account, 'users', [record('a')], true);
    expect(await count()).toBe(1);
    await second.confirm(account, 'users', [record('b'), record('c')]);
    expect(await count()).toBe(3);
    expect(await first.countSnapshots(account, 'squads')).toBe(0);
    await second.forgetOlder(account, 'users', Infinity);
    expect(await count()).toBe(0);
    await first.close();
    await second.close();
  });

  it('are made once by processes that start together', async () => {
    const codes = await Promise.all(
      [1, 2, 3].map(
        () =>
          new Promise((done) => {
            const script = `
              const { openStore } = await import(${JSON.stringify(join(import.meta.dirname, '../../../../src/state/sqlite/store.ts'))});
              const clock = { now: () => 1, monotonic: () => 1, sleep: () => Promise.resolve() };
              const store = await openStore({ file: ${JSON.stringify(file)}, clock });
              await store.setFact({ baseUrl: 'a', accountId: 'b' }, String(process.pid), '');
              await store.close();`;
            spawn(process.execPath, ['--input-type=module', '-e', script], { stdio: 'inherit' }).on(
              'exit',
              done,
            );
          }),
      ),
    );
    expect(codes).toEqual([0, 0, 0]);
    const database = new DatabaseSync(file);
    expect(database.prepare('SELECT count(*) AS n FROM fact').get()?.n).toBe(3);
    database.close();
    expect(Object.keys(modes())).toEqual(['.teamsheet', '.teamsheet/state.sqlite']);
  });
});

describe('the rows of a run', () => {
  const PAGE = 4096;
  const rowsFile = (): string => join(dirname(file), 'runs', 'RUN', 'rows.sqlite');

  async function fillRows(store: Store, cell: string): Promise<void> {
    const rows = await store.openRunRows('RUN');
    await rows.setHeader('users', ['Member ID']);
    const numbers = Array.from({ length: 100 }, (_, at) => at + 2);
    await rows.add(
      'users',
      numbers.map((rowNumber) => runRow({ rowNumber, lines: [[cell]], said: [{ code: 'row-edited' }] })),
    );
    await rows.close();
  }

  /** Pages that are not the first of their file, from the end. */
  const scribble = (bytes: Buffer, fromEnd: number): Buffer =>
    bytes.fill(0x5a, bytes.length - fromEnd * PAGE, bytes.length - fromEnd * PAGE + 64);
  const replaced = (was: string, is: string) => (bytes: Buffer) =>
    Buffer.from(bytes.toString('latin1').replaceAll(was, is), 'latin1');

  it.each<readonly [what: string, damage: (bytes: Buffer) => Buffer, cell: string]>([
    ['empty', () => Buffer.alloc(0), 'x'],
    ['text', () => Buffer.from('Member ID\n'), 'x'],
    ['cut to one page', (bytes) => bytes.subarray(0, PAGE), 'x'],
    ['cut by its last page', (bytes) => bytes.subarray(0, bytes.length - PAGE), 'x'],
    ['scribbled over', (bytes) => scribble(bytes, 1), 'x'],
    ['large and scribbled over', (bytes) => scribble(bytes, 1), 'x'.repeat(100_000)],
    ['of a header that is no JSON', replaced('["Member ID"]', '["Member ID",'), 'x'],
    ['of values that are no JSON', replaced('{"external_id"', '{{external_id"'), 'x'],
    ['of words that are no JSON', replaced('"row-edited"}]', '"row-edited"]]'), 'x'],
  ])(
    'are lost where their file is %s, and begun again where they are wanted',
    async (_what, damage, cell) => {
      const store = await open();
      await fillRows(store, cell);
      const whole = readFileSync(rowsFile());
      const damaged = damage(Buffer.from(whole));
      expect(damaged.equals(whole)).toBe(false);
      writeFileSync(rowsFile(), damaged);
      expect(await store.keptRunRows('RUN')).toBeUndefined();
      expect(readFileSync(rowsFile()).equals(damaged)).toBe(true);
      await fillRows(store, cell);
      const kept = await store.keptRunRows('RUN');
      expect([...((await kept?.countOutcomes('users')) ?? [])]).toEqual([['open', 100]]);
      await kept?.close();
      await store.close();
    },
  );

  it('are lost where a folder stands in the place of their file, and begun again where they are wanted', async () => {
    const store = await open();
    await fillRows(store, 'x');
    rmSync(rowsFile());
    mkdirSync(join(rowsFile(), 'inside'), { recursive: true });
    expect(await store.keptRunRows('RUN')).toBeUndefined();
    expect(readdirSync(rowsFile())).toEqual(['inside']);
    await fillRows(store, 'x');
    const kept = await store.keptRunRows('RUN');
    expect([...((await kept?.countOutcomes('users')) ?? [])]).toEqual([['open', 100]]);
    await kept?.close();
    await store.close();
  });

  it('keep the words of an older version, and its issues', async () => {
    const store = await open();
    const issue = { code: 'cell.long', severity: 'error', column: 'Name', message: '61 characters' } as const;
    mkdirSync(dirname(rowsFile()), { recursive: true });
    const database = new DatabaseSync(rowsFile());
    for (const statements of RUN_ROWS_FORMAT.migrations.slice(0, 4)) database.exec(statements);
    database.exec(`PRAGMA application_id = ${RUN_ROWS_FORMAT.applicationId}; PRAGMA user_version = 4`);
    database.exec(`INSERT INTO mapping VALUES (7, 'users', '["Member ID"]')`);
    const older = database.prepare(
      `INSERT INTO row VALUES (7, ?, '[["a, b"]]', 'ä', NULL, 'd', '{"external_id":"ä"}', 'update', '{"name":null}', ?, ?, 'r9', NULL, ?, 'A')`,
    );
    older.run(2, 'no trustworthy answer (timeout)', 'unknown', null);
    older.run(3, '', null, null);
    older.run(4, 'column "Name": 61 characters', 'invalid', JSON.stringify([issue]));
    for (let row = 5; row < 1000; row += 1) older.run(row, '[{"code":"row-edited"}]', 'deferred', null);
    database.close();
    const rows = await store.keptRunRows('RUN');
    expect((await rows?.rows('users', [2, 3, 4]))?.map(({ said }) => said)).toEqual([
      [{ code: 'text', text: 'no trustworthy answer (timeout)' }],
      [],
      [{ code: 'issue', issue }],
    ]);
    expect(await rows?.countOutcomes('users')).toEqual(
      new Map([
        ['open', 1],
        ['unknown', 1],
        ['invalid', 1],
        ['deferred', 995],
      ]),
    );
    expect(await rows?.rows('users', [700])).toEqual([
      {
        ...{ rowNumber: 700, lines: [['a, b']], key: 'ä', readKey: 'A', folded: null },
        ...{ fields: { external_id: 'ä' }, change: 'update', before: { name: null }, id: 'r9' },
        ...{ said: [{ code: 'row-edited' }], outcome: 'deferred' },
      },
    ]);
    await rows?.patch('users', [{ rowNumber: 4, said: [{ code: 'row-edited' }] }]);
    expect((await rows?.rows('users', [4]))?.[0]?.said).toEqual([{ code: 'row-edited' }]);
    await rows?.close();
    await store.close();
  });

  it('are refused, and left as they are, where a newer teamsheet wrote them', async () => {
    const store = await open();
    await fillRows(store, 'x');
    const database = new DatabaseSync(rowsFile());
    database.exec('PRAGMA user_version = 99');
    database.close();
    const bytes = readFileSync(rowsFile());
    for (const opened of [store.keptRunRows('RUN'), store.openRunRows('RUN')])
      await expect(opened).rejects.toMatchObject({ code: 'state.newer', exitCode: 4 });
    expect(readFileSync(rowsFile())).toEqual(bytes);
    await store.close();
  });
});

describe('a process that is killed', () => {
  it('leaves every write that it was promised, and no half of one', async () => {
    for (const lines of [1, 3, 10, 40, 90]) {
      const promised = await killAfter(lines);
      const store = await open();
      const rows = await store.openRunRows('RUN');
      const intents = await store.intents('RUN');
      expect(intents.length).toBeGreaterThan(promised);
      expect(intents.slice(0, promised + 1).map((intent) => [intent.id, intent.result])).toEqual(
        Array.from({ length: promised + 1 }, (_, n) => [String(n), 'applied']),
      );
      for (const { id, rowNumbers, result } of intents) {
        const found = await rows.rows('users', rowNumbers);
        const snapshots = await store.snapshots(
          account,
          'users',
          rowNumbers.map((row) => `${id}-${row}`),
        );
        expect(found).toHaveLength(3);
        expect(snapshots.size).toBe(result === null ? 0 : 3);
        expect(new Set(found.map((row) => row.outcome)).size).toBe(1);
        if (Number(id) <= promised) expect(found[0]?.outcome).toBe('created');
      }
      // The next process begins a fresh run.
      await rows.remove();
      await store.close();
      rmSync(dirname(file), { recursive: true });
    }
  });

  /** Kills a writer once it has printed that many lines; answers the last number that it printed. */
  async function killAfter(lines: number): Promise<number> {
    const child = spawn(process.execPath, [WRITER, file], { stdio: ['ignore', 'pipe', 'inherit'] });
    let output = '';
    child.stdout.setEncoding('utf8').on('data', (text: string) => {
      output += text;
      if (output.split('\n').length > lines) child.kill('SIGKILL');
    });
    await new Promise((done) => child.on('close', done));
    expect(child.signalCode).toBe('SIGKILL');
    return Number(output.trim().split('\n').at(-1));
  }
});

describe('a state file that is not whole', () => {
  it('is refused when it is empty, text, cut or scribbled over', async () => {
    const store = await open();
    await fillStore(store, 100);
    await store.close();
    const whole = readFileSync(file);
    expect(whole.length).toBeGreaterThan(3 * 4096);
    const scribbled = Buffer.from(whole).fill(0x5a, 4096, 4096 + 64);
    const broken: Record<string, Buffer> = {
      empty: Buffer.alloc(0),
      text: Buffer.from('Member ID,Display name\n'),
      'header cut': whole.subarray(0, 10),
      'first page cut': whole.subarray(0, 1000),
      'last page cut': whole.subarray(0, whole.length - 4096),
      'half of a page cut': whole.subarray(0, whole.length - 2048),
      'scribbled over': scribbled,
    };
    for (const [name, bytes] of Object.entries(broken)) {
      writeFileSync(file, bytes);
      await expect(open(), name).rejects.toMatchObject({
        code: 'state.damaged',
        exitCode: 4,
        message: expect.not.stringContaining('\n') as string,
      });
      expect(readFileSync(file), name).toEqual(bytes);
    }
  });

  it.each([
    'PRAGMA user_version = 0',
    'PRAGMA user_version = 1',
    'PRAGMA user_version = -1',
    'DROP TABLE fact',
    'DROP TABLE key_origin',
    'DROP TABLE run; DROP TABLE intent',
    'DROP VIEW sealed_run',
    'DROP TRIGGER run_added',
    'DROP INDEX intent_open',
    'ALTER TABLE run RENAME COLUMN document TO text',
  ])('is refused, and left as it is, after %s', async (statement) => {
    await (await open()).close();
    edit(statement);
    const bytes = readFileSync(file);
    await expect(open()).rejects.toMatchObject({
      code: 'state.damaged',
      exitCode: 4,
      place: { file },
      message: expect.stringMatching(/it says that it is of format|no such table/) as string,
    });
    expect(readFileSync(file)).toEqual(bytes);
    expect(Object.keys(modes())).toEqual(['.teamsheet', '.teamsheet/state.sqlite']);
  });

  it.each(['ANALYZE', 'CREATE TABLE mine (a)'])(
    'is used after %s, which is not ours to judge',
    async (edited) => {
      await (await open()).close();
      edit(edited);
      await (await open()).close();
    },
  );

  it('takes what a comparison came to for nothing where it was changed by hand', async () => {
    const store = await open();
    const members = { account, resource: 'users', mapping: 'members' } as const;
    await store.comparisons.begin(members, '1');
    await store.comparisons.keep(members, '1', 'found');
    expect(await store.comparisons.last(members)).toBe('found');
    edit("UPDATE comparison SET document = 'other'");
    expect(await store.comparisons.last(members)).toBeUndefined();
    await store.close();
  });

  it('is brought to the newest version when an older teamsheet wrote it', async () => {
    mkdirSync(dirname(file));
    const { applicationId, migrations } = STATE_FORMAT;
    edit(`${migrations[0]}; PRAGMA application_id = ${applicationId}; PRAGMA user_version = 1`);
    const store = await open();
    await store.setFact(account, 'a', '1');
    expect((await store.fact(account, 'a'))?.value).toBe('1');
    await store.close();
  });

  it('is refused when only its log is there, whose writes a new file would take over', async () => {
    const store = await open();
    await store.setFact(account, 'a', '1');
    const log = readFileSync(`${file}-wal`);
    await store.close();
    rmSync(file);
    writeFileSync(`${file}-wal`, log);
    await expect(open()).rejects.toMatchObject({ code: 'state.damaged', exitCode: 4 });
    expect(Object.keys(modes())).toEqual(['.teamsheet', '.teamsheet/state.sqlite-wal']);
    expect(readFileSync(`${file}-wal`)).toEqual(log);
  });

  it('is refused when another program or a newer teamsheet wrote it', async () => {
    await (await open()).close();
    edit('PRAGMA user_version = 99');
    await expect(open()).rejects.toMatchObject({ code: 'state.newer', exitCode: 4 });
    edit('PRAGMA application_id = 7');
    await expect(open()).rejects.toMatchObject({ code: 'state.damaged' });
  });

  it('seals values as earlier states are sealed: joined by U+0000, bytes as decimals', async () => {
    const store = await open();
    const record = { text: 'é'.repeat(3_000), bytes: Array.from({ length: 300 }, (_, byte) => byte) };
    const about = { gameWeek: 'week', kind: 'squad', id: 'é', variant: '', readAtMs: 1, record } as const;
    await store.memory.keep({ account, league: 7 }, [
      about,
      { ...about, id: 'short', squad: 's', record: {} },
    ]);
    await store.close();
    const db = new DatabaseSync(file);
    try {
      const rows = db
        .prepare(
          'SELECT league, game_week, kind, id, variant, read_at_ms, squad, member, record, seal FROM kept',
        )
        .all()
        .map((row) => Object.values(row));
      expect(rows).toHaveLength(2);
      for (const row of rows) expect(row.at(-1)).toBe(crc32(row.slice(0, -1).join('\0')));
    } finally {
      db.close();
    }
  });

  it('counts the readings that another process kept meanwhile', async () => {
    const [one, other] = [await open(), await open()];
    const scope = { account, league: 7 };
    const ids = async (): Promise<readonly number[]> =>
      (await one.memory.weeks(scope)).map((each) => each.ids);
    const reading = { gameWeek: 'week', kind: 'squad', variant: '', readAtMs: 1, record: {} } as const;
    await one.memory.keep(scope, [{ ...reading, id: 'a' }]);
    expect(await ids()).toEqual([1]);
    await other.memory.keep(scope, [{ ...reading, id: 'b' }]);
    expect(await ids()).toEqual([2]);
    await Promise.all([one.close(), other.close()]);
  });

  it.each([
    ['a value', '"id":"held"', '"id":"helt"', (store: Store) => store.snapshots(account, 'users', ['a-key'])],
    ['a key', 'a-key', 'a-kez', (store: Store) => store.snapshots(account, 'users', ['a-key'])],
    ['an intent', '"operation":"create', '"operation":"creatf', (store: Store) => store.openIntents(account)],
    ['a run', '"command":"push"', '"command":"pusi"', (store: Store) => store.runs(1)],
    ['a fact', 'learnt-value', 'learnt-valuf', (store: Store) => store.fact(account, 'learnt')],
    [
      'the state of a mapping',
      '"mapping":"users"',
      '"mapping":"usert"',
      (store: Store) => store.alerts.states(),
    ],
    ['an alert', 'env ALERT_URL', 'env ALERT_URM', (store: Store) => store.alerts.waiting()],
    [
      'the id of a kept record',
      'kept-id',
      'kept-ie',
      (store: Store) => Array.fromAsync(store.memory.kept({ account, league: 7 }, 'week', 'squad')),
    ],
  ])('names the file when %s in it is not what was written', async (_what, was, is, read) => {
    const store = await open();
    await fillStore(store, 1);
    await store.confirm(account, 'users', [
      { key: 'a-key', id: 'held', number: null, digests: {}, values: {} },
    ]);
    await store.setFact(account, 'learnt', 'learnt-value');
    const state = {
      ...({ environment: 'live', league: null, mapping: 'users', state: 'failing', sinceMs: 1 } as const),
      ...({ toldAtMs: 1, ranAtMs: 1, run: null, exitCode: 8, counts: null } as const),
    };
    const letter = {
      ...{ id: 'a', to: 'json env ALERT_URL', createdAtMs: 1, tries: 0, nextTryMs: 1, last: null, end: null },
      alert: { ...state, about: 'a', event: 'failing', message: 'm', next: null } as const,
    };
    await store.alerts.change(() => ({ states: [state], letters: [letter], forgetBeforeMs: 0 }));
    await store.memory.keep({ account, league: 7 }, [
      { gameWeek: 'week', kind: 'squad', id: 'kept-id', variant: '', readAtMs: 1, record: {} },
    ]);
    await store.addRun(startedRun('RUN', { account }));
    await store.addIntent(account, intentOf('INTENT', { rowNumbers: [2], keys: ['b-key'] }));
    await store.close();
    const bytes = readFileSync(file, 'latin1');
    expect(bytes).toContain(was);
    writeFileSync(file, bytes.replaceAll(was, is), 'latin1');
    const again = await open();
    await expect(read(again)).rejects.toMatchObject({ code: 'state.damaged', place: { file } });
    await again.close();
  });

  it('keeps a whole first part of the writes when its log was cut anywhere', async () => {
    const store = await open();
    await fillStore(store, 20);
    const copy = join(folder.path, 'copy.sqlite');
    copyFileSync(file, copy);
    copyFileSync(`${file}-wal`, `${copy}-wal`);
    await store.close();
    const log = readFileSync(`${copy}-wal`);
    let last = -1;
    for (let length = 0; length <= log.length; length += 3001) {
      rmSync(`${copy}-shm`, { force: true });
      writeFileSync(`${copy}-wal`, log);
      truncateSync(`${copy}-wal`, length);
      copyFileSync(copy, file);
      copyFileSync(`${copy}-wal`, `${file}-wal`);
      const cut = await open();
      const found = await countFacts(cut, 20);
      await cut.close();
      expect(found).toBeGreaterThanOrEqual(last);
      last = found;
    }
    expect(last).toBeGreaterThan(10);
  });

  function edit(statement: string): void {
    const database = new DatabaseSync(file);
    database.exec(statement);
    database.close();
  }
});

describe('a state file that is not where it was opened', () => {
  const away = (): string => join(folder.path, 'away');
  it.each<[string, () => void]>([
    ['removed', () => rmSync(dirname(file), { recursive: true })],
    ['moved with its folder', () => renameSync(dirname(file), away())],
    [
      'replaced by a copy',
      () => {
        copyFileSync(file, away());
        renameSync(away(), file);
      },
    ],
  ])('takes nothing more where it was %s', async (_, change) => {
    const store = await open();
    await store.setFact(account, 'before', '1');
    change();
    await expect(store.setFact(account, 'after', '1')).rejects.toMatchObject({
      code: 'state.moved',
      exitCode: 8,
    });
    expect(await store.fact(account, 'after')).toBeUndefined();
    await store.close();
  });
});

describe('a state file that cannot be written', () => {
  it.each([
    [
      'its folder is a file',
      () => writeFileSync(dirname(file), 'a file where a folder should be'),
      'is a file, not a folder',
    ],
    ['it is a folder', () => mkdirSync(file, { recursive: true }), 'it is a folder'],
    [
      'a link leads nowhere',
      () => link(join(folder.path, 'missing', 'elsewhere.sqlite')),
      'is a link that leads nowhere',
    ],
    ['a link leads to itself', () => link(file), 'its links lead in a circle'],
    ['it is a pipe', () => makePipe(), 'it is no ordinary file'],
    ['its name is too long', () => (file = join(folder.path, 'x'.repeat(250))), 'its name is too long'],
    ['its name holds a NUL', () => (file = join(folder.path, 'a\0b')), 'it holds a NUL character'],
  ])('stops as a mistake of the configuration when %s, and is left as it is', async (_what, make, reason) => {
    make();
    const before = readdirSync(folder.path, { recursive: true });
    await expect(open()).rejects.toMatchObject({
      code: 'state.path',
      exitCode: 4,
      message: expect.stringContaining(reason) as string,
    });
    expect(readdirSync(folder.path, { recursive: true })).toEqual(before);
  });

  function link(to: string): void {
    mkdirSync(dirname(file));
    symlinkSync(to, file);
  }

  function makePipe(): void {
    mkdirSync(dirname(file));
    execFileSync('mkfifo', [file]);
  }

  it('is reported when the disk is full, and keeps what it held', async () => {
    // A limit on the size of a file refuses writes in the middle of a transaction, as a full disk does.
    const script = `
      const { openStore } = await import(${JSON.stringify(join(import.meta.dirname, '../../../../src/state/sqlite/store.ts'))});
      const clock = { now: () => 1, monotonic: () => 1, sleep: () => Promise.resolve() };
      const store = await openStore({ file: ${JSON.stringify(file)}, clock });
      let n = 0;
      try {
        for (; n < 5000; n += 1) await store.setFact(${JSON.stringify(account)}, 'fact ' + n, 'x'.repeat(200));
      } catch (error) {
        console.log(JSON.stringify({ n, code: error.code, exitCode: error.exitCode }));
      }`;
    const output = execFileSync(
      'sh',
      ['-c', `trap '' XFSZ; ulimit -f 400; exec "$0" --input-type=module -e "$1"`, process.execPath, script],
      { encoding: 'utf8' },
    );
    const stopped = JSON.parse(output) as { n: number; code: string; exitCode: number };
    expect(stopped).toMatchObject({ code: 'state.unwritable', exitCode: 8 });
    const store = await open();
    expect(await countFacts(store, stopped.n + 1)).toBe(stopped.n);
    await store.close();
  });

  it('names the limit of open files where it stops it', () => {
    const cause = Object.assign(new Error('EMFILE'), { code: 'EMFILE', syscall: 'open' });
    expect(storageError(file, cause)).toMatchObject({
      code: 'state.unwritable',
      next: 'Let the program open more files (ulimit -n), then run the command again.',
    });
    // SQLite tells an open file too many as it tells wrong permissions.
    expect(storageError(file, Object.assign(new Error('x'), { errcode: 14 }))).toMatchObject({
      next: expect.stringContaining('or let the program open more files (ulimit -n)') as string,
    });
  });

  it('waits for another writer, then says that it is busy', async () => {
    const store = await open();
    const other = new DatabaseSync(file);
    other.exec('BEGIN IMMEDIATE');
    await expect(store.setKeyOrigin('a', 'b')).rejects.toMatchObject({ code: 'state.busy', exitCode: 8 });
    expect(await store.keyOrigin('a')).toBeUndefined();
    other.exec('COMMIT');
    other.close();
    await store.setKeyOrigin('a', 'b');
    expect(await store.keyOrigin('a')).toBe('b');
    await store.close();
    expect(existsSync(`${file}-wal`)).toBe(false);
  });
});
