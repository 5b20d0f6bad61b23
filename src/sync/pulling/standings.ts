import type { PullMapping } from '../../mapping/mapping.ts';
import type { LeagueScope } from '../../model/state/memory.ts';
import { hangsOnBefore, standings, type StandingsWeek } from '../../season/standings.ts';
import type { GameWeek } from '../../season/game-week.ts';
import type { HitsInPoints } from '../../season/totals.ts';
import { learntHits } from '../memory/contradictions.ts';
import { leagueWeeks } from '../memory/league-weeks.ts';
import { WeekFacts } from '../memory/week-facts.ts';
import { serviceNow } from '../memory/service-time.ts';
import type { Read, ReadContext } from './read.ts';
import { tellDaysOfWeeks } from './reuse.ts';
import { detailRead, leagueOf, lineupRead } from './squads.ts';
import { chosenWeeks, readLive, readShownWeek, stillNew, tellMissing } from './weeks.ts';

/**
 * The standings of the game weeks that a mapping asks for, all of them where it names none, made of what is remembered of line-ups and squads; those of the week that the service shows
 * are read first. They are made from the week before on, because each hangs on the one before, and from an earlier one where a total does.
 */
export function standingsRead(mapping: PullMapping): Read {
  const { weeks: choice = { kind: 'all' } as const, where } = mapping;
  const league = leagueOf(where);
  const ofLeague = { fantasy_league_id: league };
  const lineups = lineupRead(ofLeague, stillNew(league, 'lineup'));
  const details = detailRead(ofLeague, stillNew(league, 'squad'));
  const group = where['group'] === undefined ? undefined : String(where['group']);
  const name = `standings ${league} ${JSON.stringify([choice, group])}`;
  return {
    name,
    needs: [lineups, details],
    batches: async function* (context) {
      const { store, account } = context;
      const scope = { account, league };
      const stop = context.offline ? undefined : await readShown([lineups, details], scope, context, choice);
      const { weeks: chosen, missing } = await chosenWeeks(choice, scope, context);
      const all = (await leagueWeeks(store.memory, scope, await serviceNow(context, account))).map(
        ({ week }) => week,
      );
      const ids = new Set(chosen.map(({ week }) => week.id));
      const asked = all.findIndex(({ id }) => ids.has(id));
      const until = all.findLastIndex(({ id }) => ids.has(id)) + 1;
      const facts = await WeekFacts.open(store.memory, scope);
      const begin = await beginning(all.slice(0, Math.max(0, asked)), facts);
      const none = new Set(missing);
      const groups = (await context.groups?.(context.mapping)) ?? [];
      const options = {
        hits: undefined as HitsInPoints,
        groups,
        group,
        first: await firstSquads(all, scope, context),
      };
      const next = standings(options);
      let isLearnt = false;
      for (const week of all.slice(begin.at, until)) {
        const kept = week === begin.kept?.week ? begin.kept : await keptWeek(week, facts);
        // It takes the facts of every squad of the season, and counts where a total has to be made.
        if (!isLearnt && hangsOnBefore(kept)) {
          options.hits = await learntHits(facts, all);
          isLearnt = true;
        }
        const rows = next(kept);
        if (!ids.has(week.id)) continue;
        if (kept.lineups.size + kept.squads.size > 0) yield rows;
        else if (week.number !== undefined) none.add(week.number);
      }
      // Where nobody asks for weeks, they are those that are remembered.
      if (mapping.weeks !== undefined) tellMissing([...none], league, name, context);
      await tellDaysOfWeeks(name, scope, [...ids], context);
      if (stop !== undefined) throw stop;
    },
  };
}

/** The last of the weeks before from which on standings are the same as from the first one on: that whose totals the service showed, or of which nothing is kept. */
async function beginning(
  before: readonly GameWeek[],
  facts: WeekFacts,
): Promise<{ readonly at: number; readonly kept?: StandingsWeek }> {
  for (const [at, week] of [...before.entries()].toReversed()) {
    const kept = await keptWeek(week, facts);
    if (!hangsOnBefore(kept)) return { at, kept };
  }
  return { at: 0 };
}

/** The squads of the first week of which anything is kept. */
async function firstSquads(
  weeks: readonly GameWeek[],
  scope: LeagueScope,
  { store: { memory } }: Pick<ReadContext, 'store'>,
): Promise<ReadonlySet<string> | undefined> {
  for (const { id } of weeks) {
    const [lineups, squads] = [
      await memory.readAt(scope, id, 'lineup'),
      await memory.readAt(scope, id, 'squad'),
    ];
    if (lineups.size + squads.size > 0) return new Set([...lineups.keys(), ...squads.keys()]);
  }
  return undefined;
}

/** Reads the week that the service shows, where it is one of those that are asked for. */
async function readShown(
  reads: readonly Read[],
  scope: LeagueScope,
  context: ReadContext,
  choice: Parameters<typeof chosenWeeks>[0],
): Promise<Error | undefined> {
  await readShownWeek(scope.league, context);
  const { weeks } = await chosenWeeks(choice, scope, context);
  if (weeks.every(({ isPast }) => isPast)) return undefined;
  for (const read of reads) {
    const stop = await readLive(read, context);
    if (stop !== undefined) return stop;
  }
  return undefined;
}

async function keptWeek(week: GameWeek, facts: WeekFacts): Promise<StandingsWeek> {
  return { week, lineups: await facts.lineups(week.id), squads: await facts.squads(week.id) };
}
