import type { RecordOf } from '../../contract/index.ts';
import { renderCountOf } from '../../model/count.ts';
import { shownWeek } from '../../season/kept.ts';
import { weeksFrom } from '../memory/known-weeks.ts';
import { readOne, type ReadContext, type Watch } from './read.ts';

/**
 * Remembers of which squads of a whole league the line-up is still to be read: a reading may stop, or the game week may turn meanwhile, and what it has read is not all of the week.
 * `current` is the week that the league showed before, where that is known.
 */
export function leagueWatch(
  league: number,
  context: ReadContext,
  ids: readonly string[],
  current?: string,
): Watch<RecordOf<'get-lineup'>> {
  const shownIn = new Map<string, string[]>();
  /** Squads that were made late: they were seen in a later week before. */
  const late = new Set<string>();
  const begin = async (week: string): Promise<string[]> => {
    const own: string[] = [];
    shownIn.set(week, own);
    for (const id of await squadsAfter(week, league, context)) late.add(id);
    await context.keepUnread(league, week, ids);
    return own;
  };
  return {
    begin: async () => {
      if (current !== undefined) await begin(current);
    },
    seen: async (lineup, id) => {
      const week = shownWeek(lineup);
      if (week !== undefined) (shownIn.get(week) ?? (await begin(week))).push(id.toLowerCase());
    },
    end: async (failed) => {
      const still = shownIn.size > 1 ? await weeksStill(league, context) : undefined;
      const isPast = (week: string): boolean => still?.includes(week) === false;
      const turned = [...shownIn].flatMap(([week, its]) => (isPast(week) ? [] : its));
      if ([...shownIn.keys()].some(isPast)) tellTurn(turned.length, context);
      const lacking = turned.filter((id) => !late.has(id));
      // What a week that is past has not shown of a squad, it shows no more. Of which the service shows no line-up at all, there is none to wait for.
      for (const week of shownIn.keys())
        await context.keepUnread(league, week, isPast(week) ? [...lacking, ...failed] : failed);
    },
  };
}

/** A report has line-ups of both weeks then. */
function tellTurn(turned: number, { mapping, emit }: ReadContext): void {
  const lineups = renderCountOf(turned, 'line-up is', 'line-ups are');
  const message = `${mapping}: the next game week began while line-ups were read: ${lineups} of that week`;
  emit({ kind: 'warning', message });
}

/** The squads of which a line-up is kept in a later week. */
async function squadsAfter(
  week: string,
  league: number,
  { store, account }: ReadContext,
): Promise<readonly string[]> {
  const scope = { account, league };
  const later = (await weeksFrom(store.memory, scope, week)).filter((id) => id !== week);
  const readAt = await Promise.all(later.map((id) => store.memory.readAt(scope, id, 'lineup')));
  return readAt.flatMap((each) => [...each.keys()]);
}

/** The week that the league shows now, and those after it; undefined where it shows none. */
async function weeksStill(league: number, context: ReadContext): Promise<readonly string[] | undefined> {
  const { store, account } = context;
  const now = shownWeek(await readOne('get-fantasy-league', league, context));
  await context.flush();
  return now === undefined ? undefined : weeksFrom(store.memory, { account, league }, now);
}
