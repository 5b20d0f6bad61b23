import { mkdirSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, expect, test } from 'vitest';
import { standsInside } from '../../../../src/runtime/config/inside-folder.ts';
import { testFolder } from '../../../support/test-folder.ts';

const root = testFolder();
let folder: string;
beforeEach(() => {
  folder = join(root.path, 'config');
  mkdirSync(join(root.path, 'elsewhere'));
  root.write('config/file', '');
  symlinkSync('loop', join(folder, 'loop'));
  symlinkSync('../elsewhere', join(folder, 'away'));
});

test.each([
  ['a path that is not there yet', 'out/report.csv', true],
  ['a path below a file', 'file/report.csv', true],
  ['a link to itself', 'loop/report.csv', true],
  ['a link that leads away', 'away/report.csv', false],
  ['a path that climbs out', 'out/../../report.csv', false],
  ['a path that climbs and comes back', './out/../report.csv', true],
  ['an absolute path elsewhere', '/etc/passwd', false],
  ['the folder above', '..', false],
  ['a folder whose name begins with two dots', '..out/report.csv', true],
])('%s', (_name, path, inside) => {
  expect(standsInside(folder, path)).toBe(inside);
});

test.each([
  ['a NUL character', 'out/a\0b.csv', 'holds a NUL character'],
  ['a name that is too long', `out/${'x'.repeat(300)}.csv`, 'is too long'],
  ['a way that is too long', 'x/'.repeat(3000), 'is too long'],
])('%s is a mistake of the mapping', (_name, path, reason) => {
  expect(() => standsInside(folder, path)).toThrow(
    expect.objectContaining({
      code: 'mapping.path',
      exitCode: 4,
      message: expect.stringContaining(reason) as string,
    }) as Error,
  );
});
