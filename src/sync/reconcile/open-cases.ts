import type { PushMapping } from '../../mapping/mapping.ts';
import { StoppedError, UsageError } from '../../model/error.ts';
import type { RunRow, RunRows } from '../../model/state/run-rows.ts';
import { renderSaid, type Words } from '../../model/said.ts';
import type { Run, ServiceAccount, StoredIntent } from '../../model/state/store.ts';
import { eachRow } from '../rows/row-pages.ts';
import { isKnownRow } from '../journal/open-writes.ts';
import { allMappings, withKeptRows } from '../journal/stored-run.ts';
import type { SyncPorts, OpenAccount } from '../ports.ts';

/** Something that nobody can say yet: a write without a trustworthy answer, or a row in conflict. */
export interface OpenCase {
  /** The id of the write's intent, or `RUN:MAPPING:ROW`: a conflict may have been found before anything was sent. */
  readonly id: string;
  readonly kind: 'unknown' | 'conflict';
  readonly run: Run;
  readonly mapping: string;
  readonly operation: string;
  /** The rows that it is about: of a write, those of which it is not known what became of them. A raw call has none. */
  readonly rows: readonly Pick<RunRow, 'rowNumber' | 'key' | 'fields'>[];
  /** Null for a conflict. */
  readonly sentAtMs: number | null;
  readonly reason: Words;
}

/** What the operator knows of a write, or wants of a conflict, where reading back cannot tell. */
export const ASSUMPTIONS = ['applied', 'not-applied'] as const;
export type Assumption = (typeof ASSUMPTIONS)[number];

/** What became of an open case. */
export interface ResolvedCase extends OpenCase {
  /** Undefined: it is still open. `partly`: some rows of the request were applied, the others were not. */
  readonly settled: 'applied' | 'partly' | 'not_applied' | undefined;
  readonly said: Words;
}

export type Resolved = Pick<ResolvedCase, 'settled' | 'said'>;

/** What the open cases of one mapping of a run are resolved with. */
export interface Resolving {
  readonly ports: SyncPorts;
  readonly account: OpenAccount;
  readonly run: Run;
  readonly mapping: PushMapping;
  readonly rows: RunRows;
  readonly assume: Assumption | undefined;
}

/** Everything of an account that is open, oldest first; a conflict whose rows are not kept cannot be resolved and is only told. */
export async function openCases(
  { store, emit }: Pick<SyncPorts, 'store' | 'emit'>,
  account: ServiceAccount,
): Promise<readonly OpenCase[]> {
  const cases: OpenCase[] = [];
  for (const [runId, intents] of Map.groupBy(await store.openIntents(account), ({ runId: id }) => id)) {
    const run = await store.run(runId);
    if (run === undefined) continue;
    await withKeptRows(store, runId, async (rows) => {
      for (const intent of intents) cases.push(await caseOf(run, intent, rows));
    });
  }
  for (const run of await store.runsInConflict(account)) {
    await withKeptRows(store, run.id, async (rows) => {
      const found = rows === undefined ? [] : await conflictsOf(run, rows);
      cases.push(...found);
      if (found.length > 0) return;
      const message = `run ${run.id} ended with conflicts, but its rows are not kept: a push compares them again`;
      emit({ kind: 'note', message });
    });
  }
  return cases;
}

async function caseOf(run: Run, intent: StoredIntent, rows: RunRows | undefined): Promise<OpenCase> {
  const { id, mapping, operation, rowNumbers, keys, sentAtMs, detail } = intent;
  const kept = new Map(((await rows?.rows(mapping, rowNumbers)) ?? []).map((row) => [row.rowNumber, row]));
  const held = [...kept.values()].find(({ outcome }) => outcome === 'unknown')?.said;
  return {
    id,
    kind: 'unknown',
    run,
    mapping,
    operation,
    rows: rowNumbers.flatMap((rowNumber, at) => {
      const row = kept.get(rowNumber);
      if (row !== undefined && isKnownRow(row)) return [];
      return [{ rowNumber, key: keys[at] ?? null, fields: row?.fields ?? null }];
    }),
    sentAtMs,
    reason: held ?? (detail.length === 0 ? [{ code: 'run-unrecorded' }] : detail),
  };
}

async function conflictsOf(run: Run, rows: RunRows): Promise<readonly OpenCase[]> {
  const cases: OpenCase[] = [];
  for (const mapping of allMappings(run))
    for await (const row of eachRow(rows, mapping.name, { outcomes: ['conflict'] }))
      cases.push(conflictCase(run, mapping, row));
  return cases;
}

function conflictCase(run: Run, mapping: PushMapping, row: RunRow): OpenCase {
  return {
    id: `${run.id}:${mapping.name}:${row.rowNumber}`,
    kind: 'conflict',
    run,
    mapping: mapping.name,
    operation: mapping.operation,
    rows: [row],
    sentAtMs: null,
    reason: row.said,
  };
}

/**
 * The open case that a person names by its id or a beginning of it that no other has; undefined for a write that is resolved already.
 * Errors: UsageError `resolve.unknown`, `resolve.ambiguous`; StoppedError `resolve.settled` where the operator's word says the opposite of what it is resolved as.
 */
export async function findCase(
  { store, emit }: Pick<SyncPorts, 'store' | 'emit'>,
  account: ServiceAccount,
  cases: readonly OpenCase[],
  target: string,
  assume?: Assumption,
): Promise<OpenCase | undefined> {
  const wanted = target.toUpperCase();
  const exact = cases.find(({ id }) => id === target);
  const found = exact === undefined ? cases.filter(({ id }) => id.toUpperCase().startsWith(wanted)) : [exact];
  const [only, other] = found;
  if (other !== undefined) {
    const ids = found.slice(0, 5).map(({ id }) => id);
    throw new UsageError(
      'resolve.ambiguous',
      `${found.length} open writes and conflicts begin with "${target}": ${ids.join(', ')}`,
      { next: `resolve ${ids[0] ?? ''}` },
    );
  }
  if (only !== undefined) return only;
  const [settled] = await store.findIntents(account, wanted, 1);
  if (settled === undefined)
    throw new UsageError('resolve.unknown', `there is no open write or conflict "${target}"`, {
      next: 'resolve',
    });
  const why = settled.detail.length === 0 ? '' : ` (${renderSaid(settled.detail)})`;
  const said = `${settled.id} is resolved already: ${settled.result ?? 'open'}${why}`;
  if (assume !== undefined && (settled.result === 'applied') !== (assume === 'applied'))
    throw new StoppedError('resolve.settled', `${said}; it can no longer be counted as ${assume}`, {
      next: `runs ${settled.runId}`,
    });
  emit({ kind: 'note', message: said });
  return undefined;
}
