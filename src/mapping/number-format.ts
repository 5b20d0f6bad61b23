/** Spreadsheet programs take formats of so many characters. */
const CHARACTERS_MAX = 255;
const SECTIONS_MAX = 4;

/** Literal text, a character after a mark, a colour, condition, currency or duration, and words with a meaning. */
const UNDERSTOOD = /"[^"]*"|[\\_*][^]|\[[^[\]]*\]|general|am\/pm|a\/p|e[+-]/gi;

/** Why spreadsheet programs would take a workbook with this number format for a damaged one; undefined for a sound format. */
export function formatProblem(format: string): string | undefined {
  if (format.length > CHARACTERS_MAX) return `is longer than ${CHARACTERS_MAX} characters`;
  const rest = format.replace(UNDERSTOOD, '');
  if (rest.includes('"')) return 'has a quotation mark that is not closed';
  if (/[[\]]/.test(rest)) return 'has a bracket that is not closed';
  if (/[\\_*]$/.test(rest)) return `ends in ${rest.slice(-1)}, which needs a character behind it`;
  if (rest.split(';').length > SECTIONS_MAX) return `has more than ${SECTIONS_MAX} parts between semicolons`;
  const [letter] = /(?![ymdhsebgn])[a-z]/i.exec(rest) ?? [];
  return letter === undefined
    ? undefined
    : `has the letter ${letter}; put words in double quotes, as in 0" pts"`;
}
