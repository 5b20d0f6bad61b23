import { foldName } from '../../../model/fold-name.ts';
import type { WriteBack } from '../../../model/tables/table.ts';

/** Where a header stands in a tab as it is now, and its columns by their folded names. */
export interface Header {
  /** Counted from 0. */
  readonly row: number;
  readonly columns: ReadonlyMap<string, number>;
}

/** The header in the row that the mapping names or, when rows were inserted above it, in the first row that has all its keys; undefined when it is gone. */
export function findHeader(
  rows: readonly (readonly string[])[],
  { keys, options }: Pick<WriteBack, 'keys' | 'options'>,
): Header | undefined {
  const wanted = keys.map(foldName);
  const headerAt = (row: number): Header | undefined => {
    const columns = new Map<string, number>();
    rows[row]?.forEach((text, column) => {
      const name = foldName(text);
      if (name !== '' && !columns.has(name)) columns.set(name, column);
    });
    return columns.size > 0 && wanted.every((name) => columns.has(name)) ? { row, columns } : undefined;
  };
  const named = headerAt(options.headerRow - 1);
  if (named !== undefined || wanted.length === 0) return named;
  for (let row = 0; row < rows.length; row += 1) {
    const found = headerAt(row);
    if (found !== undefined) return found;
  }
  return undefined;
}

/**
 * For each row of a run the row of the tab that holds it by now, or undefined when it cannot be told. Rows are paired by their keys: where a key
 * stands several times, first those whose lines are equal, then the others in order, if the key stands as often as before. A row without a key is found
 * by its whole line alone. Our own columns do not count.
 */
export function placeRows(
  { header, columns, keys, rows }: WriteBack,
  at: Header,
  tab: readonly (readonly string[])[],
): readonly (number | undefined)[] {
  const ours = new Set(columns.map(foldName));
  const own = header.flatMap((name, index) => {
    const folded = foldName(name);
    return folded === '' || ours.has(folded) ? [] : [{ folded, index, column: at.columns.get(folded) ?? -1 }];
  });
  const isKey = new Set(keys.map(foldName));
  const ownKeys = own.filter(({ folded }) => isKey.has(folded));
  const textsOf = (pick: (column: (typeof own)[number]) => string | undefined): Line => ({
    key: ownKeys.map((column) => (pick(column) ?? '').trim()),
    line: JSON.stringify(own.map((column) => pick(column) ?? '')),
  });
  const before = rows.map(({ cells }) => textsOf(({ index }) => cells[index]));
  const now = tab.slice(at.row + 1).map((cells) => textsOf(({ column }) => cells[column]));
  const placed = pairLines(before, now);
  return placed.map((index) => (index === undefined ? undefined : at.row + 1 + index));
}

interface Line {
  readonly key: readonly string[];
  /** All cells, as one text. */
  readonly line: string;
}

function pairLines(before: readonly Line[], now: readonly Line[]): readonly (number | undefined)[] {
  const placed: (number | undefined)[] = before.map(() => undefined);
  const nowByKey = byKey(now);
  for (const [key, wanted] of byKey(before)) {
    const there = nowByKey.get(key) ?? [];
    const byLine = Map.groupBy(there, (index) => now[index]?.line ?? '');
    const taken = new Set<number>();
    for (const index of wanted) {
      const same = byLine.get(before[index]?.line ?? '')?.shift();
      if (same === undefined) continue;
      placed[index] = same;
      taken.add(same);
    }
    if (key === NO_KEY || there.length !== wanted.length) continue;
    const left = there.filter((index) => !taken.has(index));
    for (const index of wanted) placed[index] ??= left.shift();
  }
  return placed;
}

const NO_KEY = '';

/** Positions of lines by their key; lines without one are together. */
function byKey(lines: readonly Line[]): ReadonlyMap<string, readonly number[]> {
  return Map.groupBy(lines.keys(), (index) => {
    const key = lines[index]?.key ?? [];
    return key.every((text) => text === '') ? NO_KEY : JSON.stringify(key);
  });
}
