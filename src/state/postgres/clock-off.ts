import { StoppedError } from '../../model/error.ts';
import type { Clock } from '../../model/ports.ts';
import { integer } from '../sql-row.ts';
import type { Database, Statements } from './database.ts';

/** The longest that the clock of a machine which writes may be from that of the database. */
export const CLOCK_TOLERANCE_MS = 5_000;

/** How far the clock of a database is surely from that of this machine. */
export async function clockOffMs(statements: Statements, clock: Pick<Clock, 'now'>): Promise<number> {
  const askedMs = clock.now();
  const [now = []] = await statements.all('SELECT (extract(epoch FROM clock_timestamp()) * 1000)::bigint');
  const answeredMs = clock.now();
  const nowMs = integer(now, 0);
  return Math.max(0, askedMs - nowMs, nowMs - answeredMs);
}

/**
 * Machines tell by their clocks how long ago another one sent a write: by a wrong one, what may still be applied would be sent again. Errors: StoppedError
 * `lock.clock`; those of the database.
 */
export async function refuseOtherTime(
  db: Database,
  clock: Pick<Clock, 'now'>,
  toleranceMs: number,
): Promise<void> {
  const offMs = await db.alone((statements) => clockOffMs(statements, clock));
  if (offMs <= toleranceMs) return;
  throw new StoppedError(
    'lock.clock',
    `the clock of this machine is ${Math.round(offMs / 1000)} s off that of ${db.name}: other machines could not tell how long ago it sent a write`,
    { next: 'Set the clock of this machine or of the database, then run the command again.' },
  );
}
