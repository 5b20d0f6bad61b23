import { isObject } from './field-mask.ts';
import { mapReferences, type Point } from './formula.ts';
import { invalid } from './refusal.ts';
import { checkSize, type Dimension, type SheetState, type SpreadsheetState } from './state.ts';

/** Rows or columns that come in (`count` above 0) or go out (below 0) before index `at`. */
interface Shift {
  readonly sheet: SheetState;
  readonly dimension: Dimension;
  readonly at: number;
  readonly count: number;
}

const GONE = Symbol('gone');

/** A half-open span after a shift; undefined when nothing is left of it. */
function shiftSpan(start: number, end: number, { at, count }: Shift): [number, number] | undefined {
  if (count > 0) return [start >= at ? start + count : start, end > at ? end + count : end];
  const move = (index: number): number => (index <= at ? index : Math.max(at, index + count));
  return move(start) < move(end) ? [move(start), move(end)] : undefined;
}

function spanFields(object: Readonly<Record<string, unknown>>, shift: Shift): [string, string] | undefined {
  const names: [string, string] =
    shift.dimension === 'ROWS' ? ['startRowIndex', 'endRowIndex'] : ['startColumnIndex', 'endColumnIndex'];
  return names.some((name) => typeof object[name] === 'number') ? names : undefined;
}

/** Any part of an object's description after a shift: its ranges move with the cells; what stood on deleted cells alone is gone. */
function shiftPart(value: unknown, shift: Shift): unknown {
  if (Array.isArray(value))
    return value.map((part) => shiftPart(part, shift)).filter((part) => part !== GONE);
  if (!isObject(value)) return value;
  const here = (value['sheetId'] ?? 0) === shift.sheet.properties.sheetId;
  const names = here ? spanFields(value, shift) : undefined;
  if (names !== undefined) {
    const [start, end] = names.map((name) => value[name]);
    const span = shiftSpan(Number(start ?? 0), Number(end ?? Infinity), shift);
    if (span === undefined) return GONE;
    return {
      ...value,
      ...(typeof start === 'number' ? { [names[0]]: span[0] } : {}),
      ...(typeof end === 'number' ? { [names[1]]: span[1] } : {}),
    };
  }
  const coordinate = shift.dimension === 'ROWS' ? 'rowIndex' : 'columnIndex';
  const index = value[coordinate];
  if (here && typeof index === 'number' && index >= shift.at)
    return { ...value, [coordinate]: Math.max(shift.at, index + shift.count) };
  const parts = Object.entries(value).map(([key, part]) => [key, shiftPart(part, shift)] as const);
  const lost = parts.some(
    ([key, part]) => part === GONE || (key === 'ranges' && Array.isArray(part) && part.length === 0),
  );
  return lost ? GONE : Object.fromEntries(parts);
}

function shiftReferences(state: SpreadsheetState, shift: Shift): void {
  const { title } = shift.sheet.properties;
  const axis = shift.dimension === 'ROWS' ? 'row' : 'column';
  const move = (ends: readonly Point[]): readonly Point[] | undefined => {
    const [first, last = first] = ends;
    if (first === undefined || last === undefined) return ends;
    const span = shiftSpan(first[axis], last[axis] + 1, shift);
    return span && ends.map((end, index) => ({ ...end, [axis]: index === 0 ? span[0] : span[1] - 1 }));
  };
  for (const sheet of state.sheets)
    for (const row of sheet.rows)
      row.forEach((cell, column) => {
        const formula = cell?.userEnteredValue?.formulaValue;
        if (typeof formula !== 'string') return;
        const moved = mapReferences(formula, (named, ends) =>
          (named ?? sheet.properties.title) === title ? move(ends) : ends,
        );
        if (moved !== formula) row[column] = { ...cell, userEnteredValue: { formulaValue: moved } };
      });
}

function splice<T>(list: T[], { at, count }: Shift, made: () => T): void {
  if (list.length <= at) return;
  if (count < 0) list.splice(at, -count);
  else list.splice(at, 0, ...Array.from({ length: count }, made));
}

function applyShift(state: SpreadsheetState, shift: Shift): void {
  const { sheet, dimension, count } = shift;
  const grid = sheet.properties.gridProperties;
  shiftReferences(state, shift);
  if (dimension === 'ROWS') {
    grid.rowCount += count;
    splice(sheet.rows, shift, () => []);
    splice(sheet.rowProperties, shift, () => ({}));
  } else {
    grid.columnCount += count;
    for (const row of sheet.rows) splice(row, shift, () => undefined);
    splice(sheet.columnProperties, shift, () => ({}));
  }
  for (const each of state.sheets) each.objects = shiftObjects(each.objects, shift);
}

function shiftObjects({ basicFilter, ...lists }: SheetState['objects'], shift: Shift): SheetState['objects'] {
  const filter = basicFilter === undefined ? GONE : shiftPart(basicFilter, shift);
  const moved = Object.entries(lists).map(([name, list]) => [name, shiftPart(list, shift)]);
  return {
    ...(Object.fromEntries(moved) as Omit<SheetState['objects'], 'basicFilter'>),
    ...(filter === GONE ? {} : { basicFilter: filter as NonNullable<typeof basicFilter> }),
  };
}

function extentOf(sheet: SheetState, dimension: Dimension): { count: number; frozen: number; word: string } {
  const grid = sheet.properties.gridProperties;
  return dimension === 'ROWS'
    ? { count: grid.rowCount, frozen: grid.frozenRowCount ?? 0, word: 'rows' }
    : { count: grid.columnCount, frozen: grid.frozenColumnCount ?? 0, word: 'columns' };
}

/** Puts blank rows or columns before index `at`. Errors: a refusal of 400 past the grid or past the cells of a spreadsheet. */
export function insertDimension(
  state: SpreadsheetState,
  sheet: SheetState,
  dimension: Dimension,
  at: number,
  count: number,
): void {
  const { count: extent, word } = extentOf(sheet, dimension);
  if (at < 0 || at > extent || count < 1)
    throw invalid(
      `range.startIndex[${at}] is after last of the ${extent} ${word} in grid, or the range is empty`,
    );
  applyShift(state, { sheet, dimension, at, count });
  checkSize(state);
}

/** Takes rows or columns out, with their cells. Errors: a refusal of 400 past the grid, or when no unfrozen one would be left. */
export function deleteDimension(
  state: SpreadsheetState,
  sheet: SheetState,
  dimension: Dimension,
  start: number,
  end: number,
): void {
  const { count, frozen, word } = extentOf(sheet, dimension);
  if (start < 0 || end <= start || end > count)
    throw invalid(
      `Cannot delete a ${word.slice(0, -1)} that doesn't exist. Tried to delete ${word} ${start} to ${end} of ${count}.`,
    );
  if (end - start === count) throw invalid(`You can't delete all the ${word} on the sheet.`);
  const kept = frozen - Math.max(0, Math.min(end, frozen) - start);
  if (count - (end - start) <= kept)
    throw invalid(`Sorry, it is not possible to delete all non-frozen ${word}.`);
  applyShift(state, { sheet, dimension, at: start, count: start - end });
  const grid = sheet.properties.gridProperties;
  if (dimension === 'ROWS' && frozen > 0) grid.frozenRowCount = Math.min(frozen, kept);
  if (dimension === 'COLUMNS' && frozen > 0) grid.frozenColumnCount = Math.min(frozen, kept);
}

/** Makes a grid so many rows or columns long. Errors: those of inserting and deleting. */
export function resizeDimension(
  state: SpreadsheetState,
  sheet: SheetState,
  dimension: Dimension,
  size: number,
): void {
  const { count } = extentOf(sheet, dimension);
  if (size > count) insertDimension(state, sheet, dimension, count, size - count);
  if (size < count) deleteDimension(state, sheet, dimension, size, count);
}
