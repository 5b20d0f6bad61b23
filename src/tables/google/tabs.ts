import { ConfigError, InternalError } from '../../model/error.ts';
import { listed } from '../../model/listed.ts';
import { nearest } from '../../model/nearest.ts';
import type { TableLocation } from '../../model/tables/table.ts';
import type { GoogleAccess } from './sheets-client.ts';
import { findTab, readSpreadsheet, type Spreadsheet, type Tab } from './spreadsheet.ts';

/** A tab as a mapping names it. */
export type SheetLocation = Extract<TableLocation, { kind: 'sheet' }>;

/** A location that surely is a tab. Errors: InternalError `table.kind`. */
export function sheetOf(location: TableLocation): SheetLocation {
  if (location.kind === 'sheet') return location;
  throw new InternalError('table.kind', `a ${location.kind} location was given to the Google Sheets tables`);
}

/** A tab that was found, in its spreadsheet. */
export interface FoundTab {
  readonly spreadsheet: Spreadsheet;
  readonly tab: Tab;
}

/** Finds tabs; each spreadsheet is asked about once until it is forgotten. */
export interface Tabs {
  /** Errors: ConfigError `source.missing_tab`; those of `SheetsClient.spreadsheet`. */
  readonly find: (location: Pick<SheetLocation, 'spreadsheet' | 'tab'>) => Promise<FoundTab>;
  readonly forget: (spreadsheetId: string) => void;
  /**
   * What `use` makes of tabs. A tab that was renamed since its spreadsheet was asked about makes Google refuse the range: it is then asked about once more.
   */
  readonly withTabs: <T>(
    spreadsheetId: string,
    names: readonly string[],
    use: (found: readonly FoundTab[]) => Promise<T>,
  ) => Promise<T>;
}

export function createTabs(access: GoogleAccess): Tabs {
  const spreadsheets = new Map<string, Promise<Spreadsheet>>();
  const read = (id: string): Promise<Spreadsheet> => {
    const known = spreadsheets.get(id);
    if (known !== undefined) return known;
    const asked = access.client().then((client) => readSpreadsheet(client, id));
    spreadsheets.set(id, asked);
    return asked;
  };
  const forget = (id: string): void => {
    spreadsheets.delete(id);
  };
  const find: Tabs['find'] = async ({ spreadsheet: id, tab: name }) => {
    const spreadsheet = await read(id);
    const tab = await findTab(access, spreadsheet, name);
    if (tab === undefined) throw missingTab(spreadsheet, name);
    return { spreadsheet, tab };
  };
  return {
    find,
    forget,
    withTabs: async (id, names, use) => {
      const found = (): Promise<readonly FoundTab[]> =>
        Promise.all(names.map((tab) => find({ spreadsheet: id, tab })));
      const first = await found();
      try {
        return await use(first);
      } catch (error) {
        if (!(error instanceof ConfigError)) throw error;
        forget(id);
        const again = await found();
        if (again.every(({ tab }, index) => tab.title === first[index]?.tab.title)) throw error;
        return use(again);
      }
    },
  };
}

function missingTab({ title, tabs }: Spreadsheet, name: string): ConfigError {
  const titles = tabs.map((tab) => tab.title);
  const shown = listed(titles.map((each) => `"${each}"`));
  const close = nearest(name, titles);
  return new ConfigError(
    'source.missing_tab',
    `spreadsheet "${title}": no tab "${name}"; it has ${shown}${close === undefined ? '' : `; nearest: "${close}"`}`,
    { file: title, next: 'Correct the name of the tab in the mapping.' },
  );
}
