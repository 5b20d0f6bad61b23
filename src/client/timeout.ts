import type { Clock, Wrap } from '../model/ports.ts';
import { TransportError } from './transport-error.ts';

/**
 * Ends a request that has no whole answer after `timeoutMs` with TransportError `timeout`. The caller's signal ends a read at once, and never a
 * write: one that is under way is waited for, so that its result is known.
 */
export function timeout(clock: Clock, timeoutMs: number): Wrap {
  return (next) => async (request) => {
    const answered = new AbortController();
    const expired = new AbortController();
    const expiry = clock.sleep(timeoutMs, answered.signal).then(
      () => {
        const error = new TransportError('timeout', `no whole answer within ${timeoutMs / 1000} s`);
        expired.abort(error);
        throw error;
      },
      // The sleep was cut short because the answer is there: the race is over.
      () => new Promise<never>(() => undefined),
    );
    const signal =
      request.method === 'GET' && request.signal !== undefined
        ? AbortSignal.any([request.signal, expired.signal])
        : expired.signal;
    try {
      return await Promise.race([next({ ...request, signal }), expiry]);
    } finally {
      // Without a reason, an error is made with its stack for each request.
      answered.abort('answered');
    }
  };
}
