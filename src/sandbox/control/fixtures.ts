import * as z from 'zod';
import type { Context } from '../context.ts';
import { Refusal } from '../refusal.ts';
import { int, text } from '../store/store.ts';
import { parseTime } from '../time.ts';
import { requireWeek } from '../game/weeks.ts';
import { hidden, success, type Control } from './answer.ts';

const params = z.object({ id: z.string() });
const body = z.strictObject({ start_date: z.string() });

/** POST /fixtures/ID: moves the kick-off of a match that is still to come, within its game week. */
export function addFixtureRoutes(control: Control, { store, season, views }: Context): void {
  control.post('/fixtures/:id', hidden({ params, body }), ({ params: { id }, body: { start_date } }) => {
    const fixture = store.get('SELECT * FROM fixtures WHERE id = ?', [id.toLowerCase()], (row) => ({
      week: int(row, 'game_week'),
      kickOff: text(row, 'start_date'),
    }));
    if (fixture === undefined) throw new Refusal(404, `id: there is no fixture ${id}`);
    const now = season.now();
    if (fixture.kickOff <= now) throw new Refusal(422, `id: the match kicked off at ${fixture.kickOff}`);
    const { startDate, endDate } = requireWeek(store, fixture.week);
    const to = parseTime(start_date);
    const earliest = startDate > now ? startDate : now;
    if (to === undefined || to < earliest || to >= endDate)
      throw new Refusal(
        422,
        `start_date: must be a time in game week ${fixture.week} that is still to come, from ${earliest} to ${endDate}`,
      );
    store.run('UPDATE fixtures SET start_date = ? WHERE id = ?', to, id.toLowerCase());
    views.note();
    return success(`The match of game week ${fixture.week} was moved`, {
      ...{ id: id.toLowerCase(), game_week: String(fixture.week) },
      ...{ was: fixture.kickOff, start_date: to },
    });
  });
}
