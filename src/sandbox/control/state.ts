import type { Context } from '../context.ts';
import { gameWeeksAt, nextToPlay, summaryOf } from '../game/weeks.ts';
import { hidden, success, type Control } from './answer.ts';

/** The tables whose records the state counts. */
const COUNTED = [
  'users',
  'squads',
  'fantasy_leagues',
  'mini_leagues',
  'points_configs',
  'price_records',
  'auto_substitutions',
  'effects',
] as const;

/** What an operator sees of the service: its times and game weeks, what it holds, and how it is set. */
export function stateOf(context: Context) {
  const { store, season, limits, settings } = context;
  const now = season.now();
  const toPlay = nextToPlay(store);
  return {
    now,
    seed: store.readMeta('seed'),
    account_id: store.readMeta('account_id'),
    ...gameWeeksAt(context),
    game_week_to_play: toPlay === undefined ? null : summaryOf(toPlay),
    records: Object.fromEntries(
      COUNTED.map((table) => [table, store.count(`SELECT count(*) AS n FROM ${table}`)]),
    ),
    rate_limit: limits.windows(),
    settings,
  };
}

/** GET /state and POST /reset. */
export function addStateRoutes(control: Control, context: Context, reset: () => void): void {
  control.get('/state', hidden(), () => success('State', stateOf(context)));
  control.post('/reset', hidden(), () => {
    reset();
    return success('The service is new', stateOf(context));
  });
}
