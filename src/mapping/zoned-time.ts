import { wallClock } from '../model/time/wall-clock.ts';
import { show } from './show.ts';

/** An instant as ISO 8601 in UTC, or what is wrong with the text. */
export type Instant = { readonly iso: string } | { readonly problem: string };

const ISO =
  /^(?<yyyy>\d{4})-(?<MM>\d{2})-(?<dd>\d{2})(?:[T ](?<hh>\d{2}):(?<mm>\d{2})(?::(?<ss>\d{2})(?:\.\d{1,9})?)?(?<zone>Z|[+-]\d{2}:?\d{2})?)?$/i;
const DAY_MS = 86_400_000;

/** Whether `format` is made of yyyy, mm, dd, hh, mm, ss (the first mm after hh is minutes) and signs between them, with a whole date in it. */
export function isDateFormat(format: string): boolean {
  const names = [...format.matchAll(/yyyy|mm|dd|hh|ss|[a-z]/gi)].map(([token]) => token.toLowerCase());
  return ['yyyy', 'mm', 'dd'].every((name) => names.includes(name)) && names.every((name) => name.length > 1);
}

function patternOf(format: string): RegExp {
  let sawHour = false;
  const seen = new Set<string>();
  const source = format.replace(/yyyy|mm|dd|hh|ss|[^a-z]/gi, (token) => {
    const lower = token.toLowerCase();
    if (lower === 'hh') sawHour = true;
    const name = lower === 'mm' && (!sawHour || seen.has('mm')) ? 'MM' : lower;
    if (!/^[a-z]/i.test(token)) return token.replace(/[.*+?^${}()|[\]\\/-]/g, '\\$&');
    if (seen.has(name)) return `\\d{${token.length}}`;
    seen.add(name);
    return `(?<${name}>\\d{${token.length}})`;
  });
  return new RegExp(`^${source}$`);
}

/**
 * Reads date times written in `format` (spreadsheet notation, such as `dd/mm/yyyy hh:mm`), or in ISO 8601 when it is undefined. A time without
 * an offset is one of `timezone` (IANA); one that does not exist there, or happens twice, is a problem and never guessed.
 */
export function instantReader(format: string | undefined, timezone: string): (text: string) => Instant {
  const pattern = format === undefined ? ISO : patternOf(format);
  const wanted = format === undefined ? 'yyyy-mm-dd hh:mm, or name its format in the mapping' : format;
  const offsetAt = zoneOffsets(timezone);
  return (text) => {
    const found = pattern.exec(text.trim())?.groups;
    if (found === undefined) return { problem: `${show(text)} is not a date as expected; write ${wanted}` };
    const { yyyy = '', MM = '', dd = '', hh = '00', mm = '00', ss = '00' } = found;
    const local = Date.UTC(Number(yyyy), Number(MM) - 1, Number(dd), Number(hh), Number(mm), Number(ss));
    // The 31st of June, hour 24 and years before 100 are other moments than they say.
    if (isoOf(local) !== `${yyyy}-${MM}-${dd}T${hh}:${mm}:${ss}Z`)
      return { problem: `${show(text)} is not a date of the calendar; correct it` };
    const zone = found['zone'];
    if (zone !== undefined) return { iso: isoOf(local - fixedOffset(zone)) };
    const offsets = new Set([offsetAt(local - DAY_MS), offsetAt(local + DAY_MS)]);
    const instants = [...offsets].map((offset) => local - offset).filter((at) => at + offsetAt(at) === local);
    const [only] = instants;
    if (only === undefined)
      return {
        problem: `${show(text)} does not exist in ${timezone}: the clocks go forward over it; correct it`,
      };
    if (instants.length > 1) {
      return {
        problem: `${show(text)} happens twice in ${timezone}: the clocks go back over it; add the offset, such as ${isoWithOffset(local, [...offsets][0] ?? 0)}`,
      };
    }
    return { iso: isoOf(only) };
  };
}

function fixedOffset(zone: string): number {
  if (zone.toUpperCase() === 'Z') return 0;
  const sign = zone.startsWith('-') ? -1 : 1;
  return sign * (Number(zone.slice(1, 3)) * 60 + Number(zone.slice(-2))) * 60_000;
}

/** The offset of a zone from UTC in milliseconds, by instant. */
function zoneOffsets(timezone: string): (atMs: number) => number {
  const wall = wallClock(timezone);
  return (atMs) => wall(atMs).getTime() - atMs;
}

const isoOf = (atMs: number): string => `${new Date(atMs).toISOString().slice(0, 19)}Z`;

function isoWithOffset(localMs: number, offsetMs: number): string {
  const minutes = Math.abs(offsetMs) / 60_000;
  const two = (value: number): string => String(value).padStart(2, '0');
  return `${isoOf(localMs).slice(0, 16)}${offsetMs < 0 ? '-' : '+'}${two(Math.floor(minutes / 60))}:${two(minutes % 60)}`;
}
