import { execFileSync, spawnSync } from 'node:child_process';
import { mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, expect, it, vi } from 'vitest';
import { openStore } from '../../src/state/sqlite/store.ts';
import { runs } from '../support/long.ts';
import { testFolder } from '../support/test-folder.ts';

const faults = vi.hoisted(() => ({ before: (_name: string): void => undefined }));
/** The functions that making a state calls. */
vi.mock(import('node:fs'), async (real) => {
  const fs = await real();
  const names = [
    'mkdirSync',
    'chmodSync',
    'openSync',
    'closeSync',
    'readdirSync',
    'linkSync',
    'renameSync',
  ] as const;
  const failing = Object.fromEntries(
    names.map((name) => [
      name,
      (...args: unknown[]): unknown => {
        faults.before(name);
        return (fs[name] as (...args: unknown[]) => unknown)(...args);
      },
    ]),
  );
  return { ...fs, ...failing };
});

const clock = { now: () => 1, monotonic: () => 1, sleep: () => Promise.resolve() };
const SCRIPT = join(import.meta.dirname, '../support/full-disk.ts');

const folder = testFolder();
afterEach(() => {
  faults.before = () => undefined;
});

const files = (): readonly string[] => readdirSync(folder.path, { recursive: true, encoding: 'utf8' }).sort();

interface Level {
  readonly free: number;
  readonly first: string | null;
  readonly left: readonly string[];
  readonly partial: Readonly<Record<string, string>>;
  readonly then: string | null;
  readonly made: readonly string[];
  readonly whole: Readonly<Record<string, string>>;
}

/** A disk of its own that ends with its process; no right of the machine's owner is needed where a user may have a name space. */
const onDisk = (...command: readonly string[]): readonly string[] => [
  '--user',
  '--map-root-user',
  '--mount',
  'sh',
  '-c',
  'mount -t tmpfs -o size=640k tmpfs "$0" && exec "$@"',
  folder.path,
  ...command,
];

it('makes state, rows and results whole or not at all, however full the disk is', ({ skip }) => {
  const may = spawnSync('unshare', onDisk('true'));
  if (may.status !== 0) skip('this machine lets no test mount a small disk');
  const output = execFileSync('unshare', onDisk(process.execPath, SCRIPT, folder.path, String(runs(3, 1))), {
    encoding: 'utf8',
  });
  const levels = output
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line) as Level);
  expect(levels.length).toBeGreaterThan(runs(33, 100));
  expect(levels[0]?.first).toBe('state.unwritable');
  expect(levels.at(-1)?.first).toBeNull();
  for (const { free, first, left, partial, then, made, whole } of levels) {
    expect({ free, then }).toEqual({ free, then: null });
    expect([null, 'state.unwritable', 'destination.unwritable']).toContain(first);
    // What SQLite keeps beside an open file may stay until the disk has room.
    const strange = left.filter(
      (name) => name !== 'filler' && !made.includes(name.replace(/-(wal|shm)$/, '')),
    );
    expect({ free, strange }).toEqual({ free, strange: [] });
    expect({ free, made: made.filter((name) => /new|tmp|-wal|-shm/.test(name)) }).toEqual({ free, made: [] });
    expect({ free, ...whole }).toMatchObject(partial);
  }
});

it('makes a state whole or not at all where files may not grow, and cleans up', () => {
  // Refuses every write behind that size, as a full disk does; the unit is 512 bytes.
  for (let blocks = 0; blocks <= 160; blocks += runs(40, 16)) {
    const script = `
      const { openStore } = await import(${JSON.stringify(join(import.meta.dirname, '../../src/state/sqlite/store.ts'))});
      const clock = { now: () => 1, monotonic: () => 1, sleep: () => Promise.resolve() };
      await openStore({ file: process.argv[1], clock }).then((store) => store.close(), (error) => { process.exitCode = error.exitCode; });`;
    const file = join(folder.path, String(blocks), 'state.sqlite');
    const limit = `trap '' XFSZ; ulimit -f ${blocks}; exec "$0" --input-type=module -e "$1" "$2"`;
    const { status } = spawnSync('sh', ['-c', limit, process.execPath, script, file], { stdio: 'ignore' });
    const left = readdirSync(join(folder.path, String(blocks)));
    expect({ blocks, status, left: left.filter((name) => !/-(wal|shm)$/.test(name)) }).toEqual(
      left.length === 0 ? { blocks, status: 8, left } : { blocks, status, left: ['state.sqlite'] },
    );
  }
});

it('makes a state whole or not at all whichever call of the file system fails', async () => {
  const failed = new Set<string>();
  for (let nth = 1; ; nth += 1) {
    const file = join(folder.path, String(nth), 'state.sqlite');
    let calls = 0;
    faults.before = (name) => {
      calls += 1;
      if (calls !== nth) return;
      failed.add(name);
      throw Object.assign(new Error(`ENOSPC: ${name}`), { code: 'ENOSPC', syscall: name });
    };
    const code = await openStore({ file, clock }).then(
      (store) => store.close().then(() => null),
      (error: unknown) => (error as { code: string }).code,
    );
    faults.before = () => undefined;
    expect([null, 'state.unwritable']).toContain(code);
    await (await openStore({ file, clock })).close();
    expect({ nth, left: readdirSync(join(folder.path, String(nth))) }).toEqual({
      nth,
      left: ['state.sqlite'],
    });
    if (calls < nth) break;
  }
  expect([...failed].sort()).toEqual([
    'chmodSync',
    'closeSync',
    'linkSync',
    'mkdirSync',
    'openSync',
    'readdirSync',
  ]);
});

it('removes what processes that are gone left of a new state, and nothing else', async () => {
  const gone = spawnSync('true').pid;
  const state = join(folder.path, 'state');
  mkdirSync(state);
  const kept = [
    'other.sqlite.1.new',
    `state.sqlite.${process.ppid}.new`,
    'state.sqlite.backup',
    'state.sqlite.x.new',
  ];
  const left = [
    `state.sqlite.${gone}.new`,
    `state.sqlite.${gone}.new-journal`,
    `state.sqlite.${process.pid}.new-wal`,
  ];
  for (const name of [...kept, ...left]) writeFileSync(join(state, name), 'x');
  await (await openStore({ file: join(state, 'state.sqlite'), clock })).close();
  expect(files()).toEqual(['state', ...[...kept, 'state.sqlite'].sort().map((name) => join('state', name))]);
});
