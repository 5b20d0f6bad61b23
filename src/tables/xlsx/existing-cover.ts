import { readCoveredTabs, type CoveredTab } from '../cover-lines.ts';
import { plainValue, type Existing } from './existing.ts';
import { requirePart } from './part.ts';
import { readRows } from './tab-rows.ts';

/** The tabs that the cover of a workbook names, without those that are gone; none when there is no such cover, or it is not ours. Errors: ConfigError `source.*`. */
export async function existingCover(
  { book, memory }: Existing,
  name: string | undefined,
): Promise<readonly CoveredTab[]> {
  const tab = book.tabs.find((one) => one.name.toLowerCase() === name?.toLowerCase());
  if (tab?.kind !== 'cells' || memory.get(tab.name)?.columns !== 0) return [];
  const cells: (readonly (string | number | boolean)[])[] = [];
  for await (const batch of readRows(book, requirePart(book.zip, tab.part)))
    for (const row of batch) cells.push(Array.from(row.cells, (cell) => plainValue(cell ?? '')));
  return readCoveredTabs(cells, new Set(book.tabs.map((one) => one.name)));
}
