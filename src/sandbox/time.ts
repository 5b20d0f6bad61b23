const ISO = /^(\d{4}-\d{2}-\d{2})(T\d{2}:\d{2}(:\d{2}(\.\d{1,9})?)?(Z|[+-]\d{2}:\d{2}))?$/;
const UNIT_MS = { ms: 1, s: 1_000, m: 60_000, h: 3_600_000, d: 86_400_000 } as const;

/** The last time that a clock is set to: times are compared as texts, whose years must have four digits a while longer. */
export const LAST_TIME_MS = Date.parse('9998-12-31T23:59:59.999Z');

/** An ISO 8601 time with its zone, or a date (midnight UTC), as ISO 8601 UTC with milliseconds; undefined for anything else, days that do not exist and years past 9998. */
export function parseTime(text: string): string | undefined {
  const date = ISO.exec(text)?.[1];
  const time = Date.parse(text);
  if (date === undefined || Number.isNaN(time) || time > LAST_TIME_MS) return undefined;
  return new Date(`${date}T00:00Z`).toISOString().startsWith(date) ? new Date(time).toISOString() : undefined;
}

/** Milliseconds of a duration such as `90s` or `7d` (ms, s, m, h, d); undefined for anything else. */
export function parseDurationMs(text: string): number | undefined {
  const [, count, unit] = /^(\d{1,12})(ms|s|m|h|d)$/.exec(text) ?? [];
  return unit === undefined ? undefined : Number(count) * UNIT_MS[unit as keyof typeof UNIT_MS];
}
