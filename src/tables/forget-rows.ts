import { readdir, rm } from 'node:fs/promises';
import path from 'node:path';
import type { ResultLines } from '../model/results.ts';
import { resultLines, rewriteResultLines } from './result-lines.ts';
import { systemCode } from './system-error.ts';

/** What `NAME.results.csv`, `NAME.rejected.csv` and their numbered copies end in. */
const RESULT_FILE = /\.(?:results|rejected)(?:\.\d+)?\.csv$/;

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
    if (systemCode(error) === 'ENOENT') return [];
    throw error;
  }
}

async function forgetIn(file: string, member: string): Promise<number> {
  const names = (cells: readonly string[]): boolean => cells.some((cell) => cell.trim() === member);
  const left = async function* (): ResultLines {
    for await (const { lines } of resultLines(file)) yield lines.filter((cells) => !names(cells));
  };
  let count = 0;
  for await (const { lines } of resultLines(file)) count += lines.filter(names).length;
  if (count === 0) return 0;
  await rewriteResultLines(file, left());
  await rm(file.replace(/\.csv$/, '.xlsx'), { force: true });
  return count;
}
