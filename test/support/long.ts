/** The long form of the tests: full counts, seeds of chance, and the built program wherever a command runs. `npm run test:long` asks for it. */
export const isLong = process.env['TEAMSHEET_LONG'] !== undefined;

/** How many: the short form, and the full count where time is no matter. */
export const runs = (short: number, full: number): number => (isLong ? full : short);
