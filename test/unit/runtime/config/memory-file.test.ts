import { readFileSync, readdirSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { gunzipSync, gzipSync } from 'node:zlib';
import { beforeEach, describe, expect, it } from 'vitest';
import type { Kept } from '../../../../src/model/state/memory.ts';
import { readMemoryFile, writeMemoryFile } from '../../../../src/runtime/config/memory-file.ts';
import { MemoryWeeks, WeeksData } from '../../../simulation/memory-weeks.ts';
import { testFolder } from '../../../support/test-folder.ts';

const ACCOUNT = { baseUrl: 'https://service.test', accountId: 'a' };
const OTHER = { ...ACCOUNT, accountId: 'b' };
const scope = { account: ACCOUNT, league: 7 };
const squad = (id: string, member: string, readAtMs: number): Kept => ({
  ...{ gameWeek: 'week-1', kind: 'squad', id, variant: '', readAtMs, squad: id, member },
  record: { name: `Squad ${id}` },
});

const folder = testFolder();
let file: string;
let source: MemoryWeeks;
beforeEach(async () => {
  file = join(folder.path, 'memory.gz');
  source = new MemoryWeeks(new WeeksData());
  await source.keep(scope, [squad('s1', 'M-1', 10), squad('s2', 'M-2', 10)]);
  await source.keep({ account: OTHER, league: 8 }, [squad('s9', 'M-9', 10)]);
  await source.forget(ACCOUNT, 'M-3');
  await writeMemoryFile(file, source, ACCOUNT);
});

const squadsOf = async (memory: MemoryWeeks) =>
  (await Array.fromAsync(memory.kept(scope, 'week-1', 'squad'))).flat();
const lines = (): readonly string[] => gunzipSync(readFileSync(file)).toString('utf8').trimEnd().split('\n');
const rewrite = (changed: readonly string[]): void =>
  writeFileSync(file, gzipSync(changed.map((line) => `${line}\n`).join('')));

describe('the memory as one file', () => {
  it('holds the readings of one account, and only its owner may read it', () => {
    expect(statSync(file).mode & 0o777).toBe(0o600);
    expect(readdirSync(folder.path)).toEqual(['memory.gz']);
    expect(lines()).toHaveLength(4);
    expect(lines().join()).not.toContain('M-9');
  });

  it('is made with its folder', async () => {
    await writeMemoryFile(join(folder.path, 'kept', 'memory.gz'), source, ACCOUNT);
    expect(readdirSync(join(folder.path, 'kept'))).toEqual(['memory.gz']);
  });

  it('stays as it was where the memory cannot be read, and where it cannot be written', async () => {
    const before = readFileSync(file);
    const broken = Object.assign(new MemoryWeeks(new WeeksData()), {
      scopes: () => Promise.reject(new Error('the state is gone')),
    });
    await expect(writeMemoryFile(file, broken, ACCOUNT)).rejects.toThrow('the state is gone');
    await expect(writeMemoryFile(join(file, 'memory.gz'), source, ACCOUNT)).rejects.toMatchObject({
      code: 'destination.unwritable',
      exitCode: 8,
    });
    expect([readdirSync(folder.path), readFileSync(file)]).toEqual([['memory.gz'], before]);
  });

  it('is added to what is there: the later reading stays, and who is forgotten stays out', async () => {
    const memory = new MemoryWeeks(new WeeksData());
    await memory.keep(scope, [
      { ...squad('s1', 'M-1', 20), record: { name: 'later' } },
      squad('s3', 'M-3', 5),
    ]);
    expect(await readMemoryFile(file, 'memory.gz', memory, ACCOUNT)).toBe(2);
    expect((await squadsOf(memory)).map(({ id, readAtMs }) => [id, readAtMs])).toEqual([
      ['s1', 20],
      ['s2', 10],
    ]);
  });

  it.each<[string, (given: readonly string[]) => readonly string[], string]>([
    ['no end', (all) => all.slice(0, -1), 'it is not whole'],
    ['a line less', (all) => all.toSpliced(1, 1), 'it is not whole'],
    [
      'a line that is no JSON',
      (all) => all.with(1, '{'),
      'memory.gz:2: the file is damaged: the line is no JSON',
    ],
    ['a record of no kind', (all) => all.with(1, '{"league":7}'), 'the line is no record of the memory'],
    ['more behind its end', (all) => [...all, all[1] ?? ''], 'something stands behind its end'],
    ['another first line', (all) => all.with(0, '{"format":"other"}'), 'this is no file of weeks export'],
    ['nothing', () => [''], 'this is no file of weeks export'],
  ])('is refused whole with %s', async (_what, change, message) => {
    rewrite(change(lines()));
    const memory = new MemoryWeeks(new WeeksData());
    await expect(readMemoryFile(file, 'memory.gz', memory, ACCOUNT)).rejects.toMatchObject({
      code: 'memory.file',
      message: expect.stringContaining(message) as string,
    });
    expect(await squadsOf(memory)).toEqual([]);
  });

  it('is refused where it is of another account, no packed file, or not there', async () => {
    const memory = new MemoryWeeks(new WeeksData());
    const code = (name: string, account = ACCOUNT) =>
      readMemoryFile(join(folder.path, name), name, memory, account).catch(
        (error: unknown) => (error as { readonly code: string }).code,
      );
    expect(await code('memory.gz', OTHER)).toBe('memory.account');
    writeFileSync(join(folder.path, 'plain.gz'), 'plain text');
    expect(await code('plain.gz')).toBe('memory.file');
    expect(await code('none.gz')).toBe('memory.file');
  });
});
