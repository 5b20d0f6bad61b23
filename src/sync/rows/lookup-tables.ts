import { indexHeader, type HeaderIndex } from '../../mapping/header-index.ts';
import { isFileLookup, type LookupTable, type LookupTables } from '../../mapping/lookup.ts';
import type { Lookup, LookupFile, PushMapping } from '../../mapping/mapping.ts';
import { show } from '../../mapping/show.ts';
import { shownText, type Cell } from '../../model/cell.ts';
import { ConfigError } from '../../model/error.ts';
import { didYouMean, nearest } from '../../model/nearest.ts';
import type { SyncPorts } from '../ports.ts';

type Ports = Pick<SyncPorts, 'tables' | 'emit' | 'signal'>;

/** Texts that the nearest one is looked for among, and times that it is looked for. */
const MAX_NEAR_TEXTS = 2000;
const MAX_NEAR = 50;

const fileLookups = ({ columns }: PushMapping): readonly (Lookup & { readonly in: LookupFile })[] =>
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

interface FoundCell {
  readonly rowNumber: number;
  readonly cell: Cell;
}

async function readTable(
  ports: Ports,
  { in: file, match, take }: Lookup & { readonly in: LookupFile },
): Promise<LookupTable> {
  const table = await ports.tables[file.location.kind].open(file.location, file);
  try {
    const header = indexHeader(table.header, file, [...match, take]);
    const places = match.map((name) => columnAt(header, file, name));
    const takeAt = columnAt(header, file, take);
    for (const { message } of header.warnings())
      ports.emit({ kind: 'warning', message: `${file.origin}: ${message}` });
    const found = new Map<string, FoundCell[]>();
    const texts = new Set<string>();
    for await (const batch of table.batches()) {
      ports.signal.throwIfAborted();
      for (const { rowNumber, cells, issues } of batch) {
        for (const { message } of issues ?? [])
          ports.emit({ kind: 'warning', message: `${file.origin} row ${rowNumber}: ${message}` });
        const wanted = places.map((place) => plain(cells[place] ?? ''));
        const cell = cells[takeAt] ?? '';
        if (issues !== undefined || wanted.includes('')) continue;
        const name = JSON.stringify(wanted);
        const there = found.get(name) ?? [];
        // Rows that say the same twice leave no doubt.
        if (there.some((other) => shownText(other.cell) === shownText(cell))) continue;
        found.set(name, [...there, { rowNumber, cell }]);
        if (texts.size < MAX_NEAR_TEXTS && match.length === 1) texts.add(wanted[0] ?? '');
      }
    }
    let asked = 0;
    return {
      place: `${file.origin}, ${match.length === 1 ? 'column' : 'columns'} ${match.map(show).join(' + ')}`,
      find: (wanted) => found.get(JSON.stringify(wanted.map(plain))) ?? [],
      nearest: (wanted) => {
        asked += 1;
        const near = asked > MAX_NEAR ? undefined : nearest(wanted[0] ?? '', [...texts]);
        return near === undefined ? undefined : show(near);
      },
    };
  } finally {
    await table.close();
  }
}

/** The text of a cell as it is compared: without blanks around it, composed. */
const plain = (cell: Cell): string => shownText(cell).trim().normalize('NFC');

function columnAt(header: HeaderIndex, { origin, headerRow }: LookupFile, name: string): number {
  const index = header.find([name]);
  if (index !== undefined) return index;
  const { names } = header;
  throw new ConfigError(
    'header.missing',
    `${origin} row ${headerRow}: no column ${show(name)} (for a lookup)${didYouMean(name, names)}; the header has ${names.map(show).join(', ')}`,
    { file: origin, line: headerRow, next: 'Correct the header of the file, or the name in the lookup.' },
  );
}
