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

/** The requests that reading a log costs, told by its first page. */
export async function logCost<Id extends LogOperation>(
  { service, signal }: Pick<SyncPorts, 'service' | 'signal'>,
  operation: Id,
  query: QueryOf<Id>,
): Promise<number> {
  try {
    const first = await service.get(operation, { query, signal });
    const onPage = first.records.length + first.issues.length;
    if (onPage === 0) return 1;
    const pages = Math.ceil((first.paging?.total ?? onPage) / onPage);
    return pages > MOST_PAGES ? 1 : 1 + Math.max(1, pages);
  } catch (error) {
    if (!isUnlistable(error)) throw error;
    return 1;
  }
}
