import type { PushMapping } from '../../mapping/mapping.ts';
import { StoppedError, UsageError } from '../../model/error.ts';
import { apart } from '../../model/league-name.ts';
import type { RunRows } from '../../model/state/run-rows.ts';
import type { Run, ServiceAccount, Store } from '../../model/state/store.ts';
import type { PlanOptions } from '../../plan/saved/push-plan.ts';
import { withMissing } from '../../plan/missing-mapping.ts';

/** What a run keeps so that it can be planned again or resumed without its files. */
export interface StoredRun {
  readonly mappings: readonly PushMapping[];
  readonly options: PlanOptions;
}

/** The mappings that a run pushed, in their order; a raw call has none. */
export function pushedMappings(run: Run): readonly PushMapping[] {
  const stored = JSON.parse(run.mappings) as Partial<StoredRun>;
  return stored.mappings ?? [];
}

/** The same with the users of each that are in no row any more. */
export function allMappings(run: Run): readonly PushMapping[] {
  return pushedMappings(run).flatMap(withMissing);
}

/** The leagues of the mappings that a run pushed or pulled, where the folder has several. */
export function leaguesOf(run: Run): readonly string[] {
  const worked = [...pushedMappings(run), ...run.summaries];
  const found = worked.flatMap(
    (each) => ('leagues' in each && each.leagues) || (apart(each.name).league ?? []),
  );
  return [...new Set(found)];
}

/** What the run was begun with; of a run that pushed mappings. */
export const optionsOf = (run: Run): PlanOptions => (JSON.parse(run.mappings) as StoredRun).options;

export const isSameAccount = (one: ServiceAccount, other: ServiceAccount): boolean =>
  one.baseUrl === other.baseUrl && one.accountId === other.accountId;

/** A run of the account by its id. Errors: UsageError `run.unknown`, `run.is_pull`; StoppedError `run.other_account`. */
export async function runOf(
  store: Pick<Store, 'run' | 'pulls'>,
  runId: string,
  account: ServiceAccount,
): Promise<Run> {
  const run = await store.run(runId);
  if (run === undefined) throw await notAPush(store, runId);
  if (isSameAccount(run.account, account)) return run;
  throw new StoppedError(
    'run.other_account',
    `run ${runId} wrote to another service or account (${run.account.baseUrl})`,
    { next: 'choose its environment with --env' },
  );
}

/** What an id is that no run which sends has. */
export async function notAPush(store: Pick<Store, 'pulls'>, runId: string): Promise<UsageError> {
  const pulls = await store.pulls(Number.MAX_SAFE_INTEGER);
  return pulls.some(({ id }) => id === runId)
    ? new UsageError('run.is_pull', `run ${runId} is a pull, which sent no rows`, { next: `runs ${runId}` })
    : new UsageError('run.unknown', `there is no run ${runId}`, { next: 'runs' });
}

/** Runs that are looked at for those of an account. */
const NEWEST = 1000;

/** The newest runs of an account, the newest first. */
export const runsOf = async (store: Pick<Store, 'runs'>, account: ServiceAccount): Promise<readonly Run[]> =>
  (await store.runs(NEWEST)).filter((run) => isSameAccount(run.account, account));

/** The newest run of the account that fits. */
export async function newestRun(
  store: Pick<Store, 'runs'>,
  account: ServiceAccount,
  fits: (run: Run) => boolean,
): Promise<Run | undefined> {
  return (await runsOf(store, account)).find(fits);
}

/** One mapping of a run with its rows. */
export const rowsTask = <Ports>(
  { ports, run, rows }: { readonly ports: Ports; readonly run: Run; readonly rows: RunRows },
  mapping: PushMapping,
) => ({ ports, runId: run.id, account: run.account, mapping, rows });

/** Does work with the rows that are kept of a run, and closes them; undefined where there are none. */
export async function withKeptRows(
  store: Pick<Store, 'keptRunRows'>,
  runId: string,
  work: (rows: RunRows | undefined) => Promise<void>,
): Promise<void> {
  const rows = await store.keptRunRows(runId);
  try {
    await work(rows);
  } finally {
    await rows?.close();
  }
}
