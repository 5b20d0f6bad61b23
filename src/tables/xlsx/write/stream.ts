import { writeXlsxStream, type ColumnDef } from 'hucre/xlsx';
import { UnavailableError } from '../../../model/error.ts';
import type { ReportTab, ReportValue } from '../../../model/tables/table.ts';
import type { Append } from '../../atomic-write.ts';
import { buildSheet, safeText } from './sheet.ts';
import { columnFormats, rowRenderer, tabName } from './workbook.ts';

type Row = readonly ReportValue[];

/** The most rows of a sheet, the header among them. */
const SHEET_ROWS_MAX = 1_048_576;
const MEASURED_ROWS = 1_000;

/**
 * Writes one tab as its rows come, in memory that does not grow with them; answers the rows. The look is that of a plain tab without its filter,
 * which the streaming writer does not have, and without indents. Errors: UnavailableError `destination.too_many_rows`; what the rows throw passes through.
 */
export async function streamWorkbook(
  tab: ReportTab,
  head: readonly Row[],
  rest: AsyncIterator<readonly Row[]>,
  append: Append,
): Promise<number> {
  const { table, options } = tab;
  const render = rowRenderer(table.columns, options.timezone);
  const name = tabName(tab);
  const look = buildSheet({
    name,
    header: table.columns.map(({ header }) => safeText(header)),
    columns: columnFormats(table.columns),
    rows: head.slice(0, MEASURED_ROWS).map(render),
  });
  // The writer has one style a column, so a cell takes the one that is there when its row is written: the header's first.
  const columns: ColumnDef[] = (look.columns ?? []).map((column, index) => ({
    ...column,
    style: look.cells?.get(`0,${index}`)?.style ?? {},
  }));
  let count = 0;
  async function* rows() {
    yield look.rows?.[0] ?? [];
    // A style costs as much as the cell itself, so only formats are kept.
    columns.forEach((column, index) => {
      const { numFmt } = look.columns?.[index]?.style ?? {};
      if (numFmt === undefined) delete column.style;
      else column.style = { numFmt };
    });
    for (const row of head) {
      count += 1;
      yield render(row);
    }
    for (let next = await rest.next(); next.done !== true; next = await rest.next()) {
      if (count + next.value.length >= SHEET_ROWS_MAX) throw tooManyRows(name);
      count += next.value.length;
      for (const row of next.value) yield render(row);
    }
  }
  const stream = writeXlsxStream(rows(), {
    name,
    columns,
    freezePane: look.freezePane ?? { rows: 1 },
    maxRowsPerSheet: SHEET_ROWS_MAX,
  });
  for await (const chunk of stream) await append(chunk);
  return count;
}

function tooManyRows(tab: string): UnavailableError {
  return new UnavailableError(
    'destination.too_many_rows',
    `a tab of a workbook holds at most ${SHEET_ROWS_MAX} rows, and tab "${tab}" goes past that`,
    { next: 'Write the report to a csv destination instead.' },
  );
}
