import type { KnownRecord, RunRow } from '../../model/state/run-rows.ts';
import type { Words } from '../../model/said.ts';
import type { Fields } from '../../model/tables/cell.ts';
import { isUnsendable } from '../../model/service.ts';
import type { Intent } from '../../model/state/store.ts';
import { changedFields } from '../../plan/diff.ts';
import { asAnswered } from '../../plan/known-records.ts';
import { fieldsOf, unsetWords, type ChangeRequest } from '../../plan/requests.ts';
import { resourcePlans } from '../../plan/resources/index.ts';
import { rowAfter } from '../../plan/row-lifecycle.ts';
import { type PushWriter } from './push-writer.ts';
import { saidNo } from '../../plan/reconcile/soft-refusal.ts';
import { confirmAnswer } from '../rows/spelling.ts';

/**
 * Sends the single changes of records: updates, and the flag of users that were created to be inactive. A change sets values, so that the same one may safely
 * go again at once.
 */
export async function pushChanges(writer: PushWriter, change: ChangeRequest): Promise<void> {
  const pool = writer.openPool(writer.task.ports.concurrency);
  const waiting = (row: RunRow): boolean =>
    row.id !== null && (row.change === 'update' || row.change === 'create');
  try {
    for await (const row of writer.openRows(waiting)) {
      if (!(await pool.add(() => pushSendable(writer, change, row)))) break;
    }
  } finally {
    // Nothing goes out once the lock was let go, also where the rows could not be read.
    await pool.done();
  }
}

/** A change that the interface does not take is one for a person: the service gave its record an odd id. */
async function pushSendable(writer: PushWriter, change: ChangeRequest, row: RunRow): Promise<void> {
  try {
    await pushChange(writer, change, row);
  } catch (error) {
    if (!isUnsendable(error)) throw error;
    const reason: Words = [{ code: 'change-unsendable', id: row.id ?? '', reason: error.message }];
    await writer.patch([rowAfter(row, { kind: 'disagrees', said: unsetWords(row, reason) })]);
  }
}

async function pushChange(writer: PushWriter, change: ChangeRequest, row: RunRow): Promise<void> {
  const { rowNumber } = row;
  const input = change.input(row, row.id ?? '');
  const sent = Object.fromEntries(
    Object.entries(fieldsOf(row)).filter(([name]) => name in (input.body ?? {})),
  );
  for (let attempt = 1; ; attempt += 1) {
    const { result, intent, doubt } = await writer.send(change.operation, [row], input);
    if (result.kind === 'applied') return confirmChange(writer, intent, row, sent, result.records);
    if (result.kind === 'refused') {
      const { status, message } = result;
      const reason: Words = [{ code: 'refused', status, message }];
      await writer.recordResult(intent, 'refused', reason, []);
      // What was refused now may have been applied at an attempt before, whose answer was lost.
      if (attempt > 1) return writer.hold([row], reason);
      return writer.patch([rowAfter(row, { kind: 'refused', said: unsetWords(row, reason) })]);
    }
    await writer.recordResult(intent, 'doubted', doubt, []);
    if (!saidNo({ detail: doubt }) && !writer.isSpent(rowNumber)) continue;
    const reason: Words = [{ code: 'answer-seen', reason: result.reason }];
    await writer.hold([row], [{ code: 'answer-none', reason }]);
    writer.checkAmbiguous(reason);
    return;
  }
}

/** The answer holds the record: every field of the row must stand in it as it was sent, where the answer shows it. */
async function confirmChange(
  writer: PushWriter,
  intent: Intent,
  row: RunRow,
  sent: Fields,
  records: readonly unknown[],
): Promise<void> {
  const { key, fields } = row;
  const { mapping } = writer.task;
  const found = await confirmAnswer(writer.task, [row], records);
  const record = key === null ? undefined : found.get(key)?.record;
  if (record === undefined || fields === null) {
    const [what] = resourcePlans[mapping.resource].nouns;
    const reason: Words = [{ code: 'answer-unnamed', what }];
    await writer.recordResult(intent, 'doubted', reason, []);
    writer.countLost([row], reason);
    return writer.hold([row], [{ code: 'answer-without-user', what }]);
  }
  const wrong = changedFields(fields, record, mapping.resource).filter((name) => name in record.digests);
  const said: Words = [{ code: 'held-still-other', fields: wrong }];
  const patch = rowAfter(row, wrong.length > 0 ? { kind: 'disagrees', said } : { kind: 'written' });
  const confirmed = wrong.length > 0 ? asAnswered(await known(writer, record), record, sent) : record;
  return writer.recordAnswer(intent, [confirmed], () => writer.patch([patch]));
}

async function known({ task }: PushWriter, { key }: KnownRecord): Promise<KnownRecord | undefined> {
  const { ports, account, mapping } = task;
  return (await ports.store.snapshots(account, mapping.resource, [key])).get(key);
}
