import { nameSeries } from './names.ts';
import { between, chanceOf, uuidOf, type Chance } from './random.ts';
import type { Store } from '../store/store.ts';

/** The real league that the fictional season is played in. */
export const LEAGUE = {
  id: 1,
  name: 'Aurelian Premier Division',
  type: 'league',
  year: 2026,
  is_active: true,
  country: 'Aurelia',
  continent: 'Europe',
  season: '2026/27',
  start_date: '2026-08-14T17:30:00.000Z',
  end_date: '2027-05-03T23:00:00.000Z',
  created_at: '2026-07-01T09:00:00.000Z',
} as const;

/** The positions in the order of a line-up. */
export const POSITIONS = ['GK', 'DEF', 'MID', 'FWD'] as const;
export type Position = (typeof POSITIONS)[number];

interface Placed {
  readonly position: Position;
}

/** Sorts by position. */
export const byPosition = (one: Placed, other: Placed): number =>
  POSITIONS.indexOf(one.position) - POSITIONS.indexOf(other.position);

/** The clubs from the strongest to the weakest, with their abbreviations. */
const CLUBS = [
  ['Caldmere City', 'CAL'],
  ['Northmere Victoria', 'NOR'],
  ['Aldermoor Athletic', 'ALD'],
  ['Kestrel Bay', 'KES'],
  ['Thornwick Dynamo', 'THO'],
  ['Ravensey Borough', 'RAV'],
  ['Brackwater Rovers', 'BRA'],
  ['Greywick Albion', 'GRE'],
  ['Merrowgate Harriers', 'MER'],
  ['Stonecross Union', 'STO'],
  ['Oakhaven Orient', 'OAK'],
  ['Dunhollow United', 'DUN'],
  ['Larkfield County', 'LAR'],
  ['Inverlow Thistle', 'INV'],
  ['Quillport Mariners', 'QUI'],
  ['Hartholm Sporting', 'HAR'],
  ['Juniper Park Rangers', 'JUN'],
  ['Eastmarch Wanderers', 'EAS'],
  ['Pellam Spartans', 'PEL'],
  ['Fennick Town', 'FEN'],
] as const;

/** Players of a club by position: how many (least, most) and the price of the cheapest and of the league's dearest, in tenths. */
const SQUAD_SHAPE = {
  GK: { least: 2, most: 3, cheapest: 38, dearest: 60 },
  DEF: { least: 8, most: 8, cheapest: 38, dearest: 72 },
  MID: { least: 8, most: 8, cheapest: 44, dearest: 128 },
  FWD: { least: 4, most: 4, cheapest: 44, dearest: 135 },
} as const satisfies Record<Position, object>;

const DAY_MS = 86_400_000;
const HOUR_MS = 3_600_000;
const FIRST_WEEK_MS = Date.parse(LEAGUE.start_date);
/** Kick-offs of the ten matches of a week, in hours after its start on Friday at 17:30 UTC. */
const KICK_OFF_HOURS = [1, 19, 21.5, 21.5, 21.5, 21.5, 24, 44.5, 47, 73.5];
/** A week ends on the Monday after its start, when the last match is over. */
const WEEK_LENGTH_MS = 3 * DAY_MS + 5.5 * HOUR_MS;

const iso = (ms: number): string => new Date(ms).toISOString();

/** Writes clubs, players, game weeks and fixtures: the same records with the same ids every time. */
export function writeSeason(store: Store): void {
  CLUBS.forEach(([name, short], index) => {
    const strength = 1 - index / (CLUBS.length - 1);
    store.run('INSERT INTO clubs VALUES (?, ?, ?, ?)', index + 1, name, short, strength);
  });
  writePlayers(store);
  roundRobin(CLUBS.length).forEach((matches, index) => {
    writeWeek(store, index + 1, matches);
  });
}

/** Players are numbered club by club, and within a club by position from the best to the reserve. */
function writePlayers(store: Store): void {
  const chance = chanceOf('players');
  const nextName = nameSeries(chance);
  let id = 0;
  CLUBS.forEach((_, index) => {
    const strength = 1 - index / (CLUBS.length - 1);
    for (const position of POSITIONS) {
      const shape = SQUAD_SHAPE[position];
      const size = between(chance, shape.least, shape.most);
      for (let rank = 0; rank < size; rank += 1) {
        id += 1;
        const { first, last } = nextName();
        const price = priceOf(chance, position, strength, rank / size);
        store.run(
          'INSERT INTO players VALUES (?, ?, ?, ?, ?, ?, ?)',
          ...[id, index + 1, first, last, position, price, LEAGUE.created_at],
        );
      }
    }
  });
}

/** A price with one decimal: `depth` is 0 for the best of the club in the position and near 1 for the last reserve. */
function priceOf(chance: Chance, position: Position, strength: number, depth: number): number {
  const { cheapest, dearest } = SQUAD_SHAPE[position];
  const quality = (0.25 + 0.75 * strength) * (1 - depth) ** 1.6;
  const tenths = cheapest + (dearest - cheapest) * quality * (0.8 + 0.2 * chance());
  return Math.round(tenths) / 10;
}

type Match = readonly [home: number, away: number];

/** A double round-robin by the circle method: 2 (n - 1) rounds in which every club meets every other once at home and once away. */
function roundRobin(clubs: number): readonly (readonly Match[])[] {
  const circle = Array.from({ length: clubs - 1 }, (_, index) => index + 2);
  const firstHalf = circle.map((_, round) => {
    const turned = [...circle.slice(round), ...circle.slice(0, round)];
    const order = [1, ...turned];
    return Array.from({ length: clubs / 2 }, (_, pair): Match => {
      const one = order[pair] ?? 0;
      const other = order[clubs - 1 - pair] ?? 0;
      const isSwapped = pair === 0 ? round % 2 === 1 : pair % 2 === 1;
      return isSwapped ? [other, one] : [one, other];
    });
  });
  return [...firstHalf, ...firstHalf.map((matches) => matches.map(([home, away]): Match => [away, home]))];
}

function writeWeek(store: Store, number: number, matches: readonly Match[]): void {
  const startMs = FIRST_WEEK_MS + (number - 1) * 7 * DAY_MS;
  store.run(
    'INSERT INTO game_weeks VALUES (?, ?, ?, ?, 0, 0)',
    ...[number, uuidOf(`game week ${number}`), iso(startMs), iso(startMs + WEEK_LENGTH_MS)],
  );
  matches.forEach(([home, away], index) => {
    // Which match opens a week turns from week to week, so that no club always plays on a Friday.
    const slot = (index + number) % KICK_OFF_HOURS.length;
    const kickOff = iso(startMs + (KICK_OFF_HOURS[slot] ?? 0) * HOUR_MS);
    store.run(
      'INSERT INTO fixtures VALUES (?, ?, ?, ?, ?, NULL, NULL)',
      ...[uuidOf(`fixture ${number} ${home} ${away}`), number, home, away, kickOff],
    );
  });
}
