import { readFile, readdir, rm, type FileHandle } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, describe, expect, it, vi } from 'vitest';
import type { PullMapping } from '../../src/mapping/mapping.ts';
import type { PullSummary } from '../../src/model/state/store.ts';
import type { TableLocation } from '../../src/model/tables/table.ts';
import { expectAllClosed } from '../support/faulty-files.ts';
import { fakeService, pullMapping, pullPorts, pull } from '../support/pull.ts';
import { testFolder } from '../support/test-folder.ts';

const files = vi.hoisted(() => ({
  opened: [] as FileHandle[],
  call: <T>(_name: string, effect: () => Promise<T>): Promise<T> => effect(),
}));
vi.mock(import('node:fs/promises'), async (real) => {
  const { faultyFiles } = await import('../support/faulty-files.ts');
  return faultyFiles(await real(), files);
});

/** What the operating system says of a full disk, a broken one, and of files and file systems that may not be written. */
const CODES = ['ENOSPC', 'EIO', 'EACCES', 'EROFS', 'EDQUOT', 'EPERM'];

const folder = testFolder();
afterEach(async () => {
  files.call = (_name, effect) => effect();
  await expectAllClosed(files);
});

const service = (name: string) =>
  fakeService({
    pages: () => [
      Array.from({ length: 30 }, (_, n) => ({
        id: `0b0e3c9a-0000-4000-8000-0000000000${String(n).padStart(2, '0')}`,
        user_id: n + 1,
        external_id: `M-${n}`,
        display_name: `${name} ${n}`,
      })),
    ],
  });

/** Two reports in CSV files and a workbook, which share nothing. */
function mappings(mode: 'replace' | 'append'): readonly PullMapping[] {
  const report = (name: string, location: TableLocation): PullMapping =>
    pullMapping('users', location, { name, destination: { mode } });
  return [
    report('one', { kind: 'csv', path: join(folder.path, 'one.csv') }),
    report('book', { kind: 'xlsx', path: join(folder.path, 'book.xlsx'), tab: 'Users' }),
    report('two', { kind: 'csv', path: join(folder.path, 'two.csv') }),
  ];
}
const FILES: Readonly<Record<string, string>> = { one: 'one.csv', book: 'book.xlsx', two: 'two.csv' };

const contents = async (): Promise<Readonly<Record<string, string>>> =>
  Object.fromEntries(
    await Promise.all(
      Object.entries(FILES).map(
        async ([name, file]) => [name, (await readFile(join(folder.path, file))).toString('base64')] as const,
      ),
    ),
  );

/** Pulls while the nth call of the file system fails; what it says of each report, and whether any call failed. */
async function pullWith(
  mode: 'replace' | 'append',
  fails: (call: number) => boolean,
  code: string,
): Promise<{ readonly summaries: readonly PullSummary[]; readonly failed: readonly string[] }> {
  const failed: string[] = [];
  let calls = 0;
  files.call = (name, effect) => {
    calls += 1;
    if (!fails(calls)) return effect();
    failed.push(name);
    // A file is closed whatever close says.
    if (name === 'handle.close') void effect();
    return Promise.reject(Object.assign(new Error(`${code}: ${name}`), { code, syscall: name }));
  };
  try {
    return { summaries: await pull(pullPorts(service('New')), mappings(mode), {}), failed };
  } finally {
    files.call = (_name, effect) => effect();
  }
}

describe.each(['replace', 'append'] as const)(
  'the nth call of the file system fails in a pull, mode %s',
  (mode) => {
    it.each([
      ['alone', false],
      ['and all after it', true],
    ])(
      '%s: each report is the old one or the new one, whole, and the others go on',
      async (_what, forGood) => {
        for (let nth = 1; ; nth += 1) {
          const code = CODES[nth % CODES.length] ?? 'EIO';
          for (const file of Object.values(FILES)) await rm(join(folder.path, file), { force: true });
          await pull(pullPorts(service('Old')), mappings('replace'), {});
          const before = await contents();
          const { summaries, failed } = await pullWith(
            mode,
            (call) => (forGood ? call >= nth : call === nth),
            code,
          );
          const after = await contents();
          const bad = summaries.filter(({ error }) => error !== undefined);
          const told = { nth, failed: failed[0], bad: bad.map(({ name }) => name) };
          for (const { name, error } of summaries) {
            if (error === undefined)
              expect({ ...told, name, isNew: after[name] !== before[name] }).toEqual({
                ...told,
                name,
                isNew: true,
              });
            else expect({ ...told, name, exit: error.exit_code }).toEqual({ ...told, name, exit: 8 });
          }
          for (const { name, error } of bad) {
            const isNew = error?.message.includes('is written, but') === true;
            expect({ ...told, name, isNew: after[name] !== before[name] }).toEqual({ ...told, name, isNew });
          }
          if (!forGood) expect(bad.length).toBeLessThanOrEqual(1);
          for (const text of [after['one'], after['two']]) {
            const lines = Buffer.from(text ?? '', 'base64')
              .toString()
              .trimEnd()
              .split('\n');
            expect([31, 61]).toContain(lines.length);
          }
          const left = (await readdir(folder.path)).filter((file) => !Object.values(FILES).includes(file));
          if (!failed.includes('rm')) expect({ ...told, left }).toEqual({ ...told, left: [] });
          for (const file of left) await rm(join(folder.path, file));
          if (failed.length === 0) break;
        }
      },
      60_000,
    );
  },
);
