import type { RunRow } from '../../model/run-rows.ts';
import type { Intent } from '../../model/store.ts';
import { changedFields } from '../../plan/diff.ts';
import { userChange } from '../../plan/requests.ts';
import { createPool } from './pool.ts';
import { type PushWriter } from './push-writer.ts';
import { doubtDetail, saysNo } from '../../plan/soft-refusal.ts';
import { FLAG_NOT_SET } from '../reconcile/settle.ts';
import { confirmAnswer } from '../rows/spelling.ts';
import { joined } from '../../plan/answered-row.ts';

/**
 * Sends the single changes of users: updates, and the flag of users that were created to be inactive. A change sets values, so that the same one may safely
 * go again at once.
 */
export async function pushChanges(writer: PushWriter): Promise<void> {
  const pool = createPool(writer.task.ports.concurrency);
  const waiting = (row: RunRow): boolean =>
    row.id !== null && (row.change === 'update' || row.change === 'create');
  for await (const row of writer.openRows(waiting)) {
    if (!(await pool.add(() => pushChange(writer, row)))) break;
  }
  await pool.done();
}

async function pushChange(writer: PushWriter, row: RunRow): Promise<void> {
  const { rowNumber } = row;
  const body = userChange(row, row.id ?? '');
  for (let attempt = 1; ; attempt += 1) {
    const { result, intent } = await writer.send('update-user', [row], body);
    if (result.kind === 'applied') return confirmChange(writer, intent, row, result.records);
    if (result.kind === 'refused') {
      const created = row.change === 'create' ? FLAG_NOT_SET : '';
      const reason = `the service refused it (${result.status}): ${result.message}`;
      await writer.settle(intent, 'refused', reason, []);
      // What was refused now may have been applied at an attempt before, whose answer was lost.
      if (attempt > 1) return writer.hold([row], reason);
      return writer.patch([
        { rowNumber, outcome: 'rejected', message: joined(row.message, created + reason) },
      ]);
    }
    await writer.settle(intent, 'ambiguous', doubtDetail(result.reason, result.status), []);
    if (!saysNo(result.status) && !writer.isSpent(rowNumber)) continue;
    await writer.hold([row], `no trustworthy answer (${result.reason})`);
    writer.checkAmbiguous(result.reason);
    return;
  }
}

/** The answer holds the user: every field of the row must stand in it as it was sent, where the answer shows it. */
async function confirmChange(
  writer: PushWriter,
  intent: Intent,
  row: RunRow,
  records: readonly unknown[],
): Promise<void> {
  const { rowNumber, key, fields } = row;
  const { ports, account, mapping } = writer.task;
  const found = await confirmAnswer(ports, account, mapping, [row], records);
  const record = key === null ? undefined : found.get(key)?.record;
  if (record === undefined || fields === null) {
    await writer.settle(intent, 'ambiguous', 'the answer does not name this user', []);
    writer.countLost([row], 'the answer does not name this user');
    return writer.hold([row], 'no trustworthy answer (it does not name this user)');
  }
  const wrong = changedFields(fields, record).filter((name) => name in record.digests);
  await writer.settle(intent, 'applied', '', [record]);
  if (wrong.length > 0) {
    const message = `the service still holds another value of ${wrong.join(', ')}`;
    return writer.patch([{ rowNumber, outcome: 'conflict', message: joined(row.message, message) }]);
  }
  return writer.patch([{ rowNumber, outcome: row.change === 'create' ? 'created' : 'updated' }]);
}
