import type { OperationId, PagedOperationId } from '../../src/contract/index.ts';
import type { PullMapping } from '../../src/mapping/mapping.ts';
import type { RunEvent } from '../../src/model/event.ts';
import type { KnownRecord } from '../../src/model/state/run-rows.ts';
import type { Answer, CallInput, Service } from '../../src/model/service.ts';
import type { TableKind, TableLocation } from '../../src/model/tables/table.ts';
import { MemoryWeeks, WeeksData } from '../simulation/memory-weeks.ts';
import { virtualClock } from './clock.ts';
import { createTables } from '../../src/tables/index.ts';
import type { PullSummary } from '../../src/model/state/store.ts';
import { preparePull, pullPrepared } from '../../src/sync/pull.ts';
import type { PullPorts } from '../../src/sync/pull.ts';

/** What a fake service answers: a record by operation and id, and pages by list; a function may throw. */
export interface FakeAnswers {
  readonly get?: (operation: string, id: string | number | undefined) => unknown;
  readonly pages?: (
    operation: string,
    query: Readonly<Record<string, unknown>>,
  ) => readonly (readonly unknown[])[];
  /** Thrown after the last page. */
  readonly listEnd?: () => void;
  readonly account?: unknown;
  /** How long each answer takes; a few turns of the event loop, no two alike, when left out. */
  readonly latency?: () => Promise<void>;
}

export interface FakeService extends Service {
  /** Every request, in order of sending. */
  readonly calls: string[];
  /** The most that were in flight at once. */
  peak(): number;
}

async function turns(count: number): Promise<void> {
  for (let turn = 0; turn < count; turn += 1)
    await new Promise<void>((resolve) => {
      setImmediate(resolve);
    });
}

/** A service that answers from memory, a few turns of the event loop later, in no particular order. */
export function fakeService(answers: FakeAnswers): FakeService {
  const calls: string[] = [];
  let inFlight = 0;
  let peak = 0;
  const answer = async <T>(make: () => T): Promise<T> => {
    inFlight += 1;
    peak = Math.max(peak, inFlight);
    await (answers.latency?.() ?? turns(2 + (calls.length % 5)));
    inFlight -= 1;
    return make();
  };
  const unused = (): never => {
    throw new Error('a pull does not call this');
  };
  return {
    calls,
    peak: () => peak,
    get: <Id extends OperationId>(operation: Id, input: CallInput<Id> = {}) => {
      calls.push(`${operation} ${input.id ?? ''}`.trim());
      return answer((): Answer<Id> => {
        const data = answers.get?.(operation, input.id);
        const records = (Array.isArray(data) ? data : [data]) as Answer<Id>['records'];
        return { status: 200, message: 'ok', records, issues: [] };
      });
    },
    list: async function* <Id extends PagedOperationId>(operation: Id, query: unknown) {
      const pages = answers.pages?.(operation, (query ?? {}) as Record<string, unknown>) ?? [];
      for (const page of pages) {
        calls.push(operation);
        yield (await answer(() => page)) as Answer<Id>['records'];
      }
      answers.listEnd?.();
    },
    account: () => {
      calls.push('get-account');
      return answer(() => answers.account as Awaited<ReturnType<Service['account']>>);
    },
    send: unused,
    timeMs: () => undefined,
    counts: unused,
    forecast: unused,
  };
}

/** Ports of a pull with everything that was emitted. */
export function pullPorts(
  service: Service,
  changes: Partial<PullPorts> & {
    readonly facts?: Readonly<Record<string, string>>;
    readonly prices?: readonly string[];
  } = {},
): PullPorts & { readonly events: RunEvent[] } {
  const events: RunEvent[] = [];
  const { facts = {}, prices = [], ...rest } = changes;
  const kept = new Map(Object.entries(facts));
  return {
    events,
    service,
    tables: createTables(),
    emit: (event) => events.push(event),
    signal: new AbortController().signal,
    account: { baseUrl: 'http://127.0.0.1:1', accountId: 'a' },
    counted: { id: 'a' },
    clock: virtualClock(),
    settleMs: 120_000,
    concurrency: 8,
    season: { keep: true, forgetAfterMs: undefined },
    timezone: 'UTC',
    coverFacts: () => ({
      service: 'http://127.0.0.1:1',
      environment: 'test',
      writtenAtMs: 0,
      program: 'teamsheet 0.0.0',
    }),
    store: {
      memory: new MemoryWeeks(new WeeksData()),
      runs: () => Promise.resolve([]),
      intents: () => Promise.resolve([]),
      findIntents: () => Promise.resolve([]),
      fact: (_account, name) => {
        const value = kept.get(name);
        return Promise.resolve(value === undefined ? undefined : { value, atMs: 0 });
      },
      setFact: (_account, name, value) => {
        kept.set(name, value);
        return Promise.resolve();
      },
      allSnapshots: async function* (_account, resource) {
        const none = { id: null, number: null, digests: {}, values: {} };
        const keys = resource === 'prices' ? prices : [];
        yield await Promise.resolve(keys.map((key): KnownRecord => ({ key, ...none })));
      },
    },
    ...rest,
  };
}

/** A pull mapping to a CSV file (or another location) with every default of the mapping format. */
export function pullMapping(
  resource: PullMapping['resource'],
  location: TableLocation,
  changes: Partial<Omit<PullMapping, 'destination'>> & {
    readonly destination?: Partial<PullMapping['destination']>;
  } = {},
): PullMapping {
  const { destination, ...rest } = changes;
  return {
    direction: 'pull',
    name: `${resource}-report`,
    place: { file: 'mappings/reports.yaml', line: 1 },
    resource,
    where: {},
    ids: undefined,
    detail: false,
    explode: undefined,
    columns: undefined,
    ...rest,
    destination: {
      location,
      origin: location.kind === 'sheet' ? location.tab : location.path.replace(/^.*\//, 'out/'),
      mode: 'replace',
      key: [],
      excel: false,
      formulas: 'escape',
      ...destination,
    },
  };
}

/** Tables that keep what is written instead of writing it. */
export function memoryTables(): {
  readonly tables: Readonly<Record<TableLocation['kind'], TableKind>>;
  readonly written: Map<string, unknown[][]>;
} {
  const written = new Map<string, unknown[][]>();
  const kind = (name: TableLocation['kind']): TableKind => ({
    kind: name,
    open: () => Promise.reject(new Error('nothing to read')),
    write: async (tabs) => {
      const files: [string, unknown[][]][] = [];
      for (const { location, table } of tabs) {
        const rows: unknown[][] = [table.columns.map(({ header }) => header)];
        for await (const batch of table.rows) rows.push(...batch.map((row) => [...row]));
        files.push([location.kind === 'csv' ? location.path : location.tab, rows]);
      }
      for (const [name_, rows] of files) written.set(name_, rows);
      return files.map(([, rows]) => rows.length - 1);
    },
  });
  return { tables: { csv: kind('csv'), xlsx: kind('xlsx'), sheet: kind('sheet') }, written };
}

/** Prepares a pull and does it. */
export async function pull(
  ports: PullPorts,
  mappings: readonly PullMapping[],
  options: { readonly limit?: number | undefined },
): Promise<readonly PullSummary[]> {
  return pullPrepared(ports, await preparePull(mappings, ports.tables), options);
}
