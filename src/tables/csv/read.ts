import { Buffer } from 'node:buffer';
import { createHash } from 'node:crypto';
import type { FileHandle } from 'node:fs/promises';
import { ConfigError } from '../../model/error.ts';
import type { Issue } from '../../model/issue.ts';
import {
  cellsIssue,
  type ReadOptions,
  type SourceDigest,
  type SourceRow,
  type SourceTable,
} from '../../model/tables/table.ts';
import { detectDelimiter, separatorLine } from './delimiter.ts';
import { checkHeader, headerAndRest, noHeader, nulIssues, underEmptyHeader } from '../header.ts';
import { markupOf, otherFileOf, wrongFile } from '../other-files.ts';
import { openSourceFile, openWholeTable } from '../source-file.ts';
import { parseSlice, type RawRow, type Slice } from './records.ts';
import { createSlicer, QUOTE } from './slices.ts';
import { chooseEncoding, countLines, recoder, requireUtf8, type Recode } from './decode.ts';

/** Small, so that the rows of a slice are garbage before they grow old. */
const CHUNK_BYTES = 64 * 1024;
const DIGEST_BYTES = 1024 * 1024;
const WORKBOOK = {
  what: 'an XLSX workbook or another ZIP file',
  next: 'Name it with source: { xlsx: PATH, tab: NAME }, give it the ending .xlsx to import it, or export the tab as CSV.',
};
/** No row is longer: a quote was never closed, or the line ends are none that we know. */
const MAX_RECORD_BYTES = 64 * 1024 * 1024;

/**
 * Opens a CSV file: separator and encoding are found, the header is read and checked; the rows stream in bounded memory. Row numbers are the
 * file's lines as a person sees them (a `sep=;` line, which spreadsheets hide, is not counted).
 * Errors: ConfigError `source.*` and `header.*`, with file, line and column where they are known; while rows are read too.
 */
export function openCsv(path: string, options: ReadOptions): Promise<SourceTable> {
  return openWholeTable(path, options.origin, ({ handle, origin }) =>
    openTable(handle, { ...options, origin }),
  );
}

async function openTable(handle: FileHandle, options: ReadOptions): Promise<Omit<SourceTable, 'close'>> {
  const { origin, headerRow } = options;
  const digest = options.isDigested === true ? new BytesDigest() : undefined;
  const slices = readSlices(handle, options, digest);
  const first = await slices.next();
  if (first.done === true) throw noHeader(options, undefined);
  const layout = layoutOf(first.value, options);
  const rows = readRows(layout.slice, slices, layout.delimiter ?? ',', origin);

  const headerLine = headerRow + layout.hiddenLines;
  const { header, rest } = await headerAndRest(rows, ({ line }) => line >= headerLine);
  if (header?.line !== headerLine) throw noHeader(options, header && header.line - layout.hiddenLines);

  if (layout.delimiter === undefined) {
    throw new ConfigError(
      'source.delimiter',
      `${origin} row ${headerRow}: too far down to find the separator`,
      {
        file: origin,
        line: headerLine,
        next: 'Name it in the mapping: source: { ..., delimiter: ";" }.',
      },
    );
  }
  const place = { origin, rowNumber: headerRow, line: headerLine };
  const names = checkHeader(
    header.cells,
    place,
    'Check the separator, or delete the columns that no mapping uses.',
  );
  const toRow = rowMaker(names, origin, layout.hiddenLines);
  return {
    origin,
    header: names,
    warnings: [],
    async *batches() {
      for await (const batch of rest) if (batch.length > 0) yield batch.map(toRow);
    },
    digest: () => digest?.whole,
  };
}

/** The digest of the bytes of a file, whole once a read finds no more of them. */
class BytesDigest {
  readonly #hash = createHash('sha256');
  whole: string | undefined;

  add(bytes: Buffer): void {
    if (bytes.length > 0) this.#hash.update(bytes);
    else this.whole ??= this.#hash.digest('hex');
  }
}

/** The digest of a file as it is. Errors: those of {@link openSourceFile}; ConfigError `source.changed`. */
export async function digestCsv(path: string, named: string): Promise<SourceDigest> {
  const { handle, origin, requireUnchanged } = await openSourceFile(path, named);
  const digest = new BytesDigest();
  try {
    const buffer = Buffer.allocUnsafe(DIGEST_BYTES);
    for (let position = 0; digest.whole === undefined;) {
      const { bytesRead } = await handle.read(buffer, 0, DIGEST_BYTES, position);
      position += bytesRead;
      digest.add(buffer.subarray(0, bytesRead));
    }
  } finally {
    await handle.close();
  }
  await requireUnchanged();
  return { origin, digest: digest.whole };
}

/** Settles the separator on the file's first slice and takes a `sep=` line off it. */
function layoutOf(
  slice: Slice,
  options: ReadOptions,
): { slice: Slice; delimiter: string | undefined; hiddenLines: number } {
  const text = slice.bytes.toString('utf8');
  const named = options.delimiter === 'auto' ? undefined : options.delimiter;
  const separator = separatorLine(text);
  if (separator === undefined) {
    return {
      slice,
      delimiter: named ?? detectDelimiter(text, options.headerRow, options.origin),
      hiddenLines: 0,
    };
  }
  const hidden = Buffer.byteLength(text.slice(0, separator.length));
  return {
    slice: { bytes: slice.bytes.subarray(hidden), firstLine: 2 },
    delimiter: named ?? separator.delimiter,
    hiddenLines: 1,
  };
}

/** The file as UTF-8 slices of whole records, checked for their encoding. */
async function* readSlices(
  handle: FileHandle,
  options: ReadOptions,
  digest: BytesDigest | undefined,
): AsyncGenerator<Slice, undefined> {
  const { origin } = options;
  let position = 0;
  // By position: two readers may share one open file.
  const readChunk = async (): Promise<Buffer> => {
    const buffer = Buffer.allocUnsafe(CHUNK_BYTES);
    const { bytesRead } = await handle.read(buffer, 0, CHUNK_BYTES, position);
    position += bytesRead;
    const bytes = buffer.subarray(0, bytesRead);
    digest?.add(bytes);
    return bytes;
  };
  const head = await readChunk();
  const other = head.toString('latin1', 0, 4) === 'PK\u0003\u0004' ? WORKBOOK : otherFileOf(head);
  if (other !== undefined) throw wrongFile(origin, 'CSV', other);
  const encoding = chooseEncoding(head, options.encoding, origin);
  const recode = encoding.name === 'utf-8' ? undefined : recoder(encoding, origin);
  const slicer = createSlicer();
  let firstLine = 1;
  let firstByte = encoding.markBytes;

  const checked = (bytes: Buffer): Slice => {
    if (recode === undefined) requireUtf8(bytes, origin, firstLine, firstByte);
    const slice = { bytes, firstLine };
    firstLine += countLines(bytes);
    firstByte += bytes.length;
    return slice;
  };
  let isFirst = true;
  for (let raw = head.subarray(encoding.markBytes); raw.length > 0; raw = await readChunk()) {
    const chunk = recode === undefined ? raw : recode(raw, false);
    const markup = isFirst ? markupOf(chunk.toString('utf8', 0, 1024)) : undefined;
    if (markup !== undefined) throw wrongFile(origin, 'CSV', markup);
    isFirst = false;
    const bytes = slicer.push(chunk);
    if (bytes !== undefined) yield checked(bytes);
    else if (slicer.pendingBytes() > MAX_RECORD_BYTES) break;
  }
  const isCut = slicer.pendingBytes() > MAX_RECORD_BYTES;
  if (!isCut) recode?.(Buffer.alloc(0), true);
  const line = firstLine;
  if (isCut && slicer.isQuoted() && (await hasQuote(readChunk, recode))) throw rowTooLong(origin, line);
  const rest = slicer.end();
  if (rest.length > 0) yield checked(rest);
  // Where a quote was never closed, the parser has said so by now.
  if (isCut) throw rowTooLong(origin, line);
  return undefined;
}

/** Whether a quote closes the cell in the rest of a file. */
async function hasQuote(readChunk: () => Promise<Buffer>, recode: Recode | undefined): Promise<boolean> {
  for (let raw = await readChunk(); raw.length > 0; raw = await readChunk())
    if ((recode?.(raw, false) ?? raw).includes(QUOTE)) return true;
  return false;
}

function rowTooLong(origin: string, line: number): ConfigError {
  const megabytes = MAX_RECORD_BYTES / 1024 / 1024;
  return new ConfigError(
    'source.row',
    `${origin} line ${line}: the row goes on for more than ${megabytes} MB, so the rows after it cannot be told`,
    { file: origin, line, next: 'Shorten the row, or save the file with a line end after each row.' },
  );
}

/** The records of all slices in batches, blank lines left out. */
async function* readRows(
  first: Slice,
  rest: AsyncIterable<Slice>,
  delimiter: string,
  origin: string,
): AsyncGenerator<readonly RawRow[], undefined> {
  yield parseSlice(first, delimiter, origin);
  for await (const slice of rest) yield parseSlice(slice, delimiter, origin);
  return undefined;
}

/** Makes the rows that the engine reads: cells under a header, with what is wrong with the row as a whole. */
function rowMaker(
  header: readonly string[],
  origin: string,
  hiddenLines: number,
): (raw: RawRow) => SourceRow {
  const nameless = header.flatMap((name, index) => (name === '' ? [index] : []));
  return ({ line, cells }) => {
    const rowNumber = line - hiddenLines;
    for (const index of nameless) {
      if ((cells[index] ?? '').trim() !== '') throw underEmptyHeader({ origin, rowNumber, line }, index);
    }
    const issues = rowIssues(cells, header);
    return issues.length === 0 ? { rowNumber, cells } : { rowNumber, cells, issues };
  };
}

const NONE: readonly Issue[] = [];

function rowIssues(cells: readonly string[], header: readonly string[]): readonly Issue[] {
  if (cells.length !== header.length) return [cellsIssue(header.length, cells.length)];
  return cells.some((cell) => cell.includes('\0')) ? nulIssues(cells, header) : NONE;
}
