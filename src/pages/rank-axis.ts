/** The ranks that a chart shows, the first of them above. */
export interface RankAxis {
  readonly best: number;
  readonly worst: number;
  /** The ranks that are written beside it, the best and the worst among them. */
  readonly ticks: readonly number[];
}

/** Fewer steps than this would make one rank look like a fall. */
const LEAST_STEPS = 4;
/** More ticks stand too close to each other. */
const MOST_TICK_STEPS = 5;

/** An axis around the ranks of a squad in a league of `squads`; it names none that the league does not have. */
export function rankAxis(ranks: readonly number[], squads: number): RankAxis {
  const [low, high] = ranks.length === 0 ? [1, 1] : [Math.min(...ranks), Math.max(...ranks)];
  const last = Math.max(high, squads);
  const steps = Math.min(last - 1, Math.max(high - low, LEAST_STEPS));
  const above = Math.floor((steps - (high - low)) / 2);
  const best = Math.max(1, Math.min(low - above, last - steps));
  return { best, worst: best + steps, ticks: ticksOf(best, best + steps) };
}

/** Both ends, and round ranks between them that are not close to an end. */
function ticksOf(best: number, worst: number): readonly number[] {
  const step = roundStep((worst - best) / MOST_TICK_STEPS);
  const round = Array.from({ length: Math.floor(worst / step) }, (_, index) => (index + 1) * step).filter(
    (rank) => rank - best >= step / 2 && worst - rank >= step / 2,
  );
  return [...new Set([best, ...round, worst])];
}

/** The least of 1, 2, 5, 10, 20, 50 ... that is not below `least`. */
export function roundStep(least: number): number {
  const power = 10 ** Math.max(0, Math.floor(Math.log10(Math.max(1, least))));
  return ([1, 2, 5].find((digit) => digit * power >= least) ?? 10) * power;
}
