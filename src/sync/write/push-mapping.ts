import type { PushMapping } from '../../mapping/mapping.ts';
import type { RunRow } from '../../model/state/run-rows.ts';
import type { Words } from '../../model/said.ts';
import { adoptRows } from '../compare/missing-rows.ts';
import { BatchPush } from './push-batches.ts';
import { pushChanges } from './push-changes.ts';
import { MAX_ATTEMPTS, PushWriter } from './push-writer.ts';
import { resolveReferences } from './references.ts';
import { unsetWords } from '../../plan/requests.ts';
import { rowAfter, wordless } from '../../plan/row-lifecycle.ts';
import { leaveWritten } from './sibling-writes.ts';
import { reconcileWrites } from '../reconcile/writes.ts';
import { rowsOfWrites } from '../journal/unverified.ts';
import { waitSettled } from '../journal/wait-settled.ts';
import { mayBeApplied } from '../../plan/reconcile/intents.ts';
import type { PushTask } from '../ports.ts';
import { resourcePlans } from '../../plan/resources/index.ts';

/**
 * Sends the open rows of one mapping: creates (and what goes like them) in batches, then single changes; then finds out what became of writes without an
 * answer, and sends again what was surely not applied. Rows without an outcome afterwards were not sent.
 * Errors: IncompleteError when the budget ends, UnavailableError when the service is not there, AccessError when it refuses the key.
 */
export async function pushMapping(task: PushTask): Promise<void> {
  const { requests } = resourcePlans[task.mapping.resource];
  await resolveReferences(task);
  await adoptRows(task);
  if (task.isResourceShared) await leaveWritten(task);
  // A write must never outlast the rows that it was made of.
  await task.rows.sync();
  const writer = new PushWriter(task);
  const batches = new BatchPush(writer);
  do {
    await batches.run();
    if (requests.change !== undefined) await pushChanges(writer, requests.change);
  } while (await reconcileRound(writer));
}

/** Waits until nothing can be applied late any more and reconciles the writes that have no answer; false when nothing is left to send. */
async function reconcileRound(writer: PushWriter): Promise<boolean> {
  const { task, openSinceMs } = writer;
  const { ports, mapping, rows, onAmbiguous } = task;
  writer.openSinceMs = undefined;
  const unknown = (await rows.countOutcomes(mapping.name)).get('unknown') ?? 0;
  if (openSinceMs === undefined || unknown === 0 || !(await waitSettled(ports, openSinceMs))) return false;
  const { again, created } = await reconcileWrites(task, onAmbiguous);
  const spent = again.filter((rowNumber) => writer.isSpent(rowNumber));
  const doubtful = await rowsOfWrites(task, mayBeApplied);
  await writer.patch(
    (await rows.rows(mapping.name, spent)).map((row) => {
      const said = spentWords(mapping, row, writer.lastReason(row.rowNumber), doubtful);
      return rowAfter(wordless(row), { kind: 'must-wait', said });
    }),
  );
  return again.length + created.length > spent.length;
}

/** Only of what a list shows for good is it known that it was never applied, unless it may stand in a record that was there. */
function spentWords(
  { resource }: PushMapping,
  row: RunRow,
  reason: Words,
  doubtful: ReadonlySet<number>,
): Words {
  const isListed = resourcePlans[resource].listed !== undefined && row.change === 'create' && row.id === null;
  const isProved = isListed && !doubtful.has(row.rowNumber);
  return unsetWords(row, [{ code: 'sent-spent', times: MAX_ATTEMPTS, isProved, reason }]);
}
