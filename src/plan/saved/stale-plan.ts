import { renderCountOf } from '../../model/count.ts';
import { StoppedError } from '../../model/error.ts';
import { PLAN_PARTS, type Difference } from './compare-plans.ts';

/** Differences of each part that a message spells out. */
const SHOWN = 10;
/** Differences of each part that a program is told. */
const KEPT = 1000;

/** A saved plan that is not what a new one would be. It was refused before anything was sent. */
export class StalePlanError extends StoppedError {
  /** How many differences each part has. */
  readonly counts: Readonly<Record<string, number>>;
  readonly differences: readonly Difference[];

  constructor(file: string, age: string, differences: readonly Difference[], next: string) {
    const parts = PLAN_PARTS.map((part) => [part, differences.filter((each) => each.part === part)] as const);
    const count = renderCountOf(differences.length, 'difference');
    const lines = parts.flatMap(([part, found]) => linesOf(part, found));
    super('plan.stale', [`${file} (${age}) is stale, so nothing was sent: ${count}`, ...lines].join('\n'), {
      file,
      next,
    });
    this.counts = Object.fromEntries(parts.map(([part, found]) => [part, found.length]));
    this.differences = parts.flatMap(([, found]) => found.slice(0, KEPT));
  }
}

function linesOf(part: string, differences: readonly Difference[]): readonly string[] {
  if (differences.length === 0) return [];
  const more = differences.length - SHOWN;
  return [
    `  ${part}: ${differences.length}`,
    ...differences.slice(0, SHOWN).map(({ message }) => `    ${message}`),
    ...(more > 0 ? [`    and ${more} more`] : []),
  ];
}
