import type { RecordOf } from '../../contract/index.ts';
import type { LeagueScope, Memory } from '../../model/state/memory.ts';
import type { Rules } from '../../rules/rules.ts';
import { lineupFacts, type LineupFacts } from '../../season/squad-facts.ts';
import { playerValues, squadValues } from '../../season/squad-values.ts';
import type { GameWeek } from '../../season/game-week.ts';
import type { LoggedPair } from '../../season/pairs.ts';
import type { WeekLineups } from '../../season/week-lineups.ts';
import type { PlayerValues, WeekValues } from '../../season/week-values.ts';
import {
  keptLog,
  keptPlayers,
  keptRecords,
  keptWeeks,
  lineupsOf,
  tellLog,
  weekTimes,
} from '../memory/league-records.ts';
import { keptStandings } from '../memory/kept-standings.ts';
import type { LeagueWeek } from '../memory/league-weeks.ts';

type Lineup = RecordOf<'get-lineup'>;

/** Where weeks are read from, and what they are told by. */
export interface WeekSource {
  readonly memory: Memory;
  readonly scope: LeagueScope;
  readonly rules: Pick<Rules, 'positions'>;
  /** The weeks of the season, which standings hang on. */
  readonly season: readonly LeagueWeek[];
}

/** A week of a season with the number that its page has. */
export interface NumberedWeek {
  readonly league: LeagueWeek;
  readonly number: number;
  readonly kickOffMs: number;
  /** What is read from then on shows all of its matches; -Infinity while it is not over. */
  readonly wholeMs: number;
  readonly mark: string;
}

/** What is remembered of weeks that follow each other, as it is published. A week of which nothing is kept has no squads. */
export async function readWeekValues(
  source: WeekSource,
  weeks: readonly NumberedWeek[],
): Promise<readonly WeekValues[]> {
  const found: WeekValues[] = [];
  const places = new Map<string, ReadonlyMap<string, WeekLineups>>();
  const asked = new Map(weeks.map((each) => [each.league.week.id, each]));
  const ids = new Set(asked.keys());
  const read = new Map<string, ReadonlyMap<string, WeekLineups>>();
  const nextOf = (week: GameWeek): GameWeek | undefined =>
    source.season[source.season.findIndex((each) => each.week === week) + 1]?.week;
  const lineups = async (week: GameWeek): Promise<ReadonlyMap<string, LineupFacts>> => {
    const times = await weekTimes(source.memory, source.scope, week, nextOf(week));
    const pairs = await lineupsOf(source.memory, source.scope, week.id, times);
    read.set(week.id, pairs);
    return new Map(
      [...pairs].flatMap(([id, { latest }]) =>
        latest === undefined ? [] : [[id, lineupFacts(latest)] as const],
      ),
    );
  };
  const options = { groups: [], lineups };
  for await (const { week, rows = [], early, hasWholeRanks } of keptStandings(
    source.memory,
    source.scope,
    source.season,
    ids,
    options,
  )) {
    const its = asked.get(week.id);
    if (its === undefined) continue;
    const { number, kickOffMs, wholeMs, mark } = its;
    const { state, processed } = its.league;
    const { minutes, points } = await playersOf(source, { week, wholeMs });
    const pairs = read.get(week.id) ?? new Map<string, WeekLineups>();
    read.delete(week.id);
    places.set(week.id, new Map([...pairs].map(([id, lineups]) => [id, placesIn(lineups)])));
    const players = new Map<string, PlayerValues>();
    for (const { latest } of pairs.values())
      for (const player of latest === undefined ? [] : playerValues(latest, source.rules, points, players))
        players.set(player.id, player);
    found.push({
      ...{ gameWeek: week.id, number, state, mark, kickOffMs, players },
      ...{ isProcessed: processed !== undefined, hasWholeRanks },
      squads: rows.map((each) =>
        squadValues(each, pairs.get(each.id) ?? {}, minutes, early.lineups.get(each.id)),
      ),
    });
  }
  return withLog(source, found, places);
}

/** Only who stands where, in which line-ups of a season are small. */
function placesIn({ latest, before, after }: WeekLineups): WeekLineups {
  const places = latest && placesOf(latest);
  return {
    ...(places && { latest: places }),
    ...(before && { before: placesOf(before) }),
    // It is the one that was shown last.
    ...(after && places && { after: places }),
  };
}

function placesOf({ id, squad }: Lineup): Lineup {
  const of = (entries: NonNullable<typeof squad>['bench']) =>
    entries?.map(({ player, is_captain }) => ({ player: { id: player?.id }, is_captain }));
  return { id, squad: { starting_xi: of(squad?.starting_xi), bench: of(squad?.bench) } };
}

/** No week has its line-ups read. */
const NONE = { kind: 'range', from: 1, to: 0 } as const;

/** The weeks with the substitutions that the log says; where it has none of a squad, those that its two line-ups show stay. */
async function withLog(
  { memory, scope }: WeekSource,
  weeks: readonly WeekValues[],
  places: ReadonlyMap<string, ReadonlyMap<string, WeekLineups>>,
): Promise<readonly WeekValues[]> {
  const all = await keptWeeks(memory, scope, NONE);
  const known = all.map((each) => ({ ...each, lineups: places.get(each.week.id) ?? each.lineups }));
  const { pairs } = await keptLog(memory, scope, known);
  const logged = Map.groupBy(pairs, ({ week, squad }) =>
    JSON.stringify([week, (squad?.id ?? '').toLowerCase()]),
  );
  const idOf = (record: LoggedPair['out']): string | undefined => record && String(record.player?.id ?? '');
  return weeks.map((week) => ({
    ...week,
    squads: week.squads.map((squad) => {
      const own = logged.get(JSON.stringify([week.gameWeek, squad.squad]));
      const told = own?.filter((pair) => pair.out !== undefined || pair.in !== undefined) ?? [];
      if (told.length === 0) return squad;
      return { ...squad, substitutions: told.map((pair) => ({ out: idOf(pair.out), in: idOf(pair.in) })) };
    }),
  }));
}

/** How many records of each squad the log has in each week, by the ids of both, as far as that is told without line-ups. */
export async function loggedRecords(
  memory: Memory,
  scope: LeagueScope,
): Promise<ReadonlyMap<string, ReadonlyMap<string, number>>> {
  const { records, weekOf } = tellLog(await keptRecords(memory, scope), await keptWeeks(memory, scope, NONE));
  return new Map(
    [...Map.groupBy(records, ({ id }) => weekOf.get(id) ?? '')].map(([week, its]) => {
      const bySquad = Map.groupBy(its, ({ squad }) => (squad?.id ?? '').toLowerCase());
      return [week, new Map([...bySquad].map(([squad, own]) => [squad, own.length]))];
    }),
  );
}

/** The minutes and the own points of players in a week; once it is over, none from before its last match. */
async function playersOf({ memory, scope, rules }: WeekSource, week: Parameters<typeof keptPlayers>[2]) {
  const minutes = new Map<string, number>();
  const points = new Map<string, number>();
  for (const [id, { stat }] of await keptPlayers(memory, scope, week, rules)) {
    if (typeof stat.minutes_played === 'number') minutes.set(id, stat.minutes_played);
    if (typeof stat.points === 'number') points.set(id, stat.points);
  }
  return { minutes, points };
}
