import type { sheets_v4 } from 'googleapis/build/src/apis/sheets/v4.js';
import type { GoogleAccess, SheetsClient } from './sheets-client.ts';

/** One tab as Google numbers it; its name may change at any time, its id never does. */
export interface Tab {
  readonly sheetId: number;
  readonly title: string;
  readonly rowCount: number;
  readonly columnCount: number;
  readonly merges: readonly sheets_v4.Schema$GridRange[];
}

/** A spreadsheet without its cells. */
export interface Spreadsheet {
  readonly id: string;
  readonly title: string;
  /** IANA name; dates in cells are wall-clock times of this zone. */
  readonly timezone: string;
  readonly tabs: readonly Tab[];
  /** The whole answer, for what only some readers need. */
  readonly answer: sheets_v4.Schema$Spreadsheet;
}

const FIELDS =
  'spreadsheetId,properties(title,timeZone,locale),sheets(properties,merges,basicFilter,conditionalFormats,charts(chartId),developerMetadata)';

/** The grid of a new tab at Google; a tab whose size an answer leaves out counts as one. */
export const NEW_GRID = { rowCount: 1000, columnCount: 26 } as const;

/** Reads everything about a spreadsheet but its cells, in one call. Errors: those of {@link SheetsClient.spreadsheet}. */
export async function readSpreadsheet(client: SheetsClient, id: string): Promise<Spreadsheet> {
  const answer = await client.spreadsheet(id, FIELDS);
  // The first tab has the id 0, which JSON may leave out.
  const sheets = (answer.sheets ?? []).map(({ properties, ...sheet }) => ({
    ...sheet,
    properties: { ...properties, sheetId: properties?.sheetId ?? 0 },
  }));
  return {
    id,
    title: answer.properties?.title ?? id,
    timezone: answer.properties?.timeZone ?? 'UTC',
    tabs: sheets.flatMap(({ properties, merges }): Tab[] => {
      // A tab that is one chart has no grid.
      if ((properties.sheetType ?? 'GRID') !== 'GRID') return [];
      const { sheetId, title, gridProperties: grid } = properties;
      const rowCount = grid?.rowCount ?? NEW_GRID.rowCount;
      const columnCount = grid?.columnCount ?? NEW_GRID.columnCount;
      return [{ sheetId, title: title ?? '', rowCount, columnCount, merges: merges ?? [] }];
    }),
    answer: { ...answer, sheets },
  };
}

/**
 * The tab that a mapping names, by its name or, when somebody renamed it, by the id that was remembered for that name; undefined when there is
 * neither. Remembers the id.
 */
export async function findTab(
  { tabs: memory, warn }: Pick<GoogleAccess, 'tabs' | 'warn'>,
  { id, tabs, title }: Spreadsheet,
  name: string,
): Promise<Tab | undefined> {
  const named = tabs.find((tab) => tab.title === name);
  const known = await memory.recall(id, name);
  if (named !== undefined) {
    if (known !== named.sheetId) await memory.remember(id, name, named.sheetId);
    return named;
  }
  const renamed = tabs.find(({ sheetId }) => sheetId === known);
  if (renamed !== undefined)
    warn(
      `spreadsheet "${title}": the tab "${name}" is called "${renamed.title}" by now and was found by its id; change the name in the mapping`,
    );
  return renamed;
}

/** `'Q1 ''25'!A2:C`: a range of a tab; `cells` is left out for the whole tab. */
export function rangeOf(title: string, cells?: string): string {
  const tab = `'${title.replaceAll("'", "''")}'`;
  return cells === undefined ? tab : `${tab}!${cells}`;
}
