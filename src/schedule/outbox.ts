import type { Alert, Letter, SendResult } from '../model/state/alerts.ts';

const FIRST_WAIT_MS = 5000;
const LONGEST_WAIT_MS = 5 * 60_000;
const GIVE_UP_MS = 24 * 3_600_000;
/** As long as one try may take; meanwhile no other process sends the letter. */
const TAKEN_MS = 60_000;

/** How long an alert that ended is remembered, so that it is not told twice. */
export const REMEMBERED_MS = 365 * 24 * 3_600_000;

/** An address as the configuration names it, and what it wants to be told. */
interface Reader {
  readonly to: string;
  readonly on: ReadonlySet<Alert['event']>;
}

/** A letter for each alert and each address that wants it; what two entries say of one address goes out once. */
export function lettersFor(
  alerts: readonly Alert[],
  readers: readonly Reader[],
  nowMs: number,
): readonly Letter[] {
  return alerts.flatMap((alert) => {
    const wanting = new Set(readers.filter(({ on }) => on.has(alert.event)).map(({ to }) => to));
    return [...wanting].map((to) => letterTo(to, alert, nowMs));
  });
}

function letterTo(to: string, alert: Alert, nowMs: number): Letter {
  const id = JSON.stringify([to, alert.about]);
  return { id, to, alert, createdAtMs: nowMs, tries: 0, nextTryMs: nowMs, last: null, end: null };
}

/** Whether a letter waits for nothing more. A time further away than any wait comes of a clock that was set back. */
const isDue = ({ nextTryMs, end }: Letter, nowMs: number): boolean =>
  end === null && (nextTryMs <= nowMs || nextTryMs > nowMs + LONGEST_WAIT_MS);

/** A letter that this process sends now; undefined where it is not due, as when another process has just taken it. */
export const taken = (letter: Letter, nowMs: number): Letter | undefined =>
  isDue(letter, nowMs) ? { ...letter, nextTryMs: nowMs + TAKEN_MS } : undefined;

/** A letter after it was tried: sent, or due again after 5 s, doubling to 5 min, or given up after a day. */
export function afterTry(letter: Letter, result: SendResult, nowMs: number): Letter {
  const tries = letter.tries + 1;
  const tried = { ...letter, tries, last: { ...result, atMs: nowMs } };
  if (result.ok) return { ...tried, end: 'sent' };
  const nextTryMs = nowMs + Math.min(FIRST_WAIT_MS * 2 ** (tries - 1), LONGEST_WAIT_MS);
  return { ...tried, nextTryMs, end: nextTryMs - letter.createdAtMs > GIVE_UP_MS ? 'given_up' : null };
}
