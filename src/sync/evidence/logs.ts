import type { QueryOf, RecordOf } from '../../contract/index.ts';
import { RefusedError } from '../../model/error.ts';
import type { Wholeness } from '../../model/service.ts';
import type { SyncPorts } from '../ports.ts';
import { isUnlistable } from './full-list.ts';

type LogOperation = 'list-prices' | 'list-auto-substitutions';

/** A log that the service keeps of what was done. */
export interface Log<Id extends LogOperation> {
  readonly count: number;
  /** Pages that were read. */
  readonly pages: number;
  /** Left out where the log is too long to be read for each write: only its length is known then. */
  readonly records?: readonly RecordOf<Id>[];
}

/** Pages that a log may have to be read whole. */
const MOST_PAGES = 20;

/**
 * Reads a log; undefined where its length cannot be told: a service that states no totals may show a part of it.
 * Errors: those of reading, but for a log that is refused or does not add up. `wasRead`: of a log that was read before, a refusal alone is no error.
 */
export async function readLog<Id extends LogOperation>(
  ports: Pick<SyncPorts, 'service' | 'signal'>,
  operation: Id,
  query: QueryOf<Id>,
  wasRead = false,
): Promise<Log<Id> | undefined> {
  try {
    return await read(ports, operation, query);
  } catch (error) {
    if (!isUnlistable(error) || (wasRead && !(error instanceof RefusedError))) throw error;
    return undefined;
  }
}

async function read<Id extends LogOperation>(
  { service, signal }: Pick<SyncPorts, 'service' | 'signal'>,
  operation: Id,
  query: QueryOf<Id>,
): Promise<Log<Id> | undefined> {
  const first = await service.get(operation, { query, signal });
  const onPage = first.records.length + first.issues.length;
  if (onPage === 0) return { count: 0, pages: 1, records: [] };
  const total = first.paging?.total ?? 0;
  // A total that is larger than every page is no count of pages, nor of this page.
  if (total > MOST_PAGES * onPage) return { count: total, pages: 1 };
  const records: RecordOf<Id>[] = [];
  let pages = 0;
  const wholeness: Wholeness[] = [];
  const list = service.list(operation, query, signal, 'fail', (found) => wholeness.push(found));
  for await (const page of list) {
    pages += 1;
    if (pages > MOST_PAGES) return undefined;
    records.push(...page);
  }
  return wholeness.includes('stated') ? { count: records.length, pages, records } : undefined;
}

/**
 * The first and the last of the records of a long log of substitutions that came after the first `found` of them, whichever end of the log is the newer one: by `timeMs`, in
 * milliseconds. None where the log tells no times, or is in no order.
 */
export async function readSince(
  { service, signal }: Pick<SyncPorts, 'service' | 'signal'>,
  query: QueryOf<'list-auto-substitutions'>,
  found: number,
  timeMs: (record: RecordOf<'list-auto-substitutions'>) => number,
): Promise<readonly number[]> {
  const operation = 'list-auto-substitutions';
  const pages = new Map<number, Promise<readonly number[]>>();
  const read = async (page: number): Promise<readonly number[]> => {
    const answer = await service.get(operation, { query: { ...query, page }, signal });
    return answer.records.map(timeMs);
  };
  const pageOf = (page: number): Promise<readonly number[]> => {
    const times = pages.get(page) ?? read(page);
    pages.set(page, times);
    return times;
  };
  const { records, paging } = await service.get(operation, { query, signal });
  const [onPage, total] = [records.length, paging?.total ?? 0];
  if (onPage === 0 || total <= found) return [];
  pages.set(1, Promise.resolve(records.map(timeMs)));
  const at = async (index: number): Promise<number> =>
    (await pageOf(1 + Math.floor(index / onPage)))[index % onPage] ?? NaN;
  const [start, end] = [await at(0), await at(total - 1)];
  if (start === end || Number.isNaN(start) || Number.isNaN(end)) return [];
  return start < end ? [await at(found), end] : [await at(total - found - 1), start];
}

/** The requests that reading a log costs, told by its first page; `isGrown`: something is logged until it is read. */
export async function logCost<Id extends LogOperation>(
  { service, signal }: Pick<SyncPorts, 'service' | 'signal'>,
  operation: Id,
  query: QueryOf<Id>,
  isGrown = false,
): Promise<number> {
  try {
    const first = await service.get(operation, { query, signal });
    const onPage = first.records.length + first.issues.length;
    if (onPage === 0) return isGrown ? 2 : 1;
    const pages = Math.ceil((first.paging?.total ?? onPage) / onPage);
    return pages > MOST_PAGES ? 1 : 1 + Math.max(1, pages);
  } catch (error) {
    if (!isUnlistable(error)) throw error;
    return 1;
  }
}
