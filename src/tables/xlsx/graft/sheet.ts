import { parseReference } from '../read/rows.ts';
import { columnLetters } from '../../../model/tables/column-letters.ts';
import type { FittedTable, MovedTotals } from './fit-table.ts';
import { writeOutFormulas } from './shared-formulas.ts';
import type { GraftedStyles } from './styles.ts';
import { ruleDigest } from '../memory.ts';
import {
  attributesOf,
  decodeText,
  joinXml,
  mapChildren,
  replaceChildren,
  sliceXml,
  tagEnd,
  withAttribute,
  type XmlSlice,
} from '../parts/xml-slices.ts';

/** The order of a sheet's elements that the format asks for. */
const ORDER = `
  sheetPr dimension sheetViews sheetFormatPr cols sheetData sheetCalcPr sheetProtection
  protectedRanges scenarios autoFilter sortState dataConsolidate customSheetViews mergeCells
  phoneticPr conditionalFormatting dataValidations hyperlinks printOptions pageMargins pageSetup
  headerFooter rowBreaks colBreaks customProperties cellWatches ignoredErrors smartTags drawing
  legacyDrawing legacyDrawingHF drawingHF picture oleObjects controls webPublishItems tableParts
  extLst
`
  .trim()
  .split(/\s+/);

interface Row {
  readonly head: string;
  readonly tail: string;
  /** Cells by their column, counted from 0. */
  readonly cells: Map<number, string>;
}
type Rows = Map<number, Row>;

/** The rows of a sheet by their number, cells as they stand. */
function rowsOf(sheetData: XmlSlice | undefined): Rows {
  const rows: Rows = new Map();
  let number = 0;
  for (const { xml } of sheetData === undefined ? [] : sliceXml(sheetData.xml).children) {
    const { head, children, tail } = sliceXml(xml);
    number = Number(attributesOf(head).get('r') ?? number + 1);
    const cells = new Map<number, string>();
    let column = -1;
    for (const cell of children) {
      const reference = attributesOf(cell.xml).get('r');
      column = reference === undefined ? column + 1 : (parseReference(reference)?.column ?? column + 1);
      cells.set(
        column,
        reference === undefined
          ? withAttribute(cell.xml, 'r', `${columnLetters(column)}${number}`)
          : cell.xml,
      );
    }
    rows.set(number, { head, tail, cells });
  }
  return rows;
}

/** A sheet that was made for a workbook of its own, as another workbook can hold it: with that one's styles, and texts in the cells. */
export function adoptSheet(xml: string, styles: GraftedStyles, strings: readonly string[]): string {
  const styled = (tag: string, attribute: string): string => {
    const style = attributesOf(tag).get(attribute);
    return style === undefined ? tag : withAttribute(tag, attribute, String(styles.cellStyle(Number(style))));
  };
  const adoptCell = (cell: string): string => {
    const tag = styled(cell, 's');
    if (attributesOf(tag).get('t') !== 's') return tag;
    const text = strings[Number(/<v>(\d+)<\/v>/.exec(tag)?.[1])] ?? '';
    const inline = withAttribute(tag, 't', 'inlineStr');
    return `${inline.slice(0, tagEnd(inline, 1))}><is>${text}</is></c>`;
  };
  const adoptRule = (rule: string): string => {
    const dxf = attributesOf(rule).get('dxfId');
    return dxf === undefined ? rule : withAttribute(rule, 'dxfId', String(styles.difference(Number(dxf))));
  };
  return mapChildren(xml, ({ name, xml: part }) => {
    switch (name) {
      case 'cols':
        return mapChildren(part, (column) => styled(column.xml, 'style'));
      case 'conditionalFormatting':
        return mapChildren(part, (rule) => adoptRule(rule.xml));
      case 'sheetData':
        return mapChildren(part, (row) => mapChildren(styled(row.xml, 's'), (cell) => adoptCell(cell.xml)));
      default:
        return part;
    }
  });
}

/** A cell whose formula is calculated when the file is opened, because what it looks at may have changed; other cells as they are. */
function withoutResult(cell: string): string {
  if (!/<(?:\w+:)?f[\s/>]/.test(cell)) return cell;
  const { head, children, tail } = sliceXml(cell);
  const formula = children.filter(({ name }) => name === 'f');
  return formula.length === 0
    ? cell
    : joinXml({ head: withAttribute(head, 't', undefined), children: formula, tail });
}

/** A sheet whose formulas are calculated when the file is opened. Errors: XmlFault. */
export function withoutResults(xml: string): string {
  const inRow = (row: XmlSlice): string => mapChildren(row.xml, (cell) => withoutResult(cell.xml));
  return mapChildren(xml, (part) => (part.name === 'sheetData' ? mapChildren(part.xml, inRow) : part.xml));
}

function takeCell(rows: Rows, number: number, column: number): string | undefined {
  const cell = rows.get(number)?.cells.get(column);
  rows.get(number)?.cells.delete(column);
  return cell;
}

function putCell(rows: Rows, number: number, column: number, cell: string): void {
  const row = rows.get(number) ?? { head: `<row r="${number}">`, tail: '</row>', cells: new Map() };
  row.cells.set(column, withAttribute(cell, 'r', `${columnLetters(column)}${number}`));
  rows.set(number, row);
}

/** Moves a table's row of totals. Where a cell of the operator's stands in its way, the two change places. */
function moveTotals(old: Rows, fresh: Rows, ours: number, { from, to, columns }: MovedTotals): void {
  for (const [column, target] of columns) {
    const cell = takeCell(old, from, column);
    if (cell === undefined) continue;
    const rows = target < ours ? fresh : old;
    const inTheWay = takeCell(rows, to, target);
    // A range that ends above the totals still does.
    const grown = cell.replace(/<f[^>]*>[^<]*/, (formula) =>
      formula.replace(new RegExp(`(:\\$?[A-Z]+\\$?)${from - 1}(?!\\d)`, 'g'), `$1${to - 1}`),
    );
    putCell(rows, to, target, target < ours ? withoutResult(grown) : grown);
    if (inTheWay !== undefined) putCell(old, from, target, inTheWay);
  }
}

/** The rows of a sheet whose first `ours` columns come from `fresh` and all others from `old`. */
function mixRows(old: Rows, fresh: Rows, ours: number, filtered: boolean): string {
  const numbers = [...new Set([...old.keys(), ...fresh.keys()])].sort((a, b) => a - b);
  const rows = numbers.map((number) => {
    const [stood, comes] = [old.get(number), fresh.get(number)];
    const theirs = [...(stood?.cells ?? [])]
      .filter(([column]) => column >= ours)
      .map(([column, cell]) => [column, withoutResult(cell)] as const);
    const cells = [...(comes?.cells ?? []), ...theirs].sort(([a], [b]) => a - b);
    const shape = stood ?? comes;
    if (shape === undefined || (cells.length === 0 && !/\b(?:ht|hidden|s)=/.test(shape.head))) return '';
    // What a filter hid is another row by now.
    const head = filtered ? withAttribute(shape.head, 'hidden', undefined) : shape.head;
    return (
      withAttribute(withAttribute(head, 'spans', undefined), 'r', String(number)) +
      cells.map(([, xml]) => xml).join('') +
      shape.tail
    );
  });
  return `<sheetData>${rows.join('')}</sheetData>`;
}

/** What of a tab that stands is ours: the first columns, and rules of colours by their digests. */
interface OwnPlace {
  readonly ours: number;
  readonly rules: readonly string[];
  /** The tables of Excel's over the report. */
  readonly tables: readonly FittedTable[];
}

/** The digest of a rule; undefined for one that reaches beyond our columns. */
function digestOf(range: string, rule: string, ours: number): string | undefined {
  const letters = range.match(/[A-Z]+/g) ?? [];
  if (letters.some((one) => (parseReference(`${one}1`)?.column ?? ours) >= ours)) return undefined;
  const formulas = sliceXml(rule)
    .children.filter(({ name }) => name === 'formula')
    .map(({ xml }) => decodeText(sliceXmlText(xml)));
  return ruleDigest(attributesOf(rule).get('type') ?? '', range, formulas);
}

const sliceXmlText = (xml: string): string => xml.replace(/^<[^>]*>|<[^>]*>$/g, '');

/** The rules of both: ours, those of an earlier layout too, are replaced by the fresh ones; a person's own stay. */
function mixRules(
  old: readonly XmlSlice[],
  fresh: readonly XmlSlice[],
  { ours: columns, rules: remembered }: OwnPlace,
): readonly XmlSlice[] {
  const isRules = ({ name }: XmlSlice): boolean => name === 'conditionalFormatting';
  const range = (xml: string): string => attributesOf(xml).get('sqref') ?? '';
  const coming = fresh.filter(isRules);
  const own = new Set([
    ...remembered,
    ...coming.flatMap(({ xml }) =>
      sliceXml(xml).children.map((rule) => digestOf(range(xml), rule.xml, columns)),
    ),
  ]);
  let last = 0;
  const kept = old.filter(isRules).flatMap((slice): readonly XmlSlice[] => {
    const rules = sliceXml(slice.xml);
    const left = rules.children.filter(({ xml }) => {
      const digest = digestOf(range(slice.xml), xml, columns);
      return digest === undefined || !own.has(digest);
    });
    for (const { xml } of left) last = Math.max(last, Number(attributesOf(xml).get('priority') ?? 0));
    return left.length === 0 ? [] : [{ ...slice, xml: joinXml({ ...rules, children: left }) }];
  });
  const behind = ({ xml }: XmlSlice): string =>
    withAttribute(xml, 'priority', String(last + Number(attributesOf(xml).get('priority') ?? 1)));
  const added = coming.map((slice) => ({ ...slice, xml: mapChildren(slice.xml, behind) }));
  return [...kept, ...added];
}

/** The columns and their widths, counted from 1 in both. */
const reachOf = (xml: string): readonly [from: number, to: number, width: number] => {
  const attributes = attributesOf(xml);
  return [Number(attributes.get('min')), Number(attributes.get('max')), Number(attributes.get('width'))];
};

const reaching = (xml: string, from: number, to: number): string =>
  withAttribute(withAttribute(xml, 'min', String(from)), 'max', String(to));

/** A width that stands, cut around the columns that become wider. */
function* widened(xml: string, wider: ReadonlyMap<number, string>): Generator<string> {
  const [first, to, stood] = reachOf(xml);
  let from = first;
  for (const [column, width] of wider) {
    if (column < from || column > to || Number(width) <= stood) continue;
    if (column > from) yield reaching(xml, from, column - 1);
    const own = withAttribute(reaching(xml, column, column), 'width', width);
    yield withAttribute(own, 'customWidth', '1');
    from = column + 1;
  }
  if (from <= to) yield reaching(xml, from, to);
}

/** The widths of both: those that stand are kept, but one of a column that was `empty` becomes as wide as ours. Columns without a width get ours. */
function mixWidths(
  old: XmlSlice | undefined,
  fresh: XmlSlice | undefined,
  isEmpty: (column: number) => boolean,
): readonly XmlSlice[] {
  const ours = fresh === undefined ? [] : sliceXml(fresh.xml).children.map(({ xml }) => xml);
  const wider = new Map(
    ours.flatMap((xml) => {
      const [column] = reachOf(xml);
      return isEmpty(column - 1) ? [[column, attributesOf(xml).get('width') ?? '0'] as const] : [];
    }),
  );
  const stand =
    old === undefined ? [] : sliceXml(old.xml).children.flatMap(({ xml }) => [...widened(xml, wider)]);
  const isFree = (xml: string): boolean =>
    stand.every((one) => reachOf(one)[1] < reachOf(xml)[0] || reachOf(one)[0] > reachOf(xml)[1]);
  const all = [...stand, ...ours.filter(isFree)].sort((a, b) => reachOf(a)[0] - reachOf(b)[0]);
  return all.length === 0 ? [] : [{ name: 'cols', xml: `<cols>${all.join('')}</cols>` }];
}

/** Whether a column holds at most its header. */
function isEmptyColumn(rows: Rows, column: number): boolean {
  const isFilled = ({ cells }: { readonly cells: ReadonlyMap<number, string> }): boolean =>
    /<(?:\w+:)?(?:v|is|f)[\s/>]/.test(cells.get(column) ?? '');
  return rows.values().filter(isFilled).take(2).toArray().length <= 1;
}

/** The filter that stands, over as many rows as there are now; one that a person took away stays away. */
function movedFilter(old: XmlSlice | undefined, fresh: XmlSlice | undefined): readonly XmlSlice[] {
  if (old === undefined || fresh === undefined) return old === undefined ? [] : [old];
  const last = /\d+$/.exec(attributesOf(fresh.xml).get('ref') ?? '')?.[0] ?? '1';
  const range = (attributesOf(old.xml).get('ref') ?? '').replace(/\d+$/, last);
  return [{ ...old, xml: withAttribute(old.xml, 'ref', range) }];
}

/**
 * A tab of the operator's workbook with a fresh report in its first `ours` columns. Everything else of it stays as it stands: other columns with
 * their formulas, widths, the person's rules, comments, page setup. Both are XML that programs read; `fresh` was adopted. Errors: XmlFault.
 */
export function graftSheet(old: string, fresh: string, place: OwnPlace): string {
  const [into, from] = [sliceXml(old), sliceXml(fresh)];
  const one = (slices: readonly XmlSlice[], name: string): XmlSlice | undefined =>
    slices.find((slice) => slice.name === name);
  const filter = one(into.children, 'autoFilter');
  const filtered =
    filter?.xml.includes('filterColumn') === true || place.tables.some(({ isFiltered }) => isFiltered);
  const oldRows = rowsOf(one(into.children, 'sheetData'));
  const freshRows = rowsOf(one(from.children, 'sheetData'));
  const empty = new Set(
    Array.from({ length: place.ours }, (_, column) => column).filter((column) =>
      isEmptyColumn(oldRows, column),
    ),
  );
  const moving = new Set(place.tables.map(({ totals }) => totals?.from));
  writeOutFormulas(oldRows, ({ row, column }) => column < place.ours || moving.has(row));
  for (const { totals } of place.tables)
    if (totals !== undefined) moveTotals(oldRows, freshRows, place.ours, totals);
  const replaced = ['dimension', 'cols', 'sheetData', 'autoFilter', 'conditionalFormatting'];
  const added = [
    ...mixWidths(one(into.children, 'cols'), one(from.children, 'cols'), (column) => empty.has(column)),
    { name: 'sheetData', xml: mixRows(oldRows, freshRows, place.ours, filtered) },
    ...movedFilter(filter, one(from.children, 'autoFilter')),
    ...mixRules(into.children, from.children, place),
  ];
  return joinXml({ ...into, children: replaceChildren(into.children, replaced, added, ORDER) });
}
