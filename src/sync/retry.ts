import { fileOf, isOpenFile } from '../model/tables/table.ts';
import { RESOURCES } from '../contract/index.ts';
import type { PushMapping } from '../mapping/mapping.ts';
import { ConfigError, EXIT, UsageError } from '../model/error.ts';
import type { RunRows } from '../model/state/run-rows.ts';
import type { PushSummary, Run, ServiceAccount } from '../model/state/store.ts';
import { openAccount } from './plan/plan-sync.ts';
import { push, type Approve, type PushResult } from './push.ts';
import { chosenRows, missedRows } from './rows/read-rows.ts';
import { eachRow } from './rows/row-pages.ts';
import { writtenSince } from './runs/superseded.ts';
import { newestRun, optionsOf, pushedMappings, runOf } from './journal/stored-run.ts';
import type { SyncPorts } from './ports.ts';
import type { PlanOptions, RowChoice } from '../plan/saved/push-plan.ts';

/** A mapping of an earlier run as it stands now; undefined where it is not there any more, or reads another table. */
export type CurrentMapping = (mapping: PushMapping) => PushMapping | undefined;

/**
 * Sends the rows that a run refused (invalid and rejected ones) again, after their sources are read again: a run of its own. Without an id it is the newest
 * run with such rows whose mapping no later run pushed. Undefined when there is none.
 * Errors: UsageError `run.unknown`, `run.is_pull`, `run.rows_gone`, `retry.substitutions`; ConfigError `retry.mapping`, `retry.pipe`; StoppedError `run.other_account`; those of `push`.
 */
export async function retry(
  ports: SyncPorts,
  runId: string | undefined,
  { afterDeadline = false, ...options }: PlanOptions & { readonly afterDeadline?: boolean | undefined },
  current: CurrentMapping,
  approve: Approve,
): Promise<PushResult | undefined> {
  const { service: account } = await openAccount(ports);
  const run =
    runId === undefined ? await newestRefused(ports, account) : await runOf(ports.store, runId, account);
  if (run === undefined) return undefined;
  const refused = refusedOf(run).map(({ name }) => name);
  if (refused.length === 0) return undefined;
  if (run.command === 'substitutions')
    throw new UsageError('retry.substitutions', `run ${run.id} read no table`, {
      next: 'substitutions trigger --week N',
    });
  const stored = pushedMappings(run);
  const only = await refusedRows(ports, run, refused);
  const isImport = await isOfImport(ports.store, run);
  const since = isImport ? await writtenSince(ports.store, run) : new Set();
  const mappings = withLookedUp(stored, refused).map((mapping) => {
    const now = current(mapping);
    if (now?.resource === mapping.resource) return now;
    // What the mapping said then may be just what was wrong.
    if (!isImport) throw notThere(mapping, run);
    const file = fileOf(mapping.source.location);
    if (file !== undefined && isOpenFile(file)) {
      const { name } = mapping;
      throw pipeGone(file, run, since.has(name) ? ownFile(run, name) : ports.results.fileToMend(name));
    }
    return mapping;
  });
  // Its rows belong to the game week that they belonged to then.
  const { deadlines, weeks } = optionsOf(run);
  const kept = {
    ...(deadlines !== undefined && !afterDeadline && { deadlines }),
    ...(weeks !== undefined && { weeks }),
  };
  const asked = { ...options, ...kept, allowEmpty: true, only };
  const result = await push(ports, 'retry', mappings.map(readingFew), asked, approve);
  const next = unread(result, only).map((name) =>
    run.command === 'import' ? 'Import the file again, with the same flags.' : `push ${name}`,
  );
  return { ...result, next };
}

/** The mappings with fewer rows than were refused: a row with a new key is no refused one, so that only a push reads it. */
function unread({ report }: PushResult, only: Readonly<Record<string, RowChoice>>): readonly string[] {
  return report.mappings.flatMap((mapping) => {
    const choice = only[mapping.name];
    if (mapping.direction === 'pull' || choice === undefined) return [];
    return mapping.rows < chosenRows(choice) ? [mapping.name] : [];
  });
}

/** Other rows are not read, so that none is missing and a few are enough. */
const readingFew = (mapping: PushMapping): PushMapping => ({
  ...mapping,
  missingRows: 'ignore',
  guards: { ...mapping.guards, minRows: 0 },
});

const notThere = ({ name, source }: PushMapping, { id }: Run): ConfigError =>
  new ConfigError(
    'retry.mapping',
    `run ${id} refused rows of ${source.origin} for the mapping ${name}, and no mapping of that name reads that table now`,
    { next: 'Push the mapping that has its place.' },
  );

/** What a program printed for an import is read once. */
const pipeGone = (file: string, { id }: Run, toMend: string): ConfigError =>
  new ConfigError(
    'retry.pipe',
    `run ${id} read ${file}, a pipe that was there for its command alone, so that its rows cannot be read again`,
    { file, next: `Correct the rows in ${toMend} and import that file, with the same flags.` },
  );

/** The rows to correct of a run itself: a later one has written the copy of them. */
function ownFile({ summaries }: Run, mapping: string): string {
  const summary = summaries.find((each) => each.direction === 'push' && each.name === mapping);
  const results = summary?.direction === 'push' ? summary.results : undefined;
  return (results ?? `${mapping}.results.csv`).replace(/\.results\.csv$/, '.rejected.csv');
}

/** Whether rows were first refused by an import, whose file no mapping names. What was pruned may have been one. */
async function isOfImport(store: Pick<SyncPorts['store'], 'run'>, run: Run | undefined): Promise<boolean> {
  if (run?.command !== 'retry') return run === undefined || run.command === 'import';
  const [choice] = Object.values(optionsOf(run).only ?? {});
  const [by] = choice?.refusedBy ?? [];
  return isOfImport(store, by === undefined ? undefined : await store.run(by));
}

/** The mappings with refused rows and those whose rows they look up by the mapping's name, in the order of the run. */
function withLookedUp(stored: readonly PushMapping[], refused: readonly string[]): readonly PushMapping[] {
  const wanted = new Set(refused);
  // What is looked up may look up rows itself.
  for (let size = 0; size < wanted.size;) {
    size = wanted.size;
    for (const { name, columns } of stored) {
      if (!wanted.has(name) || columns === 'auto') continue;
      for (const { lookup } of columns)
        if (typeof lookup?.in === 'string' && !RESOURCES.some((each) => each === lookup.in))
          wanted.add(lookup.in);
    }
  }
  return stored.filter(({ name }) => wanted.has(name));
}

function refusedOf({ summaries }: Run): readonly PushSummary[] {
  return summaries
    .filter((each) => each.direction === 'push')
    .filter(({ invalid, rejected }) => invalid + rejected > 0);
}

/**
 * A later run of the same mapping has read the rows again, so that what an earlier one refused is past. A retry read refused rows alone: while it found fewer
 * than were refused, the others may still come back. An import of a file of rows to correct has read those of its mapping.
 */
async function newestRefused(
  { store, results, emit }: SyncPorts,
  account: ServiceAccount,
): Promise<Run | undefined> {
  const pushed = new Map<string, { readonly by: string; readonly rows: number }>();
  const foundSince = new Set<string>();
  const isPast = (run: Run, { name, invalid, rejected }: PushSummary): boolean => {
    const mended = mendedBy(results, run).get(name);
    const isMended = mended !== undefined && pushed.get(mended)?.rows === Infinity;
    return (
      isMended || foundSince.has(`${run.id} ${name}`) || (pushed.get(name)?.rows ?? 0) >= invalid + rejected
    );
  };
  let past: { readonly run: Run; readonly by: string } | undefined;
  const found = await newestRun(store, account, (run) => {
    if (run.command === 'substitutions') return false;
    const refused = refusedOf(run);
    if (refused.some((each) => !isPast(run, each))) return true;
    const by = pushed.get(refused[0]?.name ?? '')?.by;
    if (by !== undefined) past ??= { run, by };
    if (run.phase !== 'planning' && run.exitCode !== EXIT.stopped)
      for (const [name, mended] of mendedBy(results, run)) {
        const rows = rowsRead(run, name, mended !== undefined);
        // A retry that found all it was to read had what earlier ones of the same rows had not found.
        const choice = optionsOf(run).only?.[name];
        if (choice !== undefined && rows >= chosenRows(choice))
          for (const by of choice.refusedBy ?? []) foundSince.add(`${by} ${name}`);
        for (const read of mended === undefined ? [name] : [name, mended])
          if ((pushed.get(read)?.rows ?? -1) < rows) pushed.set(read, { by: run.id, rows });
      }
    return false;
  });
  if (found === undefined && past !== undefined)
    emit({
      kind: 'note',
      message: `run ${past.run.id} refused rows, and run ${past.by} has read that table since; retry ${past.run.id} sends them again`,
    });
  return found;
}

/** The mappings of a run, each with the one whose rows to correct its file holds, if it is such a file. */
function mendedBy(results: SyncPorts['results'], run: Run): ReadonlyMap<string, string | undefined> {
  return new Map(
    pushedMappings(run).map(({ name, source }) => {
      const file = fileOf(source.location);
      return [name, file === undefined ? undefined : results.mappingToMend(file)];
    }),
  );
}

/**
 * How many of the rows that were refused before it a run can have read: any number, unless it was a retry, or refused rows of a file to correct; none where it
 * read the first rows of a table alone.
 */
function rowsRead(run: Run, mapping: string, isMended: boolean): number {
  const { command, exitCode, summaries } = run;
  const { limit } = optionsOf(run);
  const rows = summaries.reduce(
    (most, each) => (each.direction === 'push' && each.name === mapping ? Math.max(most, each.rows) : most),
    0,
  );
  if (command === 'retry' || (isMended && exitCode !== EXIT.done)) return rows;
  return limit === undefined || rows < limit ? Infinity : 0;
}

/** The keys of what the run refused as they were read, by mapping, and the row numbers of what had no key. Errors: UsageError `run.rows_gone`. */
async function refusedRows(
  { store }: SyncPorts,
  run: Run,
  names: readonly string[],
): Promise<Readonly<Record<string, RowChoice>>> {
  const rows = await store.keptRunRows(run.id);
  if (rows === undefined)
    throw new UsageError('run.rows_gone', `the refused rows of run ${run.id} are no longer kept`, {
      next: `push ${names.join(' ')}`,
    });
  try {
    const choices: [string, RowChoice][] = [];
    for (const name of names) choices.push([name, await choiceOf(run, rows, name)]);
    return Object.fromEntries(choices);
  } finally {
    await rows.close();
  }
}

/** What a retry did not find is still to be tried again. */
async function choiceOf(run: Run, rows: RunRows, name: string): Promise<RowChoice> {
  const keys = new Map<string, readonly [stoodAt: number, by: string]>();
  const rowNumbers = new Map<number, string>();
  const before = optionsOf(run).only?.[name];
  if (before !== undefined) {
    const missed = await missedRows(before, rows, name);
    const byOf = (at: number): string => missed.refusedBy?.[at] ?? run.id;
    missed.keys.forEach((key, at) => keys.set(key, [missed.stoodAt?.[at] ?? 0, byOf(at)]));
    missed.rowNumbers.forEach((rowNumber, at) => rowNumbers.set(rowNumber, byOf(missed.keys.length + at)));
  }
  for await (const { key, readKey, rowNumber } of eachRow(rows, name, {
    outcomes: ['invalid', 'rejected'],
  })) {
    // Rows are chosen before anything is looked up.
    if (key === null) rowNumbers.set(rowNumber, run.id);
    else keys.set(readKey ?? key, [rowNumber, run.id]);
  }
  return {
    keys: [...keys.keys()],
    stoodAt: Array.from(keys.values(), ([stoodAt]) => stoodAt),
    rowNumbers: [...rowNumbers.keys()],
    refusedBy: [...Array.from(keys.values(), ([, by]) => by), ...rowNumbers.values()],
  };
}
