import type { RecordOf } from '../contract/index.ts';
import { captainOf, entriesOf } from './week-lineups.ts';
import { weekNumber } from './week-number.ts';

type Lineup = RecordOf<'get-lineup'>;
type Squad = RecordOf<'get-squad'>;
type Entry = ReturnType<typeof entriesOf>[number]['entry'];

/** A chip that names the game week in which it was played. */
export interface PlayedChip {
  readonly chip: string | null;
  readonly week: string;
}

/** What standings and totals need of a squad's detail in a game week. What is not shown is null. */
export interface SquadFacts {
  readonly name: string | null;
  readonly user: Squad['user'];
  readonly fantasy_league: Squad['fantasy_league'];
  readonly weekPoints: number | null;
  readonly total: number | null;
  /** As the service showed it beside the total. */
  readonly rank: number | null;
  /** False where the points are those of another game week than the squad is of. */
  readonly isOfWeek: boolean;
  readonly value: number | null;
  readonly chips: readonly PlayedChip[];
}

/** The same of a squad's line-up. */
export interface LineupFacts {
  readonly name: string | null;
  readonly user: Lineup['user'];
  readonly points: number | null;
  readonly hits: number | null;
  /** What transfers cost, as a positive number, however it is written. */
  readonly paid: number | null;
  readonly captain: NonNullable<Entry['player']> | null;
  readonly captainPoints: number | null;
  /** Null where the points of a player on the bench are not shown. */
  readonly benchPoints: number | null;
  readonly players: readonly string[];
  readonly chips: readonly PlayedChip[];
  /** What the line-up calls the chip that was selected, where that is a text. */
  readonly selectedChip: string | null;
}

export function squadFacts({
  name,
  user,
  fantasy_league,
  ranking,
  game_week,
  finance,
  chips,
}: Partial<Squad>): SquadFacts {
  const [ofPoints, ofSquad] = [weekNumber(ranking?.game_week), weekNumber(game_week?.week)];
  return {
    ...{ name: name ?? null, user, fantasy_league },
    weekPoints: ranking?.game_week_points ?? null,
    total: ranking?.total_points ?? null,
    rank: ranking?.current_rank ?? null,
    isOfWeek: ofPoints === undefined || ofSquad === undefined || ofPoints === ofSquad,
    value: finance?.squad_value ?? null,
    chips: playedChips(chips),
  };
}

export function lineupFacts(lineup: Lineup): LineupFacts {
  const { hits, points_deduction: deduction } = lineup.transfer_hits ?? {};
  const entries = entriesOf(lineup);
  const captainId = captainOf(lineup);
  const captain = entries.find(
    ({ entry }) => captainId !== undefined && entry.player?.id === captainId,
  )?.entry;
  const bench = entries.filter(({ isStarting }) => !isStarting).map(({ entry }) => entry.points);
  const isKnown = bench.every((each) => typeof each === 'number');
  const { chip_selected: selected } = lineup;
  return {
    ...{ name: lineup.name ?? null, user: lineup.user },
    points: lineup.total_points ?? null,
    hits: hits ?? null,
    paid: typeof deduction === 'number' ? Math.abs(deduction) : null,
    captain: captain?.player ?? null,
    captainPoints: captain?.points ?? null,
    benchPoints: isKnown ? bench.reduce((sum, each) => sum + each, 0) : null,
    players: entries.flatMap(({ entry }) => entry.player?.id ?? []),
    chips: playedChips(lineup.chips),
    selectedChip: typeof selected === 'string' && selected !== '' ? selected : null,
  };
}

const playedChips = (chips: Squad['chips']): readonly PlayedChip[] =>
  (chips ?? []).flatMap(({ chip, game_week_played: week }) =>
    typeof week === 'string' && week !== '' ? [{ chip: chip ?? null, week }] : [],
  );
