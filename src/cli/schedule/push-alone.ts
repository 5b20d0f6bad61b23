import type { PushMapping } from '../../mapping/mapping.ts';
import { ConfigError, TeamsheetError } from '../../model/error.ts';
import type { Run, Store } from '../../model/state/store.ts';
import { worstExit } from '../../model/worst-exit.ts';
import type { PlanOptions } from '../../plan/saved/push-plan.ts';
import { pushedMappings } from '../../sync/journal/stored-run.ts';
import type { PushResult } from '../../sync/push.ts';
import { resume } from '../../sync/resume.ts';
import { readSources } from '../../sync/rows/read-rows.ts';
import { askApproval, tellResult, type Work } from '../push/run-push.ts';
import { renderStop } from '../render/stop.ts';

/** What a scheduled run keeps of its game week, and when those of its mappings were begun first that go on; of a later one also the table is read. */
export interface Kept extends Pick<PlanOptions, 'deadlines' | 'weeks'> {
  readonly begun: Readonly<Record<string, { readonly atMs: number; readonly isLater: boolean }>>;
}

type Push = (mappings: readonly PushMapping[], options: PlanOptions, work: Work) => Promise<PushResult>;

/**
 * A push that nobody watches: a run that was cut off goes on from its own rows, so that nothing of it is sent twice, and a table that cannot be read stops its own
 * mapping alone. Errors: those of `push`.
 */
export async function pushAlone(
  mappings: readonly PushMapping[],
  options: PlanOptions,
  kept: Kept,
  work: Work,
  push: Push,
): Promise<PushResult> {
  const resumed = await goOn(mappings, kept, work);
  if (resumed === undefined) return pushReadable(mappings, options, work, push);
  const done = new Set(resumed.report.mappings.map(({ name }) => name));
  const others = mappings.filter(({ name }) => !done.has(name) || kept.begun[name]?.isLater === true);
  if (others.length === 0) return resumed;
  await tellResult(resumed, work);
  const pushed = await pushReadable(others, options, work, push);
  const exitCode = worstExit([resumed.report.exit_code, pushed.report.exit_code]);
  return { ...pushed, report: { ...pushed.report, exit_code: exitCode } };
}

/** Undefined where no run was cut off, or where it cannot go on, which is told. */
async function goOn(
  mappings: readonly PushMapping[],
  { begun }: Kept,
  work: Work,
): Promise<PushResult | undefined> {
  const { ports, program } = work;
  const run = await cutOffRun(ports.store, mappings, begun);
  if (run === undefined) return undefined;
  try {
    return await resume(ports, run.id, askApproval(work));
  } catch (error) {
    if (!(error instanceof TeamsheetError) || program.signal.aborted) throw error;
    program.screen.tell(renderStop(error, program, `resume ${run.id}`));
    return undefined;
  }
}

/** Runs that are looked at: no other run is begun while the schedule runs one. */
const NEWEST = 20;

async function cutOffRun(
  store: Pick<Store, 'runs'>,
  mappings: readonly PushMapping[],
  begun: Kept['begun'],
): Promise<Run | undefined> {
  const begunMs = new Map(mappings.map(({ name }) => [name, begun[name]?.atMs ?? Infinity]));
  const runs = await store.runs(NEWEST);
  return runs.find(
    (run) =>
      !run.finished &&
      run.command === 'sync' &&
      pushedMappings(run).some(({ name }) => (begunMs.get(name) ?? Infinity) <= run.startedAtMs),
  );
}

async function pushReadable(
  mappings: readonly PushMapping[],
  options: PlanOptions,
  work: Work,
  push: Push,
): Promise<PushResult> {
  const result = await push(mappings, options, work);
  const { stoppedBy } = result;
  if (!mayBeTable(stoppedBy) || result.report.run !== null || mappings.length < 2) return result;
  const readable = await readableOf(mappings, options, work);
  if (readable.length === 0 || readable.length === mappings.length) return result;
  const pushed = await push(readable, options, work);
  const exitCode = worstExit([stoppedBy.exitCode, pushed.report.exit_code]);
  const report = { ...pushed.report, exit_code: exitCode };
  if (report.run !== null) await work.ports.store.updateRun(report.run, { exitCode });
  return { ...pushed, report, stoppedBy: pushed.stoppedBy ?? stoppedBy };
}

async function readableOf(
  mappings: readonly PushMapping[],
  options: PlanOptions,
  { ports }: Work,
): Promise<readonly PushMapping[]> {
  const quiet = { ...ports, emit: () => undefined };
  const readable: PushMapping[] = [];
  for (const mapping of mappings) {
    try {
      await (await readSources(quiet, null, [mapping], options)).remove();
      readable.push(mapping);
    } catch (error) {
      if (!mayBeTable(error)) throw error;
    }
  }
  return readable;
}

/** Whether it may be a table that cannot be read, such as a sheet that is not shared any more. */
const mayBeTable = (error: unknown): error is TeamsheetError =>
  error instanceof ConfigError || (error instanceof TeamsheetError && /^(google|source)\./.test(error.code));
