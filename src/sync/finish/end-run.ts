import { fileOf } from '../../model/tables/table.ts';
import type { PushMapping } from '../../mapping/mapping.ts';
import { renderCount, renderCountOf } from '../../model/count.ts';
import {
  EXIT,
  IncompleteError,
  UnavailableError,
  type ExitCode,
  type TeamsheetError,
} from '../../model/error.ts';
import { OUTCOMES, type OutcomeCounts } from '../../model/outcome.ts';
import type { ChangedFile, MissedRows, StillToMend, UnreadRows } from '../../model/results.ts';
import type { RunRows } from '../../model/state/run-rows.ts';
import { isLeftToPush, renderSaid } from '../../model/said.ts';
import type { PushSummary, RequestCounts, Run } from '../../model/state/store.ts';
import { checkCounts, outcomeCounts } from '../../plan/counts.ts';
import { exhaustedAt, interruptedAt } from './interrupted.ts';
import { eachRow } from '../rows/row-pages.ts';
import { chosenRows, missedRows } from '../rows/read-rows.ts';
import { needsResolve } from './needs-resolve.ts';
import { reasonsOf, type Reason } from './reasons.ts';
import { writeResults } from './results.ts';
import { recordEnd } from '../journal/last-run.ts';
import { optionsOf } from '../journal/stored-run.ts';
import { areOfAnotherAccount, writtenSince } from '../runs/superseded.ts';
import type { RunReport, SyncPorts } from '../ports.ts';
import { writeBackOutcomes, type LeftRows } from './write-back.ts';
import { missingOf } from '../../plan/missing-mapping.ts';

/** A report, what stopped it if something did, and the files of rows to correct. */
export interface PushResult {
  readonly report: RunReport;
  readonly stoppedBy: TeamsheetError | undefined;
  readonly rejected: readonly string[];
  /** Why rows are left, where something but what stopped it says so. */
  readonly reasons?: readonly Reason[];
  /** Rows are left that `resolve` decides, and `resume` does not. */
  readonly needsResolve?: true;
  /** Commands without the program's name, or sentences, for what this run did not look at. */
  readonly next?: readonly string[];
  /** The mappings whose optional tables are not filled in yet. */
  readonly leftOut?: readonly string[];
  /** What stopped it stopped the reports after it: there is nothing to resume. */
  readonly reportsStopped?: boolean;
}

interface Ending {
  readonly stoppedBy: TeamsheetError | undefined;
  /** What it ends with for good, so that nothing of it is to be resumed; left out where what became of the rows says it. */
  readonly exitCode?: ExitCode;
  /** What it had left, where it ends once more. */
  readonly left?: LeftRows | undefined;
}

/** What the end of a run needs of its plan. */
interface Ended {
  readonly rows: RunRows;
  readonly mappings: readonly { readonly mapping: PushMapping }[];
  readonly requests: Pick<RequestCounts, 'planned'>;
}

/** A mapping of a run that ends. */
interface EndingMapping {
  readonly ports: SyncPorts;
  readonly run: Run;
  readonly mapping: PushMapping;
  readonly rows: RunRows;
}

/** Outcomes, and how many of the deferred rows are left to the next push. */
type Counted = OutcomeCounts & Pick<PushSummary, 'stale'>;

/** Counts the rows, writes the results, and records the run as ended; closes the rows. */
export async function finish(
  ports: SyncPorts,
  run: Run,
  planned: Ended,
  ending: Ending,
): Promise<PushResult> {
  const { rows } = planned;
  const ended: EndedMapping[] = [];
  const since = await writtenSince(ports.store, run);
  for (const { mapping } of planned.mappings)
    ended.push(
      await endMapping({ ports, run, mapping, rows }, { ...ending, isTaken: since.has(mapping.name) }),
    );
  const summaries = ended.map(({ summary }) => summary);
  const counted = ended.flatMap(({ summary, missing }): Counted[] =>
    missing === undefined ? [summary] : [summary, missing],
  );
  const unwritten = ended.flatMap(({ notWrittenBack }) => notWrittenBack ?? []);
  const lacksResults = summaries.some(({ results }) => results === null);
  // Where reading back shows every row, answers that cannot be trusted kept nothing from being done.
  const isMoot = ending.stoppedBy?.code === 'service.ambiguous' && leftIn(counted) === 0;
  const stoppedBy = isMoot ? undefined : ending.stoppedBy;
  const exitCode = ending.exitCode ?? exitCodeOf(counted, stoppedBy, unwritten, lacksResults);
  const isDone = ({ deferred, unknown, stale = 0 }: Counted): boolean => deferred - stale + unknown === 0;
  const finished = ending.exitCode !== undefined || (!lacksResults && counted.every(isDone));
  const requests = wholeRun(run.requests, { ...ports.service.counts(), planned: planned.requests.planned });
  await recordEnd(ports.store, run, {
    phase: 'ended',
    finished,
    endedAtMs: ports.clock.now(),
    exitCode,
    summaries,
    requests,
  });
  const pushed = planned.mappings.map(({ mapping }) => mapping);
  const isUndecided =
    stoppedBy === undefined && !finished && (await needsResolve(ports, run, pushed, rows, summaries));
  // A row in conflict is still to be resolved, so that all of them stay.
  const areKept = !finished || summaries.some(({ conflict }) => conflict > 0);
  await (areKept ? rows.close() : rows.keepWritten());
  const progress = progressOf(summaries);
  return {
    report: { run: run.id, command: run.command, exit_code: exitCode, mappings: summaries, requests },
    stoppedBy: interruptedAt(exhaustedAt(stoppedBy, progress), progress),
    rejected: ended.flatMap(({ rejected }) => rejected),
    reasons: ended.flatMap(({ reasons }) => reasons),
    ...(isUndecided && { needsResolve: true }),
  };
}

interface EndedMapping {
  readonly summary: PushSummary;
  /** Of the users that are no longer in its table. */
  readonly missing: Counted | undefined;
  readonly rejected: readonly string[];
  readonly reasons: readonly Reason[];
  /** Why the outcomes do not stand in its sheet. */
  readonly notWrittenBack: TeamsheetError | undefined;
}

async function endMapping(
  task: EndingMapping,
  { stoppedBy, exitCode, left, isTaken }: Ending & Pick<StillToMend, 'isTaken'>,
): Promise<EndedMapping> {
  const { ports, run, mapping, rows } = task;
  const { name, resource, leagues } = mapping;
  const counts = outcomeCounts(await rows.countOutcomes(name));
  checkCounts(name, counts);
  const remedy = exitCode === undefined ? `teamsheet resume ${run.id}` : 'the same command';
  const files = await tryResults(task, isTaken, remedy);
  if (!isTaken && isAllDone(run, mapping, counts) && !(await areOfAnotherAccount(ports.store, run, name)))
    await removeRejected(task);
  const reasons = await reasonsOf(rows, mapping, stoppedBy?.code);
  const notWrittenBack = await writeBackOutcomes(ports, task, isTaken ? left?.get(name) : undefined);
  const gone = await countMissing(task);
  const stale = await countLeftToPush(rows, name);
  return {
    summary: {
      name,
      resource,
      direction: 'push',
      ...(leagues && { leagues }),
      ...counts,
      deactivated: gone?.updated ?? 0,
      ...(stale > 0 && { stale }),
      results: files?.results ?? null,
    },
    missing: gone,
    rejected: files?.rejected ?? [],
    reasons,
    notWrittenBack,
  };
}

/** The deferred rows of a mapping that the next push reads again, so that nothing of them is to be resumed. */
async function countLeftToPush(rows: RunRows, name: string): Promise<number> {
  let count = 0;
  for await (const { said } of eachRow(rows, name, { outcomes: ['deferred'], only: 'fields' }))
    if (isLeftToPush(said)) count += 1;
  return count;
}

const leftIn = (counts: readonly OutcomeCounts[]): number =>
  counts.reduce((all, { deferred, unknown }) => all + deferred + unknown, 0);

/** What a run that was interrupted has done and what it has not. */
function progressOf(summaries: readonly PushSummary[]): string {
  const left = leftIn(summaries);
  const all = summaries.reduce((sum, { rows }) => sum + rows, 0);
  const rows = renderCountOf(all, 'row');
  return left === 0
    ? `all done: ${rows}`
    : `${renderCount(all - left)} of ${rows} done, ${renderCount(left)} left`;
}

/** Whether every row of the table was read, or every refused one by a retry, and none is to be corrected or left. */
function isAllDone(
  run: Run,
  { name }: PushMapping,
  { rows, invalid, rejected, deferred, unknown, conflict }: OutcomeCounts,
): boolean {
  const { limit, only = {} } = optionsOf(run);
  const refused = only[name];
  const isRead = limit === undefined && (refused === undefined || rows >= chosenRows(refused));
  return isRead && invalid + rejected + deferred + unknown + conflict === 0;
}

/** A file of rows to correct goes with its rows: imported once more, a row whose key was corrected would make a second record. */
async function removeRejected(task: EndingMapping): Promise<void> {
  const { ports, run, mapping } = task;
  const { name, source } = mapping;
  try {
    const unread = unreadBy(task);
    const changed = await ports.results.removeRejected(run.id, name, fileOf(source.location), unread);
    tellChanged(ports, mapping, changed);
  } catch (error) {
    if (!(error instanceof UnavailableError)) throw error;
    ports.emit({ kind: 'warning', message: `${name}: ${error.message}` });
  }
}

/** What a limit or a retry left out; undefined where the whole table was read. */
function unreadBy({ run, mapping: { name }, rows }: EndingMapping): UnreadRows | undefined {
  const { limit, only } = optionsOf(run);
  const choice = only?.[name];
  if (limit === undefined && choice === undefined) return undefined;
  const { stoodAt = [], rowNumbers = [] } = choice ?? {};
  const asked = new Set([...stoodAt, ...rowNumbers]);
  return async (numbers) => {
    const read = new Set((await rows.rows(name, numbers)).map(({ rowNumber }) => rowNumber));
    return new Set(numbers).difference(asked).difference(read);
  };
}

/** Somebody corrected these files and did not import them. */
function tellChanged({ emit }: SyncPorts, mapping: PushMapping, changed: readonly ChangedFile[]): void {
  for (const { file, keptAs } of changed) {
    const stays = keptAs === file ? ', so it stays' : `; it is kept as ${keptAs}`;
    const typed = keptAs.includes(' ') ? `"${keptAs}"` : keptAs;
    const message = `${mapping.name}: ${file} was changed after it was written${stays}; teamsheet import ${typed} --as ${mapping.resource} sends its rows`;
    emit({ kind: 'warning', message });
  }
}

/** What a retry was to read and did not find. */
async function missedBy({ run, mapping: { name }, rows }: EndingMapping): Promise<MissedRows> {
  const choice = optionsOf(run).only?.[name];
  if (choice === undefined) return new Map();
  const { stoodAt = [], rowNumbers, refusedBy = [] } = await missedRows(choice, rows, name);
  const missed = Map.groupBy([...stoodAt, ...rowNumbers].entries(), ([at]) => refusedBy[at] ?? '');
  return new Map(Array.from(missed, ([by, found]) => [by, new Set(found.map(([, rowNumber]) => rowNumber))]));
}

/** Whether somebody named the encoding of a table, and one that teamsheet writes no file in. */
function hasNamedEncoding(run: Run, { source }: PushMapping): boolean {
  const encoding = optionsOf(run).encoding ?? source.encoding;
  return encoding !== 'auto' && !/^utf-?8$/i.test(encoding);
}

/** The results files of a mapping; undefined when they cannot be written: the run is then unfinished, so that `resume` writes them, unless it is over for good. */
async function tryResults(
  task: EndingMapping,
  isTaken: boolean,
  remedy: string,
): Promise<Awaited<ReturnType<typeof writeResults>> | undefined> {
  const { ports, run, mapping, rows } = task;
  try {
    const missed = await missedBy(task);
    const unread = unreadBy(task);
    const source = unread === undefined ? fileOf(mapping.source.location) : undefined;
    const still = { missed, unread, isTaken, source, isMarked: hasNamedEncoding(run, mapping) };
    const written = await writeResults(ports.results, run.id, mapping, rows, still);
    tellChanged(ports, mapping, written.changed);
    return written;
  } catch (error) {
    if (!(error instanceof UnavailableError)) throw error;
    const message = `${mapping.name}: the results are not written (${error.message}); ${remedy} writes them`;
    ports.emit({ kind: 'warning', message });
    return undefined;
  }
}

/** Outcomes of users that were to be deactivated and were not. */
const STAY_ACTIVE = OUTCOMES.filter((outcome) => outcome !== 'updated' && outcome !== 'unchanged');
const SHOWN_MISSING = 5;

/** What became of the users that are no longer in the table; they stand in no results, so that those which stay active are told here. */
async function countMissing({ ports, mapping, rows }: EndingMapping): Promise<Counted | undefined> {
  const missing = missingOf(mapping);
  if (missing === undefined) return undefined;
  const outcomes = outcomeCounts(await rows.countOutcomes(missing.name));
  checkCounts(missing.name, outcomes);
  const counts = { ...outcomes, stale: await countLeftToPush(rows, missing.name) };
  const left = counts.rows - counts.updated - counts.unchanged;
  if (left === 0) return counts;
  const page = await rows.page(missing.name, { outcomes: STAY_ACTIVE, afterRow: 0, limit: SHOWN_MISSING });
  const failed = page.map(
    ({ key, outcome, said }) => `"${key ?? ''}" is ${outcome ?? 'open'}: ${renderSaid(said)}`,
  );
  const are = renderCountOf(left, 'missing user was', 'missing users were');
  ports.emit({ kind: 'warning', message: `${mapping.name}: ${are} not deactivated (${failed.join('; ')})` });
  return counts;
}

/** Of several reasons, 130 and 143 win, then the first of 8, 5, 7, 3 (interfaces.md, section 5). */
function exitCodeOf(
  counts: readonly OutcomeCounts[],
  stoppedBy: TeamsheetError | undefined,
  unwritten: readonly TeamsheetError[],
  lacksResults: boolean,
): ExitCode {
  const any = (pick: (each: OutcomeCounts) => number): boolean => counts.some((each) => pick(each) > 0);
  const code = stoppedBy?.exitCode;
  if (code === EXIT.interrupted || code === EXIT.terminated) return code;
  const isAccess = (each: TeamsheetError): boolean => each.exitCode === EXIT.access;
  if (code === EXIT.unavailable || lacksResults || !unwritten.every(isAccess)) return EXIT.unavailable;
  if (code === EXIT.access || unwritten.length > 0) return EXIT.access;
  if (stoppedBy instanceof IncompleteError || any((each) => each.deferred + each.unknown + each.conflict))
    return EXIT.incomplete;
  if (any((each) => each.invalid + each.rejected)) return EXIT.rows;
  return code ?? EXIT.done;
}

/** A resumed run's counts are those of the whole run. */
export function wholeRun(before: RequestCounts | null, now: RequestCounts): RequestCounts {
  if (before === null) return now;
  return {
    planned: before.planned + now.planned,
    sent: before.sent + now.sent,
    reads: before.reads + now.reads,
    writes: before.writes + now.writes,
    throttled: before.throttled + now.throttled,
    waited_ms: before.waited_ms + now.waited_ms,
  };
}
