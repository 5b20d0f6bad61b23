import type { TableKind } from '../model/tables/table.ts';
import { writeSheetReports } from './google/report.ts';
import type { GoogleAccess } from './google/sheets-client.ts';
import { createSheetReader } from './google/source.ts';
import { createTabs, sheetOf } from './google/tabs.ts';
import { writeBackSheet } from './google/write-back.ts';

/** Sheets have no bytes that could be digested. */
export type SheetKind = Required<Omit<TableKind, 'digestOf'>>;

/** Tabs of Google spreadsheets. */
export function createSheetKind(access: GoogleAccess): SheetKind {
  const tabs = createTabs(access);
  const reader = createSheetReader(access, tabs);
  const titles = new Map<string, string>();
  return {
    kind: 'sheet',
    announce: reader.announce,
    open: (location, options) => reader.open(sheetOf(location), options),
    reread: (location, options) => reader.reread(sheetOf(location), options),
    write: (reports) => writeSheetReports(access, reports, ({ id, title }) => titles.set(id, title)),
    titleOf: (location) => titles.get(sheetOf(location).spreadsheet),
    writeBack: (location, writeBack) => writeBackSheet(access, sheetOf(location), writeBack, tabs),
  };
}
