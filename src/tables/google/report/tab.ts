import type { sheets_v4 } from 'googleapis/build/src/apis/sheets/v4.js';
import { ConfigError } from '../../../model/error.ts';
import { freshId, type Note } from './memory.ts';
import type { GoogleAccess, SheetsClient, SheetValue } from '../sheets-client.ts';
import { findTab, NEW_GRID, rangeOf, type Spreadsheet, type Tab } from '../spreadsheet.ts';

/** A tab that a report writes to, as it stands before. */
export interface ExistingTab extends Omit<Tab, 'merges'> {
  /** It is not there yet, and this refresh makes it. */
  readonly isNew: boolean;
  /** Results of formulas, dates as serial numbers; trailing empty rows and cells are left out. */
  readonly cells: readonly (readonly SheetValue[])[];
  /** Its metadata; undefined when it is new. */
  readonly sheet: sheets_v4.Schema$Sheet | undefined;
}

/** The requests of a refresh, by the order in which they are sent: an interruption between two calls leaves old surplus rows at most. */
export interface Requests {
  /** Makes tabs, rows and columns. */
  readonly make: sheets_v4.Schema$Request[];
  readonly write: sheets_v4.Schema$Request[];
  readonly look: sheets_v4.Schema$Request[];
  /** Clears what was there and is not any more. */
  readonly trim: sheets_v4.Schema$Request[];
  /** What the next refresh has to know. */
  readonly notes: Note[];
}

const TITLE_CHARACTERS_MAX = 100;

/**
 * Finds the tabs of a refresh by their names, or their ids when they were renamed, and reads the cells of those that are there in one call. A tab
 * that is not there gets an id to be made with. Errors: ConfigError `destination.tab` for a name that cannot be one; those of the client.
 */
export async function readTabs(
  access: GoogleAccess,
  client: SheetsClient,
  spreadsheet: Spreadsheet,
  names: ReadonlySet<string>,
  taken: Set<number>,
): Promise<ReadonlyMap<string, ExistingTab>> {
  const found = new Map<string, ExistingTab>();
  for (const name of names) {
    const tab = await findTab(access, spreadsheet, name);
    if (tab === undefined) checkNewTitle(spreadsheet, name);
    found.set(name, {
      sheetId: tab?.sheetId ?? freshId(`tab ${name}`, taken),
      title: tab?.title ?? name,
      isNew: tab === undefined,
      rowCount: tab?.rowCount ?? 0,
      columnCount: tab?.columnCount ?? 0,
      cells: [],
      sheet: spreadsheet.answer.sheets?.find(({ properties }) => properties?.sheetId === tab?.sheetId),
    });
  }
  const standing = [...found].filter(([, { isNew }]) => !isNew);
  if (standing.length === 0) return found;
  const ranges = standing.map(([, { title }]) => rangeOf(title));
  const values = await client.values(spreadsheet.id, ranges, 'UNFORMATTED_VALUE');
  standing.forEach(([name, tab], index) => found.set(name, { ...tab, cells: values[index]?.rows ?? [] }));
  return found;
}

function checkNewTitle({ title, tabs }: Spreadsheet, name: string): void {
  const like = tabs.find((tab) => tab.title.toLowerCase() === name.toLowerCase());
  if (like !== undefined)
    throw new ConfigError(
      'destination.tab',
      `spreadsheet "${title}" has a tab "${like.title}", and Google Sheets does not tell "${name}" from it`,
      { next: `Write "${like.title}" in the mapping, or rename that tab.` },
    );
  if (name.trim() === '' || name.length > TITLE_CHARACTERS_MAX)
    throw new ConfigError(
      'destination.tab',
      `"${name}" cannot be the name of a tab: 1 to ${TITLE_CHARACTERS_MAX} characters`,
    );
}

/** The size of a tab's grid. */
export type Grid = Pick<Tab, 'rowCount' | 'columnCount'>;

/** The size of a tab once it has room for `rows` and `columns`; never less than it is. */
export function grownGrid(tab: ExistingTab, rows: number, columns: number): Grid {
  const least = tab.isNew ? NEW_GRID : tab;
  return { rowCount: Math.max(least.rowCount, rows), columnCount: Math.max(least.columnCount, columns) };
}

/** The requests that make a tab, or its grid larger; `properties` are those of a new one beside its name. */
export function makeTab(
  tab: ExistingTab,
  { rowCount, columnCount }: Grid,
  { index, hideGridlines }: { readonly index?: number; readonly hideGridlines?: boolean } = {},
): sheets_v4.Schema$Request[] {
  const { sheetId, title } = tab;
  if (tab.isNew) {
    const gridProperties = { rowCount, columnCount, ...(hideGridlines === true && { hideGridlines }) };
    return [
      { addSheet: { properties: { sheetId, title, gridProperties, ...(index !== undefined && { index }) } } },
    ];
  }
  if (rowCount === tab.rowCount && columnCount === tab.columnCount) return [];
  return [
    {
      updateSheetProperties: {
        properties: { sheetId, gridProperties: { rowCount, columnCount } },
        fields: 'gridProperties.rowCount,gridProperties.columnCount',
      },
    },
  ];
}
