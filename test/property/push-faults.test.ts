import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { IncompleteError, UnavailableError } from '../../src/model/error.ts';
import type { PushResult } from '../../src/sync/push.ts';
import { withEngine, type Engine } from '../support/engine.ts';
import type { Fault } from '../support/fake-service.ts';
import {
  attempt,
  expectFixpoint,
  expectIntent,
  expectNoKeyTwice,
  expectWholeCounts,
  mappingOn,
  resultLines,
  runs,
  userCells,
  type ResultLine,
  type UserLine,
} from '../support/push-case.ts';

const SETTLE_MS = 120_000;

const name = fc.constantFrom('Ann', 'Bob', 'Cid');
const active = fc.constantFrom('', 'true', 'false');
const key = fc.constantFrom('A', 'B', 'C', 'D', 'E', 'F', 'G', 'H', 'I', 'J');
const line: fc.Arbitrary<UserLine> = fc.record({ key, name, active });
const lines = fc
  .uniqueArray(line, { selector: (each) => each.key, minLength: 1, maxLength: 10 })
  .chain((good) =>
    fc.constantFrom(good, [...good, { key: '', name: 'Nobody', active: '' }] as readonly UserLine[]),
  );

const budgetStop: Fault = { throws: new IncompleteError('budget.exhausted', 'the day is used up') };
const fault: fc.Arbitrary<Fault | undefined> = fc.option(
  fc.constantFrom<Fault[]>(
    'lost',
    'vanished',
    // More often, because it is what repeats a write.
    'late',
    'late',
    'late',
    'reversed',
    'half_then_refused',
    'refused',
    'too_large',
    'unreachable',
    'reversed',
    'extra',
    'short',
    budgetStop,
  ),
  { nil: undefined, freq: 3 },
);
const readFault = fc.option(
  fc.constantFrom(
    new UnavailableError('list.unstable', 'the list does not add up'),
    new UnavailableError('service.timeout', 'no answer'),
    new IncompleteError('budget.exhausted', 'the day is used up'),
  ),
  { nil: undefined, freq: 2 },
);
const command = fc.constantFrom('push' as const, 'resume' as const);

const trouble = fc.record({
  before: fc.uniqueArray(line, { selector: (each) => each.key, maxLength: 5 }),
  table: lines,
  steps: fc.array(
    fc.record({
      command,
      faults: fc.array(fault, { maxLength: 6 }),
      readFaults: fc.array(readFault, { maxLength: 4 }),
      edited: fc.option(lines, { nil: undefined, freq: 4 }),
    }),
    { minLength: 1, maxLength: 3 },
  ),
  after: fc.array(command, { maxLength: 2 }),
  batchSize: fc.integer({ min: 1, max: 5 }),
  concurrency: fc.integer({ min: 1, max: 3 }),
  counter: fc.constantFrom({ lagMs: 0 }, { lagMs: 30_000 }, { lagMs: 3_600_000 }, 'absent' as const),
  pageSize: fc.constantFrom(1, 100),
  lateMs: fc.integer({ min: 1, max: SETTLE_MS - 1 }),
  callMs: fc.constantFrom(0, 1000, 50_000),
});
type Trouble = typeof trouble extends fc.Arbitrary<infer Case> ? Case : never;

/** The last word of one run on its rows, and the writes that it made. */
interface Told {
  readonly lines: readonly ResultLine[];
  readonly writes: ReadonlySet<number>;
}

class Trial {
  readonly #engine: Engine;
  readonly #case: Trouble;
  readonly #mapping;
  readonly #told = new Map<string, Told>();
  #table: readonly UserLine[];

  constructor(engine: Engine, trouble: Trouble) {
    this.#engine = engine;
    this.#case = trouble;
    this.#table = trouble.table;
    this.#mapping = mappingOn('users.csv', { batchSize: trouble.batchSize });
    const { service, clock } = engine;
    trouble.before.forEach((user, index) => {
      const { key, name, active } = user;
      service.users.push({
        id: `before-${index}`,
        external_id: key,
        display_name: name,
        is_active: active !== 'false',
      });
    });
    service.counter = trouble.counter;
    service.lateMs = trouble.lateMs;
    service.pageSize = trouble.pageSize;
    service.onCall = async (body) => {
      clock.time += trouble.callMs;
      if (body !== undefined) await expectIntent(engine, body);
    };
  }

  async run(): Promise<void> {
    const { service, clock } = this.#engine;
    for (const { command, faults, readFaults, edited } of this.#case.steps) {
      this.#table = edited ?? this.#table;
      service.faults.push(...faults);
      // The first read of every command is the account's.
      service.readFaults.push(undefined, ...readFaults);
      await this.#step(command);
      service.faults.length = 0;
      service.readFaults.length = 0;
    }
    for (const command of [...this.#case.after, 'push' as const]) await this.#step(command);
    const last = resultLines(this.#engine);
    clock.time += SETTLE_MS;
    service.applyLate();
    this.#expectEffects(last);
    for (const told of this.#told.values()) this.#expectNoEffect(told);
    expectNoKeyTwice(this.#engine);
    await expectFixpoint(this.#engine, this.#mapping);
  }

  async #step(command: 'push' | 'resume'): Promise<void> {
    const { service, tables, files } = this.#engine;
    const first = service.writes.length;
    tables.set('users.csv', userCells(this.#table));
    files.clear();
    const ports = { ...this.#engine.ports, concurrency: this.#case.concurrency };
    const result = await attempt({ ...this.#engine, ports }, command, this.#mapping);
    if (result === undefined) {
      expect(service.writes).toHaveLength(first);
      return;
    }
    this.#tell(result, first);
    // Nobody else changes users here; only a resumed run may meet what a later one changed.
    if (command === 'push')
      expect(resultLines(this.#engine).map(({ outcome }) => outcome)).not.toContain('conflict');
    expectNoKeyTwice(this.#engine);
  }

  #tell(result: PushResult, firstWrite: number): void {
    const found = resultLines(this.#engine);
    expectWholeCounts(
      this.#engine,
      result,
      found.map((_, index) => index + 2),
    );
    const run = result.report.run ?? '';
    const before = this.#told.get(run);
    const writes = this.#engine.service.writes.keys().filter((index) => index >= firstWrite);
    const told = { lines: found, writes: new Set([...(before?.writes ?? []), ...writes]) };
    this.#told.set(run, told);
    // What a resumed run said before was true then; a run between may have changed it.
    this.#expectEffects(found.filter((line, index) => line.outcome !== before?.lines[index]?.outcome));
    this.#expectNoEffect(told);
  }

  /** I3: what is said to be created or updated is there, with those values. */
  #expectEffects(found: readonly ResultLine[]): void {
    const { users, effects } = this.#engine.service;
    for (const { cells, outcome, id } of found) {
      const [key = '', name, active] = cells;
      if (outcome !== 'created' && outcome !== 'updated') continue;
      const kinds = effects.filter((effect) => effect.key === key).map(({ kind }) => kind);
      expect(kinds).toContain(outcome === 'created' ? 'create' : 'update');
      expect(users.find(({ external_id }) => external_id === key)).toMatchObject({
        id,
        display_name: name,
        ...(active === '' ? {} : { is_active: active === 'true' }),
      });
    }
  }

  /** I3: what is said to be untouched was not touched by that run. */
  #expectNoEffect({ lines: found, writes }: Told): void {
    const touched = new Set(
      this.#engine.service.effects.filter(({ write }) => writes.has(write)).map((effect) => effect.key),
    );
    for (const { cells, outcome, message } of found) {
      const halfDone = message.includes('created, but its active flag was not set');
      if (halfDone || !['invalid', 'rejected', 'unchanged', 'deferred', 'excluded'].includes(outcome))
        continue;
      expect({ cells, outcome, message, touched: touched.has(cells[0] ?? '') }).toEqual({
        cells,
        outcome,
        message,
        touched: false,
      });
    }
  }
}

describe('whatever the service does to a push of users', () => {
  it('no key is created twice, every outcome is true, and the end is a fixpoint', async () => {
    await fc.assert(
      fc.asyncProperty(trouble, (each) => withEngine((engine) => new Trial(engine, each).run())),
      { numRuns: runs(50, 3000) },
    );
  }, 600_000);
});
