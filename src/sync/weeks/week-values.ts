import type { RecordOf } from '../../contract/index.ts';
import type { Kept, LeagueScope, Memory } from '../../model/memory.ts';
import type { Rules } from '../../rules/rules.ts';
import type { KeptPlayer } from '../../season/known-players.ts';
import { playerValues, squadValues, type LineupPair } from '../../season/squad-values.ts';
import { standingsOf, type StandingsWeek } from '../../season/standings.ts';
import type { HitsInPoints } from '../../season/totals.ts';
import { weekLineups } from '../../season/week-lineups.ts';
import type { PlayerValues, WeekValues } from '../../season/week-values.ts';
import { eachKept, latestKept } from '../memory/known-weeks.ts';
import type { LeagueWeek } from '../memory/league-weeks.ts';

type Lineup = RecordOf<'get-lineup'>;

/** Where weeks are read from, and what they are told by. */
export interface WeekSource {
  readonly memory: Memory;
  readonly scope: LeagueScope;
  readonly rules: Pick<Rules, 'positions'>;
  readonly hits: HitsInPoints;
}

/** A week of a season with the number that its page has. */
export interface NumberedWeek {
  readonly league: LeagueWeek;
  readonly number: number;
  readonly kickOffMs: number;
  readonly mark: string;
}

/** What is remembered of weeks that follow each other, as it is published. A week of which nothing is kept has no squads. */
export async function readWeekValues(
  source: WeekSource,
  weeks: readonly NumberedWeek[],
): Promise<readonly WeekValues[]> {
  const found: WeekValues[] = [];
  let before: StandingsWeek | undefined;
  for (const { league, number, kickOffMs, mark } of weeks) {
    const { week, state, processed } = league;
    const { minutes, points } = await playersOf(source, week.id);
    const pairs = await lineupsOf(source, week.id, processed?.atMs);
    const lineups = new Map(
      [...pairs].flatMap(([id, { latest }]) => (latest === undefined ? [] : [[id, latest] as const])),
    );
    const now = { week, lineups, squads: await squadsOf(source, week.id) };
    const given = before === undefined ? [now] : [before, now];
    const standings = [...standingsOf(given, { hits: source.hits, groups: [] })].at(-1) ?? [];
    const players = new Map<string, PlayerValues>();
    for (const lineup of lineups.values())
      for (const player of playerValues(lineup, source.rules, points)) players.set(player.id, player);
    found.push({
      ...{ gameWeek: week.id, number, state, mark, kickOffMs, players },
      isProcessed: processed !== undefined,
      squads: standings.map((each) => squadValues(each, pairs.get(each.id) ?? {}, minutes)),
    });
    before = now;
  }
  return found;
}

/** The minutes and the own points of players in a week. */
async function playersOf({ memory, scope }: WeekSource, gameWeek: string) {
  const minutes = new Map<string, number>();
  const points = new Map<string, number>();
  for await (const { id, record } of latestKept(memory, scope, gameWeek, 'player')) {
    // Only `keptOfPlayer` makes such a record.
    const { stat } = record as KeptPlayer;
    if (typeof stat.minutes_played === 'number') minutes.set(id, stat.minutes_played);
    if (typeof stat.points === 'number') points.set(id, stat.points);
  }
  return { minutes, points };
}

/** The details of squads in a week. */
async function squadsOf({ memory, scope }: WeekSource, gameWeek: string) {
  const details = new Map<string, RecordOf<'get-squad'>>();
  for await (const { id, record } of latestKept(memory, scope, gameWeek, 'squad'))
    // Only `keptOfSquad` makes such a record.
    details.set(id, record as RecordOf<'get-squad'>);
  return details;
}

/** The line-ups of squads in a week, as they were shown last and before substitutions. */
async function lineupsOf(
  { memory, scope }: WeekSource,
  gameWeek: string,
  processedMs: number | undefined,
): Promise<ReadonlyMap<string, LineupPair>> {
  const found = new Map<string, LineupPair>();
  let readings: Kept[] = [];
  const take = (): void => {
    const [first] = readings;
    // Only `keptOfLineup` makes such a record.
    const all = readings.map(({ readAtMs, record }) => ({ readAtMs, record: record as Lineup }));
    if (first !== undefined) found.set(first.id, weekLineups(all, processedMs));
    readings = [];
  };
  for await (const kept of eachKept(memory, scope, gameWeek, 'lineup')) {
    if (readings[0]?.id !== kept.id) take();
    readings.push(kept);
  }
  take();
  return found;
}
