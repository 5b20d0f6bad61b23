import type { Account } from '../../contract/resources/account.ts';
import { RATE_WINDOWS, windowLengthMs } from '../../model/budget.ts';
import { parseTimeMs } from '../../model/time/service-time.ts';

/** What reading a week takes. */
export interface WeekCost {
  readonly requests: number;
  /** Requests that the windows of the account have room for until the next week begins; undefined where that is not known, or everything fits. */
  readonly fits: number | undefined;
  /** The text of the next week. */
  readonly next: string | undefined;
  /** What will be missing: line-ups are read first. */
  readonly missing: { readonly lineups: number; readonly details: number };
}

/** Requests beside those for each squad: the account, the league and its fixtures. */
const FEW = 3;

/** Requests that find a points configuration: by an id that is remembered, else by the number of its league and then by the id that the league, read once more, shows. */
export const pointsCost = (isRemembered: boolean): number => (isRemembered ? 1 : 3);

/** What is to be read. */
export interface ToRead {
  readonly lineups: number;
  readonly details: number;
  readonly players: number;
  /** Pages of lists: the squads, and the log of substitutions. */
  readonly pages: number;
  /** What {@link pointsCost} says. */
  readonly points: number;
}

/** What reading costs, and how much of it fits before the next week begins at `untilMs`; NaN where that is not known. */
export function weekCost(
  account: Account,
  { lineups, details, players, pages, points }: ToRead,
  untilMs: number,
  next: string | undefined,
  nowMs: number,
): WeekCost {
  const rest = FEW + points + pages;
  const requests = rest + lineups + details + players;
  const room = roomUntil(account, untilMs, nowMs);
  const all = { requests, fits: undefined, next, missing: { lineups: 0, details: 0 } };
  if (room >= requests) return all;
  const left = Math.max(0, room - rest);
  const missing = {
    lineups: Math.max(0, lineups - left),
    details: Math.max(0, details - Math.max(0, left - lineups)),
  };
  return { ...all, fits: room, missing };
}

/** Requests that both windows have room for until a time; Infinity where nobody says. */
function roomUntil(account: Account, untilMs: number, nowMs: number): number {
  if (Number.isNaN(untilMs)) return Infinity;
  const rooms = RATE_WINDOWS.map((name) => {
    const { limit, remaining, reset_at, window } = account.config?.rate_limit?.[name] ?? {};
    if (typeof limit !== 'number') return Infinity;
    const lengthMs = windowLengthMs(name, window);
    const shownMs = parseTimeMs(reset_at ?? '');
    const resetMs = Number.isNaN(shownMs) ? nowMs + lengthMs : shownMs;
    const windows = untilMs <= resetMs ? 0 : 1 + Math.floor((untilMs - resetMs) / lengthMs);
    return (remaining ?? limit) + windows * limit;
  });
  return Math.max(0, Math.min(...rooms));
}
