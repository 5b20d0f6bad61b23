import { stat } from 'node:fs/promises';
import type { ReportColumn, ReportValue } from '../../../src/model/tables/table.ts';
import { median, timed } from './measure.ts';

const ROWS = 100_000;
const BATCH = 100;

export const columns: readonly ReportColumn[] = [
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
export async function* batches(): AsyncGenerator<readonly (readonly ReportValue[])[]> {
  for (let start = 0; start < ROWS; start += BATCH)
    yield Array.from({ length: BATCH }, (_, index) => rowAt(start + index));
}

/** One way to write the report into a file. */
type Write = (file: string) => Promise<void>;

/** Writes the report in both ways by turns; prints the sizes, the medians and their ratio. */
export async function compareReports(
  what: string,
  ours: { readonly file: string; readonly write: Write; readonly goal: number },
  other: { readonly file: string; readonly write: Write; readonly name: string },
  runs: number,
  peak: { readonly megabytes: number; readonly goal: number },
): Promise<void> {
  const times = { ours: [] as number[], other: [] as number[] };
  const processor = { ours: [] as number[], other: [] as number[] };
  for (let run = 0; run < runs; run += 1) {
    for (const [side, { file, write }] of [['other', other] as const, ['ours', ours] as const]) {
      const before = process.cpuUsage();
      times[side].push((await timed(() => write(file)))[0]);
      const { user, system } = process.cpuUsage(before);
      processor[side].push(user + system);
    }
  }
  const [mine, hand] = [median(times.ours), median(times.other)];
  const processorRatio = median(processor.ours) / median(processor.other);
  const megabytes = (await stat(ours.file)).size / 1_000_000;
  console.log(
    `${what} report ${ROWS} x ${columns.length}, ${megabytes.toFixed(1)} MB: ${mine.toFixed(0)} ms`,
  );
  console.log(`${other.name}: ${hand.toFixed(0)} ms`);
  console.log(
    `ratio ${(mine / hand).toFixed(2)}, by processor time ${processorRatio.toFixed(2)} (goal ${ours.goal}), peak memory ${peak.megabytes.toFixed(0)} MB (goal ${peak.goal})`,
  );
}
