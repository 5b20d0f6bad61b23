import type { sheets_v4 } from 'googleapis/build/src/apis/sheets/v4.js';
import { boxOf, type SheetBox } from './a1.ts';
import { assign, requiredMask, type Mask } from './field-mask.ts';
import { effectiveValue, mapReferences, type Scope } from './formula.ts';
import { checkEditable } from './protection.ts';
import { invalid } from './refusal.ts';
import {
  cellAt,
  checkLength,
  putCell,
  sheetOf,
  type ExtendedValue,
  type SpreadsheetState,
  type StoredCell,
} from './state.ts';

/** Fields of a cell that Google works out itself. */
const READ_ONLY = new Set(['effectiveValue', 'formattedValue', 'effectiveFormat', 'hyperlink']);
const VALUES = ['numberValue', 'stringValue', 'boolValue', 'formulaValue'] as const;

function checkValue(value: ExtendedValue): void {
  if (value.errorValue !== undefined) throw invalid('errorValue is read-only.');
  if (VALUES.filter((kind) => value[kind] !== undefined && value[kind] !== null).length > 1)
    throw invalid("oneof field 'value' is already set.");
  checkLength(value.stringValue ?? value.formulaValue ?? '');
}

/** A cell after an update by mask; a new value, even an equal one, ends what was known of an old formula. */
function updatedCell(cell: StoredCell, update: StoredCell, mask: Mask): StoredCell {
  for (const field of Object.keys(mask))
    if (READ_ONLY.has(field)) throw invalid(`The field '${field}' is read-only.`);
  const value = update.userEnteredValue;
  if (value !== undefined) checkValue(value);
  const blank = value === undefined || VALUES.every((kind) => (value[kind] ?? '') === '');
  const { userEnteredValue: _none, ...withoutValue } = update;
  const changed: StoredCell = assign(cell, blank ? withoutValue : update, mask);
  const touched = mask['userEnteredValue'] !== undefined || mask['*'] !== undefined;
  const { effectiveValue: _result, ...result } = changed;
  const { note, ...noteless } = touched ? result : changed;
  return note === '' || note === undefined || note === null ? noteless : { ...noteless, note };
}

/** Writes the fields of a mask into cells. Errors: a refusal of 400 for cells past the grid or the range, protected cells and long texts. */
export function updateCells(
  state: SpreadsheetState,
  request: sheets_v4.Schema$UpdateCellsRequest,
): undefined {
  const mask = requiredMask(request.fields);
  const { range, start } = request;
  if ((range === undefined) === (start === undefined))
    throw invalid('Exactly one of start or range must be set.');
  const sheet = sheetOf(state, range?.sheetId ?? start?.sheetId);
  const { rowCount, columnCount } = sheet.properties.gridProperties;
  const open = { endRow: rowCount, endColumn: columnCount };
  const box =
    range === undefined
      ? { sheet, startRow: start?.rowIndex ?? 0, startColumn: start?.columnIndex ?? 0, ...open }
      : boxOf(sheet, range);
  if (box.startRow >= rowCount)
    throw invalid(`GridCoordinate.rowIndex[${box.startRow}] is after last row in grid[${rowCount - 1}]`);
  if (box.startColumn >= columnCount)
    throw invalid(
      `GridCoordinate.columnIndex[${box.startColumn}] is after last column in grid[${columnCount - 1}]`,
    );
  const rows = request.rows ?? [];
  const tooMany = (what: string, wanted: number, last: number): Error =>
    invalid(`Attempting to write ${what}: ${wanted}, beyond the last requested ${what} of: ${last}`);
  if (box.startRow + rows.length > box.endRow) throw tooMany('row', box.endRow, box.endRow - 1);
  const height = range === undefined ? rows.length : box.endRow - box.startRow;
  const widest = Math.max(0, ...rows.map(({ values = [] }) => values.length));
  const reach = {
    endRow: box.startRow + height,
    endColumn: range === undefined ? box.startColumn + widest : box.endColumn,
  };
  checkEditable({ ...box, ...reach });
  for (let down = 0; down < height; down++) {
    const values = rows[down]?.values ?? [];
    if (box.startColumn + values.length > box.endColumn)
      throw tooMany('column', box.endColumn, box.endColumn - 1);
    const width = range === undefined ? values.length : box.endColumn - box.startColumn;
    for (let across = 0; across < width; across++) {
      const [row, column] = [box.startRow + down, box.startColumn + across];
      putCell(sheet, row, column, updatedCell(cellAt(sheet, row, column), values[across] ?? {}, mask));
    }
  }
}

/** A formula as it stands in a cell so many rows and columns away: references without `$` move along. */
function movedFormula(cell: StoredCell, down: number, across: number): StoredCell {
  const formula = cell.userEnteredValue?.formulaValue;
  if (typeof formula !== 'string') return cell;
  const moved = mapReferences(formula, (_title, ends) =>
    ends.map((end) => ({
      ...end,
      row: end.rowFixed ? end.row : end.row + down,
      column: end.columnFixed ? end.column : end.column + across,
    })),
  );
  return { ...cell, userEnteredValue: { formulaValue: moved } };
}

/** Writes the fields of a mask of one cell into a whole range. Errors: those of {@link updateCells}. */
export function repeatCell(state: SpreadsheetState, request: sheets_v4.Schema$RepeatCellRequest): undefined {
  const mask = requiredMask(request.fields);
  const box = boxOf(sheetOf(state, request.range?.sheetId), request.range ?? {});
  checkEditable(box);
  for (let row = box.startRow; row < box.endRow; row++)
    for (let column = box.startColumn; column < box.endColumn; column++) {
      const cell = movedFormula(request.cell ?? {}, row - box.startRow, column - box.startColumn);
      putCell(box.sheet, row, column, updatedCell(cellAt(box.sheet, row, column), cell, mask));
    }
}

/** Sets, or without a rule takes away, the validation of a range. */
export function setDataValidation(
  state: SpreadsheetState,
  { range, rule }: sheets_v4.Schema$SetDataValidationRequest,
): undefined {
  const cell = rule === undefined ? {} : { dataValidation: rule };
  repeatCell(state, { ...(range === undefined ? {} : { range }), cell, fields: 'dataValidation' });
}

/** Merges a box; only the value of its upper left cell is kept. */
export function mergeCells({ sheet, startRow, endRow, startColumn, endColumn }: SheetBox): void {
  const { sheetId } = sheet.properties;
  sheet.objects.merges.push({
    ...{ sheetId, startRowIndex: startRow, endRowIndex: endRow },
    ...{ startColumnIndex: startColumn, endColumnIndex: endColumn },
  });
  for (let row = startRow; row < endRow; row++)
    for (let column = startColumn; column < endColumn; column++) {
      if (row === startRow && column === startColumn) continue;
      const { userEnteredValue: _value, effectiveValue: _result, ...rest } = cellAt(sheet, row, column);
      putCell(sheet, row, column, rest);
    }
}

/** Numbers stand before texts, texts before truth values, then errors. */
function compareValues(a: ExtendedValue, b: ExtendedValue): number {
  const rank = (value: ExtendedValue): number =>
    ['numberValue', 'stringValue', 'boolValue', 'errorValue'].findIndex((kind) => kind in value);
  if (rank(a) !== rank(b)) return rank(a) - rank(b);
  if (typeof a.stringValue === 'string')
    return a.stringValue.localeCompare(b.stringValue ?? '', 'en', { sensitivity: 'base' });
  return Number(a.numberValue ?? a.boolValue ?? 0) - Number(b.numberValue ?? b.boolValue ?? 0);
}

function isBlank(value: ExtendedValue | undefined): boolean {
  return value === undefined || Object.keys(value).length === 0;
}

/** Sorts the rows of a range, with their formats and notes; blank cells come last, whichever the order. */
export function sortRange(state: SpreadsheetState, request: sheets_v4.Schema$SortRangeRequest): void {
  const box = boxOf(sheetOf(state, request.range?.sheetId), request.range ?? {});
  const { sheet } = box;
  const scope: Scope = { state, sheet };
  const cut = (row: number): (StoredCell | undefined)[] =>
    Array.from(
      { length: box.endColumn - box.startColumn },
      (_, across) => sheet.rows[row]?.[box.startColumn + across],
    );
  const rows = Array.from({ length: box.endRow - box.startRow }, (_, down) => {
    const cells = cut(box.startRow + down);
    const keys = (request.sortSpecs ?? []).map((spec) =>
      effectiveValue(scope, cells[(spec.dimensionIndex ?? 0) - box.startColumn] ?? {}),
    );
    return { cells, keys, row: box.startRow + down };
  });
  const sorted = rows.toSorted((a, b) => {
    for (const [index, spec] of (request.sortSpecs ?? []).entries()) {
      const [x, y] = [a.keys[index], b.keys[index]];
      if (isBlank(x) || isBlank(y)) {
        if (isBlank(x) !== isBlank(y)) return isBlank(x) ? 1 : -1;
        continue;
      }
      const order = compareValues(x ?? {}, y ?? {}) * (spec.sortOrder === 'DESCENDING' ? -1 : 1);
      if (order !== 0) return order;
    }
    return 0;
  });
  sorted.forEach(({ cells, row }, down) =>
    cells.forEach((cell, across) => {
      const to = box.startRow + down;
      putCell(sheet, to, box.startColumn + across, movedFormula(cell ?? {}, to - row, 0));
    }),
  );
}
