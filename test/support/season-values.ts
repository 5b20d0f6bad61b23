import { between, chanceOf, uuidOf } from '../../src/sandbox/game/random.ts';
import type { Group } from '../../src/runtime/publish/site-groups.ts';
import type { SiteOptions } from '../../src/runtime/publish/shown-weeks.ts';
import type { EntryValues, PlayerValues, SquadValues, WeekValues } from '../../src/season/week-values.ts';

/** How a season of a test is. */
interface SeasonShape {
  readonly squads: number;
  readonly weeks: number;
  /** What squad `index` is called, from 0. */
  readonly name?: (index: number) => string;
}

const POSITIONS = [
  { position: 'GK', positionName: 'Goalkeeper', squad: 2, starting: 1 },
  { position: 'DEF', positionName: 'Defender', squad: 5, starting: 4 },
  { position: 'MID', positionName: 'Midfielder', squad: 5, starting: 4 },
  { position: 'FWD', positionName: 'Forward', squad: 3, starting: 2 },
] as const;
const CLUBS = 20;
const BY_POSITION = [40, 100, 100, 60];

const PLAYERS: readonly Omit<PlayerValues, 'points'>[] = POSITIONS.flatMap((where, kind) =>
  Array.from({ length: BY_POSITION[kind] ?? 0 }, (_, index) => {
    const id = kind * 100 + index + 1;
    const { position, positionName } = where;
    return {
      ...{ id: String(id), first: `First${id}`, last: `Player${id}`, club: `Club ${(id % CLUBS) + 1}` },
      ...{ clubId: (id % CLUBS) + 1, position, positionName, isKeeper: position === 'GK' },
    };
  }),
);

export const squadId = (index: number): string => uuidOf(`squad ${index}`);

/** A league with a season that is the same each time: points, ranks, line-ups, transfers, chips and substitutions. */
export function seasonValues({
  squads,
  weeks,
  name = (index) => `Eleven of ${index + 1}`,
}: SeasonShape): readonly WeekValues[] {
  const chance = chanceOf('season values');
  const picked = Array.from({ length: squads }, () => pickSquad(chance));
  const totals = Array.from({ length: squads }, () => 0);
  return Array.from({ length: weeks }, (_, at) => {
    const points = new Map(PLAYERS.map(({ id }) => [id, chance() < 0.25 ? 0 : between(chance, 0, 9)]));
    const minutes = new Map(PLAYERS.map(({ id }) => [id, points.get(id) === 0 ? 0 : 90]));
    const its = picked.map((players, index) => {
      if (at > 0 && chance() < 0.5) transfer(chance, players);
      const values = squadValues(players, {
        points,
        minutes,
        chip: chance() < 0.05 ? 'bench_boost' : undefined,
      });
      totals[index] = (totals[index] ?? 0) + values.points;
      const said = {
        member: `M${index + 1}`,
        memberName: `Member ${index + 1}`,
        isActive: true,
        isRead: true,
      };
      return { ...values, ...said, squad: squadId(index), name: name(index), total: totals[index] ?? 0 };
    });
    const sorted = its.map(({ total }) => total).toSorted((one, other) => other - one);
    return {
      gameWeek: uuidOf(`week ${at + 1}`),
      number: at + 1,
      state: at + 1 === weeks ? ('provisional' as const) : ('final' as const),
      mark: 'final',
      kickOffMs: Date.UTC(2026, 7, 15 + at * 7, 11, 30),
      isProcessed: at + 1 < weeks,
      hasWholeRanks: true,
      players: new Map(PLAYERS.map((player) => [player.id, { ...player, points: points.get(player.id) }])),
      squads: its.map((squad) => ({ ...squad, rank: sorted.indexOf(squad.total) + 1 })),
    };
  });
}

function pickSquad(chance: () => number): string[] {
  return POSITIONS.flatMap(({ position, squad }) => {
    const left = PLAYERS.filter((player) => player.position === position).map(({ id }) => id);
    return Array.from({ length: squad }, () =>
      left.splice(Math.floor(chance() ** 2 * left.length), 1),
    ).flat();
  });
}

/** Another player of the same position comes for one of them. */
function transfer(chance: () => number, players: string[]): void {
  const at = between(chance, 0, players.length - 1);
  const position = PLAYERS.find(({ id }) => id === players[at])?.position;
  const others = PLAYERS.filter((player) => player.position === position && !players.includes(player.id));
  players[at] = others[between(chance, 0, others.length - 1)]?.id ?? '';
}

interface Scored {
  readonly points: ReadonlyMap<string, number>;
  readonly minutes: ReadonlyMap<string, number>;
  readonly chip: string | undefined;
}

function squadValues(players: readonly string[], { points, minutes, chip }: Scored) {
  let from = 0;
  const places = POSITIONS.flatMap(({ squad, starting }) => {
    const its = players
      .slice(from, (from += squad))
      .map((player, index) => ({ player, isStarting: index < starting }));
    return its;
  });
  const sorted = [...places.filter((each) => each.isStarting), ...places.filter((each) => !each.isStarting)];
  const captain = sorted[9]?.player;
  const entries = sorted.map(({ player, isStarting }, index): EntryValues => ({
    ...{
      player,
      isStarting,
      isCaptain: index === 9,
      isViceCaptain: index === 8,
      minutes: minutes.get(player),
    },
    points: (points.get(player) ?? 0) * (index === 9 ? 2 : 1),
  }));
  const sum = (is: boolean): number =>
    entries.reduce((all, each) => all + (each.isStarting === is ? (each.points ?? 0) : 0), 0);
  const out = entries.find(({ isStarting, minutes: played }) => !isStarting && played === 0)?.player;
  return {
    ...{
      points: sum(true),
      benchPoints: sum(false),
      hits: sum(true) % 7 === 0 ? 4 : 0,
      chip,
      value: 99.5,
      entries,
      captain,
    },
    captainPoints: entries[9]?.points,
    substitutions: out === undefined ? [] : [{ out, in: sorted[10]?.player }],
  } satisfies Partial<SquadValues>;
}

/** Options with a number for every squad. */
export const siteOptions = (
  weeks: readonly WeekValues[],
  changes: Partial<SiteOptions> = {},
): SiteOptions => ({
  ...{
    title: 'My League',
    members: 'hidden',
    squads: 'name',
    timezone: 'UTC',
    isOver: false,
    hits: undefined,
  },
  groups: [] as readonly Group[],
  shown: new Set(weeks.map(({ gameWeek }) => gameWeek)),
  numbers: new Map((weeks[0]?.squads ?? []).map(({ squad }, index) => [squad, index + 1])),
  ...changes,
});
