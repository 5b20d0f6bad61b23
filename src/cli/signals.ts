import { once } from 'node:events';
import { EXIT, InterruptedError, type ExitCode } from '../model/error.ts';

const SIGNALS = { SIGINT: 130, SIGTERM: 143 } as const;

/**
 * A signal that SIGINT or SIGTERM aborts with an InterruptedError; `onFirst` is told so that a person learns what happens next. A second one ends
 * the process at once, after `onSecond`.
 */
export function listenForSignals(
  onFirst: (name: keyof typeof SIGNALS) => void,
  onSecond: (name: keyof typeof SIGNALS) => void,
): AbortSignal {
  const controller = new AbortController();
  for (const name of ['SIGINT', 'SIGTERM'] as const) {
    process.on(name, () => {
      if (controller.signal.aborted) {
        onSecond(name);
        process.exit(SIGNALS[name]);
      }
      controller.abort(new InterruptedError(name, `stopped by ${name}`));
      onFirst(name);
    });
  }
  return controller.signal;
}

/** Waits until a signal is aborted, and answers the exit code that its reason has. */
export async function aborted(signal: AbortSignal): Promise<ExitCode> {
  if (!signal.aborted) await once(signal, 'abort');
  return signal.reason instanceof InterruptedError ? signal.reason.exitCode : EXIT.done;
}
