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

/** Finds what we wrote where nothing was to be written, because rows moved between reading and writing. */
export interface Strays {
  readonly remember: (changes: readonly CellChange[]) => void;
  /** The changes that put back what stood there. */
  readonly in: (view: TabView) => readonly CellChange[];
}

/** `first` is the tab before anything was written: what stood beside a row then is none of our doing. */
export function createStrays(first: TabView): Strays {
  const all = untold(first);
  const before = Map.groupBy(all, ({ id }) => id);
  const byKey = Map.groupBy(all, ({ key }) => key);
  const written = new Set<string>();
  let emptied = new Set<string>();
  /** The ids of cells that an update has emptied. */
  const lost = new Set<string>();
  return {
    remember: (changes) => {
      const texts = changes.flatMap((change) => ('text' in change ? [change] : []));
      for (const { text } of texts) if (text !== '') written.add(text);
      emptied = new Set(texts.filter(({ text }) => text === '').map(placeOf));
    },
    in: (view) =>
      untold(view).flatMap(({ id, key, row, column, text, note }): readonly CellChange[] => {
        // A row in which somebody writes at this moment is known by its key alone.
        const stood = before.get(id) ?? (key === undefined ? undefined : byKey.get(key)) ?? [];
        if (stood.some((each) => each.text === text && each.note === note)) return [];
        if (note !== undefined) return [{ row, column, note: withNote(note, undefined) }];
        if (text === '' && emptied.has(placeOf({ row, column }))) lost.add(id);
        const isOurs = text === '' ? lost.has(id) : written.has(text);
        return isOurs ? [{ row, column, text: stood[0]?.text ?? '' }] : [];
      }),
  };
}

const placeOf = ({ row, column }: Pick<CellChange, 'row' | 'column'>): string => `${row} ${column}`;

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

/** A column that may have notes of ours; one that the source did not have has no name. */
interface NotedColumn {
  readonly name: string | undefined;
  readonly column: number;
}

/** All columns but our own, as somebody may have put in new ones; none where it is not known which notes there are. */
function allNoted(view: TabView): readonly NotedColumn[] {
  if (!view.grid.hasNotes) return [];
  const ours = new Set(view.columns.values());
  const names = new Map(sourceColumns(view).map(({ name, column }) => [column, name]));
  const width = view.grid.rows.reduce((most, { length }) => Math.max(most, length), 0);
  return Array.from({ length: width }, (_, column) => ({ name: names.get(column), column })).filter(
    ({ column }) => !ours.has(column),
  );
}

/** The columns in which the notes of this run's rows stand: those that were read. */
export function notedColumns(view: TabView): readonly { readonly name: string; readonly column: number }[] {
  const used = new Set(view.writeBack.used);
  return view.grid.hasNotes ? sourceColumns(view).filter(({ name }) => used.has(name)) : [];
}

interface Untold {
  readonly row: number;
  readonly column: number;
  readonly text: string;
  /** Given when it is a note of ours. */
  readonly note?: string;
  /** The same for the same column beside the same row of this run, or beside a row of others that is equal, wherever that stands. */
  readonly id: string;
  /** The same for the same column beside each row with this key; undefined where the row has none. */
  readonly key: string | undefined;
}

/** The cells of our columns of which this run says nothing, and our notes that are not of this run. */
function untold(view: TabView): readonly Untold[] {
  const { writeBack, grid, header, columns, placed } = view;
  const told = new Map(placed.map((row, index) => [row, index]));
  const source = sourceColumns(view);
  const noted = allNoted(view);
  const used = new Set(notedColumns(view).map(({ column }) => column));
  const keys = new Set(writeBack.keys.map(foldName));
  const isKey = ({ name }: { readonly name: string }): boolean => keys.has(foldName(name));
  return grid.rows.flatMap((cells, row): readonly Untold[] => {
    if (row === header.row) return [];
    const index = told.get(row);
    const values = index === undefined ? undefined : writeBack.rows[index]?.values;
    const texts = (some: typeof source): readonly string[] =>
      some.map(({ column }) => cells[column]?.text ?? '');
    const line = index ?? texts(source);
    const key = texts(source.filter(isKey));
    const idsOf = (...cell: readonly string[]): Pick<Untold, 'id' | 'key'> => ({
      id: JSON.stringify([line, ...cell]),
      key: key.every((text) => text === '') ? undefined : JSON.stringify([key, ...cell]),
    });
    const found: Untold[] = [];
    for (const [name, column] of columns) {
      if (values?.[name] !== undefined) continue;
      found.push({ row, column, text: cellAt(grid, row, column).text, ...idsOf(name) });
    }
    for (const { name = '', column } of noted) {
      if (index !== undefined && used.has(column)) continue;
      const { note, text } = cellAt(grid, row, column);
      if (note !== '' && withNote(note, undefined) !== note)
        found.push({ row, column, text, note, ...idsOf(name, 'note') });
    }
    return found;
  });
}
