import { foldName } from '../../../model/fold-name.ts';
import type { WriteBack } from '../../../model/tables/table.ts';
import type { CellChange } from './cell-changes.ts';
import { withNote } from './own-notes.ts';
import type { Header } from './place-rows.ts';
import { cellAt, type Grid } from './tab-grid.ts';

/** A tab as it is now: its header, our columns, and where the rows of the run stand. */
export interface TabView {
  readonly writeBack: WriteBack;
  readonly grid: Grid;
  readonly header: Header;
  readonly columns: ReadonlyMap<string, number>;
  readonly placed: readonly (number | undefined)[];
}

/** Finds what we wrote beside rows that are none of ours, because rows moved between reading and writing. */
export interface Strays {
  readonly remember: (changes: readonly CellChange[]) => void;
  /** The changes that take it away. */
  readonly in: (view: TabView) => readonly CellChange[];
}

/** `first` is the tab before anything was written: what stood beside a row then is none of our doing. */
export function createStrays(first: TabView): Strays {
  const before = new Set<string>();
  const written = new Set<string>();
  for (const { id } of besideOthers(first)) before.add(id);
  return {
    remember: (changes) => {
      for (const change of changes) if ('text' in change && change.text !== '') written.add(change.text);
    },
    in: (view) =>
      besideOthers(view).flatMap(({ id, row, column, text, note }): readonly CellChange[] => {
        if (before.has(id)) return [];
        if (note !== undefined) return [{ row, column, note: withNote(note, undefined) }];
        return written.has(text) ? [{ row, column, text: '' }] : [];
      }),
  };
}

/** The columns of the source: all but our own. */
function sourceColumns({
  writeBack: { header: names },
  header,
  columns,
}: TabView): readonly { readonly name: string; readonly column: number }[] {
  const ours = new Set(columns.values());
  return names.flatMap((name) => {
    const column = header.columns.get(foldName(name));
    return column === undefined || ours.has(column) ? [] : [{ name, column }];
  });
}

/** Those that may have notes of ours; none where it is not known which notes there are. */
export function notedColumns(view: TabView): ReturnType<typeof sourceColumns> {
  return view.grid.hasNotes ? sourceColumns(view) : [];
}

interface Beside {
  readonly row: number;
  readonly column: number;
  readonly text: string;
  /** Given when it is a note of ours. */
  readonly note?: string;
  /** The same for the same text in the same column beside an equal row, wherever that stands. */
  readonly id: string;
}

/** What stands in our columns, and our notes, at rows that are not of this run. */
function besideOthers(view: TabView): readonly Beside[] {
  const { grid, header, columns, placed } = view;
  const ours = new Set<number | undefined>([header.row, ...placed]);
  const source = sourceColumns(view);
  return grid.rows.flatMap((cells, row): readonly Beside[] => {
    if (ours.has(row)) return [];
    const line = source.map(({ column }) => cells[column]?.text ?? '');
    const found: Beside[] = [];
    for (const [name, column] of columns) {
      const { text } = cellAt(grid, row, column);
      if (text !== '') found.push({ row, column, text, id: JSON.stringify([line, name, text]) });
    }
    for (const { name, column } of source) {
      const { note, text } = cellAt(grid, row, column);
      if (note !== '' && withNote(note, undefined) !== note)
        found.push({ row, column, text, note, id: JSON.stringify([line, name, 'note', note]) });
    }
    return found;
  });
}
