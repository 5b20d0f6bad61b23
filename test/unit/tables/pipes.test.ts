import { execFileSync } from 'node:child_process';
import {
  appendFileSync,
  createWriteStream,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { xlsx } from '../../../src/tables/xlsx.ts';
import { openCsv } from '../../../src/tables/csv/read.ts';
import { createPipes } from '../../../src/tables/pipes.ts';
import { againIfChanged } from '../../../src/sync/rows/read-rows.ts';
import { handMade, textRow } from '../../support/workbook.ts';

let folder = '';
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'teamsheet-pipes-'));
});
afterAll(() => rmSync(folder, { recursive: true }));

describe.skipIf(process.platform === 'win32')('what a pipe holds', () => {
  /** A new pipe with these contents, read by a reader with a bound. */
  const read = async (name: string, text: string, maxBytes?: number): Promise<string> => {
    const path = join(folder, name);
    execFileSync('mkfifo', [path]);
    const pipes = createPipes({
      folder,
      clock: { sleep: () => new Promise(() => undefined) },
      signal: new AbortController().signal,
      say: () => undefined,
      ...(maxBytes === undefined ? {} : { maxBytes }),
    });
    const reading = pipes.fileOf(path, name);
    // A writer whose reader has gone has nothing more to say.
    createWriteStream(path)
      .on('error', () => undefined)
      .end(text);
    const [file, again] = [await reading, await pipes.fileOf(path, name)];
    expect(again).toBe(file);
    const kept = readFileSync(file, 'utf8');
    await pipes.close();
    return kept;
  };

  test('is kept in a file without a name', async () => {
    expect(await read('a.csv', 'a\n1\n')).toBe('a\n1\n');
    expect(readdirSync(folder)).toEqual(['a.csv']);
  });

  test('may be nothing', async () => {
    expect(await read('empty.csv', '')).toBe('');
  });

  test('has a bound, because some never end', async () => {
    await expect(read('long.csv', 'x'.repeat(3 * 1024 ** 2), 1024 ** 2)).rejects.toMatchObject({
      code: 'source.pipe',
      message: 'long.csv: the pipe holds more than 1 MB',
    });
  });
});

describe('a file that changes while it is read', () => {
  const LINE = 'u1,Ana\n';
  const options = { headerRow: 1, delimiter: 'auto', encoding: 'auto' };
  const CHANGES = {
    'cut short': (path: string) => truncateSync(path, 100_007),
    'added to': (path: string) => appendFileSync(path, LINE),
    replaced: (path: string) => {
      writeFileSync(`${path}.new`, `a,b\n${LINE.repeat(100_000)}`);
      renameSync(`${path}.new`, path);
    },
    'taken away': (path: string) => rmSync(path),
  };

  test.each(Object.entries(CHANGES))('is no half table: %s', async (name, change) => {
    const path = join(folder, `${name}.csv`);
    writeFileSync(path, `a,b\n${LINE.repeat(100_000)}`);
    const table = await openCsv(path, { ...options, origin: 'users.csv' });
    const read = async (): Promise<void> => {
      let batches = 0;
      for await (const batch of table.batches()) if (batch.length > 0 && batches++ === 0) change(path);
    };
    await expect(read()).rejects.toMatchObject({
      code: 'source.changed',
      message: 'users.csv: the file changed while it was read',
    });
  });

  test('as a workbook', async () => {
    const path = join(folder, 'season.xlsx');
    const rows = Array.from({ length: 5_000 }, (_, index) => textRow(index + 1, [`k${index}`, 'Ana']));
    writeFileSync(path, handMade({ rows: rows.join('') }));
    const table = await xlsx.open(
      { kind: 'xlsx', path, tab: 'Users' },
      { ...options, origin: 'season.xlsx' },
    );
    truncateSync(path, 200);
    const read = async (): Promise<void> => {
      for await (const batch of table.batches()) expect(batch.length).toBeGreaterThan(0);
    };
    await expect(read()).rejects.toMatchObject({ code: 'source.changed' });
  });

  test('is read once more, and no third time', async () => {
    const path = join(folder, 'restless.csv');
    let readings = 0;
    const said: unknown[] = [];
    const read = async (): Promise<number> => {
      readings += 1;
      writeFileSync(path, `a,b\n${LINE}`);
      const table = await openCsv(path, { ...options, origin: 'restless.csv' });
      appendFileSync(path, LINE);
      for await (const batch of table.batches()) expect(batch).toHaveLength(1);
      return readings;
    };
    await expect(againIfChanged(read, (event) => said.push(event))).rejects.toMatchObject({
      code: 'source.changed',
    });
    expect(readings).toBe(2);
    expect(said).toEqual([
      { kind: 'note', message: 'restless.csv: the file changed while it was read; it is read again' },
    ]);
  });
});
