import { writeXlsx, type CellStyle, type ColumnDef, type DataValidation, type WriteSheet } from 'hucre/xlsx';
import type {
  InputBook,
  InputCheck,
  InputColumn,
  InputNote,
  InputRule,
  InputTable,
} from '../../../model/tables/input-table.ts';
import { columnLetters } from '../../../model/tables/column-letters.ts';
import { alignment, COLOURS, FONT, HEADER_HEIGHT, HEADER_STYLE, ROW_BORDER } from './style.ts';

/** The last row of a tab as spreadsheet programs count them. */
const LAST_ROW = 1_048_576;
const README_WIDTH = 112;
/** Rows that are prepared below the last one: the library gives a format to cells, not to whole columns. */
const PREPARED_ROWS = 2_000;

/** The bytes of a workbook that people fill in: a tab that explains it, then one for each table. */
export async function renderInputWorkbook({ readMe, tables }: InputBook): Promise<Uint8Array> {
  const sheets = [readMeSheet(readMe.tab, readMe.lines), ...tables.map(inputSheet)];
  return writeXlsx({ sheets, properties: { creator: 'teamsheet' } });
}

const NOTE_STYLES: Readonly<Record<InputNote['kind'], CellStyle>> = {
  title: { font: { ...FONT, size: 20, bold: true, color: { rgb: COLOURS.brand } } },
  heading: { font: { ...FONT, size: 13, bold: true, color: { rgb: COLOURS.brand } } },
  text: { font: FONT, alignment: { wrapText: true, vertical: 'top' } },
};
const NOTE_HEIGHTS: Readonly<Record<InputNote['kind'], number>> = { title: 38, heading: 30, text: 18 };

function readMeSheet(name: string, lines: readonly InputNote[]): WriteSheet {
  return {
    name,
    columns: [{ width: 3 }, { width: README_WIDTH }],
    rows: lines.map(({ text }) => [null, text]),
    cells: new Map(lines.map(({ kind }, row) => [`${row},1`, { style: noteStyle(kind) }])),
    rowDefs: new Map(lines.map(({ kind }, row) => [row, { height: NOTE_HEIGHTS[kind] }])),
    view: { showGridLines: false, tabColor: { rgb: COLOURS.brand } },
    pageSetup: { orientation: 'landscape', fitToPage: true, fitToWidth: 1, fitToHeight: 0 },
  };
}

/** Titles sit low in their rows, nearer to what they are of. */
const noteStyle = (kind: InputNote['kind']): CellStyle =>
  kind === 'text' ? NOTE_STYLES.text : { ...NOTE_STYLES[kind], alignment: { vertical: 'bottom' } };

function inputSheet({ tab, columns, rows, exampleRows, checks, grows }: InputTable): WriteSheet {
  const cells: NonNullable<WriteSheet['cells']> = new Map();
  const below = grows ? PREPARED_ROWS : 0;
  columns.forEach((column, at) => {
    cells.set(`0,${at}`, { style: headerStyle(column), comment: { author: 'teamsheet', text: column.note } });
    rows.forEach((values, row) =>
      cells.set(`${row + 1},${at}`, { style: bodyStyle(column, row < exampleRows, values[at] === '') }),
    );
    if (column.format !== 'text') return;
    for (let row = rows.length + 1; row <= rows.length + below; row += 1)
      cells.set(`${row},${at}`, { style: { numFmt: '@', alignment: alignment(column.align) } });
  });
  const blank = columns.map(() => null);
  return {
    name: tab,
    columns: columns.map(({ width }): ColumnDef => ({ width })),
    rows: [
      columns.map(({ header }) => header),
      // An empty text is a cell without a value.
      ...rows.map((row) => row.map((value) => (value === '' ? null : value))),
      ...Array.from({ length: below }, () => blank),
    ],
    cells,
    rowDefs: new Map([[0, { height: HEADER_HEIGHT }]]),
    freezePane: { rows: 1 },
    dataValidations: [...columns.map(prompt), ...checks.map(validation)],
    pageSetup: { orientation: 'landscape', fitToPage: true, fitToWidth: 1, fitToHeight: 0 },
  };
}

function headerStyle({ required, align }: InputColumn): CellStyle {
  return {
    ...HEADER_STYLE,
    ...(required ? {} : { fill: { type: 'pattern', pattern: 'solid', fgColor: { rgb: COLOURS.quiet } } }),
    alignment: { ...alignment(align), vertical: 'center' },
  };
}

/** A cell that waits to be filled in, beside others that are, is tinted. */
function bodyStyle({ format, align, prose }: InputColumn, example: boolean, waits: boolean): CellStyle {
  const quiet = example || prose;
  return {
    alignment: { ...alignment(align), ...(prose ? { wrapText: true } : {}) },
    border: ROW_BORDER,
    ...(format === 'text' ? { numFmt: '@' } : {}),
    ...(waits && !example
      ? { fill: { type: 'pattern', pattern: 'solid', fgColor: { rgb: COLOURS.tint } } }
      : {}),
    ...(quiet ? { font: { ...FONT, italic: example, color: { rgb: COLOURS.quiet } } } : {}),
  };
}

/** The note once more, for whoever selects the header: programs cut a long comment off. */
function prompt({ header, note }: InputColumn, at: number): DataValidation {
  const cell = `${columnLetters(at)}1`;
  return {
    type: 'custom',
    formula1: 'TRUE',
    range: `${cell}:${cell}`,
    showInputMessage: true,
    inputTitle: header,
    inputMessage: note,
  };
}

const TYPES = { list: 'list', whole: 'whole', number: 'decimal', length: 'textLength' } as const;

function validation({ column, firstRow, lastRow, rule, message }: InputCheck): DataValidation {
  const letters = columnLetters(column);
  // The header is row 1.
  const last = lastRow === undefined ? LAST_ROW : lastRow + 2;
  return {
    type: TYPES[rule.kind],
    range: `${letters}${firstRow + 2}:${letters}${last}`,
    allowBlank: true,
    showErrorMessage: true,
    errorStyle: 'stop',
    errorTitle: 'This cannot be sent',
    errorMessage: message,
    ...bounds(rule),
  };
}

/** Spreadsheet programs have no number that is merely whole, so both ends are always named. */
const WIDEST = 999_999_999;

function bounds(rule: InputRule): Partial<DataValidation> {
  if (rule.kind === 'list') return { values: [...rule.values] };
  const { min, max } = rule;
  if (max === undefined && min !== undefined)
    return { operator: 'greaterThanOrEqual', formula1: String(min) };
  const least = rule.kind === 'length' ? 0 : -WIDEST;
  return { operator: 'between', formula1: String(min ?? least), formula2: String(max ?? WIDEST) };
}
