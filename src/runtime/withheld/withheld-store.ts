import { createHmac } from 'node:crypto';

import type { Kept } from '../../model/state/memory.ts';
import type { KnownRecord, RunRowPatch, RunRows } from '../../model/state/run-rows.ts';
import type { Secret } from '../../model/secret.ts';
import type { Store } from '../../model/state/store.ts';
import { withholder } from '../../model/withhold.ts';
import { changedBy } from '../../model/changed-by.ts';
import { withoutKey } from './withhold-key.ts';

/** What stands for a part of the key; the same for the same part, so that records stay apart and are found again. */
const HIDDEN = /\[redacted [0-9a-f]{16}\]/g;

/** Takes the key out of texts, and puts it back into those that this process has seen. */
interface Hiding {
  readonly hide: (text: string) => string;
  readonly show: (text: string) => string;
  /** Whether this process has hidden anything: else there is nothing to show. */
  readonly hasHidden: () => boolean;
}

function hiding(apiKey: Secret): Hiding {
  const key = apiKey.reveal();
  const seen = new Map<string, string>();
  const hide = withholder(key, 'our own words', (part) => {
    const hidden = `[redacted ${createHmac('sha256', key).update(part).digest('hex').slice(0, 16)}]`;
    seen.set(hidden, part);
    return hidden;
  });
  return {
    hide,
    show: (text) => text.replace(HIDDEN, (hidden) => seen.get(hidden) ?? hidden),
    hasHidden: () => seen.size > 0,
  };
}

/**
 * The same state, in which no record of the service quotes the key, nor what is said of rows. Keys of records are found by the texts that this process has seen,
 * so that comparing takes nothing for another thing. Ids, and the rows of the operator's own tables, stay as they are: they are sent.
 */
export function withheldStore(store: Store, apiKey: Secret): Store {
  const own = hiding(apiKey);
  const { hide, show } = own;
  const shownPage = (page: readonly Kept[]): readonly Kept[] =>
    own.hasHidden() ? page.map(keptBy(show)) : page;
  const changed: Partial<Store> = {
    confirm: (account, resource, records, isListed) =>
      store.confirm(account, resource, records.map(recordBy(hide)), isListed),
    addIntent: (account, intent, recorded = []) =>
      store.addIntent(
        account,
        intent,
        recorded.map(({ detail, confirmed, ...rest }) => ({
          ...rest,
          detail: withoutKey(detail, hide),
          confirmed: confirmed.map(recordBy(hide)),
        })),
      ),
    recordResult: (account, id, result, detail, confirmed) =>
      store.recordResult(account, id, result, withoutKey(detail, hide), confirmed.map(recordBy(hide))),
    snapshots: async (account, resource, keys) => {
      const found = await store.snapshots(account, resource, keys.map(hide));
      return shownBy(own, keys, found, (record, key) => ({ ...recordBy(show)(record), key }));
    },
    paddedSnapshots: async (account, resource, keys) =>
      (await store.paddedSnapshots(account, resource, keys.map(hide))).map(recordBy(show)),
    confirmedWith: (account, resource, wanted) =>
      store.confirmedWith(
        account,
        resource,
        wanted.map(({ key, digests }) => ({ key: hide(key), digests })),
      ),
    allSnapshots: (...wanted) => mapped(store.allSnapshots(...wanted), (page) => page.map(recordBy(show))),
    comparisons: changedBy(store.comparisons, {
      // What quotes the key, such as a header, is read and compared again.
      keep: (compared, id, document) =>
        hide(document) === document ? store.comparisons.keep(compared, id, document) : Promise.resolve(),
    }),
    openRunRows: async (runId) => withheldRows(await store.openRunRows(runId), own),
    keptRunRows: async (runId) => {
      const rows = await store.keptRunRows(runId);
      return rows && withheldRows(rows, own);
    },
    memory: changedBy(store.memory, {
      // Nearly no record quotes the key. Its JSON as one text tells that in a fraction of the time, where it holds every text as it is.
      keep: (scope, kept) =>
        store.memory.keep(
          scope,
          kept.map((each) => {
            const json = JSON.stringify(each.record);
            return !json.includes('\\') && hide(json) === json ? each : keptBy(hide)(each);
          }),
        ),
      kept: (...wanted) => mapped(store.memory.kept(...wanted), shownPage),
      latest: (...wanted) => mapped(store.memory.latest(...wanted), shownPage),
    }),
  };
  return changedBy(store, changed);
}

function withheldRows(rows: RunRows, own: Hiding): RunRows {
  const { hide, show } = own;
  const patchOf = ({ before, said, ...patch }: RunRowPatch): RunRowPatch => ({
    ...patch,
    ...(before !== undefined && { before: withoutKey(before, hide) }),
    ...(said !== undefined && { said: withoutKey(said, hide) }),
  });
  return changedBy<RunRows>(rows, {
    patch: (mapping, patches) => rows.patch(mapping, patches.map(patchOf)),
    deferOpen: (mapping, said, change) => rows.deferOpen(mapping, withoutKey(said, hide), change),
    addKnown: (mapping, records) => rows.addKnown(mapping, records.map(recordBy(hide))),
    known: async (mapping, keys) => {
      const found = await rows.known(mapping, keys.map(hide));
      return shownBy(own, keys, found, (records, key) =>
        records.map((record) => ({ ...recordBy(show)(record), key })),
      );
    },
  });
}

const recordBy =
  (change: (text: string) => string) =>
  (record: KnownRecord): KnownRecord => ({
    ...record,
    key: change(record.key),
    ...(record.shownAs !== undefined && { shownAs: change(record.shownAs) }),
    values: withoutKey(record.values, change),
  });

const keptBy =
  (change: (text: string) => string) =>
  (kept: Kept): Kept => ({ ...kept, record: withoutKey(kept.record, change) });

/** What was found under keys without the API key, by the keys that were asked for. */
function shownBy<Held>(
  { hide, hasHidden }: Hiding,
  keys: readonly string[],
  found: ReadonlyMap<string, Held>,
  show: (held: Held, key: string) => Held,
): ReadonlyMap<string, Held> {
  if (!hasHidden()) return found;
  return new Map(
    [...new Set(keys)].flatMap((key) => {
      const held = found.get(hide(key));
      return held === undefined ? [] : [[key, show(held, key)] as const];
    }),
  );
}

async function* mapped<T>(pages: AsyncIterable<T>, change: (page: T) => T): AsyncGenerator<T> {
  for await (const page of pages) yield change(page);
}
