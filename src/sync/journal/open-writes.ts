import { isChange } from '../../contract/index.ts';
import type { ResourceName } from '../../contract/index.ts';
import type { PushMapping } from '../../mapping/mapping.ts';
import type { RunRow, RunRows } from '../../model/state/run-rows.ts';
import type { Said, Words } from '../../model/said.ts';
import type { ServiceAccount, StoredIntent } from '../../model/state/store.ts';
import { intentAfter } from '../../plan/intent-lifecycle.ts';
import { maySendStill } from '../../plan/reconcile/intents.ts';
import { PUSHED_RESOURCES, resourcePlans } from '../../plan/resources/index.ts';
import { rowAfter, wordless } from '../../plan/row-lifecycle.ts';
import { keySpeller } from '../rows/spelling.ts';
import type { SyncPorts } from '../ports.ts';
import { withKeptRows } from './stored-run.ts';
import { pauseForOpenWrites } from './wait-settled.ts';

/** The writes of any run of the account to one resource that have no trustworthy answer. */
export async function openWrites(
  { store }: Pick<SyncPorts, 'store'>,
  account: ServiceAccount,
  resource: ResourceName,
): Promise<readonly StoredIntent[]> {
  return (await store.openIntents(account)).filter((intent) => intent.resource === resource);
}

/** Tells of which open write a key is, in any spelling that is the same for the service. A key of which it is known what became of it is of none. */
export async function openWriteOf(
  ports: Pick<SyncPorts, 'store'>,
  account: ServiceAccount,
  resource: ResourceName,
  open: readonly StoredIntent[],
): Promise<(key: string) => StoredIntent | undefined> {
  const spell = await keySpeller(ports, account, resource);
  const byKey = new Map<string, StoredIntent>();
  for (const [runId, ofRun] of Map.groupBy(open, (intent) => intent.runId))
    await withKeptRows(ports.store, runId, async (rows) => {
      for (const intent of ofRun)
        for (const key of await heldKeys(ports, account, intent, rows)) byKey.set(spell(key), intent);
    });
  return (key) => byKey.get(spell(key));
}

/** Whether it is known what a write made of a row, whatever became of the others in its request. */
export const isKnownRow = ({ outcome }: RunRow): boolean =>
  outcome === 'created' || outcome === 'updated' || outcome === 'unchanged' || outcome === 'conflict';

/** The keys of an open write that must wait: those of rows that are lost or still in doubt, and those whose records this state does not know. */
async function heldKeys(
  { store }: Pick<SyncPorts, 'store'>,
  account: ServiceAccount,
  intent: StoredIntent,
  rows: RunRows | undefined,
): Promise<readonly string[]> {
  const { resource, operation, mapping, rowNumbers, keys } = intent;
  // That a change is there does not say that this write made it.
  if (isChange(operation) && maySendStill(intent) !== undefined) return keys;
  const kept = (await rows?.rows(mapping, rowNumbers)) ?? [];
  const done = new Map(kept.filter(isKnownRow).map((row) => [row.rowNumber, row.key]));
  if (done.size === 0) return keys;
  const known = await store.snapshots(account, resource, keys);
  return keys.filter((key, at) => done.get(rowNumbers[at] ?? 0) !== key || !known.has(key));
}

/** Tells why the row of a key must wait for an open write of it. */
export async function unansweredKeys(
  ...asked: Parameters<typeof openWriteOf>
): Promise<(key: string) => Said | undefined> {
  const writeOf = await openWriteOf(...asked);
  return (key) => {
    const write = writeOf(key);
    return write && (maySendStill(write) ?? { code: 'sent-unanswered', run: write.runId });
  };
}

const LISTED: ReadonlySet<string> = new Set(
  PUSHED_RESOURCES.filter((resource) => resourcePlans[resource].listed !== undefined),
);

/**
 * Waits until no unanswered write can be applied any more, of records that are compared with a list, and of the runs that are to be reconciled: a create that is
 * compared earlier could come twice, and an old change could overwrite a new one. The time counts from the end of the write's run, because a write may wait for the budget before it goes out; after
 * a run that never ended it counts from now, because the lock shows that its process is gone. Answers whether it waited: what was read before is old then.
 */
export async function waitForOpenWrites(
  ports: Pick<SyncPorts, 'store' | 'clock' | 'settleMs' | 'emit' | 'signal' | 'passed'>,
  account: ServiceAccount,
  mappings: readonly PushMapping[],
  settled: ReadonlySet<string> = new Set(),
): Promise<boolean> {
  const listed = new Set(mappings.map(({ resource }) => resource)).intersection(LISTED);
  const open = (await ports.store.openIntents(account)).filter(
    ({ resource, runId }) => listed.has(resource) || settled.has(runId),
  );
  const nowMs = ports.clock.now();
  let waitMs = 0;
  for (const runId of new Set(open.map((write) => write.runId))) {
    const endedAtMs = (await ports.store.run(runId))?.endedAtMs ?? nowMs;
    if (endedAtMs === nowMs) await ports.store.updateRun(runId, { endedAtMs });
    // Who went silent may have sent until it was known to be gone.
    const gone = open.flatMap(({ runId: of, silent }) => (of === runId ? (silent?.goneAtMs ?? []) : []));
    const lastMs = Math.max(endedAtMs, ...gone);
    waitMs = Math.max(waitMs, Math.min(lastMs, nowMs) + ports.settleMs - nowMs);
  }
  if (waitMs > 0) await pauseForOpenWrites(ports, waitMs);
  await closeRepeated(ports, account, open);
  ports.passed?.('open_writes');
  return waitMs > 0;
}

/** Changes that a finished run sent again, with an answer: now that they can do nothing any more, nobody needs to know which of them it was. */
async function closeRepeated(
  { store }: Pick<SyncPorts, 'store'>,
  account: ServiceAccount,
  open: readonly StoredIntent[],
): Promise<void> {
  for (const write of open) {
    const { id, runId, operation, rowNumbers } = write;
    if (!isChange(operation) || rowNumbers.length === 0 || maySendStill(write) !== undefined) continue;
    const run = await store.run(runId);
    if (run?.finished === true && run.rowsLost !== true)
      await store.recordResult(account, id, intentAfter('repeated'), [{ code: 'answer-again' }], []);
  }
}

/** Open rows of unanswered writes become unknown: they are not sent again before it is known what became of them. */
export async function holdRows(
  rows: RunRows,
  mapping: PushMapping,
  open: readonly StoredIntent[],
  said: Words,
): Promise<void> {
  for (const intent of open) {
    if (intent.mapping !== mapping.name) continue;
    const unsettled = (await rows.rows(mapping.name, intent.rowNumbers)).filter(
      ({ outcome }) => outcome === null,
    );
    await rows.patch(
      mapping.name,
      unsettled.map((row) => rowAfter(wordless(row), { kind: 'unanswered', said })),
    );
  }
}
