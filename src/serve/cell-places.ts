import type { Store } from '../model/state/store.ts';
import { columnLetters } from '../model/tables/column-letters.ts';
import type { CellPlace } from '../pages/dashboard/values.ts';
import { knownTab } from '../runtime/google.ts';
import type { KeptOfRun } from '../runtime/history.ts';

/** Where the cells of a row stand that these columns name; the row where none is known. Nothing where its table is not known. */
export async function cellPlaces(
  store: Pick<Store, 'fact'>,
  { mapping, header }: Pick<KeptOfRun, 'mapping' | 'header'>,
  row: number,
  columns: readonly string[],
): Promise<readonly CellPlace[]> {
  if (mapping === undefined) return [];
  const { location, origin } = mapping.source;
  const letters = [...new Set(columns)].map((name) => header.indexOf(name)).filter((index) => index !== -1);
  const cells = letters.length === 0 ? [undefined] : letters.map((index) => `${columnLetters(index)}${row}`);
  const sheet = location.kind === 'sheet' ? location : undefined;
  const gid = sheet && (await knownTab(store, sheet.spreadsheet, sheet.tab));
  return cells.map((cell) => ({
    text: `${origin} ${cell ?? `row ${row}`}`,
    href: sheet && sheetAddress(sheet.spreadsheet, gid, cell ?? `${row}:${row}`),
  }));
}

/** Where the tab's own id is not known, the spreadsheet opens at its first tab. */
function sheetAddress(spreadsheet: string, gid: number | undefined, range: string): string {
  const address = `https://docs.google.com/spreadsheets/d/${encodeURIComponent(spreadsheet)}/edit`;
  return gid === undefined ? address : `${address}#gid=${gid}&range=${range}`;
}
