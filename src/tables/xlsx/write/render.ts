import { writeXlsx, type WriteOptions } from 'hucre/xlsx';
import { textOf } from '../parts/part.ts';
import { COLOURS, quotedTab } from './style.ts';
import { openZip } from '../parts/zip.ts';
import { rewriteZip } from '../parts/zip-write.ts';

/** The name that a filter's range has in a workbook. */
export const FILTER_NAME = '_xlnm._FilterDatabase';

const BOOK = 'xl/workbook.xml';
const CHART = /^xl\/charts\/chart\d+\.xml$/;
const GRID_LINE = `<c:majorGridlines><c:spPr><a:ln w="6350"><a:solidFill><a:srgbClr val="${COLOURS.line}"/></a:solidFill></a:ln></c:spPr></c:majorGridlines>`;

/**
 * The bytes of a workbook as the library makes them, with what it has no option for: the hidden names of filters, without which LibreOffice shows none,
 * and quiet grid lines in charts.
 */
export async function renderWorkbook(workbook: WriteOptions): Promise<Uint8Array> {
  const filters = workbook.sheets.flatMap(({ name, autoFilter }) =>
    autoFilter === undefined
      ? []
      : [{ name: FILTER_NAME, range: `${quotedTab(name)}!${absolute(autoFilter.range)}`, scope: name }],
  );
  const made = await writeXlsx({ ...workbook, namedRanges: [...(workbook.namedRanges ?? []), ...filters] });
  const zip = await openZip(made, BOOK, Infinity);
  const changed = new Map<string, string>();
  if (filters.length > 0)
    changed.set(
      BOOK,
      (await textOf(zip, BOOK)).replace(/(?<= name="_xlnm\._FilterDatabase"[^>]*)(?=>)/g, ' hidden="1"'),
    );
  for (const { name } of zip.entries)
    if (CHART.test(name))
      changed.set(name, (await textOf(zip, name)).replaceAll('<c:majorGridlines/>', GRID_LINE));
  return changed.size === 0 ? made : rewriteZip(zip, changed);
}

/** `$A$1:$G$5` of `A1:G5`. */
const absolute = (range: string): string => range.replace(/[A-Z]+|\d+/g, '$$$&');
