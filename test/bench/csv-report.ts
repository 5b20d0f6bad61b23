/**
 * G9: a CSV report of 100,000 rows and 12 columns against joining the same values by hand into a file. Prints the ratio of the medians of
 * interleaved runs and the peak memory of the report alone.
 * Run: `npm run bench -- csv-report`
 */
import { mkdtemp, open, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import type { ReportColumn, ReportValue } from '../../src/model/table.ts';
import { writeCsvReport } from '../../src/tables/csv/write.ts';

const ROWS = 100_000;
const BATCH = 100;
const RUNS = 7;

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

async function handJoin(file: string): Promise<void> {
  const handle = await open(file, 'w');
  let text = `${columns.map(({ header }) => header).join(',')}\n`;
  for await (const batch of batches()) {
    for (const row of batch) text += `${row.join(',')}\n`;
    if (text.length < 65_536) continue;
    await handle.appendFile(text);
    text = '';
  }
  await handle.appendFile(text);
  await handle.sync();
  await handle.close();
}

const report = async (file: string): Promise<void> => {
  const table = { name: 'bench', columns, rows: batches() };
  await writeCsvReport(file, table, { mode: 'replace', excel: false, formulas: 'escape', timezone: 'UTC' });
};

async function timed(run: () => Promise<void>): Promise<number> {
  const start = performance.now();
  await run();
  return performance.now() - start;
}

const median = (values: readonly number[]): number =>
  values.toSorted((a, b) => a - b)[values.length >> 1] ?? NaN;

const folder = await mkdtemp(path.join(tmpdir(), 'teamsheet-bench-'));
try {
  const [ours, byHand] = [path.join(folder, 'report.csv'), path.join(folder, 'hand.csv')];
  await report(ours);
  const peakMegabytes = process.resourceUsage().maxRSS / 1024;
  const times = { report: [] as number[], hand: [] as number[] };
  for (let run = 0; run < RUNS; run += 1) {
    times.hand.push(await timed(() => handJoin(byHand)));
    times.report.push(await timed(() => report(ours)));
  }
  const [mine, hand] = [median(times.report), median(times.hand)];
  const megabytes = (await stat(ours)).size / 1_000_000;
  console.log(`CSV report ${ROWS} x ${columns.length}, ${megabytes.toFixed(1)} MB: ${mine.toFixed(0)} ms`);
  console.log(`hand join: ${hand.toFixed(0)} ms`);
  console.log(
    `ratio ${(mine / hand).toFixed(2)} (goal 2.3), peak memory ${peakMegabytes.toFixed(0)} MB (goal 110)`,
  );
} finally {
  await rm(folder, { recursive: true, force: true });
}
