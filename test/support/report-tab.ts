import { parseLayout } from '../../src/mapping/parse/parse-layout.ts';
import type {
  ReportColumn,
  ReportTab,
  ReportValue,
  TableLocation,
  WriteOptions,
} from '../../src/model/tables/table.ts';
import { joinLayout, orderColumns } from '../../src/report/arrange.ts';

/** Rows as they come of a service or a file. */
export async function* batchesOf<T>(...batches: readonly T[]): AsyncGenerator<T> {
  yield* await Promise.resolve(batches);
}

/** How a report is written where a test says nothing else. */
export const PLAIN: WriteOptions = { mode: 'replace', excel: false, formulas: 'escape', timezone: 'UTC' };

export const column = (
  header: string,
  type: ReportColumn['type'] = 'text',
  format?: string,
): ReportColumn => ({ header, type, format });

interface Given {
  readonly name?: string;
  readonly columns: readonly ReportColumn[];
  readonly rows: readonly (readonly ReportValue[])[];
  readonly options?: Partial<WriteOptions>;
  /** The text of a layout. */
  readonly layout?: string | undefined;
}

/** A report ready to be written; its rows come in one batch. */
export function reportTab(
  location: TableLocation,
  { name = 'report', columns, rows, options, layout }: Given,
): ReportTab {
  const tab = location.kind === 'csv' ? '' : location.tab;
  const parsed = layout === undefined ? undefined : parseLayout(layout, 'l.yaml', { name, columns, tab });
  return {
    location,
    table: {
      name,
      columns: parsed === undefined ? columns : orderColumns(parsed, columns),
      rows: batchesOf(rows),
    },
    options: { ...PLAIN, ...options },
    layout: parsed && joinLayout(parsed, columns),
  };
}

/** The rows that a report has after a refresh. The first cell of a row is its key. */
export function combinedRows<Cell>(
  mode: WriteOptions['mode'],
  old: readonly (readonly Cell[])[],
  fresh: readonly (readonly Cell[])[],
): readonly (readonly Cell[])[] {
  if (mode === 'replace') return fresh;
  if (mode === 'append') return [...old, ...fresh];
  const left = new Map(fresh.map((row) => [String(row[0]), row]));
  const kept = old.map((row) => {
    const key = String(row[0]);
    const now = left.get(key);
    left.delete(key);
    return now ?? row;
  });
  return [...kept, ...left.values()];
}
