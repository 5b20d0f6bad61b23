import { isOpenIntent } from '../plan/intent-lifecycle.ts';
import { EXIT, StoppedError, UsageError, type ExitCode } from '../model/error.ts';
import type { RunRow, RunRows } from '../model/state/run-rows.ts';
import { renderSaid } from '../model/said.ts';
import type { Run } from '../model/state/store.ts';
import { rowAfter, wordless } from '../plan/row-lifecycle.ts';
import { assumeWrite, resolveByWord } from './reconcile/assume.ts';
import { resolveConflicts } from './reconcile/conflicts.ts';
import { leaveRest } from './write/defer-rest.ts';
import { endLostRun, hasLostRows, mappingOf } from './journal/lost-rows.ts';
import { isListedCreate, mayBeApplied } from '../plan/reconcile/intents.ts';
import {
  findCase,
  openCases,
  type Assumption,
  type OpenCase,
  type ResolvedCase,
  type Resolved,
  type Resolving,
} from './reconcile/open-cases.ts';
import { waitForOpenWrites } from './journal/open-writes.ts';
import { openAccount } from './plan/plan-sync.ts';
import { finish } from './finish/end-run.ts';
import { leftRows, type LeftRows } from './finish/write-back.ts';
import { cutOffMappings } from './runs/superseded.ts';
import { reconcileWrites } from './reconcile/writes.ts';
import { allMappings, pushedMappings, rowsTask } from './journal/stored-run.ts';
import { rowsOfWrites } from './journal/unverified.ts';
import type { SyncPorts } from './ports.ts';
import { holding } from './runs/holding.ts';

export type { Assumption, ResolvedCase } from './reconcile/open-cases.ts';

/** What was resolved and what is left. */
export interface Resolution {
  readonly cases: readonly ResolvedCase[];
  /** The runs with rows that `resume` sends now. */
  readonly resumable: readonly string[];
  /** 0 when nothing of what was asked is left open, else 7. */
  readonly exitCode: ExitCode;
}

/** Shows what is open and asks before anything is recorded; throws StoppedError `approval.*` when it is not to be. */
export type ApproveCases = (cases: readonly OpenCase[]) => Promise<void>;

/**
 * Resolves the named open write or conflict, or all: by reading back, and where that proves nothing by the operator's word; `list` leaves all as it is. Writes only to the state and the
 * runs' results. Errors: UsageError `resolve.*`; StoppedError `resolve.disproved` when reading back proves the operator's word wrong; those of reading.
 */
export async function resolve(
  ports: SyncPorts,
  target: string | undefined,
  assume: Assumption | undefined,
  approve: ApproveCases | 'list',
): Promise<Resolution> {
  if (assume !== undefined && target === undefined)
    throw new UsageError('resolve.assume', '--assume needs the id of one write or conflict', {
      next: 'resolve',
    });
  const account = await openAccount(ports);
  const lock = await ports.lock.acquire(account.service, 'resolve');
  return holding(lock, async () => {
    const open = await openCases(ports, account.service);
    const named =
      target === undefined ? undefined : await findCase(ports, account.service, open, target, assume);
    const wanted = target === undefined ? open : named === undefined ? [] : [named];
    if (wanted.length === 0) return { cases: [], resumable: [], exitCode: EXIT.done };
    if (approve === 'list') return listed(wanted);
    await approve(wanted);
    ports.passed?.('approval');
    const mappings = wanted.flatMap(({ run, mapping }) => mappingOf(run, mapping) ?? []);
    await waitForOpenWrites(ports, account.service, mappings, new Set(wanted.map(({ run }) => run.id)));
    return await resolveCases({ ports, account, assume }, wanted);
  });
}

/** What is open, of which nothing was looked at. */
const listed = (cases: readonly OpenCase[]): Resolution => ({
  cases: cases.map((each) => ({ ...each, settled: undefined, said: each.reason })),
  resumable: [],
  exitCode: EXIT.incomplete,
});

/** What cases are resolved with, of whichever run they are. */
type Resolver = Pick<Resolving, 'ports' | 'account' | 'assume'>;

async function resolveCases(resolver: Resolver, wanted: readonly OpenCase[]): Promise<Resolution> {
  const { ports, assume } = resolver;
  const cases: ResolvedCase[] = [];
  const resumable: string[] = [];
  for (const [runId, ofRun] of Map.groupBy(wanted, ({ run: { id } }) => id)) {
    cases.push(...(await resolveRun(resolver, ofRun)));
    if ((await ports.store.run(runId))?.finished === false) resumable.push(runId);
  }
  const [only] = cases;
  const found = only?.settled;
  // A conflict that is left as the service has it, or that waits to be sent, is what was asked for.
  if (assume !== undefined && only !== undefined && found !== undefined && disproves(found, assume))
    throw new StoppedError(
      'resolve.disproved',
      `${only.id} is not recorded as ${assume}: reading back ${found === 'applied' ? 'proved that it was applied' : 'says otherwise'} (${renderSaid(only.said)})`,
      { next: nextAfterProof(only) },
    );
  const left = cases.some(({ settled }) => settled === undefined);
  return { cases, resumable, exitCode: left ? EXIT.incomplete : EXIT.done };
}

function nextAfterProof({ id, kind, settled, run }: ResolvedCase): string {
  if (settled === 'applied') return `runs ${run.id}`;
  return kind === 'conflict' ? `resolve ${id} --assume not-applied` : `resume ${run.id}`;
}

const disproves = (found: NonNullable<ResolvedCase['settled']>, assume: Assumption): boolean =>
  assume === 'applied' ? found !== 'applied' : found !== 'not_applied';

/** Resolves cases of one run and brings its rows, counts and results up to date. */
async function resolveRun(resolver: Resolver, cases: readonly OpenCase[]): Promise<readonly ResolvedCase[]> {
  const { ports } = resolver;
  const run = cases[0]?.run;
  if (run === undefined) return [];
  if (pushedMappings(run).length === 0) return resolveByWords(resolver, cases);
  const kept = await ports.store.keptRunRows(run.id);
  const rows = kept ?? (await ports.store.openRunRows(null));
  try {
    const isLost = await hasLostRows(run, kept);
    const left = await leftRows(rows, pushedMappings(run), await cutOffMappings(ports.store, run));
    const settled: ResolvedCase[] = [];
    for (const [name, ofMapping] of Map.groupBy(cases, ({ mapping }) => mapping)) {
      const mapping = mappingOf(run, name);
      if (mapping === undefined) settled.push(...(await resolveByWords(resolver, ofMapping)));
      else settled.push(...(await resolveMapping({ ...resolver, run, mapping, rows }, ofMapping)));
    }
    if (isLost) await endLostRun(ports, run);
    else if (kept !== undefined) await updateRun(ports, run, rows, left);
    return settled;
  } finally {
    await rows.close();
  }
}

/** Of a raw call nothing tells what to look for, so that only the operator can say. */
async function resolveByWords(
  { ports, account, assume }: Resolver,
  cases: readonly OpenCase[],
): Promise<readonly ResolvedCase[]> {
  const settled: ResolvedCase[] = [];
  for (const each of cases) {
    const found: Resolved =
      assume === undefined
        ? { settled: undefined, said: [...each.reason, { code: 'word-wanted' }] }
        : await resolveByWord(ports, account.service, each, assume);
    settled.push({ ...each, ...found });
  }
  return settled;
}

async function resolveMapping(
  settling: Resolving,
  cases: readonly OpenCase[],
): Promise<readonly ResolvedCase[]> {
  const { mapping, assume } = settling;
  const unknown = cases.filter(({ kind }) => kind === 'unknown');
  const conflicts = cases.filter(({ kind }) => kind === 'conflict');
  if (unknown.length > 0) await reconcileWrites(rowsTask(settling, mapping));
  const settled: ResolvedCase[] = [];
  for (const each of unknown) {
    const found = await readBackOf(settling, each);
    const isLeft = found.settled === undefined && assume !== undefined;
    settled.push({ ...each, ...(isLeft ? await assumeWrite(settling, each.id, assume) : found) });
  }
  if (conflicts.length > 0) settled.push(...(await resolveConflicts(settling, conflicts)));
  return settled;
}

/** What reading back made of a write, by its rows: those that are open again were not applied. */
async function readBackOf(settling: Resolving, each: OpenCase): Promise<Resolved> {
  const { ports, run, mapping, rows } = settling;
  const intent = (await ports.store.intents(run.id)).find(({ id }) => id === each.id);
  const now = await rows.rows(
    mapping.name,
    each.rows.map(({ rowNumber }) => rowNumber),
  );
  if (intent !== undefined && isOpenIntent(intent)) {
    const why = now.find(({ outcome }) => outcome === 'unknown')?.said ?? each.reason;
    return { settled: undefined, said: why };
  }
  const isProved = intent === undefined || isListedCreate(intent);
  // A row that was created has its id and waits for its flag; a row that is changed had one before.
  const again = now.filter(
    ({ outcome, id }) => (outcome === null || outcome === 'deferred') && (id === null || !isProved),
  );
  const doubtful = await rowsOfWrites(rowsTask(settling, mapping), mayBeApplied);
  const isDoubtful = ({ rowNumber }: RunRow): boolean => !isProved || doubtful.has(rowNumber);
  await rows.patch(
    mapping.name,
    again
      .filter(({ outcome, change, id }) => outcome === null && (change !== 'create' || id === null))
      .map((row) =>
        rowAfter(wordless(row), {
          kind: 'must-wait',
          said: [
            { code: isDoubtful(row) ? 'sent-not-shown' : 'sent-not-applied' },
            { code: 'resume-sends-again', run: run.id },
          ],
        }),
      ),
  );
  const conflict = now.find(({ outcome }) => outcome === 'conflict');
  if (again.length === 0 && conflict !== undefined)
    return { settled: 'applied', said: [{ code: 'read-back-conflict', reason: conflict.said }] };
  if (again.length === 0 && intent?.result !== 'not_applied')
    return { settled: 'applied', said: [{ code: 'read-back-found' }] };
  const [first] = now;
  if (first !== undefined && now.every(({ outcome }) => outcome === 'unchanged'))
    return { settled: 'not_applied', said: first.said };
  if (now.length < each.rows.length)
    return { settled: 'not_applied', said: [{ code: 'read-back-rows-lost' }] };
  if (again.length < now.length) {
    const found = now.length - again.length;
    return { settled: 'partly', said: [{ code: 'read-back-found-some', found, of: now.length }] };
  }
  return {
    settled: 'not_applied',
    said: [{ code: isProved && !again.some(isDoubtful) ? 'read-back-absent' : 'read-back-not-shown' }],
  };
}

/** Ends the run again with its rows as they are now. What a finished run kept after all was resolved is not all of its rows: its counts stand. */
async function updateRun(ports: SyncPorts, run: Run, rows: RunRows, left: LeftRows): Promise<void> {
  const pushed = run.summaries.filter((each) => each.direction === 'push');
  const isWhole = !run.finished || pushed.some(({ conflict }) => conflict > 0);
  if (!isWhole) return;
  for (const mapping of allMappings(run))
    await leaveRest(rowsTask({ ports, run, rows }, mapping), [{ code: 'run-ended' }]);
  const mappings = pushedMappings(run).map((mapping) => ({ mapping }));
  const requests = { planned: ports.service.counts().sent };
  const { report } = await finish(ports, run, { rows, mappings, requests }, { stoppedBy: undefined, left });
  const pulled = run.summaries.filter((each) => each.direction === 'pull');
  await ports.store.updateRun(run.id, {
    summaries: [...report.mappings, ...pulled],
    // Only the end of the run that sent it tells when a write that is still open can have gone out.
    endedAtMs: run.endedAtMs ?? ports.clock.now(),
  });
}
