import { IncompleteError, TeamsheetError, type ExitCode } from '../../model/error.ts';
import type { Program } from '../program.ts';
import type { Check } from '../render/checks.ts';
import { nextAfterStop } from '../render/stop.ts';

/** A check of `doctor`, and the exit code when it is bad. */
export type Finding = Check & { readonly exitCode?: ExitCode; readonly code?: string };

export const good = (name: string, found: string): Finding => ({ level: 'good', name, found });

/** The value, or what is wrong and how to correct it. */
export async function attempt<T extends object>(
  name: string,
  program: Program,
  work: () => T | Promise<T>,
): Promise<T | Finding> {
  try {
    return await work();
  } catch (error) {
    if (!(error instanceof TeamsheetError) || program.signal.aborted) throw error;
    return {
      level: 'bad',
      name,
      found: error.message,
      fix:
        error.next === undefined && !(error instanceof IncompleteError)
          ? undefined
          : nextAfterStop(error, program),
      exitCode: error.exitCode,
      code: error.code,
    };
  }
}
