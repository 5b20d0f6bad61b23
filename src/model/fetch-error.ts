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
