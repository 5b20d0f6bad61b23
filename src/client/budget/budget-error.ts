import type { RateWindowName } from '../../model/budget.ts';
import { renderCountOf } from '../../model/count.ts';
import { IncompleteError } from '../../model/error.ts';

/** `2026-11-20T10:01:00+01:00`: a wall-clock time as people here read it. */
function localIso(ms: number): string {
  const offsetMinutes = -new Date(ms).getTimezoneOffset();
  const local = new Date(ms + offsetMinutes * 60_000).toISOString().slice(0, 19);
  const pad = (value: number): string => String(Math.trunc(value)).padStart(2, '0');
  const size = Math.abs(offsetMinutes);
  return `${local}${offsetMinutes < 0 ? '-' : '+'}${pad(size / 60)}:${pad(size % 60)}`;
}

/** `45 s`, `3 min 20 s`, `12 h 30 min`: a duration to its two largest units, rounded up as a wait has to be. */
function spoken(ms: number): string {
  const seconds = Math.ceil(ms / 1000);
  const parts = (whole: number, unit: string, rest: number, small: string): string =>
    rest === 0 ? `${whole} ${unit}` : `${whole} ${unit} ${rest} ${small}`;
  if (seconds < 60) return `${seconds} s`;
  if (seconds < 3600) return parts(Math.floor(seconds / 60), 'min', seconds % 60, 's');
  const minutes = Math.ceil(seconds / 60);
  return parts(Math.floor(minutes / 60), 'h', minutes % 60, 'min');
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
    `${reason}: the next request is possible at ${localIso(untilMs)}, in ${spoken(ms)}, but max_wait is ${spoken(maxWaitMs)}`,
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
  return new IncompleteError(
    'budget.max_requests',
    `the limit of ${renderCountOf(maxRequests, 'request')} is reached`,
  );
}

/** The next request would end after the time that `--finish-by` names. What is next depends on whether there is a run. */
export function endsTooLate(finishByMs: number): IncompleteError {
  return new IncompleteError(
    'budget.finish_by',
    `no request is sent that would end after ${localIso(finishByMs)}`,
  );
}
