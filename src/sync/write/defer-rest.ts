import type { PushMapping } from '../../mapping/mapping.ts';
import type { RunRow } from '../../model/state/run-rows.ts';
import type { Words } from '../../model/said.ts';
import { deferCreated, deferOpen, deferRows } from '../journal/unverified.ts';
import { holdRows, openWrites } from '../journal/open-writes.ts';
import { recordAnswers } from '../reconcile/writes.ts';
import type { RowsTask } from '../ports.ts';
import { resourcePlans } from '../../plan/resources/index.ts';

/** What is still open when the run ends: rows whose write has no answer are unknown, the others were not sent, or only in part. */
export async function leaveRest(task: RowsTask, reason: Words): Promise<void> {
  const { ports, runId, account, mapping, rows } = task;
  if (!(await rows.countOutcomes(mapping.name)).has('open')) return;
  // The run may have been stopped between an answer and its rows.
  await recordAnswers(task);
  const open = await openWrites(ports, account, mapping.resource);
  await holdRows(
    rows,
    mapping,
    open.filter((write) => write.runId === runId),
    [{ code: 'answer-none' }, { code: 'resume-looks', run: runId }],
  );
  await deferCreated(task, reason);
  const nameless: Words = [{ code: 'not-sent-no-id' }];
  await deferRows(rows, mapping, (row) => (lacksId(mapping, row) ? nameless : undefined));
  await deferOpen(task, reason);
}

/** A change of a record that is known by the operator's word alone. */
const lacksId = ({ resource }: PushMapping, { change, id }: RunRow): boolean =>
  change === 'update' && id === null && resourcePlans[resource].requests.change !== undefined;
