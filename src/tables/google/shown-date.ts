import type { Cell } from '../../model/tables/cell.ts';
import { wallOf } from '../../model/time/serial-date.ts';

/**
 * A number of a sheet as a cell. Google answers dates and times as numbers, and only how they are shown tells them from others: where the text says
 * another number, and all that it says are parts of the moment that the serial number stands for, it is a date (`7-May`, `07.05.2026 19:00`). A time
 * of day or a duration (`7:30`, `90:00`) is a text.
 */
export function numberCell(value: number, shown: string | undefined): Cell {
  if (shown === undefined) return { kind: 'number', value };
  if (value < 1 && TIME.test(shown)) return shown;
  const iso = shown === String(value) ? undefined : momentOf(value, shown);
  if (iso === undefined) return { kind: 'number', value, shown };
  return value < 1 ? shown : { kind: 'datetime', iso, shown };
}

/** Hours and minutes, or minutes and seconds: no number is shown so. */
const TIME = /\d:\d/;

/** The wall clock that is shown; undefined when it is a number. */
function momentOf(value: number, shown: string): string | undefined {
  const isTime = TIME.test(shown);
  if (value < 0 || (!isTime && says(shown, value))) return undefined;
  const moment = wallOf(value);
  return moment && (isTime || isMoment(shown, value, moment)) ? moment.toISOString().slice(0, 19) : undefined;
}

/** Whether a text says a number, rounded, with any separators, and whatever stands around it. */
function says(shown: string, value: number): boolean {
  const said = shown.includes('%') ? value * 100 : value;
  const near = (text: string): boolean => Math.abs(Number(text) - said) <= Math.max(0.51, said * 0.05);
  return (shown.match(/\d[\d.,'\s]*(?:E[-+]?\d+)?/gi) ?? []).some(
    (text) => near(text.replace(/[,'\s]/g, '')) || near(text.replace(/[.'\s]/g, '').replace(',', '.')),
  );
}

/** Whether every number in a text is a part of a moment. */
function isMoment(shown: string, value: number, moment: Date): boolean {
  const hours = moment.getUTCHours();
  const parts = new Set([
    ...[moment.getUTCFullYear(), moment.getUTCFullYear() % 100, moment.getUTCMonth() + 1],
    ...[moment.getUTCDate(), hours, hours % 12 || 12, moment.getUTCMinutes(), moment.getUTCSeconds()],
    // Hours that passed, past a day too.
    Math.floor(value * 24 + 1e-6),
  ]);
  const numbers = shown.match(/\d+/g) ?? [];
  return numbers.length > 0 && numbers.every((number) => parts.has(Number(number)));
}
