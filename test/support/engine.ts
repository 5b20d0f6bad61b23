import { existsSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { onTestFinished } from 'vitest';
import type { RunEvent } from '../../src/model/event.ts';
import type { Clock } from '../../src/model/ports.ts';
import type { Store } from '../../src/model/state/store.ts';
import { openStore } from '../../src/state/sqlite/store.ts';
import type { SyncPorts } from '../../src/sync/ports.ts';
import type { PlanOptions } from '../../src/plan/saved/push-plan.ts';
import { FakeService } from './fake-service.ts';
import { heldLock } from './held-lock.ts';
import { memoryKind } from './memory-kind.ts';

/** A clock that a test moves; `sleep` moves it at once and remembers how long it was asked to wait. */
export class StepClock implements Clock {
  time = Date.UTC(2026, 7, 14, 18, 0, 0);
  /** What somebody set the wall clock by; time itself goes on. */
  skewMs = 0;
  readonly slept: number[] = [];
  now(): number {
    return this.time + this.skewMs;
  }
  monotonic(): number {
    return this.time;
  }
  sleep(ms: number): Promise<void> {
    this.slept.push(ms);
    this.time += ms;
    return Promise.resolve();
  }
}

/** Tables in memory: a source path names an array of lines, the first of them the header. */
export type MemoryTables = Map<string, readonly (readonly string[])[]>;

export interface Engine {
  /** Holds the state file and the folders of its runs. */
  readonly folder: string;
  readonly ports: SyncPorts;
  readonly service: FakeService;
  readonly store: Store;
  readonly clock: StepClock;
  readonly tables: MemoryTables;
  readonly events: RunEvent[];
  /** Result lines by `MAPPING.results` and `MAPPING.rejected`, header first. */
  readonly files: Map<string, readonly (readonly string[])[]>;
  readonly abort: AbortController;
}

export const PLAN_OPTIONS: PlanOptions = {
  limit: undefined,
  allowEmpty: false,
  allowKeyShape: false,
  encoding: undefined,
  compare: undefined,
  // The game weeks that the tests trigger stand in no fixtures.
  allowGuards: ['open_week'],
  adopt: false,
};

/** The engine on a real state file in a temporary folder, a service in memory that is as `set` says, and a clock that never waits. */
export async function makeEngine(
  set: Partial<FakeService> = {},
  service = new FakeService(),
): Promise<Engine> {
  const folder = await stateFolder();
  const engine = await openEngine(folder, Object.assign(service, set));
  onTestFinished(async () => {
    await engine.store.close();
    await rm(folder, { recursive: true, force: true });
  });
  return engine;
}

/** Memory where the system has files in it: each durable step of a state waits for its disk otherwise, and no test cuts the power of a machine. */
const STATES = existsSync('/dev/shm') ? '/dev/shm' : tmpdir();

/** A new folder for an engine's state. */
export const stateFolder = (): Promise<string> => mkdtemp(path.join(STATES, 'teamsheet-engine-'));

/** What `work` makes of an engine of its own, which is gone afterwards: for tests that need very many. */
export async function withEngine<T>(work: (engine: Engine) => Promise<T>): Promise<T> {
  const folder = await stateFolder();
  const engine = await openEngine(folder, new FakeService());
  try {
    return await work(engine);
  } finally {
    await engine.store.close();
    await rm(folder, { recursive: true, force: true });
  }
}

let ulids = 0;

/** An engine over the state of a folder, which may be that of an engine that ended. */
export async function openEngine(
  folder: string,
  service: FakeService,
  clock = new StepClock(),
): Promise<Engine> {
  service.now = () => clock.time;
  const store = await openStore({ file: path.join(folder, 'state.sqlite'), clock });
  const tables: MemoryTables = new Map();
  const events: RunEvent[] = [];
  const files: Engine['files'] = new Map();
  const abort = new AbortController();
  const kind = memoryKind((name) => tables.get(name) ?? []);
  const keep = async (
    name: string,
    header: readonly string[],
    lines: AsyncIterable<readonly (readonly string[])[]>,
  ) => {
    files.set(name, [header, ...(await Array.fromAsync(lines)).flat()]);
  };
  const ports: SyncPorts = {
    service,
    store,
    lock: { acquire: () => Promise.resolve(heldLock()) },
    results: {
      writeResults: async (_run, mapping, header, lines) => {
        await keep(`${mapping}.results`, header, lines);
        return `runs/${mapping}.results.csv`;
      },
      writeRejected: async (_run, mapping, header, lines) => {
        if ((await Array.fromAsync(lines())).length === 0) return { written: [], changed: [] };
        await keep(`${mapping}.rejected`, header, lines());
        return { written: [`out/rejected/${mapping}.rejected.csv`], changed: [] };
      },
      requirePlace: () => Promise.resolve(),
      fileToMend: (mapping) => `out/rejected/${mapping}.rejected.csv`,
      mappingToMend: (source) => /^out\/rejected\/(.*?)(?:\.rejected)+\.csv$/.exec(source)?.[1],
      removeRejected: (_run, mapping) => {
        files.delete(`${mapping}.rejected`);
        return Promise.resolve([]);
      },
    },
    tables: { csv: kind, xlsx: kind, sheet: kind },
    baseUrl: 'http://127.0.0.1:8787',
    settleMs: 120_000,
    concurrency: 8,
    clock,
    random: {
      next: () => 0.5,
      ulid: () => {
        ulids += 1;
        return `01J${String(ulids).padStart(23, '0')}`;
      },
    },
    emit: (event) => events.push(event),
    signal: abort.signal,
    timezone: 'UTC',
    variable: () => undefined,
  };
  return { folder, ports, service, store, clock, tables, events, files, abort };
}
