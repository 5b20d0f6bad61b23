import type { AutoSubstitution } from '../contract/resources/auto-substitutions.ts';
import { captainOf, startsOf, type WeekLineups } from './week-lineups.ts';

/** One substitution of the log: what cannot be told of it is left out. */
export interface LoggedPair {
  /** The id of the game week. */
  readonly week?: string;
  readonly squad: AutoSubstitution['squad'];
  readonly out?: AutoSubstitution;
  readonly in?: AutoSubstitution;
  /** Whether who went out handed on the armband. */
  readonly captainMoved?: boolean;
  /** The records that it was made of, for whoever cannot tell who went out and who came in. */
  readonly records: readonly AutoSubstitution[];
}

type Direction = 'out' | 'in';
/** The minutes of a player in a week, where they are known. */
export type MinutesIn = (week: string, player: string) => number | undefined;
type LineupsOf = (week: string, squad: string) => WeekLineups;

const playerOf = ({ player }: AutoSubstitution): string => String(player?.id ?? '');

/** What a record says that may hold the direction. The words are not shown by the interface. */
const FEATURES: readonly ((record: AutoSubstitution) => unknown)[] = [
  ({ action }) => action,
  ({ txn_type: type }) => type,
  ({ is_starting: starts }) => starts,
];

/**
 * The substitutions that the records of the log make, in its order; `weekOf` gives the week of a record's id. Who went out is told by line-ups, and by words and flags that line-ups
 * and minutes have explained; records of one squad, week and reference belong together.
 */
export function loggedPairs(
  records: readonly AutoSubstitution[],
  weekOf: ReadonlyMap<string, string>,
  lineupsOf: LineupsOf,
  minutesIn: MinutesIn = () => undefined,
): readonly LoggedPair[] {
  const learnt = learnDirections(records, weekOf, lineupsOf, minutesIn);
  const groups = Map.groupBy(records, (record) =>
    JSON.stringify([record.squad?.id, weekOf.get(record.id), record.txn_ref ?? record.id]),
  );
  return [...groups.values()].flatMap((group) => pairsOf(group, weekOf, lineupsOf, learnt));
}

/** The direction of a record by the line-ups of its week. */
function shownDirection(
  record: AutoSubstitution,
  weekOf: ReadonlyMap<string, string>,
  lineupsOf: LineupsOf,
): Direction | undefined {
  const { before, after } = lineupsOf(weekOf.get(record.id) ?? '', record.squad?.id ?? '');
  const key = playerOf(record);
  if (after === undefined) {
    const was = before && startsOf(before).get(key);
    return was === undefined ? undefined : was ? 'out' : 'in';
  }
  const now = startsOf(after).get(key);
  if (now === undefined) return undefined;
  // A line-up that did not change as the log says explains no words.
  if (before !== undefined && startsOf(before).get(key) !== !now) return undefined;
  return now ? 'in' : 'out';
}

/** What line-ups and minutes explain of each feature: values that stand for one direction. */
type Learnt = readonly ReadonlyMap<unknown, Direction>[];

/** A word means what this share of its records shows: few of them may be mistakes of the service. */
const MOST = 0.9;

function learnDirections(
  records: readonly AutoSubstitution[],
  weekOf: ReadonlyMap<string, string>,
  lineupsOf: LineupsOf,
  minutesIn: MinutesIn,
): Learnt {
  const votes = FEATURES.map(() => new Map<unknown, Record<Direction, number>>());
  for (const record of records) {
    const minutes = minutesIn(weekOf.get(record.id) ?? '', playerOf(record));
    const played = minutes === undefined ? undefined : minutes > 0 ? 'in' : 'out';
    const direction = shownDirection(record, weekOf, lineupsOf) ?? played;
    if (direction === undefined) continue;
    FEATURES.forEach((feature, index) => {
      const value = feature(record);
      if (value === null || value === undefined) return;
      const counts = votes[index]?.get(value) ?? { out: 0, in: 0 };
      counts[direction] += 1;
      votes[index]?.set(value, counts);
    });
  }
  return votes.map((values, index) => {
    // A value that every record has stands for both.
    if (new Set(records.map((record) => FEATURES[index]?.(record))).size < 2) return new Map();
    return new Map(
      [...values].flatMap(([value, counts]): [unknown, Direction][] => {
        const best = counts.out > counts.in ? 'out' : 'in';
        return counts[best] >= MOST * (counts.out + counts.in) ? [[value, best]] : [];
      }),
    );
  });
}

/** One pair where one goes out and one comes in; else a row for each record whose direction is told, and one for the others together. */
function pairsOf(
  group: readonly AutoSubstitution[],
  weekOf: ReadonlyMap<string, string>,
  lineupsOf: LineupsOf,
  learnt: Learnt,
): readonly LoggedPair[] {
  const [first] = group;
  if (first === undefined) return [];
  const week = weekOf.get(first.id);
  const { squad } = first;
  const common = { squad, ...(week !== undefined && { week }) };
  const directionOf = (record: AutoSubstitution): Direction | undefined =>
    shownDirection(record, weekOf, lineupsOf) ??
    learnt.map((values, index) => values.get(FEATURES[index]?.(record))).find((each) => each !== undefined);
  const told = completed(group, group.map(directionOf));
  const lineups = lineupsOf(week ?? '', squad?.id ?? '');
  const outs = group.filter((_, index) => told[index] === 'out');
  const ins = group.filter((_, index) => told[index] === 'in');
  const untold = group.filter((_, index) => told[index] === undefined);
  const rest = untold.length === 0 ? [] : [{ ...common, records: untold }];
  const matched = matchPairs(outs, ins, lineups);
  return [
    ...matched.map(([out, into]) => ({
      ...common,
      ...(out && { out }),
      ...(into && { in: into }),
      ...armband(out, lineups),
      records: [out, into].filter((each) => each !== undefined),
    })),
    ...rest,
  ];
}

/** Of two records that belong together one is out and one in: where both seem to be one of it, neither is told. */
function completed(
  group: readonly AutoSubstitution[],
  told: readonly (Direction | undefined)[],
): readonly (Direction | undefined)[] {
  if (group.length !== 2) return told;
  const [one, other] = told;
  if (one === other) return [undefined, undefined];
  const opposite = (each: Direction | undefined): Direction | undefined =>
    each && (each === 'in' ? 'out' : 'in');
  return [one ?? opposite(other), other ?? opposite(one)];
}

/** Who came in for whom: the only one for the only one, or who took whose place. What cannot be told stands alone. */
function matchPairs(
  outs: readonly AutoSubstitution[],
  ins: readonly AutoSubstitution[],
  { before, after }: WeekLineups,
): readonly (readonly [AutoSubstitution | undefined, AutoSubstitution | undefined])[] {
  if (outs.length === 1 && ins.length === 1) return [[outs[0], ins[0]]];
  const placeBefore = before === undefined ? [] : [...startsOf(before).keys()];
  const placeAfter = after === undefined ? [] : [...startsOf(after).keys()];
  const left = new Set(ins);
  const matched = outs.map((out): [AutoSubstitution, AutoSubstitution | undefined] => {
    const at = placeBefore.indexOf(playerOf(out));
    const into = [...left].find((each) => at !== -1 && placeAfter[at] === playerOf(each));
    if (into !== undefined) left.delete(into);
    return [out, into];
  });
  return [...matched, ...[...left].map((into) => [undefined, into] as const)];
}

/** Whether the player who went out was captain and another one is now. */
function armband(
  out: AutoSubstitution | undefined,
  { before, after }: WeekLineups,
): Pick<LoggedPair, 'captainMoved'> {
  const [was, is] = [before, after].map((lineup) => lineup && captainOf(lineup));
  if (out === undefined || was === undefined || is === undefined) return {};
  return { captainMoved: was === playerOf(out) && is !== was };
}
