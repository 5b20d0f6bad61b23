import type { PushMapping } from '../../mapping/mapping.ts';
import type { RunRow, RunRows } from '../../model/state/run-rows.ts';
import type { Words } from '../../model/said.ts';
import type { Run } from '../../model/state/store.ts';
import { deferCreated, deferOpen, deferRows } from '../journal/unverified.ts';
import { holdRows, openWrites } from '../journal/open-writes.ts';
import { recordAnswers } from '../reconcile/writes.ts';
import type { SyncPorts } from '../ports.ts';
import { resourcePlans } from '../../plan/resources/index.ts';

/** What is still open when the run ends: rows whose write has no answer are unknown, the others were not sent, or only in part. */
export async function leaveRest(
  ports: SyncPorts,
  run: Run,
  mapping: PushMapping,
  rows: RunRows,
  reason: Words,
): Promise<void> {
  if (!(await rows.countOutcomes(mapping.name)).has('open')) return;
  // The run may have been stopped between an answer and its rows.
  await recordAnswers(ports, run.id, mapping, rows, run.account);
  const open = await openWrites(ports, run.account, mapping.resource);
  await holdRows(
    rows,
    mapping,
    open.filter(({ runId }) => runId === run.id),
    [{ code: 'answer-none' }, { code: 'resume-looks', run: run.id }],
  );
  await deferCreated(ports, run, mapping, rows, reason);
  const nameless: Words = [{ code: 'not-sent-no-id' }];
  await deferRows(rows, mapping, (row) => (lacksId(mapping, row) ? nameless : undefined));
  await deferOpen(ports, run, mapping, rows, reason);
}

/** A change of a record that is known by the operator's word alone. */
const lacksId = ({ resource }: PushMapping, { change, id }: RunRow): boolean =>
  change === 'update' && id === null && resourcePlans[resource].requests.change !== undefined;
