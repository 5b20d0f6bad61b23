import { InternalError, UsageError } from '../model/error.ts';
import type { TableKind } from '../model/table.ts';
import { writeXlsxReport } from './xlsx-write.ts';

/** XLSX workbooks: all tabs of one file are written together. */
export const xlsx: TableKind = {
  kind: 'xlsx',
  open: (_location, { origin }) =>
    Promise.reject(
      new UsageError(
        'source.not_yet',
        `${origin}: workbooks cannot be read yet; save the tab as CSV and name that file`,
      ),
    ),
  write: async (tabs) => {
    const location = tabs[0]?.location;
    if (location === undefined) return [];
    if (location.kind !== 'xlsx')
      throw new InternalError('table.kind', `a ${location.kind} location was given to the xlsx tables`);
    return writeXlsxReport(location.path, tabs);
  },
};
