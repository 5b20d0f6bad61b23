import { liveOn, type SeasonPlace } from './managers.ts';
import { COUNTERS, playMatch, type Footballer, type Performance, type Side } from './match.ts';
import { chanceOf, uuidOf } from './random.ts';
import { settleLeagues } from './settle.ts';
import { position } from './stats.ts';
import { int, text, type Store } from '../store/store.ts';
import { dueWeeks, type GameWeek } from './weeks.ts';

/**
 * Does, in order and in one transaction, what has come due at `now`. When a week begins, the demo's managers have changed their squads for it. A week that has ended
 * is played: results, statistics, and the points and ranks of every squad. Returns the numbers of the played weeks.
 */
export function advance(context: SeasonPlace, now: string): readonly number[] {
  const { store } = context;
  const due = dueWeeks(store, now);
  if (due.length === 0) return [];
  const ended = due.filter((week) => week.endDate <= now);
  store.transaction(() => {
    const sides = ended.length === 0 ? new Map<number, Side>() : readSides(store);
    for (const week of due) {
      if (!week.isBegun) beginWeek(context, week);
      if (week.endDate > now) continue;
      playWeek(store, week.number, sides);
      store.run('UPDATE game_weeks SET is_played = 1 WHERE number = ?', week.number);
      settleLeagues(store, week.number, now);
    }
  });
  return ended.map((week) => week.number);
}

function beginWeek(context: SeasonPlace, week: GameWeek): void {
  const { store } = context;
  store.run('UPDATE game_weeks SET is_begun = 1 WHERE number = ?', week.number);
  if (store.readMeta('seed') === 'demo') liveOn(context, week);
}

function readSides(store: Store): ReadonlyMap<number, Side> {
  const players = store.all('SELECT id, club_id, position FROM players ORDER BY id', [], (row) => ({
    id: int(row, 'id'),
    clubId: int(row, 'club_id'),
    position: position(row),
  }));
  const clubs = store.all('SELECT id, strength FROM clubs', [], (row): [number, Side] => {
    const count = { GK: 0, DEF: 0, MID: 0, FWD: 0 };
    const ranked = players
      .filter((player) => player.clubId === int(row, 'id'))
      .map((player): Footballer => ({ ...player, rank: count[player.position]++ }));
    return [int(row, 'id'), { strength: int(row, 'strength'), players: ranked }];
  });
  return new Map(clubs);
}

function playWeek(store: Store, number: number, sides: ReadonlyMap<number, Side>): void {
  const fixtures = store.all('SELECT * FROM fixtures WHERE game_week = ?', [number], (row) => ({
    id: text(row, 'id'),
    home: sides.get(int(row, 'home_id')),
    away: sides.get(int(row, 'away_id')),
  }));
  for (const { id, home, away } of fixtures) {
    if (home === undefined || away === undefined) continue;
    const result = playMatch(chanceOf(`match ${id}`), home, away);
    store.run(
      'UPDATE fixtures SET home_goals = ?, away_goals = ? WHERE id = ?',
      ...[result.homeGoals, result.awayGoals, id],
    );
    for (const performance of result.performances) writePerformance(store, number, id, performance);
  }
}

function writePerformance(store: Store, week: number, fixtureId: string, stat: Performance): void {
  store.run(
    'INSERT INTO weekly_stats VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)',
    ...[stat.playerId, week, uuidOf(`stat ${week} ${stat.playerId}`), fixtureId],
    ...COUNTERS.map((name) => stat[name]),
  );
}
