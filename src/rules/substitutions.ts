import { formationOf, keepsFormation, type Formation } from './formation.ts';
import type { Position, Rules } from './rules.ts';

/** A player's place in a line-up before the automatic substitutions, and what is known of the player; `order` counts the bench on from the eleven. */
export interface Place {
  readonly player: string;
  readonly order: number;
  readonly isStarting: boolean;
  readonly isCaptain: boolean;
  readonly isViceCaptain: boolean;
  /** Undefined where nothing says it. */
  readonly position: Position | undefined;
  readonly minutes: number | undefined;
}

/** One substitution. */
export interface Pair {
  readonly out: string;
  readonly in: string;
}

/** Something that decides and is not known. */
export interface Lack {
  readonly kind: 'unknown';
  readonly lacks: 'minutes' | 'position' | 'armband';
  /** Undefined where nobody is captain. */
  readonly player: string | undefined;
}

/** What the rules make of a line-up. */
export interface Expected {
  readonly kind: 'known';
  /** With those who did not play in the order of the line-up. */
  readonly pairs: readonly Pair[];
  /** The same with them in every other order, which the rules leave open. */
  readonly others: readonly (readonly Pair[])[];
  /** Who counts as captain afterwards; undefined where neither captain nor vice-captain played. */
  readonly captain: string | undefined;
}

interface Outfield extends Place {
  readonly position: Position;
}

/** How far the substitutions of a line-up have come. */
interface Step {
  readonly absent: readonly Outfield[];
  readonly bench: readonly Place[];
  readonly formation: Formation;
  readonly pairs: readonly Pair[];
}

const lacking = (lacks: Lack['lacks'], player: string | undefined): Lack => ({
  kind: 'unknown',
  lacks,
  player,
});
const played = ({ minutes = 0 }: Place): boolean => minutes > 0;

/**
 * The automatic substitutions of a line-up by the public rules: whoever starts and has no minutes is replaced by the first on the bench who played and does not break
 * the formation, a goalkeeper by goalkeepers alone; a captain without minutes hands the armband to the vice-captain. What decides and is not known makes it unknown.
 */
export function expectedSubstitutions(lineup: readonly Place[], { eleven }: Rules): Expected | Lack {
  const inOrder = lineup.toSorted((one, other) => one.order - other.order);
  const starters = inOrder.filter(({ isStarting }) => isStarting);
  const unread = starters.find(({ minutes }) => minutes === undefined);
  if (unread !== undefined) return lacking('minutes', unread.player);
  const placed = starters.filter((each): each is Outfield => each.position !== undefined);
  const nobodyAbsent = starters.every(played);
  const unplaced = starters.find(({ position }) => position === undefined);
  if (unplaced !== undefined && !nobodyAbsent) return lacking('position', unplaced.player);
  const outcomes = follow(
    {
      absent: placed.filter((each) => !played(each)),
      bench: inOrder.filter(({ isStarting }) => !isStarting),
      formation: formationOf(placed.map(({ position }) => position)),
      pairs: [],
    },
    eleven,
  );
  if (!Array.isArray(outcomes)) return outcomes;
  const [pairs = [], ...others] = outcomes;
  const captain = captainOf(inOrder, pairs);
  return typeof captain === 'object' ? captain : { kind: 'known', pairs, others, captain };
}

/** The outcomes of every order of those who are absent, each once; that of their own order first. */
function follow(first: Step, eleven: Rules['eleven']): (readonly Pair[])[] | Lack {
  const outcomes = new Map<string, readonly Pair[]>();
  const seen = new Set<string>();
  const open = [first];
  for (let step = open.pop(); step !== undefined; step = open.pop()) {
    const key = keyOf(step.pairs);
    const state = `${key}|${step.absent.map(({ player }) => player).join(' ')}`;
    if (seen.has(state)) continue;
    seen.add(state);
    if (step.absent.length === 0 && !outcomes.has(key)) outcomes.set(key, step.pairs);
    // The last that is put on the pile is taken first.
    for (const out of step.absent.toReversed()) {
      const next = replace(step, out, eleven);
      if ('kind' in next) return next;
      open.push(next);
    }
  }
  return [...outcomes.values()];
}

const keyOf = (pairs: readonly Pair[]): string =>
  pairs
    .map((pair) => `${pair.out}>${pair.in}`)
    .toSorted()
    .join(' ');

/** The step after one of the absent was looked at. */
function replace(
  { absent, bench, formation, pairs }: Step,
  out: Outfield,
  eleven: Rules['eleven'],
): Step | Lack {
  const rest = absent.filter((each) => each !== out);
  for (const into of bench) {
    if (into.minutes === 0) continue;
    if (into.position === undefined) return lacking('position', into.player);
    const areKeepers = [out, into].filter(({ position }) => position === 'GK').length;
    if (areKeepers === 1 || !keepsFormation(eleven, formation, out.position, into.position)) continue;
    if (into.minutes === undefined) return lacking('minutes', into.player);
    return {
      absent: rest,
      bench: bench.filter((each) => each !== into),
      formation: {
        ...formation,
        ...(out.position !== into.position && {
          [out.position]: formation[out.position] - 1,
          [into.position]: formation[into.position] + 1,
        }),
      },
      pairs: [...pairs, { out: out.player, in: into.player }],
    };
  }
  return { absent: rest, bench, formation, pairs };
}

/** Who counts as captain. */
function captainOf(lineup: readonly Place[], pairs: readonly Pair[]): string | undefined | Lack {
  const captain = lineup.find(({ isCaptain }) => isCaptain);
  if (captain === undefined) return lacking('armband', undefined);
  const came = new Set(pairs.map((pair) => pair.in));
  for (const each of [captain, lineup.find(({ isViceCaptain }) => isViceCaptain)]) {
    if (each === undefined) continue;
    if (each.minutes === undefined) return lacking('minutes', each.player);
    if (played(each) && (each.isStarting || came.has(each.player))) return each.player;
  }
  return undefined;
}
