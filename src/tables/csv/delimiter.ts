import { ConfigError } from '../../model/error.ts';

/** What may separate the cells of a file. */
export const DELIMITERS = [',', ';', '\t', '|'] as const;
const NAMES: Readonly<Record<string, string>> = { ',': 'comma', ';': 'semicolon', '\t': 'TAB', '|': 'bar' };

/** How people call a separator. */
export const delimiterName = (delimiter: string): string => NAMES[delimiter] ?? delimiter;

/** What separates the cells of a file that is written. */
export const writtenDelimiter = (file: string): string => (/\.tsv$/i.test(file) ? '\t' : ',');

/** `sep=;`, the first line by which Excel is told the separator: the separator, and the characters that the line takes. */
export function separatorLine(
  text: string,
): { readonly delimiter: string; readonly length: number } | undefined {
  const found = /^"?sep=([^"\r\n])"?(?:\r\n|\n|\r|$)/i.exec(text);
  return found?.[1] === undefined ? undefined : { delimiter: found[1], length: found[0].length };
}

/** The record that begins at line `row` of `text`, up to its end outside quotes, or undefined when the text ends before. */
function recordAtLine(text: string, row: number): string | undefined {
  let start = 0;
  const lineEnd = /\r\n|\n|\r/g;
  for (let line = 1; line < row; line++) {
    if (lineEnd.exec(text) === null) return undefined;
    start = lineEnd.lastIndex;
  }
  let quoted = false;
  for (let at = start; at < text.length; at++) {
    const char = text.charAt(at);
    if (char === '"') quoted = !quoted;
    else if (!quoted && (char === '\n' || char === '\r')) return text.slice(start, at);
  }
  return text.slice(start);
}

/**
 * The separator that stands most often outside quotes in the header line, among `, ; TAB |`; a comma when none does (a table of one column).
 * Undefined when the text ends before the header. Errors: ConfigError `source.delimiter` when two stand equally often.
 */
export function detectDelimiter(text: string, headerRow: number, origin: string): string | undefined {
  const header = recordAtLine(text, headerRow);
  if (header === undefined) return undefined;
  const bare = header.replace(/"[^"]*"/g, '');
  const counts = DELIMITERS.map((char) => ({ char, count: bare.split(char).length - 1 }));
  const most = Math.max(...counts.map(({ count }) => count));
  if (most === 0) return ',';
  const best = counts.filter(({ count }) => count === most).map(({ char }) => char);
  if (best.length === 1 && best[0] !== undefined) return best[0];
  const names = best.map(delimiterName).join(' and ');
  throw new ConfigError(
    'source.delimiter',
    `${origin} row ${headerRow}: the header holds as many ${names} signs, so the separator is not clear`,
    { file: origin, line: headerRow, next: 'Name it in the mapping: source: { ..., delimiter: ";" }.' },
  );
}
