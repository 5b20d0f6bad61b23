import { stat } from 'node:fs/promises';
import { shownText } from '../../model/tables/cell.ts';
import { ConfigError, UnavailableError } from '../../model/error.ts';
import type { SourceTable } from '../../model/tables/table.ts';
import { changed } from '../atomic-write.ts';
import { keyPositions, replaced, rowsByKey } from '../combine-rows.ts';
import { headerName, nulIssues } from '../header.ts';
import { systemCode } from '../system-error.ts';
import { delimiterName, DELIMITERS, writtenDelimiter } from './delimiter.ts';
import { openCsv } from './read.ts';

type TextRow = readonly string[];
type Batches = AsyncIterable<readonly TextRow[]>;

const START_ANEW = 'Move the file away or use mode: replace, then run the same command again.';
const CORRECT =
  'Correct the file, such as by saving it as UTF-8, or move it away, then run the same command again.';

async function isEmpty(file: string): Promise<boolean> {
  try {
    return (await stat(file)).size === 0;
  } catch (error) {
    if (systemCode(error) === 'ENOENT') return true;
    throw error;
  }
}

function damaged(file: string, message: string, cause?: unknown): UnavailableError {
  return new UnavailableError(
    'destination.damaged',
    `${message}; the old rows of the report cannot be kept`,
    { file, cause, next: CORRECT },
  );
}

/** What is wrong with an old report stops this report alone, not the run as a fault of a source does. */
async function readingOld<T>(file: string, read: () => Promise<T>): Promise<T> {
  try {
    return await read();
  } catch (error) {
    if (error instanceof ConfigError && error.code === 'source.changed') throw changed(file);
    if (error instanceof ConfigError) throw damaged(file, error.message, error);
    const code = systemCode(error);
    throw code === undefined ? error : damaged(file, `${file} cannot be read (${code})`, error);
  }
}

/** The file with its cells under the columns of the report. Errors: UnavailableError `destination.header`, `destination.damaged`. */
async function openUnder(file: string, header: TextRow, delimiter: string): Promise<SourceTable> {
  const options = { origin: file, headerRow: 1, delimiter, encoding: 'auto' };
  const old = await readingOld(file, () => openCsv(file, options));
  const same =
    old.header.length === header.length &&
    header.every((name, index) => headerName(name) === old.header[index]);
  if (same) return old;
  await readingOld(file, () => old.close());
  throw new UnavailableError(
    'destination.header',
    `${file} has the columns ${old.header.join(', ')}, the report has ${header.join(', ')}: its rows cannot be added to the old ones`,
    { file, line: 1, next: START_ANEW },
  );
}

/** Errors: UnavailableError `destination.header` where the file is the report with another separator, as some programs save it. */
async function refuseOtherSeparator(file: string, header: TextRow, delimiter: string): Promise<void> {
  for (const other of DELIMITERS.filter((each) => each !== delimiter)) {
    const old = await openUnder(file, header, other).catch((error: unknown) => {
      if (error instanceof UnavailableError) return undefined;
      throw error;
    });
    if (old === undefined) continue;
    await readingOld(file, () => old.close());
    const [theirs, ours] = [other, delimiter].map(delimiterName);
    throw new UnavailableError(
      'destination.header',
      `the cells of ${file} are separated by ${theirs}, those of the report by ${ours}: its rows cannot be added to the old ones`,
      {
        file,
        line: 1,
        next: `Save the file with a ${ours} between its cells, or move it away, then run the same command again.`,
      },
    );
  }
}

/** The report that stands in the file already; undefined when there is none. */
async function openOld(file: string, header: TextRow): Promise<SourceTable | undefined> {
  if (await readingOld(file, () => isEmpty(file))) return undefined;
  const delimiter = writtenDelimiter(file);
  try {
    return await openUnder(file, header, delimiter);
  } catch (error) {
    if (error instanceof UnavailableError) await refuseOtherSeparator(file, header, delimiter);
    throw error;
  }
}

async function* oldRows(file: string, old: SourceTable): AsyncGenerator<readonly TextRow[]> {
  const batches = old.batches()[Symbol.asyncIterator]();
  try {
    for (;;) {
      const next = await readingOld(file, () => batches.next());
      if (next.done === true) return;
      yield next.value.map(({ rowNumber, cells, issues }) => {
        // Excel leaves out blank cells at the end of a row.
        const isShort = cells.length < old.header.length;
        const [problem] = isShort ? nulIssues(cells, old.header) : (issues ?? []);
        if (problem !== undefined) throw damaged(file, `${file} row ${rowNumber}: ${problem.message}`);
        return old.header.map((_, index) => shownText(cells[index] ?? ''));
      });
    }
  } finally {
    await readingOld(file, () => old.close());
  }
}

/** The rows of the file as it is, then the fresh ones. Errors: UnavailableError `destination.header`, `destination.damaged`. */
export async function* appendedRows(
  file: string,
  header: TextRow,
  fresh: Batches,
): AsyncGenerator<readonly TextRow[]> {
  const old = await openOld(file, header);
  if (old !== undefined) yield* oldRows(file, old);
  yield* fresh;
}

/**
 * The rows of the file in their order, each replaced by the fresh row of the same key when there is one, then the fresh rows of new keys.
 * Keys are compared as the file shows them. Holds the fresh rows in memory.
 * Errors: UnavailableError `destination.header`, `destination.damaged`, `destination.key` (no column of that name, or one key twice in the report).
 */
export async function* mergedRows(
  file: string,
  header: TextRow,
  fresh: Batches,
  key: TextRow,
): AsyncGenerator<readonly TextRow[]> {
  const positions = keyPositions(header, key);
  const textOf = (row: TextRow): string => JSON.stringify(positions.map((position) => row[position]));
  const old = await openOld(file, header);
  const left = new Map<string, TextRow>();
  try {
    for await (const batch of fresh) rowsByKey(batch, textOf, left);
  } catch (error) {
    await old?.close();
    throw error;
  }
  if (old !== undefined) {
    for await (const batch of oldRows(file, old)) yield batch.map((row) => replaced(row, textOf, left));
  }
  yield [...left.values()];
}
