import { WAIVING, chipIn } from './chips.ts';
import { changeLineup, ownLineup, readPlaces, type OwnedPlace } from './kept-lineups.ts';
import { readMarketPlayer, type MarketPlayer } from './market.ts';
import { Refusal } from '../refusal.ts';
import { checkSquad } from './squad-rules.ts';
import { flag, int, type Store } from '../store/store.ts';
import type { Settings } from '../switches.ts';

/** What each transfer beyond the free ones costs. */
export const HIT_POINTS = 4;

/** What a squad is changed by. */
export interface OwnedSquad {
  readonly number: number;
  readonly leagueId: number;
  readonly firstWeek: number;
}

/** Which players go and come, for a week that has not begun. */
interface Swap {
  readonly week: number;
  readonly out: readonly number[];
  readonly in: readonly number[];
  readonly now: string;
}

/**
 * Transfers players in one step, sold and bought at the prices of now. Who comes takes the place in the line-up of one who goes: of the same position
 * where there is one, else of the first one left.
 * @throws Refusal 400 for lists that do not fit the squad, 404 for an unknown player, 400 where the settings ask for squads by the rules.
 */
export function makeTransfers(
  {
    store,
    settings,
  }: { readonly store: Store; readonly settings: Pick<Settings, 'squad_rules' | 'free_transfers_kept'> },
  squad: OwnedSquad,
  swap: Swap,
): void {
  const { number, bank } = ownLineup(store, squad.number, swap.week);
  const places = readPlaces(store, number);
  checkLists(places, swap);
  const coming = swap.in.map((id, index) => readMarketPlayer(store, squad.leagueId, id, `in[${index}]`));
  const going = swap.out.map((id) => readMarketPlayer(store, squad.leagueId, id, 'out'));
  const pairs = pair(going, coming);
  const left = bank + pairs.reduce((sum, [out, into]) => sum + out.price - into.price, 0);
  const after = places.map((place): OwnedPlace => {
    const into = pairs.find(([out]) => out.playerId === place.playerId)?.[1];
    if (into === undefined) return place;
    return { ...place, playerId: into.playerId, position: into.position, pricePaid: into.price };
  });
  if (settings.squad_rules === 'refuse') {
    const players = after.map(({ playerId }) => readMarketPlayer(store, squad.leagueId, playerId, 'in'));
    checkSquad('in', players, left);
  }
  const free = freeTransfers(store, squad, swap.week, settings);
  const isWaived = waives(store, squad.number, swap.week);
  for (const [index, [out, into]] of pairs.entries()) {
    store.run(
      'INSERT INTO transfers VALUES (NULL, ?, ?, ?, ?, ?, ?, ?, ?)',
      ...[squad.number, swap.week, out.playerId, into.playerId, out.price, into.price],
      ...[Number(!isWaived && index >= free), swap.now],
    );
  }
  changeLineup(store, { squad: squad.number, gameWeek: swap.week, bank: left }, after);
}

function checkLists(places: readonly OwnedPlace[], { out, in: into }: Swap): void {
  const own = new Set(places.map(({ playerId }) => playerId));
  if (out.length !== into.length) {
    throw new Refusal(400, `in: ${into.length} players for ${out.length} in out; name as many as go`);
  }
  for (const [field, ids] of [
    ['out', out],
    ['in', into],
  ] as const) {
    for (const [index, id] of ids.entries()) {
      const place = `${field}[${index}]`;
      if (ids.indexOf(id) < index)
        throw new Refusal(400, `${place}: ${id} stands twice; name each player once`);
      if (own.has(id) === (field === 'out')) continue;
      throw new Refusal(
        400,
        field === 'in'
          ? `${place}: ${id} is in the squad already; name a player who is not`
          : `${place}: ${id} is not in the squad; its players are ${[...own].join(', ')}`,
      );
    }
  }
}

/** Who comes for whom: players of one position first. */
function pair(
  going: readonly MarketPlayer[],
  coming: readonly MarketPlayer[],
): readonly (readonly [out: MarketPlayer, into: MarketPlayer])[] {
  const waiting = [...coming];
  const take = (isMeant: (player: MarketPlayer) => boolean): MarketPlayer | undefined => {
    const index = waiting.findIndex(isMeant);
    return index === -1 ? undefined : waiting.splice(index, 1)[0];
  };
  const sameFirst = going.map((out) => [out, take(({ position }) => position === out.position)] as const);
  return sameFirst.flatMap(([out, into]) => {
    const other = into ?? take(() => true);
    return other === undefined ? [] : [[out, other] as const];
  });
}

const waives = (store: Store, squad: number, week: number): boolean => {
  const chip = chipIn(store, squad, week);
  return chip !== null && WAIVING.includes(chip);
};

/**
 * The free transfers that a squad has left for a week: one a week since its first, and those that it did not use are kept, up to the settings' most. A
 * week with a wildcard or a free hit uses none.
 */
export function freeTransfers(
  store: Store,
  squad: Pick<OwnedSquad, 'number' | 'firstWeek'>,
  week: number,
  { free_transfers_kept: most }: Pick<Settings, 'free_transfers_kept'>,
): number {
  const rows = store.all(
    `SELECT game_week, count(*) - sum(is_hit) AS used FROM transfers t WHERE squad = ? AND game_week <= ?
       AND NOT EXISTS (SELECT 1 FROM chips_played c WHERE c.squad = t.squad AND c.game_week = t.game_week
         AND c.chip IN (${WAIVING.map((chip) => `'${chip}'`).join(', ')}))
     GROUP BY game_week`,
    [squad.number, week],
    (row): [number, number] => [int(row, 'game_week'), int(row, 'used')],
  );
  const used = new Map(rows);
  let free = 1;
  for (let past = squad.firstWeek; past < week; past += 1) {
    free = Math.min(most, Math.max(0, free - (used.get(past) ?? 0)) + 1);
  }
  return Math.max(0, free - (used.get(week) ?? 0));
}

/** The hits of a squad in a week. */
export function hitsOf(store: Store, squad: number, week: number): number {
  const sql = 'SELECT coalesce(sum(is_hit), 0) AS n FROM transfers WHERE squad = ? AND game_week = ?';
  return store.count(sql, squad, week);
}

/** The hits of a week, by the number of the squad; squads without one are left out. */
export function readHits(store: Store, week: number): ReadonlyMap<number, number> {
  const sql =
    'SELECT squad, sum(is_hit) AS hits FROM transfers WHERE game_week = ? GROUP BY squad HAVING hits > 0';
  return new Map(store.all(sql, [week], (row): [number, number] => [int(row, 'squad'), int(row, 'hits')]));
}

/** The transfers of a squad for a week, in order. */
export function listTransfers(store: Store, squad: number, week: number) {
  return store.all(
    'SELECT * FROM transfers WHERE squad = ? AND game_week = ? ORDER BY number',
    [squad, week],
    (row) => ({
      out: int(row, 'player_out'),
      in: int(row, 'player_in'),
      sold_for: int(row, 'sold_for'),
      bought_for: int(row, 'bought_for'),
      is_hit: flag(row, 'is_hit'),
    }),
  );
}
