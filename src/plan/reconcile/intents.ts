import { isChange } from '../../contract/index.ts';
import type { Said } from '../../model/said.ts';
import type { StoredIntent } from '../../model/state/store.ts';
import { saidNo } from './soft-refusal.ts';
import { resourcePlans } from '../resources/index.ts';

/** A write whose records a list shows for good once they are there, so that their absence proves that it was not applied. */
export const isListedCreate = ({
  resource,
  operation,
}: Pick<StoredIntent, 'resource' | 'operation'>): boolean =>
  resourcePlans[resource].listed !== undefined && !isChange(operation);

/** Why nobody can say yet that a write will not go out: who recorded it may be asleep, and send it when it wakes. Undefined where that cannot be. */
export const maySendStill = ({ result, silent }: StoredIntent): Said | undefined =>
  result === null && silent?.goneAtMs === null ? { code: 'sender-silent', holder: silent.holder } : undefined;

/** A write as it is for what is read from a time on: of a process that said only afterwards, or less than `settleMs` before, that it sends nothing more, a write may come after the reading. */
export function asReadAt(intent: StoredIntent, readAtMs: number, settleMs: number): StoredIntent {
  const { silent } = intent;
  const isNew = silent !== undefined && silent.goneAtMs !== null && silent.goneAtMs > readAtMs - settleMs;
  return isNew ? { ...intent, silent: { ...silent, goneAtMs: null } } : intent;
}

/** Whether a write surely never reached the service: neither reading back nor the operator's word was needed to know that it was not applied. */
export const neverWentOut = ({ result, detail }: Pick<StoredIntent, 'result' | 'detail'>): boolean =>
  result === 'not_applied' &&
  !detail.some(({ code }) => code === 'read-back-settled' || code === 'word-taken');

/** Whether reading back did not show a write, and that proves nothing. */
export function mayBeApplied(intent: StoredIntent): boolean {
  if (isListedCreate(intent))
    return intent.result !== 'applied' && intent.detail.some(({ code }) => code === 'read-back-changed');
  if (intent.result === 'not_applied') return intent.detail.some(({ code }) => code === 'read-back-settled');
  return intent.result === 'refused' && saidNo(intent);
}
