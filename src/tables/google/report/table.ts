import type { ArrangedRows, ReportLayout } from '../../../model/tables/layout.ts';
import type { ReportTab, ReportValue } from '../../../model/tables/table.ts';
import { combineRows } from '../../combine-rows.ts';
import { valueReader } from '../../serial-dates.ts';
import { cellRenderer, changedCells, sameCell, sheetText } from './cells.ts';
import { planFilter } from './filter.ts';
import { planFormats } from './look.ts';
import { noteOf, recall } from './memory.ts';
import { planRules } from './rules.ts';
import type { TabAfter } from './send.ts';
import {
  isBlank,
  isKept,
  KEY,
  placeColumns,
  readExisting,
  rowDigest,
  UNSURE,
  type KeptTable,
  type Existing,
} from './existing.ts';
import { grownGrid, makeTab, type Grid, type Requests, type ExistingTab } from './tab.ts';
import { dressTotals, undressTotals } from './totals.ts';
import { placeOf, type TypedTexts } from './typed-texts.ts';
import type { SheetValue } from '../sheets-client.ts';

type Cells = readonly SheetValue[];
type Values = readonly ReportValue[];

/** A report whose rows were all fetched. */
export interface FetchedReport {
  readonly report: ReportTab;
  readonly fresh: readonly Values[];
  /** How many rows of the tab are the report's, where that is known. */
  readonly ours?: number;
}

/** What a refresh does to the tab of one report. */
export interface PlannedTable {
  readonly arranged: ArrangedRows;
  /** The headers that the tab has lost since the last refresh. */
  readonly lost: readonly string[];
  readonly requests: Requests;
  readonly grid: Grid;
  /** The whole report, to be written once more, where its cells that were not written stood elsewhere when the others were; by the tab right after, where that is known. */
  readonly again: (after: TabAfter | undefined) => FetchedReport | undefined;
}

/** The rows of the whole report: those that stand there are read back for `append` and `merge`. */
function allRows({ report, fresh }: FetchedReport, standing: readonly Cells[]): readonly Values[] {
  const { table, options } = report;
  if (options.mode === 'replace') return fresh;
  const renderers = table.columns.map((column) => cellRenderer(column, options.timezone));
  const readers = table.columns.map((column) => valueReader(column, options.timezone));
  // Keys are compared as cells, in which both sides have the same precision; fresh rows then go on as they are.
  const cells = fresh.map((row) => renderers.map((render, index) => render(row[index] ?? null)));
  const original = new Map<Values, Values>(cells.map((row, index) => [row, fresh[index] ?? []]));
  return combineRows(options, table.columns, standing, cells).map(
    (row) => original.get(row) ?? readers.map((read, index) => read(row[index] ?? '')),
  );
}

/**
 * Plans the refresh of one report's tab. Only our columns are touched, and of them only our rows; what the operator has below moves down when the
 * report grows into it. Errors: UnavailableError `destination.header`, `destination.key`.
 */
export function planTable(
  tab: ExistingTab,
  fetched: FetchedReport,
  taken: Set<number>,
  typed?: TypedTexts,
): PlannedTable {
  const { table, options, layout } = fetched.report;
  const memory = recall(tab.sheet, KEY, isKept);
  const placed = placeColumns(table.columns, tab);
  const { positions, added } = placed;
  const standing = readExisting(tab, placed, memory.value, fetched.ours);
  const { below, ours, totalsAt } = standing;
  // What a person typed among texts stays what they see, not its number, where it comes to stand elsewhere.
  const typedAt = (row: number, index: number): string | undefined =>
    row < ours ? typed?.get(placeOf(1 + row, positions[index] ?? 0)) : undefined;
  const old = below
    .slice(0, ours)
    .map((row, at) => row.map((cell, index) => typedAt(at, index) ?? cell))
    .filter((row, index) => index !== totalsAt && !isBlank(row));
  const rows = allRows(fetched, old);
  const arranged = layout?.arrange(rows) ?? { rows, totals: undefined, charts: [], highlights: [] };
  const renderers = table.columns.map((column) => cellRenderer(column, options.timezone));
  const wanted = [...arranged.rows, ...(arranged.totals === undefined ? [] : [arranged.totals])].map(
    (row, at) =>
      renderers.map((render, index) => {
        const cell = render(row[index] ?? null);
        return cell !== '' && cell === typedAt(at, index) ? (below[at]?.[index] ?? '') : cell;
      }),
  );
  const header = table.columns.map(({ header: name }, index) =>
    // A header that was found is left as it is written there.
    added[index] === true ? sheetText(name) : (tab.cells[0]?.[positions[index] ?? 0] ?? ''),
  );
  const room = makeRoom(tab, standing, wanted.length, positions, layout);
  const looks = planAllFormats(tab, fetched.report, arranged, placed, wanted, standing, room);
  const area = { sheetId: tab.sheetId, columns: positions };
  const stands = (row: number): Cells => {
    if (row > ours && row <= ours + room.inserted) return [];
    return tab.cells[row > ours ? row - room.inserted : row] ?? [];
  };
  const whole = [header, ...wanted];
  const surplus = below.slice(wanted.length, ours).map(() => []);
  // The row below tells of those that are all written, by its empty cells: a formula there may follow what is written.
  const settled: readonly Cells[] = [...whole, ...surplus, []];
  const hasMoved = ({ cells }: TabAfter): boolean =>
    settled.some((row, at) =>
      positions.some((column, index) => {
        const cell = row[index] ?? '';
        const now = cells[at]?.[column];
        return sameCell(stands(at)[column] ?? '', cell) && now !== null && !sameCell(now ?? '', cell);
      }),
    );
  const now: KeptTable = {
    rows: wanted.length,
    totals: arranged.totals !== undefined,
    last: rowDigest(wanted.at(-1) ?? []),
    ...looks.kept,
  };
  const meanwhile = { ...now, rows: Math.max(ours, wanted.length), last: UNSURE };
  const { rows: count, totals, last } = now;
  const plain = memory.value && { ...memory.value, rows: count, totals, last };
  return {
    arranged,
    again: (after) => {
      if (after === undefined || !hasMoved(after)) return undefined;
      const report = { ...fetched.report, options: { ...options, mode: 'replace' as const } };
      // Rows that were put in or taken out were so among ours, or ours would not have moved.
      const shift = after.rowCount - room.grid.rowCount;
      const left = Math.max(shift < 0 ? 0 : wanted.length, ours) + shift;
      return { report, fresh: rows, ours: Math.max(left, wanted.length) };
    },
    lost: looks.lost,
    grid: room.grid,
    requests: {
      make: room.requests,
      write: changedCells({ ...area, top: 0 }, whole, stands),
      look: looks.requests,
      trim: changedCells({ ...area, top: 1 + wanted.length }, surplus, stands),
      notes: [noteOf(tab.sheetId, KEY, memory, taken, now, { meanwhile, plain })],
    },
  };
}

interface Room {
  readonly requests: Requests['make'];
  readonly grid: Grid;
  /** Rows inserted below ours, so that what stands there moves down. */
  readonly inserted: number;
}

function makeRoom(
  tab: ExistingTab,
  { below, ours }: Existing,
  wanted: number,
  positions: readonly number[],
  layout: ReportLayout | undefined,
): Room {
  // One row more than is needed: what stands apart from our rows goes on standing apart.
  const inTheWay = wanted > ours && below.slice(ours, wanted + 1).some((row) => !isBlank(row));
  const inserted = inTheWay ? wanted - ours : 0;
  const { freeze } = layout ?? PLAIN;
  const rows = Math.max(2, freeze.rows + 1, 1 + wanted);
  const columns = Math.max(freeze.columns, ...positions) + 1;
  const range = {
    sheetId: tab.sheetId,
    dimension: 'ROWS',
    startIndex: 1 + ours,
    endIndex: 1 + ours + inserted,
  };
  const longer = { ...tab, rowCount: tab.rowCount + inserted };
  const grid = grownGrid(longer, rows, columns);
  return {
    requests: [
      ...(inserted === 0 ? [] : [{ insertDimension: { range, inheritFromBefore: ours > 0 } }]),
      ...makeTab(longer, grid),
    ],
    grid,
    inserted,
  };
}

const PLAIN = { freeze: { rows: 1, columns: 0 }, filter: true } as const;

function planAllFormats(
  tab: ExistingTab,
  { table, options, layout }: ReportTab,
  arranged: ArrangedRows,
  { positions, added }: ReturnType<typeof placeColumns>,
  cells: readonly Cells[],
  { kept, ours, totalsAt }: Existing,
  { grid, inserted }: Room,
): {
  readonly requests: Requests['look'];
  readonly kept: Pick<KeptTable, 'filter' | 'looks' | 'rules'>;
  readonly lost: readonly string[];
} {
  const { columns } = table;
  const { filter } = layout ?? PLAIN;
  const rows = arranged.rows.length;
  const { rowCount } = grid;
  const facts = { tab, columns, layout, positions, added, cells, rowCount, kept: kept?.looks };
  const looks = planFormats(facts);
  const rules = planRules({ ...facts, rows, timezone: options.timezone, kept: kept?.rules });
  const totals = arranged.totals === undefined ? -1 : rows;
  const moved = totals !== totalsAt || inserted > 0 || added.includes(true);
  const plainTo = inserted > 0 ? ours + inserted : totalsAt + 1;
  const requests = [
    ...looks.requests,
    ...(moved && totalsAt !== -1 ? undressTotals(facts, { start: totalsAt, end: plainTo }) : []),
    ...(moved && totals !== -1 ? dressTotals(facts, totals) : []),
    ...planFilter({
      tab,
      positions,
      wanted: filter,
      before: kept?.filter,
      rows,
      rowsBefore: (kept?.rows ?? 0) - (kept?.totals === true ? 1 : 0),
    }),
    ...rules.requests,
  ];
  return { requests, kept: { filter, looks: looks.kept, rules: rules.kept }, lost: looks.lost };
}
