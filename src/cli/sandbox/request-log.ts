import { closeSync, openSync, writeSync } from 'node:fs';
import { ConfigError } from '../../model/error.ts';
import type { AnswerLine } from '../../sandbox/index.ts';
import type { Screen } from '../screen.ts';

/** Where a sandbox's requests are written down, one JSON line each. */
export interface RequestLog {
  readonly write: ((line: AnswerLine) => void) | undefined;
  close(): void;
}

/**
 * A log in a file (appended to, readable by its owner alone), else on standard error with `--verbose`, else none. A disk that is full later on is
 * said once and ends nothing.
 * @throws ConfigError `sandbox.log` when the file cannot be written.
 */
export function openRequestLog(
  file: string | undefined,
  screen: Pick<Screen, 'verbose' | 'tell' | 'warn'>,
): RequestLog {
  if (file === undefined) {
    const write = (line: AnswerLine): void => screen.tell(JSON.stringify(line));
    return { write: screen.verbose ? write : undefined, close: () => undefined };
  }
  const descriptor = open(file);
  let isLosing = false;
  return {
    write: (line) => {
      try {
        writeSync(descriptor, `${JSON.stringify(line)}\n`);
      } catch (cause) {
        if (!isLosing) screen.warn(`--log ${file}: lines are lost: ${String(cause)}`);
        isLosing = true;
      }
    },
    close: () => closeSync(descriptor),
  };
}

function open(file: string): number {
  try {
    return openSync(file, 'a', 0o600);
  } catch (cause) {
    throw new ConfigError('sandbox.log', `--log ${file}: cannot be written: ${String(cause)}`, {
      file,
      next: 'name a file in a folder that you may write to',
      cause,
    });
  }
}
