import type { PushMapping } from '../mapping/mapping.ts';
import { StoppedError } from '../model/error.ts';
import type { ServiceAccount } from '../model/state/store.ts';
import {
  compareCounters,
  compareMappings,
  comparePlannedRows,
  type Difference,
  type Witness,
} from '../plan/saved/compare-plans.ts';
import { withMissing } from '../plan/missing-mapping.ts';
import { push, type Approve, type PushResult } from './push.ts';
import type { SavedPlan } from '../plan/saved/read-saved-plan.ts';
import { savedRows } from './plan/save-plan.ts';
import type { SavedHeader } from '../plan/saved/saved-plan.ts';
import { StalePlanError } from '../plan/saved/stale-plan.ts';
import { isSameAccount } from './journal/stored-run.ts';
import type { PlannedPush, SyncPorts } from './ports.ts';

/** What checking a saved plan needs. */
type CheckPorts = Pick<SyncPorts, 'store' | 'baseUrl' | 'clock' | 'emit'>;

/**
 * Pushes exactly what a saved plan says: plans again with its options, and writes only when nothing else comes of it. `mappings` are those of its names that
 * there still are; `remake` is the command line that plans once more.
 * Errors: StoppedError `plan.*` before anything is sent; those of {@link push}.
 */
export async function pushSavedPlan(
  ports: SyncPorts,
  saved: SavedPlan,
  mappings: readonly PushMapping[],
  remake: string,
  approve: Approve,
): Promise<PushResult> {
  await checkBeforePlanning(ports, saved, mappings, remake);
  const { header } = saved;
  const account = accountOf(header);
  const begin: Approve = async (planned, runId) => {
    await approve(planned, runId);
    if (planned.mappings.some(({ writes }) => writes > 0))
      await ports.store.setFact(account, factOf(header), runId);
  };
  return push(ports, 'push', mappings, header.options, begin, (planned) =>
    checkPlanned(ports, saved, planned, remake),
  );
}

/**
 * What can be said of a saved plan before a source is read or the service asked.
 * Errors: StoppedError `plan.other_service`, `plan.stopped`, `plan.pushed`, `plan.stale`.
 */
export async function checkBeforePlanning(
  ports: CheckPorts,
  saved: SavedPlan,
  mappings: readonly PushMapping[],
  remake: string,
): Promise<void> {
  const { header, file } = saved;
  if (header.base_url !== ports.baseUrl) throw otherService(file, header.base_url);
  if (header.stops.length > 0) {
    const why = header.stops.map(({ message }) => message).join('; ');
    throw new StoppedError('plan.stopped', `${file} is a plan that may not be pushed: ${why}`, {
      file,
      next: `correct that, or pass the guard, then plan again: ${remake}`,
    });
  }
  await refuseSecondPush(ports, saved, remake);
  const differences = [
    ...compareMappings(header, mappings),
    ...(await openWritesSince(ports, header, mappings)),
  ];
  if (differences.length > 0) throw new StalePlanError(file, ageOf(ports, header), differences, remake);
}

/**
 * Compares a plan that was made now with the saved one.
 * Errors: StoppedError `plan.other_service`, `plan.stale`; ConfigError `plan.damaged` when the file changes meanwhile.
 */
export async function checkPlanned(
  ports: CheckPorts,
  saved: SavedPlan,
  planned: PlannedPush,
  remake: string,
): Promise<void> {
  const { header, file } = saved;
  const { accountId } = planned.account;
  if (header.account_id !== accountId) throw otherService(file, `account ${header.account_id}`);
  const rows = await comparePlannedRows(
    () => saved.rows(),
    () => savedRows(planned),
    witnessesOf(header, planned),
  );
  const differences = [...compareCounters(header, planned.mappings), ...rows];
  if (differences.length > 0) {
    const all = [...(await runsSince(ports, header)), ...differences];
    throw new StalePlanError(file, ageOf(ports, header), all, remake);
  }
  ports.emit({ kind: 'note', message: `${file} (${ageOf(ports, header)}) is still valid` });
}

/** By the name of each mapping, and of the users that left its table. */
function witnessesOf({ mappings }: SavedHeader, planned: PlannedPush): ReadonlyMap<string, Witness> {
  return new Map(
    planned.mappings.flatMap(({ mapping, fromMemory }) => {
      const saved = mappings.find(({ name }) => name === mapping.name);
      const witness = { fromMemory, isSame: saved?.from_memory === fromMemory };
      return withMissing(mapping).map(({ name }) => [name, witness] as const);
    }),
  );
}

const accountOf = ({ base_url, account_id }: SavedHeader): ServiceAccount => ({
  baseUrl: base_url,
  accountId: account_id,
});

/** Under this name the state remembers the run that wrote a plan. */
const factOf = ({ id }: SavedHeader): string => `plan:${id}`;

function otherService(file: string, what: string): StoppedError {
  return new StoppedError(
    'plan.other_service',
    `${file} is a plan for another service or account (${what})`,
    {
      file,
      next: 'choose its environment with --env, or plan again for this one',
    },
  );
}

/** A plan is written once: what it says was true before, and is not afterwards. */
async function refuseSecondPush(
  ports: CheckPorts,
  { header, file }: SavedPlan,
  remake: string,
): Promise<void> {
  const fact = await ports.store.fact(accountOf(header), factOf(header));
  if (fact === undefined) return;
  const run = await ports.store.run(fact.value);
  // It ended between the approval and its first write.
  if (run?.phase === 'planning') return;
  const time = new Date(fact.atMs).toISOString();
  const goesOn = run?.finished === false;
  throw new StoppedError(
    'plan.pushed',
    `${file} was pushed already by run ${fact.value} at ${time}${goesOn ? ', which is not finished' : ''}; nothing was sent`,
    { file, next: goesOn ? `resume ${fact.value}` : remake },
  );
}

/** Writes that went out after the plan was made and have no answer: nobody knows what they changed. */
async function openWritesSince(
  { store }: CheckPorts,
  header: SavedHeader,
  mappings: readonly PushMapping[],
): Promise<readonly Difference[]> {
  const resources = new Set<string>(mappings.map(({ resource }) => resource));
  const open = await store.openIntents(accountOf(header));
  return open
    .filter(({ resource, sentAtMs }) => resources.has(resource) && sentAtMs > Date.parse(header.made_at))
    .map(({ runId, mapping, keys }): Difference => {
      const which = `${keys.slice(0, 3).join(', ')}${keys.length > 3 ? `, and ${keys.length - 3} more` : ''}`;
      const message = `${mapping}: run ${runId} sent ${which} after the plan was made and has no answer: teamsheet resume ${runId} looks for it`;
      return { part: 'state', mapping, row: null, key: keys[0] ?? null, fields: [], message };
    });
}

const LATEST_RUNS = 20;

/** Runs that wrote after the plan was made: they are likely what changed. */
async function runsSince({ store }: CheckPorts, header: SavedHeader): Promise<readonly Difference[]> {
  const own = accountOf(header);
  const runs = (await store.runs(LATEST_RUNS)).filter(
    ({ account, startedAtMs, requests }) =>
      isSameAccount(account, own) && startedAtMs > Date.parse(header.made_at) && (requests?.writes ?? 0) > 0,
  );
  return runs.map(({ id, command, requests }): Difference => {
    const message = `run ${id} (${command}) made ${requests?.writes ?? 0} writing requests after the plan was made`;
    return { part: 'state', mapping: '', row: null, key: null, fields: [], message };
  });
}

/** `plan of 2026-08-14T18:00:00.000Z, 3 h old`. */
function ageOf({ clock }: CheckPorts, { made_at }: SavedHeader): string {
  const minutes = Math.max(0, Math.round((clock.now() - Date.parse(made_at)) / 60_000));
  const age =
    minutes < 120
      ? `${minutes} min`
      : minutes < 2880
        ? `${Math.round(minutes / 60)} h`
        : `${Math.round(minutes / 1440)} days`;
  return `plan of ${made_at}, ${age} old`;
}
