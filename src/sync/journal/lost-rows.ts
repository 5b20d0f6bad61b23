import type { PushMapping } from '../../mapping/mapping.ts';
import { EXIT, IncompleteError } from '../../model/error.ts';
import type { RunRows } from '../../model/state/run-rows.ts';
import type { Run } from '../../model/state/store.ts';
import { recordEnd } from './last-run.ts';
import { allMappings, pushedMappings } from './stored-run.ts';
import type { SyncPorts } from '../ports.ts';

/** The rows of all sources of a run that are kept. */
export async function countRows(rows: RunRows, mappings: readonly PushMapping[]): Promise<number> {
  let count = 0;
  for (const { name } of mappings)
    for (const rowsOfOutcome of (await rows.countOutcomes(name)).values()) count += rowsOfOutcome;
  return count;
}

/** Whether a run that is not over has lost rows: with its folder, its file, the last of what was written there, or by damage. Until its plan is complete it needs none. */
export async function hasLostRows(run: Run, kept: RunRows | undefined): Promise<boolean> {
  if (run.rowsLost === true) return true;
  if (run.finished || run.phase === 'planning' || pushedMappings(run).length === 0) return false;
  return kept === undefined || (await countRows(kept, pushedMappings(run))) < (run.rows ?? 0);
}

/**
 * Ends a run whose rows are lost, so that nothing tries to go on with it; its writes without an answer stay open. Answers what is missing and what to type next.
 */
export async function endLostRun(
  { store, clock }: Pick<SyncPorts, 'store' | 'clock'>,
  run: Run,
): Promise<IncompleteError> {
  if (run.rowsLost !== true)
    await recordEnd(store, run, {
      phase: 'ended',
      finished: true,
      rowsLost: true,
      // Its process is gone by now, and only since then can nothing more go out.
      endedAtMs: run.endedAtMs ?? clock.now(),
      exitCode: EXIT.incomplete,
    });
  return lostRowsError({ store }, run, 'cannot go on');
}

/** What is missing of a run whose rows are lost, and what to type next. `what`: what the run cannot do for it. */
export async function lostRowsError(
  { store }: Pick<SyncPorts, 'store'>,
  run: Run,
  what: string,
): Promise<IncompleteError> {
  const open = (await store.openIntents(run.account)).filter(({ runId }) => runId === run.id);
  const keys = new Set(open.flatMap((intent) => intent.keys)).size;
  const lost = `run ${run.id} ${what}: its rows are lost (runs/${run.id}/rows.sqlite beside the state file is gone or damaged)`;
  const next = nextAfterLoss(run, open.length > 0);
  if (open.length === 0)
    return new IncompleteError('run.rows_lost', `${lost}; every write of it was answered`, { next });
  const writes = open.length === 1 ? '1 write has' : `${open.length} writes have`;
  const held = `${keys} ${keys === 1 ? 'key is' : 'keys are'}`;
  return new IncompleteError(
    'run.rows_lost',
    `${lost}; ${writes} no trustworthy answer, and ${held} not sent again until that is resolved; a push sends the others`,
    { next },
  );
}

/** The command that helps where the rows of a run are lost: what it sent without an answer is to be resolved first. */
export const nextAfterLoss = (run: Run, hasOpenWrites: boolean): string | undefined =>
  hasOpenWrites ? 'resolve' : nextPush(run);

/** The command that reads the tables of a run again. */
function nextPush(run: Run): string | undefined {
  const mappings = pushedMappings(run);
  if (run.command === 'import')
    return mappings.map(({ source, resource }) => `import ${source.origin} --as ${resource}`)[0];
  if (run.command === 'substitutions') return 'substitutions trigger --week N';
  return `push ${mappings.map(({ name }) => name).join(' ')}`;
}

/** The mapping of a run by its name; undefined for a raw call. */
export const mappingOf = (run: Run, name: string): PushMapping | undefined =>
  allMappings(run).find((each) => each.name === name);
