import { readdir, rm } from 'node:fs/promises';
import path from 'node:path';
import { shownText } from '../model/tables/cell.ts';
import type { ResultLines } from '../model/results.ts';
import { openCsv } from './csv/read.ts';
import { writeCsvFile } from './csv/write.ts';

/** What `NAME.results.csv`, `NAME.rejected.csv` and their numbered copies end in. */
const RESULT_FILE = /\.(?:results|rejected)(?:\.\d+)?\.csv$/;

/** Results hold members' data: only their owner may read them. */
const PRIVATE = 0o600;

/**
 * Takes the rows in which a cell is `member` out of all result files below a folder; a workbook of such rows beside one goes. Answers how many rows. A folder that is
 * not there holds none. Errors: UnavailableError `destination.*`, ConfigError `source.*`.
 */
export async function forgetRows(folder: string, member: string): Promise<number> {
  let count = 0;
  for (const entry of await entriesOf(folder)) {
    const file = path.join(folder, entry.name);
    if (entry.isDirectory()) count += await forgetRows(file, member);
    else if (entry.isFile() && RESULT_FILE.test(entry.name)) count += await forgetIn(file, member);
  }
  return count;
}

async function entriesOf(folder: string) {
  try {
    return await readdir(folder, { withFileTypes: true });
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return [];
    throw error;
  }
}

async function forgetIn(file: string, member: string): Promise<number> {
  const names = (cells: readonly string[]): boolean => cells.some((cell) => cell.trim() === member);
  const lines = async function* (keeps: (cells: readonly string[]) => boolean): ResultLines {
    const table = await open(file);
    try {
      for await (const batch of table.batches())
        yield batch.map(({ cells }) => cells.map(shownText)).filter(keeps);
    } finally {
      await table.close();
    }
  };
  let count = 0;
  for await (const page of lines(names)) count += page.length;
  if (count === 0) return 0;
  const table = await open(file);
  await table.close();
  await writeCsvFile(
    file,
    table.header,
    lines((cells) => !names(cells)),
    { mode: PRIVATE, formulas: 'raw' },
  );
  await rm(file.replace(/\.csv$/, '.xlsx'), { force: true });
  return count;
}

const open = (file: string) =>
  openCsv(file, { origin: file, headerRow: 1, delimiter: ',', encoding: 'utf-8' });
