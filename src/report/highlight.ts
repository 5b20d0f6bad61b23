import type { Highlight, HighlightSpec } from '../model/tables/layout.ts';
import type { ReportValue } from '../model/tables/table.ts';
import { compareValues } from './order.ts';

/** The lines of a highlight from the rows of its report, which stand in their order; rows without a value in `by`, or without a text, are none. */
export function highlightOf(
  { label, show, value, by, descending, above = -Infinity, limit }: HighlightSpec,
  rows: readonly (readonly ReportValue[])[],
  indexOf: (header: string) => number,
): Highlight {
  const at = by === undefined ? undefined : indexOf(by);
  const fitting =
    at === undefined
      ? rows
      : rows
          .filter((row) => (row[at] ?? null) !== null && !(Number(row[at]) <= above))
          .toSorted((one, other) => compareValues(one[at] ?? null, other[at] ?? null, descending));
  const lines = fitting.flatMap((row) => {
    const text = sideBySide(show.map((header) => row[indexOf(header)] ?? ''));
    const shown = value === undefined ? null : (row[indexOf(value)] ?? null);
    return text === '' ? [] : [{ text, value: typeof shown === 'boolean' ? String(shown) : shown }];
  });
  return { label, lines: lines.slice(0, limit) };
}

/** Values in one text: a number stands before what it counts, and two names stand apart. */
function sideBySide(values: readonly NonNullable<ReportValue>[]): string {
  const parts = values.filter((value) => value !== '');
  return parts
    .map(
      (part, index) => (index === 0 ? '' : typeof parts[index - 1] === 'number' ? ' ' : ' · ') + String(part),
    )
    .join('');
}
