import { columnLetters } from '../../../model/tables/column-letters.ts';
import { refusedTab } from '../existing.ts';
import {
  attributesOf,
  joinXml,
  sliceXml,
  withAttribute,
  type SlicedXml,
  type XmlSlice,
} from '../parts/xml-slices.ts';
import type { ExcelTable } from '../read/excel-tables.ts';
import { decodeCellText } from '../read/strings.ts';

/** The root of a part, whose first tag stands behind the declaration. */
function rootOf(xml: string): SlicedXml & { readonly declaration: string } {
  const { head, ...rest } = sliceXml(xml);
  const at = head.lastIndexOf('<');
  return { ...rest, declaration: head.slice(0, at), head: head.slice(at) };
}

/** A report as it stands on its tab now, and how many of the first columns are ours. */
export interface ReportShape {
  /** As the cells of the header hold them. */
  readonly headers: readonly string[];
  /** Without the header and the totals. */
  readonly rows: number;
  readonly hasTotals: boolean;
  /** The columns of the report that stood there. */
  readonly stood: number;
  readonly ours: number;
}

/** A row of totals on its way; both rows are counted from 1. */
export interface MovedTotals {
  readonly from: number;
  readonly to: number;
  /** The new column of each cell that is kept, by its old one. */
  readonly columns: ReadonlyMap<number, number>;
}

/** A table that follows its report. */
export interface FittedTable {
  readonly part: string;
  readonly xml: string;
  /** Some of its rows are hidden by its filter. */
  readonly isFiltered: boolean;
  readonly totals: MovedTotals | undefined;
}

const written = (name: string): string =>
  name.replace(/[\n\t]/g, (char) => (char === '\n' ? '_x000a_' : '_x0009_'));
const nameOf = ({ xml }: XmlSlice): string =>
  decodeCellText(attributesOf(xml).get('name') ?? '').toLowerCase();

/** The last column of a table: one that ended with the report still does, another one keeps its end while there is one. */
function lastColumn({ columns: { last } }: ExcelTable, { headers, stood, ours }: ReportShape): number {
  if (last >= ours) return last;
  return last >= stood - 1 ? headers.length - 1 : Math.min(last, headers.length - 1);
}

/** The columns of a table: those of ours are found by their names, whose settings stay with them. */
function fitColumns(
  { columns: { first }, hasHeader }: ExcelTable,
  { headers, ours }: ReportShape,
  last: number,
  old: readonly XmlSlice[],
): readonly XmlSlice[] {
  let id = Math.max(0, ...old.map(({ xml }) => Number(attributesOf(xml).get('id') ?? 0)));
  return Array.from({ length: last - first + 1 }, (_, at): XmlSlice => {
    const stands = old[at];
    const header = headers[first + at];
    if (stands !== undefined && (first + at >= ours || !hasHeader)) return stands;
    const name = decodeCellText(header ?? '').toLowerCase();
    const named = old.slice(0, Math.max(0, ours - first)).find((slice) => nameOf(slice) === name);
    id += named === undefined ? 1 : 0;
    const xml = named?.xml ?? `<tableColumn id="${id}" name=""/>`;
    return { name: 'tableColumn', xml: withAttribute(xml, 'name', written(header ?? '')) };
  });
}

function obstacle(
  table: ExcelTable,
  { headers, ours }: ReportShape,
  last: number,
  columns: readonly XmlSlice[],
): string | undefined {
  const { columns: its, rows, hasHeader } = table;
  // Its first record is the one of the report.
  if (rows.first + (hasHeader ? 1 : 0) !== 2 || its.first > last) return 'lies over cells of the report';
  if (last >= ours && ours > headers.length)
    return `reaches over column ${columnLetters(headers.length)}, which the report does not have any more`;
  const names = columns.map(nameOf);
  const twice = columns.find((column, at) => names.indexOf(nameOf(column)) !== at);
  return twice === undefined
    ? undefined
    : `would have two columns ${JSON.stringify(attributesOf(twice.xml).get('name'))}`;
}

/** A filter over the rows of now; what it hides of columns that have changed is forgotten. */
function fitFilter({ xml }: XmlSlice, range: string, keepsColumns: boolean): XmlSlice {
  const filter = sliceXml(withAttribute(xml, 'ref', range));
  const children = filter.children.filter(({ name }) => name !== 'sortState' && keepsColumns);
  return { name: 'autoFilter', xml: joinXml({ ...filter, children }) };
}

/**
 * A table over a report, fitted to the rows and columns that the report has now. Its own columns, its look and its row of totals stay; what it
 * remembers of a sort goes. Errors: UnavailableError `destination.table`; XmlFault.
 */
export function fitTable(
  table: ExcelTable,
  xml: string,
  shape: ReportShape,
  place: { readonly file: string; readonly tab: string },
): FittedTable {
  const root = rootOf(xml);
  const list = root.children.find(({ name }) => name === 'tableColumns');
  const old = list === undefined ? [] : sliceXml(list.xml).children;
  const { first } = table.columns;
  const last = lastColumn(table, shape);
  const columns = fitColumns(table, shape, last, old);
  const problem = obstacle(table, shape, last, columns);
  if (problem !== undefined)
    throw refusedTab(
      'destination.table',
      place.file,
      place.tab,
      `the table "${table.name}" (${table.reference}) ${problem}`,
      'In Excel, convert the table to a range or resize it, or name another tab in the mapping.',
    );
  // A table has a row, if only a blank one.
  const lastRow = 1 + Math.max(1, shape.rows);
  const hasTotals = table.hasTotals && !shape.hasTotals;
  const range = (end: number): string =>
    `${columnLetters(first)}${table.rows.first}:${columnLetters(last)}${end}`;
  const keepsColumns = columns.map(nameOf).join('\n') === old.map(nameOf).join('\n');
  const children = root.children.flatMap((slice): readonly XmlSlice[] => {
    if (slice.name === 'sortState') return [];
    if (slice.name === 'autoFilter') return [fitFilter(slice, range(lastRow), keepsColumns)];
    if (slice.name !== 'tableColumns') return [slice];
    const head = `<tableColumns count="${columns.length}">`;
    return [{ ...slice, xml: joinXml({ head, children: columns, tail: '</tableColumns>' }) }];
  });
  const sized = withAttribute(root.head, 'ref', range(hasTotals ? lastRow + 1 : lastRow));
  const head = hasTotals ? sized : withAttribute(sized, 'totalsRowCount', undefined);
  return {
    part: table.part,
    xml: root.declaration + joinXml({ ...root, head, children }),
    isFiltered: xml.includes('filterColumn'),
    totals: table.hasTotals
      ? { from: table.rows.last, to: lastRow + 1, columns: movedColumns(table, shape, columns, old) }
      : undefined,
  };
}

/** Where the cells of a row of totals go; those in our columns give way to totals of the report. */
function movedColumns(
  { columns: { first } }: ExcelTable,
  { ours, hasTotals }: ReportShape,
  columns: readonly XmlSlice[],
  old: readonly XmlSlice[],
): ReadonlyMap<number, number> {
  const names = columns.map(nameOf);
  return new Map(
    old.flatMap((slice, at) => {
      const column = names.indexOf(nameOf(slice));
      return column === -1 || (hasTotals && first + column < ours)
        ? []
        : [[first + at, first + column] as const];
    }),
  );
}
