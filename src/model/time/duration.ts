const UNIT_MS = { ms: 1, s: 1000, m: 60_000, h: 3_600_000, d: 86_400_000 } as const;

/** Milliseconds of `500ms`, `120s`, `15m`, `2h` or `1d`; undefined for anything else. */
export function parseDuration(text: string): number | undefined {
  const match = /^(\d{1,9})(ms|s|m|h|d)$/.exec(text.trim());
  return match === null ? undefined : Number(match[1]) * UNIT_MS[match[2] as keyof typeof UNIT_MS];
}

const YEAR_MS = 365 * UNIT_MS.d;

/** The same, and years of 365 days: `2y`. */
export function parseLongDuration(text: string): number | undefined {
  const match = /^(\d{1,4})y$/.exec(text.trim());
  return match === null ? parseDuration(text) : Number(match[1]) * YEAR_MS;
}
