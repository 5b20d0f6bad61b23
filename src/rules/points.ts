import type { RecordOf } from '../contract/index.ts';
import type { Position } from './rules.ts';

/** The settings of a points configuration by their names (section 2.9). */
export type Settings = Readonly<Record<string, number>>;

/** What a player did in a week, as the service shows it (section 2.7). */
export interface PlayerWeek {
  /** Undefined where it is not known. */
  readonly position: Position | undefined;
  readonly stat: NonNullable<RecordOf<'get-player'>['weekly_stats']>[number];
}

/**
 * How a setting comes to its points. A `counter` of the player counts it; `reading`: it hangs on thresholds, ratios or a reading of several counters, which the interface
 * does not define; `unseen`: nothing that the service shows counts it.
 */
type SettingKind = 'counter' | 'reading' | 'unseen';

const WORDS: Readonly<Record<Position, string>> = {
  GK: 'goalkeeper',
  DEF: 'defender',
  MID: 'midfielder',
  FWD: 'forward',
};
const OF_A_POSITION = /^(goalkeeper|defender|midfielder|forward)_(.+)$/;
const FULL_MATCH = 90;

/** Settings without a field of the player's week. */
const UNSEEN = ['own_goal_points', 'sub_in_points', 'sub_out_points'];
const COUNTERS: Readonly<
  Record<
    string,
    'goals' | 'assists' | 'clean_sheets' | 'yellow_cards' | 'red_cards' | 'penalty_saves' | 'penalty_missed'
  >
> = {
  goal_points: 'goals',
  assist_points: 'assists',
  clean_sheet_points: 'clean_sheets',
  yellow_card_points: 'yellow_cards',
  red_card_points: 'red_cards',
  penalty_save_points: 'penalty_saves',
  penalty_miss_points: 'penalty_missed',
};

/** The setting without its position: `forward_goal_points` and `defender_goal_points` are both `goal_points`. */
const partOf = (setting: string): string => OF_A_POSITION.exec(setting)?.[2] ?? setting;

/** How a change of a setting is reckoned; a setting that nobody knows is unseen. */
export function settingKind(setting: string): SettingKind {
  const part = partOf(setting);
  if (COUNTERS[part] !== undefined) return 'counter';
  return UNSEEN.includes(part) ? 'unseen' : 'reading';
}

/** Whether clean sheets are those of the player's counter, or are told by goals conceded and the minutes of the configuration. */
type CleanSheets = 'counter' | 'minutes';

/** How often a setting counts in a week; undefined where the service does not show what that hangs on, 0 where it is for another position. */
function countOf(
  setting: string,
  { position, stat }: PlayerWeek,
  settings: Settings,
  clean: CleanSheets,
): number | undefined {
  const [, word, ofPosition] = OF_A_POSITION.exec(setting) ?? [];
  if (word !== undefined && position === undefined) return undefined;
  if (word !== undefined && position !== undefined && word !== WORDS[position]) return 0;
  const part = ofPosition ?? setting;
  if (part === 'clean_sheet_points' && clean === 'minutes') return cleanByMinutes(stat, settings);
  const counter = COUNTERS[part];
  return counter === undefined ? readingOf(part, stat, settings) : (stat[counter] ?? undefined);
}

function cleanByMinutes(
  { minutes_played: minutes, goals_conceded: conceded }: PlayerWeek['stat'],
  settings: Settings,
): number | undefined {
  const least = settings['clean_sheet_eligibility_minutes'];
  if (typeof minutes !== 'number' || typeof conceded !== 'number' || least === undefined) return undefined;
  return conceded === 0 && minutes >= least ? 1 : 0;
}

/** The common reading of what no counter shows; {@link explains} says whether it is that of the service. */
function readingOf(part: string, stat: PlayerWeek['stat'], settings: Settings): number | undefined {
  const {
    minutes_played: minutes,
    games_started: starts,
    goals_conceded: conceded,
    saves,
    red_cards: reds,
  } = stat;
  if (typeof minutes !== 'number') return undefined;
  const when = (known: unknown, is: boolean): number | undefined =>
    minutes === 0 ? 0 : typeof known === 'number' ? Number(is) : undefined;
  const started = (starts ?? 0) > 0;
  switch (part) {
    case 'starter_points':
      return when(starts, started);
    case 'bencher_points':
    case 'sub_in_points':
      return when(starts, !started);
    case 'sub_out_points':
      return when(starts, started && minutes < FULL_MATCH && (reds ?? 0) === 0);
    case 'minutes_played_points':
      return when(
        settings['time_onfield_eligibility_minutes'],
        minutes >= (settings['time_onfield_eligibility_minutes'] ?? 0),
      );
    case 'concede_points':
      return when(conceded, (conceded ?? 0) > 0);
    case 'goal_concede_points':
      return minutes === 0 ? 0 : (conceded ?? undefined);
    case 'goal_save_points': {
      const ratio = settings['goal_save_ratio'] ?? 0;
      if (ratio < 1) return 0;
      return typeof saves === 'number' ? Math.floor(saves / ratio) : undefined;
    }
    // No field counts own goals; a threshold or a ratio brings nothing by itself.
    default:
      return 0;
  }
}

/** The points of a week under a configuration; undefined where something that counts is not shown. A sum with a fraction is cut toward zero. */
function pointsUnder(settings: Settings, week: PlayerWeek, clean: CleanSheets): number | undefined {
  let sum: number | undefined = week.stat.bonus_points ?? 0;
  for (const [setting, value] of Object.entries(settings)) {
    if (value === 0) continue;
    const count = countOf(setting, week, settings, clean);
    if (count === undefined) return undefined;
    sum += Math.trunc(count * value);
  }
  return sum;
}

/** How a configuration explains the points that the service shows for a week, to the point; undefined where it does not. */
export function explains(settings: Settings, week: PlayerWeek): CleanSheets | undefined {
  const shown = week.stat.points;
  if (typeof shown !== 'number') return undefined;
  return (['minutes', 'counter'] as const).find((clean) => pointsUnder(settings, week, clean) === shown);
}

/** The points that `settings` give for a week whose shown points `inForce` explains; where it does not, the shown ones. */
export function pointsBy(settings: Settings, inForce: Settings, week: PlayerWeek): number | undefined {
  const clean = explains(inForce, week);
  return clean === undefined ? (week.stat.points ?? undefined) : pointsUnder(settings, week, clean);
}

/** What a changed setting makes of the points of one week. */
export interface SettingChange {
  readonly setting: string;
  /** Undefined where the service shows too little to say it. */
  readonly points: number | undefined;
}

/**
 * What each changed setting adds to the points of one player's week: (new - old) x count where a counter counts it. What hangs on thresholds, ratios and readings is said of a week only
 * that the configuration in force explains; the settings are then changed one after the other, in the order of `after`.
 */
export function settingChanges(
  before: Settings,
  after: Settings,
  week: PlayerWeek,
): readonly SettingChange[] {
  const clean = explains(before, week);
  let inForce = before;
  return Object.entries(after)
    .filter(([setting, value]) => before[setting] !== value)
    .map(([setting, value]) => {
      const next = { ...inForce, [setting]: value };
      const was = inForce;
      inForce = next;
      if (clean === undefined && settingKind(setting) === 'counter') {
        const count = countOf(setting, week, was, 'counter');
        return { setting, points: count === undefined ? undefined : count * (value - (was[setting] ?? 0)) };
      }
      // A counter of clean sheets says nothing of other minutes.
      const isTold =
        clean !== undefined && (setting !== 'clean_sheet_eligibility_minutes' || clean === 'minutes');
      const [old, now] = [was, next].map((each) => (isTold ? pointsUnder(each, week, clean) : undefined));
      return { setting, points: old === undefined || now === undefined ? undefined : now - old };
    });
}
