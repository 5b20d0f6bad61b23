/**
 * G10: an XLSX report of 100,000 rows and 12 columns against the library's own streaming writer on the same values. Prints the ratio of the
 * medians of interleaved runs, and the peak memory of a process that does nothing but write the report.
 * Run: `npm run bench -- xlsx-report`
 */
import { spawnSync } from 'node:child_process';
import { open } from 'node:fs/promises';
import path from 'node:path';
import type { CellValue } from 'hucre/xlsx';
import { writeXlsxStream } from 'hucre/xlsx';
import { writeXlsxReport } from '../../src/tables/xlsx/write.ts';
import { batches, columns, compareReports } from './support/big-report.ts';
import { inFolder } from './support/measure.ts';

const RUNS = 5;
const ALONE = '--alone';

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

const [mode, target = ''] = process.argv.slice(2);
if (mode === ALONE) {
  await writeReport(target);
  console.log((process.resourceUsage().maxRSS / 1024).toFixed(0));
} else {
  await inFolder(async (folder) => {
    const [file, byHand] = [path.join(folder, 'report.xlsx'), path.join(folder, 'hand.xlsx')];
    const alone = spawnSync(process.execPath, [import.meta.filename, ALONE, file], { encoding: 'utf8' });
    if (alone.status !== 0) throw new Error(alone.stderr);
    const peak = { megabytes: Number(alone.stdout), goal: 200 };
    const other = { file: byHand, write: writeByHand, name: "the library's streaming writer" };
    await compareReports('XLSX', { file, write: writeReport, goal: 1.2 }, other, RUNS, peak);
  });
}
