import {
  countingFeature,
  endpoints,
  type PagedOperationId,
  type QueryOf,
  type RecordOf,
} from '../../contract/index.ts';
import { ListError } from '../../model/error.ts';
import { quotaUsed } from '../../model/quota.ts';
import { waitForMore } from '../evidence/full-list.ts';
import { confirmedBefore } from './evidence.ts';
import type { Read, ReadContext } from './read.ts';

/** A list of more records is written as it comes: it fails at its end, and is not read again. */
const MOST_KEPT = 50_000;

/**
 * All records of a paged operation, once they were compared with the account's counter and the records that this state has confirmed. A list that is shorter may
 * come late: it is read again until `settle` has passed since the pull began.
 * Errors: those of `Service.list`; ListError `list.unstable` for a list that stays too short.
 */
export function listRead<Id extends PagedOperationId>(operation: Id, query: QueryOf<Id>): Read<RecordOf<Id>> {
  return {
    name: `${operation} ${JSON.stringify(query)}`,
    needs: [],
    batches: async function* (context) {
      const most = Math.min(MOST_KEPT, context.limit);
      for (let attempt = 0; ; attempt += 1) {
        const pages: (readonly RecordOf<Id>[])[] = [];
        let isYielded = false;
        try {
          for await (const [page, done] of readOnce(operation, query, context, attempt)) {
            pages.push(page);
            if (done < most) continue;
            isYielded = true;
            yield* pages.splice(0);
          }
          yield* pages;
          return;
        } catch (error) {
          if (!(error instanceof ListError) || isYielded || error.isLasting) throw error;
          // What does not add up by itself was read again at once, so that once more is enough.
          if (attempt > 0 && !error.isLate) throw error;
          const reason = `${context.mapping}: ${error.message}`;
          if (!(await waitForMore(context, context.startedAtMs, attempt, reason))) throw error;
        }
      }
    },
  };
}

async function* readOnce<Id extends PagedOperationId>(
  operation: Id,
  query: QueryOf<Id>,
  context: ReadContext,
  attempt: number,
): AsyncGenerator<readonly [page: readonly RecordOf<Id>[], done: number]> {
  const { service, signal, emit, mapping } = context;
  const account = attempt === 0 ? context.counted : await service.account();
  const feature = countingFeature(operation);
  const isAll = Object.keys(query ?? {}).length === 0;
  // With a filter, nobody says how many there are.
  const used = feature !== undefined && isAll ? quotaUsed(account, feature) : undefined;
  const expected = confirmedBefore(operation, query, context);
  let done = 0;
  for await (const page of service.list(operation, query, signal)) {
    done += page.length;
    expected.see(page);
    const total = used !== undefined && used >= done ? { total: used } : {};
    emit({ kind: 'progress', mapping, done, ...total, unit: 'records' });
    yield [page, done];
  }
  const missing = await expected.missing();
  const short = Math.max((used ?? 0) - done, 0);
  if (short > 0)
    throw tooShort(operation, `shows ${done} of the ${used ?? 0} records that the account counts`, short);
  if (missing > 0)
    throw tooShort(operation, `lacks ${missing} of the records that were confirmed in the last day`, missing);
}

const tooShort = (operation: PagedOperationId, what: string, leftOut: number): ListError =>
  new ListError(`GET ${endpoints[operation].path} ${what}`, {
    leftOut,
    isLate: true,
    next: 'run the command again later; where it stays so, ask your provider what became of these records',
  });
