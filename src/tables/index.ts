import { ConfigError } from '../model/error.ts';
import type { TableKind, TableLocation } from '../model/tables/table.ts';
import type { SheetKind } from './google-sheets.ts';
import type { GoogleAccess } from './google/sheets-client.ts';
import type { Pipes } from './pipes.ts';

/** A kind of file whose code is loaded when it is first used, so that a command pays only for what it reads and writes. */
function lazy(kind: 'csv' | 'xlsx', load: () => Promise<TableKind>, fileOf: Pipes['fileOf']): TableKind {
  const inFile = async (location: TableLocation, origin: string): Promise<TableLocation> =>
    'path' in location ? { ...location, path: await fileOf(location.path, origin) } : location;
  return {
    kind,
    open: async (location, options) => (await load()).open(await inFile(location, options.origin), options),
    write: async (tabs) => (await load()).write(tabs),
    digestOf: async (location, origin) => (await load()).digestOf?.(await inFile(location, origin), origin),
  };
}

/** The same for Google Sheets: what is announced waits until the kind is loaded. */
function lazySheets(access: GoogleAccess): TableKind {
  const announced: (readonly TableLocation[])[] = [];
  let loaded: Promise<SheetKind> | undefined;
  let used: TableKind | undefined;
  const kind = async (): Promise<SheetKind> => {
    loaded ??= import('./google-sheets.ts').then(({ createSheetKind }) => createSheetKind(access));
    const made = await loaded;
    used = made;
    for (const locations of announced.splice(0)) made.announce(locations);
    return made;
  };
  return {
    kind: 'sheet',
    announce: (locations) => {
      announced.push(locations);
    },
    titleOf: (location) => used?.titleOf?.(location),
    open: async (location, options) => (await kind()).open(location, options),
    reread: async (location, options) => (await kind()).reread(location, options),
    write: async (tabs) => (await kind()).write(tabs),
    writeBack: async (location, writeBack) => (await kind()).writeBack(location, writeBack),
  };
}

const NO_GOOGLE: GoogleAccess = {
  client: () =>
    Promise.reject(
      new ConfigError('google.not_configured', 'Google Sheets are named, and no way to reach them was given'),
    ),
  tabs: { recall: () => Promise.resolve(undefined), remember: () => Promise.resolve() },
  warn: () => undefined,
};

/** The kinds of tables that a mapping may name; `google` opens Google Sheets when the first tab is read or written, `fileOf` gives a file for what is none. */
export function createTables(
  google: GoogleAccess = NO_GOOGLE,
  fileOf: Pipes['fileOf'] = (path) => Promise.resolve(path),
): Readonly<Record<TableLocation['kind'], TableKind>> {
  return {
    csv: lazy('csv', async () => (await import('./csv.ts')).csv, fileOf),
    xlsx: lazy('xlsx', async () => (await import('./xlsx.ts')).xlsx, fileOf),
    sheet: lazySheets(google),
  };
}
