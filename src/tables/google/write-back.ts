import { UnavailableError } from '../../model/error.ts';
import { foldName } from '../../model/fold-name.ts';
import type { WriteBack, WriteBackResult } from '../../model/tables/table.ts';
import {
  cellRequests,
  columnRequest,
  filterRequest,
  withinOneCall,
  type CellChange,
} from './write-back/cell-changes.ts';
import { findHeader, placeRows, type Header } from './write-back/place-rows.ts';
import { withNote } from './write-back/own-notes.ts';
import { readShown } from './read-tabs.ts';
import type { GoogleAccess, SheetsClient } from './sheets-client.ts';
import { rangeOf } from './spreadsheet.ts';
import { createStrays, notedColumns, type Strays, type TabView } from './write-back/stray-cells.ts';
import {
  ANSWER_FIELDS,
  cellAt,
  EMPTY,
  GRID_FIELDS,
  gridOf,
  hasTab,
  textGrid,
  usedColumns,
  type Grid,
  type GridCell,
} from './write-back/tab-grid.ts';
import type { FoundTab, SheetLocation, Tabs } from './tabs.ts';

/** Writes of what fits into one call: the first, and three more when somebody moves rows in between. */
const MAX_WRITES = 4;

/**
 * Writes what became of rows into a tab: our columns and our notes, beside the rows wherever they stand by now. The tab is read afresh, written in one call (several where it is too
 * large for one), and looked at as it stands afterwards: what came to stand beside a wrong row, because somebody moved rows in between, is put right, cells of others that it covered too.
 * Errors: that of a doubt; UnavailableError `destination.unstable`, `destination.unwritten`; ConfigError `source.missing_tab`; those of the client.
 */
export async function writeBackSheet(
  access: GoogleAccess,
  location: SheetLocation,
  writeBack: WriteBack,
  tabs: Tabs,
): Promise<WriteBackResult> {
  const client = await access.client();
  return tabs.withTabs(location.spreadsheet, [location.tab], ([found]) =>
    found === undefined ? Promise.resolve(nothingFound(writeBack)) : writeInto(client, found, writeBack),
  );
}

const nothingFound = ({ rows }: WriteBack): WriteBackResult => ({
  written: 0,
  gone: rows.map(({ rowNumber }) => rowNumber),
  made: [],
});

const NO_GRID = textGrid(0, []);

/** What the last update of a tab changed, and the tab before it. */
interface Update {
  readonly before: Grid;
  readonly header: Header;
  /** Where our columns stand since. */
  readonly columns: ReadonlyMap<string, number>;
  readonly changes: readonly CellChange[];
  /** What it and the updates before it changed. */
  readonly all: readonly CellChange[];
}

async function writeInto(
  client: SheetsClient,
  { spreadsheet, tab }: FoundTab,
  writeBack: WriteBack,
): Promise<WriteBackResult> {
  const ranges = [rangeOf(tab.title)];
  const read = async (): Promise<Grid> => {
    const answer = await client.spreadsheet(spreadsheet.id, GRID_FIELDS, ranges);
    // Another tab may have the name by now.
    if (!hasTab(answer, tab.sheetId)) return NO_GRID;
    const grid = gridOf(answer, tab.sheetId);
    return grid ?? textGrid(tab.columnCount, await readShown(client, spreadsheet.id, tab));
  };
  const made = new Map<string, number>();
  const restored = new Set<string>();
  let grid = await read();
  let strays: Strays | undefined;
  let last: Update | undefined;
  let most = MAX_WRITES;
  for (let writes = 0; ; writes += 1) {
    const texts = grid.rows.map((row) => row.map(({ text }) => text));
    const header = findHeader(texts, writeBack);
    if (header === undefined) return { ...nothingFound(writeBack), made: [...made.keys()] };
    const placed = placeRows(writeBack, header, texts);
    const { columns, missing } = ourColumns(writeBack, grid, header, last);
    const view = { writeBack, grid, header, columns, placed };
    if (last === undefined) refuseTaken(view);
    const again = last === undefined ? [] : restore(view, last);
    strays ??= createStrays(view);
    // Rows are placed by cells that have to be right first.
    const all = again.length > 0 ? again : [...rowChanges(view, last), ...strays.in(view)];
    if (isRepeated(all, last)) {
      if (all.some((change) => isHeader(change, view))) throw unwritten(tab.title);
      return resultOf(writeBack, placed, made, restored);
    }
    const changes = withinOneCall(all);
    // What does not fit is found again as what is still missing.
    if (writes === 0) most += Math.ceil(all.length / changes.length) - 1;
    if (writes === most) throw unstable(tab.title);
    for (const change of again) restored.add(texts[header.row]?.[change.column] ?? '');
    const used = usedColumns(grid);
    const added = again.length > 0 ? 0 : missing.length;
    const grown = [
      ...columnRequest(tab.sheetId, grid, used, added),
      ...filterRequest(tab.sheetId, grid, used, added),
    ];
    if (grown.length > 0) for (const name of missing) made.set(name, columns.get(name) ?? 0);
    const answer = await client.update(
      spreadsheet.id,
      [...grown, ...cellRequests(tab.sheetId, changes)],
      // A second insertion of columns would not be the same as one.
      { repeatable: grown.length === 0, answer: { ranges, fields: ANSWER_FIELDS } },
    );
    strays.remember(changes);
    last = { before: grid, header, columns, changes, all: [...(last?.all ?? []), ...changes] };
    grid = gridOf(answer.updatedSpreadsheet, tab.sheetId) ?? (await read());
  }
}

function resultOf(
  { rows }: WriteBack,
  placed: readonly (number | undefined)[],
  made: ReadonlyMap<string, number>,
  restored: ReadonlySet<string>,
): WriteBackResult {
  const gone = rows.flatMap(({ rowNumber }, index) => (placed[index] === undefined ? [rowNumber] : []));
  const written = rows.length - gone.length;
  return { written, gone, made: [...made.keys()], ...(restored.size > 0 && { restored: [...restored] }) };
}

/**
 * Where our columns stand, or are going to stand, and which of them are still to be made. One that has lost its header, because rows moved and we wrote
 * over it or beside it, gets it again.
 */
function ourColumns(
  { columns: names }: WriteBack,
  grid: Grid,
  header: Header,
  last: Update | undefined,
): { readonly columns: ReadonlyMap<string, number>; readonly missing: readonly string[] } {
  const columns = new Map<string, number>();
  const missing: string[] = [];
  const width = usedColumns(grid);
  for (const name of names) {
    const before = last?.columns.get(name);
    const isLost = before !== undefined && isOursAt(cellAt(grid, header.row, before), before, last);
    const found = header.columns.get(foldName(name)) ?? (isLost ? before : undefined);
    columns.set(name, found ?? width + missing.length);
    if (found === undefined) missing.push(name);
  }
  return { columns, missing };
}

/** Whether a cell of a column holds nothing but what the updates wrote into that: rows may have moved at each of them. */
const isOursAt = ({ text }: GridCell, column: number, last: Update | undefined): boolean =>
  text === '' ||
  last?.all.some((change) => change.column === column && 'text' in change && change.text === text) === true;

/** The cells beside the rows that do not say yet what became of them, with the headers above them, and the notes. Nothing is begun where no row is found. */
function rowChanges(view: TabView, last: Update | undefined): readonly CellChange[] {
  const { writeBack, grid, header, columns, placed } = view;
  if (last === undefined && placed.every((row) => row === undefined)) return [];
  const headers = [...columns]
    .filter(([name, column]) => foldName(cellAt(grid, header.row, column).text) !== foldName(name))
    .map(([text, column]): CellChange => ({ row: header.row, column, text }));
  const noted = notedColumns(view);
  const cells = writeBack.rows.flatMap(({ values, notes }, index): readonly CellChange[] => {
    const row = placed[index];
    if (row === undefined) return [];
    const changes: CellChange[] = [];
    for (const [name, text] of Object.entries(values)) {
      const column = columns.get(name);
      if (column !== undefined && cellAt(grid, row, column).text !== text)
        changes.push({ row, column, text });
    }
    for (const { name, column } of noted) {
      const { note } = cellAt(grid, row, column);
      const message = Object.hasOwn(notes, name) ? notes[name] : undefined;
      const wanted = note === '' && message === undefined ? '' : withNote(note, message);
      if (wanted !== note) changes.push({ row, column, note: wanted });
    }
    return changes;
  });
  return [...headers, ...cells];
}

/** Cells of other columns that we wrote over, because columns moved between reading and writing: as they were before. */
function restore(
  { header, columns }: TabView,
  { before, header: old, changes }: Update,
): readonly CellChange[] {
  const ours = new Set(columns.values());
  const nameAt = new Map(Array.from(header.columns, ([name, column]) => [column, name]));
  return changes.flatMap((change): readonly CellChange[] => {
    const { row, column } = change;
    if (!('text' in change) || ours.has(column)) return [];
    const from = old.columns.get(nameAt.get(column) ?? '');
    const { text, entered } = from === undefined ? EMPTY : cellAt(before, row, from);
    return [{ row, column, entered: entered ?? (text === '' ? undefined : { stringValue: text }) }];
  });
}

/** Whether nothing is left but what was written already, which the tab only shows in another form. */
function isRepeated(changes: readonly CellChange[], last: Update | undefined): boolean {
  const done = new Set(last?.changes.map((change) => JSON.stringify(change)));
  return changes.every((change) => done.has(JSON.stringify(change)));
}

/** Whether a change gives one of our columns its header, which is shown as it is written. */
const isHeader = (change: CellChange, { header, columns }: TabView): boolean =>
  'text' in change && change.row === header.row && [...columns.values()].includes(change.column);

/** Errors: that of a doubt, where the tab confirms it. */
function refuseTaken({ writeBack: { doubts = [] }, grid, header }: TabView): void {
  for (const { column: name, words, errorOf } of doubts) {
    const column = header.columns.get(foldName(name));
    if (column === undefined) continue;
    const texts = grid.rows
      .slice(header.row + 1)
      .map((row) => row[column]?.text.trim() ?? '')
      .filter((text) => text !== '');
    const [text] = texts;
    if (text !== undefined && !texts.some((each) => words.has(each))) throw errorOf(text);
  }
}

function unwritten(title: string): UnavailableError {
  return new UnavailableError(
    'destination.unwritten',
    `tab "${title}": Google answered that the outcomes are written, and the tab does not have their columns`,
    { next: 'Push again: it writes what is missing.' },
  );
}

function unstable(title: string): UnavailableError {
  return new UnavailableError(
    'destination.unstable',
    `tab "${title}": its rows moved each time that the outcomes were written beside them, ${MAX_WRITES} times`,
    { next: 'Wait until nobody sorts or inserts rows, and push again: it writes what is missing.' },
  );
}
