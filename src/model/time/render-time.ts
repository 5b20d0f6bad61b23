/** `2026-08-14 19:30:05` in the given IANA time zone. */
export function renderTime(ms: number, timezone: string): string {
  return new Intl.DateTimeFormat('sv-SE', {
    timeZone: timezone,
    dateStyle: 'short',
    timeStyle: 'medium',
  }).format(ms);
}
