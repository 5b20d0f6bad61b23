import { InterruptedError, TeamsheetError, UsageError } from '../model/error.ts';

/** Work that is done one piece after the other, and ends when it is told to. */
export interface OneAtATime {
  /** Errors: UsageError `library.busy` while other work is under way, `library.closed` after `close`; those of the work. */
  run<T>(name: string, signal: AbortSignal | undefined, work: (stop: AbortSignal) => Promise<T>): Promise<T>;
  /** Stops what is under way and waits for its end. */
  close(): Promise<void>;
}

/** The signal of each piece of work is aborted with an InterruptedError, whatever stops it. */
export function oneAtATime(): OneAtATime {
  const closing = new AbortController();
  let underWay: { readonly name: string; readonly ended: Promise<undefined> } | undefined;
  return {
    run: async (name, signal, work) => {
      if (closing.signal.aborted) throw new UsageError('library.closed', `${name}: it is closed`);
      if (underWay !== undefined)
        throw new UsageError('library.busy', `${name} cannot begin: ${underWay.name} is under way`, {
          next: 'await one method before the next is called',
        });
      const asked = signal === undefined ? closing.signal : AbortSignal.any([closing.signal, signal]);
      const { promise: ended, resolve: end } = Promise.withResolvers<undefined>();
      underWay = { name, ended };
      const stop = new AbortController();
      const abort = (): void => stop.abort(new InterruptedError('SIGTERM', 'stopped by the program'));
      asked.addEventListener('abort', abort, { once: true });
      try {
        if (asked.aborted) abort();
        stop.signal.throwIfAborted();
        return await work(stop.signal);
      } catch (error) {
        // The reason says more than the request that it ended.
        throw stop.signal.aborted && !(error instanceof TeamsheetError) ? stop.signal.reason : error;
      } finally {
        asked.removeEventListener('abort', abort);
        underWay = undefined;
        end(undefined);
      }
    },
    close: async () => {
      closing.abort();
      await underWay?.ended;
    },
  };
}
