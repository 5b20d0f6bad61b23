import type { Said } from '../model/said.ts';
import type { StoredIntent } from '../model/store.ts';
import { saidNo } from './soft-refusal.ts';
import { resourcePlans } from './resources/index.ts';

/** A write whose records a list shows for good once they are there, so that their absence proves that it was not applied. */
export const isListedCreate = ({
  resource,
  operation,
}: Pick<StoredIntent, 'resource' | 'operation'>): boolean =>
  resourcePlans[resource].listed !== undefined && operation !== 'update-user';

/** Why nobody can say yet that a write will not go out: who recorded it may be asleep, and send it when it wakes. Undefined where that cannot be. */
export const maySendStill = ({ result, silent }: StoredIntent): Said | undefined =>
  result === null && silent?.goneAtMs === null ? { code: 'sender-silent', holder: silent.holder } : undefined;

/** Whether reading back did not show a write, and that proves nothing. */
export function mayBeApplied(intent: StoredIntent): boolean {
  if (isListedCreate(intent)) return false;
  if (intent.result === 'not_applied') return intent.detail.some(({ code }) => code === 'read-back-settled');
  return intent.result === 'refused' && saidNo(intent);
}
