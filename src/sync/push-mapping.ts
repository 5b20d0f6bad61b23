import { listedResources } from '../plan/listed.ts';
import { pushRequests } from '../plan/requests.ts';
import { writeEvidence } from './evidence.ts';
import { adoptRows } from './missing-rows.ts';
import { openBatches } from './push-batches.ts';
import { pushChanges } from './push-changes.ts';
import { PushWriter, type PushTask } from './push-writer.ts';
import { resolveReferences } from './references.ts';
import { settleWrites } from './settle.ts';

/** Times that a run sends a row whose writes have no answer and were not applied. */
const MAX_ROUNDS = 3;

/**
 * Sends the open rows of one mapping: creates (and what goes like them) in batches, then single changes; then finds out what became of writes without an
 * answer, and sends again what was surely not applied. Rows without an outcome afterwards were not sent.
 * Errors: IncompleteError when the budget ends, UnavailableError when the service is not there, AccessError when it refuses the key.
 */
export async function pushMapping(task: PushTask): Promise<void> {
  const requests = pushRequests[task.mapping.resource];
  if (requests === undefined) return;
  await resolveReferences(task);
  await adoptRows(task);
  const writer = new PushWriter(task, await evidenceOf(task));
  const batches = await openBatches(writer, requests);
  for (let round = 1; ; round += 1) {
    await batches.run();
    if (!requests.updatesLikeCreates) await pushChanges(writer, requests);
    if (!(await settleRound(writer, round === MAX_ROUNDS))) return;
  }
}

/** How many records the account counts and no list has shown, before the mapping's first write. */
async function evidenceOf({ ports, account, mapping, used }: PushTask): Promise<string | undefined> {
  if (listedResources[mapping.resource] === undefined || used === undefined) return undefined;
  const listed = await ports.store.countSnapshots(account, mapping.resource);
  return writeEvidence({ atMs: ports.clock.now(), unlisted: Math.max(0, used - listed) });
}

/** Waits until nothing can be applied late any more and settles the writes that have no answer; false when nothing is left to send. */
async function settleRound(writer: PushWriter, isLast: boolean): Promise<boolean> {
  const { ports, runId, mapping, rows, account, onAmbiguous } = writer.task;
  const { openSinceMs } = writer;
  writer.openSinceMs = undefined;
  const unknown = (await rows.countOutcomes(mapping.name)).get('unknown') ?? 0;
  if (openSinceMs === undefined || unknown === 0) return false;
  if (!(await waitSettled(ports, openSinceMs))) return false;
  const open = await settleWrites(ports, runId, mapping, rows, account, onAmbiguous);
  const spent = open.filter((rowNumber) => isLast || writer.spent.has(rowNumber));
  await writer.patch(
    spent.map((rowNumber) => ({
      rowNumber,
      outcome: 'deferred',
      message: `sent ${MAX_ROUNDS} times, and applied none of these times`,
    })),
  );
  return open.length > spent.length;
}

/** Waits until what was sent at `sinceMs`, of the monotonic clock, can be applied no more; false when that is longer than the run may pause. */
async function waitSettled(
  { clock, settleMs, maxWaitMs = Infinity, emit, signal }: PushTask['ports'],
  sinceMs: number,
): Promise<boolean> {
  const waitMs = sinceMs + settleMs - clock.monotonic();
  if (waitMs > maxWaitMs) return false;
  if (waitMs <= 0) return true;
  emit({
    kind: 'pause',
    seconds: Math.ceil(waitMs / 1000),
    untilMs: clock.now() + waitMs,
    reason: 'a write without an answer may still be applied',
  });
  await clock.sleep(waitMs, signal);
  return true;
}
