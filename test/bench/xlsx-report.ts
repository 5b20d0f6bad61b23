/**
 * G10: an XLSX report of 100,000 rows and 12 columns against the library's own streaming writer on the same values. Prints the ratio of the
 * medians of interleaved runs, and the peak memory of a process that does nothing but write the report.
 * Run: `npm run bench -- xlsx-report`
 */
import { spawnSync } from 'node:child_process';
import { mkdtemp, open, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import type { CellValue } from 'hucre/xlsx';
import { writeXlsxStream } from 'hucre/xlsx';
import type { ReportColumn, ReportValue } from '../../src/model/table.ts';
import { writeXlsxReport } from '../../src/tables/xlsx/write.ts';

const ROWS = 100_000;
const BATCH = 100;
const RUNS = 5;
const ALONE = '--alone';

const columns: readonly ReportColumn[] = [
  { header: 'id', type: 'uuid' },
  { header: 'name', type: 'text' },
  { header: 'user.id', type: 'uuid' },
  { header: 'user.user_id', type: 'integer' },
  { header: 'user.external_id', type: 'text' },
  { header: 'user.is_active', type: 'boolean' },
  { header: 'user.display_name', type: 'text' },
  { header: 'user.created_at', type: 'datetime' },
  { header: 'ranking.total_points', type: 'integer' },
  { header: 'finance.money_in_bank', type: 'number' },
  { header: 'contest.name', type: 'text' },
  { header: 'updated_at', type: 'datetime' },
];

function rowAt(n: number): readonly ReportValue[] {
  return [
    `0b1e5f10-0000-4000-8000-${String(n).padStart(12, '0')}`,
    n % 50 === 0 ? `Ports, Hills & ${n}` : `Harbour ${n}`,
    `1c2f6a21-0000-4000-8000-${String(n).padStart(12, '0')}`,
    n,
    `member-${n}`,
    n % 3 !== 0,
    `Ilse Varga ${n}`,
    '2026-08-14T19:00:00.000Z',
    1200 - n,
    (n % 100) / 10,
    null,
    '2026-11-14T12:30:00Z',
  ];
}

// Without an I/O wait of its own, as pages arrive that are already there.
// eslint-disable-next-line @typescript-eslint/require-await -- the writer takes an async source
async function* batches(): AsyncGenerator<readonly (readonly ReportValue[])[]> {
  for (let start = 0; start < ROWS; start += BATCH)
    yield Array.from({ length: BATCH }, (_, index) => rowAt(start + index));
}

async function* plainRows(): AsyncGenerator<CellValue[]> {
  yield columns.map(({ header }) => header);
  for await (const batch of batches())
    for (const row of batch)
      yield row.map((value, index) =>
        columns[index]?.type === 'datetime' && typeof value === 'string' ? new Date(value) : value,
      );
}

/** The library as its documentation shows it: a width and a format for each column. */
async function writeByHand(file: string): Promise<void> {
  const handle = await open(file, 'w');
  const looks = columns.map(({ type }) => ({ width: 20, ...(type === 'number' && { numFmt: '0.0' }) }));
  for await (const chunk of writeXlsxStream(plainRows(), { name: 'Report', columns: looks }))
    await handle.appendFile(chunk);
  await handle.sync();
  await handle.close();
}

async function writeReport(file: string): Promise<void> {
  await writeXlsxReport(file, [
    {
      location: { kind: 'xlsx', path: file, tab: 'Report' },
      table: { name: 'bench', columns, rows: batches() },
      options: { mode: 'replace', excel: false, formulas: 'escape', timezone: 'UTC' },
    },
  ]);
}

async function timed(run: () => Promise<void>): Promise<number> {
  const start = performance.now();
  await run();
  return performance.now() - start;
}

const median = (values: readonly number[]): number =>
  values.toSorted((a, b) => a - b)[values.length >> 1] ?? NaN;

async function compare(folder: string): Promise<void> {
  const [ours, byHand] = [path.join(folder, 'report.xlsx'), path.join(folder, 'hand.xlsx')];
  const alone = spawnSync(process.execPath, [import.meta.filename, ALONE, ours], { encoding: 'utf8' });
  if (alone.status !== 0) throw new Error(alone.stderr);
  const times = { report: [] as number[], hand: [] as number[] };
  for (let run = 0; run < RUNS; run += 1) {
    times.hand.push(await timed(() => writeByHand(byHand)));
    times.report.push(await timed(() => writeReport(ours)));
  }
  const [mine, hand] = [median(times.report), median(times.hand)];
  const megabytes = (await stat(ours)).size / 1_000_000;
  console.log(`XLSX report ${ROWS} x ${columns.length}, ${megabytes.toFixed(1)} MB: ${mine.toFixed(0)} ms`);
  console.log(`the library's streaming writer: ${hand.toFixed(0)} ms`);
  console.log(
    `ratio ${(mine / hand).toFixed(2)} (goal 1.2), peak memory ${alone.stdout.trim()} MB (goal 200)`,
  );
}

const [mode, target = ''] = process.argv.slice(2);
if (mode === ALONE) {
  await writeReport(target);
  console.log((process.resourceUsage().maxRSS / 1024).toFixed(0));
} else {
  const folder = await mkdtemp(path.join(tmpdir(), 'teamsheet-bench-'));
  try {
    await compare(folder);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}
