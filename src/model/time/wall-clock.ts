/** Clocks everywhere are set at full quarters of an hour since then, so that one look at the zone does for a quarter. */
const WHOLE_QUARTERS_FROM = Date.UTC(1973, 0, 1);
const QUARTER_MS = 15 * 60_000;
const OFFSETS_MAX = 10_000;

/** Gives the same moment as its wall-clock time in an IANA time zone, in the UTC fields of a date. */
export function wallClock(timezone: string): (ms: number) => Date {
  if (timezone === 'UTC') return (ms) => new Date(ms);
  const format = new Intl.DateTimeFormat('en-US', {
    timeZone: timezone,
    calendar: 'gregory',
    numberingSystem: 'latn',
    hourCycle: 'h23',
    year: 'numeric',
    month: 'numeric',
    day: 'numeric',
    hour: 'numeric',
    minute: 'numeric',
    second: 'numeric',
  });
  const exact = (ms: number): Date => {
    const part = new Map(format.formatToParts(ms).map(({ type, value }) => [type, Number(value)]));
    const of = (name: Intl.DateTimeFormatPartTypes): number => part.get(name) ?? 0;
    const wall = Date.UTC(of('year'), of('month') - 1, of('day'), of('hour'), of('minute'), of('second'));
    return new Date(wall + ms - Math.floor(ms / 1000) * 1000);
  };
  const offsets = new Map<number, number>();
  return (ms) => {
    if (ms < WHOLE_QUARTERS_FROM) return exact(ms);
    const quarter = Math.floor(ms / QUARTER_MS);
    let offset = offsets.get(quarter);
    if (offset === undefined) {
      offset = exact(quarter * QUARTER_MS).getTime() - quarter * QUARTER_MS;
      if (offsets.size === OFFSETS_MAX) offsets.clear();
      offsets.set(quarter, offset);
    }
    return new Date(ms + offset);
  };
}
