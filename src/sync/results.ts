import type { PushMapping } from '../mapping/mapping.ts';
import { renderRowMessage } from '../model/issue.ts';
import type { Outcome } from '../model/outcome.ts';
import type { RunRow, RunRows } from '../model/run-rows.ts';
import type { ResultFiles, ResultLines } from '../model/results.ts';

/** The columns that results files add; a source that ends in them is read without them. */
export const RESULT_COLUMNS = ['_row', '_outcome', '_message', '_id'] as const;

const PAGE = 1000;
const TO_MEND: ReadonlySet<Outcome | null> = new Set(['invalid', 'rejected']);

/** Writes the results of one mapping and, where rows are to be mended, its rejected files. Answers the paths, relative to the configuration. */
export async function writeResults(
  files: ResultFiles,
  runId: string,
  mapping: PushMapping,
  rows: RunRows,
): Promise<{ readonly results: string; readonly rejected: readonly string[] }> {
  const header = [...(await rows.header(mapping.name)), ...RESULT_COLUMNS];
  const outcomes = await rows.countOutcomes(mapping.name);
  const results = await files.writeResults(
    runId,
    mapping.name,
    header,
    resultLines(rows, mapping, () => true),
  );
  const toMend = (outcomes.get('invalid') ?? 0) + (outcomes.get('rejected') ?? 0);
  if (toMend === 0) return { results, rejected: [] };
  const lines = (): ResultLines => resultLines(rows, mapping, (row) => TO_MEND.has(row.outcome));
  return { results, rejected: await files.writeRejected(runId, mapping.name, header, lines) };
}

async function* resultLines(
  rows: RunRows,
  { name, source: { origin } }: PushMapping,
  wanted: (row: RunRow) => boolean,
): ResultLines {
  for (let afterRow = 0; ;) {
    const page = await rows.page(name, { afterRow, limit: PAGE });
    const last = page.at(-1);
    if (last === undefined) return;
    afterRow = last.rowNumber;
    yield page.filter(wanted).flatMap((row) => linesOf(origin, row));
  }
}

function linesOf(origin: string, row: RunRow): readonly (readonly string[])[] {
  const result = [
    String(row.rowNumber),
    row.outcome ?? '',
    renderRowMessage(origin, row.rowNumber, row.message),
    row.id ?? '',
  ];
  return row.lines.map((line) => [...line, ...result]);
}
