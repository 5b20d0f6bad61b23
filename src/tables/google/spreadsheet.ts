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

/** Reads everything about a spreadsheet but its cells, in one call. Errors: those of {@link SheetsClient.spreadsheet}. */
export async function readSpreadsheet(client: SheetsClient, id: string): Promise<Spreadsheet> {
  const answer = await client.spreadsheet(id, FIELDS);
  return {
    id,
    title: answer.properties?.title ?? id,
    timezone: answer.properties?.timeZone ?? 'UTC',
    tabs: (answer.sheets ?? []).flatMap(({ properties, merges }): Tab[] => {
      const { gridProperties: grid } = properties ?? {};
      // A tab that is one chart has no grid.
      if (properties?.sheetId === undefined || properties.sheetId === null || grid === undefined) return [];
      return [
        {
          sheetId: properties.sheetId,
          title: properties.title ?? '',
          rowCount: grid.rowCount ?? 0,
          columnCount: grid.columnCount ?? 0,
          merges: merges ?? [],
        },
      ];
    }),
    answer,
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
