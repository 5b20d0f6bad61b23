import type { RecordOf } from '../../contract/index.ts';
import type { KeptKind, LeagueScope } from '../../model/state/memory.ts';
import { parseTimeMs } from '../../model/time/service-time.ts';
import { shownWeek } from '../../season/kept.ts';
import { latestKept, weeksFrom } from '../memory/known-weeks.ts';
import { keptRecords } from '../memory/league-records.ts';
import { leagueWeeks } from '../memory/league-weeks.ts';
import { earlierAheadMs, serviceNow } from '../memory/service-time.ts';
import { readOne, type ReadContext } from './read.ts';

/** Readings of squads or line-ups by the id that was asked for, which the read of that name need not ask for again. */
export type Reusable<Id extends 'get-lineup' | 'get-squad'> = (
  context: ReadContext,
  name: string,
) => Promise<ReadonlyMap<string, RecordOf<Id>>>;

/**
 * What an unfinished pull, which goes on, has read of the current game week of a league and of later ones. The league is asked which week that is: what was read of the week before,
 * or before the last turn of this one, is read again. Nothing where no league is named.
 */
export function readBefore<Id extends 'get-lineup' | 'get-squad'>(
  league: number | undefined,
  kind: Extract<KeptKind, 'lineup' | 'squad'>,
): Reusable<Id> {
  return async (context, name) => {
    const { continuedSinceMs, store, account } = context;
    if (league === undefined || continuedSinceMs === undefined) return new Map();
    const current = shownWeek(await readOne('get-fantasy-league', league, context));
    if (current === undefined) return new Map();
    const scope = { account, league };
    const { nowMs, atMs: turnMs } = await lastTurn(scope, context);
    const days = new Set([dayOf(nowMs)]);
    const sinceMs = Math.max(continuedSinceMs, turnMs);
    const found = await readSince<Id>(store.memory, scope, current, kind, sinceMs, (atMs) =>
      days.add(dayOf(atMs)),
    );
    if (kind === 'squad') tellDays(name, days, context);
    return found;
  };
}

const dayOf = (ms: number): string => new Date(ms).toISOString().slice(0, 10);

/** Marks a read whose ranks were read on these days, where there are several. */
function tellDays(name: string, on: ReadonlySet<string>, { mapping, readOn, emit }: ReadContext): void {
  if (on.size < 2) return;
  const days = [...on].toSorted();
  readOn.set(name, days);
  emit({
    kind: 'warning',
    message: `${mapping}: ranks were read on different days (${days.join(', ')}), so that they may not fit together`,
  });
}

/** Marks a read of what is remembered of game weeks, where the squads of one of them were read on different days. */
export async function tellDaysOfWeeks(
  name: string,
  scope: LeagueScope,
  gameWeeks: readonly string[],
  context: ReadContext,
): Promise<void> {
  let mixed: ReadonlySet<string> = new Set();
  for (const gameWeek of gameWeeks) {
    const readAt = await context.store.memory.readAt(scope, gameWeek, 'squad');
    const days = new Set(Array.from(readAt.values(), dayOf));
    if (days.size > 1) mixed = mixed.union(days);
  }
  tellDays(name, mixed, context);
}

/** The latest readings of a kind since a time, by their ids, in a game week that is the current one and in those after it. */
export async function readSince<Id extends 'get-lineup' | 'get-squad'>(
  memory: ReadContext['store']['memory'],
  scope: LeagueScope,
  gameWeek: string,
  kind: KeptKind,
  sinceMs: number,
  onFound?: (atMs: number) => unknown,
): Promise<ReadonlyMap<string, RecordOf<Id>>> {
  const found = new Map<string, RecordOf<Id>>();
  for (const week of await weeksFrom(memory, scope, gameWeek))
    for await (const { id, readAtMs, record } of latestKept(memory, scope, week, kind)) {
      if (readAtMs < sinceMs) continue;
      // A record of that kind is what the operation answered.
      found.set(id, record as RecordOf<Id>);
      onFound?.(readAtMs);
    }
  return found;
}

const DAY_MS = 24 * 60 * 60 * 1000;

type TurnContext = Pick<ReadContext, 'service' | 'store' | 'clock'>;

/**
 * When the week that a league shows changed last: it began, it ended, its substitutions were processed, or this state set the points configuration, by which a service may count all weeks
 * anew. What was read before is to be read again. Where nobody knows whether it was processed, the newest record of the log may be of it: line-ups after that record tell.
 */
async function lastTurn(scope: LeagueScope, context: TurnContext) {
  const nowMs = await serviceNow(context, scope.account);
  const shown = (await leagueWeeks(context.store.memory, scope, nowMs)).at(-1);
  const { week, processed, isOver = false } = shown ?? {};
  const set = await context.store.fact(scope.account, `points_config_id:${scope.league}`);
  // Facts bear our time.
  const setMs = set && Math.min(nowMs, set.atMs + (await earlierAheadMs(context, scope.account)));
  const processedMs =
    isOver && processed === undefined
      ? parseTimeMs((await keptRecords(context.store.memory, scope)).at(-1)?.created_at ?? '')
      : processed?.atMs;
  const turns = [week?.startMs, isOver ? week?.endMs : undefined, processedMs, setMs];
  const come = turns.filter((atMs = Number.NaN) => atMs <= nowMs).map(Number);
  return { nowMs, isOver, gameWeek: week?.id, atMs: Math.max(-Infinity, ...come) };
}

/**
 * The week that a league shows, and since when a reading of it need not be done again: within a day, and since an unfinished pull began that goes on, but never before the last turn of the week.
 * Infinity while the week runs.
 */
export async function stillNewSince(
  scope: LeagueScope,
  context: TurnContext & Pick<ReadContext, 'continuedSinceMs'>,
): Promise<{ readonly gameWeek: string | undefined; readonly sinceMs: number }> {
  const { nowMs, isOver, gameWeek, atMs } = await lastTurn(scope, context);
  const overSinceMs = isOver ? nowMs - DAY_MS : Infinity;
  return { gameWeek, sinceMs: Math.max(atMs, Math.min(overSinceMs, context.continuedSinceMs ?? Infinity)) };
}
