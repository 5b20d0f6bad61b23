import type { OperationId, QueryOf, RecordOf } from '../../contract/index.ts';
import type { Account } from '../../contract/resources/account.ts';
import { RefusedError, UnavailableError } from '../../model/error.ts';
import { isUnsendable } from '../../model/service.ts';
import type { ServiceAccount, Store } from '../../model/state/store.ts';
import type { GroupMember } from '../../season/standings.ts';
import type { Keeper } from '../memory/keeper.ts';
import { keepingService } from '../memory/keeping-service.ts';
import type { SyncPorts } from '../ports.ts';
import { fanOut } from './fan-out.ts';
import { shareReads, shareRecords, type Share, type ShareOne } from './share.ts';

/** Remembered ids, what was confirmed, what was sent, and the memory of game weeks. */
export type PullStore = Pick<
  Store,
  'fact' | 'setFact' | 'allSnapshots' | 'runs' | 'intents' | 'findIntents' | 'memory'
>;

/** What a pull reads with. */
export interface ReadPorts extends Pick<
  SyncPorts,
  'service' | 'clock' | 'settleMs' | 'maxWaitMs' | 'emit' | 'signal' | 'concurrency'
> {
  readonly store: PullStore;
  readonly account: ServiceAccount;
  /** The account as it was read when the pull began. */
  readonly counted: Account;
}

/** What a read of records works with. */
export interface ReadContext extends ReadPorts {
  /** When the pull began, on the monotonic clock. */
  readonly startedAtMs: number;
  /** The most records that are wanted. */
  readonly limit: number;
  readonly share: Share;
  /** The same for those that read all records, whatever the limit. */
  readonly shareWhole: Share;
  readonly shareOne: ShareOne;
  /** By the name of a read, the records that are known to be there and that it lacks. */
  readonly leftOut: Map<string, number>;
  /** The mapping that reads, for events. */
  readonly mapping: string;
  /** The operator's groups of its league. */
  readonly groups: readonly GroupMember[];
  /** Keeps what was read so far, so that the memory has it. */
  readonly flush: () => Promise<void>;
  /** Remembers of which squads of a league the line-up of a game week is still to be read. */
  readonly keepUnread: Keeper['keepUnread'];
  /** What was read of the current game week since then, by the service's clock, is not asked for again: an unfinished pull goes on. Undefined: this is a new one. */
  readonly continuedSinceMs: number | undefined;
  /** Nothing is asked of the service: only the memory is read. */
  readonly offline: boolean;
  /** A read that stops gives what there is. */
  readonly partial: boolean;
  /** By the name of a read, the numbers of game weeks that it should have and of which nothing was read. */
  readonly missingWeeks: Map<string, readonly number[]>;
  /** By the name of a read, the days on which its ranks were read, where there are several. */
  readonly readOn: Map<string, readonly string[]>;
}

/** What reads of a mapping work with where nothing is asked for beside them; a keeper sees all that is read. */
export const openContext = (
  ports: ReadPorts,
  keeper: Keeper,
  mapping: string,
  reads: readonly Read[] = [],
): ReadContext => ({
  ...ports,
  service: keepingService(ports.service, keeper),
  flush: () => keeper.flush(),
  keepUnread: (...unread) => keeper.keepUnread(...unread),
  share: shareReads(countUses(reads)),
  shareWhole: shareReads(countUses(reads)),
  shareOne: shareRecords(sharedKinds(reads)),
  mapping,
  groups: [],
  startedAtMs: ports.clock.monotonic(),
  limit: Infinity,
  continuedSinceMs: undefined,
  offline: false,
  partial: false,
  leftOut: new Map(),
  missingWeeks: new Map(),
  readOn: new Map(),
});

/** Records to be read: what their name says, so that mappings that want the same share one read. */
export interface Read<Item = unknown> {
  readonly name: string;
  /** Reads that this one takes through {@link take}. */
  readonly needs: readonly Read[];
  /** Of a read of single records, their kind: reads of one kind may want the same records. */
  readonly kind?: string;
  /** It needs the operator's groups. */
  readonly hasGroups?: boolean;
  readonly batches: (context: ReadContext) => AsyncIterable<readonly Item[]>;
}

/** The records of a read, in batches, shared with the other mappings of the run. */
export function take<Item>(read: Read<Item>, context: ReadContext): AsyncIterable<readonly Item[]> {
  return context.share(read.name, () => read.batches(context));
}

/** For what is made of all records of other reads, however few of its own are wanted. The reads of mappings that want the first records alone are not shared with it. */
export const unlimited = (context: ReadContext): ReadContext =>
  context.limit === Infinity ? context : { ...context, limit: Infinity, share: context.shareWhole };

/** How often each read of a run will be taken: once by each mapping, and once by each different read that needs it. */
function countUses(reads: readonly Read[]): ReadonlyMap<string, number> {
  const uses = new Map<string, number>();
  const count = (read: Read): void => {
    const before = uses.get(read.name) ?? 0;
    uses.set(read.name, before + 1);
    if (before === 0) read.needs.forEach(count);
  };
  reads.forEach(count);
  return uses;
}

/** The kinds of single records that more than one of the reads wants, each under another name. */
function sharedKinds(reads: readonly Read[]): ReadonlySet<string> {
  const all = (read: Read): readonly Read[] => [read, ...read.needs.flatMap(all)];
  const byName = new Map(reads.flatMap(all).map((read) => [read.name, read.kind]));
  const kinds = [...byName.values()].filter((kind) => kind !== undefined);
  return new Set(kinds.filter((kind, at) => kinds.indexOf(kind) !== at));
}

/** The only record of an answer. Errors: UnavailableError `service.record` when it cannot be read. */
export async function readOne<Id extends OperationId>(
  operation: Id,
  id: string | number,
  { service, signal }: Pick<ReadContext, 'service' | 'signal'>,
  query?: QueryOf<Id>,
): Promise<RecordOf<Id>> {
  const answer = await service.get(operation, { id, signal, ...(query === undefined ? {} : { query }) });
  // What is kept says which record it is; whatever else it says, a report shows as it came.
  const record = answer.records[0] ?? (answer.issues[0]?.kept as RecordOf<Id> | undefined);
  if (record !== undefined) return record;
  throw new UnavailableError(
    'service.record',
    `${operation} ${id}: ${answer.issues[0]?.message ?? 'the answer holds no record'}`,
  );
}

/** The ids that a fan-out reads. */
export interface Ids {
  readonly name: string;
  readonly needs: readonly Read[];
  readonly values: (context: ReadContext) => AsyncIterable<string | number> | Iterable<string | number>;
  /** The record of an id that was read while the ids were looked for; given once. */
  readonly recordOf?: (id: string | number) => unknown;
}

/** Is told when a reading begins, of every record as it comes, and once all ids were asked for, with those that the service failed to show. */
export interface Watch<Item> {
  readonly begin: () => Promise<void>;
  readonly seen: (record: Item, id: string) => Promise<void>;
  readonly end: (failed: readonly string[]) => Promise<void>;
}

/** What a fan-out reads for each id. */
interface Each<Id extends OperationId> {
  readonly operation: Id;
  readonly query?: QueryOf<Id>;
  /** How people call what an id names, singular. */
  readonly noun: string;
  /** Statuses that mean that there is no such record, so that it is left out with a warning. */
  readonly absent: readonly number[];
  /** Ids that nobody has seen may well name nothing: one note for all of them instead of warnings. */
  readonly guessed?: boolean;
  /** Takes what the service failed to show, so that the others are read; without it, the first failure fails the whole. */
  readonly failed?: (failure: UnavailableError) => void;
  /** Watches the reading of these ids. */
  readonly watch?:
    ((context: ReadContext, ids: readonly string[]) => Watch<RecordOf<Id>> | undefined) | undefined;
  /** Records that need not be asked for again, by their ids in lower case. */
  readonly reusable?: (context: ReadContext, name: string) => Promise<ReadonlyMap<string, RecordOf<Id>>>;
}

const WARNINGS_MAX = 10;
/** Where so many records in a row cannot be had, the service is away. */
const FAILURES_MAX = 3;

/** Keeps count of the ids that named no record, and says so. */
function absences(context: ReadContext, name: string, noun: string, guessed: boolean) {
  let count = 0;
  let first: unknown;
  return {
    add(id: string | number, error: Error): void {
      count += 1;
      first ??= error;
      if (guessed || count > WARNINGS_MAX) return;
      context.emit({
        kind: 'warning',
        message: `${context.mapping}: ${noun} ${id} left out: ${error.message}`,
      });
    },
    /** Errors: the first refusal, when nothing at all could be read. */
    end(read: number): void {
      if (count === 0) return;
      if (!guessed) context.leftOut.set(name, count);
      if (read === 0) throw first;
      const of = `${context.mapping}: ${count} of ${read + count} ${noun} ids are not known to the service`;
      if (guessed) context.emit({ kind: 'note', message: of });
      else if (count > WARNINGS_MAX) context.emit({ kind: 'warning', message: `${of} and are left out` });
    },
  };
}

/** An id that names nothing may be answered by any of these: the interface does not show it. */
export const NAMES_NOTHING = [400, 404, 410, 422];

/** Nothing of that id is there for us, or it is one that the service stated and that no address can hold. */
export function namesNothing(error: unknown, absent: readonly number[]): error is Error {
  if (error instanceof RefusedError) return absent.includes(error.status);
  return isUnsendable(error);
}

async function* firstOf<T>(items: AsyncIterable<T> | Iterable<T>, most: number): AsyncGenerator<T> {
  let left = most;
  if (left <= 0) return;
  for await (const item of items) {
    yield item;
    left -= 1;
    if (left === 0) return;
  }
}

/**
 * One record for each id, in their order, several requests at a time. A record that is not there is left out with a warning; any other
 * failure fails the whole, but for single ones where `failed` takes them.
 */
export function eachRead<Id extends OperationId>(ids: Ids, each: Each<Id>): Read<RecordOf<Id>> {
  const { operation, query, noun, absent, guessed = false, failed, watch, reusable } = each;
  const kind = `${operation} ${JSON.stringify(query ?? {})}`;
  const name = `${kind} of ${ids.name}`;
  return {
    name,
    kind,
    needs: ids.needs,
    batches: async function* (context) {
      const missing = absences(context, name, noun, guessed);
      const wanted = await Array.fromAsync(firstOf(ids.values(context), context.limit));
      const reused = await reusable?.(context, name);
      const watching = watch?.(context, wanted.map(String));
      await watching?.begin();
      const failedIds: string[] = [];
      let done = 0;
      let read = 0;
      let failures = 0;
      const results = fanOut(wanted, context.concurrency, async (id) => {
        try {
          const known = reused?.get(String(id).toLowerCase());
          if (known !== undefined) return { id, record: known };
          // What the ids were looked for with is a record of this operation.
          const read = ids.recordOf?.(id) as RecordOf<Id> | undefined;
          const record =
            read ?? (await context.shareOne(kind, id, () => readOne(operation, id, context, query)));
          await watching?.seen(record, String(id));
          return { id, record };
        } catch (error) {
          if (namesNothing(error, absent)) return { id, error };
          if (failed !== undefined && error instanceof UnavailableError) return { id, failure: error };
          throw error;
        }
      });
      for await (const result of results) {
        failures = result.failure === undefined ? 0 : failures + 1;
        if (result.failure !== undefined) {
          if (failures === FAILURES_MAX) throw result.failure;
          failedIds.push(String(result.id));
          failed?.(result.failure);
          continue;
        }
        done += 1;
        context.emit({
          kind: 'progress',
          mapping: context.mapping,
          done,
          total: wanted.length,
          unit: `${noun}s`,
        });
        if (result.error === undefined) {
          read += 1;
          yield [result.record];
        } else missing.add(result.id, result.error);
      }
      await watching?.end(failedIds);
      missing.end(read);
    },
  };
}
