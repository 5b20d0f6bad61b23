import type { RecordOf } from '../../contract/index.ts';
import type { KeptCount, KeptKind, LeagueScope, Memory } from '../../model/state/memory.ts';
import { parseTimeMs } from '../../model/time/service-time.ts';
import { inOrder, type GameWeek } from '../../season/game-week.ts';
import { shownText } from '../../season/week-number.ts';
import { weekState, type Processed, type StateOfWeek, isOver } from '../../season/week-state.ts';
import { contradictions, type Contradicted } from './contradictions.ts';
import { awaitedMatches, eachKept, knownWeeks, processedIn } from './known-weeks.ts';
import { unreadIn } from './unread.ts';
import { WeekFacts } from './week-facts.ts';

/** A game week of a league with what is remembered of it. */
export interface LeagueWeek extends StateOfWeek {
  readonly week: GameWeek;
  readonly isOver: boolean;
  /** A later week was shown as the current one: its line-ups cannot be read any more. */
  readonly isPast: boolean;
  readonly processed: Processed | undefined;
  readonly lineups: KeptCount | undefined;
  readonly squads: KeptCount | undefined;
  /** What the totals of the next week contradict; nothing where they are not checked. */
  readonly contradicted: Contradicted;
}

/**
 * The game weeks of a league that have begun, in their order, with their states. Whether a week has begun or is over follows the service where it was read after
 * the time in question, else the time. A week is found to be `stale` where totals are checked alone: that needs the facts of every squad of the season.
 */
export async function leagueWeeks(
  memory: Memory,
  scope: LeagueScope,
  nowMs: number,
  totals: 'checked' | 'unchecked' = 'unchecked',
): Promise<readonly LeagueWeek[]> {
  const weeks = inOrder(await knownWeeks(memory, scope));
  const counts = await memory.weeks(scope);
  const countOf = (week: GameWeek, kind: KeptKind): KeptCount | undefined =>
    counts.find((each) => each.gameWeek === week.id && each.kind === kind);
  const shown = await shownAt(memory, scope, weeks);
  const lastShown = shown.at(-1);
  const read = weeks.filter((week) => countOf(week, 'lineup') !== undefined);
  const turnedTo = await lastTurn(memory, scope, read, lastShown !== undefined);
  const turned = weeks.findIndex(({ id }) => id === turnedTo);
  const begun = weeks.filter((week, at) => {
    if (Math.max(lastShown?.index ?? -1, turned) >= at) return true;
    // The service showed an earlier week at a time when this one should have begun.
    const isHeldBack = lastShown !== undefined && lastShown.atMs >= week.startMs;
    return week.startMs <= nowMs && !isHeldBack;
  });
  const contradicted =
    totals === 'checked'
      ? await contradictions(await WeekFacts.open(memory, scope), weeks)
      : new Map<string, Contradicted>();
  const waiting = await waitingMatches(memory, scope, weeks, lastShown?.index ?? -1);
  const found: LeagueWeek[] = [];
  for (const week of begun) {
    const at = weeks.indexOf(week);
    const lineups = countOf(week, 'lineup');
    const squads = countOf(week, 'squad');
    const isPast = turned > at || shown.some(({ index }) => index > at);
    const { lastKickOffMs = -Infinity, waitingAtMs } = waiting.get(week.id) ?? {};
    const earlier = shown.filter(({ index }) => index < at).map(({ atMs }) => atMs);
    const endMs = Math.max(week.endMs, lastKickOffMs);
    const unread = await unreadIn(memory, scope, week.id);
    const facts = {
      startMs: week.startMs,
      endMs,
      nextStartMs: weeks[at + 1]?.startMs ?? Number.NaN,
      isPast,
      runningAtMs: Math.max(waitingAtMs ?? -Infinity, ...earlier),
      lineups,
      squads: Math.max(squads?.ids ?? 0, (lineups?.ids ?? 0) + (unread?.squads ?? 0)),
      isPart: unread?.isPart === true,
      isRead: unread?.isPart === false && unread.squads === 0 && !(unread.atMs < endMs),
      processed: await processedIn(memory, scope, week.id),
      contradicted: contradicted.get(week.id) ?? { squads: 0, points: 0 },
    };
    const { processed, contradicted: ofWeek } = facts;
    found.push({
      week,
      isOver: isOver(facts, nowMs),
      isPast,
      processed,
      lineups,
      squads,
      contradicted: ofWeek,
      ...weekState(facts, nowMs),
    });
  }
  return found;
}

/** Whether each game week that has begun is over, by its id. A squad that was made late shows the one in which it begins before that. */
export async function begunWeeks(
  memory: Memory,
  scope: LeagueScope,
  nowMs: number,
): Promise<ReadonlyMap<string, boolean>> {
  return new Map((await leagueWeeks(memory, scope, nowMs)).map(({ week, isOver }) => [week.id, isOver]));
}

/** The weeks that a league showed as the current one, in the order of their last such reading. */
async function shownAt(memory: Memory, scope: LeagueScope, weeks: readonly GameWeek[]) {
  const found: { readonly index: number; readonly atMs: number }[] = [];
  for (const [index, week] of weeks.entries())
    for await (const { id, readAtMs } of eachKept(memory, scope, week.id, 'mark'))
      if (id === 'current') found.push({ index, atMs: readAtMs });
  return found.toSorted((one, other) => one.atMs - other.atMs);
}

/**
 * The id of the last week that the squads of an earlier one have turned to: more than half of them were shown in it. Squads that were made late show the week in which they begin, so that
 * how many a week has says little; it counts where the service was never asked which week is the current one.
 */
async function lastTurn(
  memory: Memory,
  scope: LeagueScope,
  read: readonly GameWeek[],
  isShown: boolean,
): Promise<string | undefined> {
  let later: ReadonlyMap<string, number> | undefined;
  for (const [index, { id }] of [...read.entries()].toReversed()) {
    const own = await memory.readAt(scope, id, 'lineup');
    const both = [...own.keys()].filter((squad) => later?.has(squad) === true).length;
    if (later !== undefined && Math.max(both, isShown ? 0 : later.size) * 2 > own.size)
      return read[index + 1]?.id;
    later = own;
  }
  return isShown ? undefined : read[0]?.id;
}

interface Matches {
  readonly lastKickOffMs: number;
  /** When a match was last seen whose status is a word of weeks that have not begun. */
  readonly waitingAtMs: number | undefined;
}

/** What the fixtures say of matches that were not put off to a later week. The words of `status` are not shown by the interface: those of weeks after the current one are the words for matches that have not begun, but for matches that are played before their week. */
async function waitingMatches(
  memory: Memory,
  scope: LeagueScope,
  weeks: readonly GameWeek[],
  current: number,
): Promise<ReadonlyMap<string, Matches>> {
  const all: {
    readonly at: number;
    readonly id: string;
    readonly startMs: number;
    readonly kickOffMs: number;
    readonly status: string;
    readonly readAtMs: number;
  }[] = [];
  for (const [at, { id, startMs }] of weeks.entries())
    for (const { record, readAtMs } of await awaitedMatches(memory, scope, id, weeks[at + 1])) {
      const { start_date, status } = record as RecordOf<'get-fixtures'> & { readonly status?: unknown };
      const kickOffMs = parseTimeMs(shownText(start_date));
      all.push({ at, id, startMs, kickOffMs, status: shownText(status), readAtMs });
    }
  const notBegun = new Set(
    current === -1
      ? []
      : all
          .filter(({ at, kickOffMs, startMs }) => at > current && !(kickOffMs < startMs))
          .map(({ status }) => status),
  );
  return new Map(
    [...Map.groupBy(all, ({ id }) => id)].map(([id, matches]) => {
      const kickOffs = matches.map(({ kickOffMs }) => kickOffMs).filter((ms) => !Number.isNaN(ms));
      const waiting = matches.filter(({ status }) => notBegun.has(status)).map(({ readAtMs }) => readAtMs);
      const waitingAtMs = waiting.length === 0 ? undefined : Math.max(...waiting);
      return [id, { lastKickOffMs: Math.max(-Infinity, ...kickOffs), waitingAtMs }];
    }),
  );
}
