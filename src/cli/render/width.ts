import { stripVTControlCharacters } from 'node:util';

/** Terminal columns of a text in scripts of single width; wide scripts come out narrower than they are. */
export function visibleWidth(text: string): number {
  return Array.from(stripVTControlCharacters(text)).length;
}

const INDENT = '  ';
/** A line of a table, one with a command to copy, and JSON stay as they are. */
const KEPT = /\S {2,}\S|^\s*(?:next: |\{)/;
/** A terminal that says it is narrower does not know how wide it is. */
const LEAST_COLUMNS = 20;

/** Lines of prose that are wider than a terminal, broken between words; what follows a break is set in. */
export function wrapLines(text: string, columns: number): string {
  if (!(columns >= LEAST_COLUMNS)) return text;
  return text
    .split('\n')
    .map((line) => (visibleWidth(line) <= columns ? line : wrapLine(line, columns)))
    .join('\n');
}

function wrapLine(line: string, columns: number): string {
  if (KEPT.test(stripVTControlCharacters(line))) return line;
  const indent = /^ */.exec(line)?.[0] ?? '';
  const lines: string[] = [];
  let current = '';
  for (const word of line.slice(indent.length).split(' ')) {
    const start = lines.length === 0 ? indent : indent + INDENT;
    const longer = current === '' ? start + word : `${current} ${word}`;
    if (current !== '' && visibleWidth(longer) > columns) {
      lines.push(current);
      current = indent + INDENT + word;
    } else current = longer;
  }
  return [...lines, current].join('\n');
}
