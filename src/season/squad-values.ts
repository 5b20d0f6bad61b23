import type { RecordOf } from '../contract/index.ts';
import { positionOf, type Rules } from '../rules/rules.ts';
import type { Standing } from './standings.ts';
import type { EntryValues, PlayerValues, SquadValues, SubstitutionValues } from './week-values.ts';
import { entriesOf, startsOf, type WeekLineups } from './week-lineups.ts';

type Lineup = RecordOf<'get-lineup'>;

/** A squad of a week as it is published; `minutes` are those of players in that week, `told` is what a line-up tells that was read too early. */
export function squadValues(
  standing: Standing,
  { latest, before }: WeekLineups,
  minutes: ReadonlyMap<string, number>,
  told?: 'places' | 'nothing',
): SquadValues {
  const { user, rank, points, total, captain, bench_points, captain_points, chip, value } = standing;
  return {
    squad: standing.id,
    member: user?.external_id ?? undefined,
    name: standing.name ?? '',
    memberName: user?.display_name ?? '',
    isActive: user?.is_active !== false,
    rank: rank ?? undefined,
    points: points ?? undefined,
    total: total ?? undefined,
    benchPoints: bench_points ?? undefined,
    hits: standing.points_deduction ?? undefined,
    chip: chip ?? undefined,
    value: value ?? undefined,
    captain: captain.player?.id ?? undefined,
    captainPoints: captain_points ?? undefined,
    isRead: latest !== undefined,
    entries: told === 'nothing' ? undefined : latest && entryValues(latest, minutes, told),
    substitutions: before === undefined || latest === undefined ? [] : changesOf(before, latest),
  };
}

function entryValues(
  lineup: Lineup,
  minutes: ReadonlyMap<string, number>,
  told: 'places' | undefined,
): readonly EntryValues[] {
  return entriesOf(lineup).map(({ entry, isStarting }) => {
    const player = entry.player?.id ?? '';
    return {
      player,
      points: (told === undefined ? entry.points : undefined) ?? undefined,
      minutes: minutes.get(player),
      isStarting,
      isCaptain: entry.is_captain === true,
      isViceCaptain: entry.is_vice_captain === true,
    };
  });
}

/** Who no longer starts and who does, in the order of the line-ups: the first for the first. */
function changesOf(before: Lineup, after: Lineup): readonly SubstitutionValues[] {
  const [then, now] = [startsOf(before), startsOf(after)];
  const outs = [...then].flatMap(([player, starts]) => (starts && now.get(player) === false ? [player] : []));
  const ins = [...now].flatMap(([player, starts]) => (starts && then.get(player) === false ? [player] : []));
  return Array.from({ length: Math.max(outs.length, ins.length) }, (_, at) => ({
    out: outs[at],
    in: ins[at],
  }));
}

/** The players of a line-up who are not `known`; `points` are their own in the week, where they are told. */
export function playerValues(
  lineup: Lineup,
  rules: Pick<Rules, 'positions'>,
  points: ReadonlyMap<string, number>,
  known: ReadonlyMap<string, unknown>,
): readonly PlayerValues[] {
  const fresh = entriesOf(lineup).filter(({ entry }) => !known.has(entry.player?.id ?? ''));
  return fresh.map(({ entry: { player, team, position } }) => {
    const id = player?.id ?? '';
    return {
      id,
      first: player?.first_name ?? '',
      last: player?.last_name ?? '',
      club: team?.name ?? '',
      clubId: team?.id ?? 1,
      position: position?.abbrevation ?? position?.position ?? '',
      positionName: position?.position ?? position?.abbrevation ?? '',
      isKeeper: positionOf(rules, [position?.position, position?.abbrevation]) === 'GK',
      points: points.get(id),
    };
  });
}
