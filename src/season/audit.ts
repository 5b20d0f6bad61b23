import type { Lineup } from '../contract/resources/lineups.ts';
import { brokenPositions, formationOf } from '../rules/formation.ts';
import type { Position, Rules } from '../rules/rules.ts';
import {
  expectedSubstitutions,
  type Expected,
  type Lack,
  type Pair,
  type Place,
} from '../rules/substitutions.ts';
import type { LoggedPair } from './pairs.ts';
import { armbandDifference, learnArmbands, type ArmbandDifference, type Armbands } from './armbands.ts';
import { placesOf, startsOf, type WeekLineups } from './week-lineups.ts';

/** What is known of a squad in a week whose substitutions are processed. */
export interface AuditedSquad {
  readonly id: string;
  readonly name: string;
  readonly lineups: WeekLineups;
  readonly logged: readonly LoggedPair[];
  /** The log has records of the squad whose week cannot be told, and which may be of this one. */
  readonly mayHaveMore?: boolean;
}

/** What is known of the players in a week, by the player's id. */
export interface AuditedWeek {
  readonly rules: Rules;
  readonly minutes: ReadonlyMap<string, number>;
  /** The points of the week, which tell whose points count double where flags do not. */
  readonly points: ReadonlyMap<string, number>;
}

/** Why a squad's substitutions are not those of the rules. */
export type Difference =
  | { readonly kind: 'substitutions' }
  | ArmbandDifference
  | { readonly kind: 'formation'; readonly positions: readonly Position[] };

/** Why nothing can be said of a squad. */
export type Unknown =
  Lack | { readonly kind: 'unknown'; readonly lacks: 'lineup' | 'direction' | 'week' | 'log' };

/** What an audit finds of one squad in one week. */
export type Verdict =
  | { readonly kind: 'agree' }
  | {
      readonly kind: 'differ';
      readonly expected: readonly Pair[];
      readonly logged: readonly Partial<Pair>[];
      readonly why: readonly Difference[];
    }
  | Unknown;

/** A squad with what the rules make of its line-up. */
interface Judged extends AuditedSquad {
  readonly pairs: readonly Partial<Pair>[];
  readonly places: readonly Place[];
  readonly expected: Expected | Unknown;
}

/**
 * Compares the substitutions of squads with what the rules make of their line-ups, in the order of the squads; what decides and is not known makes a squad unknown. What the flags of
 * captains mean is learnt from all squads together.
 */
export function auditSquads(squads: readonly AuditedSquad[], week: AuditedWeek): readonly Verdict[] {
  const judged = squads.map((squad) => judge(squad, week));
  const armbands = learnArmbands(
    judged.map(({ expected, ...squad }) => ({
      ...squad,
      expected: expected.kind === 'known' ? expected.captain : undefined,
    })),
  );
  const hasLog = squads.some(({ logged }) => logged.length > 0);
  return judged.map((squad) => verdictOf(squad, week, armbands, hasLog));
}

function judge(squad: AuditedSquad, { rules, minutes }: AuditedWeek): Judged {
  const pairs = squad.logged.map((pair) => ({
    ...(pair.out && { out: playerOf(pair.out) }),
    ...(pair.in && { in: playerOf(pair.in) }),
  }));
  const unknown = (lacks: 'lineup' | 'direction'): Judged => ({
    ...squad,
    pairs,
    places: [],
    expected: { kind: 'unknown', lacks },
  });
  if (pairs.some((pair) => pair.out === undefined && pair.in === undefined)) return unknown('direction');
  const before = lineupBefore(squad.lineups, pairs);
  if (before === undefined) return unknown('lineup');
  const places = placesOf(before, rules, minutes);
  return { ...squad, pairs, places, expected: expectedSubstitutions(places, rules) };
}

function verdictOf(squad: Judged, week: AuditedWeek, armbands: Armbands, hasLog: boolean): Verdict {
  const { expected, pairs } = squad;
  if (expected.kind === 'unknown') return expected;
  const areLogged = [expected.pairs, ...expected.others].some((each) => isSame(each, pairs));
  if (!areLogged && squad.mayHaveMore === true) return { kind: 'unknown', lacks: 'week' };
  // A log may show a week late. A line-up that stayed as it was shows that nobody came in.
  const isUnchanged = squad.lineups.after !== undefined && squad.lineups.before === undefined;
  if (!areLogged && !hasLog && !isUnchanged) return { kind: 'unknown', lacks: 'log' };
  const armband = armbandDifference(expected.captain, squad, week.points, armbands);
  if (armband === 'unknown' && areLogged)
    return { kind: 'unknown', lacks: 'armband', player: expected.captain };
  const why: readonly Difference[] = [
    ...(areLogged ? [] : [{ kind: 'substitutions' } as const, ...formation(squad, week.rules)]),
    ...(typeof armband === 'object' ? [armband] : []),
  ];
  return why.length === 0
    ? { kind: 'agree' }
    : { kind: 'differ', expected: expected.pairs, logged: pairs, why };
}

const playerOf = ({ player }: NonNullable<LoggedPair['out']>): string => String(player?.id ?? '');

/** The line-up that substitutions were made of. One that nobody changed is the one before and after; one that the log cannot have been made of is not it. */
function lineupBefore({ before, fixed }: WeekLineups, logged: readonly Partial<Pair>[]): Lineup | undefined {
  if (before !== undefined || fixed === undefined) return before;
  const starts = startsOf(fixed);
  const mayBe = logged.every(
    (pair) =>
      (pair.out === undefined || starts.get(pair.out) === true) &&
      (pair.in === undefined || starts.get(pair.in) === false),
  );
  return mayBe ? fixed : undefined;
}

/** Whether the same went out and the same came in; who came in for whom changes nothing. */
function isSame(expected: readonly Pair[], logged: readonly Partial<Pair>[]): boolean {
  const playersOf = (pairs: readonly Partial<Pair>[], side: keyof Pair): readonly string[] =>
    pairs.flatMap((pair) => pair[side] ?? []);
  return (['out', 'in'] as const).every((side) =>
    isSameSet(playersOf(expected, side), playersOf(logged, side)),
  );
}

const isSameSet = (one: readonly string[], other: readonly string[]): boolean =>
  one.length === other.length && new Set(one).symmetricDifference(new Set(other)).size === 0;

/** The positions of which too few or too many start afterwards, where the line-up before was in order. */
function formation({ lineups: { after }, places, pairs }: Judged, { eleven }: Rules): readonly Difference[] {
  const positionOf = new Map(places.map(({ player, position }) => [player, position]));
  const brokenBy = (players: readonly string[]): readonly Position[] =>
    brokenPositions(eleven, formationOf(players.flatMap((player) => positionOf.get(player) ?? [])));
  const started = places.flatMap(({ player, isStarting }) => (isStarting ? [player] : []));
  const starting =
    after === undefined
      ? [
          ...started.filter((player) => !pairs.some(({ out }) => out === player)),
          ...pairs.flatMap((pair) => pair.in ?? []),
        ]
      : [...startsOf(after)].flatMap(([player, isStarting]) => (isStarting ? [player] : []));
  const broken = brokenBy(starting);
  return brokenBy(started).length > 0 || broken.length === 0
    ? []
    : [{ kind: 'formation', positions: broken }];
}
