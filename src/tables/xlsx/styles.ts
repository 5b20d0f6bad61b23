import { scanPart } from './part.ts';
import type { Zip, ZipEntry } from './zip.ts';
import { readAttributes } from './xml-scan.ts';

/** How cells of one style show numbers. */
export interface NumberFormat {
  /**
   * The format shows days and times, and from this many days on the number is a moment; what is less is a time of day or a duration. Undefined when the
   * format shows numbers.
   */
  readonly momentsFrom: number | undefined;
  /** The number as a person sees it. */
  readonly shown: (value: number) => string;
}

/** Formats that workbooks name by number alone; dates as Excel shows them in the language of the format itself. */
const BUILT_IN: Readonly<Record<number, string>> = {
  1: '0',
  2: '0.00',
  3: '#,##0',
  4: '#,##0.00',
  5: '"$"#,##0;\\-"$"#,##0',
  6: '"$"#,##0;\\-"$"#,##0',
  7: '"$"#,##0.00;\\-"$"#,##0.00',
  8: '"$"#,##0.00;\\-"$"#,##0.00',
  9: '0%',
  10: '0.00%',
  11: '0.00E+00',
  12: '# ?/?',
  13: '# ??/??',
  14: 'm/d/yyyy',
  15: 'd-mmm-yy',
  16: 'd-mmm',
  17: 'mmm-yy',
  18: 'h:mm AM/PM',
  19: 'h:mm:ss AM/PM',
  20: 'h:mm',
  21: 'h:mm:ss',
  22: 'm/d/yyyy h:mm',
  37: '#,##0;(#,##0)',
  38: '#,##0;(#,##0)',
  39: '#,##0.00;(#,##0.00)',
  40: '#,##0.00;(#,##0.00)',
  41: '#,##0;\\-#,##0;"-"',
  42: '"$"#,##0;\\-"$"#,##0;"$-"',
  43: '#,##0.00;\\-#,##0.00;"-"??',
  44: '"$"#,##0.00;\\-"$"#,##0.00;"$-"??',
  45: 'mm:ss',
  46: '[h]:mm:ss',
  47: 'mm:ss.0',
  48: '##0.0E+0',
  49: '@',
};
/** Formats 27 to 36 and 50 to 58 are days or times, each in the way of the person's language. */
function eastAsian(id: number): string {
  if (!((id >= 27 && id <= 36) || (id >= 50 && id <= 58))) return '';
  return [32, 33, 34, 35, 55, 56].includes(id) ? 'h:mm:ss' : 'yyyy-mm-dd';
}
/** Formats that show numbers as they are. */
const PLAIN = /^(?:general|@)?$/i;

const GENERAL_DIGITS = 11;
const EXACT_DIGITS = 15;

/** A number as a cell without a format shows it: at most eleven digits, or else a power of ten. */
export function shownGeneral(value: number): string {
  const size = Math.abs(value);
  if (size !== 0 && (size >= 10 ** GENERAL_DIGITS || size < 1e-9)) {
    const [digits = '', exponent = ''] = value.toExponential(5).split('e');
    const sign = exponent.startsWith('-') ? '-' : '+';
    return `${digits.replace(/\.?0+$/, '')}E${sign}${exponent.slice(1).padStart(2, '0')}`;
  }
  if (Number.isInteger(value)) return String(value);
  const whole = Math.trunc(size).toString().length;
  return value.toFixed(Math.max(0, GENERAL_DIGITS - 1 - whole)).replace(/\.?0+$/, '');
}

/** A fraction with the 15 digits that a spreadsheet shows of it at most; what follows is noise of its arithmetic. */
export function cleanNumber(value: number): number {
  return Number.isInteger(value) ? value : Number(value.toPrecision(EXACT_DIGITS));
}

/** What says in a format how numbers are shown: without literal text, colours, currencies and spaces. */
function codesOf(format: string): string {
  return format
    .replace(/"[^"]*"|\\.|_.|\*./g, '')
    .replace(/\[(?!(?:h+|m+|s+)\])[^\]]*\]/gi, '')
    .replace(/general/gi, '');
}

type FormatValue = (value: number, format: string) => string;

function formatOf(format: string, formatValue: FormatValue): NumberFormat {
  if (PLAIN.test(format)) return { momentsFrom: undefined, shown: shownGeneral };
  const codes = codesOf(format);
  return { momentsFrom: momentsFrom(codes), shown: (value) => formatValue(value, format) };
}

function momentsFrom(codes: string): number | undefined {
  if (!/[ymdhs]/i.test(codes)) return undefined;
  if (codes.includes('[')) return Infinity;
  // m alone is a month unless hours or seconds stand beside it.
  return !/[yd]|m{3,}/i.test(codes) && /[hs]/i.test(codes) ? 1 : 0;
}

/**
 * The formats of the styles that cells refer to by their number, in order. The library that shows numbers is loaded only when a style needs it.
 * Errors: ConfigError `source.damaged`.
 */
export async function readFormats(zip: Zip, entry: ZipEntry): Promise<readonly NumberFormat[]> {
  const own = new Map<number, string>();
  const ids: number[] = [];
  let inStyles = false;
  await scanPart(zip, entry, {
    open: (name, raw) => {
      if (name === 'cellXfs') inStyles = true;
      else if (name === 'xf' && inStyles) ids.push(Number(readAttributes(raw).get('numFmtId') ?? 0));
      else if (name === 'numFmt') {
        const attributes = readAttributes(raw);
        own.set(Number(attributes.get('numFmtId')), attributes.get('formatCode') ?? '');
      }
    },
    close: (name) => {
      if (name === 'cellXfs') inStyles = false;
    },
  });
  return formatsOf(ids, own);
}

async function formatsOf(
  ids: readonly number[],
  own: ReadonlyMap<number, string>,
): Promise<readonly NumberFormat[]> {
  const codes = ids.map((id) => own.get(id) ?? BUILT_IN[id] ?? eastAsian(id));
  const formatValue = codes.every((code) => PLAIN.test(code))
    ? shownGeneral
    : (await import('hucre')).formatValue;
  const made = new Map<string, NumberFormat>();
  return codes.map((code) => {
    const format = made.get(code) ?? formatOf(code, formatValue);
    made.set(code, format);
    return format;
  });
}
