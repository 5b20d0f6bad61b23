import type { PushMapping } from '../../mapping/mapping.ts';
import { RefusedError, UnavailableError } from '../../model/error.ts';
import type { KnownRecord, RunRow } from '../../model/state/run-rows.ts';
import { keyText, spellingOf } from '../../model/state/spelling.ts';
import type { ReadingPorts } from '../ports.ts';
import { readAll } from '../pulling/fan-out.ts';
import { NAMES_NOTHING } from '../pulling/read.ts';
import type { ReadKey } from './compare-live.ts';
import type { Actual, ActualReading } from './strategy.ts';

/** Records on one page of a list where nothing says how many there are. */
export const LIKELY_PAGE = 50;

/** A record without the text of its key, where it is that of the row in another spelling, or the row's own by its id. */
export function asSpelt(
  { key, id, fields }: RunRow,
  record: KnownRecord,
  resource: PushMapping['resource'],
): KnownRecord {
  const field = keyText(resource);
  if (field === undefined) return record;
  const [sent, kept] = [fields?.[field], record.values[field]];
  if (key === null || typeof sent !== 'string' || typeof kept !== 'string') return record;
  const isOwn = id !== null && record.id === id;
  if (sent === kept || !(isOwn || spellingOf([[sent, kept]]) !== undefined)) return record;
  const { [field]: _kept, ...digests } = record.digests;
  return { ...record, key, digests };
}

/** Reads row by row, a few at a time. */
export const oneByOne =
  ({ signal }: ReadingPorts, read: (row: RunRow) => Promise<Actual>): ActualReading['read'] =>
  (rows) =>
    readAll(signal, rows, read);

/** Reads what the service has of each key, but for rows of which that says nothing: `unseen` says why. */
export function readKeys(
  ports: ReadingPorts,
  readKey: ReadKey,
  requests: number,
  how: string,
  unseen: (row: RunRow) => string | undefined = () => undefined,
): ActualReading {
  const read = oneByOne(ports, async (row) => {
    const reason = unseen(row);
    if (reason !== undefined) return { kind: 'unreadable', reason };
    try {
      const record = await readKey(row.key ?? '');
      return record === undefined ? { kind: 'missing' } : { kind: 'record', record };
    } catch (error) {
      if (!(error instanceof UnavailableError) || !error.code.startsWith('points_config.')) throw error;
      return { kind: 'unreadable', reason: error.message };
    }
  });
  return { requests, how, read };
}

/** Undefined for what the service does not know. Errors: the others of reading. */
export async function orMissing<T>(read: () => Promise<T>): Promise<T | undefined> {
  try {
    return await read();
  } catch (error) {
    if (error instanceof RefusedError && NAMES_NOTHING.includes(error.status)) return undefined;
    throw error;
  }
}
