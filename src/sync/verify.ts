import type { PushMapping } from '../mapping/mapping.ts';
import {
  EXIT,
  IncompleteError,
  RefusedError,
  UnavailableError,
  UsageError,
  type ExitCode,
} from '../model/error.ts';
import type { Outcome } from '../model/outcome.ts';
import type { KnownRecord, RunRow, RunRows } from '../model/state/run-rows.ts';
import type { Run, StoredIntent } from '../model/state/store.ts';
import { shownDifferences, type FieldDifference } from '../plan/diff.ts';
import { readEvidence } from '../plan/reconcile/evidence.ts';
import { planActualReading } from './reconcile/actual-state.ts';
import type { Actual, ActualReading } from './resources/strategy.ts';
import { openAccount } from './plan/plan-sync.ts';
import { eachRow, rowPages } from './rows/row-pages.ts';
import { allMappings, newestRun, runOf } from './journal/stored-run.ts';
import type { OpenAccount, ReadingPorts, SyncPorts } from './ports.ts';
import { hasLostRows, lostRowsError } from './journal/lost-rows.ts';

/** What reading back says of a row that was written. */
export const VERDICTS = ['agrees', 'differs', 'missing', 'unreadable'] as const;
export type Verdict = (typeof VERDICTS)[number];

/** One row that a run wrote, compared with what the service has now. */
export interface VerifiedRow {
  readonly mapping: string;
  readonly row: number;
  readonly key: string | null;
  readonly verdict: Verdict;
  /** The fields that differ. */
  readonly fields: Readonly<Record<string, FieldDifference>>;
  readonly message: string;
  /** Its write has no trustworthy answer: `resolve` finds it out. */
  readonly unsettled: boolean;
  /** It is unreadable because the service did not answer, or its list came back short. */
  readonly unavailable: boolean;
}

/** One mapping of a run that is read back, and what that costs. */
export interface VerifiedMapping {
  readonly name: string;
  readonly resource: PushMapping['resource'];
  /** Rows that the run wrote, or sent without a trustworthy answer. */
  readonly rows: number;
  /** Reading requests, as well as they can be told before. */
  readonly requests: number;
  readonly how: string;
}

/** A run that is ready to be read back: until `rows` is called nothing of it was asked. */
export interface Verification {
  readonly run: Run;
  readonly mappings: readonly VerifiedMapping[];
  /** Mapping by mapping, in row order. What cannot be read is a row's verdict. Errors: AccessError; the signal's reason. */
  rows(): AsyncGenerator<VerifiedRow>;
  close(): Promise<void>;
}

type VerifyPorts = ReadingPorts & Pick<SyncPorts, 'baseUrl'>;

const WRITTEN: readonly Outcome[] = ['created', 'updated', 'unknown'];

/**
 * Prepares to read back what a run wrote: the named one, or the newest that wrote anything or may have. Undefined when there is nothing to read.
 * Errors: UsageError `run.unknown`, `run.is_pull`, `run.rows_gone`; IncompleteError `run.rows_lost`; StoppedError `run.other_account`; those of reading the account.
 */
export async function prepareVerify(
  ports: VerifyPorts,
  runId: string | undefined,
): Promise<Verification | undefined> {
  const account = await openAccount(ports);
  const run =
    runId === undefined
      ? await newestWritten(ports, account)
      : await runOf(ports.store, runId, account.service);
  if (run === undefined) return undefined;
  const rows = await ports.store.keptRunRows(run.id);
  if (await hasLostRows(run, rows)) {
    await rows?.close();
    throw await lostRowsError(ports, run, 'cannot be read back');
  }
  if (rows === undefined) {
    if (!wroteRows(run)) return undefined;
    throw new UsageError(
      'run.rows_gone',
      `the rows that run ${run.id} wrote are no longer kept, so they cannot be read back`,
      { next: 'plan' },
    );
  }
  try {
    return await verification(ports, account, run, rows);
  } catch (error) {
    await rows.close();
    throw error;
  }
}

/** Of a run that was interrupted nothing but its open writes tells that it wrote. */
async function newestWritten({ store }: VerifyPorts, { service }: OpenAccount): Promise<Run | undefined> {
  const open = new Set((await store.openIntents(service)).map(({ runId }) => runId));
  return (
    (await newestRun(store, service, wroteRows)) ??
    (await newestRun(store, service, ({ id }) => open.has(id)))
  );
}

function wroteRows({ summaries }: Run): boolean {
  return summaries.some(
    (each) => each.direction === 'push' && each.created + each.updated + each.unknown + each.deactivated > 0,
  );
}

/** How many records the logs had before each key was sent for the first time. */
function logCounts(sent: readonly StoredIntent[]): ReadonlyMap<string, number> {
  const counts = new Map<string, number>();
  for (const intent of sent) {
    const count = readEvidence(intent)?.count;
    if (count === undefined) continue;
    for (const key of intent.keys) if (!counts.has(key)) counts.set(key, count);
  }
  return counts;
}

interface MappingReading {
  readonly mapping: PushMapping;
  readonly rows: number;
  readonly reading: ActualReading;
}

async function verification(
  ports: VerifyPorts,
  account: OpenAccount,
  run: Run,
  rows: RunRows,
): Promise<Verification | undefined> {
  const intents = await ports.store.intents(run.id);
  const readings: MappingReading[] = [];
  for (const mapping of allMappings(run)) {
    const outcomes = await rows.countOutcomes(mapping.name);
    const count = WRITTEN.reduce((sum, outcome) => sum + (outcomes.get(outcome) ?? 0), 0);
    if (count === 0) continue;
    const sent = intents.filter((intent) => intent.mapping === mapping.name);
    const atMs = Math.min(...sent.map((intent) => intent.sentAtMs), run.endedAtMs ?? Infinity);
    const written = eachRow(rows, mapping.name, { outcomes: ['created', 'updated'] });
    readings.push({
      mapping,
      rows: count,
      reading: await planActualReading(ports, account, mapping, written, {
        atMs,
        logCounts: logCounts(sent),
      }),
    });
  }
  const close = async (): Promise<void> => {
    for (const { reading } of readings) await reading.close?.();
    await rows.close();
  };
  if (readings.length === 0) {
    await close();
    return undefined;
  }
  return {
    run,
    mappings: readings.map(({ mapping: { name, resource }, rows: count, reading }) => ({
      name,
      resource,
      rows: count,
      requests: reading.requests,
      how: reading.how,
    })),
    rows: () => verifiedRows(ports, account, run, rows, readings),
    close,
  };
}

async function* verifiedRows(
  ports: VerifyPorts,
  account: OpenAccount,
  { endedAtMs }: Run,
  rows: RunRows,
  readings: readonly MappingReading[],
): AsyncGenerator<VerifiedRow> {
  const mayComeLate = endedAtMs === null || endedAtMs > ports.clock.now() - ports.settleMs;
  let failure: Failure | undefined;
  for (const { mapping, reading, rows: total } of readings) {
    const { name, resource } = mapping;
    let done = 0;
    for await (const page of rowPages(rows, name, { outcomes: WRITTEN })) {
      const answered = page.filter(({ outcome }) => outcome !== 'unknown');
      const actual = failure ?? (await readOrFail(reading, answered));
      if ('reason' in actual) failure = actual;
      const keys = answered.flatMap(({ key }) => key ?? []);
      const confirmed = await ports.store.snapshots(account.service, resource, keys);
      for (const row of page)
        yield verified(mapping, row, actualOf(row, answered, actual), {
          confirmed: confirmed.get(row.key ?? ''),
          mayComeLate,
        });
      done += page.length;
      ports.emit({ kind: 'progress', mapping: name, done, total, unit: 'rows' });
    }
    // The budget, or a service that is gone, is the same for the mappings that follow.
    if (failure?.endsAll === false) failure = undefined;
  }
}

/** Why nothing more is read of a mapping, or of any. */
interface Failure {
  readonly reason: string;
  readonly endsAll: boolean;
  /** The service did not answer as it should. */
  readonly unavailable: boolean;
}

async function readOrFail(
  reading: ActualReading,
  rows: readonly RunRow[],
): Promise<readonly Actual[] | Failure> {
  if (rows.length === 0) return [];
  try {
    return await reading.read(rows);
  } catch (error) {
    if (error instanceof IncompleteError) return { reason: error.message, endsAll: true, unavailable: false };
    if (error instanceof RefusedError) return { reason: error.message, endsAll: false, unavailable: false };
    if (!(error instanceof UnavailableError)) throw error;
    return { reason: error.message, endsAll: !error.code.startsWith('list.'), unavailable: true };
  }
}

const NO_ANSWER = 'its write has no trustworthy answer yet: type teamsheet resolve';

function actualOf(row: RunRow, answered: readonly RunRow[], actual: readonly Actual[] | Failure): Actual {
  const at = answered.indexOf(row);
  const nothing: Actual = { kind: 'unreadable', reason: NO_ANSWER };
  if (at === -1) return nothing;
  if (!('reason' in actual)) return actual[at] ?? nothing;
  const { reason, unavailable } = actual;
  return { kind: 'unreadable', reason, unavailable };
}

/** What is known of a row beside what the service shows. */
interface Beside {
  /** What this state confirmed last. */
  readonly confirmed: KnownRecord | undefined;
  /** The run wrote so lately that the service may not show it yet. */
  readonly mayComeLate: boolean;
}

const LATE =
  'it was written just now, and the service may show that late: type teamsheet verify again once settle has passed';

function verified(
  mapping: PushMapping,
  row: RunRow,
  actual: Actual,
  { confirmed, mayComeLate }: Beside,
): VerifiedRow {
  const { rowNumber, key, outcome } = row;
  const unsettled = outcome === 'unknown';
  const base = { mapping: mapping.name, row: rowNumber, key, fields: {}, unsettled, unavailable: false };
  switch (actual.kind) {
    case 'unreadable': {
      const { reason, unavailable = false } = actual;
      return { ...base, verdict: 'unreadable', message: reason, unavailable };
    }
    case 'missing':
      return mayComeLate
        ? { ...base, verdict: 'unreadable', message: `the service does not show it; ${LATE}` }
        : { ...base, verdict: 'missing', message: 'the service has no such record' };
    case 'several': {
      const message = `the service has ${actual.ids.length} records for it: ${actual.ids.join(' and ')}`;
      return { ...base, verdict: 'differs', message };
    }
    case 'record': {
      const fields = shownDifferences(row.fields, actual.record);
      if (Object.keys(fields).length === 0) return { ...base, verdict: 'agrees', message: '' };
      // What this state confirmed last is another value: a later run wrote it.
      const rewritten =
        confirmed !== undefined && Object.keys(shownDifferences(row.fields, confirmed)).length > 0;
      const why = mayComeLate ? LATE : '';
      const message = rewritten ? 'a later push, or a list read since, showed another value' : why;
      return { ...base, verdict: 'differs', fields, message };
    }
  }
}

/** What reading a run back found. */
export interface Verified {
  /** By the name of the mapping, the rows of each verdict. */
  readonly counts: ReadonlyMap<string, Readonly<Record<Verdict, number>>>;
  /** The rows that do not agree. */
  readonly others: readonly VerifiedRow[];
}

/** Reads a run back, once. Errors: those of {@link Verification.rows}. */
export async function readBackRun(verification: Verification): Promise<Verified> {
  const counts = new Map(
    verification.mappings.map(({ name }) => [name, { agrees: 0, differs: 0, missing: 0, unreadable: 0 }]),
  );
  const others: VerifiedRow[] = [];
  for await (const row of verification.rows()) {
    const count = counts.get(row.mapping);
    if (count !== undefined) count[row.verdict] += 1;
    if (row.verdict !== 'agrees') others.push(row);
  }
  return { counts, others };
}

/** 8 when the service did not answer for some row, 7 when some could not be read back otherwise, 3 when some differ or are missing, else 0. */
export function verifyExit(rows: readonly VerifiedRow[]): ExitCode {
  if (rows.some(({ unavailable }) => unavailable)) return EXIT.unavailable;
  if (rows.some(({ verdict }) => verdict === 'unreadable')) return EXIT.incomplete;
  return rows.every(({ verdict }) => verdict === 'agrees') ? EXIT.done : EXIT.rows;
}
