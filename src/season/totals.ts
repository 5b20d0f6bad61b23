import type { SquadFacts } from './squad-facts.ts';

/** The points of a squad after one game week. */
export interface SquadPoints {
  readonly week: number;
  readonly total: number;
  /** The points that a transfer too many cost in that week; undefined where no line-up says it. */
  readonly deduction: number | undefined;
}

/** Whether the points of a week have the deductions in them (`net`) or not (`gross`); undefined until it is learnt. */
export type HitsInPoints = 'net' | 'gross' | undefined;

/** What the detail of a squad says of its points; undefined where they are not shown, or are those of another game week than the squad is of. */
export function pointsOf({
  weekPoints: week,
  total,
  isOfWeek,
}: Pick<SquadFacts, 'weekPoints' | 'total' | 'isOfWeek'>): SquadPoints | undefined {
  if (week === null || total === null || !isOfWeek) return undefined;
  return { week, total, deduction: undefined };
}

/** The readings of one squad in two game weeks that follow each other. */
export interface Step {
  readonly before: SquadPoints;
  readonly after: SquadPoints;
}

/** Learns from squads that paid for transfers by which of the two sums their total grew; the more frequent one counts, and nothing where both are as frequent. */
export function learnHits(steps: Iterable<Step>): HitsInPoints {
  let [net, gross] = [0, 0];
  for (const { before, after } of steps) {
    const grown = after.total - before.total;
    if (after.deduction === undefined || after.deduction === 0) continue;
    if (grown === after.week) net += 1;
    else if (grown === after.week - after.deduction) gross += 1;
  }
  if (net === gross) return undefined;
  return net > gross ? 'net' : 'gross';
}

/**
 * By how many points a later total contradicts the total that is kept of the week before: the later one minus the points of its own week. Undefined where that
 * cannot be told: the squad paid for transfers, and it is not learnt whether the points of a week are net of that.
 */
export function contradiction({ before, after }: Step, hits: HitsInPoints): number | undefined {
  if (after.deduction === undefined || (after.deduction > 0 && hits === undefined)) return undefined;
  const own = after.week - (hits === 'gross' ? after.deduction : 0);
  return after.total - own - before.total;
}

/** What a week adds to the total of a squad: its points, less what transfers cost where that is not in them; null where that is not known. */
export function wonIn(
  points: number | null | undefined,
  paid: number | null | undefined,
  hits: HitsInPoints,
): number | null {
  if (typeof points !== 'number' || typeof paid !== 'number') return null;
  if (paid === 0 || hits === 'net') return points;
  return hits === undefined ? null : points - paid;
}
