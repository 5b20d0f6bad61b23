import { UsageError } from '../../model/error.ts';

/** How often: every so many minutes of the hour, every so many hours of the day, or daily at a time. */
export type Interval =
  | { readonly kind: 'minutes'; readonly every: number }
  | { readonly kind: 'hours'; readonly every: number }
  | { readonly kind: 'daily'; readonly hour: number; readonly minute: number };

const HOUR_MINUTES = 60;
const DAY_HOURS = 24;

/**
 * Reads `--every` (a divisor of the hour or of the day; an hour when neither flag is given) and `--at`, which is for daily runs.
 * Errors: UsageError `schedule.every`, `schedule.at`.
 */
export function parseInterval(every: string | undefined, at: string | undefined): Interval {
  const minutes = minutesOf(every ?? (at === undefined ? '1h' : '1d'));
  if (minutes === DAY_HOURS * HOUR_MINUTES) return { kind: 'daily', ...timeOf(at ?? '05:00') };
  if (at !== undefined)
    throw new UsageError('schedule.at', '--at is the time of a daily run', {
      next: 'leave --every out, or write --every 1d',
    });
  return minutes < HOUR_MINUTES
    ? { kind: 'minutes', every: minutes }
    : { kind: 'hours', every: minutes / HOUR_MINUTES };
}

function minutesOf(text: string): number {
  const [, digits = '', unit = ''] = /^(\d{1,4})(m|h|d)$/.exec(text.trim()) ?? [];
  const minutes = Number(digits) * ({ m: 1, h: HOUR_MINUTES, d: DAY_HOURS * HOUR_MINUTES }[unit] ?? 0);
  const fits =
    minutes > 0 &&
    (minutes < HOUR_MINUTES
      ? HOUR_MINUTES % minutes === 0
      : minutes % HOUR_MINUTES === 0 && DAY_HOURS % (minutes / HOUR_MINUTES) === 0);
  if (fits) return minutes;
  throw new UsageError(
    'schedule.every',
    `--every takes a part of the hour (5m, 10m, 15m, 20m, 30m), of the day (1h, 2h, 3h, 4h, 6h, 8h, 12h) or 1d, not "${text}"`,
  );
}

function timeOf(text: string): { readonly hour: number; readonly minute: number } {
  const [, hour, minute] = /^([01]?\d|2[0-3]):([0-5]\d)$/.exec(text.trim()) ?? [];
  if (hour !== undefined && minute !== undefined) return { hour: Number(hour), minute: Number(minute) };
  throw new UsageError('schedule.at', `--at takes a time of day from 00:00 to 23:59, not "${text}"`);
}

/** `every 15 minutes`, `every hour`, `every day at 05:00`. */
export function renderInterval(interval: Interval): string {
  if (interval.kind === 'daily') return `every day at ${clockTime(interval)}`;
  const unit = interval.kind === 'minutes' ? 'minute' : 'hour';
  return interval.every === 1 ? `every ${unit}` : `every ${interval.every} ${unit}s`;
}

/** `05:00`. */
export function clockTime({ hour, minute }: { readonly hour: number; readonly minute: number }): string {
  return [hour, minute].map((part) => String(part).padStart(2, '0')).join(':');
}

/** The five fields of cron. */
export function cronFields(interval: Interval): string {
  switch (interval.kind) {
    case 'minutes':
      return `${interval.every === 1 ? '*' : `*/${interval.every}`} * * * *`;
    case 'hours':
      return `0 ${interval.every === 1 ? '*' : `*/${interval.every}`} * * *`;
    case 'daily':
      return `${interval.minute} ${interval.hour} * * *`;
  }
}
