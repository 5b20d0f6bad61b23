/**
 * A report of 10,000 rows and 12 columns in a Google sheet, on the local implementation of Google's interface: calls, cells written and time of the
 * first refresh, of one where nothing changed, and of one where every hundredth row did, against writing all cells again each time.
 * Run: `npm run bench -- sheet-report`
 */
import type { sheets_v4 } from 'googleapis/build/src/apis/sheets/v4.js';
import type { ReportColumn, ReportTab, ReportValue } from '../../src/model/tables/table.ts';
import { writeSheetReports } from '../../src/tables/google/report.ts';
import { accessTo } from '../support/google-access.ts';
import { startFakeGoogle } from '../support/google/fake-google.ts';

const ROWS = 10_000;

const columns: readonly ReportColumn[] = [
  { header: 'Squad', type: 'text' },
  { header: 'Manager', type: 'text' },
  { header: 'Member ID', type: 'text' },
  { header: 'User ID', type: 'integer' },
  { header: 'Active', type: 'boolean' },
  { header: 'Rank', type: 'integer' },
  { header: 'Points', type: 'integer' },
  { header: 'Week points', type: 'integer' },
  { header: 'Bank', type: 'number' },
  { header: 'Value', type: 'number' },
  { header: 'Created', type: 'datetime' },
  { header: 'Updated', type: 'datetime' },
];

const rowAt = (n: number, week: number): readonly ReportValue[] => [
  ...[`Harbour ${n}`, `Ilse Varga ${n}`, `member-${n}`, n, n % 3 !== 0, n],
  ...[2000 - n + (n % 100 === 0 ? week : 0), n % 60, (n % 100) / 10, 100 - (n % 7) / 10],
  ...['2026-08-14T19:00:00Z', '2026-11-14T12:30:00Z'],
];

const google = await startFakeGoogle();
try {
  const spreadsheet = google.add({ tabs: [{ title: 'Notes', rows: [] }] });
  const access = accessTo(google);
  const refresh = async (name: string, week: number): Promise<void> => {
    const rows = (async function* () {
      yield await Promise.resolve(Array.from({ length: ROWS }, (_, index) => rowAt(index + 1, week)));
    })();
    const report: ReportTab = {
      location: { kind: 'sheet', spreadsheet, tab: 'Table' },
      table: { name: 'bench', columns, rows },
      options: { mode: 'replace', excel: false, formulas: 'escape', timezone: 'Europe/London' },
    };
    const since = google.calls.length;
    const start = performance.now();
    await writeSheetReports(access, [report]);
    const ms = performance.now() - start;
    const calls = google.calls.slice(since).filter(({ kind }) => kind !== 'token');
    const writes = calls.filter(({ kind }) => kind === 'write');
    const bytes = writes.reduce((sum, { body }) => sum + JSON.stringify(body).length, 0);
    const cells = writes
      .flatMap(({ body }) => (body as { requests: sheets_v4.Schema$Request[] }).requests)
      .flatMap(({ updateCells }) => updateCells?.rows ?? [])
      .reduce((sum, { values }) => sum + (values?.length ?? 0), 0);
    const all = (ROWS + 1) * columns.length;
    console.log(
      `${name}: ${calls.length - writes.length} reads, ${writes.length} writes of ${(bytes / 1e6).toFixed(2)} MB, ` +
        `${cells} cells of ${all} (${((100 * cells) / all).toFixed(2)} %), ${ms.toFixed(0)} ms with the local Google`,
    );
  };
  await refresh('first refresh', 0);
  await refresh('nothing changed (goal: 0 cells)', 0);
  await refresh('1 row in 100 changed', 1);
} finally {
  await google.close();
}
