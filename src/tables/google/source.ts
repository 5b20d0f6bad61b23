import { ConfigError } from '../../model/error.ts';
import { foldName } from '../../model/fold-name.ts';
import { holdsNothing, shownText, type Cell } from '../../model/tables/cell.ts';
import type { ReadOptions, SourceRow, SourceTable, TableLocation } from '../../model/tables/table.ts';
import { checkHeader, noHeader } from '../header.ts';
import { gridRows, type Merge } from '../grid-rows.ts';
import { readShown, readTabs, type TabCells } from './read-tabs.ts';
import type { GoogleAccess, SheetsClient } from './sheets-client.ts';
import { columnLetters } from '../../model/tables/column-letters.ts';
import type { Tab } from './spreadsheet.ts';
import type { SheetLocation, Tabs } from './tabs.ts';

/** Reads tabs: the spreadsheets that were announced are read once, all their tabs in one call. */
export interface SheetReader {
  /** What a run is going to open; what was read of these spreadsheets before is read again. */
  readonly announce: (locations: readonly TableLocation[]) => void;
  /**
   * Errors: ConfigError `source.missing_tab`, `source.columns`, `header.*`; UnavailableError `source.unstable`; those of the client.
   */
  readonly open: (location: SheetLocation, options: ReadOptions) => Promise<SourceTable>;
  /** The same tab as it is shown now, in one call; every cell is a text. */
  readonly reread: (location: SheetLocation, options: ReadOptions) => Promise<SourceTable>;
}

interface Announced {
  readonly names: Set<string>;
  /** Without those that are not there, which keep nobody from reading the others. */
  cells?: Promise<ReadonlyMap<string, TabCells>>;
}

export function createSheetReader(access: GoogleAccess, tabs: Tabs): SheetReader {
  const announced = new Map<string, Announced>();
  const readTogether = async (
    client: SheetsClient,
    spreadsheet: string,
    names: readonly string[],
  ): Promise<ReadonlyMap<string, TabCells>> => {
    try {
      const cells = await readTabs(client, tabs, spreadsheet, names);
      return new Map(cells.map((each, index) => [names[index] ?? '', each]));
    } catch (error) {
      if (!isMissingTab(error)) throw error;
      const there: string[] = [];
      for (const tab of names) if (await isThere(tabs, { kind: 'sheet', spreadsheet, tab })) there.push(tab);
      return there.length === 0 ? new Map() : readTogether(client, spreadsheet, there);
    }
  };
  const cellsOf = async ({ spreadsheet, tab }: SheetLocation): Promise<TabCells | undefined> => {
    const client = await access.client();
    const together = announced.get(spreadsheet);
    if (together?.names.has(tab) === true) {
      together.cells ??= readTogether(client, spreadsheet, [...together.names]);
      const cells = (await together.cells).get(tab);
      if (cells !== undefined) return cells;
    }
    return (await readTabs(client, tabs, spreadsheet, [tab]))[0];
  };
  return {
    announce: (locations) => {
      const sheets = locations.filter((location) => location.kind === 'sheet');
      for (const { spreadsheet } of sheets) {
        announced.delete(spreadsheet);
        tabs.forget(spreadsheet);
      }
      for (const { spreadsheet, tab } of sheets) {
        const together = announced.get(spreadsheet) ?? { names: new Set() };
        together.names.add(tab);
        announced.set(spreadsheet, together);
      }
    },
    open: async (location, options) => {
      const cells = await cellsOf(location);
      if (cells === undefined) throw noHeader(options, undefined, 'tab');
      return tableOf(cells.rows, cells.tab.merges, cells.spreadsheet.timezone, options);
    },
    reread: async ({ spreadsheet, tab: name }, options) => {
      const client = await access.client();
      return tabs.withTabs(spreadsheet, [name], async ([found]) => {
        const rows = found === undefined ? [] : await readShown(client, spreadsheet, found.tab);
        return tableOf(rows, [], found?.spreadsheet.timezone, options);
      });
    },
  };
}

const isMissingTab = (error: unknown): boolean =>
  error instanceof ConfigError && error.code === 'source.missing_tab';

async function isThere(tabs: Tabs, location: SheetLocation): Promise<boolean> {
  try {
    await tabs.find(location);
    return true;
  } catch (error) {
    if (isMissingTab(error)) return false;
    throw error;
  }
}

type Rows = readonly (readonly Cell[])[];

/** A tab as a table: the header is checked, and everything under it is there already. */
function tableOf(
  rows: Rows,
  merges: Tab['merges'],
  timezone: string | undefined,
  options: ReadOptions,
): SourceTable {
  const { origin, headerRow } = options;
  const texts = (rows[headerRow - 1] ?? []).map(shownText);
  const width = texts.findLastIndex((text) => text.trim() !== '') + 1;
  if (width === 0) {
    const filled = rows.findIndex((row, index) => index >= headerRow && !holdsNothing(row));
    throw noHeader(options, filled === -1 ? undefined : filled + 1, 'tab');
  }
  const place = { origin, rowNumber: headerRow, line: headerRow };
  const header = checkHeader(texts.slice(0, width), place);
  const written = new Set(options.written?.map(foldName));
  const writtenFrom = header.findLastIndex((name) => name !== '' && !written.has(foldName(name))) + 1;
  const toRow = gridRows(header, mergesOf(merges), options, writtenFrom);
  const body = rows.slice(headerRow).flatMap((cells, index): readonly SourceRow[] => {
    if (holdsNothing(cells)) return [];
    return [toRow(headerRow + 1 + index, cells)];
  });
  return {
    origin,
    header,
    warnings: [],
    timezone,
    async *batches() {
      await Promise.resolve();
      for (let at = 0; at < body.length; at += BATCH) yield body.slice(at, at + BATCH);
    },
    close: () => Promise.resolve(),
  };
}

const BATCH = 2000;
/** Google's merges as ours; an end that it leaves out is the grid's. */
function mergesOf(merges: Tab['merges']): readonly Merge[] {
  return merges.map((merge) => {
    const firstRow = merge.startRowIndex ?? 0;
    const firstColumn = merge.startColumnIndex ?? 0;
    const lastRow = (merge.endRowIndex ?? Infinity) - 1;
    const lastColumn = (merge.endColumnIndex ?? Infinity) - 1;
    const reference = `${columnLetters(firstColumn)}${firstRow + 1}:${columnLetters(lastColumn)}${lastRow + 1}`;
    return { reference, firstRow, lastRow, firstColumn, lastColumn };
  });
}
