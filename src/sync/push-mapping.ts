import { pushRequests } from '../plan/requests.ts';
import { pushBatches } from './push-batches.ts';
import { pushChanges } from './push-changes.ts';
import { adoptRows } from './missing-rows.ts';
import { resolveReferences } from './references.ts';
import { PushWriter, type PushTask } from './push-writer.ts';

/**
 * Sends the open rows of one mapping: creates (and what goes like them) in batches, then single changes. Rows without an outcome afterwards
 * were not sent.
 * Errors: IncompleteError when the budget ends, UnavailableError when the service is not there, AccessError when it refuses the key.
 */
export async function pushMapping(task: PushTask): Promise<void> {
  const requests = pushRequests[task.mapping.resource];
  if (requests === undefined) return;
  await resolveReferences(task);
  await adoptRows(task);
  const writer = new PushWriter(task);
  await pushBatches(writer, requests);
  if (!requests.updatesLikeCreates) await pushChanges(writer, requests);
}
