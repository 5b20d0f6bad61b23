import { WAIVING, chipIn, chipsOf, playChip, type Chip } from './chips.ts';
import { chooseLineup } from './choose-lineup.ts';
import { ownLineup, readPlaces } from './kept-lineups.ts';
import { SQUAD_CONFIG } from './leagues.ts';
import { pickLineup } from './lineup.ts';
import { readMarket, type MarketPlayer } from './market.ts';
import { between, chanceOf, pickWeighted, type Chance } from './random.ts';
import { correctSome } from './late-corrections.ts';
import { int, type Store } from '../store/store.ts';
import type { Settings } from '../switches.ts';
import { makeTransfers } from './transfers.ts';
import type { GameWeek } from './weeks.ts';

/** Where a season goes on, and those settings that decide how. */
export interface SeasonPlace {
  readonly store: Store;
  readonly settings: Pick<Settings, 'free_transfers_kept'>;
}

/** How many squads the demo has, and the fantasy league they play in: the first of both. */
export const DEMO = { squads: 60, leagueId: 1 } as const;

const HOUR_MS = 3_600_000;
/** How often a manager plays one of the chips that are left. */
const CHIP_CHANCE = 0.08;
/** How many transfers managers make for a week, each as often as it stands here. */
const TRANSFERS = [0, 0, 1, 1, 1, 1, 1, 2, 2, 3];

/** What happens in the demo before a week begins: some statistics of the week before are corrected, and the managers change their squads. */
export function liveOn(place: SeasonPlace, week: GameWeek): void {
  if (week.number === 1) return;
  correctSome(place.store, week);
  const players = readMarket(place.store, DEMO.leagueId);
  const market: Market = {
    byId: new Map(players.map((player) => [player.playerId, player])),
    byPosition: Map.groupBy(players, (player) => player.position),
  };
  const squads = place.store.all(
    'SELECT number, first_week FROM squads WHERE number <= ? ORDER BY number',
    [DEMO.squads],
    (row) => ({ number: int(row, 'number'), leagueId: DEMO.leagueId, firstWeek: int(row, 'first_week') }),
  );
  for (const squad of squads) manage(place, squad, week, market);
}

interface Market {
  readonly byId: ReadonlyMap<number, MarketPlayer>;
  readonly byPosition: ReadonlyMap<MarketPlayer['position'], readonly MarketPlayer[]>;
}
type ManagedSquad = Parameters<typeof makeTransfers>[1];

/** What one manager does for a week: perhaps a chip, some transfers, and another line-up. */
function manage(place: SeasonPlace, squad: ManagedSquad, week: GameWeek, market: Market): void {
  const { store } = place;
  const chance = chanceOf(`manager ${squad.number} ${week.number}`);
  const now = new Date(Date.parse(week.startDate) - between(chance, 1, 60) * HOUR_MS).toISOString();
  const chip = playSome(store, squad, { week: week.number, now, chance });
  const { number, bank } = ownLineup(store, squad.number, week.number);
  const own = readPlaces(store, number).flatMap(({ playerId }) => market.byId.get(playerId) ?? []);
  const isWaived = chip !== null && WAIVING.includes(chip);
  const count = isWaived ? between(chance, 5, 9) : (TRANSFERS[between(chance, 0, TRANSFERS.length - 1)] ?? 0);
  const after = exchange(chance, market, { own, bank, count });
  // Managers keep the rules by themselves; a squad that the operator made otherwise must not stop the season.
  const settings = { ...place.settings, squad_rules: 'off' } as const;
  if (after.in.length > 0) makeTransfers({ store, settings }, squad, { ...after, week: week.number, now });
  chooseLineup(store, squad.number, week.number, lineupOf(chance, after.players));
}

/** Plays one of the chips that are left, now and then; returns the chip of the week. */
function playSome(
  store: Store,
  squad: ManagedSquad,
  { week, now, chance }: { readonly week: number; readonly now: string; readonly chance: Chance },
): Chip | null {
  const [isWanted, which] = [chance() < CHIP_CHANCE, chance()];
  const played = chipIn(store, squad.number, week);
  if (!isWanted || played !== null) return played;
  const left = chipsOf(store, squad.number).filter(({ is_available }) => is_available);
  const chip = left[Math.floor(which * left.length)]?.chip;
  if (chip === undefined) return null;
  playChip(store, squad, { chip, week, now });
  return chip;
}

interface Exchange {
  readonly own: readonly MarketPlayer[];
  readonly bank: number;
  readonly count: number;
}

/** Up to `count` players for others of their position, within the money, with at most three of a club afterwards. */
function exchange(chance: Chance, market: Market, { own, bank, count }: Exchange) {
  let left = bank;
  let players = own;
  const known = new Set(own);
  const [out, into]: [MarketPlayer[], MarketPlayer[]] = [[], []];
  for (let made = 0; made < count; made += 1) {
    const going = pickWeighted(
      chance,
      players.filter((player) => !into.includes(player)),
      () => 1,
    );
    if (going === undefined) break;
    const others = players.filter((player) => player !== going);
    const choices = (market.byPosition.get(going.position) ?? []).filter(
      (player) =>
        player.price <= left + going.price &&
        !known.has(player) &&
        others.filter(({ club }) => club === player.club).length < SQUAD_CONFIG.max_per_club,
    );
    const coming = pickWeighted(chance, choices, ({ price }) => price ** 4);
    if (coming === undefined) continue;
    left += going.price - coming.price;
    players = [...others, coming];
    known.add(coming);
    out.push(going);
    into.push(coming);
  }
  const idsOf = (some: readonly MarketPlayer[]): readonly number[] => some.map(({ playerId }) => playerId);
  return { players, out: idsOf(out), in: idsOf(into) };
}

/** The players whom a manager thinks best, which is not quite what they cost, two of them with armbands, and a bench in any order. */
function lineupOf(chance: Chance, players: readonly MarketPlayer[]) {
  const seen = players
    .map((player) => ({ ...player, price: player.price * (0.9 + 0.2 * chance()), turn: chance() }))
    .toSorted((one, other) => one.turn - other.turn);
  const places = pickLineup(seen);
  const idOf = (starts: boolean): readonly number[] =>
    places.filter(({ isStarting }) => isStarting === starts).map(({ playerId }) => playerId);
  const starting = idOf(true);
  const [captain = 0, viceCaptain = 0] = seen
    .filter(({ playerId }) => starting.includes(playerId))
    .map(({ playerId, price }) => ({ playerId, hope: price * (0.6 + 0.4 * chance()) }))
    .toSorted((one, other) => other.hope - one.hope)
    .map(({ playerId }) => playerId);
  return { starting, bench: idOf(false), captain, viceCaptain };
}
