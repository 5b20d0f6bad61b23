import { InternalError } from '../model/error.ts';
import type { TableKind, TableLocation } from '../model/tables/table.ts';
import { digestCsv, openCsv } from './csv/read.ts';
import { writeCsvReport } from './csv/write.ts';

function pathOf(location: TableLocation): string {
  if (location.kind === 'csv') return location.path;
  throw new InternalError('table.kind', `a ${location.kind} location was given to the csv tables`);
}

/** CSV files: one table a file. */
export const csv: TableKind = {
  kind: 'csv',
  open: (location, options) => openCsv(pathOf(location), options),
  digestOf: (location, origin) => digestCsv(pathOf(location), origin),
  write: async (tabs) => {
    const counts: number[] = [];
    for (const { location, table, options } of tabs)
      counts.push(await writeCsvReport(pathOf(location), table, options));
    return counts;
  },
};
