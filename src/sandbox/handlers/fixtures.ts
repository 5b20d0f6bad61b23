import type { Handler } from '../context.ts';
import { int, intOrNull, text, type Row } from '../store/store.ts';
import { allWeeks, summaryOf } from '../game/weeks.ts';
import { requireLeague } from '../game/leagues.ts';

/** Every game week with its fixtures in order of kick-off (section 2.8); `goals` are null until the week is played. */
export const getFixtures: Handler<'get-fixtures'> = ({ store }, { id }) => {
  requireLeague(store, 'id', id);
  const rows = store.all(
    `SELECT f.*, h.name AS home_name, h.short_name AS home_short, a.name AS away_name, a.short_name AS away_short
     FROM fixtures f JOIN clubs h ON h.id = f.home_id JOIN clubs a ON a.id = f.away_id
     ORDER BY f.game_week, f.start_date, f.home_id`,
    [],
    (row) => ({ week: int(row, 'game_week'), fixture: toFixture(row) }),
  );
  const byWeek = Map.groupBy(rows, ({ week }) => week);
  const data = allWeeks(store).map((week) => ({
    ...summaryOf(week),
    fixtures: (byWeek.get(week.number) ?? []).map(({ fixture }) => fixture),
  }));
  return { message: 'Fixtures', data };
};

function toFixture(row: Row) {
  const id = text(row, 'id');
  const team = (side: 'home' | 'away') => ({
    id: int(row, `${side}_id`),
    name: text(row, `${side}_name`),
    abbrevation: text(row, `${side}_short`),
  });
  return {
    id,
    goals: { away: intOrNull(row, 'away_goals'), home: intOrNull(row, 'home_goals') },
    teams: { away: team('away'), home: team('home') },
    status: row['home_goals'] === null ? 'scheduled' : 'finished',
    start_date: text(row, 'start_date'),
    fixture_url: `https://fantasy.example/fixtures/${id}`,
  };
}
