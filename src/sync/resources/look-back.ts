import type { PushMapping } from '../../mapping/mapping.ts';
import type { Said } from '../../model/said.ts';
import type { Confirmation } from '../../plan/requests.ts';
import { resourcePlans } from '../../plan/resources/index.ts';
import type { OpenWrite, Seen } from '../../plan/reconcile/seen.ts';

/** That none of the rows was found. */
export const nothing = (others: Seen['others'], why: Said): Seen => ({ found: new Map(), others, why });

/** The rows of writes as their resource confirms them when an answer says no more than yes. */
export const confirmAll = (
  { resource }: PushMapping,
  writes: readonly OpenWrite[],
): ReadonlyMap<string, Confirmation> =>
  new Map(writes.flatMap(({ rows }) => [...resourcePlans[resource].requests.match(rows, [{}])]));

/** The write was recorded without what the service showed before it. */
export const NO_EVIDENCE: Said = { code: 'read-back-no-evidence' };
