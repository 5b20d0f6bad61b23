import { TeamsheetError } from '../model/error.ts';
import type { Program } from './program.ts';

/** Warns of what goes wrong again and again when it begins, or changes. */
export interface Warnings {
  readonly failed: (error: unknown) => void;
  /** Something went well: where nothing failed since it did before, the same is new from now on. */
  readonly passed: () => void;
}

/** `about`: stands before each message. */
export function warnOnce({ screen }: Pick<Program, 'screen'>, about = ''): Warnings {
  let told: string | undefined;
  let isFailing = false;
  return {
    failed: (error) => {
      const code = error instanceof TeamsheetError ? error.code : '';
      if (code !== told) screen.warn(`${about}${error instanceof Error ? error.message : String(error)}`);
      told = code;
      isFailing = true;
    },
    passed: () => {
      if (!isFailing) told = undefined;
      isFailing = false;
    },
  };
}
