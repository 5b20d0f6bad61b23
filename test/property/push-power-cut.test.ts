import { rm } from 'node:fs/promises';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { RunRows } from '../../src/model/run-rows.ts';
import type { Store } from '../../src/model/store.ts';
import { push, type PushResult } from '../../src/sync/push.ts';
import type { SyncPorts } from '../../src/sync/ports.ts';
import { resume } from '../../src/sync/resume.ts';
import { openEngine, PLAN_OPTIONS, stateFolder, type Engine } from '../support/engine.ts';
import { FakeService } from '../support/fake-service.ts';
import {
  approve,
  expectFixpoint,
  expectIntent,
  expectNoKeyTwice,
  expectWholeCounts,
  mappingOn,
  outcomesOf,
  runs,
  userCells,
  type UserLine,
} from '../support/push-case.ts';

class PowerCut extends Error {}

/** The life of one process: its n-th call is its last, and from then on nothing that it does has any effect. */
class Life {
  calls = 0;
  readonly #lastCall: number;
  readonly #when: 'before' | 'after';
  readonly #opened: RunRows[] = [];
  #dead = false;

  constructor(lastCall: number, when: 'before' | 'after') {
    this.#lastCall = lastCall;
    this.#when = when;
  }

  async call<T>(effect: () => Promise<T>): Promise<T> {
    this.#check();
    this.calls += 1;
    const last = this.calls === this.#lastCall;
    if (last && this.#when === 'before') this.#die();
    const result = await effect();
    if (last) this.#die();
    this.#check();
    return result;
  }

  /** The ports of this life. */
  ports(ports: SyncPorts): SyncPorts {
    const store = this.#mortal<Store>(ports.store, ['allSnapshots']);
    const openRunRows: Store['openRunRows'] = (runId) =>
      this.call(async () => {
        const rows = await ports.store.openRunRows(runId);
        this.#opened.push(rows);
        return this.#mortal<RunRows>(rows, ['duplicates', 'lookAlikes']);
      });
    const { service } = ports;
    return {
      ...ports,
      store: new Proxy(store, {
        get: (target, name): unknown =>
          (name === 'openRunRows' ? openRunRows : Reflect.get(target, name)) as unknown,
      }),
      service: {
        get: (operation, input) => service.get(operation, input),
        list: (operation, query, signal) => service.list(operation, query, signal),
        account: () => service.account(),
        counts: () => service.counts(),
        timeMs: () => service.timeMs(),
        forecast: (steps) => service.forecast(steps),
        send: (operation, input) => this.call(() => service.send(operation, input)),
      },
    };
  }

  /** Lets go of the files, as the end of a process does. */
  async bury(): Promise<void> {
    for (const rows of this.#opened) await rows.close();
  }

  #check(): void {
    if (this.#dead) throw new PowerCut('this process has ended');
  }

  #die(): never {
    this.#dead = true;
    throw new PowerCut('the power is cut');
  }

  /** Every method is a call of this life, but for those that only read a stream. */
  #mortal<Port extends object>(port: Port, streams: readonly string[]): Port {
    return new Proxy(port, {
      get: (target, name) => {
        const method: unknown = Reflect.get(target, name);
        if (typeof method !== 'function') return method;
        if (typeof name === 'string' && streams.includes(name)) return method.bind(target) as unknown;
        return (...args: unknown[]) => this.call(() => method.apply(target, args) as Promise<unknown>);
      },
    });
  }
}

const users = mappingOn('users.csv', { batchSize: 2 });

interface Table {
  readonly before: readonly UserLine[];
  readonly lines: readonly UserLine[];
  readonly refuses: readonly string[];
}

/** Creates, changes, new inactive users, one that is refused, one that is bad and one that is unchanged. */
const EVERYTHING: Table = {
  before: [
    { key: 'A', name: 'Ann', active: 'true' },
    { key: 'B', name: 'Bob', active: 'true' },
  ],
  lines: [
    { key: 'A', name: 'Anna', active: '' },
    { key: 'B', name: 'Bob', active: '' },
    { key: 'C', name: 'Cid', active: 'false' },
    { key: 'D', name: 'Dot', active: '' },
    { key: '', name: 'Nobody', active: '' },
    { key: 'E', name: 'Eve', active: 'true' },
  ],
  refuses: ['E'],
};

async function onState<T>(table: Table, work: (open: () => Promise<Engine>) => Promise<T>): Promise<T> {
  const folder = await stateFolder();
  const service = new FakeService();
  for (const [index, { key, name, active }] of table.before.entries()) {
    const is_active = active !== 'false';
    service.users.push({ id: `before-${index}`, external_id: key, display_name: name, is_active });
  }
  for (const key of table.refuses) service.refuses.add(key);
  const engines: Engine[] = [];
  const open = async (): Promise<Engine> => {
    const engine = await openEngine(folder, service, engines.at(-1)?.clock);
    engine.tables.set('users.csv', userCells(table.lines));
    service.onCall = (body) => (body === undefined ? undefined : expectIntent(engine, body));
    engines.push(engine);
    return engine;
  };
  try {
    return await work(open);
  } finally {
    for (const engine of engines) await engine.store.close();
    await rm(folder, { recursive: true, force: true });
  }
}

/** Pushes with a process that ends at its n-th call; answers how many calls it made, and the report if it lived to make one. */
async function pushUntil(
  engine: Engine,
  lastCall: number,
  when: 'before' | 'after',
): Promise<{ readonly calls: number; readonly result: PushResult | undefined }> {
  const life = new Life(lastCall, when);
  try {
    const ports = { ...life.ports(engine.ports), concurrency: 2 };
    const result = await push(ports, 'push', [users], PLAN_OPTIONS, approve);
    return { calls: life.calls, result };
  } catch (error) {
    if (!(error instanceof PowerCut)) throw error;
    return { calls: life.calls, result: undefined };
  } finally {
    await life.bury();
  }
}

const uninterrupted = (table: Table): Promise<Awaited<ReturnType<typeof pushUntil>>> =>
  onState(table, async (open) => pushUntil(await open(), Infinity, 'before'));

/** One push cut short, then `resume` by another process. */
async function cutAndResume(
  table: Table,
  lastCall: number,
  when: 'before' | 'after',
  expected: PushResult,
): Promise<void> {
  await onState(table, async (open) => {
    const first = await open();
    const { result } = await pushUntil(first, lastCall, when);
    const engine = await open();
    const ended = (await engine.store.runs(1)).find(({ finished }) => finished);
    const resumed = await resume(engine.ports, undefined, approve);
    if (resumed !== undefined) {
      expectWholeCounts(
        engine,
        resumed,
        table.lines.map((_, index) => index + 2),
      );
      expect(outcomesOf(resumed)).toEqual(outcomesOf(expected));
    } else if (ended !== undefined) {
      // It ended after its last word was kept.
      expect(ended.summaries).toEqual(expected.report.mappings);
    } else {
      // It ended before the run was known, so nothing may have been sent.
      expect(result).toBeUndefined();
      expect(engine.service.writes).toEqual([]);
      expect(outcomesOf(await push(engine.ports, 'push', [users], PLAN_OPTIONS, approve))).toEqual(
        outcomesOf(expected),
      );
    }
    expectNoKeyTwice(engine);
    engine.service.refuses.clear();
    await push(engine.ports, 'push', [users], PLAN_OPTIONS, approve);
    await expectFixpoint(engine, users);
  });
}

describe('a process that ends at any call of the state or of the service', () => {
  it('loses and doubles nothing, and resume ends with the counts of an uninterrupted run', async () => {
    const { calls, result } = await uninterrupted(EVERYTHING);
    if (result === undefined) throw new Error('the push was cut short');
    expect(outcomesOf(result)).toEqual({ created: 2, updated: 1, unchanged: 1, invalid: 1, rejected: 1 });
    // To end before a call is to end after the one before it: the short form leaves these out.
    const moments = runs(1, 2) === 1 ? (['after'] as const) : (['before', 'after'] as const);
    for (let call = 1; call <= calls; call += 1) {
      for (const when of moments) {
        await cutAndResume(EVERYTHING, call, when, result).catch((cause: unknown) => {
          throw new Error(`cut ${when} call ${call} of ${calls}`, { cause });
        });
      }
    }
  }, 600_000);

  it('the same for any table', async () => {
    const line = fc.record({
      key: fc.constantFrom('A', 'B', 'C', 'D', 'E', 'F', 'G', 'H'),
      name: fc.constantFrom('Ann', 'Bob'),
      active: fc.constantFrom('', 'true', 'false'),
    });
    const table = fc.record({
      before: fc.uniqueArray(line, { selector: ({ key }) => key, maxLength: 4 }),
      lines: fc.uniqueArray(line, { selector: ({ key }) => key, minLength: 1, maxLength: 8 }),
      refuses: fc.subarray(['A', 'B'], { maxLength: 1 }),
    });
    const when = fc.constantFrom('before' as const, 'after' as const);
    await fc.assert(
      fc.asyncProperty(table, fc.nat(), when, async (each, at, before) => {
        const { calls, result } = await uninterrupted(each);
        if (result === undefined) throw new Error('the push was cut short');
        await cutAndResume(each, (at % calls) + 1, before, result);
      }),
      { numRuns: runs(10, 3000) },
    );
  }, 600_000);
});
