/**
 * Reading a tab of 100,000 rows and 12 columns with the look of every number, against the library's own streaming reader, which gives values
 * alone. Each side runs in a process of its own, interleaved. Prints the ratio of the medians and the peak memory of each.
 * Run: `npm run bench -- xlsx-read [ROWS]`
 */
import { readFileSync } from 'node:fs';
import { open } from 'node:fs/promises';
import { streamXlsxRows, writeXlsxStream } from 'hucre/xlsx';
import { openXlsx } from '../../src/tables/xlsx/read.ts';
import { readByTurns } from './support/by-turns.ts';

const ROWS = Number(process.argv[2] ?? 100_000);

async function writeBook(file: string): Promise<void> {
  function* cells() {
    for (let n = 0; n < ROWS; n += 1)
      yield [
        `0b1e5f10-0000-4000-8000-${String(n).padStart(12, '0')}`,
        `Harbour & ${n}`,
        n,
        `member-${n}`,
        n % 3 !== 0,
        `Ilse Varga ${n}`,
        new Date(Date.UTC(2026, 7, 14, 19, n % 60)),
        1200 - n,
        (n % 100) / 10,
        null,
        'Contest',
        n % 7,
      ];
  }
  const columns = Array.from({ length: 12 }, (_, index) => ({ header: `c${index}` }));
  const handle = await open(file, 'w');
  for await (const chunk of writeXlsxStream(cells(), { name: 'Data', columns }))
    await handle.appendFile(chunk);
  await handle.close();
}

async function ours(file: string): Promise<number> {
  const table = await openXlsx(file, 'Data', {
    origin: file,
    headerRow: 1,
    delimiter: 'auto',
    encoding: 'auto',
  });
  let rows = 0;
  for await (const batch of table.batches()) rows += batch.length;
  return rows;
}

async function library(file: string): Promise<number> {
  let rows = -1;
  for await (const row of streamXlsxRows(readFileSync(file))) if (row.index >= 0) rows += 1;
  return rows;
}

await readByTurns(import.meta.filename, { library, ours }, writeBook, (of) => {
  for (const [side, { rows, ms, peakMb }] of Object.entries(of))
    console.log(`${side.padEnd(8)} ${rows} rows in ${ms.toFixed(0)} ms, peak memory ${peakMb.toFixed(0)} MB`);
  console.log(`ratio ${(of.ours.ms / of.library.ms).toFixed(2)}`);
});
