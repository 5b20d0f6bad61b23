import { renderCountOf } from '../model/count.ts';
import {
  ConfigError,
  EXIT,
  IncompleteError,
  InterruptedError,
  ListError,
  RefusedError,
  TeamsheetError,
} from '../model/error.ts';
import type { CoverFacts, CoverRemarks } from '../model/tables/layout.ts';
import type { PullSummary } from '../model/state/store.ts';
import type { ReportTab, ReportValue } from '../model/tables/table.ts';
import type { PullMapping } from '../mapping/mapping.ts';
import { cellsOf } from '../report/column.ts';
import { Keeper, type KeeperPorts } from './memory/keeper.ts';
import { groupByFile, isLocal, prepareJob, type Job, type PrepareOptions } from './pulling/job.ts';
import { openContext, take, type ReadContext, type ReadPorts } from './pulling/read.ts';
import { announceSources } from './rows/read-rows.ts';
import type { SyncPorts } from './ports.ts';

/** What a pull needs beside its mappings. */
export interface PullPorts
  extends ReadPorts, Pick<KeeperPorts, 'season'>, Pick<SyncPorts, 'tables' | 'timezone'> {
  /** What a cover tab says of the files that are written now. */
  readonly coverFacts: () => CoverFacts;
}

async function* rowsOf(job: Job, context: ReadContext): AsyncGenerator<readonly (readonly ReportValue[])[]> {
  try {
    for await (const batch of take(job.read, context)) {
      const records = batch.slice(0, context.limit - job.records);
      job.records += records.length;
      yield records
        .flatMap((record) => job.report.rows(record))
        .map((row) => cellsOf(job.columns, row, job.misfits));
      if (job.records >= context.limit) {
        job.limited = true;
        context.emit({
          kind: 'note',
          message: `${job.mapping.name}: only the first ${renderCountOf(context.limit, 'record')}, as limited`,
        });
        return;
      }
    }
  } catch (error) {
    if (context.partial && (isLocal(error) || error instanceof InterruptedError)) {
      job.stoppedBy = error;
      return;
    }
    job.failure = error;
    throw error;
  }
}

function tabOf(
  job: Job,
  group: readonly Job[],
  context: ReadContext,
  { timezone, coverFacts }: PullPorts,
): ReportTab {
  const { name, destination } = job.mapping;
  const { location, mode, key, excel, formulas } = destination;
  const remarks = (): CoverRemarks => ({
    partial: group.flatMap((each) => (each.stoppedBy === undefined ? [] : [each.mapping.name])),
    readOn: group.flatMap(({ mapping, read }) => {
      const days = context.readOn.get(read.name);
      return days === undefined ? [] : [{ report: mapping.name, days }];
    }),
  });
  return {
    location,
    table: { name, columns: job.columns, rows: rowsOf(job, context) },
    options: { mode, key, excel, formulas, timezone },
    ...(job.layout !== undefined && { layout: job.layout, cover: { ...coverFacts(), remarks } }),
  };
}

function summarize(job: Job, rows: number, leftOut = 0): PullSummary {
  const { name, resource, destination } = job.mapping;
  return {
    name,
    resource,
    direction: 'pull',
    records: job.records,
    destination: destination.origin,
    rows,
    ...(job.limited && { limited: true }),
    ...(leftOut > 0 && { left_out: leftOut }),
  };
}

/** The summary of a report that was written, of a part of its records where a stop allowed no more. */
function written(job: Job, rows: number, { leftOut, missingWeeks, readOn }: ReadContext): PullSummary {
  const { name } = job.read;
  const [missing, days] = [missingWeeks.get(name), readOn.get(name)];
  const summary = {
    ...summarize(job, rows, leftOut.get(name)),
    ...(missing !== undefined && { missing_weeks: missing }),
    ...(days !== undefined && { read_on: days }),
  };
  if (job.stoppedBy === undefined) return summary;
  const { error } = failed(job, job.stoppedBy, undefined);
  return { ...summary, partial: true, ...(error !== undefined && { error }) };
}

/** What became of a job of a file that was not written: its own failure, or that of the job or the file which it shares. */
function failed(job: Job, error: TeamsheetError, culprit: Job | undefined): PullSummary {
  const blamed = culprit !== undefined && culprit !== job;
  // A pull leaves nothing to resume: it is typed again.
  const next =
    error instanceof IncompleteError
      ? `pull ${job.mapping.name}`
      : error instanceof RefusedError
        ? `check "where" of mapping ${(culprit ?? job).mapping.name}, then pull it again`
        : error.next;
  const leftOut = !blamed && error instanceof ListError ? error.leftOut : 0;
  return {
    ...summarize(job, 0, leftOut),
    records: 0,
    error: {
      code: blamed ? 'destination.incomplete' : error.code,
      message: blamed
        ? `${job.mapping.destination.origin} stays as it was, because ${culprit.mapping.name} has no report: ${error.message}`
        : error.message,
      // Exit code 4 would say that nothing was written at all.
      exit_code: error instanceof ConfigError ? EXIT.unavailable : error.exitCode,
      ...(next === undefined ? {} : { next }),
    },
  };
}

function warnOfMisfits({ mapping, columns, misfits }: Job, emit: SyncPorts['emit']): void {
  for (const { header, type } of columns) {
    const found = misfits.get(header);
    if (found === undefined) continue;
    misfits.delete(header);
    emit({
      kind: 'warning',
      message:
        `${mapping.name}, column "${header}": ${found.count} ${found.count === 1 ? 'value is' : 'values are'} not of type ${type} ` +
        `and written as text, such as ${JSON.stringify(found.first)}`,
    });
  }
}

async function writeFile(
  group: readonly Job[],
  contextOf: (job: Job) => ReadContext,
  ports: PullPorts,
): Promise<readonly PullSummary[]> {
  const { tables, emit, signal } = ports;
  const failAll = (error: TeamsheetError): readonly PullSummary[] => {
    const culprit = group.find(({ failure }) => failure === error);
    return group.map((job) => failed(job, error, culprit));
  };
  const unready = group.map(({ failure }) => failure).find((failure) => failure instanceof TeamsheetError);
  if (unready !== undefined) return failAll(unready);
  const tabs = group.map((job) => tabOf(job, group, contextOf(job), ports));
  const kind = group[0]?.mapping.destination.location.kind ?? 'csv';
  let rows: readonly number[];
  try {
    rows = await tables[kind].write(tabs);
  } catch (error) {
    signal.throwIfAborted();
    if (!isLocal(error)) throw error;
    return failAll(error);
  }
  for (const job of group) warnOfMisfits(job, emit);
  return group.map((job, index) => {
    const { location, origin } = job.mapping.destination;
    const title = tables[kind].titleOf?.(location);
    const destination =
      title === undefined || location.kind === 'csv' ? origin : `"${title}" tab "${location.tab}"`;
    return { ...written(job, rows[index] ?? 0, contextOf(job)), destination };
  });
}

/** A file that a signal stops stays as it was; so do those after it. */
async function writeUnlessStopped(
  group: readonly Job[],
  contextOf: (job: Job) => ReadContext,
  ports: PullPorts,
): Promise<readonly PullSummary[]> {
  const { signal } = ports;
  try {
    signal.throwIfAborted();
    return await writeFile(group, contextOf, ports);
  } catch (error) {
    if (!signal.aborted || !(error instanceof InterruptedError)) throw error;
    return group.map((job) => failed(job, error, undefined));
  }
}

export type { PrepareOptions } from './pulling/job.ts';

/** How a pull is done. */
export interface PullOptions {
  /** The most records of each report. */
  readonly limit?: number | undefined;
  /** Nothing is asked of the service: reports of game weeks are made from the memory. */
  readonly offline?: boolean;
  /** A report whose read stops is written with what there is. */
  readonly partial?: boolean;
  /** It goes on with a pull that was not finished and began then, by the service's clock. */
  readonly continuedSinceMs?: number | undefined;
}

/** Mappings that are ready to be pulled, once. */
export interface PreparedPull {
  /** As they were given: the jobs have the player ids of their tables. */
  readonly mappings: readonly PullMapping[];
  readonly jobs: readonly Job[];
  /** The jobs that are written together. */
  readonly groups: readonly (readonly Job[])[];
}

/**
 * Checks everything about the mappings that needs no request, their tables of player ids and of groups read. Errors: ConfigError and UsageError for what is
 * wrong with a mapping; what Google refuses is kept for the report that it concerns, and with `isAlone` every table that cannot be read.
 */
export async function preparePull(
  mappings: readonly PullMapping[],
  tables: SyncPorts['tables'],
  options: PrepareOptions = {},
): Promise<PreparedPull> {
  announceSources(
    tables,
    mappings.flatMap(({ ids }) => (ids?.kind === 'column' ? [ids.source.location] : [])),
  );
  const jobs: Job[] = [];
  for (const mapping of mappings) jobs.push(await prepareJob(mapping, tables, options));
  return { mappings, jobs, groups: groupByFile(jobs) };
}

/**
 * Fetches the records of each mapping and writes its report; answers one summary for each mapping, in order. What cannot be read whole, or not
 * be written, keeps its old file and says so in its summary, and the other files go on; mappings of one workbook stand or fall together. What
 * several mappings want is read once, and what is read of game weeks is kept. After a signal nothing more is read: the reports that were not written yet say so, with its exit code.
 */
export async function pullPrepared(
  ports: PullPorts,
  { jobs, groups }: PreparedPull,
  options: PullOptions,
): Promise<readonly PullSummary[]> {
  const reads = jobs.filter(({ failure }) => failure === undefined).map(({ read }) => read);
  const keeper = new Keeper(ports);
  const common = openContext(ports, keeper, '', reads);
  const { limit = Infinity, offline = false, partial = false, continuedSinceMs } = options;
  const asked = { limit, offline, partial, continuedSinceMs };
  const contextOf = (job: Job): ReadContext => ({
    ...common,
    ...asked,
    mapping: job.mapping.name,
    groups: job.groups,
  });
  const summaries = new Map<string, PullSummary>();
  try {
    for (const group of groups) {
      const done = await writeUnlessStopped(group, contextOf, ports);
      for (const summary of done) summaries.set(summary.name, summary);
    }
  } finally {
    await keeper.end();
  }
  return jobs.flatMap(({ mapping }) => summaries.get(mapping.name) ?? []);
}
