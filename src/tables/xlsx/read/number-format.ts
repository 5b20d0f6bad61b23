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

/** Shows a number by a format, as the library does it. */
export type FormatValue = (value: number, format: string) => string;

const GENERAL_DIGITS = 11;

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

/** Literal text, a character after a mark, something in brackets, the number as it is, or any other character. */
const PIECE = /"[^"]*"|[\\_*][^]|\[[^\]]*\]|general|@|[^]/gi;
const AS_IT_IS = /^(?:general|@)$/i;
const CONDITION = /^\[(<=|>=|<>|[<>=])(-?\d+(?:\.\d+)?)\]$/;
const DURATION = /^\[(?:h+|m+|s+)\]$/i;

/** One of the parts of a format that semicolons separate, without conditions, colours and languages. */
interface Section {
  pieces: string[];
  /** The numbers that it is for; undefined for all that no condition fits. */
  fits: ((value: number) => boolean) | undefined;
}

function sectionsOf(format: string): readonly Section[] {
  let section: Section = { pieces: [], fits: undefined };
  const sections = [section];
  for (const [piece] of format.matchAll(PIECE)) {
    if (piece === ';') sections.push((section = { pieces: [], fits: undefined }));
    else if (!piece.startsWith('[') || piece === '[' || DURATION.test(piece)) section.pieces.push(piece);
    else {
      const [, operator, bound] = CONDITION.exec(piece) ?? [];
      if (operator !== undefined) section.fits = conditionOf(operator, Number(bound));
      // `[$€-407]` is a currency with its language.
      const [, currency = ''] = /^\[\$([^-\]]*)/.exec(piece) ?? [];
      if (currency !== '') section.pieces.push(`"${currency}"`);
    }
  }
  return sections;
}

function conditionOf(operator: string, bound: number): (value: number) => boolean {
  return (value) =>
    operator === '<>'
      ? value !== bound
      : operator.includes(value === bound ? '=' : value < bound ? '<' : '>');
}

/** What a format makes of numbers; the library shows their digits. */
export function numberFormat(format: string, formatValue: FormatValue): NumberFormat {
  const sections = sectionsOf(format);
  const [first = { pieces: [], fits: undefined }] = sections;
  if (sections.length === 1 && first.pieces.every((piece) => AS_IT_IS.test(piece)))
    return { momentsFrom: undefined, shown: shownGeneral };
  const isConditional = sections.some(({ fits }) => fits !== undefined);
  const codeOf = (value: number): string => sections.map((section) => textOf(section, value)).join(';');
  const isFixed = sections.every(({ pieces }) => !pieces.some((piece) => AS_IT_IS.test(piece)));
  const fixed = isFixed ? codeOf(0) : undefined;
  const shown = (value: number): string => {
    if (!isConditional) {
      const code = fixed ?? codeOf(Math.abs(value));
      // The library puts a minus behind a currency.
      return sections.length === 1 && value < 0 ? `-${formatValue(-value, code)}` : formatValue(value, code);
    }
    const chosen =
      sections.find(({ fits }) => fits?.(value)) ?? sections.findLast(({ fits }) => !fits) ?? first;
    // A section that has a minus of its own is given the size alone.
    const given = /^[-(]/.test(chosen.pieces[0] ?? '') ? Math.abs(value) : value;
    return formatValue(given, textOf(chosen, given));
  };
  return { momentsFrom: momentsFrom(sections), shown };
}

/** A section as the library takes it, with the number as literal text where it is shown as it is. */
function textOf({ pieces }: Section, value: number): string {
  return pieces.map((piece) => (AS_IT_IS.test(piece) ? `"${shownGeneral(value)}"` : piece)).join('');
}

function momentsFrom(sections: readonly Section[]): number | undefined {
  const codes = sections
    .flatMap(({ pieces }) => pieces)
    .filter((piece) => !/^["\\_*]/.test(piece) && !AS_IT_IS.test(piece))
    .join('');
  if (!/[ymdhs]/i.test(codes)) return undefined;
  if (codes.includes('[')) return Infinity;
  // m alone is a month unless hours or seconds stand beside it.
  return !/[yd]|m{3,}/i.test(codes) && /[hs]/i.test(codes) ? 1 : 0;
}
