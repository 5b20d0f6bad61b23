/**
 * The arithmetic of a season, worked out again from what a pull shows and the published rules alone: nothing of the program is imported here.
 */

/** A line of a report, by header. */
export type Line = Readonly<Record<string, string>>;
/** Settings of a points configuration by name. */
export type Settings = Readonly<Record<string, number>>;

/** A player's place in a pulled line-up. */
export interface Entry {
  readonly playerId: string;
  readonly position: string;
  readonly starts: boolean;
  readonly captain: boolean;
  readonly vice: boolean;
  readonly points: number;
}

export function toEntry(line: Line): Entry {
  return {
    playerId: line['player'] ?? '',
    position: line['position'] ?? '',
    starts: line['starts'] === 'true',
    captain: line['captain'] === 'true',
    vice: line['vice'] === 'true',
    points: Number(line['points']),
  };
}

const LONG_NAME: Readonly<Record<string, string>> = {
  GK: 'goalkeeper',
  DEF: 'defender',
  MID: 'midfielder',
  FWD: 'forward',
};

/** The points of one player in one week by the meanings that docs/sandbox.md gives the settings; `stat` is a line of the pulled players report. */
export function pointsByTheRules(settings: Settings, position: string, stat: Line | undefined): number {
  const did = (name: string): number => Number(stat?.[`stat.${name}`] ?? 0);
  const minutes = did('minutes_played');
  if (minutes === 0) return 0;
  const setting = (name: string): number => settings[name] ?? Number.NaN;
  const own = (name: string): number => setting(`${LONG_NAME[position] ?? ''}_${name}`);
  let points = did('bonus_points');
  if (did('games_started') === 1) {
    points += setting('starter_points');
    if (minutes < 90 && did('red_cards') === 0) points += setting('sub_out_points');
  } else {
    points += setting('bencher_points') + setting('sub_in_points');
  }
  if (minutes >= setting('time_onfield_eligibility_minutes')) points += setting('minutes_played_points');
  points += did('goals') * own('goal_points') + did('assists') * own('assist_points');
  if (did('goals_conceded') > 0) points += own('concede_points');
  else if (minutes >= setting('clean_sheet_eligibility_minutes')) points += own('clean_sheet_points');
  points += Math.trunc(did('goals_conceded') * own('goal_concede_points'));
  points += Math.floor(did('saves') / setting('goal_save_ratio')) * setting('goal_save_points');
  points += did('penalty_saves') * setting('penalty_save_points');
  points += did('penalty_missed') * setting('penalty_miss_points');
  points += did('yellow_cards') * setting('yellow_card_points');
  return points + did('red_cards') * setting('red_card_points');
}

/** The points that each entry should show, and their sum over those who count: the eleven, with bench_boost all. */
export function lineupByTheRules(
  entries: readonly Entry[],
  points: (entry: Entry) => number,
  minutes: Minutes,
  chip: string | undefined,
) {
  const captain = entries.find((entry) => entry.captain);
  const vice = entries.find((entry) => entry.vice);
  const armband =
    captain !== undefined && minutes(captain) === 0 && vice !== undefined && minutes(vice) > 0
      ? vice
      : captain;
  const times = chip === 'triple_captain' ? 3 : 2;
  const shown = entries.map((entry) => points(entry) * (entry === armband && entry.starts ? times : 1));
  const counts = (index: number): boolean => chip === 'bench_boost' || entries[index]?.starts === true;
  return { shown, total: shown.reduce((sum, own, index) => sum + (counts(index) ? own : 0), 0) };
}

type Minutes = (entry: Entry) => number;

const LIMITS: Readonly<Record<string, readonly [least: number, most: number]>> = {
  GK: [1, 1],
  DEF: [3, 5],
  MID: [2, 5],
  FWD: [1, 3],
};

/** The substitutions of a week by the public rules, `[out, in]` by player, and the line-up after them. */
export function substituteByTheRules(before: readonly Entry[], minutes: Minutes) {
  const after = [...before];
  const pairs: [out: string, into: string][] = [];
  for (const starter of before.filter((entry) => entry.starts && minutes(entry) === 0)) {
    const at = after.findIndex((entry) => entry.playerId === starter.playerId);
    const by = after.findIndex((entry) => !entry.starts && minutes(entry) > 0 && fits(after, starter, entry));
    const substitute = after[by];
    if (substitute === undefined) continue;
    after[at] = { ...substitute, starts: true };
    after[by] = { ...starter, starts: false };
    pairs.push([starter.playerId, substitute.playerId]);
  }
  const captain = before.find((entry) => entry.captain);
  const vice = before.find((entry) => entry.vice);
  if (captain === undefined || vice === undefined || minutes(captain) > 0 || minutes(vice) === 0)
    return { after, pairs };
  const armbands = after.map((entry) => ({
    ...entry,
    captain: entry.playerId === vice.playerId,
    vice: entry.playerId === captain.playerId,
  }));
  return { after: armbands, pairs };
}

/** Whether a formation that is legal stays so; one that is not to begin with may not move further away. */
function fits(entries: readonly Entry[], out: Entry, into: Entry): boolean {
  if ((out.position === 'GK') !== (into.position === 'GK')) return false;
  if (out.position === into.position) return true;
  const starting = (position: string): number =>
    entries.filter((entry) => entry.starts && entry.position === position).length;
  const [least = 0] = LIMITS[out.position] ?? [];
  const [, most = 0] = LIMITS[into.position] ?? [];
  return starting(out.position) - 1 >= least && starting(into.position) + 1 <= most;
}

/** Whether an eleven is one of the formations that the public rules allow. */
export function isLegal(entries: readonly Entry[]): boolean {
  const eleven = entries.filter((entry) => entry.starts);
  return (
    eleven.length === 11 &&
    Object.entries(LIMITS).every(([position, [least, most]]) => {
      const count = eleven.filter((entry) => entry.position === position).length;
      return count >= least && count <= most;
    })
  );
}

/** The hits of each week of an owner: one transfer a week is free, and up to five are kept; `waived` are the weeks in which none counts. */
export function hitsByTheRules(
  transfers: readonly number[],
  waived: (week: number) => boolean,
): readonly number[] {
  let free = 1;
  return transfers.map((made, index) => {
    const counted = waived(index + 1) ? 0 : made;
    const hits = Math.max(0, counted - free);
    free = Math.min(5, Math.max(0, free - counted) + 1);
    return hits;
  });
}

/** Rank 1 has the most; equals share a rank. */
export function ranksOf(totals: ReadonlyMap<string, number>): ReadonlyMap<string, number> {
  return new Map(
    Array.from(totals, ([id, total]) => [
      id,
      1 + [...totals.values()].filter((other) => other > total).length,
    ]),
  );
}
