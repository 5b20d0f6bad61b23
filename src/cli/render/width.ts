import { stripVTControlCharacters } from 'node:util';

/** Terminal columns of a text in scripts of single width; wide scripts come out narrower than they are. */
export function visibleWidth(text: string): number {
  return Array.from(stripVTControlCharacters(text)).length;
}

/** JSON stays as it is. */
const KEPT = /^\s*\{/;
/** What stands before the first word of a paragraph: its indent, and a mark or a number. */
const START = /^ *(?:[^\p{L}\p{N}"'(<[{]{1,2} |\d+\. )?/u;
const INDENT = 2;
/** A terminal that says it is narrower does not know how wide it is. */
const LEAST_COLUMNS = 20;
/** A cell that has less room than this is no place to read in. */
const LEAST_CELL = 20;
/** A quoted name, such as that of a tab, which stays on one line. */
const NAME = /"[^"]{1,18}"/g;
/** A command to copy, behind a colon, which may be coloured, or an opening bracket; it ends where its words do. */
const COMMAND =
  /(?<=\(|:(?:\S+m)? )(?:npx )?teamsheet(?: (?:'[^']*'|"[^"]*"|[\w./:=@%+,\\-])*(?:'[^']*'|"[^"]*"|[\w/=@%+-]))+/g;
/** Stands for a blank that is no place to break; no line that is shown has one. */
const GLUE = '\0';

/** Lines of prose that are wider than a terminal, broken between words; what follows a break is set in. In a table the last cell wraps in its column. */
export function wrapLines(text: string, columns: number): string {
  if (!(columns >= LEAST_COLUMNS)) return text;
  return text
    .split('\n')
    .map((line) => (visibleWidth(line) <= columns ? line : wrapLine(line, columns)))
    .join('\n');
}

function wrapLine(line: string, columns: number): string {
  const seen = stripVTControlCharacters(line);
  const hang = KEPT.test(seen) ? undefined : hangOf(seen, columns);
  if (hang === undefined) return line;
  const lines: string[] = [];
  const glued = (text: string): string => text.replaceAll(' ', GLUE);
  const [first = '', ...words] = line.replace(NAME, glued).replace(COMMAND, glued).split(' ');
  let current = first;
  for (const word of words) {
    const longer = `${current} ${word}`;
    // What is too long for a line of its own gains nothing by one.
    const isTooLong = hang + visibleWidth(word) > columns;
    if (isTooLong || visibleWidth(current) <= hang || visibleWidth(longer) <= columns) current = longer;
    else {
      lines.push(current.trimEnd());
      // Two blanks in a row give an empty word: the next one begins the line.
      current = word === '' ? ' '.repeat(hang - 1) : ' '.repeat(hang) + word;
    }
  }
  return [...lines, current].join('\n').replaceAll(GLUE, ' ');
}

const GAPS = /(?<=\S) {2,}(?=\S)/g;

/** Where the lines begin that follow the first; undefined for a row of a table that ends with one word, such as a number. */
function hangOf(seen: string, columns: number): number | undefined {
  const cells = Array.from(seen.matchAll(GAPS), ({ index, 0: gap }) => index + gap.length);
  const last = cells.at(-1);
  if (last === undefined) {
    const [start = ''] = START.exec(seen) ?? [];
    return start.length + (start.trim() === '' ? INDENT : 0);
  }
  if (!seen.includes(' ', last)) return undefined;
  const starts = cells.map((at) => visibleWidth(seen.slice(0, at)));
  return starts.findLast((at) => columns - at >= LEAST_CELL) ?? INDENT;
}
