import type { Intent, StoredIntent } from '../../model/state/store.ts';
import type { StateTask } from '../ports.ts';
import { writesByRun } from './pre-image.ts';
import { isMaybeApplied } from '../../plan/intent-lifecycle.ts';
import { readEvidence, type Evidence } from '../../plan/reconcile/evidence.ts';

/** A write and what its evidence tells. */
export interface LastWrite<Found> {
  readonly intent: StoredIntent;
  readonly evidence: Evidence;
  /** What its evidence tells. */
  readonly found: Found;
}

/** The newest write to the resource that may have been applied and whose evidence tells what is asked for. */
export async function newestWrite<Found>(
  { ports: { store }, account, mapping: { resource } }: StateTask,
  find: (evidence: Evidence, intent: Intent) => Found | undefined,
): Promise<LastWrite<Found> | undefined> {
  for await (const sent of writesByRun(store, account, resource)) {
    for (const intent of sent.toReversed()) {
      if (intent.resource !== resource || !isMaybeApplied(intent)) continue;
      const evidence = readEvidence(intent);
      const found = evidence && find(evidence, intent);
      if (evidence !== undefined && found !== undefined) return { intent, evidence, found };
    }
  }
  return undefined;
}
