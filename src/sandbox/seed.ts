import { randomUUID } from 'node:crypto';
import { SQUAD_CONFIG, writeFantasyLeague } from './game/leagues.ts';
import { writePointsConfig } from './handlers/points-config.ts';
import { writeSquad } from './handlers/squads.ts';
import { DEMO, type SeasonPlace } from './game/managers.ts';
import { advance } from './game/play.ts';
import { processSubstitutions } from './game/settle.ts';
import { position } from './game/stats.ts';
import { nameSeries, squadName } from './game/names.ts';
import { between, chanceOf, pickWeighted, uuidOf, type Chance } from './game/random.ts';
import { POSITIONS, writeSeason, type Position } from './game/season.ts';
import type { Scoring } from './game/scoring.ts';
import { int, type Store } from './store/store.ts';
import { allWeeks } from './game/weeks.ts';

/** The start contents that a sandbox may be made with, and the time at which their seasons start. */
export const SEEDS = {
  /** Before the first game week, without users. */
  default: '2026-08-10T09:00:00.000Z',
  /** Six weeks played, with users and squads. */
  demo: '2026-09-22T12:00:00.000Z',
} as const;
export type SeedName = keyof typeof SEEDS;

/** Whether a text names a seed. */
export function isSeed(name: string): name is SeedName {
  return Object.hasOwn(SEEDS, name);
}

const PRESEASON = '2026-07-15T10:00:00.000Z';
const DEMO_USERS = 80;

/** What playing the weeks of a seed changed, by all that decides it. Who makes one in a process is likely to make more, as tests do: each further one takes a fifth of the time. */
const played = new Map<string, Uint8Array>();

/** Fills an empty store with what a seed is at `now`, ISO 8601 UTC with milliseconds, and with a new account. Tests have the demo with fewer squads. */
export function beginSeason(
  place: SeasonPlace,
  seed: SeedName,
  now: string,
  squads: number = DEMO.squads,
): void {
  const { store, settings } = place;
  store.writeMeta('seed', seed);
  store.writeMeta('account_id', randomUUID());
  const by = `${seed} ${squads} ${settings.free_transfers_kept}`;
  const isUsual = seed !== 'default' && now === SEEDS[seed];
  const changes = isUsual ? played.get(by) : undefined;
  if (changes !== undefined) {
    store.apply(changes);
    return;
  }
  const noted = isUsual ? store.watch() : undefined;
  writeSeed(store, seed, squads);
  playUntil(place, seed, now);
  if (noted === undefined) return;
  played.set(by, noted.take());
  noted.close();
}

/** The season and fantasy league 1, for `demo` users, squads and a points configuration, all made before the season. */
function writeSeed(store: Store, seed: SeedName, squads: number): void {
  writeSeason(store);
  writeFantasyLeague(store, 'Aurelian Fantasy', PRESEASON);
  if (seed === 'default') return;
  writePointsConfig(store, DEMO.leagueId, uuidOf('points config'), PUBLIC_RULES, PRESEASON);
  writeUsers(store);
  writeSquads(store, squads);
}

/** Plays what has ended at `now` and, for `demo`, processes the automatic substitutions of all ended weeks but the last, which is left to be triggered. */
function playUntil(context: SeasonPlace, seed: SeedName, now: string): void {
  const { store } = context;
  const ended = seed === 'default' ? [] : allWeeks(store).filter((week) => week.endDate <= now);
  let records = 0;
  for (const week of ended.slice(0, -1)) {
    advance(context, week.endDate);
    processSubstitutions(store, DEMO.leagueId, week.number, week.endDate, () => {
      records += 1;
      return uuidOf(`substitution ${records}`);
    });
  }
  advance(context, now);
}

function writeUsers(store: Store): void {
  const nextName = nameSeries(chanceOf('users'));
  for (let number = 1; number <= DEMO_USERS; number += 1) {
    const { first, last } = nextName();
    const externalId = `D-${String(number).padStart(3, '0')}`;
    store.run(
      'INSERT INTO users VALUES (?, ?, ?, ?, 1, ?, ?)',
      ...[number, uuidOf(`user ${number}`), externalId, `${first} ${last}`.trim(), PRESEASON, PRESEASON],
    );
  }
}

interface Choice {
  readonly id: number;
  readonly clubId: number;
  readonly position: Position;
  readonly tenths: number;
}

function writeSquads(store: Store, count: number): void {
  const chance = chanceOf('squads');
  const players = store.all('SELECT * FROM players ORDER BY id', [], (row) => ({
    id: int(row, 'id'),
    clubId: int(row, 'club_id'),
    position: position(row),
    tenths: Math.round(10 * int(row, 'price')),
  }));
  for (let number = 1; number <= count; number += 1) {
    writeSquad(store, {
      id: uuidOf(`squad ${number}`),
      user_id: number,
      name: squadName(chance),
      fantasy_league_id: DEMO.leagueId,
      players_in: buySquad(chance, players),
      firstWeek: 1,
      now: PRESEASON,
    });
  }
}

const SHAPE = POSITIONS.flatMap((position) =>
  Array.from({ length: SQUAD_CONFIG.positions[position] }, () => position),
);
/** What is kept for each player still to buy; every position has players for less in most clubs. */
const RESERVE_TENTHS = 46;

/** A squad by the rules of the public game, the dearest players first. */
function buySquad(chance: Chance, players: readonly Choice[]): readonly number[] {
  const bought: Choice[] = [];
  const places = SHAPE.map((place) => ({ place, turn: chance() })).toSorted((a, b) => a.turn - b.turn);
  let left = 10 * SQUAD_CONFIG.budget;
  for (const [index, { place }] of places.entries()) {
    const most = left - RESERVE_TENTHS * (places.length - 1 - index);
    const choices = players.filter(
      (player) =>
        player.position === place &&
        player.tenths <= most &&
        !bought.includes(player) &&
        bought.filter(({ clubId }) => clubId === player.clubId).length < SQUAD_CONFIG.max_per_club,
    );
    // Dearer players are wanted more, but not by everybody to the same degree.
    const taste = between(chance, 2, 5);
    const choice = pickWeighted(chance, choices, ({ tenths }) => (tenths - 30) ** taste);
    if (choice === undefined) return buySquad(chance, players);
    bought.push(choice);
    left -= choice.tenths;
  }
  return bought.toSorted((one, other) => other.tenths - one.tenths).map(({ id }) => id);
}

/** The points configuration of the demo: the scoring that fantasy games commonly publish. */
export const PUBLIC_RULES: Scoring = {
  starter_points: 1,
  bencher_points: 1,
  goalkeeper_clean_sheet_points: 4,
  defender_clean_sheet_points: 4,
  midfielder_clean_sheet_points: 1,
  forward_clean_sheet_points: 0,
  goalkeeper_concede_points: 0,
  defender_concede_points: 0,
  midfielder_concede_points: 0,
  forward_concede_points: 0,
  goalkeeper_goal_points: 6,
  defender_goal_points: 6,
  midfielder_goal_points: 5,
  forward_goal_points: 4,
  goalkeeper_assist_points: 3,
  defender_assist_points: 3,
  midfielder_assist_points: 3,
  forward_assist_points: 3,
  yellow_card_points: -1,
  red_card_points: -3,
  sub_in_points: 0,
  sub_out_points: 0,
  own_goal_points: -2,
  penalty_save_points: 5,
  penalty_miss_points: -2,
  goalkeeper_goal_concede_points: -0.5,
  defender_goal_concede_points: -0.5,
  midfielder_goal_concede_points: 0,
  forward_goal_concede_points: 0,
  minutes_played_points: 1,
  goal_save_points: 1,
  clean_sheet_eligibility_minutes: 60,
  time_onfield_eligibility_minutes: 60,
  goal_save_ratio: 3,
};
