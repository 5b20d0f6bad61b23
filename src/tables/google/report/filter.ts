import type { sheets_v4 } from 'googleapis/build/src/apis/sheets/v4.js';
import type { ExistingTab } from './tab.ts';
import { blockOf } from '../requests.ts';

/** What the filter of a report's tab follows from. */
export interface FilterFacts {
  readonly tab: ExistingTab;
  readonly positions: readonly number[];
  /** The layout has a filter. */
  readonly wanted: boolean;
  /** Whether it had one at the last refresh; undefined when there was none. */
  readonly before: boolean | undefined;
  /** Rows of data, without the totals, now and at the last refresh. */
  readonly rows: number;
  readonly rowsBefore: number;
}

/**
 * The requests for the filter over the header and the rows of data. A filter is made when the layout gets one and the tab has none, and taken away
 * when the layout loses it. One that stands there keeps its criteria: its range follows the rows when it ended with them, else it only grows.
 * How it last sorted is left out, so that Google sorts nothing now.
 */
export function planFilter(facts: FilterFacts): sheets_v4.Schema$Request[] {
  const { tab, positions, wanted, before, rows, rowsBefore } = facts;
  const { sheetId } = tab;
  const filter = tab.sheet?.basicFilter;
  if (filter === undefined) {
    if (!wanted || before === true) return [];
    const columns = [Math.min(...positions), Math.max(...positions) + 1] as const;
    const range = blockOf(sheetId, [0, endOf(rows)], columns);
    return [{ setBasicFilter: { filter: { range } } }];
  }
  if (!wanted && before === true) return [{ clearBasicFilter: { sheetId } }];
  const stands = filter.range;
  // The filter of a table that somebody made of the rows, or of other rows than ours.
  if (typeof filter.tableId === 'string' || stands === undefined || (stands.startRowIndex ?? 0) !== 0)
    return [];
  const end = stands.endRowIndex ?? tab.rowCount;
  const range = {
    sheetId,
    startRowIndex: 0,
    endRowIndex: end === endOf(rowsBefore) ? endOf(rows) : Math.max(end, endOf(rows)),
    startColumnIndex: Math.min(stands.startColumnIndex ?? 0, ...positions),
    endColumnIndex: Math.max(stands.endColumnIndex ?? tab.columnCount, Math.max(...positions) + 1),
  };
  const same =
    range.endRowIndex === end &&
    range.startColumnIndex === (stands.startColumnIndex ?? 0) &&
    range.endColumnIndex === (stands.endColumnIndex ?? tab.columnCount);
  if (same) return [];
  const { filterSpecs } = filter;
  return [{ setBasicFilter: { filter: { range, ...(filterSpecs === undefined ? {} : { filterSpecs }) } } }];
}

const endOf = (rows: number): number => 1 + Math.max(1, rows);
