import type { RecordOf } from '../../contract/index.ts';
import type { PullMapping } from '../../mapping/mapping.ts';
import type { WeekChoice } from '../../mapping/week-choice.ts';
import type { LeagueScope } from '../../model/state/memory.ts';
import { newestSeason } from '../../season/seasons.ts';
import { latestKept } from '../memory/known-weeks.ts';
import { leagueWeeks, type LeagueWeek } from '../memory/league-weeks.ts';
import { markTriggered } from '../memory/processed.ts';
import { serviceNow } from '../memory/service-time.ts';
import { take, readOne, type Read, type ReadContext } from './read.ts';
import { readSince, stillNewSince, tellDaysOfWeeks } from './reuse.ts';
import { drain } from './share.ts';
import { detailRead, leagueOf, lineupRead } from './squads.ts';

type Kind = 'lineup' | 'squad';

/**
 * What is remembered of the game weeks that a mapping asks for, week by week. A week that the service still shows is read first, but for what was read of it
 * within a day, since its end and since its substitutions were processed. A week of which nothing was read has no records, and is told.
 */
export function weeksRead(mapping: PullMapping, choice: WeekChoice, kind: Kind): Read {
  const league = leagueOf(mapping.where);
  const reusable = stillNew(league, kind);
  const live: Read =
    kind === 'lineup' ? lineupRead(mapping.where, reusable) : detailRead(mapping.where, reusable);
  const name = `${JSON.stringify(choice)} of ${live.name}`;
  return {
    name,
    needs: [live],
    batches: async function* (context) {
      const { store, account } = context;
      const scope = { account, league };
      const { weeks, missing, stop } = await readChosen(choice, scope, context, [live]);
      const none = new Set(missing);
      for (const { week } of weeks) {
        let count = 0;
        for await (const { record } of latestKept(store.memory, scope, week.id, kind)) {
          if (!isWanted(record as RecordOf<'get-lineup'>, mapping.where)) continue;
          count += 1;
          yield [record];
        }
        if (count === 0 && week.number !== undefined) none.add(week.number);
      }
      tellMissing([...none], league, name, context);
      const ids = weeks.map(({ week }) => week.id);
      if (kind === 'squad') await tellDaysOfWeeks(name, scope, ids, context);
      if (stop !== undefined) throw stop;
    },
  };
}

/** Reads the week that the service shows into the memory; answers what stopped that where a part will do. */
export async function readLive(live: Read, context: ReadContext): Promise<Error | undefined> {
  try {
    await drain(take(live, context));
    return undefined;
  } catch (error) {
    if (!context.partial || !(error instanceof Error)) throw error;
    return error;
  } finally {
    await context.flush();
  }
}

/** Learns which week the service shows, and whether it still runs. */
export async function readShownWeek(league: number, context: ReadContext): Promise<void> {
  const { account, service, signal } = context;
  await readOne('get-fantasy-league', league, context);
  await service.get('get-fixtures', { id: league, signal });
  await context.flush();
  await markTriggered(context, account, league);
}

interface Chosen {
  readonly weeks: readonly LeagueWeek[];
  /** Numbers that name no week which has begun. */
  readonly missing: readonly number[];
}

/** The weeks of a choice, once what the service still shows of them was read; with what stopped that where a part will do. */
export async function readChosen(
  choice: WeekChoice,
  scope: LeagueScope,
  context: ReadContext,
  reads: readonly Read[],
): Promise<Chosen & { readonly stop: Error | undefined }> {
  if (!context.offline) await readShownWeek(scope.league, context);
  const before = await chosenWeeks(choice, scope, context);
  if (context.offline || before.weeks.every(({ isPast }) => isPast)) return { ...before, stop: undefined };
  let stop: Error | undefined;
  for (const read of reads) stop ??= await readLive(read, context);
  return { ...(await chosenWeeks(choice, scope, context)), stop };
}

export async function chosenWeeks(
  choice: WeekChoice,
  scope: LeagueScope,
  context: ReadContext,
): Promise<Chosen> {
  const all = await leagueWeeks(context.store.memory, scope, await serviceNow(context, scope.account));
  const last = choice.kind === 'last' ? all.findLast(({ isOver }) => isOver) : all.at(-1);
  if (choice.kind === 'all') return { weeks: all, missing: [] };
  if (choice.kind !== 'range') return { weeks: last === undefined ? [] : [last], missing: [] };
  const { from, to } = choice;
  const season = newestSeason(all);
  const newest = Math.max(...season.map(({ week }) => week.number ?? 0));
  const numbers = Array.from({ length: to - from + 1 }, (_, at) => from + at);
  // Of a range, weeks that are still to come are not missed.
  const asked = numbers.filter((number) => from === to || number <= newest);
  const found = asked.map((number) => season.filter(({ week }) => week.number === number));
  return {
    weeks: found.flatMap((weeks) => (weeks.length === 1 ? weeks : [])),
    missing: asked.filter((_, at) => found[at]?.length !== 1),
  };
}

/** What was read of the week that the service shows and would be the same if it was read again. */
export const stillNew =
  (league: number, kind: Kind) =>
  async (context: ReadContext): Promise<ReadonlyMap<string, RecordOf<'get-lineup' | 'get-squad'>>> => {
    const scope = { account: context.account, league };
    const { gameWeek, sinceMs } = await stillNewSince(scope, context);
    return gameWeek === undefined
      ? new Map()
      : readSince(context.store.memory, scope, gameWeek, kind, sinceMs);
  };

/** The filter of a mapping that the service applies to what it lists. */
const isWanted = (record: RecordOf<'get-lineup'>, { user_id }: PullMapping['where']): boolean =>
  user_id === undefined || Number(user_id) === record.user?.user_id;

export function tellMissing(
  missing: readonly number[],
  league: number,
  name: string,
  context: ReadContext,
): void {
  if (missing.length === 0) return;
  const weeks = missing.toSorted((one, other) => one - other);
  context.missingWeeks.set(name, weeks);
  // Only a week that is asked for alone may be one that has not begun.
  const [called, why] =
    weeks.length === 1
      ? [`game week ${weeks[0]}`, 'it has not begun, or was not read while the service showed it']
      : [`game weeks ${weeks.join(', ')}`, 'they were not read while the service showed them'];
  context.emit({
    kind: 'warning',
    message: `${context.mapping}: nothing is remembered of ${called} of fantasy league ${league}: ${why}`,
  });
}
