import type { Service } from './service.ts';
import type { RequestCounts } from './state/store.ts';

/** The requests so far. What was not `foreseen` by a plan counts as planned when it was sent. */
export function requestsMade(
  service: Pick<Service, 'counts'>,
  foreseen: Pick<RequestCounts, 'planned' | 'sent'> = { planned: 0, sent: 0 },
): RequestCounts {
  const counts = service.counts();
  return { ...counts, planned: foreseen.planned + counts.sent - foreseen.sent };
}
