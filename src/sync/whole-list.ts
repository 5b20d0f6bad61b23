import type { ResourceName } from '../contract/resource.ts';
import { UnavailableError } from '../model/error.ts';
import type { KnownRecord } from '../model/run-rows.ts';
import type { Wholeness } from '../model/service.ts';
import type { ServiceAccount } from '../model/store.ts';
import { remembered } from '../plan/known-records.ts';
import { HIDDEN_FIELDS, type ListedResource } from '../plan/listed.ts';
import type { SyncPorts } from './sync.ts';

/** What was confirmed longer ago than this and is not listed any more may have been removed by the provider. */
export const FULL_LIST_MAX_AGE_MS = 24 * 60 * 60 * 1000;

/** What a list is held against and given to. */
interface WholeList {
  /** Records that the account counts; undefined where it does not say. */
  readonly used: number | undefined;
  /** Gets each page's records, with what the state remembers of fields that no list shows, the records as they came, and how many came so far. */
  readonly onPage: (
    records: readonly KnownRecord[],
    done: number,
    raw: readonly unknown[],
  ) => Promise<void> | void;
}

/**
 * Reads all records of a resource and confirms them in the state. `nameless` records do not say what they are: any key may be among them.
 * Errors: those of the list; UnavailableError `list.unstable` when the account's counter and the state together speak against it.
 */
export async function readWhole(
  ports: Pick<SyncPorts, 'service' | 'store' | 'clock' | 'signal'>,
  listed: ListedResource,
  service: ServiceAccount,
  resource: ResourceName,
  { used, onPage }: WholeList,
): Promise<{ readonly pages: number; readonly nameless: number }> {
  const startedAtMs = ports.clock.now();
  let [pages, done, nameless] = [0, 0, 0];
  let wholeness: Wholeness = 'assumed';
  const onEnd = (found: Wholeness): void => {
    wholeness = found;
  };
  for await (const page of ports.service.list(listed.operation, {}, ports.signal, 'fail', onEnd)) {
    pages += 1;
    const found = page.flatMap((record) => listed.known(record) ?? []);
    nameless += page.length - found.length;
    done += found.length;
    const records = await withHidden(ports, service, resource, found);
    await ports.store.confirm(service, resource, records.map(remembered));
    await onPage(records, done, page);
  }
  if (nameless === 0) {
    // Nothing that was confirmed within a day went unnoticed.
    await ports.store.forgetOlder(service, resource, startedAtMs - FULL_LIST_MAX_AGE_MS);
    const missing = (await ports.store.countSnapshots(service, resource)) - done;
    // The counter may count what is gone. But a list that ignores `page` and states no total looks whole, and so does one that comes late.
    if (used !== undefined && used > done && (missing > 0 || isAssumed(wholeness))) {
      throw new UnavailableError(
        'list.unstable',
        `the account counts ${used} ${listed.several} and the list shows ${done}`,
      );
    }
  }
  return { pages, nameless };
}

/** A function, because the compiler does not see what a callback assigns. */
const isAssumed = (wholeness: Wholeness): boolean => wholeness === 'assumed';

/** The listed records with what this state remembers of the fields that no list shows. */
async function withHidden(
  { store }: Pick<SyncPorts, 'store'>,
  service: ServiceAccount,
  resource: ResourceName,
  found: readonly KnownRecord[],
): Promise<readonly KnownRecord[]> {
  if (HIDDEN_FIELDS[resource] === undefined) return found;
  const keys = found.map(({ key }) => key);
  const before = await store.snapshots(service, resource, keys);
  return found.map((record) => {
    const remembers = before.get(record.key);
    if (remembers === undefined || remembers.id !== record.id) return record;
    return {
      ...record,
      digests: { ...remembers.digests, ...record.digests },
      values: { ...remembers.values, ...record.values },
    };
  });
}
