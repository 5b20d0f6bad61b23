import type { Endpoint } from '../contract/endpoint.ts';
import { endpoints, type OperationId } from '../contract/index.ts';
import type { Wrap } from '../model/ports.ts';
import { isSuccess } from './classify.ts';
import { TransportError } from './transport-error.ts';

/** Beside lists, what tells whether a write was applied or is needed: counters, and what has no list. */
const WITNESSES: ReadonlySet<OperationId> = new Set(['get-account', 'get-points-config', 'get-player']);

/** Whether an older answer would prove of a write what is not so. */
function isWitness(operation: OperationId | undefined): boolean {
  if (operation === undefined) return false;
  const endpoint: Endpoint = endpoints[operation];
  return endpoint.paged === true || WITNESSES.has(operation);
}

/** How long an answer was kept, in seconds; each of several on the way may have said it. */
const ageOf = (header = ''): number => Math.max(0, ...header.split(',').map((age) => Number(age) || 0));

/**
 * Asks with each read that nothing on the way answers in the service's place. An answer that was kept all the same, which its `Age` in seconds tells, is none for
 * a witness of writes: TransportError `kept`. Its time is left out, for it is not the service's of now.
 */
export const withoutKept: Wrap = (next) => async (request) => {
  if (request.method !== 'GET') return next(request);
  const answer = await next({ ...request, headers: { ...request.headers, 'cache-control': 'no-cache' } });
  const { age, date: _, ...headers } = answer.headers;
  const seconds = ageOf(age);
  if (seconds === 0) return answer;
  if (isSuccess(answer.status) && isWitness(request.operation))
    throw new TransportError('kept', `a copy that something on the way had kept for ${seconds} s`);
  return { ...answer, headers };
};
