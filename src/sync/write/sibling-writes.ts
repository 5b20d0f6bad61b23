import type { RunRow, RunRowPatch } from '../../model/state/run-rows.ts';
import { siblingOther, type Said } from '../../model/said.ts';
import { changedFields } from '../../plan/diff.ts';
import { rowAfter } from '../../plan/row-lifecycle.ts';
import { openWriteOf, openWrites } from '../journal/open-writes.ts';
import { rowPages } from '../rows/row-pages.ts';
import type { PushTask } from '../ports.ts';

/**
 * Takes out the creates of a mapping whose keys an earlier mapping of the run wrote since the plan was made: the plan compared both with what was there before
 * either. What the plan left to that mapping is not sent, whatever became of it.
 */
export async function leaveWritten({ ports, runId, account, mapping, rows }: PushTask): Promise<void> {
  const open = await openWrites(ports, account, mapping.resource);
  const others = open.filter((intent) => intent.runId === runId && intent.mapping !== mapping.name);
  const unanswered = await openWriteOf(ports, account, mapping.resource, others);
  for await (const open of rowPages(rows, mapping.name, { open: true })) {
    const page = open.filter(({ change }) => change === 'create' || change === 'unchanged');
    const keys = page.flatMap(({ key, id }) => (key === null || id !== null ? [] : [key]));
    const written = await ports.store.snapshots(account, mapping.resource, keys);
    const patches = page.flatMap((row): RunRowPatch[] => {
      if (row.key === null || row.id !== null) return [];
      const by = unanswered(row.key)?.mapping;
      if (by !== undefined) return [unsent(row, { code: 'sibling-unanswered', mapping: by })];
      const record = written.get(row.key);
      if (record === undefined) return row.change === 'unchanged' ? unwritten(row) : [];
      const changed = changedFields(row.fields ?? {}, record, mapping.resource);
      if (changed.length > 0) return [later(row, siblingOther(changed))];
      return [rowAfter(row, { kind: 'is-there', id: record.id })];
    });
    await rows.patch(mapping.name, patches);
  }
}

function later(row: RunRow, reason: Said): RunRowPatch {
  const said = row.said.filter(({ code }) => code !== 'sibling-makes');
  return rowAfter({ ...row, said }, { kind: 'must-wait', said: [reason] });
}

const unsent = (row: RunRow, reason: Said): RunRowPatch => later(row, { code: 'not-sent', reason: [reason] });

const unwritten = (row: RunRow): RunRowPatch[] =>
  row.said.flatMap((part) =>
    part.code === 'sibling-makes' ? [unsent(row, { ...part, code: 'sibling-unwritten' })] : [],
  );
