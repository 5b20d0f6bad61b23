import { byName } from '../contract/by-name.ts';
import { OUTCOMES, type ChangeKind, type Outcome, type OutcomeCounts } from '../model/outcome.ts';
import { InternalError } from '../model/error.ts';

/** Outcome counts with `rows`; the order of interfaces.md, section 6. */
export function outcomeCounts(counts: ReadonlyMap<Outcome | 'open', number>): OutcomeCounts {
  const rows = [...counts.values()].reduce((sum, count) => sum + count, 0);
  return { rows, ...byName(OUTCOMES, (outcome) => counts.get(outcome) ?? 0) };
}

/** The outcomes that a plan foresees: rows still open end as their change says; those that stay unchanged wait for their record. */
export function plannedOutcomes(
  counts: ReadonlyMap<Outcome | 'open', number>,
  open: ReadonlyMap<ChangeKind, number>,
): OutcomeCounts {
  const { rows, ...settled } = outcomeCounts(counts);
  return {
    rows,
    ...settled,
    created: settled.created + (open.get('create') ?? 0),
    updated: settled.updated + (open.get('update') ?? 0),
    unchanged: settled.unchanged + (open.get('unchanged') ?? 0),
  };
}

/** Errors: InternalError `counts.lost` unless every row has exactly one outcome. */
export function checkCounts(mapping: string, counts: OutcomeCounts): void {
  const sum = OUTCOMES.reduce((total, outcome) => total + counts[outcome], 0);
  if (sum !== counts.rows) {
    throw new InternalError(
      'counts.lost',
      `${mapping}: ${counts.rows} rows but ${sum} outcomes; please report this`,
    );
  }
}
