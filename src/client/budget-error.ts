import type { RateWindowName } from '../model/budget.ts';
import { IncompleteError } from '../model/error.ts';

/** `2026-11-20T10:01:00+01:00`: a wall-clock time as people here read it. */
function localIso(ms: number): string {
  const offsetMinutes = -new Date(ms).getTimezoneOffset();
  const local = new Date(ms + offsetMinutes * 60_000).toISOString().slice(0, 19);
  const pad = (value: number): string => String(Math.trunc(value)).padStart(2, '0');
  const size = Math.abs(offsetMinutes);
  return `${local}${offsetMinutes < 0 ? '-' : '+'}${pad(size / 60)}:${pad(size % 60)}`;
}

/** A pause of `ms`, until the wall-clock time `untilMs`, is longer than the run may make. What is next depends on whether there is a run. */
export function pauseTooLong(
  reason: string,
  untilMs: number,
  ms: number,
  maxWaitMs: number,
): IncompleteError {
  return new IncompleteError(
    'budget.exhausted',
    `${reason}: requests can go on at ${localIso(untilMs)}, in ${Math.ceil(ms / 1000)} s, and max_wait is ${maxWaitMs / 1000} s`,
  );
}

/** The reserve leaves nothing of a window, so that no waiting helps. */
export function nothingBesideReserve(name: RateWindowName, reserve: number, limit: number): IncompleteError {
  return new IncompleteError(
    'budget.exhausted',
    `budget.reserve_${name} keeps back ${reserve} of the ${limit} requests of the ${name} window, so none is left to send`,
    { next: `lower budget.reserve_${name}` },
  );
}

/** As many requests were sent as may be. What is next depends on whether there is a run. */
export function requestsUsedUp(maxRequests: number): IncompleteError {
  return new IncompleteError('budget.max_requests', `the limit of ${maxRequests} requests is reached`);
}

/** The next request would end after the time that `--finish-by` names. What is next depends on whether there is a run. */
export function endsTooLate(finishByMs: number): IncompleteError {
  return new IncompleteError(
    'budget.finish_by',
    `nothing more is sent that would end after ${localIso(finishByMs)}`,
  );
}
