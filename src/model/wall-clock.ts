/** Gives the same moment as its wall-clock time in an IANA time zone, in the UTC fields of a date, to the second. */
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
  return (ms) => {
    const part = new Map(format.formatToParts(ms).map(({ type, value }) => [type, Number(value)]));
    const of = (name: Intl.DateTimeFormatPartTypes): number => part.get(name) ?? 0;
    return new Date(Date.UTC(of('year'), of('month') - 1, of('day'), of('hour'), of('minute'), of('second')));
  };
}
