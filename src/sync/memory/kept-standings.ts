import type { LeagueScope, Memory } from '../../model/state/memory.ts';
import { hangsOnBefore, standings, type Standing, type StandingsOptions } from '../../season/standings.ts';
import type { HitsInPoints } from '../../season/totals.ts';
import { learntHits } from './contradictions.ts';
import type { LeagueWeek } from './league-weeks.ts';
import { WeekFacts } from './week-facts.ts';

/** The standings of one week that is asked for. */
export interface KeptStandings {
  readonly week: LeagueWeek['week'];
  /** Undefined where nothing is kept of the week. */
  readonly rows: readonly Standing[] | undefined;
}

/**
 * The standings of weeks of a season, by their ids, made of what is remembered of line-ups and squads. They are made from the week before on, because each hangs on the one before, and
 * from an earlier one where a total does.
 */
export async function* keptStandings(
  memory: Memory,
  scope: LeagueScope,
  season: readonly LeagueWeek[],
  ids: ReadonlySet<string>,
  groups: Pick<StandingsOptions, 'groups' | 'group'>,
): AsyncGenerator<KeptStandings> {
  const facts = await WeekFacts.open(memory, scope);
  const isAsked = ({ week }: LeagueWeek): boolean => ids.has(week.id);
  const asked = season.findIndex(isAsked);
  const begin = await beginning(season.slice(0, Math.max(0, asked)), facts);
  const options = {
    ...groups,
    hits: undefined as HitsInPoints,
    first: await firstSquads(memory, scope, season),
  };
  const next = standings(options);
  let isLearnt = false;
  const until = season.findLastIndex(isAsked) + 1;
  for (const [at, league] of season.slice(0, until).entries()) {
    if (at < begin) continue;
    const { week } = league;
    const kept = { week, lineups: await facts.lineups(week.id), squads: await facts.squads(week.id) };
    // It takes the facts of every squad of the season, and counts where a total has to be made.
    if (!isLearnt && hangsOnBefore(kept)) {
      options.hits = await learntHits(
        facts,
        season.map((each) => each.week),
      );
      isLearnt = true;
    }
    const rows = next(kept);
    const isKept = kept.lineups.size + kept.squads.size > 0;
    if (isAsked(league)) yield { week, rows: isKept ? rows : undefined };
  }
}

/** The last of the weeks before from which on standings are the same as from the first one on: that whose totals the service showed, or of which nothing is kept. */
async function beginning(before: readonly LeagueWeek[], facts: WeekFacts): Promise<number> {
  for (const [at, { week }] of [...before.entries()].toReversed()) {
    const [lineups, squads] = [await facts.lineups(week.id), await facts.squads(week.id)];
    if (!hangsOnBefore({ week, lineups, squads })) return at;
  }
  return 0;
}

/** The squads of the first week of which anything is kept. */
async function firstSquads(
  memory: Memory,
  scope: LeagueScope,
  season: readonly LeagueWeek[],
): Promise<ReadonlySet<string> | undefined> {
  for (const { week } of season) {
    const [lineups, squads] = [
      await memory.readAt(scope, week.id, 'lineup'),
      await memory.readAt(scope, week.id, 'squad'),
    ];
    if (lineups.size + squads.size > 0) return new Set([...lineups.keys(), ...squads.keys()]);
  }
  return undefined;
}
