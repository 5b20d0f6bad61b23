/**
 * G9: a CSV report of 100,000 rows and 12 columns against joining the same values by hand into a file. Prints the ratio of the medians of
 * interleaved runs and the peak memory of the report alone.
 * Run: `npm run bench -- csv-report`
 */
import { open } from 'node:fs/promises';
import path from 'node:path';
import { writeCsvReport } from '../../src/tables/csv/write.ts';
import { batches, columns, compareReports } from './support/big-report.ts';
import { inFolder } from './support/measure.ts';

const RUNS = 7;

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

await inFolder(async (folder) => {
  const [file, byHand] = [path.join(folder, 'report.csv'), path.join(folder, 'hand.csv')];
  await report(file);
  const peak = { megabytes: process.resourceUsage().maxRSS / 1024, goal: 110 };
  const other = { file: byHand, write: handJoin, name: 'hand join' };
  await compareReports('CSV', { file, write: report, goal: 2.3 }, other, RUNS, peak);
});
