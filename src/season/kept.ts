import { hash } from 'node:crypto';
import type { RecordOf } from '../contract/index.ts';
import type { Kept } from '../model/state/memory.ts';
import type { WeekSummary } from './game-week.ts';

/** Ids are UUIDs, which are the same in either case. */
const idOf = (id: string): string => id.toLowerCase();

/** The summary of a game week; nothing where it has no id. */
function keptWeek(summary: WeekSummary | null | undefined, readAtMs: number): readonly Kept[] {
  if (typeof summary?.id !== 'string' || summary.id === '') return [];
  const { id, week = null, start_date = null, end_date = null } = summary;
  const gameWeek = idOf(id);
  const record = { id, week, start_date, end_date };
  return [{ gameWeek, kind: 'game_week', id: gameWeek, variant: '', readAtMs, record }];
}

/** The id of a game week that a record states. */
const weekIdOf = (summary: WeekSummary | null | undefined): string | undefined => {
  const [kept] = keptWeek(summary, 0);
  return kept?.gameWeek;
};

/** The game week that a league, a line-up or a squad shows as the current one. */
export function shownWeek(record: {
  readonly game_week?: WeekSummary | null | undefined;
  readonly current_game_week?: WeekSummary | null | undefined;
}): string | undefined {
  return weekIdOf(record.current_game_week ?? record.game_week);
}

/** A mark of what teamsheet knows of a game week. */
export const keptMark = (gameWeek: string, id: string, readAtMs: number, record: object): Kept => ({
  gameWeek,
  kind: 'mark',
  id,
  variant: '',
  readAtMs,
  record,
});

/** The game weeks that a league names, and a mark that it showed one of them as the current one. */
export function keptOfLeague(league: RecordOf<'get-fantasy-league'>, readAtMs: number): readonly Kept[] {
  const current = weekIdOf(league.current_game_week);
  return [
    ...keptWeek(league.current_game_week, readAtMs),
    ...keptWeek(league.next_game_week, readAtMs),
    ...(current === undefined ? [] : [keptMark(current, 'current', readAtMs, {})]),
  ];
}

/** A game week with its fixtures. */
export function keptOfFixtures(week: RecordOf<'get-fixtures'>, readAtMs: number): readonly Kept[] {
  const gameWeek = idOf(week.id);
  const fixtures = (week.fixtures ?? []).map((record): Kept => {
    const id = idOf(record.id);
    return { gameWeek, kind: 'fixture', id, variant: '', readAtMs, record };
  });
  return [...keptWeek(week, readAtMs), ...fixtures];
}

type Owner = { readonly external_id?: string | null | undefined } | null | undefined;

/** The squad and the member that a record of a squad is about. */
function about(squad: string, user: Owner): Pick<Kept, 'id' | 'squad' | 'member'> {
  const id = idOf(squad);
  const member = user?.external_id;
  return { id, squad: id, ...(typeof member === 'string' && { member }) };
}

/** A squad with its detail, under the game week that it states; nothing where it states none. */
export function keptOfSquad(record: RecordOf<'get-squad'>, readAtMs: number): readonly Kept[] {
  const gameWeek = weekIdOf(record.game_week);
  if (gameWeek === undefined) return [];
  return [
    ...keptWeek(record.game_week, readAtMs),
    { gameWeek, kind: 'squad', ...about(record.id, record.user), variant: '', readAtMs, record },
  ];
}

/** The line-up of a squad, under the game week that it states; nothing where it states none. The service does not show whose id a line-up has, so the squad is the one that was asked for. */
export function keptOfLineup(
  record: RecordOf<'get-lineup'>,
  squad: string,
  readAtMs: number,
): readonly Kept[] {
  const gameWeek = weekIdOf(record.game_week);
  if (gameWeek === undefined) return [];
  const variant = digestOf(record);
  return [
    ...keptWeek(record.game_week, readAtMs),
    { gameWeek, kind: 'lineup', ...about(squad, record.user), variant, readAtMs, record },
  ];
}

/** Who starts, in which order, who sits on the bench, and the armbands: what substitutions change and points do not. */
function digestOf({ squad }: RecordOf<'get-lineup'>): string {
  const placesOf = (entries: NonNullable<typeof squad>['bench']) =>
    (entries ?? []).map(({ player, is_captain, is_vice_captain }) => [
      player?.id ?? null,
      is_captain === true,
      is_vice_captain === true,
    ]);
  const places = [placesOf(squad?.starting_xi), placesOf(squad?.bench)];
  return hash('sha256', JSON.stringify(places)).slice(0, 16);
}

/** What a player's statistics are filed by. */
export interface PlayerWeeks {
  /** The id of the game week that a text of the statistics names; undefined where none or several do. */
  readonly weekOf: (text: string) => string | undefined;
  /** The game week that was the current one at the reading. */
  readonly current: string | undefined;
}

type Stat = NonNullable<RecordOf<'get-player'>['weekly_stats']>[number];

/** Of a match that is told twice, what was told last. */
const eachOnce = (stats: readonly Stat[]): Iterable<Stat> =>
  new Map(
    stats.map((stat) => [
      JSON.stringify(typeof stat.id === 'string' ? [stat.game_week, stat.id] : stat),
      stat,
    ]),
  ).values();

/** The counters of all matches of a player in one week; its texts are those of the last. */
const together = (before: Stat | undefined, stat: Stat): Stat => {
  const counters: Readonly<Record<string, unknown>> = before ?? {};
  const sums = Object.entries(stat).map(([name, value]: [string, unknown]) => {
    const other = counters[name];
    return [name, typeof value === 'number' && typeof other === 'number' ? value + other : value];
  });
  return { ...before, ...(Object.fromEntries(sums) as Stat) };
};

/**
 * A player with the weekly statistics of one game week, under the game week of each. Price, form and averages are those of the reading, so they stand in the current
 * week alone, which has them also while it has no statistics.
 */
export function keptOfPlayer(
  player: RecordOf<'get-player'>,
  { weekOf, current }: PlayerWeeks,
  readAtMs: number,
): readonly Kept[] {
  const { weekly_stats, stats_total: _total, price, form, points_per_game, ...lasting } = player;
  const now = { price, form, points_per_game };
  const stats = new Map<string | undefined, Stat>();
  for (const stat of eachOnce(weekly_stats ?? [])) {
    const gameWeek = weekOf(stat.game_week ?? '');
    stats.set(gameWeek, together(stats.get(gameWeek), stat));
  }
  if (current !== undefined && !stats.has(current)) stats.set(current, {});
  return [...stats].flatMap(([gameWeek, stat]): Kept[] => {
    if (gameWeek === undefined) return [];
    const record = { player: { ...lasting, ...(gameWeek === current && now) }, stat };
    return [{ gameWeek, kind: 'player', id: String(player.id), variant: '', readAtMs, record }];
  });
}

/** An uploaded price, under the game week that it states. */
export function keptOfPrice(record: RecordOf<'list-prices'>, readAtMs: number): readonly Kept[] {
  const gameWeek = weekIdOf(record.game_week);
  if (gameWeek === undefined) return [];
  return [{ gameWeek, kind: 'price', id: idOf(record.id), variant: '', readAtMs, record }];
}

/** A points configuration, under the game week in which it was read. */
export const keptOfPoints = (
  record: RecordOf<'get-points-config'>,
  gameWeek: string,
  readAtMs: number,
): readonly Kept[] => [
  { gameWeek, kind: 'points_config', id: 'points_config', variant: '', readAtMs, record },
];

/** A record of the substitution log, which names no game week. */
export function keptOfSubstitution(
  record: RecordOf<'list-auto-substitutions'>,
  readAtMs: number,
): readonly Kept[] {
  const squad = record.squad?.id;
  const of = typeof squad === 'string' ? { squad: idOf(squad) } : {};
  return [{ gameWeek: '', kind: 'substitution', id: idOf(record.id), variant: '', readAtMs, ...of, record }];
}
