import type { PushMapping } from '../../../src/mapping/mapping.ts';
import type { ParsedRow } from '../../../src/mapping/rows.ts';
import { openXlsx } from '../../../src/tables/xlsx/read.ts';
import { parseTable, readTable, type ReadTable } from './csv-source.ts';

/** What one tab of a workbook of this content holds. Its name in messages is `season.xlsx tab "Users"`. */
export function readTab(content: Uint8Array, tab = 'Users', headerRow = 1): Promise<ReadTable> {
  const origin = `season.xlsx tab "${tab}"`;
  const options = { origin, headerRow, delimiter: 'auto', encoding: 'auto' };
  return readTable('season.xlsx', content, (path) => openXlsx(path, tab, options));
}

/** The rows of a tab, parsed with a mapping. */
export const parseTab = async (content: Uint8Array, mapping: PushMapping): Promise<readonly ParsedRow[]> =>
  parseTable(await readTab(content), mapping);
