import { DAY_MS, serialOf, wallOf } from '../model/time/serial-date.ts';
import { wallClock } from '../model/time/wall-clock.ts';
import type { ReportLayout } from '../model/tables/layout.ts';
import type { ReportColumn, ReportValue } from '../model/tables/table.ts';
import { parseInstant } from './date-format.ts';

/** Dates before it have no number in a spreadsheet and stay text. */
const FIRST_YEAR = 1900;
/** Half a millisecond of a day: serial numbers that differ by less are the same date. */
export const SAME_DAY_FRACTION = 0.5 / DAY_MS;

/** Reads ISO 8601 texts as wall-clock times of a zone that a spreadsheet can hold, in the UTC fields of dates; undefined for all others. */
export function wallReader(timezone: string): (text: string) => Date | undefined {
  const toWall = wallClock(timezone);
  return (text) => {
    const instant = parseInstant(text);
    const wall = instant && toWall(instant.ms);
    return wall !== undefined && wall.getUTCFullYear() >= FIRST_YEAR ? wall : undefined;
  };
}

const TEXTUAL: ReadonlySet<ReportColumn['type']> = new Set(['text', 'uuid', 'json']);

/** Whether a column is one of texts without a format: a number in it that looks otherwise was typed by a person, who sees that. */
export const holdsTexts = (
  { type, header, format }: Pick<ReportColumn, 'type' | 'header' | 'format'>,
  layout: ReportLayout | undefined,
): boolean => TEXTUAL.has(type) && !(layout?.columns.get(header)?.format ?? format);

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
    const local = wallOf(cell, DAY_MS)?.getTime();
    if (local === undefined) return cell;
    const offset = (at: number): number => toWall(at).getTime() - at;
    const instant = [local - DAY_MS, local + DAY_MS]
      .map((at) => local - Math.round(offset(at) / 60_000) * 60_000)
      .find((at) => Math.abs(serialOf(toWall(at)) - cell) < SAME_DAY_FRACTION);
    return instant === undefined ? cell : new Date(instant).toISOString().replace('.000Z', 'Z');
  };
}
