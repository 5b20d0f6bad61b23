import type { OperationId, PagedOperationId, QueryOf, RecordOf } from '../../contract/index.ts';
import { changedBy } from '../../model/changed-by.ts';
import type { Answer, CallInput, OnUnreadable, Service, Wholeness } from '../../model/service.ts';
import type { Keeper } from './keeper.ts';

/** The same service, whose answers a keeper sees before anybody else. A reading bears the time at which it was asked for, by the service's clock. */
export function keepingService(service: Service, keeper: Keeper): Service {
  return changedBy<Service>(service, {
    get: async <Id extends OperationId>(operation: Id, input: CallInput<Id> = {}): Promise<Answer<Id>> => {
      const { id, query } = input;
      const atMs = await keeper.nowMs();
      const answer = await service.get(operation, input);
      // What is kept says which record it is, whatever else it says.
      const others = answer.issues.flatMap(({ kept }) => (kept === undefined ? [] : [kept as RecordOf<Id>]));
      await keeper.see(operation, { id, query, atMs }, [...answer.records, ...others]);
      return answer;
    },
    list: async function* <Id extends PagedOperationId>(
      operation: Id,
      query?: QueryOf<Id>,
      signal?: AbortSignal,
      onUnreadable?: OnUnreadable,
      onEnd?: (wholeness: Wholeness) => void,
    ) {
      const atMs = await keeper.nowMs();
      for await (const page of service.list(operation, query, signal, onUnreadable, onEnd)) {
        await keeper.see(operation, { query, atMs }, page);
        yield page;
      }
    },
  });
}
