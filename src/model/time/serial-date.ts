export const DAY_MS = 86_400_000;
const DAY_SECONDS = 86_400;
/** The serial number of 1 January 1970; day 0 is 30 December 1899. */
const EPOCH_SERIAL = 25_569;

/** A wall-clock time, given in the UTC fields of a date, as spreadsheets store it: days since 30 December 1899. */
export const serialOf = (wall: Date): number => wall.getTime() / DAY_MS + EPOCH_SERIAL;

/** The wall-clock time of a serial number, to the second where a day is divided in no other way; undefined for what no date can be. */
export function wallOf(serial: number, dividedIn = DAY_SECONDS): Date | undefined {
  const wall = new Date(Math.round((serial - EPOCH_SERIAL) * dividedIn) * (DAY_MS / dividedIn));
  return Number.isNaN(wall.getTime()) ? undefined : wall;
}
