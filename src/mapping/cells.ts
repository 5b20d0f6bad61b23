import type { PushField } from '../contract/resource.ts';
import {
  shownText,
  type Cell,
  type FieldValue,
  type KeptCell,
  type TypedCell,
} from '../model/tables/cell.ts';
import type { Issue } from '../model/issue.ts';
import { wallOf } from '../model/time/serial-date.ts';
import { canonical, exactNumber, parseDecimal, writeDecimal, type NumberStyle } from './decimal.ts';
import { readKey, readTypedKey, trimKey } from './key-text.ts';
import { limitsOf, type Limits } from './limits.ts';
import type { Column } from './mapping.ts';
import { checkText } from './text-cell.ts';
import { either, show } from './show.ts';
import { spreadsheetError } from './spreadsheet-error.ts';
import { transformed } from './transforms.ts';
import { instantReader } from './zoned-time.ts';

/** What cells are read with beside their column. */
export interface CellContext extends NumberStyle {
  /** Accepts keys that look changed by a spreadsheet. */
  readonly allowKeyShape: boolean;
  /** The IANA zone of times without an offset. */
  readonly timezone: string;
  /** The IANA zone of cells that hold a date, where the table has one of its own. */
  readonly tableTimezone?: string | undefined;
}

/**
 * Reads one cell. Errors and warnings go to `issues`, under `header`; undefined says that the field is left out, or that an error was found.
 */
export type CellReader = (cell: Cell, header: string | undefined, issues: Issue[]) => FieldValue | undefined;

const GUID = /^[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}$/i;

/** A key that people make up like any text: what looks odd in an identifier, such as a joined emoji, is right in a name. */
const NAME = 'name';

function refuse(
  issues: Issue[],
  code: string,
  header: string | undefined,
  message: string,
): FieldValue | undefined {
  issues.push({ code, severity: 'error', column: header, message });
  return undefined;
}

/**
 * The reader of the cells of one column, for a field that is (or is not) part of the key. All choices are made here, once. `instead` reads each filled
 * cell (each element of a list) in another way.
 */
export function compileCell(
  column: Column,
  field: PushField,
  isKey: boolean,
  context: CellContext,
  instead?: CellReader,
): CellReader {
  const limits = limitsOf(field.schema);
  const base = instead ?? checked(field, limits, valueReader(column, field, isKey, context, limits));
  if (field.type === 'integers' && column.split !== undefined) return splitReader(column, column.split, base);
  return whole(column, isKey && field.type === 'text', base);
}

/** Runs the field's own schema after the reader where the limits do not say all of it. */
function checked(field: PushField, limits: Limits, read: CellReader): CellReader {
  if (!limits.partial) return read;
  return (cell, header, issues) => {
    const value = read(cell, header, issues);
    if (value === undefined) return undefined;
    const result = field.schema.safeParse(value);
    if (result.success) return value;
    const reason = result.error.issues.map(({ message }) => message).join('; ');
    return refuse(issues, 'cell.value', header, `${show(shownText(cell))} is refused: ${reason}`);
  };
}

/** Adds to a reader of filled cells: transforms, blanks, defaults and the errors of spreadsheets. */
function whole(column: Column, isTextKey: boolean, read: CellReader): CellReader {
  const blank = blankReader(column, isTextKey, read);
  return (cell, header, issues) => {
    const text = typeof cell === 'string' ? transformed(cell, column.transform) : undefined;
    // A transform would make small letters, or a number, of an error.
    const problem = spreadsheetError(cell) ?? (text === undefined ? undefined : spreadsheetError(text));
    if (problem !== undefined) return refuse(issues, 'cell.error', header, problem);
    if (text === undefined) return read(cell, header, issues);
    if (text === '' || text.trim() === '') return blank(text, header, issues);
    return read(text, header, issues);
  };
}

function blankReader(column: Column, isTextKey: boolean, read: CellReader): CellReader {
  const { default: fallback, blank } = column;
  if (fallback !== undefined) return (_, header, issues) => read(fallback, header, issues);
  if (isTextKey) {
    return (_, header, issues) =>
      refuse(issues, 'key.empty', header, `empty; every row needs its ${column.field}`);
  }
  switch (blank) {
    case 'omit':
      return () => undefined;
    case 'clear':
      return () => '';
    case 'error':
      return (_, header, issues) => refuse(issues, 'cell.blank', header, 'empty; fill it in');
  }
}

/** Whole numbers with something else between them than the separator that the mapping names. */
const SEVERAL_NUMBERS = /^\s*\d+(?:\s*[,;|/\s]\s*\d+)+\s*$/;

function splitReader(column: Column, separator: string, item: CellReader): CellReader {
  const one: CellReader = (part, header, issues) => {
    const found: Issue[] = [];
    const value = item(part, header, found);
    const text = shownText(part);
    if (found.length > 0 && SEVERAL_NUMBERS.test(text))
      return refuse(
        issues,
        'cell.list',
        header,
        `${show(text)} is not one number; separate the numbers by ${show(separator)}`,
      );
    issues.push(...found);
    return value;
  };
  return whole(column, false, (cell, header, issues) =>
    readList(
      shownText(cell)
        .split(separator)
        .map((part) => [part, header] as const),
      one,
      issues,
    ),
  );
}

/** A list of integers from several cells, each under its own header. Repeated and (unless `skipBlank`) empty elements are errors. */
export function readList(
  parts: readonly (readonly [Cell, string | undefined])[],
  item: CellReader,
  issues: Issue[],
  skipBlank = false,
): readonly number[] | undefined {
  const before = issues.length;
  const values: number[] = [];
  parts.forEach(([cell, header], index) => {
    const empty = typeof cell === 'string' && cell.trim() === '';
    if (empty && skipBlank) return;
    const value = empty
      ? refuse(
          issues,
          'cell.list',
          header,
          `element ${index + 1} of the list is empty; fill it in, or delete it`,
        )
      : item(cell, header, issues);
    if (typeof value !== 'number') return;
    if (values.includes(value))
      refuse(issues, 'cell.list', header, `${value} stands in the list twice; delete one`);
    values.push(value);
  });
  return issues.length > before ? undefined : values;
}

function valueReader(
  column: Column,
  field: PushField,
  isKey: boolean,
  context: CellContext,
  limits: Limits,
): CellReader {
  switch (column.type) {
    case 'text':
      return textReader(column, field, isKey, context, limits);
    case 'integer':
    case 'number':
      return numberReader(column, context, limits.item ?? limits);
    case 'boolean':
      return booleanReader(column);
    case 'uuid':
      return readUuid;
    case 'datetime':
      return datetimeReader(column, context);
  }
}

function textReader(
  column: Column,
  field: PushField,
  isKey: boolean,
  context: CellContext,
  limits: Limits,
): CellReader {
  const bounds = {
    min: limits.minLength,
    max: Math.min(limits.maxLength, column.maxLength ?? field.maxLength ?? Infinity),
    allowNewlines: column.allowNewlines,
    ofImport: context.ofImport,
  };
  if (!isKey)
    return (cell, header, issues) => checkText(shownText(cell).normalize('NFC'), header, bounds, issues);
  if (column.field === NAME) {
    return (cell, header, issues) =>
      checkText(trimKey(shownText(cell), header, issues).normalize('NFC'), header, bounds, issues);
  }
  const allowShape = context.allowKeyShape;
  return (cell, header, issues) => {
    const key =
      typeof cell === 'string'
        ? readKey(cell, header, allowShape, issues)
        : readTypedKey(cell, header, allowShape, issues);
    return key === undefined ? undefined : checkText(key, header, bounds, issues);
  };
}

function numberReader(column: Column, context: CellContext, limits: Limits): CellReader {
  const whole = column.type === 'integer';
  const min = Math.max(limits.min, column.min ?? -Infinity);
  const max = Math.min(limits.max, column.max ?? Infinity);
  const scale = column.scale ?? Infinity;
  return (cell, header, issues) => {
    const written = typeof cell === 'string' ? parseDecimal(cell, context, whole) : typedNumber(cell);
    if ('problem' in written) return refuse(issues, 'cell.number', header, written.problem);
    const digits = canonical(written.digits);
    const decimals = digits.includes('.') ? digits.length - digits.indexOf('.') - 1 : 0;
    if (whole && (decimals > 0 || written.digits.includes('.'))) {
      const remedy = decimals > 0 ? 'correct it' : `write ${digits}`;
      return refuse(
        issues,
        'cell.integer',
        header,
        `${show(shownText(cell))} is not a whole number; ${remedy}`,
      );
    }
    const value = exactNumber(digits);
    if (value === undefined) {
      const limit = whole ? 'at most 9007199254740991' : 'only 15 digits are exact';
      return refuse(
        issues,
        'cell.precision',
        header,
        `${show(shownText(cell))} has too many digits, ${limit}`,
      );
    }
    if (decimals > scale) {
      return refuse(
        issues,
        'cell.scale',
        header,
        `${show(shownText(cell))} has ${decimals} decimals, at most ${scale}`,
      );
    }
    const shown = digits.length > 24 ? show(digits) : digits;
    if (value < min) return refuse(issues, 'cell.range', header, `${shown} is too small, at least ${min}`);
    if (value > max) return refuse(issues, 'cell.range', header, `${shown} is too large, at most ${max}`);
    return value;
  };
}

function typedNumber(cell: TypedCell): { readonly digits: string } | { readonly problem: string } {
  const shown = shownText(cell);
  if (cell.kind !== 'number')
    return { problem: `${show(shown)} is a ${cell.kind}, not a number; format the cell as a number` };
  const digits = String(cell.value);
  if (/^-?\d+(?:\.\d+)?$/.test(digits)) return { digits };
  return { problem: `${show(shown)} is not a plain number; write all its digits` };
}

/** How the cells of a column are kept that hold one number each; undefined for any other column. */
export function numberKeeper(
  { type, split, lookup }: Column,
  style: NumberStyle,
): ((cell: Cell) => KeptCell) | undefined {
  if ((type !== 'integer' && type !== 'number') || split !== undefined || lookup !== undefined)
    return undefined;
  return (cell) => keptNumber(cell, style, type === 'integer');
}

/** What a number is shown as, such as `1.234` under `locale: de`, or `7.3` for 7.25, may be read as another number. */
function keptNumber(cell: Cell, style: NumberStyle, whole: boolean): KeptCell {
  const shown = shownText(cell);
  // What is refused here must be refused again as long as nobody corrects it.
  if (typeof cell !== 'string' && cell.kind === 'datetime') return [shown, cell.iso];
  if (typeof cell === 'string' || cell.kind !== 'number') return shown;
  const number = typedNumber(cell);
  if ('problem' in number) return [shown, String(cell.value)];
  const again = parseDecimal(shown, style);
  const isSame = 'digits' in again && canonical(again.digits) === canonical(number.digits);
  if (isSame && !(whole && again.digits.includes('.'))) return shown;
  return [shown, writeDecimal(number.digits, style.locale)];
}

/** `write yes, x or no`: the words that the mapping names, else those that always hold. */
function flagRemedy({ trueValues, falseValues }: Column): string {
  if (trueValues.length + falseValues.length === 0)
    return 'write TRUE or FALSE, or name it in true_values or false_values';
  const words = [
    ...(trueValues.length === 0 ? ['TRUE'] : trueValues),
    ...(falseValues.length === 0 ? ['FALSE'] : falseValues),
  ];
  return `write ${either(words)}`;
}

function booleanReader(column: Column): CellReader {
  const words = new Map<string, boolean>([
    ['true', true],
    ['1', true],
    ['false', false],
    ['0', false],
    ...column.trueValues.map((word) => [word.trim().toLowerCase(), true] as const),
    ...column.falseValues.map((word) => [word.trim().toLowerCase(), false] as const),
  ]);
  const remedy = flagRemedy(column);
  return (cell, header, issues) => {
    if (typeof cell !== 'string' && cell.kind === 'boolean') return cell.value;
    const shown =
      typeof cell === 'string' ? cell : cell.kind === 'number' ? String(cell.value) : shownText(cell);
    const value = words.get(shown) ?? words.get(shown.trim().toLowerCase());
    if (value !== undefined) return value;
    return refuse(issues, 'cell.boolean', header, `${show(shown)} is neither true nor false; ${remedy}`);
  };
}

const readUuid: CellReader = (cell, header, issues) => {
  const text = shownText(cell).trim();
  if (GUID.test(text)) return text;
  const message = `${show(text)} is not a UUID; it has 32 hexadecimal digits, such as 01234567-89ab-4cde-8f01-23456789abcd`;
  return refuse(issues, 'cell.uuid', header, message);
};

/** `7`, `1,234.50`, `1E+05`, `$5.00`, `50%`: a number as a spreadsheet shows it. */
const SHOWN_NUMBER = /^[-+]?(?:\d{1,3}(?:[.,'\s]\d{3})+|\d*)(?:[.,]\d+)?(?:E[-+]?\d+)?$/i;

/**
 * The wall clock of a cell that holds a date: as it is, or as the serial number of days that a spreadsheet stores, which is shown as a date. Undefined for
 * every other cell.
 */
function dateOf(cell: TypedCell): string | undefined {
  if (cell.kind === 'datetime') return cell.iso;
  if (cell.kind !== 'number' || cell.value < 1 || cell.shown === undefined) return undefined;
  if (SHOWN_NUMBER.test(cell.shown.replace(/[\p{Sc}%]/gu, '').trim())) return undefined;
  return wallOf(cell.value)?.toISOString().slice(0, 19);
}

function datetimeReader(column: Column, context: CellContext): CellReader {
  const readText = instantReader(column.format, context.timezone);
  const readWallClock = instantReader(undefined, context.tableTimezone ?? context.timezone);
  return (cell, header, issues) => {
    const date = typeof cell === 'string' ? undefined : dateOf(cell);
    const instant = date === undefined ? readText(shownText(cell)) : readWallClock(date);
    return 'iso' in instant ? instant.iso : refuse(issues, 'cell.datetime', header, instant.problem);
  };
}
