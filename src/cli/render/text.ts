import { renderCountOf } from '../../model/count.ts';
import { HIDING } from '../../model/unseen.ts';
import { visibleWidth } from './width.ts';

const UNSAFE = new RegExp(String.raw`[\p{Cc}${HIDING}]`, 'gu');

/** A text with every control character, escape sequence and character that hides spelled out, so that data can neither steer a terminal nor look like other data. */
export function safeText(text: string): string {
  return text.replace(UNSAFE, (character) => {
    switch (character) {
      case '\n':
        return '\\n';
      case '\r':
        return '\\r';
      case '\t':
        return '\\t';
      default:
        return `\\u{${(character.codePointAt(0) ?? 0).toString(16)}}`;
    }
  });
}

const UNSAFE_IN_JSON = /[\u007f-\u009f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\ufeff]/g;

/** A JSON text of the same value whose strings cannot steer a terminal either; JSON itself escapes no more than the first 32 characters. */
export function safeJson(json: string): string {
  return json.replace(
    UNSAFE_IN_JSON,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
}

/** A message of several lines, each made safe by {@link safeText}. */
export function safeLines(text: string): string {
  return text.split('\n').map(safeText).join('\n');
}

/** `3 reads, 17 writes`; what there is none of is left out. */
export function renderReadsAndWrites(reads: number, writes: number): string {
  return [
    ...(reads > 0 ? [renderCountOf(reads, 'read')] : []),
    ...(writes > 0 ? [renderCountOf(writes, 'write')] : []),
  ].join(', ');
}

/** Stands for the rows of a list that are not shown. */
export const renderMoreRows = (count: number): string =>
  `… and ${renderCountOf(count, 'more row', 'more rows')}`;

/** `850 ms`, `12 s`, `3 min 20 s`, `2 h 5 min`: a duration to its two largest units. */
export function renderDuration(ms: number): string {
  if (ms < 1000) return `${Math.max(0, Math.round(ms))} ms`;
  const seconds = Math.round(ms / 1000);
  if (seconds < 60) return ms < 10_000 ? `${(ms / 1000).toFixed(1)} s` : `${seconds} s`;
  const minutes = Math.floor(seconds / 60);
  if (minutes < 60) return seconds % 60 === 0 ? `${minutes} min` : `${minutes} min ${seconds % 60} s`;
  const hours = Math.floor(minutes / 60);
  if (hours >= 72)
    return hours % 24 === 0 ? `${hours / 24} d` : `${Math.floor(hours / 24)} d ${hours % 24} h`;
  return minutes % 60 === 0 ? `${hours} h` : `${hours} h ${minutes % 60} min`;
}

/** Columns side by side, two blanks apart; numbers are set to the right. Styles in cells do not count as width. */
export function renderColumns(
  rows: readonly (readonly string[])[],
  alignRight: readonly boolean[] = [],
): string {
  const widths: number[] = [];
  for (const row of rows)
    row.forEach((cell, at) => (widths[at] = Math.max(widths[at] ?? 0, visibleWidth(cell))));
  return rows
    .map((row) =>
      row
        .map((cell, at) => {
          const blanks = ' '.repeat((widths[at] ?? 0) - visibleWidth(cell));
          return alignRight[at] === true ? blanks + cell : cell + blanks;
        })
        .join('  ')
        .trimEnd(),
    )
    .join('\n');
}

/** A text cut to `width` characters with a mark. */
export function cutText(text: string, width: number): string {
  const characters = Array.from(text);
  return characters.length <= width ? text : `${characters.slice(0, Math.max(0, width - 1)).join('')}…`;
}
