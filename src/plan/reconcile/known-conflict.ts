import type { Words } from '../../model/said.ts';
import { shownKey, textOfKey } from '../../model/state/spelling.ts';
import type { Intent } from '../../model/state/store.ts';
import type { Confirmation } from '../requests.ts';
import { isChangedSince, readEvidence, wasThere } from './evidence.ts';
import { isListedCreate } from './intents.ts';
import { doubtDetail, saidNo, saysNo } from './soft-refusal.ts';

/** An answer that could not be trusted. */
interface Doubt {
  readonly reason: string;
  readonly status?: number;
  readonly isConflict?: true;
}

/** The record that was known before a create and that a whole 409 may speak of: the one whose key is the most like those that were sent. */
function standsAgainst({ isConflict }: Doubt, intent: Intent): string | undefined {
  if (isConflict !== true || !isListedCreate(intent)) return undefined;
  const [nearest] = (readEvidence(intent)?.alike ?? []).toSorted((a, b) => b.length - a.length);
  return nearest;
}

/** Whether an answer that could not be trusted says no to what was sent; reading back shows whether anything was applied all the same. */
export const saysNoTo = (doubt: Doubt, intent: Intent): boolean =>
  saysNo(doubt.status) || standsAgainst(doubt, intent) !== undefined;

/** What is recorded of a create whose answer could not be trusted, for whoever sent its row alone with the record that it stands against. */
export function createDoubt(doubt: Doubt, intent: Intent): Words {
  const { reason, status } = doubt;
  const other = standsAgainst(doubt, intent);
  if (other === undefined) return doubtDetail(reason, status);
  if (intent.keys.length > 1) return [{ code: 'refused-doubtful', reason }];
  return [{ code: 'refused-doubtful', reason, held: textOfKey(intent.resource, other) }];
}

/**
 * What reading back found of the rows of a write, without what was known before, where the service said no: none of that is the work of the write, unless it was
 * written over with what was sent.
 */
export function withoutKnown(
  intent: Intent,
  detail: Words,
  found: ReadonlyMap<string, Confirmation>,
): ReadonlyMap<string, Confirmation> {
  if (readEvidence(intent)?.alike === undefined || !saidNo({ detail })) return found;
  const [isKnown, isChanged] = [wasThere([intent]), isChangedSince([intent])];
  return new Map(
    [...found].filter(([key, { id, record, disagrees, keptAs, isOneOfSeveral }]) => {
      const shown = shownKey(intent.resource, key, keptAs);
      const isWritten = disagrees === undefined && isChanged(shown, record);
      return isOneOfSeveral === true || isWritten || !isKnown({ key: shown, record: { id } });
    }),
  );
}
