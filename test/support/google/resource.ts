import type { sheets_v4 } from 'googleapis/build/src/apis/sheets/v4.js';
import { readRange, wholeGrid, type SheetBox } from './a1.ts';
import { isObject, parseMask } from './field-mask.ts';
import { effectiveValue } from './formula.ts';
import { shownValue } from './shown.ts';
import type { SheetState, SpreadsheetState, StoredCell } from './state.ts';

const ROW_PIXELS = 21;
const COLUMN_PIXELS = 100;

/** How much of a spreadsheet is asked for. */
export interface Extent {
  readonly ranges: readonly string[];
  readonly includeGridData: boolean;
  /** A field mask: whether it names cells decides about them, whatever `includeGridData` says. It is applied by the caller. */
  readonly fields: string | undefined;
}

/** A cell with what Google works out of it. */
function cellData(state: SpreadsheetState, sheet: SheetState, cell: StoredCell): sheets_v4.Schema$CellData {
  const { effectiveValue: _given, ...stored } = cell;
  const scope = { state, sheet };
  const value = effectiveValue(scope, cell);
  const format = stored.userEnteredFormat;
  return {
    ...stored,
    ...(value === undefined ? {} : { effectiveValue: value, formattedValue: shownValue(scope, cell) }),
    ...(format === undefined ? {} : { effectiveFormat: { ...state.properties.defaultFormat, ...format } }),
  };
}

function gridData(state: SpreadsheetState, box: SheetBox): sheets_v4.Schema$GridData {
  const { sheet, startRow, endRow, startColumn, endColumn } = box;
  const rowData: sheets_v4.Schema$RowData[] = [];
  for (let row = startRow; row < Math.min(endRow, sheet.rows.length); row++) {
    const stored = (sheet.rows[row] ?? []).slice(startColumn, endColumn);
    while (stored.length > 0 && stored.at(-1) === undefined) stored.pop();
    const values = stored.map((cell) => cellData(state, sheet, cell ?? {}));
    rowData.push(values.length === 0 ? {} : { values });
  }
  while (rowData.length > 0 && rowData.at(-1)?.values === undefined) rowData.pop();
  return {
    ...(startRow === 0 ? {} : { startRow }),
    ...(startColumn === 0 ? {} : { startColumn }),
    ...(rowData.length === 0 ? {} : { rowData }),
    rowMetadata: Array.from({ length: endRow - startRow }, (_, index) => ({
      pixelSize: ROW_PIXELS,
      ...sheet.rowProperties[startRow + index],
    })),
    columnMetadata: Array.from({ length: endColumn - startColumn }, (_, index) => ({
      pixelSize: COLUMN_PIXELS,
      ...sheet.columnProperties[startColumn + index],
    })),
  };
}

/** Leaves out empty lists, as Google does. */
function filled<T extends object>(object: T): Partial<T> {
  return Object.fromEntries(
    Object.entries(object).filter(
      ([, value]) => !(Array.isArray(value) && value.length === 0) && value !== undefined,
    ),
  ) as Partial<T>;
}

/** Google leaves the id of the tab 0 out of ranges, though not out of the properties of a tab. */
function withoutZero(part: unknown, key = ''): unknown {
  if (Array.isArray(part)) return part.map((each) => withoutZero(each, key));
  if (!isObject(part)) return part;
  const entries = Object.entries(part).map(([name, value]) => [name, withoutZero(value, name)] as const);
  const named = key === 'properties' || key === 'location';
  return Object.fromEntries(entries.filter(([name, value]) => named || name !== 'sheetId' || value !== 0));
}

/** A tab that is one chart or picture has no grid. */
function withoutGrid({
  properties: { gridProperties: _none, ...properties },
}: SheetState): sheets_v4.Schema$SheetProperties {
  return properties;
}

function sheetResource(
  state: SpreadsheetState,
  sheet: SheetState,
  boxes: readonly SheetBox[] | undefined,
): sheets_v4.Schema$Sheet {
  const overlays = {
    ...sheet.objects,
    developerMetadata: state.developerMetadata.filter(
      ({ location }) => location?.sheetId === sheet.properties.sheetId,
    ),
  };
  return {
    properties: sheet.properties.sheetType === 'OBJECT' ? withoutGrid(sheet) : sheet.properties,
    ...(withoutZero(filled(overlays)) as typeof overlays),
    ...(boxes === undefined ? {} : { data: boxes.map((box) => gridData(state, box)) }),
  };
}

/** `spreadsheets.get`: the tabs that the ranges touch, or all, cells only where they are asked for. Errors: a refusal of 400. */
export function spreadsheetResource(state: SpreadsheetState, extent: Extent): sheets_v4.Schema$Spreadsheet {
  const mask = extent.fields === undefined ? undefined : parseMask(extent.fields);
  const sheetMask = mask?.['*'] ?? mask?.['sheets'];
  const cells =
    mask === undefined
      ? extent.includeGridData
      : sheetMask === true ||
        (sheetMask !== undefined && (sheetMask['data'] !== undefined || sheetMask['*'] !== undefined));
  const boxes = extent.ranges.map((range) => readRange(state, range));
  const sheets = state.sheets.flatMap((sheet) => {
    const here = extent.ranges.length === 0 ? [wholeGrid(sheet)] : boxes.filter((box) => box.sheet === sheet);
    return here.length === 0 ? [] : [sheetResource(state, sheet, cells ? here : undefined)];
  });
  return {
    spreadsheetId: state.id,
    properties: state.properties,
    sheets,
    spreadsheetUrl: `https://docs.google.com/spreadsheets/d/${state.id}/edit`,
  };
}
