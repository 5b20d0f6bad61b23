import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import { replaceFolder } from '../../../../src/runtime/publish/site-folder.ts';
import { testFolder } from '../../../support/test-folder.ts';

const page = (path: string, text = path) => ({ path, text });
const FIRST = [page('index.html'), page('weeks/week-1.html'), page('squads/1.html')];

describe('replacing a folder', () => {
  const base = testFolder();
  let out: string;
  beforeEach(() => {
    out = join(base.path, 'public');
  });

  const read = (path: string): string => readFileSync(join(out, path), 'utf8');

  it('makes it with every file, and leaves nothing beside it', async () => {
    expect(await replaceFolder(out, FIRST)).toEqual({ files: 3, changed: 3 });
    expect(read('weeks/week-1.html')).toBe('weeks/week-1.html');
    expect(readdirSync(base.path)).toEqual(['public']);
  });

  it('takes away what it wrote before and does not write again', async () => {
    await replaceFolder(out, FIRST);
    expect(await replaceFolder(out, [page('index.html', 'new')])).toEqual({ files: 1, changed: 3 });
    expect(readdirSync(out).toSorted()).toEqual(['.teamsheet-site.json', 'index.html']);
    expect(read('index.html')).toBe('new');
  });

  it('does not touch a folder that holds the same', async () => {
    await replaceFolder(out, FIRST);
    const file = join(out, '.git/HEAD');
    mkdirSync(join(out, '.git'));
    writeFileSync(file, 'ref');
    expect(await replaceFolder(out, FIRST)).toEqual({ files: 3, changed: 0 });
    expect(readFileSync(file, 'utf8')).toBe('ref');
  });

  it('keeps the files of others', async () => {
    await replaceFolder(out, FIRST);
    mkdirSync(join(out, '.git/refs'), { recursive: true });
    writeFileSync(join(out, '.git/refs/main'), 'ref');
    writeFileSync(join(out, 'weeks/note.txt'), 'mine');
    await replaceFolder(out, [page('index.html', 'new')]);
    expect([read('.git/refs/main'), read('weeks/note.txt'), read('index.html')]).toEqual([
      'ref',
      'mine',
      'new',
    ]);
    expect(existsSync(join(out, 'weeks/week-1.html'))).toBe(false);
  });

  it.each([
    ['a folder with files of others', () => base.write('public/thesis.doc', 'x'), 'holds \\"thesis.doc\\"'],
    [
      'a list that is damaged',
      () => base.write('public/.teamsheet-site.json', '{"files":7}'),
      'no list of files',
    ],
    ['a file', () => base.write('public', 'x'), 'it is a file'],
  ])('refuses %s and changes nothing', async (_, make, said) => {
    make();
    const stop = replaceFolder(out, FIRST);
    await expect(stop).rejects.toMatchObject({ code: 'publish.foreign_folder', exitCode: 4 });
    await expect(stop).rejects.toThrow(said.replaceAll('\\', ''));
    expect(readdirSync(base.path)).toEqual(['public']);
  });

  it('refuses to write over the file of somebody else', async () => {
    await replaceFolder(out, [page('index.html')]);
    writeFileSync(join(out, 'race.html'), 'mine');
    await expect(replaceFolder(out, [page('race.html')])).rejects.toMatchObject({
      code: 'publish.foreign_file',
      exitCode: 4,
    });
    expect([read('race.html'), read('index.html')]).toEqual(['mine', 'index.html']);
    expect(readdirSync(base.path)).toEqual(['public']);
  });

  it('leaves the old folder where a file cannot be made', async () => {
    await replaceFolder(out, FIRST);
    function* files() {
      yield page('index.html', 'new');
      yield page(`${'x'.repeat(300)}.html`);
    }
    await expect(replaceFolder(out, files(), 'public')).rejects.toMatchObject({
      code: 'destination.unwritable',
      message: 'cannot write public: its name is too long (ENAMETOOLONG); what was there is unchanged',
    });
    expect(read('index.html')).toBe('index.html');
    expect(readdirSync(base.path)).toEqual(['public']);
  });

  it('removes what a publish that was killed long ago left, and nothing else', async () => {
    const id = (digit: string): string => `${digit.repeat(8)}-1111-4111-8111-111111111111`;
    const killed = `.public.teamsheet-${id('a')}`;
    const others = [`.public.teamsheet-${id('b')}`, '.public.teamsheet-mine', `.other.teamsheet-${id('c')}`];
    for (const name of [killed, ...others]) base.write(`${name}/index.html`, 'old');
    for (const name of [killed, ...others.slice(1)]) utimesSync(join(base.path, name), 0, 0);
    await replaceFolder(out, FIRST);
    expect(readdirSync(base.path).toSorted()).toEqual([...others, 'public'].toSorted());
  });

  it('finishes what was cut off before the new folder had the name', async () => {
    await replaceFolder(out, FIRST);
    renameSync(out, join(base.path, '.public.teamsheet-old'));
    await replaceFolder(out, [page('index.html', 'new')]);
    expect(readdirSync(base.path)).toEqual(['public']);
    expect(read('index.html')).toBe('new');
  });

  it('finishes what was cut off before the files of others were moved', async () => {
    await replaceFolder(out, FIRST);
    writeFileSync(join(out, 'CNAME'), 'league.example');
    renameSync(out, join(base.path, '.public.teamsheet-old'));
    mkdirSync(out);
    writeFileSync(join(out, '.teamsheet-site.json'), '{"files":[]}');
    await replaceFolder(out, FIRST);
    expect(read('CNAME')).toBe('league.example');
    expect(readdirSync(base.path)).toEqual(['public']);
  });

  it('replaces the folder that a link leads to, and not the link', async () => {
    mkdirSync(join(base.path, 'disk'));
    symlinkSync(join(base.path, 'disk'), out);
    await replaceFolder(out, FIRST);
    expect(readFileSync(join(base.path, 'disk/index.html'), 'utf8')).toBe('index.html');
    expect(readdirSync(base.path).toSorted()).toEqual(['disk', 'public']);
  });
});
