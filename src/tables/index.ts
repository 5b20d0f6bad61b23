import { UsageError } from '../model/error.ts';
import type { TableKind, TableLocation } from '../model/table.ts';

/** A kind whose code is loaded when it is first used, so that a command pays only for what it reads and writes. */
function lazy(kind: TableLocation['kind'], load: () => Promise<TableKind>): TableKind {
  return {
    kind,
    open: async (location, options) => (await load()).open(location, options),
    write: async (tabs) => (await load()).write(tabs),
  };
}

const NO_SHEETS = 'Google Sheets is not there yet';

const sheet: TableKind = {
  kind: 'sheet',
  open: (_location, { origin }) =>
    Promise.reject(
      new UsageError('source.not_yet', `${origin}: ${NO_SHEETS}; download the tab as CSV and name that file`),
    ),
  write: () =>
    Promise.reject(
      new UsageError('destination.not_yet', `${NO_SHEETS}; write the report to a csv or xlsx destination`),
    ),
};

/** The kinds of tables that a mapping may name. */
export function createTables(): Readonly<Record<TableLocation['kind'], TableKind>> {
  return {
    csv: lazy('csv', async () => (await import('./csv.ts')).csv),
    xlsx: lazy('xlsx', async () => (await import('./xlsx.ts')).xlsx),
    sheet,
  };
}
