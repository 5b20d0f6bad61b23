import type { sheets_v4 } from 'googleapis/build/src/apis/sheets/v4.js';
import type {
  InputBook,
  InputCheck,
  InputColumn,
  InputNote,
  InputRule,
  InputTable,
  OutcomeColumn,
} from '../../model/tables/input-table.ts';
import { columnLetters } from '../../model/tables/column-letters.ts';
import { COLOURS } from '../xlsx/write/style.ts';
import { freshId, takenIds } from './report/memory.ts';
import { blockOf, formatCells, rgbOf, sizeOf, typedCell } from './requests.ts';
import type { SheetsClient } from './sheets-client.ts';
import { rangeOf, readSpreadsheet, type Spreadsheet, type Tab } from './spreadsheet.ts';

type Request = sheets_v4.Schema$Request;
type CellFormat = sheets_v4.Schema$CellFormat;

/** A tab with the texts of its first row; without any, `isEmpty` says whether nothing stands below either. */
export interface InputTab {
  readonly tab: string;
  readonly header: readonly string[];
  readonly isEmpty: boolean;
  /** We wrote it: a report, a cover or charts; its header is then left out. */
  readonly isReport: boolean;
}

/**
 * The tabs of a spreadsheet with their headers, in two or three calls. Errors: those of {@link SheetsClient}.
 */
export async function readInputTabs(
  client: SheetsClient,
  id: string,
): Promise<{ readonly spreadsheet: Spreadsheet; readonly tabs: readonly InputTab[] }> {
  const spreadsheet = await readSpreadsheet(client, id);
  const titles = spreadsheet.tabs.map(({ title }) => title);
  const heads = await valuesOf(
    client,
    id,
    titles.map((title) => rangeOf(title, '1:1')),
  );
  const headers = heads.map((rows) => (rows[0] ?? []).map((cell) => String(cell).trim()));
  const blank = titles.filter((_, index) => (headers[index] ?? []).every((name) => name === ''));
  const below = new Map(
    (
      await valuesOf(
        client,
        id,
        blank.map((title) => rangeOf(title)),
      )
    ).map((rows, index) => [blank[index], rows.length]),
  );
  const reports = new Set(
    (spreadsheet.answer.sheets ?? []).filter(isReportTab).map(({ properties }) => properties?.title),
  );
  return {
    spreadsheet,
    tabs: titles.map((tab, index) => {
      const isReport = reports.has(tab);
      return { tab, header: isReport ? [] : (headers[index] ?? []), isEmpty: below.get(tab) === 0, isReport };
    }),
  };
}

/** Whether a tab carries what a refresh keeps of its reports and charts. */
const isReportTab = ({ developerMetadata }: sheets_v4.Schema$Sheet): boolean =>
  developerMetadata?.some(({ metadataKey }) => metadataKey?.startsWith('teamsheet.')) === true;

async function valuesOf(
  client: SheetsClient,
  id: string,
  ranges: readonly string[],
): Promise<readonly (readonly (readonly unknown[])[])[]> {
  if (ranges.length === 0) return [];
  return (await client.values(id, ranges, 'FORMATTED_VALUE')).map(({ rows }) => rows);
}

/**
 * Makes the tabs of a book in one call, all or none: a tab that does not exist is added, an empty one is filled. Tabs with data must not be given.
 * Errors: those of {@link SheetsClient.update}.
 */
export async function fillSpreadsheet(
  client: SheetsClient,
  spreadsheet: Spreadsheet,
  book: InputBook,
): Promise<void> {
  const taken = takenIds(spreadsheet.answer.sheets ?? []);
  const freeId = (tab: string): number => freshId(`tab ${tab}`, taken);
  const tabOf = (title: string): Tab | undefined =>
    spreadsheet.tabs.find((tab) => tab.title.toLowerCase() === title.toLowerCase());
  const requests: Request[] = [];
  // An explanation that stands there already is left as it is.
  if (tabOf(book.readMe.tab) === undefined)
    requests.push(...readMeRequests(freeId(book.readMe.tab), book.readMe));
  for (const table of book.tables) {
    const there = tabOf(table.tab);
    const sheetId = there?.sheetId ?? freeId(table.tab);
    requests.push(...(there === undefined ? [addTab(sheetId, table)] : fitTab(there, table)));
    requests.push(...tableRequests(sheetId, table));
  }
  if (requests.length > 0) await client.update(spreadsheet.id, requests, { repeatable: false });
}

const GREEN = rgbOf(COLOURS.brand);
const GREY = rgbOf(COLOURS.quiet);
const ROWS = 1_000;
const README_WIDTH_PX = 820;

const pixels = (characters: number): number => 7 * characters + 12;
const tabWidth = ({ columns, outcomes }: InputTable): number => columns.length + outcomes.length;
const tabHeight = (table: InputTable): number => (table.grows ? ROWS : table.rows.length + 1);

function addTab(sheetId: number, table: InputTable): Request {
  const gridProperties = {
    rowCount: tabHeight(table),
    columnCount: tabWidth(table),
    frozenRowCount: 1,
  };
  return { addSheet: { properties: { sheetId, title: table.tab, gridProperties } } };
}

/** An empty tab may be smaller than the table, and its name written in other case than the mapping has it. */
function fitTab({ sheetId, rowCount, columnCount }: Tab, table: InputTable): readonly Request[] {
  const gridProperties = {
    rowCount: Math.max(rowCount, tabHeight(table)),
    columnCount: Math.max(columnCount, tabWidth(table)),
    frozenRowCount: 1,
  };
  const fields = 'title,gridProperties(rowCount,columnCount,frozenRowCount)';
  return [{ updateSheetProperties: { properties: { sheetId, title: table.tab, gridProperties }, fields } }];
}

function tableRequests(
  sheetId: number,
  { columns, outcomes, rows, exampleRows, checks, grows }: InputTable,
): readonly Request[] {
  const header = columns.map((column) => cell(column.header, headerFormat(column), column.note));
  const body = rows.map((row, index) =>
    row.map((value, at) => cell(value, bodyFormat(columns[at], index < exampleRows, value === ''))),
  );
  const formats = columns.flatMap(({ format }, at): readonly Request[] =>
    format !== 'text' || !grows
      ? []
      : [
          formatCells(
            blockOf(sheetId, [rows.length + 1], [at, at + 1]),
            TEXT_FORMAT,
            'userEnteredFormat.numberFormat',
          ),
        ],
  );
  return [
    writeCells(sheetId, 0, [header, ...body]),
    ...(outcomes.length === 0 ? [] : outcomeRequests(sheetId, columns.length, outcomes)),
    ...formats,
    ...columns.map(({ width }, at) => widthOf(sheetId, at, pixels(width))),
    ...checks.map((check) => validation(sheetId, check)),
  ];
}

/** The columns from `first` on that a push fills in: grey as what nobody has to fill in, and their values quiet. */
function outcomeRequests(
  sheetId: number,
  first: number,
  outcomes: readonly OutcomeColumn[],
): readonly Request[] {
  const header = outcomes.map(({ header: text, note }) =>
    cell(text, headerFormat({ required: false, align: 'left' }), note),
  );
  return [
    writeCells(sheetId, first, [header]),
    formatCells(
      blockOf(sheetId, [1], [first, first + outcomes.length]),
      { textFormat: { foregroundColor: GREY } },
      'userEnteredFormat.textFormat',
    ),
    ...outcomes.map(({ width }, at) => widthOf(sheetId, first + at, pixels(width))),
  ];
}

const TEXT_FORMAT: CellFormat = { numberFormat: { type: 'TEXT', pattern: '@' } };

function headerFormat({ required, align }: Pick<InputColumn, 'required' | 'align'>): CellFormat {
  return {
    backgroundColor: required ? GREEN : GREY,
    horizontalAlignment: align.toUpperCase(),
    textFormat: { bold: true, foregroundColor: rgbOf(COLOURS.white) },
  };
}

/** A cell that waits to be filled in, beside others that are, is tinted. */
function bodyFormat(column: InputColumn | undefined, example: boolean, waits: boolean): CellFormat {
  const quiet = example || column?.prose === true;
  return {
    ...(column?.format === 'text' ? TEXT_FORMAT : {}),
    ...(waits && !example ? { backgroundColor: rgbOf(COLOURS.tint) } : {}),
    horizontalAlignment: (column?.align ?? 'left').toUpperCase(),
    ...(quiet ? { textFormat: { italic: example, foregroundColor: GREY } } : {}),
  };
}

function cell(value: string | number, format: CellFormat, note?: string): sheets_v4.Schema$CellData {
  return {
    ...typedCell(value),
    userEnteredFormat: format,
    ...(note === undefined ? {} : { note }),
  };
}

function writeCells(
  sheetId: number,
  columnIndex: number,
  rows: readonly (readonly sheets_v4.Schema$CellData[])[],
): Request {
  return {
    updateCells: {
      start: { sheetId, rowIndex: 0, columnIndex },
      rows: rows.map((values) => ({ values: [...values] })),
      fields: 'userEnteredValue,userEnteredFormat,note',
    },
  };
}

const widthOf = (sheetId: number, column: number, pixelSize: number): Request =>
  sizeOf(sheetId, 'COLUMNS', column, pixelSize);

function validation(sheetId: number, { column, firstRow, lastRow, rule, message }: InputCheck): Request {
  const top = firstRow + 1;
  return {
    setDataValidation: {
      range: blockOf(sheetId, lastRow === undefined ? [top] : [top, lastRow + 2], [column, column + 1]),
      rule: {
        condition: conditionOf(rule, `${columnLetters(column)}${top + 1}`),
        inputMessage: message,
        strict: true,
        showCustomUi: rule.kind === 'list',
      },
    },
  };
}

/**
 * A condition for the first cell of a range, which Google moves along. Its formulas are read in the language of the spreadsheet, where decimals and
 * arguments are separated differently: so there are none of either.
 */
function conditionOf(rule: InputRule, at: string): sheets_v4.Schema$BooleanCondition {
  if (rule.kind === 'list')
    return { type: 'ONE_OF_LIST', values: rule.values.map((value) => ({ userEnteredValue: value })) };
  const measured = rule.kind === 'length' ? `LEN(${at})` : at;
  const kind = { length: '', whole: `*(${at}=INT(${at}))`, number: '' }[rule.kind];
  const isOne = rule.kind === 'length' ? '1' : `ISNUMBER(${at})`;
  const least = rule.min === undefined ? '' : `*(${measured}>=${fraction(rule.min)})`;
  const most = rule.max === undefined ? '' : `*(${measured}<=${fraction(rule.max)})`;
  return { type: 'CUSTOM_FORMULA', values: [{ userEnteredValue: `=${isOne}${kind}${least}${most}` }] };
}

/** `1/10` for 0.1. */
function fraction(value: number): string {
  if (Number.isInteger(value)) return String(value);
  const decimals = String(value).split('.')[1]?.length ?? 0;
  return `${Math.round(value * 10 ** decimals)}/${10 ** decimals}`;
}

function readMeRequests(sheetId: number, { tab, lines }: InputBook['readMe']): readonly Request[] {
  const look: Readonly<Record<InputNote['kind'], CellFormat>> = {
    title: { textFormat: { bold: true, fontSize: 20, foregroundColor: GREEN } },
    heading: {
      textFormat: { bold: true, fontSize: 13, foregroundColor: GREEN },
      verticalAlignment: 'BOTTOM',
    },
    text: { wrapStrategy: 'WRAP' },
  };
  const gridProperties = { rowCount: lines.length + 2, columnCount: 2, hideGridlines: true };
  return [
    { addSheet: { properties: { sheetId, title: tab, index: 0, gridProperties, tabColor: GREEN } } },
    writeCells(
      sheetId,
      1,
      lines.map(({ kind, text }) => [cell(text, look[kind])]),
    ),
    ...lines.flatMap(({ kind }, row) =>
      kind === 'text' ? [] : [sizeOf(sheetId, 'ROWS', row, kind === 'title' ? 48 : 40)],
    ),
    widthOf(sheetId, 0, 24),
    widthOf(sheetId, 1, README_WIDTH_PX),
  ];
}
