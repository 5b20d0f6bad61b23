/**
 * Reading a tab of 100,000 rows and 12 columns with the look of every number, against the library's own streaming reader, which gives values
 * alone. Each side runs in a process of its own, interleaved. Prints the ratio of the medians and the peak memory of each.
 * Run: `npm run bench -- xlsx-read [ROWS]`
 */
import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { open } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { streamXlsxRows, writeXlsxStream } from 'hucre/xlsx';
import { openXlsx } from '../../src/tables/xlsx/read.ts';
import { median } from './support/measure.ts';

const ROUNDS = 3;

async function writeBook(file: string, rows: number): Promise<void> {
  function* cells() {
    for (let n = 0; n < rows; n += 1)
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

interface Sample {
  readonly rows: number;
  readonly ms: number;
  readonly megabytes: number;
}

async function measure(side: string, file: string): Promise<Sample> {
  const start = performance.now();
  const rows = await (side === 'ours' ? ours(file) : library(file));
  return { rows, ms: performance.now() - start, megabytes: process.resourceUsage().maxRSS / 1024 };
}

async function compare(rows: number): Promise<void> {
  const folder = mkdtempSync(path.join(tmpdir(), 'teamsheet-bench-'));
  const file = path.join(folder, 'book.xlsx');
  const samples: Record<'library' | 'ours', Sample[]> = { library: [], ours: [] };
  try {
    await writeBook(file, rows);
    for (let round = 0; round < ROUNDS; round += 1) {
      for (const side of ['library', 'ours'] as const) {
        const args = [fileURLToPath(import.meta.url), '--side', side, file];
        samples[side].push(JSON.parse(execFileSync(process.execPath, args, { encoding: 'utf8' })) as Sample);
      }
    }
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
  const ms = (side: 'library' | 'ours'): number => median(samples[side].map((one) => one.ms));
  for (const side of ['library', 'ours'] as const) {
    const peak = Math.max(...samples[side].map(({ megabytes }) => megabytes));
    console.log(
      `${side.padEnd(8)} ${samples[side][0]?.rows ?? 0} rows in ${ms(side).toFixed(0)} ms, peak memory ${peak.toFixed(0)} MB`,
    );
  }
  console.log(`ratio ${(ms('ours') / ms('library')).toFixed(2)}`);
}

const [first = '100000', side, file] = process.argv.slice(2);
if (first === '--side' && side !== undefined && file !== undefined) {
  console.log(JSON.stringify(await measure(side, file)));
} else {
  await compare(Number(first));
}
