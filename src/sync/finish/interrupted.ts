import { EXIT, IncompleteError, InterruptedError } from '../../model/error.ts';

/** The stop of a signal with what is done and what is not; any other error, and a stop that says it already, comes back as it is. */
export function interruptedAt<T>(stop: T, what: string, next?: string): T | InterruptedError {
  if (!(stop instanceof InterruptedError) || stop.done !== undefined) return stop;
  const signal = stop.exitCode === EXIT.interrupted ? 'SIGINT' : 'SIGTERM';
  return new InterruptedError(signal, stop.message, { next: stop.next ?? next, done: what });
}

/** A stop of the budget with what is done and what is not; any other one comes back as it is. */
export function exhaustedAt<T>(stop: T, what: string, next?: string): T | IncompleteError {
  if (!(stop instanceof IncompleteError) || !stop.code.startsWith('budget.')) return stop;
  return new IncompleteError(stop.code, `${stop.message}; ${what}`, { next: stop.next ?? next });
}
