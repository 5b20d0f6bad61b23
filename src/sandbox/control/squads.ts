import * as z from 'zod';
import { CHIPS, chipIn, chipsOf, playChip } from '../game/chips.ts';
import { chooseLineup } from '../game/choose-lineup.ts';
import type { Context } from '../context.ts';
import { financeOf, requireSquad, type SquadRow } from '../handlers/squads.ts';
import { ownLineup, readPlaces } from '../game/kept-lineups.ts';
import { Refusal } from '../refusal.ts';
import { HIT_POINTS, freeTransfers, hitsOf, listTransfers, makeTransfers } from '../game/transfers.ts';
import { LAST_WEEK, openWeekNumber, requireWeek } from '../game/weeks.ts';
import { hidden, success, type Control } from './answer.ts';

const params = z.object({ id: z.string() });
const playerId = z.int().min(1);

const transfersBody = z.strictObject({ out: z.array(playerId).min(1), in: z.array(playerId).min(1) });
const lineupBody = z.strictObject({
  starting: z.array(playerId),
  bench: z.array(playerId),
  captain: playerId,
  vice_captain: playerId,
});
const chipBody = z.strictObject({ chip: z.enum(CHIPS) });

/** What the owner of a squad does for the first game week that has not begun, which the service has no operation for: transfers, another line-up, a chip. */
export function addSquadRoutes(control: Control, context: Context): void {
  const { store, season, views } = context;
  const change = (id: string, work: (squad: SquadRow, week: number, now: string) => string) => {
    const answer = store.transaction(() => {
      const squad = requireSquad(context, id);
      const week = requireOpenWeek(context);
      return success(work(squad, week, season.now()), planOf(context, squad, week));
    });
    views.note();
    return answer;
  };
  control.post('/squads/:id/transfers', hidden({ params, body: transfersBody }), ({ params: { id }, body }) =>
    change(id, (squad, week, now) => {
      makeTransfers(context, squad, { ...body, week, now });
      return `${body.in.length} transfers for game week ${week}`;
    }),
  );
  control.post(
    '/squads/:id/lineup',
    hidden({ params, body: lineupBody }),
    ({ params: { id }, body: { vice_captain: viceCaptain, ...rest } }) =>
      change(id, (squad, week) => {
        chooseLineup(store, squad.number, week, { ...rest, viceCaptain });
        return `The line-up of game week ${week}`;
      }),
  );
  control.post(
    '/squads/:id/chips',
    hidden({ params, body: chipBody }),
    ({ params: { id }, body: { chip } }) =>
      change(id, (squad, week, now) => {
        playChip(store, squad, { chip, week, now });
        return `${chip} is played in game week ${week}`;
      }),
  );
}

function requireOpenWeek({ store, season }: Context): number {
  const week = openWeekNumber(store, season.now());
  if (week <= LAST_WEEK) return week;
  const { startDate } = requireWeek(store, LAST_WEEK);
  throw new Refusal(422, `the last game week began at ${startDate}; a squad can be changed until then`);
}

/** How a squad stands for a week that has not begun. */
function planOf({ store, settings }: Context, squad: SquadRow, week: number) {
  const hits = hitsOf(store, squad.number, week);
  const places = readPlaces(store, ownLineup(store, squad.number, week).number);
  return {
    squad: { id: squad.id, name: squad.name },
    game_week: String(week),
    starting: places.filter(({ isStarting }) => isStarting).map((place) => place.playerId),
    bench: places.filter(({ isStarting }) => !isStarting).map((place) => place.playerId),
    captain: places.find(({ isCaptain }) => isCaptain)?.playerId ?? null,
    vice_captain: places.find(({ isViceCaptain }) => isViceCaptain)?.playerId ?? null,
    transfers: listTransfers(store, squad.number, week),
    transfer_hits: { hits, points_deduction: HIT_POINTS * hits },
    free_transfers: freeTransfers(store, squad, week, settings),
    chip: chipIn(store, squad.number, week),
    chips: chipsOf(store, squad.number),
    finance: financeOf(store, squad, week),
  };
}
