import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { rewriteResultLines, writeResultLines } from '../../../src/tables/result-lines.ts';
import { folderOfTest } from '../../support/of-test.ts';

async function* lines(...rows: readonly (readonly string[])[]): AsyncGenerator<typeof rows> {
  yield await Promise.resolve(rows);
}

it.each([
  ['with', true, '\uFEFF'],
  ['without', false, ''],
])('a file %s a byte order mark is so when it is written again', async (_, isMarked, mark) => {
  const file = join(folderOfTest({}).path, 'users.rejected.csv');
  await writeResultLines(file, ['Name'], lines(['José'], ['Ann']), isMarked);
  expect(await rewriteResultLines(file, lines(['José']))).toBe(1);
  expect(readFileSync(file, 'utf8')).toBe(`${mark}Name\nJosé\n`);
});
