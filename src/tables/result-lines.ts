import { existsSync } from 'node:fs';
import { open } from 'node:fs/promises';
import type { ResultLines } from '../model/results.ts';
import { shownText } from '../model/tables/cell.ts';
import type { SourceTable } from '../model/tables/table.ts';
import { openCsv } from './csv/read.ts';
import { writeCsvFile } from './csv/write.ts';

type Line = readonly string[];

/** The byte order mark of UTF-8. */
const MARK = Buffer.from('\uFEFF');

/** Results hold members' data: only their owner may read them. */
const PRIVATE = 0o600;

/** Writes a file of results, its cells not escaped; `isMarked` begins it with a byte order mark. Answers the number of rows. Errors: UnavailableError `destination.*`. */
export const writeResultLines = (
  file: string,
  header: Line,
  lines: ResultLines,
  isMarked = false,
): Promise<number> => writeCsvFile(file, header, lines, { mode: PRIVATE, excel: isMarked });

const openWritten = (file: string): Promise<SourceTable> =>
  openCsv(file, { origin: file, headerRow: 1, delimiter: ',', encoding: 'utf-8' });

/** The header of a file of results that is there. Errors: ConfigError `source.*`. */
export async function headerOf(file: string): Promise<Line> {
  const table = await openWritten(file);
  await table.close();
  return table.header;
}

/** Writes a file of results again with these lines of it; answers their number. Errors: UnavailableError `destination.*`, ConfigError `source.*`. */
export const rewriteResultLines = async (file: string, lines: ResultLines): Promise<number> =>
  writeResultLines(file, await headerOf(file), lines, await isMarked(file));

async function isMarked(file: string): Promise<boolean> {
  const handle = await open(file);
  try {
    const { buffer } = await handle.read(Buffer.alloc(MARK.length), 0, MARK.length, 0);
    return buffer.equals(MARK);
  } finally {
    await handle.close();
  }
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
