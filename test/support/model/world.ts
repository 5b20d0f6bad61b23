import { rm } from 'node:fs/promises';
import { expect } from 'vitest';
import type { PushMapping } from '../../../src/mapping/mapping.ts';
import { InterruptedError, TeamsheetError } from '../../../src/model/error.ts';
import type { StoredIntent } from '../../../src/model/store.ts';
import { digestOf } from '../../../src/plan/digest.ts';
import { planPush } from '../../../src/sync/plan/plan-sync.ts';
import { push, type PushResult } from '../../../src/sync/push.ts';
import type { PlannedPush, SyncPorts } from '../../../src/sync/ports.ts';
import type { PlanOptions } from '../../../src/plan/push-plan.ts';
import { resolve, type Assumption, type ResolvedCase } from '../../../src/sync/resolve.ts';
import { resume } from '../../../src/sync/resume.ts';
import { openEngine, PLAN_OPTIONS, stateFolder, StepClock, type Engine } from '../engine.ts';
import { FakeService } from '../fake-service.ts';
import { Life, type Moment } from '../life.ts';
import { fillTables, modelMappings, nothingWanted } from './wanted.ts';

export const SETTLE_MS = 120_000;
const ACCOUNT_ID = '0b0e3c9a-0000-4000-8000-000000000001';
const OPTIONS: PlanOptions = { ...PLAN_OPTIONS, allowEmpty: true, adopt: true };

/** What a world begins with. */
export interface Setting {
  readonly batchSize: number;
  readonly concurrency: number;
  readonly pageSize: number;
  readonly counter: FakeService['counter'];
  readonly spelling: FakeService['spelling'];
  readonly lateMs: number;
  /** How long every call takes. */
  readonly callMs: number;
  /** The order in which the mappings stand in their files. */
  readonly order: readonly number[];
}

/** How a command of the engine ends: by itself, killed after so many calls or writes, or by a signal at its n-th request. */
export type End =
  | { readonly kind: 'whole' }
  | { readonly kind: 'killed'; readonly calls: number; readonly writes?: never }
  | { readonly kind: 'killed'; readonly writes: number; readonly calls?: never }
  | { readonly kind: 'interrupted'; readonly requests: number };
export const WHOLE: End = { kind: 'whole' };

/** What a command of the engine led to. */
export interface Done {
  readonly command: 'push' | 'resume';
  /** Undefined when it was killed, stopped before it wrote, or had nothing to do. */
  readonly result: PushResult | undefined;
  /** The run that it made or went on with, where it got so far. */
  readonly run: string | undefined;
  /** The writes of that run, as positions in `FakeService.writes`. */
  readonly writes: ReadonlySet<number>;
  /** Nobody else wrote anything since that run began. */
  readonly fresh: boolean;
}

/** The real thing: a state that processes come and go on, a service in memory, and the operator's tables. */
export class World {
  readonly service = new FakeService();
  readonly clock = new StepClock();
  readonly wanted = nothingWanted();
  readonly mappings: readonly PushMapping[];
  /** Keys that another client wrote to: of those nobody can say what is ours. */
  readonly foreign = new Set<string>();
  /** Nothing goes wrong any more. */
  calm = false;
  /** Somebody sets the clock by `ms` at the n-th request of the next command. */
  leap: { readonly request: number; readonly ms: number } | undefined;
  readonly #setting: Setting;
  readonly #folder: string;
  readonly #engines: Engine[] = [];
  readonly #writesOf = new Map<string, Set<number>>();
  readonly #intents = new Set<string>();
  /** The bodies that went out, by their intents. */
  readonly #bodies = new Map<string, unknown>();
  #lastWriter: string | undefined;
  /** Runs beside which another run has written since. */
  readonly #overtaken = new Set<string>();

  constructor(folder: string, setting: Setting) {
    this.#folder = folder;
    this.#setting = setting;
    const mappings = modelMappings(setting.batchSize);
    this.mappings = setting.order.flatMap((index) => mappings[index] ?? []);
    const { service } = this;
    service.counter = setting.counter;
    service.spelling = setting.spelling;
    // Of an upload of which only a half was applied no one word of the operator is true.
    service.keepsHalfUploads = false;
    service.lateMs = setting.lateMs;
    service.pageSize = setting.pageSize;
  }

  /** The newest process. */
  get engine(): Engine {
    const engine = this.#engines.at(-1);
    if (engine === undefined) throw new Error('no process was started');
    return engine;
  }

  /** A new process on the state that the ones before left. */
  async start(): Promise<void> {
    this.#engines.push(await openEngine(this.#folder, this.service, this.clock));
  }

  async close(): Promise<void> {
    for (const { store } of this.#engines) await store.close();
    await rm(this.#folder, { recursive: true, force: true });
  }

  /** What another client does. */
  meddle(key: string, work: () => void): void {
    this.foreign.add(key);
    this.#lastWriter = undefined;
    work();
  }

  /** The writes that a push would make, by mapping; undefined when there is no plan. I8: it writes nothing. */
  async plan(): Promise<Readonly<Record<string, number>> | undefined> {
    const before = this.service.writes.length;
    fillTables(this.engine.tables, this.wanted);
    this.#attend(Infinity, undefined);
    const planned = await orStop(() => planPush(this.engine.ports, this.mappings, OPTIONS));
    await planned?.rows.remove();
    expect(this.service.writes).toHaveLength(before);
    return planned && Object.fromEntries(planned.mappings.map((each) => [each.mapping.name, each.writes]));
  }

  async run(command: 'push' | 'resume', end: End): Promise<Done> {
    fillTables(this.engine.tables, this.wanted);
    this.engine.files.clear();
    const firstWrite = this.service.writes.length;
    const shown = new Set<string>();
    const result = await this.#attempt(command, end, (planned) => collect(planned, shown));
    const run = (await this.#expectPlanned(shown)) ?? result?.report.run ?? undefined;
    const writes = this.#writesOf.get(run ?? '') ?? new Set<number>();
    for (let index = firstWrite; index < this.service.writes.length; index += 1) writes.add(index);
    const isLast = this.#lastWriter === run && !this.#overtaken.has(run ?? '');
    const fresh = command === 'push' || isLast;
    if (run !== undefined) this.#writesOf.set(run, writes);
    if (this.service.writes.length > firstWrite) {
      this.#lastWriter = run;
      for (const other of this.#writesOf.keys()) if (other !== run) this.#overtaken.add(other);
    }
    return { command, result, run, writes, fresh };
  }

  /** The operator settles what is open, with a word that is true where reading back proves nothing. I8: it writes nothing to the service. */
  async resolve(word: Assumption): Promise<void> {
    const before = this.service.writes.length;
    this.#attend(Infinity, undefined);
    const approve = (): Promise<void> => Promise.resolve();
    const found = await orStop(() => resolve(this.engine.ports, undefined, undefined, approve));
    for (const open of found?.cases.filter(({ settled }) => settled === undefined) ?? []) {
      const assume = open.kind === 'conflict' ? word : this.#truthOf(open);
      if (assume !== undefined) await orStop(() => resolve(this.engine.ports, open.id, assume, approve));
    }
    expect(this.service.writes).toHaveLength(before);
  }

  /** What the provider says of a write that cannot be read back. Of the others the operator knows no more than the service lists, which is all of it once nothing goes wrong. */
  #truthOf({ id, mapping }: ResolvedCase): Assumption | undefined {
    if (mapping !== 'prices' && mapping !== 'points') return this.calm ? 'not-applied' : undefined;
    const index = this.service.writes.findIndex(({ body }) => body === this.#bodies.get(id));
    return this.service.effects.some(({ write }) => write === index) ? 'applied' : 'not-applied';
  }

  async #attempt(
    command: 'push' | 'resume',
    end: End,
    approve: (planned: PlannedPush) => Promise<void>,
  ): Promise<PushResult | undefined> {
    const life = new Life(end.kind === 'killed' ? deathOf(end) : undefined);
    const abort = new AbortController();
    this.#attend(end.kind === 'interrupted' ? end.requests : Infinity, abort);
    const { ports } = this.engine;
    const { concurrency } = this.#setting;
    const service = life.service(ports.service);
    const mine: SyncPorts = { ...life.ports(ports), service, concurrency, signal: abort.signal };
    try {
      return await orStop(() =>
        command === 'push'
          ? push(mine, 'push', this.mappings, OPTIONS, approve)
          : resume(mine, undefined, approve),
      );
    } catch (error) {
      if (!life.isOver) throw error;
      await life.bury();
      await this.start();
      return undefined;
    }
  }

  /** I4: whatever goes out has its intent. Every request takes its time, and from one of them on the process is told to stop. */
  #attend(stopsAt: number, abort: AbortController | undefined): void {
    const { leap } = this;
    this.leap = undefined;
    let requests = 0;
    this.service.onCall = async (body) => {
      requests += 1;
      this.clock.time += this.#setting.callMs;
      if (requests === leap?.request) this.clock.skewMs += leap.ms;
      if (requests >= stopsAt) abort?.abort(new InterruptedError('SIGINT', 'stopped by a signal'));
      if (body !== undefined) await this.#expectIntent(body);
    };
  }

  async #expectIntent(body: unknown): Promise<void> {
    const digest = digestOf(body);
    const open = await this.openIntents();
    const intent = open.findLast(({ result, bodyDigest }) => result === null && bodyDigest === digest);
    if (intent === undefined) throw new Error('a write without an intent');
    this.#bodies.set(intent.id, body);
  }

  openIntents(): Promise<readonly StoredIntent[]> {
    const { store, ports } = this.engine;
    return store.openIntents({ baseUrl: ports.baseUrl, accountId: ACCOUNT_ID });
  }

  /** I7: only rows that the plan showed as changes went out. Answers the run that they belong to. */
  async #expectPlanned(shown: ReadonlySet<string>): Promise<string | undefined> {
    let run: string | undefined;
    for (const { id } of await this.engine.store.runs(100)) {
      for (const intent of await this.engine.store.intents(id)) {
        if (this.#intents.has(intent.id)) continue;
        this.#intents.add(intent.id);
        run = id;
        for (const row of intent.rowNumbers) expect(shown).toContain(`${intent.mapping} ${row}`);
      }
    }
    return run;
  }
}

function deathOf({ calls, writes = 0 }: Extract<End, { kind: 'killed' }>): Moment {
  if (calls !== undefined) return { call: calls, when: 'after' };
  return { call: writes, when: 'after', of: (name) => name === 'service.send' };
}

async function collect(planned: PlannedPush, shown: Set<string>): Promise<void> {
  for await (const { mapping, row, kind } of planned.changes())
    if (kind === 'create' || kind === 'update') shown.add(`${mapping} ${row}`);
}

/** Undefined for what stops a command; our own mistakes go on. */
async function orStop<T>(work: () => Promise<T>): Promise<T | undefined> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof TeamsheetError && error.code !== 'counts.lost') return undefined;
    throw error;
  }
}

/** What `work` makes of a world of its own, which is gone afterwards. */
export async function withWorld(setting: Setting, work: (world: World) => Promise<void>): Promise<void> {
  const world = new World(await stateFolder(), setting);
  try {
    await world.start();
    await work(world);
  } finally {
    await world.close();
  }
}
