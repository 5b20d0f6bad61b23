import { InternalError } from '../model/error.ts';
import type { TableKind, TableLocation } from '../model/tables/table.ts';
import { openXlsx } from './xlsx/read.ts';
import { writeXlsxReport } from './xlsx/write.ts';

type Workbook = Extract<TableLocation, { kind: 'xlsx' }>;

function workbookOf(location: TableLocation): Workbook {
  if (location.kind === 'xlsx') return location;
  throw new InternalError('table.kind', `a ${location.kind} location was given to the xlsx tables`);
}

/** XLSX workbooks: all tabs of one file are written together. */
export const xlsx: TableKind = {
  kind: 'xlsx',
  open: (location, options) => {
    const { path, tab } = workbookOf(location);
    return openXlsx(path, tab, options);
  },
  write: async (tabs) => {
    const location = tabs[0]?.location;
    return location === undefined ? [] : writeXlsxReport(workbookOf(location).path, tabs);
  },
};
