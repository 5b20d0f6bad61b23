import type { PushMapping } from '../../mapping/mapping.ts';
import { renderCountOf } from '../../model/count.ts';
import type { KnownRecord, RunRow } from '../../model/state/run-rows.ts';
import { missingOf } from '../../plan/missing-mapping.ts';
import { openRow } from '../../plan/row-lifecycle.ts';
import { eachRow, rowPages } from '../rows/row-pages.ts';
import { keySpeller } from '../rows/spelling.ts';
import type { Comparison, PlanParts, PushTask } from '../ports.ts';

/**
 * Adds the users that this mapping once created or adopted, that are active, and that no row of the plan names any more, as pending rows. None with `--limit`,
 * because rows are then missing that are there, and none while a row's key cannot be read, because it may be one of them.
 */
export async function addMissing(
  { ports, mappings, rows, account: { service }, options }: PlanParts,
  mapping: PushMapping,
  comparison: Pick<Comparison, 'lookup'>,
): Promise<void> {
  const missing = missingOf(mapping);
  // A resumed run found them before.
  if (missing === undefined || (await rows.countOutcomes(missing.name)).size > 0) return;
  if (options.limit !== undefined) return;
  const keys = new Set<string>();
  const spell = await keySpeller(ports, service, mapping.resource);
  let unreadable = 0;
  for (const each of mappings.filter(({ resource }) => resource === mapping.resource)) {
    for await (const { key, change } of eachRow(rows, each.name)) {
      if (key !== null) keys.add(spell(key));
      else if (change !== 'excluded') unreadable += 1;
    }
  }
  if (unreadable > 0) {
    const message = `${mapping.name}: no user is deactivated, because ${renderCountOf(unreadable, 'row has', 'rows have')} no readable key`;
    ports.emit({ kind: 'warning', message });
    return;
  }
  let rowNumber = 0;
  for await (const page of ports.store.allSnapshots(service, mapping.resource)) {
    const left = page.filter(
      ({ shownAs, ...record }) =>
        isOurs(mapping, record) &&
        !keys.has(record.key) &&
        !(shownAs !== undefined && keys.has(spell(shownAs))),
    );
    // What the operator calls removed needs no change.
    const there = await comparison.lookup(left.map(({ key }) => key));
    const gone = left.filter(({ key }) => there.has(key));
    await rows.add(
      missing.name,
      gone.map(({ key, id }): RunRow => {
        rowNumber += 1;
        return { ...openRow(rowNumber), key, fields: { external_id: key, is_active: false }, id };
      }),
    );
  }
}

const isOurs = ({ name }: PushMapping, { managedBy, values }: KnownRecord): boolean =>
  managedBy === name && values.is_active !== false;

/** Remembers that the users whose rows stand in the table belong to the mapping, before anything of it is written. */
export async function adoptRows({ ports, account, mapping, rows }: PushTask): Promise<void> {
  if (mapping.missingRows !== 'deactivate') return;
  for await (const page of rowPages(rows, mapping.name)) {
    const found = page.filter(({ change }) => change === 'unchanged' || change === 'update');
    const keys = found.flatMap(({ key }) => key ?? []);
    const known = await ports.store.snapshots(account, mapping.resource, keys);
    const records = [...known.values()].filter(({ managedBy }) => managedBy !== mapping.name);
    await ports.store.confirm(
      account,
      mapping.resource,
      records.map((record) => ({ ...record, managedBy: mapping.name })),
    );
  }
}
