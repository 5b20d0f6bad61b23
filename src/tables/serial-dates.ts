import { wallClock } from '../model/time/wall-clock.ts';
import type { ReportColumn, ReportValue } from '../model/tables/table.ts';

const DAY_MS = 86_400_000;
/** The serial number of 1 January 1970; day 0 is 30 December 1899. */
const EPOCH_SERIAL = 25_569;
/** Half a millisecond of a day: serial numbers that differ by less are the same date. */
export const SAME_DAY_FRACTION = 0.5 / DAY_MS;

/** A wall-clock time, given in the UTC fields of a date, as a serial number: days since 30 December 1899. */
export const serialOf = (wall: Date): number => wall.getTime() / DAY_MS + EPOCH_SERIAL;

/** What a cell of a spreadsheet holds; `''` is empty. */
type CellContent = string | number | boolean;

/**
 * Turns the cells of one column back into values of a report: the opposite of how it was written. Of a time that happens twice when clocks go back
 * the first is taken; a number that is no date of the time zone stays a number.
 */
export function valueReader(
  { type }: Pick<ReportColumn, 'type'>,
  timezone: string,
): (cell: CellContent) => ReportValue {
  if (type !== 'datetime') return (cell) => (cell === '' ? null : cell);
  const toWall = wallClock(timezone);
  return (cell) => {
    if (typeof cell !== 'number') return cell === '' ? null : cell;
    const local = Math.round((cell - EPOCH_SERIAL) * DAY_MS);
    const offset = (at: number): number => toWall(at).getTime() - at;
    const instant = [local - DAY_MS, local + DAY_MS]
      .map((at) => local - Math.round(offset(at) / 60_000) * 60_000)
      .find((at) => Math.abs(serialOf(toWall(at)) - cell) < SAME_DAY_FRACTION);
    return instant === undefined ? cell : new Date(instant).toISOString().replace('.000Z', 'Z');
  };
}
