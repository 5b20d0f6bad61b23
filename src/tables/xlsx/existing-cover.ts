import type { Highlight } from '../../model/tables/layout.ts';
import { readCoveredTabs, readHighlights, type CoveredTab } from '../cover-lines.ts';
import { plainValue, type Existing } from './existing.ts';
import { requirePart } from './parts/part.ts';
import { readRows } from './read/tab-rows.ts';
import { ownTab } from './memory.ts';

/** What stands on a cover and stays where its reports are not refreshed. */
export interface Covered {
  readonly tabs: readonly CoveredTab[];
  readonly highlights: readonly Highlight[];
}

/** A cover that says nothing yet. */
export const NOTHING_COVERED: Covered = { tabs: [], highlights: [] };

/** What the cover of a workbook says, its tabs without those that are gone; nothing when there is no such cover, or it is not ours. Errors: ConfigError `source.*`. */
export async function existingCover({ book, memory }: Existing, name: string | undefined): Promise<Covered> {
  const tab = book.tabs.find((one) => one.name.toLowerCase() === name?.toLowerCase());
  if (tab?.kind !== 'cells' || ownTab(memory, tab.name)?.columns !== 0) return NOTHING_COVERED;
  const cells: (readonly (string | number | boolean)[])[] = [];
  for await (const batch of readRows(book, requirePart(book.zip, tab.part)))
    for (const row of batch) cells.push(Array.from(row.cells, (cell) => plainValue(cell ?? '')));
  return {
    tabs: readCoveredTabs(cells, new Set(book.tabs.map((one) => one.name))),
    highlights: readHighlights(cells),
  };
}
