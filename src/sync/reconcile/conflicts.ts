import { RefusedError, UnavailableError } from '../../model/error.ts';
import type { RunRow, RunRowPatch } from '../../model/state/run-rows.ts';
import type { Words } from '../../model/said.ts';
import { shownDifferences } from '../../plan/diff.ts';
import { mergedOver, remembered } from '../../plan/known-records.ts';
import { rowAfter, wordless } from '../../plan/row-lifecycle.ts';
import { timeOf } from './assume.ts';
import { planActualReading } from './actual-state.ts';
import type { Actual } from '../resources/strategy.ts';
import type { OpenCase, ResolvedCase, Resolved, Resolving } from './open-cases.ts';

/**
 * Resolves rows in conflict: a row that the service now has once and as the row says is done; any other stays, unless the operator leaves it as the service
 * holds it (`applied`) or has it compared and sent again (`not-applied`).
 */
export async function resolveConflicts(
  settling: Resolving,
  cases: readonly OpenCase[],
): Promise<readonly ResolvedCase[]> {
  const { mapping, rows } = settling;
  const numbers = cases.flatMap((each) => each.rows.map(({ rowNumber }) => rowNumber));
  const found = await rows.rows(mapping.name, numbers);
  const actual = await readActual(settling, found);
  const settled: ResolvedCase[] = [];
  for (const [at, row] of found.entries()) {
    const each = cases.find(({ rows: [only] }) => only?.rowNumber === row.rowNumber);
    const now = actual[at];
    if (each === undefined || now === undefined) continue;
    const { patch, ...what } = resolveRow(settling, row, now);
    if (patch !== undefined) {
      if (now.kind === 'record') await confirmActual(settling, row, now);
      await rows.patch(mapping.name, [patch]);
    }
    settled.push({ ...each, ...what });
  }
  return settled;
}

async function readActual(
  { ports, account, mapping, run }: Resolving,
  rows: readonly RunRow[],
): Promise<readonly Actual[]> {
  const sent = { atMs: run.startedAtMs, logCounts: new Map<string, number>() };
  const reading = await planActualReading(ports, account, mapping, rows, sent);
  try {
    return await reading.read(rows);
  } catch (error) {
    if (!(error instanceof UnavailableError) && !(error instanceof RefusedError)) throw error;
    return rows.map(() => ({ kind: 'unreadable', reason: error.message }));
  } finally {
    await reading.close?.();
  }
}

/** What the service has is what the next comparison knows, with the fields that nothing shows as they were sent. */
async function confirmActual(
  { ports: { store }, account: { service }, mapping: { resource } }: Resolving,
  { key }: RunRow,
  { record }: Extract<Actual, { kind: 'record' }>,
): Promise<void> {
  const before = (await store.snapshots(service, resource, [key ?? ''])).get(record.key);
  await store.confirm(service, resource, [mergedOver(before, remembered(record))]);
}

function resolveRow(
  { ports, run, assume }: Resolving,
  row: RunRow,
  actual: Actual,
): Resolved & { readonly patch?: RunRowPatch } {
  const proof = describe(row, actual);
  const isEqual = actual.kind === 'record' && proof.length === 0;
  if (isEqual) {
    const said: Words = [{ code: 'held-as-row' }];
    const patch = rowAfter(wordless(row), { kind: 'written', id: actual.record.id, said });
    return { settled: 'applied', said, patch };
  }
  if (assume === 'applied' && actual.kind === 'missing') return { settled: 'not_applied', said: proof };
  if (assume === 'applied') {
    const said: Words = [{ code: 'word-left', reason: proof, at: timeOf(ports) }];
    const id = actual.kind === 'record' ? { id: actual.record.id } : {};
    return { settled: 'applied', said, patch: rowAfter(wordless(row), { kind: 'is-there', said, ...id }) };
  }
  if (assume === 'not-applied') {
    const said: Words = [
      { code: 'word-sent-again', at: timeOf(ports) },
      { code: 'resume-does', run: run.id },
    ];
    return { settled: 'not_applied', said, patch: rowAfter(wordless(row), { kind: 'compare-again', said }) };
  }
  return { settled: undefined, said: proof };
}

/** What stands against the row; nothing when the service has it as it is. */
function describe(row: RunRow, actual: Actual): Words {
  switch (actual.kind) {
    case 'missing':
      return [{ code: 'held-missing' }];
    case 'unreadable':
      return [{ code: 'held-unreadable', reason: actual.reason }];
    case 'several':
      return [{ code: 'compared-several', key: row.key ?? '', what: 'records', ids: actual.ids }];
    case 'record':
      return Object.entries(shownDifferences(row.fields, actual.record)).map(
        ([field, { wanted, held: value }]) => ({ code: 'held-other', field, held: value, wanted }),
      );
  }
}
