import { Buffer } from 'node:buffer';
import { parse } from 'csv-parse/sync';
import { ConfigError, InternalError } from '../../model/error.ts';
import { findQuoteFault } from './quotes.ts';

const QUOTE = 0x22;
const CR = 0x0d;

/** Whole records of the file, as UTF-8, and where they stand in it. */
export interface Slice {
  readonly bytes: Buffer;
  readonly firstLine: number;
}

/** A record and the line that it begins in. */
export interface RawRow {
  readonly line: number;
  readonly cells: readonly string[];
}

/**
 * The records of a slice that are not blank, each with its line.
 * Errors: ConfigError `source.quote` with line and column.
 */
export function parseSlice(
  { bytes, firstLine }: Slice,
  delimiter: string,
  origin: string,
): readonly RawRow[] {
  const quoted = bytes.includes(QUOTE);
  const records = quoted ? parseQuoted(bytes, delimiter, firstLine, origin) : splitBare(bytes, delimiter);
  const rows: RawRow[] = [];
  let line = firstLine;
  for (const cells of records) {
    if (cells.some(isFilled)) rows.push({ line, cells });
    line += 1 + (quoted ? linesWithin(cells) : 0);
  }
  return rows;
}

/** Where no quote stands, a line is a record and the separator always separates; this is several times faster than a parser. */
function splitBare(bytes: Buffer, delimiter: string): readonly (readonly string[])[] {
  const text = bytes.toString('utf8');
  return text.split(bytes.includes(CR) ? /\r\n|\n|\r/ : '\n').map((line) => line.split(delimiter));
}

function parseQuoted(
  bytes: Buffer,
  delimiter: string,
  firstLine: number,
  origin: string,
): readonly string[][] {
  try {
    return parse(bytes, {
      delimiter,
      // Looking for one line end is faster than for three.
      record_delimiter: bytes.includes(CR) ? ['\r\n', '\n', '\r'] : ['\n'],
      relax_column_count: true,
      bom: false,
    });
  } catch (cause) {
    throw quoteError(bytes, delimiter, firstLine, origin, cause);
  }
}

function isFilled(cell: string): boolean {
  return cell !== '' && cell.trim() !== '';
}

function linesWithin(cells: readonly string[]): number {
  let lines = 0;
  for (const cell of cells) {
    if (cell.includes('\n') || cell.includes('\r')) lines += cell.split(/\r\n|\n|\r/).length - 1;
  }
  return lines;
}

function quoteError(
  bytes: Buffer,
  delimiter: string,
  firstLine: number,
  origin: string,
  cause: unknown,
): ConfigError | InternalError {
  const fault = findQuoteFault(bytes, Buffer.from(delimiter), firstLine);
  if (fault === undefined) {
    return new InternalError('source.parse', `${origin}: the CSV parser failed from line ${firstLine} on`, {
      cause,
    });
  }
  const at = fault.kind === 'inside_bare_cell' ? fault.at : fault.opened;
  return new ConfigError(
    'source.quote',
    `${origin} line ${at.line}, column ${at.column}: ${describe(fault)}`,
    {
      file: origin,
      ...at,
      next: 'Put the whole cell in quotation marks and write a mark that belongs to its text twice: "x""y".',
      cause,
    },
  );
}

function describe(fault: NonNullable<ReturnType<typeof findQuoteFault>>): string {
  switch (fault.kind) {
    case 'never_closed':
      return 'a quotation mark opens a cell here and is never closed';
    case 'inside_bare_cell':
      return 'a quotation mark stands inside a cell that does not begin with one';
    case 'text_after_close':
      return `the cell that a quotation mark opens here goes on after its closing mark, at line ${fault.at.line}, column ${fault.at.column}`;
  }
}
