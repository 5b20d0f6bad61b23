import { isChange } from '../../contract/index.ts';
import type { PushMapping } from '../../mapping/mapping.ts';
import type { ChangeKind } from '../../model/outcome.ts';
import type { RunRow, RunRows } from '../../model/state/run-rows.ts';
import type { Said, Words } from '../../model/said.ts';
import type { StoredIntent } from '../../model/state/store.ts';
import { rowPages } from '../rows/row-pages.ts';
import { rowAfter, wordless } from '../../plan/row-lifecycle.ts';
import type { RowsTask } from '../ports.ts';
import { mayBeApplied } from '../../plan/reconcile/intents.ts';
import { resourcePlans } from '../../plan/resources/index.ts';

const SENT_NOT_SHOWN: Said = { code: 'sent-not-shown' };

/** The rows of a mapping whose writes in a run are so. */
export async function rowsOfWrites(
  { ports, runId, mapping }: RowsTask,
  isSo: (intent: StoredIntent) => boolean,
): Promise<ReadonlySet<number>> {
  const intents = await ports.store.intents(runId);
  const writes = intents.filter((intent) => intent.mapping === mapping.name && isSo(intent));
  return new Set(writes.flatMap(({ rowNumbers }) => rowNumbers));
}

/** Records were created that can be changed, also those whose id is not known because it was the operator who said so. */
const createdOnes = ({ resource, operation, result }: StoredIntent): boolean =>
  resourcePlans[resource].requests.change !== undefined && !isChange(operation) && result === 'applied';

/** Defers the open rows of a mapping for which there are words; those of `change` alone, if given. */
export async function deferRows(
  rows: RunRows,
  { name }: PushMapping,
  wordsOf: (row: RunRow) => Words | undefined,
  change?: ChangeKind,
): Promise<void> {
  for await (const page of rowPages(rows, name, { open: true, ...(change && { change }) }))
    await rows.patch(
      name,
      page.flatMap((row) => {
        const said = wordsOf(row);
        return said === undefined ? [] : [rowAfter(wordless(row), { kind: 'must-wait', said })];
      }),
    );
}

/** The words for a user that was created and lacks the flag that can only be set afterwards; undefined for any other row. */
export async function wordsOfCreated(
  task: RowsTask,
  reason: Words,
): Promise<(row: RunRow) => Words | undefined> {
  const done = await rowsOfWrites(task, createdOnes);
  return ({ change, id, rowNumber }) =>
    (change === 'create' && id !== null) || done.has(rowNumber)
      ? [{ code: 'flag-not-set-yet', reason }]
      : undefined;
}

/** Defers the open rows of users that were created and lack the flag that can only be set afterwards. */
export async function deferCreated(task: RowsTask, reason: Words, change?: ChangeKind): Promise<void> {
  await deferRows(task.rows, task.mapping, await wordsOfCreated(task, reason), change);
}

/** Defers the open rows of a mapping that are not sent again; those that were sent, that reading back did not show and that may be applied all the same, say so. */
export async function deferOpen(task: RowsTask, reason: Words, change?: ChangeKind): Promise<void> {
  const { rows, mapping } = task;
  const sent = await rowsOfWrites(task, mayBeApplied);
  const said: Words = [SENT_NOT_SHOWN, { code: 'not-sent-again', reason }];
  await deferRows(rows, mapping, ({ rowNumber }) => (sent.has(rowNumber) ? said : undefined), change);
  await rows.deferOpen(mapping.name, [{ code: 'not-sent', reason }], change);
}

/** Rows of a run that was resumed are as they should be by now, or wait for something else; those that were sent without being shown say so. */
export async function noteSent(task: RowsTask): Promise<void> {
  const { rows, mapping } = task;
  const sent = await rowsOfWrites(task, mayBeApplied);
  await rows.patch(
    mapping.name,
    (await rows.rows(mapping.name, [...sent])).flatMap(({ rowNumber, outcome, said }) => {
      if (outcome === 'unchanged' && said.length === 0)
        return { rowNumber, said: [SENT_NOT_SHOWN, { code: 'row-as-it-should-be' }] };
      if (outcome === 'deferred')
        return { rowNumber, said: [SENT_NOT_SHOWN, { code: 'not-sent-again', reason: said }] };
      return [];
    }),
  );
}
