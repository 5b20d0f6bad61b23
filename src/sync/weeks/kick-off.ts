import type { RecordOf } from '../../contract/index.ts';
import type { LeagueScope, Memory } from '../../model/state/memory.ts';
import { isBroughtForward } from '../../model/time/moved-matches.ts';
import { parseTimeMs } from '../../model/time/service-time.ts';
import { inOrder, type GameWeek } from '../../season/game-week.ts';
import { knownWeeks, listedMatches } from '../memory/known-weeks.ts';

type Match = NonNullable<RecordOf<'get-fixtures'>['fixtures']>[number];

/** The match of a week that begins first, as it was read last, but for those that are played before the week. */
export interface FirstMatch {
  readonly kickOffMs: number;
  readonly readAtMs: number;
  readonly status: string;
}

/** The first match of a week whose time is known; undefined where none is. `last` is the week before. */
export async function firstMatch(
  memory: Memory,
  scope: LeagueScope,
  week: GameWeek,
  last: GameWeek | undefined,
): Promise<FirstMatch | undefined> {
  let first: FirstMatch | undefined;
  for (const { record, readAtMs } of await listedMatches(memory, scope, week.id)) {
    // Only `keptOfFixtures` makes such a record.
    const { start_date, status } = record as Match;
    const kickOffMs = parseTimeMs(start_date ?? '');
    if (isBroughtForward(kickOffMs, week, last)) continue;
    if (Number.isNaN(kickOffMs) || kickOffMs >= (first?.kickOffMs ?? Infinity)) continue;
    first = { kickOffMs, readAtMs, status: status ?? '' };
  }
  return first;
}

/** Whether a match has begun: its time has come, and the service has not shown since that it waits. `waiting` are the words for matches of weeks to come. */
export function hasBegun(
  { kickOffMs, readAtMs, status }: FirstMatch,
  waiting: ReadonlySet<string>,
  nowMs: number,
): boolean {
  if (nowMs < kickOffMs) return false;
  return !(readAtMs >= kickOffMs && waiting.has(status));
}

/** The words for matches that have not begun: those of the weeks after the last that has. The interface does not show them. */
export async function waitingWords(
  memory: Memory,
  scope: LeagueScope,
  begun: ReadonlySet<string>,
): Promise<ReadonlySet<string>> {
  const words = new Set<string>();
  const weeks = inOrder(await knownWeeks(memory, scope));
  for (const { id, startMs } of weeks.slice(weeks.findLastIndex((week) => begun.has(week.id)) + 1))
    for (const { record } of await listedMatches(memory, scope, id)) {
      const { start_date, status } = record as Match;
      // One that is played before its week may be over.
      if (!(parseTimeMs(start_date ?? '') < startMs)) words.add(status ?? '');
    }
  return words;
}
