import type { sheets_v4 } from 'googleapis/build/src/apis/sheets/v4.js';
import { assign, requiredMask } from './field-mask.ts';
import { invalid } from './refusal.ts';
import { insertDimension, resizeDimension } from './shift.ts';
import {
  cellAt,
  checkSize,
  putCell,
  sheetOf,
  type Dimension,
  type NewId,
  type SheetState,
  type SpreadsheetState,
} from './state.ts';

const ROWS_DEFAULT = 1000;
const COLUMNS_DEFAULT = 26;

function checkTitle(state: SpreadsheetState, title: string, except?: SheetState): void {
  if (title === '') throw invalid('The sheet name cannot be empty.');
  if (title.length > 100) throw invalid('The sheet name cannot be greater than 100 characters.');
  const taken = state.sheets.some(
    (sheet) => sheet !== except && sheet.properties.title.toLowerCase() === title.toLowerCase(),
  );
  if (taken) throw invalid(`A sheet with the name "${title}" already exists. Please enter another name.`);
}

function checkFrozen({ properties: { gridProperties: grid, sheetType } }: SheetState): void {
  if (sheetType === 'OBJECT') return;
  if ((grid.frozenRowCount ?? 0) >= grid.rowCount)
    throw invalid("You can't freeze all visible rows on the sheet.");
  if ((grid.frozenColumnCount ?? 0) >= grid.columnCount)
    throw invalid("You can't freeze all visible columns on the sheet.");
}

function renumber(state: SpreadsheetState): void {
  state.sheets.forEach(({ properties }, index) => (properties.index = index));
}

/** Makes a tab with an empty grid and adds it. Errors: a refusal of 400 for a name or id that is taken. */
export function addSheet(
  state: SpreadsheetState,
  { properties = {} }: sheets_v4.Schema$AddSheetRequest,
  newId: NewId,
): sheets_v4.Schema$Response {
  const sheetId = properties.sheetId ?? newId();
  if (sheetId < 0) throw invalid(`Invalid sheet id: ${sheetId}`);
  if (state.sheets.some((sheet) => sheet.properties.sheetId === sheetId))
    throw invalid(`A sheet with id ${sheetId} already exists. Please specify a different id.`);
  const grid = properties.gridProperties ?? {};
  const sheet: SheetState = {
    properties: {
      ...properties,
      sheetId,
      title: properties.title ?? `Sheet${state.sheets.length + 1}`,
      sheetType: 'GRID',
      gridProperties: {
        ...grid,
        rowCount: grid.rowCount ?? ROWS_DEFAULT,
        columnCount: grid.columnCount ?? COLUMNS_DEFAULT,
      },
    },
    rows: [],
    rowProperties: [],
    columnProperties: [],
    objects: { merges: [], conditionalFormats: [], charts: [], protectedRanges: [] },
  };
  checkTitle(state, sheet.properties.title);
  checkFrozen(sheet);
  state.sheets.splice(properties.index ?? state.sheets.length, 0, sheet);
  checkSize(state);
  renumber(state);
  return { addSheet: { properties: structuredClone(sheet.properties) } };
}

/** Deletes a tab with all that belongs to it. Errors: a refusal of 400 for the last tab and an unknown id. */
export function deleteSheet(
  state: SpreadsheetState,
  { sheetId }: sheets_v4.Schema$DeleteSheetRequest,
): undefined {
  const id = sheetId ?? 0;
  const sheet = state.sheets.find(({ properties }) => properties.sheetId === id);
  if (sheet === undefined) throw invalid(`No sheet with id: ${id}`);
  if (state.sheets.length === 1) throw invalid("You can't remove all the sheets in a document.");
  state.sheets = state.sheets.filter((each) => each !== sheet);
  state.developerMetadata = state.developerMetadata.filter(({ location }) => location?.sheetId !== id);
  renumber(state);
}

/** The size of a grid is checked against what is frozen before the request, as Google does. */
export function updateSheetProperties(
  state: SpreadsheetState,
  request: sheets_v4.Schema$UpdateSheetPropertiesRequest,
): undefined {
  const mask = requiredMask(request.fields);
  const sheet = sheetOf(state, request.properties?.sheetId);
  const { sheetId } = sheet.properties;
  const after = assign(sheet.properties, request.properties ?? {}, mask);
  if (after.sheetId !== sheetId) throw invalid('The id of a sheet cannot be changed.');
  if (mask['title'] !== undefined) checkTitle(state, request.properties?.title ?? '', sheet);
  // A mask of the whole grid without its size makes the size 0, whatever the type of the state says.
  const grid = { rowCount: 0, columnCount: 0, ...(after.gridProperties as object | undefined) };
  resizeDimension(state, sheet, 'ROWS', grid.rowCount);
  resizeDimension(state, sheet, 'COLUMNS', grid.columnCount);
  const { rowCount: rows, columnCount: columns } = sheet.properties.gridProperties;
  sheet.properties = {
    ...after,
    gridProperties: { ...after.gridProperties, rowCount: rows, columnCount: columns },
  };
  checkFrozen(sheet);
  if (state.sheets.every(({ properties }) => properties.hidden === true))
    throw invalid("You can't hide all the sheets in a document.");
  if (mask['index'] !== undefined) {
    // The index counts the tabs as they stand before the move.
    const wanted = request.properties?.index ?? state.sheets.length;
    const at = state.sheets.indexOf(sheet);
    state.sheets.splice(at, 1);
    state.sheets.splice(wanted > at ? wanted - 1 : wanted, 0, sheet);
  }
  renumber(state);
}

function dimensionOf(range: { readonly dimension?: string | null } | undefined): Dimension {
  const dimension = range?.dimension;
  if (dimension !== 'ROWS' && dimension !== 'COLUMNS') throw invalid('A dimension must be specified.');
  return dimension;
}

/** Adds blank rows or columns at the end. */
export function appendDimension(
  state: SpreadsheetState,
  request: sheets_v4.Schema$AppendDimensionRequest,
): undefined {
  const sheet = sheetOf(state, request.sheetId);
  const dimension = dimensionOf(request);
  const { rowCount, columnCount } = sheet.properties.gridProperties;
  if ((request.length ?? 0) < 1) throw invalid('The length must be positive.');
  insertDimension(
    state,
    sheet,
    dimension,
    dimension === 'ROWS' ? rowCount : columnCount,
    request.length ?? 0,
  );
}

/** A dimension range on its tab; open ends are the grid's. */
function spanOf(
  state: SpreadsheetState,
  range: sheets_v4.Schema$DimensionRange | undefined,
): { sheet: SheetState; dimension: Dimension; start: number; end: number; extent: number } {
  const sheet = sheetOf(state, range?.sheetId);
  const dimension = dimensionOf(range);
  const { rowCount, columnCount } = sheet.properties.gridProperties;
  const extent = dimension === 'ROWS' ? rowCount : columnCount;
  return { sheet, dimension, start: range?.startIndex ?? 0, end: range?.endIndex ?? extent, extent };
}

/** Inserts blank rows or columns, which have the formats of their neighbours before or after. */
export function insertDimensionRequest(
  state: SpreadsheetState,
  { range, inheritFromBefore }: sheets_v4.Schema$InsertDimensionRequest,
): undefined {
  if (typeof range?.startIndex !== 'number' || typeof range.endIndex !== 'number')
    throw invalid('Both the start and end indexes must be bounded.');
  if (inheritFromBefore === true && range.startIndex === 0)
    throw invalid('inheritFromBefore cannot be true at index 0.');
  const { sheet, dimension, start, end } = spanOf(state, range);
  insertDimension(state, sheet, dimension, start, end - start);
  const neighbour = inheritFromBefore === true ? start - 1 : end;
  const { rowCount, columnCount } = sheet.properties.gridProperties;
  for (let at = start; at < end; at += 1)
    for (let beside = 0; beside < (dimension === 'ROWS' ? columnCount : rowCount); beside += 1) {
      const place = (index: number): [number, number] =>
        dimension === 'ROWS' ? [index, beside] : [beside, index];
      const { userEnteredFormat } = cellAt(sheet, ...place(neighbour));
      if (userEnteredFormat !== undefined) putCell(sheet, ...place(at), { userEnteredFormat });
    }
}

/** Sets sizes of rows or columns, or hides them, by mask. */
export function updateDimensionProperties(
  state: SpreadsheetState,
  request: sheets_v4.Schema$UpdateDimensionPropertiesRequest,
): undefined {
  const mask = requiredMask(request.fields);
  const { sheet, dimension, start, end, extent } = spanOf(state, request.range);
  if (start < 0 || end > extent || end <= start)
    throw invalid(`Invalid dimension range: ${start} to ${end} of ${extent}.`);
  const list = dimension === 'ROWS' ? sheet.rowProperties : sheet.columnProperties;
  for (let index = start; index < end; index++)
    list[index] = assign(list[index] ?? {}, request.properties ?? {}, mask);
}
