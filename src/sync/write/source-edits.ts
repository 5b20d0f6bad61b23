import { readColumns, sourceHeader } from '../../mapping/bind.ts';
import type { PushMapping } from '../../mapping/mapping.ts';
import { shownLine, shownText } from '../../model/tables/cell.ts';
import { renderCountOf } from '../../model/count.ts';
import { ConfigError } from '../../model/error.ts';
import type { RunRow, RunRows } from '../../model/state/run-rows.ts';
import type { SourceTable, TableKind, TableLocation } from '../../model/tables/table.ts';
import { deferRows } from '../journal/unverified.ts';
import type { SyncPorts } from '../ports.ts';

/**
 * Reads a source that people may edit during a run again, just before its rows are sent, and defers every open row that does not stand there any more as
 * it was planned. Rows may have moved; columns that the mapping does not read do not count.
 * Errors: those of reading that a later try may not have, such as UnavailableError `google.*`; the rows stay open.
 */
export async function deferStaleRows(
  ports: Pick<SyncPorts, 'tables' | 'emit'>,
  mapping: PushMapping,
  rows: RunRows,
): Promise<void> {
  const { origin, location } = mapping.source;
  if (location.kind === 'weeks') return;
  const kind = ports.tables[location.kind];
  if (kind.reread === undefined || !(await hasWrites(mapping, rows))) return;
  const header = await rows.header(mapping.name);
  const { used } = readColumns(mapping, header);
  const lineOf = lineMaker(mapping, used, header);
  const there = await linesNow(ports, kind, location, mapping, used);
  let stale = 0;
  await deferRows(rows, mapping, (row) => {
    if (!isWritten(row) || row.lines.every((line) => there.has(lineOf(shownLine(line))))) return undefined;
    stale += 1;
    return [{ code: 'row-edited' }];
  });
  if (stale > 0) {
    const what = renderCountOf(stale, 'row was', 'rows were');
    const message = `${origin}: ${what} edited since the plan was made and not sent; the next push reads it again`;
    ports.emit({ kind: 'warning', message });
  }
}

const isWritten = ({ change }: RunRow): boolean => change === 'create' || change === 'update';

async function hasWrites({ name }: PushMapping, rows: RunRows): Promise<boolean> {
  const open = await rows.countChanges(name, true);
  return (open.get('create') ?? 0) + (open.get('update') ?? 0) > 0;
}

/** Makes one text of the cells of a line that the mapping reads. */
function lineMaker(
  mapping: PushMapping,
  used: readonly string[],
  header: readonly string[],
): (cells: readonly string[]) => string {
  const index = sourceHeader(mapping, header);
  const places = used.map((name) => index.find([name]) ?? -1);
  return (cells) => JSON.stringify(places.map((place) => cells[place] ?? ''));
}

/** The lines of the table as it is now; none when it is gone, or is no table any more. */
async function linesNow(
  { emit }: Pick<SyncPorts, 'emit'>,
  kind: TableKind,
  location: TableLocation,
  mapping: PushMapping,
  used: readonly string[],
): Promise<ReadonlySet<string>> {
  const { source, writeBack = {} } = mapping;
  const lines = new Set<string>();
  let table: SourceTable | undefined;
  try {
    table = await kind.reread?.(location, { ...source, written: Object.values(writeBack) });
    if (table === undefined) return lines;
    const lineOf = lineMaker(mapping, used, table.header);
    for await (const batch of table.batches())
      for (const { cells } of batch) lines.add(lineOf(cells.map(shownText)));
    return lines;
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    emit({ kind: 'warning', message: `${source.origin}: ${error.message}` });
    return new Set();
  } finally {
    await table?.close();
  }
}
