import { existsSync } from 'node:fs';
import type { ResultLines } from '../model/results.ts';
import { shownText } from '../model/tables/cell.ts';
import type { SourceTable } from '../model/tables/table.ts';
import { openCsv } from './csv/read.ts';
import { writeCsvFile } from './csv/write.ts';

type Line = readonly string[];

/** Results hold members' data: only their owner may read them. */
const PRIVATE = 0o600;

/** Writes a file of results, its cells not escaped; answers the number of rows. Errors: UnavailableError `destination.*`. */
export const writeResultLines = (file: string, header: Line, lines: ResultLines): Promise<number> =>
  writeCsvFile(file, header, lines, { mode: PRIVATE });

const openWritten = (file: string): Promise<SourceTable> =>
  openCsv(file, { origin: file, headerRow: 1, delimiter: ',', encoding: 'utf-8' });

/** The header of a file of results that is there. Errors: ConfigError `source.*`. */
export async function headerOf(file: string): Promise<Line> {
  const table = await openWritten(file);
  await table.close();
  return table.header;
}

/** The lines of a file of results under its header; none where somebody has removed it. Errors: ConfigError `source.*`. */
export async function* resultLines(
  file: string,
): AsyncGenerator<{ readonly header: Line; readonly lines: readonly Line[] }> {
  if (!existsSync(file)) return;
  const table = await openWritten(file);
  const { header } = table;
  try {
    for await (const batch of table.batches())
      yield { header, lines: batch.map(({ cells }) => cells.map(shownText)) };
  } finally {
    await table.close();
  }
}
