import type { Health } from './alerts.ts';
import type { MappingSummary } from './store.ts';

const REFUSED_OR_OPEN = ['invalid', 'rejected', 'deferred', 'unknown', 'conflict'] as const;

/** What a run made of a mapping; without a summary, the run never came to it. */
export function healthOf(summary: MappingSummary | undefined): Health {
  if (summary === undefined) return 'failing';
  if (summary.direction === 'pull') return summary.error === undefined ? 'ok' : 'failing';
  const left = REFUSED_OR_OPEN.reduce((sum, outcome) => sum + summary[outcome], 0);
  if (left === 0) return 'ok';
  return summary.created + summary.updated + summary.unchanged > 0 ? 'degraded' : 'failing';
}
