import type { sheets_v4 } from 'googleapis/build/src/apis/sheets/v4.js';
import { checkLength, type StoredCell } from './state.ts';

const DAY_MS = 86_400_000;
const EPOCH_SERIAL = 25_569;

interface Parsed {
  readonly value: sheets_v4.Schema$ExtendedValue;
  /** The format that a cell without one gets. */
  readonly format?: sheets_v4.Schema$NumberFormat;
}

function parseNumber(text: string): Parsed | undefined {
  const found = /^([-+]?)([$£€]?)(\d{1,3}(?:,\d{3})+|\d*)(\.\d*)?(e[-+]?\d+)?(%?)$/i.exec(text);
  if (found === null || !/\d/.test(text)) return undefined;
  const [, sign = '', currency = '', whole = '', fraction = '', exponent = '', percent] = found;
  const number = Number(`${sign}${whole.replaceAll(',', '')}${fraction}${exponent}`);
  if (Number.isNaN(number)) return undefined;
  const numberValue = percent === '%' ? number / 100 : number;
  if (percent === '%')
    return { value: { numberValue }, format: { type: 'PERCENT', pattern: fraction === '' ? '0%' : '0.00%' } };
  if (currency !== '')
    return { value: { numberValue }, format: { type: 'CURRENCY', pattern: `"${currency}"#,##0.00` } };
  if (exponent !== '') return { value: { numberValue }, format: { type: 'SCIENTIFIC', pattern: '0.00E+00' } };
  return whole.includes(',')
    ? { value: { numberValue }, format: { type: 'NUMBER', pattern: fraction === '' ? '#,##0' : '#,##0.00' } }
    : { value: { numberValue } };
}

/** Dates as an ISO 8601 day, or as day and month in the locale's order, with or without a time. */
function parseDate(text: string, locale: string): Parsed | undefined {
  const found = /^(\d{1,4})([-/.])(\d{1,2})\2(\d{1,4})(?:[ T](\d{1,2}):(\d{2})(?::(\d{2}))?)?$/.exec(text);
  if (found === null) return undefined;
  const [first, second, third] = [found[1], found[3], found[4]].map(Number);
  const [hour = 0, minute = 0, seconds = 0] = found
    .slice(5)
    .map((part: string | undefined) => Number(part ?? 0));
  const isoOrder = (found[1] ?? '').length === 4;
  const monthFirst = locale === 'en_US';
  const [year, month, day] = isoOrder
    ? [first, second, third]
    : monthFirst
      ? [third, first, second]
      : [third, second, first];
  const date = new Date(Date.UTC(year ?? 0, (month ?? 0) - 1, day ?? 0, hour, minute, seconds));
  if (date.getUTCMonth() + 1 !== month || date.getUTCDate() !== day || hour > 23 || minute > 59)
    return undefined;
  const timed = found[5] !== undefined;
  const days = isoOrder ? 'yyyy-mm-dd' : monthFirst ? 'm/d/yyyy' : 'dd/mm/yyyy';
  return {
    value: { numberValue: date.getTime() / DAY_MS + EPOCH_SERIAL },
    format: { type: timed ? 'DATE_TIME' : 'DATE', pattern: timed ? `${days} h:mm:ss` : days },
  };
}

/** What Google makes of a text that a person types, or that comes with USER_ENTERED. */
function parseTyped(text: string, locale: string): Parsed {
  if (text.startsWith("'")) return { value: { stringValue: text.slice(1) } };
  if (text.startsWith('=') && text.length > 1) return { value: { formulaValue: text } };
  const plain = text.trim();
  if (/^(?:true|false)$/i.test(plain)) return { value: { boolValue: plain.toLowerCase() === 'true' } };
  return parseNumber(plain) ?? parseDate(plain, locale) ?? { value: { stringValue: text } };
}

/** A cell after a value was put into it through the values operations; `raw` keeps every text as text. Errors: a refusal of 400 for a long text. */
export function enterValue(
  cell: StoredCell,
  value: string | number | boolean,
  { raw, locale }: { readonly raw: boolean; readonly locale: string },
): StoredCell {
  const { userEnteredValue: _value, effectiveValue: _result, ...rest } = cell;
  if (value === '') return rest;
  if (typeof value === 'number') return { ...rest, userEnteredValue: { numberValue: value } };
  if (typeof value === 'boolean') return { ...rest, userEnteredValue: { boolValue: value } };
  checkLength(value);
  const format = cell.userEnteredFormat?.numberFormat;
  if (raw || (format?.type === 'TEXT' && !value.startsWith("'")))
    return { ...rest, userEnteredValue: { stringValue: value } };
  const parsed = parseTyped(value, locale);
  if (parsed.format === undefined || format !== undefined) return { ...rest, userEnteredValue: parsed.value };
  return {
    ...rest,
    userEnteredValue: parsed.value,
    userEnteredFormat: { ...cell.userEnteredFormat, numberFormat: parsed.format },
  };
}
