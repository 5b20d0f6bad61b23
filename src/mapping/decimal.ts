import { show } from './show.ts';

/** How the numbers of a source are written. */
export interface NumberStyle {
  readonly locale: 'en' | 'de';
  /** Thousands separators are read: only where the mapping names the locale. */
  readonly grouped: boolean;
  /** The rows are imported, so that remedies name flags. */
  readonly ofImport?: boolean;
}

/** Plain digits with a point, such as `-1234.50`, or what is wrong and how to correct it. */
export type Decimal = { readonly digits: string } | { readonly problem: string };

const PLAIN = { en: /^[+-]?\d+(?:\.\d+)?$/, de: /^[+-]?\d+(?:,\d+)?$/ } as const;
/** Nobody separates thousands behind a zero: `0.500` is a decimal of the other locale. */
const GROUPED = {
  en: /^[+-]?[1-9]\d{0,2}(?:,\d{3})+(?:\.\d+)?$/,
  de: /^[+-]?[1-9]\d{0,2}(?:\.\d{3})+(?:,\d+)?$/,
} as const;

/** Reads a written number without ever guessing: no exponent, no hexadecimal, no currency, no full-width digits. The remedy of `whole` is without decimals. */
export function parseDecimal(text: string, style: NumberStyle, whole = false): Decimal {
  const written = text.trim();
  if (PLAIN[style.locale].test(written)) return { digits: toPoint(written, style.locale) };
  if (GROUPED[style.locale].test(written)) {
    if (style.grouped) return { digits: toPoint(written, style.locale) };
    return {
      problem: `${show(text)} is not clear; write it without thousands separators, or ${naming(style.locale, style)}`,
    };
  }
  return { problem: `${show(text)} is not a number; ${remedy(written, style, whole)}` };
}

function toPoint(written: string, locale: 'en' | 'de'): string {
  const unsigned = written.startsWith('+') ? written.slice(1) : written;
  return locale === 'en' ? unsigned.replaceAll(',', '') : unsigned.replaceAll('.', '').replace(',', '.');
}

/** Plain digits as a source has them whose numbers are written so. */
export const writeDecimal = (digits: string, locale: 'en' | 'de'): string =>
  locale === 'en' ? digits : digits.replace('.', ',');

const naming = (locale: 'en' | 'de', { ofImport = false }: NumberStyle): string =>
  ofImport ? `import it with --locale ${locale}` : `set locale: ${locale} on the source`;

function remedy(written: string, style: NumberStyle, whole: boolean): string {
  const { locale } = style;
  const other = locale === 'en' ? 'de' : 'en';
  const isOther = PLAIN[other].test(written) || GROUPED[other].test(written);
  const digits = isOther ? toPoint(written, other) : '';
  if (isOther && !(whole && digits.includes('.'))) {
    return `write ${writeDecimal(digits, locale)}, or ${naming(other, style)}`;
  }
  if (/^[+-]?\d+(?:\.\d+)?e[+-]?\d+$/i.test(written)) return 'write all its digits';
  if (whole) return 'write digits only, such as 12';
  const example = locale === 'en' ? 'point, such as 7.5' : 'comma, such as 7,5';
  return `write digits with a decimal ${example}, and nothing else`;
}

/** `007.50` -> `7.5`: no zeros that carry no value, no minus before zero. */
export function canonical(digits: string): string {
  const [whole = '', fraction = ''] = digits.split('.');
  const negative = whole.startsWith('-');
  const shortWhole = whole.slice(negative ? 1 : 0).replace(/^0+(?=\d)/, '');
  const shortFraction = fraction.replace(/0+$/, '');
  const value = shortFraction === '' ? shortWhole : `${shortWhole}.${shortFraction}`;
  return negative && value !== '0' ? `-${value}` : value;
}

/** The number whose shortest spelling is `digits` (canonical), or undefined when no number of the service's JSON carries all of them. */
export function exactNumber(digits: string): number | undefined {
  const value = Number(digits);
  // Fifteen significant digits always survive.
  if (digits.replace(/[-.]/g, '').replace(/^0+/, '').length <= 15) return value;
  return String(value) === digits && (digits.includes('.') || Number.isSafeInteger(value))
    ? value
    : undefined;
}
