import type { PushMapping } from '../../mapping/mapping.ts';
import { shownText, writtenLine } from '../../model/tables/cell.ts';
import { renderRowMessage } from '../../model/issue.ts';
import type { Outcome } from '../../model/outcome.ts';
import type { RowQuery, RunRow, RunRows } from '../../model/state/run-rows.ts';
import {
  RESULT_COLUMNS,
  type ChangedFile,
  type ResultFiles,
  type ResultLines,
  type StillToMend,
} from '../../model/results.ts';
import { renderSaid } from '../../model/said.ts';
import type { TableKind } from '../../model/tables/table.ts';
import { eachRow, rowPages } from '../rows/row-pages.ts';

const TO_MEND: readonly Outcome[] = ['invalid', 'rejected'];

/** Paths relative to the configuration. */
interface WrittenResults {
  readonly results: string;
  readonly rejected: readonly string[];
  readonly changed: readonly ChangedFile[];
}

/** Writes the results of one mapping and its rejected files. */
export async function writeResults(
  files: ResultFiles,
  runId: string,
  mapping: PushMapping,
  rows: RunRows,
  still: StillToMend,
): Promise<WrittenResults> {
  const header = await headerOf(rows, mapping);
  const results = await writeAllResults(files, runId, mapping, rows);
  const lines = (): ResultLines => resultLines(rows, mapping, asRead, { outcomes: TO_MEND });
  const { written, changed } = await files.writeRejected(runId, mapping.name, header, lines, still);
  return { results, rejected: written, changed };
}

/** Writes the results of one mapping alone; answers the path of the file. */
export async function writeAllResults(
  files: Pick<ResultFiles, 'writeResults'>,
  runId: string,
  mapping: PushMapping,
  rows: RunRows,
): Promise<string> {
  const header = await headerOf(rows, mapping);
  const arrange = (line: ResultLine): readonly string[] => inColumns(line, header.length);
  const lines = resultLines(rows, mapping, arrange);
  return files.writeResults(runId, mapping.name, header, lines);
}

const headerOf = async (rows: RunRows, { name }: PushMapping): Promise<readonly string[]> => [
  ...(await rows.header(name)),
  ...RESULT_COLUMNS,
];

async function* resultLines(
  rows: RunRows,
  { name, source: { origin } }: PushMapping,
  arrange: (line: ResultLine) => readonly string[],
  query?: Pick<RowQuery, 'outcomes'>,
): ResultLines {
  for await (const page of rowPages(rows, name, { ...query, only: 'lines' }))
    yield page.flatMap((row) => linesOf(origin, row).map(arrange));
}

/** The cells of a line, to be read again as they were read, and what our columns say of its row. */
interface ResultLine {
  readonly cells: readonly string[];
  readonly result: readonly string[];
}

/** Every cell where it was read, so that a row that is too short or too long is refused again until it is corrected. */
function asRead({ cells, result }: ResultLine): readonly string[] {
  return [...cells, ...result];
}

/** Our columns under their names whatever the length of the row; cells that no column has follow them. */
function inColumns({ cells, result }: ResultLine, width: number): readonly string[] {
  const own = width - result.length;
  const missing = Array<string>(Math.max(0, own - cells.length)).fill('');
  return [...cells.slice(0, own), ...missing, ...result, ...cells.slice(own)];
}

function linesOf(origin: string, row: RunRow): readonly ResultLine[] {
  const result = [String(row.rowNumber), row.outcome ?? '', messageOf(origin, row), row.id ?? ''];
  return row.lines.map((line) => ({ cells: writtenLine(line), result }));
}

const messageOf = (origin: string, { rowNumber, said }: RunRow): string =>
  renderRowMessage(origin, rowNumber, renderSaid(said));

/** What became of one row of a source, as its results file says. */
export interface ResultRow {
  readonly row: number;
  readonly outcome: string;
  readonly message: string;
  readonly id: string | null;
}

/**
 * The rows of a results file in its order; the lines of a row that has several are one. `origin` is how messages call the file.
 * Errors: ConfigError `source.*` when it is gone or is no results file.
 */
export async function* readResults(csv: TableKind, path: string, origin: string): AsyncGenerator<ResultRow> {
  const options = { origin, headerRow: 1, delimiter: ',', encoding: 'utf-8' };
  const table = await csv.open({ kind: 'csv', path }, options);
  try {
    const [row, outcome, message, id] = RESULT_COLUMNS.map((name) => table.header.indexOf(name));
    let last: number | undefined;
    for await (const batch of table.batches()) {
      for (const { cells } of batch) {
        const textAt = (index = -1): string => shownText(cells[index] ?? '');
        const number = Number(textAt(row));
        if (number === last) continue;
        last = number;
        yield { row: number, outcome: textAt(outcome), message: textAt(message), id: textAt(id) || null };
      }
    }
  } finally {
    await table.close();
  }
}

/** The same rows as the state keeps them. */
export async function* keptResults(
  rows: RunRows,
  { name, source: { origin } }: PushMapping,
): AsyncGenerator<ResultRow> {
  for await (const row of eachRow(rows, name, { only: 'lines' })) {
    if (row.lines.length === 0) continue;
    const { rowNumber, outcome, id } = row;
    yield { row: rowNumber, outcome: outcome ?? '', message: messageOf(origin, row), id };
  }
}
