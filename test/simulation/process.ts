import { createClient } from '../../src/client/client.ts';
import { StoppedError } from '../../src/model/error.ts';
import type { RunEvent } from '../../src/model/event.ts';
import type { Random, Wrap } from '../../src/model/ports.ts';
import { changedBy } from '../../src/model/changed-by.ts';
import type { RunRows } from '../../src/model/state/run-rows.ts';
import { Secret } from '../../src/model/secret.ts';
import type { SharedBudget } from '../../src/model/state/shared-budget.ts';
import type { Service } from '../../src/model/service.ts';
import type { Lock, Store } from '../../src/model/state/store.ts';
import type { SyncPorts } from '../../src/sync/ports.ts';
import type { Checker } from './checker.ts';
import type { Desk } from './desk.ts';
import type { History } from './history.ts';
import { underLock } from '../../src/runtime/under-lock.ts';
import { heldLock } from '../support/held-lock.ts';
import { memoryKind } from '../support/memory-kind.ts';
import type { Hosts } from './hosts.ts';
import { MemoryBudget, type BudgetData } from './memory-budget.ts';
import type { Life } from './life.ts';
import type { Scenario } from './scenario.ts';
import type { Wire } from './wire.ts';

const BASE_URL = 'https://service.test/fantasy';
export const API_KEY = 'key-that-must-not-show-7f3a';

/** A mistake that is put into the program on purpose, to see that the simulation finds it. */
export interface PlantedBug {
  /** Between the client and the network. */
  readonly wire?: Wrap;
  readonly settleMs?: number;
  readonly service?: (service: Service) => Service;
  readonly store?: (store: Store) => Store;
}

/** What every process of a simulation shares. */
export interface Surroundings {
  readonly scenario: Scenario;
  readonly desk: Desk;
  readonly wire: Wire;
  readonly history: History;
  readonly checker: Checker;
  readonly random: Random;
  readonly bug: PlantedBug;
  /** Opens the state, which outlives every process. */
  readonly openStore: (life: Life) => Promise<Store>;
  /** Undefined where all processes run on one machine, with a state of its own. */
  readonly hosts: Hosts | undefined;
  /** What the processes of one machine keep of their requests, beside the state. */
  readonly budget: BudgetData;
}

/** The service, the state and the rest as one process sees them. */
export interface Process {
  readonly ports: SyncPorts;
  /** Tells the others that it sends nothing more, as a process does that ends by itself. */
  readonly end: () => Promise<void>;
  /** Lets go of the state, as the end of a process does. */
  readonly close: () => Promise<void>;
}

/** The events of a process: none of them may show the key. */
function listen(life: Life, history: History, checker: Checker) {
  return (event: RunEvent): void => {
    if (JSON.stringify(event).includes(API_KEY))
      checker.fail('I10', `the key stands in a ${event.kind} event`);
    if (event.kind === 'pause') {
      history.count('pauses');
      history.note(life.name, 'pauses for', event.seconds, 's:', event.reason);
    }
    if (event.kind === 'warning') history.note(life.name, 'warns:', event.message);
  };
}

/** Begins a process: the real engine and the real client, on simulated ports. */
export async function beginProcess(
  life: Life,
  around: Surroundings,
  {
    host,
    maxWaitMs,
    maxRequests,
  }: { readonly host: number; readonly maxWaitMs: number; readonly maxRequests: number | undefined },
): Promise<Process> {
  const { scenario, desk, wire, history, checker, random, bug, openStore, hosts, budget } = around;
  const shared = hosts?.open(life, host);
  const opened = shared?.store ?? (await openStore(life));
  const store = bug.store === undefined ? opened : bug.store(opened);
  const emit = listen(life, history, checker);
  const locked = underLock(wire.transportOf(life), shared?.lock ?? ownLock(life, checker));
  const { transport, lock } = locked;
  const client = createClient({
    baseUrl: BASE_URL,
    apiKey: new Secret(API_KEY),
    transport: bug.wire === undefined ? transport : bug.wire(transport),
    clock: life.clock,
    random,
    emit,
    reservePerMinute: 0,
    reservePerDay: 0,
    maxWaitMs,
    maxRequests,
    timeoutMs: scenario.timeoutMs,
    concurrency: scenario.concurrency,
    signal: life.signal,
    sharing: { shared: shared?.budget ?? ownBudget(life, budget), writes: locked.isHeld },
  });
  const openRows: OpenedRows = new Map();
  const kind = memoryKind((path) => desk.cells(path));
  const ports: SyncPorts = {
    service: bug.service === undefined ? client : bug.service(client),
    store: watchedStore(life, store, checker, openRows),
    lock,
    results: resultFiles(life, checker, openRows),
    tables: { csv: kind, xlsx: kind, sheet: kind },
    baseUrl: BASE_URL,
    settleMs: bug.settleMs ?? scenario.settleMs,
    maxWaitMs,
    concurrency: scenario.concurrency,
    clock: life.clock,
    random,
    emit,
    signal: life.signal,
    timezone: 'UTC',
    variable: () => undefined,
  };
  const close = async (): Promise<void> => {
    if (checker.holder === life.name) checker.holder = undefined;
    life.end();
    await store.close();
  };
  return { ports, end: () => client.end(), close };
}

/** The budget of one machine, by its wall clock. */
const ownBudget = (life: Life, data: BudgetData): SharedBudget =>
  life.mortal('budget', new MemoryBudget(data, () => life.clock.now()), []);

/** The lock of one machine. */
function ownLock(life: Life, checker: Checker): Lock {
  return {
    acquire: () =>
      life.step('lock', () => {
        if (checker.holder !== undefined)
          return Promise.reject(new StoppedError('lock.held', 'another process writes'));
        checker.holder = life.name;
        return Promise.resolve({
          ...heldLock(),
          release: () =>
            life.step('unlock', () => {
              checker.holder = undefined;
              return Promise.resolve();
            }),
        });
      }),
  };
}

/** The rows of each run that are open, in the order in which they were opened: those that a run works on come first. */
type OpenedRows = Map<string | null, readonly RunRows[]>;

function openedAs(opened: OpenedRows, runId: string | null, rows: RunRows): RunRows {
  const without = (): readonly RunRows[] => (opened.get(runId) ?? []).filter((other) => other !== rows);
  opened.set(runId, [...without(), rows]);
  const ended = (end: () => Promise<void>) => (): Promise<void> => {
    opened.set(runId, without());
    return end();
  };
  return changedBy(rows, {
    close: ended(() => rows.close()),
    remove: ended(() => rows.remove()),
  });
}

/** The state, whose every change is a step of the process; intents are seen by the checker once they are durable. */
function watchedStore(life: Life, store: Store, checker: Checker, opened: OpenedRows): Store {
  const mortal = life.mortal('state', store, ['allSnapshots']);
  return changedBy(mortal, {
    addIntent: (account, intent, settled = []) =>
      life.step('state.addIntent', async () => {
        await store.addIntent(account, intent, settled);
        for (const { intentId, result } of settled) checker.settled(life.name, intentId, result);
        checker.recorded(life.name, intent);
      }),
    recordResult: (account, intentId, result, detail, confirmed) =>
      life.step('state.recordResult', async () => {
        await store.recordResult(account, intentId, result, detail, confirmed);
        checker.settled(life.name, intentId, result);
      }),
    keptRunRows: (runId) =>
      life.step('state.keptRunRows', async () => {
        const rows = await store.keptRunRows(runId);
        return rows && life.mortal('rows', openedAs(opened, runId, rows), ['duplicates', 'lookAlikes']);
      }),
    openRunRows: (runId) =>
      life.step('state.openRunRows', async () => {
        const rows = await store.openRunRows(runId);
        return life.mortal('rows', openedAs(opened, runId, rows), ['duplicates', 'lookAlikes']);
      }),
  });
}

/** Results files in memory, handed to the checker with the rows that they are made of. */
function resultFiles(life: Life, checker: Checker, opened: OpenedRows): SyncPorts['results'] {
  return {
    writeResults: (run, mapping, header, batches) =>
      life.step('results', async () => {
        const own = header.length - 4;
        const lines = (await Array.fromAsync(batches))
          .flat()
          .map((cells) => [Number(cells[own]), cells[own + 1] ?? ''] as const);
        const rows = (await opened.get(run)?.[0]?.page(mapping, { afterRow: 0, limit: 10_000 })) ?? [];
        checker.told(run, mapping, { life: life.name, rows, lines });
        return `runs/${mapping}.results.csv`;
      }),
    writeRejected: async (_run, mapping, _header, lines) => {
      if ((await Array.fromAsync(lines())).length === 0) return { written: [], changed: [] };
      return { written: [`out/rejected/${mapping}.rejected.csv`], changed: [] };
    },
    requirePlace: () => Promise.resolve(),
    fileToMend: (mapping) => `${mapping}.rejected.csv`,
    mappingToMend: () => undefined,
    removeRejected: () => Promise.resolve([]),
  };
}
