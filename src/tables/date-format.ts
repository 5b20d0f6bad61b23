/** A point in time as read from an ISO 8601 text: milliseconds since the epoch, and the digits of its fraction of a second as written. */
interface Instant {
  readonly ms: number;
  /** Without trailing zeros; empty when there is none. */
  readonly fraction: string;
}

const ISO =
  /^(\d{4})-(\d{2})-(\d{2})(?:[T ](\d{2}):(\d{2})(?::(\d{2})(?:\.(\d+))?)?(Z|[+-]\d{2}:?\d{2})?)?$/i;

function offsetMinutes(zone: string | undefined): number {
  if (zone === undefined || zone.toUpperCase() === 'Z') return 0;
  const sign = zone.startsWith('-') ? -1 : 1;
  return sign * (Number(zone.slice(1, 3)) * 60 + Number(zone.slice(-2)));
}

/**
 * Reads an ISO 8601 date-time of any precision; one without an offset is UTC, a date alone is its midnight. Undefined for any other text and
 * for days that do not exist.
 */
export function parseInstant(text: string): Instant | undefined {
  return parsePlain(text) ?? parseAny(text);
}

const PLAIN = /^[1-9]\d{3}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.000)?Z$/;

/** Whole seconds in UTC, as nearly all dates of a service are: to take each of a large report apart costs more than to write it. */
function parsePlain(text: string): Instant | undefined {
  if (!PLAIN.test(text)) return undefined;
  const ms = Date.parse(text);
  // The engine takes 31 February for 3 March.
  return new Date(ms).getUTCDate() === Number(text.slice(8, 10)) ? { ms, fraction: '' } : undefined;
}

function parseAny(text: string): Instant | undefined {
  const match = ISO.exec(text);
  if (match === null) return undefined;
  const field = (index: number): number => Number(match[index] ?? 0);
  const [year, month, day] = [field(1), field(2), field(3)];
  const [hour, minute, second] = [field(4), field(5), field(6)];
  const local = Date.UTC(year, month - 1, day, hour, minute, second);
  const check = new Date(local);
  const exists =
    check.getUTCMonth() === month - 1 &&
    check.getUTCDate() === day &&
    hour < 24 &&
    minute < 60 &&
    second < 60;
  if (!exists || year < 100) return undefined;
  const fraction = (match[7] ?? '').replace(/0+$/, '');
  const ms = local - offsetMinutes(match[8]) * 60_000 + Number(`${fraction}000`.slice(0, 3));
  return { ms, fraction };
}

const UTC_FORM = /^(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d)(?:\.(\d*?)0*)?Z$/;

/**
 * `2026-08-14T19:00:00Z`, with the fraction of a second when there is one; a text that is no ISO 8601 date-time as it is. What stands in UTC
 * already, as nearly all does, is only tidied: reading every date of a large report would cost more than writing it.
 */
export function utcText(text: string): string {
  const tidy = UTC_FORM.exec(text);
  if (tidy !== null) {
    const [, seconds = '', fraction = ''] = tidy;
    return fraction === '' ? `${seconds}Z` : `${seconds}.${fraction}Z`;
  }
  const instant = parseInstant(text);
  if (instant === undefined) return text;
  const seconds = new Date(instant.ms).toISOString().slice(0, 19);
  return instant.fraction === '' ? `${seconds}Z` : `${seconds}.${instant.fraction}Z`;
}

const MONTHS = 'January February March April May June July August September October November December'.split(
  ' ',
);
const DAYS = 'Sunday Monday Tuesday Wednesday Thursday Friday Saturday'.split(' ');
const TOKEN = /"[^"]*"|\\.|am\/pm|a\/p|y+|m+|d+|h+|s+|[^]/gi;

type Render = (wall: Date) => string;
const padded = (value: number, width: number): string => String(value).padStart(width, '0');

function dateToken(letter: string, width: number): Render {
  const two = Math.min(width, 2);
  switch (letter) {
    case 'y':
      return (wall) =>
        width > 2 ? padded(wall.getUTCFullYear(), 4) : padded(wall.getUTCFullYear() % 100, 2);
    case 'd':
      if (width <= 2) return (wall) => padded(wall.getUTCDate(), width);
      return (wall) => (DAYS[wall.getUTCDay()] ?? '').slice(0, width === 3 ? 3 : undefined);
    case 's':
      return (wall) => padded(wall.getUTCSeconds(), two);
    default:
      if (width <= 2) return (wall) => padded(wall.getUTCMonth() + 1, width);
      return (wall) => (MONTHS[wall.getUTCMonth()] ?? '').slice(0, width === 3 ? 3 : undefined);
  }
}

function hourToken(width: number, twelve: boolean): Render {
  return (wall) => {
    const hour = wall.getUTCHours();
    return padded(twelve ? hour % 12 || 12 : hour, Math.min(width, 2));
  };
}

/**
 * Renders wall-clock times by a spreadsheet's date format: `yyyy yy mmmm mmm mm m dddd ddd dd d hh h mm m ss s AM/PM`, text in double quotes
 * or after a backslash as it stands. `m` after an hour or before a second is minutes. Names are English.
 */
export function dateRenderer(format: string): Render {
  const tokens = format.match(TOKEN) ?? [];
  const twelve = tokens.some((token) => /^a(m\/pm|\/p)$/i.test(token));
  const letters = tokens.map((token) => (/^[ymdhs]+$/i.test(token) ? token.charAt(0).toLowerCase() : ''));
  const neighbour = (from: number, step: number): string => {
    let index = from + step;
    while (letters[index] === '') index += step;
    return letters[index] ?? '';
  };
  const parts = tokens.map((token, index): Render => {
    const letter = letters[index];
    if (letter === 'h') return hourToken(token.length, twelve);
    if (letter === 'm' && (neighbour(index, -1) === 'h' || neighbour(index, 1) === 's'))
      return (wall) => padded(wall.getUTCMinutes(), Math.min(token.length, 2));
    if (letter !== undefined && letter !== '') return dateToken(letter, token.length);
    if (/^am\/pm$/i.test(token)) return (wall) => (wall.getUTCHours() < 12 ? 'AM' : 'PM');
    if (/^a\/p$/i.test(token)) return (wall) => (wall.getUTCHours() < 12 ? 'A' : 'P');
    const literal = token.startsWith('"') ? token.slice(1, -1) : token.replace(/^\\(?=.)/, '');
    return () => literal;
  });
  return (wall) => parts.map((part) => part(wall)).join('');
}
