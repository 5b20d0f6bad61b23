import type { RecordOf } from '../contract/index.ts';
import { explains, pointsBy, settingChanges, type PlayerWeek, type Settings } from '../rules/points.ts';
import type { EarlyReadings } from './standings.ts';
import { captainOf, entriesOf } from './week-lineups.ts';

type Lineup = RecordOf<'get-lineup'>;
type Entry = ReturnType<typeof entriesOf>[number];

/** What is kept of a week, and the settings that its points were made with. */
export interface WhatIfWeek {
  /** Those that the statistics of players go by. */
  readonly settings: Settings;
  /** Those that the line-ups go by: statistics may have been read again after the settings changed. */
  readonly lineupSettings: Settings;
  /** The line-up that was shown last, by the squad's id. */
  readonly lineups: ReadonlyMap<string, Lineup>;
  /** Those that do not show how often players count, or not even who they are. */
  readonly early?: EarlyReadings['lineups'];
  /** By the player's id. */
  readonly players: ReadonlyMap<string, PlayerWeek>;
}

/** What other settings make of a week. */
export interface WhatIfResult {
  /** Points that each squad wins, by the squad's id. */
  readonly squads: ReadonlyMap<string, number>;
  /** Points that each changed setting brings to all squads. */
  readonly settings: ReadonlyMap<string, number>;
  /** Weeks of players that stand in a line-up, and how many of them the configuration in force explains. */
  readonly playerWeeks: number;
  readonly explained: number;
  /** Entries that count and of which something cannot be said: the player's week, or how often it counts. */
  readonly unknown: number;
}

/** What the settings of `over`, in place of those in force, make of the points of every line-up of a week. */
export function whatIf(
  { settings, lineupSettings, lineups, early = new Map(), players }: WhatIfWeek,
  over: Settings,
): WhatIfResult {
  const after = { ...settings, ...over };
  const changes = new Map<string, ReturnType<typeof settingChanges>>();
  let explained = 0;
  const squads = new Map<string, number>();
  const bySetting = new Map(
    Object.keys(over)
      .filter((setting) => settings[setting] !== after[setting])
      .map((setting) => [setting, 0]),
  );
  let unknown = 0;
  const pointsOf = new Map(
    [...players].map(([id, week]) => [id, pointsBy(lineupSettings, settings, week)] as const),
  );
  const didPlay = (player: string): boolean => (players.get(player)?.stat.minutes_played ?? 0) > 0;
  const whole = [...lineups].filter(([squad]) => !early.has(squad)).map(([, lineup]) => lineup);
  const multipliersOf = learnMultipliers(whole, pointsOf, didPlay);
  for (const [squad, lineup] of lineups) {
    let sum = 0;
    const entries = counted(lineup);
    const isOpen = early.get(squad) === 'nothing';
    if (isOpen) unknown += entries.length;
    const multiplierOf = multipliersOf(lineup);
    for (const entry of isOpen ? [] : entries) {
      const player = entry.entry.player?.id ?? '';
      const week = players.get(player);
      if (week !== undefined && !changes.has(player)) {
        changes.set(player, settingChanges(settings, after, week));
        explained += Number(explains(settings, week) !== undefined);
      }
      const its = changes.get(player);
      const isMoved = its?.some(({ points }) => points !== 0) !== false;
      const multiplier = isMoved ? multiplierOf(entry) : 1;
      unknown += Number(
        multiplier === undefined || its?.every(({ points }) => points !== undefined) !== true,
      );
      for (const { setting, points } of multiplier === undefined ? [] : (its ?? [])) {
        const won = (points ?? 0) * (multiplier ?? 0);
        bySetting.set(setting, (bySetting.get(setting) ?? 0) + won);
        sum += won;
      }
    }
    squads.set(squad, sum);
  }
  return { squads, settings: bySetting, playerWeeks: changes.size, explained, unknown };
}

/** The entries whose points are in the points of the line-up: the eleven, and the bench where they add up with it alone. */
function counted(lineup: Lineup): readonly Entry[] {
  const entries = entriesOf(lineup);
  const eleven = entries.filter(({ isStarting }) => isStarting);
  const sumOf = (some: readonly Entry[]): number =>
    some.reduce((sum, { entry }) => sum + (entry.points ?? 0), 0);
  const paid = Math.abs(lineup.transfer_hits?.points_deduction ?? 0);
  const isTotal = (sum: number): boolean => [sum, sum - paid].includes(lineup.total_points ?? NaN);
  return isTotal(sumOf(entries)) && !isTotal(sumOf(eleven)) ? entries : eleven;
}

/**
 * How often the entries of a line-up count: their points over those of the player, where `whole` has the line-up. An entry without points says nothing of it. Points that were corrected since
 * say nothing of it either, so that a player without an armband counts as often as most of the line-up do, and a captain whose points say otherwise than those of most captains with the same
 * chip is not known.
 */
function learnMultipliers(
  whole: readonly Lineup[],
  pointsOf: ReadonlyMap<string, number | undefined>,
  didPlay: (player: string) => boolean,
): (lineup: Lineup) => (entry: Entry) => number | undefined {
  const shown = ({ entry }: Entry): number | undefined => {
    const own = pointsOf.get(entry.player?.id ?? '');
    if (typeof own !== 'number' || own === 0 || typeof entry.points !== 'number') return undefined;
    const multiplier = entry.points / own;
    return Number.isInteger(multiplier) && multiplier > 0 ? multiplier : undefined;
  };
  const groupOf = ({ chip_selected: chip }: Lineup, role: Role): string =>
    `${role} ${JSON.stringify(chip ?? null)}`;
  const all = whole.flatMap((lineup) => {
    const roleOf = rolesOf(lineup, didPlay);
    return entriesOf(lineup).map((entry) => ({
      group: groupOf(lineup, roleOf(entry)),
      multiplier: shown(entry),
    }));
  });
  const usual = new Map(
    [...Map.groupBy(all, ({ group }) => group)].map(([group, its]) => [
      group,
      most(its.map(({ multiplier }) => multiplier)),
    ]),
  );
  return (lineup) => {
    const isShown = whole.includes(lineup);
    const roleOf = rolesOf(lineup, didPlay);
    const own = Map.groupBy(isShown ? entriesOf(lineup) : [], roleOf);
    const ofLineup = new Map([...own].map(([role, its]) => [role, most(its.map(shown))]));
    return (entry) => {
      const role = roleOf(entry);
      const ofGroup = usual.get(groupOf(lineup, role));
      if (role === 'eleven' || role === 'bench') return ofLineup.get(role) ?? ofGroup;
      const its = isShown ? shown(entry) : undefined;
      if (its === undefined || role === 'acting captain') return its ?? ofGroup;
      return ofGroup === undefined || ofGroup === its ? its : undefined;
    };
  };
}

/** What an entry counts as. A vice-captain counts as a captain may where that one did not play. */
type Role = 'captain' | 'acting captain' | 'eleven' | 'bench';

function rolesOf(lineup: Lineup, didPlay: (player: string) => boolean): (entry: Entry) => Role {
  const captain = captainOf(lineup);
  const isActing = captain === undefined || !didPlay(captain);
  return ({ entry, isStarting }) => {
    if (entry.is_captain === true) return 'captain';
    if (entry.is_vice_captain === true && isActing) return 'acting captain';
    return isStarting ? 'eleven' : 'bench';
  };
}

/** What more than half of those that are known are; undefined where there is no such one. */
function most(all: readonly (number | undefined)[]): number | undefined {
  const known = all.filter((each) => each !== undefined);
  const groups = [...Map.groupBy(known, (each) => each).values()];
  return groups.find((same) => same.length * 2 > known.length)?.[0];
}
