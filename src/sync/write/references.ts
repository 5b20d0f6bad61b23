import type { Column } from '../../mapping/mapping.ts';
import type { RowReference, RunRow, RunRowPatch } from '../../model/state/run-rows.ts';
import type { Said } from '../../model/said.ts';
import {
  fieldValue,
  referenceName,
  waitingFields,
  withLookups,
  type LookupResult,
} from '../../plan/lookups.ts';
import { valueOf } from '../compare/find-records.ts';
import { rowPages } from '../rows/row-pages.ts';
import type { PushTask } from '../ports.ts';

const WRITTEN: ReadonlySet<RunRow['outcome']> = new Set(['created', 'updated', 'unchanged']);

/** Before the rows of a mapping go out: fills in what is known now that the rows before them are written, and defers those that wait for a row that is not. */
export async function resolveReferences(task: PushTask): Promise<void> {
  const { rows, mapping } = task;
  const { name, columns } = mapping;
  if (columns === 'auto' || columns.every(({ lookup }) => lookup === undefined)) return;
  for await (const page of rowPages(rows, name, { change: 'create', open: true })) {
    const waiting = page.filter((row) => waitingFields(row).length > 0);
    const patches: RunRowPatch[] = [];
    for (const row of waiting) patches.push(await resolveRow(task, columns, row));
    await rows.patch(name, patches);
  }
}

async function resolveRow(task: PushTask, columns: readonly Column[], row: RunRow): Promise<RunRowPatch> {
  const results = new Map<string, LookupResult>();
  for (const [field, after] of waitingFields(row)) {
    const column = columns.find((each) => each.field === field);
    results.set(field, await resolveField(task, field, column?.lookup?.take ?? 'id', after));
  }
  return withLookups(task.mapping.resource, row, results);
}

async function resolveField(
  { rows, ports, account, mapping: { resource } }: PushTask,
  field: string,
  take: string,
  after: RowReference,
): Promise<LookupResult> {
  const [target] = await rows.rows(after.mapping, [after.rowNumber]);
  const name = referenceName(after);
  const wait = (said: Said): LookupResult => ({ kind: 'stop', because: 'must-wait', said: [said] });
  if (target === undefined) return wait({ code: 'waits-gone', name });
  const { id, key, outcome } = target;
  if (id === null || !(outcome === null || WRITTEN.has(outcome)))
    return wait({ code: 'waits-for', name, outcome });
  const held =
    key === null ? undefined : (await ports.store.snapshots(account, after.resource, [key])).get(key);
  const found = take === 'id' ? id : held && valueOf(after.resource, held, take);
  const value = fieldValue(resource, field, found);
  if (value !== undefined) return { kind: 'value', value };
  return wait({ code: 'waits-value', name, take });
}
