import type { RecordOf } from '../contract/index.ts';
import type { WeekChoice } from '../mapping/week-choice.ts';
import type { LeagueScope } from '../model/state/memory.ts';
import { explains, type PlayerWeek, type Settings } from '../rules/points.ts';
import type { Rules } from '../rules/rules.ts';
import type { GameWeek } from '../season/game-week.ts';
import { newestSeason } from '../season/seasons.ts';
import { whatIf, type WhatIfResult } from '../season/whatif.ts';
import { latestKept } from './memory/known-weeks.ts';
import {
  earlyLineups,
  keptPlayers,
  keptSettings,
  keptWeeks,
  type KeptWeek,
} from './memory/league-records.ts';
import { begunWeeks } from './memory/league-weeks.ts';
import type { SyncPorts } from './ports.ts';

/** What other points make of a squad. */
export interface SquadPreview {
  readonly id: string;
  readonly name: string;
  readonly totalNow: number;
  readonly totalThen: number;
  readonly rankNow: number;
  readonly rankThen: number;
}

/** What other points make of game weeks. */
export interface Preview extends Omit<WhatIfResult, 'squads'> {
  /** As the service names them. */
  readonly weeks: readonly string[];
  /** Those of the choice of which no line-up is kept: the points now have them, and nothing is said of them. */
  readonly missing: readonly GameWeek[];
  /** The best first, as it would be then. */
  readonly squads: readonly SquadPreview[];
}

/**
 * What the settings of `over` would make of the line-ups kept, by the statistics kept. A line-up goes by the points configuration that was in force when it was read, and by `current`
 * where none was kept; statistics go by the one that explains most of them. Errors: those of the store.
 */
export async function previewPoints(
  { store }: Pick<SyncPorts, 'store'>,
  scope: LeagueScope,
  rules: Rules,
  choice: WeekChoice,
  over: Settings,
  current: Settings,
  nowMs: number,
): Promise<Preview> {
  const { memory } = store;
  const all = await keptWeeks(memory, scope, choice);
  const begun = await begunWeeks(memory, scope, nowMs);
  const season = newestSeason(all.filter(({ week }) => begun.has(week.id)));
  const asked = chosen(season, begun, choice);
  const weeks = asked.filter(({ lineups }) => lineups.size > 0);
  const inForce = await keptSettings(
    memory,
    scope,
    all.map(({ week }) => week),
  );
  const changes = new Map<string, number>();
  const settings = new Map<string, number>();
  const squads = new Map<string, { readonly name: string; readonly points: number }>();
  let [playerWeeks, explained, unknown] = [0, 0, 0];
  for (const kept of weeks) {
    const { week, lineups } = kept;
    const latest = [...lineups].flatMap(([id, its]) =>
      its.latest === undefined ? [] : [[id, its.latest] as const],
    );
    // Of a week that still runs, the points so far are compared.
    const until = begun.get(week.id) === true ? kept : { ...kept, wholeMs: -Infinity };
    const players = await keptPlayers(memory, scope, until, rules);
    const early = await earlyLineups(memory, scope, until);
    const lineupSettings = inForce.get(week.id) ?? current;
    const known = [lineupSettings, ...inForce.values(), current];
    const found = whatIf(
      { settings: bestFor(players, known), lineupSettings, lineups: new Map(latest), early, players },
      over,
    );
    for (const [id, points] of found.squads) changes.set(id, (changes.get(id) ?? 0) + points);
    for (const [name, points] of found.settings) settings.set(name, (settings.get(name) ?? 0) + points);
    for (const [id, { name, total_points: points }] of latest)
      squads.set(id, { name: name ?? id, points: (squads.get(id)?.points ?? 0) + (points ?? 0) });
    playerWeeks += found.playerWeeks;
    explained += found.explained;
    unknown += found.unknown;
  }
  const totals = await totalsOf(memory, scope, season);
  const now = new Map([...squads].map(([id, { points }]) => [id, totals.get(id) ?? points]));
  return {
    weeks: weeks.map(({ week }) => week.text),
    missing: asked.filter((each) => !weeks.includes(each)).map(({ week }) => week),
    squads: compared(squads, now, changes),
    settings,
    ...{ playerWeeks, explained, unknown },
  };
}

/** The settings that explain the points of most players; the first of those that explain as many. A service may count weeks again that were over when its settings changed. */
function bestFor(players: ReadonlyMap<string, PlayerWeek>, known: readonly Settings[]): Settings {
  const different = [...new Map(known.map((each) => [JSON.stringify(each), each])).values()];
  const counted = different.map((settings) => ({
    settings,
    explained: [...players.values()].filter((week) => explains(settings, week) !== undefined).length,
  }));
  return counted.toSorted((one, other) => other.explained - one.explained)[0]?.settings ?? {};
}

/** The weeks of a choice that are over or that line-ups are kept of. */
function chosen(
  weeks: readonly KeptWeek[],
  begun: ReadonlyMap<string, boolean>,
  choice: WeekChoice,
): readonly KeptWeek[] {
  const isOver = ({ week }: KeptWeek): boolean => begun.get(week.id) === true;
  const all = weeks.filter((each) => isOver(each) || (each.lineups.size > 0 && begun.has(each.week.id)));
  switch (choice.kind) {
    case 'all':
      return all;
    case 'current':
      return weeks.filter(({ week }) => begun.has(week.id)).slice(-1);
    case 'last':
      return all.filter(isOver).slice(-1);
    case 'range':
      return all.filter(({ week: { number = 0 } }) => choice.from <= number && number <= choice.to);
  }
}

async function totalsOf(
  memory: SyncPorts['store']['memory'],
  scope: LeagueScope,
  weeks: readonly KeptWeek[],
): Promise<ReadonlyMap<string, number>> {
  const totals = new Map<string, number>();
  for (const { week } of weeks)
    for await (const { id, record } of latestKept(memory, scope, week.id, 'squad')) {
      const total = (record as RecordOf<'get-squad'>).ranking?.total_points;
      if (typeof total === 'number') totals.set(id, total);
    }
  return totals;
}

function compared(
  squads: ReadonlyMap<string, { readonly name: string }>,
  now: ReadonlyMap<string, number>,
  changes: ReadonlyMap<string, number>,
): readonly SquadPreview[] {
  const then = new Map([...now].map(([id, total]) => [id, total + (changes.get(id) ?? 0)]));
  const [before, after] = [ranksOf(now), ranksOf(then)];
  return [...squads]
    .map(([id, { name }]) => ({
      ...{ id, name, totalNow: now.get(id) ?? 0, totalThen: then.get(id) ?? 0 },
      rankNow: before(now.get(id) ?? 0),
      rankThen: after(then.get(id) ?? 0),
    }))
    .toSorted((one, other) => one.rankThen - other.rankThen || one.rankNow - other.rankNow);
}

/** The rank of a total: one more than the totals above it. */
function ranksOf(totals: ReadonlyMap<string, number>): (total: number) => number {
  const sorted = [...totals.values()].toSorted((one, other) => other - one);
  const ranks = new Map<number, number>();
  for (const [index, total] of sorted.entries()) if (!ranks.has(total)) ranks.set(total, index + 1);
  return (total) => ranks.get(total) ?? 0;
}
