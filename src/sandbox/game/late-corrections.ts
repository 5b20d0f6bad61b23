import { correct, type Counters } from './corrections.ts';
import type { Performance } from './match.ts';
import { between, chanceOf, pickWeighted } from './random.ts';
import { settleLeagues } from './settle.ts';
import { readPerformances } from './stats.ts';
import { int, type Store } from '../store/store.ts';
import type { GameWeek } from './weeks.ts';

const HOUR_MS = 3_600_000;

/** Corrects the week before one that begins, by seeded chance: an assist goes to a team mate, a booking is taken back, a goalkeeper gets a save more. */
export function correctSome(store: Store, week: GameWeek): void {
  const before = week.number - 1;
  const chance = chanceOf(`corrections ${before}`);
  const now = new Date(Date.parse(week.startDate) - between(chance, 1, 48) * HOUR_MS).toISOString();
  const clubOf = new Map(
    store.all('SELECT id, club_id FROM players', [], (row): [number, number] => [
      int(row, 'id'),
      int(row, 'club_id'),
    ]),
  );
  const change = ({ playerId }: Performance, counters: Counters): void => {
    correct(store, { week: before, playerId, counters, now });
  };
  const played = [...readPerformances(store, before).values()];
  const pickOne = (isMeant: (stat: Performance) => boolean): Performance | undefined =>
    pickWeighted(chance, played.filter(isMeant), () => 1);
  const giver = pickOne((stat) => stat.assists > 0);
  const other = pickOne(
    ({ playerId, minutes_played }) =>
      playerId !== giver?.playerId &&
      clubOf.get(playerId) === clubOf.get(giver?.playerId ?? 0) &&
      minutes_played === 90,
  );
  if (giver !== undefined && other !== undefined) {
    change(giver, { assists: giver.assists - 1 });
    change(other, { assists: other.assists + 1 });
  }
  const booked = pickOne((stat) => stat.yellow_cards > 0);
  if (booked !== undefined) change(booked, { yellow_cards: 0 });
  const keeper = pickOne((stat) => stat.saves > 0);
  if (keeper !== undefined) change(keeper, { saves: keeper.saves + 1 });
  settleLeagues(store, before, now);
}
