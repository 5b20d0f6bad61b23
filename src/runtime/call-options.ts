import { UsageError } from '../model/error.ts';

/** What a method of the library is told in numbers and times. */
export interface Bounds {
  readonly limit?: number | undefined;
  readonly maxRequests?: number | undefined;
  readonly maxWaitMs?: number | undefined;
  readonly finishBy?: Date | undefined;
}

/** Errors: UsageError `library.option` for a number or a time that is none, such as one made of a variable that is not set: it bounds nothing, or everything. */
export function checkBounds({ limit, maxRequests, maxWaitMs, finishBy }: Bounds): void {
  for (const [name, count] of Object.entries({ limit, maxRequests }))
    if (count !== undefined && !(Number.isSafeInteger(count) && count >= 1))
      throw refused(name, 'a whole number from 1 on', count);
  if (maxWaitMs !== undefined && !(maxWaitMs >= 0))
    throw refused('maxWaitMs', 'milliseconds from 0 on', maxWaitMs);
  if (finishBy !== undefined && Number.isNaN(finishBy.getTime()))
    throw refused('finishBy', 'a time', finishBy);
}

const refused = (name: string, wanted: string, given: unknown): UsageError =>
  new UsageError('library.option', `${name} is ${wanted}, not ${String(given)}`);
