import type { PushMapping } from '../../mapping/mapping.ts';
import type { KnownRecord, RunRow, RunRowPatch, RunRows } from '../../model/state/run-rows.ts';
import type { Said } from '../../model/said.ts';
import { keyText, LOOSE, speltKey } from '../../model/state/spelling.ts';
import { formsOf } from '../../plan/reconcile/fit-rows.ts';
import { neverWentOut } from '../../plan/reconcile/intents.ts';
import { rowAfter } from '../../plan/row-lifecycle.ts';
import { rowPages } from '../rows/row-pages.ts';
import { spellingOf } from '../rows/spelling.ts';
import type { StateTask } from '../ports.ts';
import { changedFields } from '../../plan/diff.ts';

const isLeft = ({ change }: Pick<RunRow, 'change'>): boolean => change === 'invalid' || change === 'excluded';

/** Rows whose keys are one for the service: nobody but the operator knows which one is meant. */
export async function refuseSpeltAlike({ ports, account, mapping }: StateTask, rows: RunRows): Promise<void> {
  const { name, resource } = mapping;
  const spelling = await spellingOf(ports, account, resource);
  if (spelling === undefined) return;
  const first = new Map<string, { readonly rowNumber: number; readonly key: string }>();
  const alike = new Map<number, Said>();
  for await (const page of rowPages(rows, name)) {
    for (const { rowNumber, key, change } of page) {
      if (key === null || isLeft({ change })) continue;
      const spelt = speltKey(resource, key, spelling);
      const other = first.get(spelt);
      if (other === undefined) first.set(spelt, { rowNumber, key });
      else if (other.key !== key) {
        alike.set(rowNumber, speltAlike(other.key, `row ${other.rowNumber}`));
        if (!alike.has(other.rowNumber)) alike.set(other.rowNumber, speltAlike(key, `row ${rowNumber}`));
      }
    }
  }
  const open = (await rows.rows(name, [...alike.keys()])).filter(({ outcome }) => outcome === null);
  await rows.patch(
    name,
    open.flatMap((row) => {
      const why = alike.get(row.rowNumber);
      return why === undefined ? [] : [invalid(row, why)];
    }),
  );
}

/** The rows that are to be created and whose records are known under another case, width or other blanks, by their keys. */
export async function knownAlike(
  { ports: { store }, account, mapping: { resource } }: StateTask,
  batch: readonly RunRow[],
): Promise<ReadonlySet<string>> {
  const creates = batch.flatMap(({ key, change }) => (key === null || change !== 'create' ? [] : key));
  const loose = (key: string): string => speltKey(resource, key, LOOSE);
  // What a cut leaves of a key is the whole of another one too often.
  const forms = new Map(
    creates.flatMap((key) =>
      formsOf(resource, key)
        .filter((form) => loose(form) === loose(key))
        .map((form) => [form, key] as const),
    ),
  );
  const known = await store.snapshots(account, resource, [...forms.keys()]);
  return new Set([...known.keys()].map((form) => forms.get(form) ?? form));
}

/**
 * Takes out of a batch what is not to be created any more, since the service showed in this run how it spells keys: rows that have become one with another
 * row, and rows whose record it had before.
 */
export async function speltAlikeSince(
  { ports, account, mapping: { name, resource } }: StateTask,
  runId: string,
  batch: readonly RunRow[],
): Promise<{ readonly left: readonly RunRow[]; readonly refused: readonly RunRowPatch[] }> {
  const spelling = await spellingOf(ports, account, resource);
  if (spelling === undefined) return { left: batch, refused: [] };
  const keys = batch.flatMap(({ key }) => key ?? []);
  const known = await ports.store.snapshots(account, resource, keys);
  const writes = (await ports.store.intents(runId)).filter((intent) => intent.resource === resource);
  const sent = writes.flatMap(({ keys: each }) =>
    each.map((key) => ({ key, spelt: speltKey(resource, key, spelling) })),
  );
  const ofRows = writes.filter((intent) => intent.mapping === name && !neverWentOut(intent));
  const wentOut = new Set(ofRows.flatMap(({ rowNumbers }) => rowNumbers));
  const isOtherSent = (key: string, spelt: string): boolean =>
    sent.some((other) => other.spelt === spelt && other.key !== key);
  const first = new Map<string, RunRow>();
  const refused = batch.flatMap((row): RunRowPatch[] => {
    const { key } = row;
    if (key === null || row.change !== 'create') return [];
    const spelt = speltKey(resource, key, spelling);
    const record = known.get(key);
    const wasSent = sent.some((each) => each.key === key);
    if (record !== undefined && wasSent && changedFields(row.fields ?? {}, record, resource).length === 0)
      return [rowAfter(row, { kind: 'written', id: record.id })];
    if (record !== undefined)
      return [
        isOtherSent(key, spelt)
          ? invalid(row, speltAlike(key, 'a record that is there'))
          : isThere(resource, row, record, wentOut.has(row.rowNumber)),
      ];
    const other = first.get(spelt);
    if (other !== undefined) return [invalid(row, speltAlike(other.key ?? '', `row ${other.rowNumber}`))];
    first.set(spelt, row);
    return [];
  });
  const gone = new Set(refused.map(({ rowNumber }) => rowNumber));
  return { left: batch.filter(({ rowNumber }) => !gone.has(rowNumber)), refused };
}

/** A row that waits for the next push. What was sent of it may have changed the record that is there: that the record differs does not disprove it. */
const isThere = (
  resource: PushMapping['resource'],
  row: RunRow,
  record: KnownRecord,
  wasSent: boolean,
): RunRowPatch => {
  const text = record.values[keyText(resource) ?? ''];
  const why: Said = {
    code: 'key-is-there',
    ...(typeof text === 'string' && { text }),
    ...(wasSent && { wasSent }),
  };
  return rowAfter(row, { kind: 'must-wait', said: wasSent ? [{ code: 'sent-not-shown' }, why] : [why] });
};

const speltAlike = (key: string, where: string): Said => ({
  code: 'issue',
  issue: {
    code: 'duplicate.folded',
    severity: 'error',
    message: `the service does not tell its key from "${key}" of ${where}: keep one of them, or give one another key`,
  },
});

const invalid = (row: RunRow, why: Said): RunRowPatch => rowAfter(row, { kind: 'breaks-rule', said: [why] });
