import type { Endpoint } from '../contract/endpoint.ts';
import { endpoints, type OperationId } from '../contract/index.ts';
import type { Wrap } from '../model/ports.ts';
import { isSuccess } from './classify.ts';
import { TransportError } from './transport-error.ts';

/** Lists and the account's counters tell whether a write was applied, so that an older one would prove what is not so. */
function isWitness(operation: OperationId | undefined): boolean {
  if (operation === undefined) return false;
  const endpoint: Endpoint = endpoints[operation];
  return endpoint.paged === true || operation === 'get-account';
}

/**
 * Asks with each read that nothing on the way answers in the service's place. An answer that was kept all the same, which its `Age` in seconds tells, is none for
 * a list or the account: TransportError `kept`. Its time is left out, for it is not the service's of now.
 */
export const withoutKept: Wrap = (next) => async (request) => {
  if (request.method !== 'GET') return next(request);
  const answer = await next({ ...request, headers: { ...request.headers, 'cache-control': 'no-cache' } });
  const { age, date: _, ...headers } = answer.headers;
  if (!(Number(age) > 0)) return answer;
  if (isSuccess(answer.status) && isWitness(request.operation))
    throw new TransportError('kept', `a copy that something on the way had kept for ${Number(age)} s`);
  return { ...answer, headers };
};
