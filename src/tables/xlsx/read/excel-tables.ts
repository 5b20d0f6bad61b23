import { scanPart, requirePart } from '../parts/part.ts';
import { readRelations } from '../parts/package.ts';
import type { Zip } from '../parts/zip.ts';
import { parseReference } from './rows.ts';

/** A table of Excel's, which has a part of its own and a name that formulas know. Columns are counted from 0, rows from 1. */
export interface ExcelTable {
  readonly part: string;
  readonly name: string;
  readonly reference: string;
  readonly columns: { readonly first: number; readonly last: number };
  readonly rows: { readonly first: number; readonly last: number };
  readonly hasHeader: boolean;
  readonly hasTotals: boolean;
}

/** The tables on a tab that reach into its first `columns`. Errors: ConfigError `source.damaged`. */
export async function readExcelTables(
  zip: Zip,
  tab: string,
  columns: number,
): Promise<readonly ExcelTable[]> {
  const tables: ExcelTable[] = [];
  for (const { kind, target } of await readRelations(zip, tab)) {
    if (kind !== 'table') continue;
    await scanPart(zip, requirePart(zip, target), {
      open: (name, attributes) => {
        if (name !== 'table') return;
        const reference = attributes['ref'] ?? '';
        const [from, to] = reference.split(':').map(parseReference);
        if (from === undefined || to === undefined || from.column >= columns) return;
        tables.push({
          ...{ part: target, reference, name: attributes['displayName'] ?? '' },
          columns: { first: from.column, last: to.column },
          rows: { first: from.row + 1, last: to.row + 1 },
          hasHeader: attributes['headerRowCount'] !== '0',
          hasTotals: Number(attributes['totalsRowCount'] ?? 0) > 0,
        });
      },
    });
  }
  return tables;
}
