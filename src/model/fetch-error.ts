/** What Node's errors say beside their message. */
export interface SystemError extends Error {
  readonly code?: unknown;
  readonly syscall?: unknown;
}

/** The innermost errors of a failed fetch: several when several addresses of one name were tried. */
export function rootsOf(error: unknown): readonly SystemError[] {
  if (error instanceof AggregateError) return error.errors.flatMap(rootsOf);
  if (!(error instanceof Error)) return [];
  return error.cause instanceof Error ? rootsOf(error.cause) : [error];
}

/** An error and what caused it, five deep at most. */
export function* chainOf(error: unknown): Generator<Error> {
  let at = error;
  for (let depth = 0; at instanceof Error && depth < 5; depth += 1) {
    yield at;
    at = at.cause;
  }
}

/** Whether the operating system lets this process, or this machine, open no more files and connections. */
export const lacksFiles = (error: unknown): boolean =>
  rootsOf(error).some(({ code }) => code === 'EMFILE' || code === 'ENFILE');

export const MORE_FILES = 'Let the program open more files (ulimit -n), then run the command again.';
