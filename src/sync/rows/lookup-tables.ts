import { indexHeader, type HeaderIndex } from '../../mapping/header-index.ts';
import { isFileLookup, type LookupTable, type LookupTables } from '../../mapping/lookup.ts';
import type { Lookup, LookupFile, PushMapping } from '../../mapping/mapping.ts';
import { rowsFor } from '../../mapping/row-filter.ts';
import { show } from '../../mapping/show.ts';
import { shownText, type Cell } from '../../model/tables/cell.ts';
import { ConfigError } from '../../model/error.ts';
import { didYouMean, nearest } from '../../model/nearest.ts';
import type { SourceTable } from '../../model/tables/table.ts';
import type { SyncPorts } from '../ports.ts';

type Ports = Pick<SyncPorts, 'tables' | 'emit' | 'signal'>;

/** Texts that the nearest one is looked for among, and times that it is looked for. */
const MAX_NEAR_TEXTS = 5000;
const MAX_NEAR = 50;

type FileLookup = Lookup & { readonly in: LookupFile };

const fileLookups = ({ columns }: PushMapping): readonly FileLookup[] =>
  columns === 'auto'
    ? []
    : columns.flatMap(({ lookup }) => (lookup !== undefined && isFileLookup(lookup) ? [lookup] : []));

/** The tables that a mapping looks cells up in. */
export const lookupFiles = (mapping: PushMapping): readonly LookupFile[] =>
  fileLookups(mapping).map((lookup) => lookup.in);

/** Reads the tables that a mapping looks cells up in, whole. Errors: ConfigError `source.*`, and `header.missing` where a column is not there. */
export async function readLookupTables(ports: Ports, mapping: PushMapping): Promise<LookupTables> {
  const tables = new Map<Lookup, LookupTable>();
  for (const lookup of fileLookups(mapping)) tables.set(lookup, await readTable(ports, lookup));
  return (lookup) => tables.get(lookup);
}

async function readTable(ports: Ports, lookup: FileLookup): Promise<LookupTable> {
  const { in: file } = lookup;
  try {
    const table = await ports.tables[file.location.kind].open(file.location, file);
    try {
      return await readRows(ports, lookup, table);
    } finally {
      await table.close();
    }
  } catch (error) {
    const isMissing = error instanceof ConfigError && /^source\.missing(_tab)?$/.test(error.code);
    if (file.optional !== true || !isMissing) throw error;
    return {
      place: `${file.origin}, which is not there yet (pull the report that writes it, or make it)`,
      find: () => [],
      nearest: () => undefined,
    };
  }
}

async function readRows(
  ports: Ports,
  { in: { headerRow }, match, matchAny, take }: FileLookup,
  table: SourceTable,
): Promise<LookupTable> {
  const { origin } = table;
  // One text for all columns of a way; of `match`, one for each.
  const ways = matchAny ?? [match];
  const columns = ways.map((names) => names.map(show).join(' + '));
  const place = { origin, headerRow };
  const header = indexHeader(table.header, place, [...ways.flat(), take]);
  const places = ways.map((names) => names.map((name) => columnAt(header, place, name)));
  const takeAt = columnAt(header, place, take);
  const used = new Set([...places.flat(), takeAt].map((at) => header.names[at] ?? ''));
  for (const { message } of header.warnings())
    ports.emit({ kind: 'warning', message: `${origin}: ${message}` });
  const nameOf = matchAny === undefined ? (texts: readonly string[]) => JSON.stringify(texts) : wordsOf;
  const widest = places.toSorted((one, other) => other.length - one.length)[0] ?? [];
  const found = new Map<string, ReturnType<LookupTable['find']>>();
  const texts = new Set<string>();
  for await (const batch of table.batches()) {
    ports.signal.throwIfAborted();
    for (const { rowNumber, cells, issues } of rowsFor(used, batch)) {
      for (const { message } of issues ?? [])
        ports.emit({ kind: 'warning', message: `${origin} row ${rowNumber}: ${message}` });
      if (issues !== undefined) continue;
      const cell = cells[takeAt] ?? '';
      const textsAt = (at: readonly number[]): readonly string[] =>
        at.map((place) => plain(cells[place] ?? ''));
      const whole = textsAt(widest).filter((text) => text !== '');
      const shown = matchAny && { shown: `${whole.join(' ')} (${plain(cell)})` };
      for (const way of places) {
        const wanted = textsAt(way);
        if (wanted.includes('')) continue;
        const name = nameOf(wanted);
        const there = found.get(name) ?? [];
        // Rows that say the same twice leave no doubt.
        if (there.some((other) => shownText(other.cell) === shownText(cell))) continue;
        found.set(name, [...there, { rowNumber, cell, ...shown }]);
        if (texts.size < MAX_NEAR_TEXTS && (matchAny !== undefined || match.length === 1))
          texts.add(wanted.join(' '));
      }
    }
  }
  let asked = 0;
  return {
    place: `${origin}, ${matchAny === undefined && match.length === 1 ? 'column' : 'columns'} ${columns.join(' or ')}`,
    find: (wanted) => found.get(nameOf(wanted.map(plain))) ?? [],
    nearest: (wanted) => {
      asked += 1;
      const near = asked > MAX_NEAR ? undefined : nearest(wanted[0] ?? '', [...texts]);
      return near === undefined ? undefined : show(near);
    },
  };
}

/** The words of a name, however they are written side by side: `Kane (Hill FC)`, `Kane, Hill FC` and `kane hill fc` are one. */
const wordsOf = (texts: readonly string[]): string =>
  texts
    .join(' ')
    .toLowerCase()
    .split(/[\p{P}\s]+/u)
    .filter((word) => word !== '')
    .join(' ');

/** The text of a cell as it is compared: without blanks around it, composed. */
const plain = (cell: Cell): string => shownText(cell).trim().normalize('NFC');

function columnAt(
  header: HeaderIndex,
  { origin, headerRow }: Pick<LookupFile, 'origin' | 'headerRow'>,
  name: string,
): number {
  const index = header.find([name]);
  if (index !== undefined) return index;
  const { names } = header;
  throw new ConfigError(
    'header.missing',
    `${origin} row ${headerRow}: no column ${show(name)} (for a lookup)${didYouMean(name, names)}; the header has ${names.map(show).join(', ')}`,
    { file: origin, line: headerRow, next: 'Correct the header of the file, or the name in the lookup.' },
  );
}
