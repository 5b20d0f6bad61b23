import type { sheets_v4 } from 'googleapis/build/src/apis/sheets/v4.js';
import { formatValue } from 'hucre';
import { effectiveValue, type Scope } from './formula.ts';
import type { ExtendedValue, StoredCell } from './state.ts';

const ERRORS: Readonly<Record<string, string>> = {
  ERROR: '#ERROR!',
  NULL_VALUE: '#NULL!',
  DIVIDE_BY_ZERO: '#DIV/0!',
  VALUE: '#VALUE!',
  REF: '#REF!',
  NAME: '#NAME?',
  NUM: '#NUM!',
  N_A: '#N/A',
  LOADING: 'Loading...',
};
/** Formats of types whose pattern was left out, as an English (United States) spreadsheet has them. */
const PATTERNS: Readonly<Record<string, string>> = {
  PERCENT: '0.00%',
  CURRENCY: '$#,##0.00',
  DATE: 'm/d/yyyy',
  TIME: 'h:mm:ss AM/PM',
  DATE_TIME: 'm/d/yyyy h:mm:ss',
  SCIENTIFIC: '0.00E+00',
};
/** Truth values as spreadsheets of other languages show them. */
const TRUTH: Readonly<Record<string, readonly [string, string]>> = {
  de: ['WAHR', 'FALSCH'],
  es: ['VERDADERO', 'FALSO'],
  fr: ['VRAI', 'FAUX'],
};

/** The type of an error by how it looks, such as `N_A` for `#N/A`. */
export function errorType(text: string): string {
  return Object.entries(ERRORS).find(([, shown]) => shown === text)?.[0] ?? 'ERROR';
}

/** How an error looks, such as `#N/A`; undefined when the value is none. */
export function errorText(value: ExtendedValue): string | undefined {
  const type = value.errorValue?.type;
  return type === undefined || type === null ? undefined : (ERRORS[type] ?? '#ERROR!');
}

/** A number without a format: ten digits at most, as a cell of Google shows it. */
function automatic(value: number, locale: string): string {
  const size = Math.abs(value);
  const point = new Intl.NumberFormat(locale).format(1.5).charAt(1);
  const decimal = (number: number): string => String(number).replace('.', point);
  if (size !== 0 && (size >= 1e15 || size < 1e-5)) {
    const [mantissa, exponent = '+0'] = value.toExponential(5).split('e');
    return `${decimal(Number(mantissa))}E${exponent[0] ?? '+'}${exponent.slice(1).padStart(2, '0')}`;
  }
  return decimal(Number.isInteger(value) ? value : Number(value.toPrecision(10)));
}

function formatNumber(value: number, format: sheets_v4.Schema$NumberFormat, locale: string): string {
  const pattern = format.pattern ?? PATTERNS[format.type ?? ''] ?? '';
  const language = locale.replace('_', '-');
  if (pattern === '' || pattern === '@' || /^general$/i.test(pattern)) return automatic(value, language);
  return formatValue(value, pattern, { locale: language });
}

/** A cell's value as the person sees it; empty when there is none. */
export function shownValue(scope: Scope, cell: StoredCell): string {
  const value = effectiveValue(scope, cell);
  if (value === undefined) return '';
  if (typeof value.numberValue === 'number')
    return formatNumber(
      value.numberValue,
      cell.userEnteredFormat?.numberFormat ?? {},
      scope.state.properties.locale,
    );
  if (typeof value.boolValue === 'boolean') {
    const [yes, no] = TRUTH[scope.state.properties.locale.slice(0, 2)] ?? ['TRUE', 'FALSE'];
    return value.boolValue ? yes : no;
  }
  return errorText(value) ?? value.stringValue ?? '';
}

/** One cell as the values operations answer it; undefined when it is empty. */
export function renderedValue(
  scope: Scope,
  cell: StoredCell,
  rendering: string,
): string | number | boolean | undefined {
  if (cell.userEnteredValue === undefined) return undefined;
  if (rendering === 'FORMATTED_VALUE') return shownValue(scope, cell);
  const value = effectiveValue(scope, cell) ?? {};
  return value.numberValue ?? value.boolValue ?? errorText(value) ?? value.stringValue ?? '';
}
