import { isNext, type GameWeek } from '../../season/game-week.ts';
import {
  contradiction,
  learnHits,
  pointsOf,
  type HitsInPoints,
  type SquadPoints,
  type Step,
} from '../../season/totals.ts';
import type { WeekFacts } from './week-facts.ts';

/** Squads whose later total contradicts the points that are kept of a week, and by how many points in all. */
export interface Contradicted {
  readonly squads: number;
  readonly points: number;
}

/** Line-up and detail of a squad that were read no further apart were read together. */
const ONE_READING_MS = 60 * 60 * 1000;

type Points = ReadonlyMap<string, SquadPoints>;

/**
 * By the id of a week, what the totals of the week after it contradict. Line-ups are read for weeks in which a total does not fit at once: they alone say who paid
 * for transfers, and the squads that paid teach whether the points of a week are net of that.
 */
export async function contradictions(
  facts: WeekFacts,
  weeks: readonly GameWeek[],
): Promise<ReadonlyMap<string, Contradicted>> {
  const stepsOf = await stepsThatDiffer(facts, weeks);
  const hits = learnHits([...stepsOf.values()].flat());
  return new Map(
    [...stepsOf].map(([id, steps]) => {
      const found = steps.map((step) => contradiction(step, hits) ?? 0).filter((points) => points !== 0);
      return [id, { squads: found.length, points: found.reduce((sum, points) => sum + Math.abs(points), 0) }];
    }),
  );
}

/** The steps of squads to the week after one, by the squad's id; none where a week between them is not known. */
export async function stepsTo(
  facts: WeekFacts,
  week: GameWeek,
  next: GameWeek,
): Promise<ReadonlyMap<string, Step>> {
  if (!isNext(week, next)) return new Map();
  const pairs = pairsOf(await squadPoints(facts, week), await squadPoints(facts, next));
  const steps = await withDeductions(facts, next, pairs);
  return new Map(steps.map((step, at) => [pairs[at]?.[0] ?? '', step]));
}

/** Whether the points of a week have deductions in them, as the totals of all weeks teach it. */
export async function learntHits(facts: WeekFacts, weeks: readonly GameWeek[]): Promise<HitsInPoints> {
  return learnHits([...(await stepsThatDiffer(facts, weeks)).values()].flat());
}

/** By the id of a week, the steps of all squads to the week after it, where one of them does not fit at once. */
async function stepsThatDiffer(
  facts: WeekFacts,
  weeks: readonly GameWeek[],
): Promise<ReadonlyMap<string, readonly Step[]>> {
  const stepsOf = new Map<string, readonly Step[]>();
  let before: Points = new Map();
  for (const [at, week] of weeks.entries()) {
    const after = await squadPoints(facts, week);
    const last = weeks[at - 1];
    const pairs = last !== undefined && isNext(last, week) ? pairsOf(before, after) : [];
    if (
      last !== undefined &&
      pairs.some(([, step]) => step.after.total - step.after.week !== step.before.total)
    )
      stepsOf.set(last.id, await withDeductions(facts, week, pairs));
    before = after;
  }
  return stepsOf;
}

const pairsOf = (before: Points, after: Points): readonly (readonly [squad: string, step: Step])[] =>
  [...after].flatMap(([squad, points]) => {
    const earlier = before.get(squad);
    return earlier === undefined ? [] : [[squad, { before: earlier, after: points }] as const];
  });

async function squadPoints(facts: WeekFacts, week: GameWeek): Promise<Points> {
  return new Map(
    [...(await facts.squads(week.id))].flatMap(([id, each]) => {
      const points = pointsOf(each);
      return points === undefined ? [] : [[id, points] as const];
    }),
  );
}

async function withDeductions(
  facts: WeekFacts,
  week: GameWeek,
  pairs: readonly (readonly [squad: string, step: Step])[],
): Promise<readonly Step[]> {
  const lineups = await facts.lineups(week.id);
  const [lineupAt, squadAt] = [await facts.readAt(week.id, 'lineup'), await facts.readAt(week.id, 'squad')];
  const paidBy = (squad: string): number | undefined => {
    const [shownMs, countedMs] = [lineupAt.get(squad) ?? NaN, squadAt.get(squad) ?? NaN];
    const paid = lineups.get(squad)?.paid ?? undefined;
    if (!(shownMs < week.startMs)) return paid;
    // Transfers go on until the week begins; a total that was read beside the line-up has no more of them.
    return paid === 0 && Math.abs(countedMs - shownMs) <= ONE_READING_MS ? 0 : undefined;
  };
  return pairs.map(([squad, { before, after }]) => ({
    before,
    after: { ...after, deduction: paidBy(squad) },
  }));
}
