import type { ChartData } from '../model/tables/layout.ts';

interface Scale {
  readonly min: number;
  readonly max: number;
  readonly majorUnit: number;
}

const STEPS = 6;
const RANK_STEPS = 12;

/** The scale of numbers: ranks begin at 1, lines of values that differ little from each other near the least, everything else at 0 or below. Undefined without numbers. */
export function numberScale({ spec, series }: ChartData): Scale | undefined {
  const values = series.flatMap((one) => one.values.filter((value) => value !== null));
  if (values.length === 0) return undefined;
  const [least, greatest] = [Math.min(...values), Math.max(...values)];
  if (spec.type === 'line' && spec.reverse && least >= 1)
    return { min: 1, max: Math.max(greatest, 2), majorUnit: Math.max(1, roundStep(greatest / RANK_STEPS)) };
  const isNear = spec.type === 'line' && least > greatest - least;
  const spread = isNear ? greatest - least || least / 10 : Math.max(greatest, 0) - Math.min(least, 0);
  const majorUnit = roundStep((spread || 1) / STEPS);
  const steps = Math.floor(least / majorUnit);
  const from = isNear ? Math.max(0, steps - 1) : Math.min(0, steps);
  const to = Math.max(0, Math.floor(greatest / majorUnit) + 1);
  const at = (step: number): number => Number((step * majorUnit).toPrecision(12));
  return { min: at(from), max: at(to), majorUnit };
}

/** The least of 1, 2 and 5 with a power of ten that is not below a step. */
function roundStep(step: number): number {
  const power = 10 ** Math.floor(Math.log10(step));
  const factor = [1, 2, 5, 10].find((each) => each * power >= step) ?? 10;
  return Number((factor * power).toPrecision(12));
}
