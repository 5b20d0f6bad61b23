import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { IncompleteError, UnavailableError } from '../../src/model/error.ts';
import type { Fault } from '../support/fake-service.ts';
import { expectOnce, expectSettled, expectTruth, type Told } from '../support/model/checks.ts';
import { MEMBERS, MINIS, PLAYERS, SQUADS } from '../support/model/wanted.ts';
import { SETTLE_MS, WHOLE, withWorld, type End, type World } from '../support/model/world.ts';
import { runs } from '../support/push-case.ts';

/** What is known of the world beside the world itself: what its runs have said. */
interface Model {
  readonly told: Told;
}

/** One step, named as a failing case prints it. */
class Step implements fc.AsyncCommand<Model, World> {
  readonly #name: string;
  readonly #work: (world: World, model: Model) => Promise<void> | void;

  constructor(name: string, work: (world: World, model: Model) => Promise<void> | void) {
    this.#name = name;
    this.#work = work;
  }
  check(): boolean {
    return true;
  }
  async run(model: Model, world: World): Promise<void> {
    await this.#work(world, model);
    expectOnce(world);
  }
  toString(): string {
    return this.#name;
  }
}

const step = <T>(
  from: fc.Arbitrary<T>,
  name: (value: T) => string,
  work: (value: T, world: World, model: Model) => Promise<void> | void,
): fc.Arbitrary<Step> =>
  from.map((value) => new Step(name(value), (world, model) => work(value, world, model)));

const text = (value: unknown): string => JSON.stringify(value);
const member = fc.constantFrom(...MEMBERS);

const userRow = fc.record({
  key: member,
  name: fc.constantFrom('Ann', 'Bob', 'Cid'),
  active: fc.constantFrom('' as const, 'true' as const, 'false' as const),
});
const rows = fc.record({
  users: fc.array(userRow, { maxLength: 6 }),
  squads: fc.array(fc.tuple(member, fc.constantFrom(...SQUADS)), { maxLength: 3 }),
  minis: fc.subarray([...MINIS], { maxLength: 2 }),
  prices: fc.array(fc.tuple(fc.constantFrom(...PLAYERS), fc.constantFrom('5', '5.5')), { maxLength: 4 }),
  points: fc.constantFrom('4', '5', undefined),
});
type Rows = typeof rows extends fc.Arbitrary<infer Value> ? Value : never;

/** The operator writes rows into the tables, over those of the same keys. */
function enter({ wanted }: World, { users, squads, minis, prices, points }: Rows): void {
  for (const { key, name, active } of users) wanted.users.set(key, { name, active });
  for (const [who, name] of squads) wanted.squads.add(`${who}/${name}`);
  for (const name of minis) wanted.minis.add(name);
  for (const [player, price] of prices) wanted.prices.set(player, price);
  wanted.points = points ?? wanted.points;
}

const edits = [
  step(
    rows,
    (each) => `enter ${text(each)}`,
    (each, world) => enter(world, each),
  ),
  step(
    fc.record({ key: member, player: fc.constantFrom(...PLAYERS), badRow: fc.boolean() }),
    (each) => `take away ${text(each)}`,
    ({ key, player, badRow }, { wanted }) => {
      wanted.users.delete(key);
      wanted.prices.delete(player);
      wanted.badRow = badRow;
    },
  ),
];

const budgetStop = new IncompleteError('budget.exhausted', 'the day is used up');
const write = fc.option(
  fc.constantFrom<Fault[]>(
    // More often, because they are what repeats a write.
    ...(['late', 'late', 'late', 'lost', 'lost', 'vanished'] as const),
    ...(['reversed', 'extra', 'short', 'half_then_refused', 'refused', 'too_large', 'unreachable'] as const),
    { throws: budgetStop },
  ),
  { nil: undefined, freq: 3 },
);
const read = fc.option(
  fc.constantFrom<Error[]>(
    new UnavailableError('list.unstable', 'the list does not add up'),
    new UnavailableError('service.timeout', 'no answer'),
    budgetStop,
  ),
  { nil: undefined, freq: 2 },
);
const called = (fault: Fault | Error | undefined): string =>
  fault === undefined || typeof fault === 'string'
    ? (fault ?? '-')
    : 'throws' in fault
      ? fault.throws.message
      : fault.message;

/** What goes wrong with the requests of one command, first to last. */
const faults = fc.record({
  writes: fc.oneof(fc.constant<(Fault | undefined)[]>([]), fc.array(write, { minLength: 1, maxLength: 8 })),
  reads: fc.oneof(
    { weight: 2, arbitrary: fc.constant<(Error | undefined)[]>([]) },
    { weight: 1, arbitrary: fc.array(read, { maxLength: 8 }) },
  ),
});
type Faults = typeof faults extends fc.Arbitrary<infer Value> ? Value : never;

const shown = ({ writes, reads }: Faults): string =>
  `writes: ${writes.map(called).join(', ')}; reads: ${reads.map(called).join(', ')}`;

async function amid<T>({ service }: World, { writes, reads }: Faults, work: () => Promise<T>): Promise<T> {
  service.faults.push(...writes);
  // The first read of every command is the account's.
  service.readFaults.push(undefined, ...reads);
  const done = await work();
  service.faults.length = 0;
  service.readFaults.length = 0;
  return done;
}

const troubles = [
  step(
    fc.boolean(),
    (listable) => `lists ${listable ? 'work' : 'do not work'}`,
    (listable, { service }) => {
      service.listable = listable;
    },
  ),
  step(
    fc.subarray<string>(['A', 'B', 'Pub', 'Dale XI'], { maxLength: 2 }),
    // As of a record without an id, of one that stands twice on a page, and of pages without an end: what came before it is known by then.
    (keys) => `lists end in a fault for ${text(keys)}`,
    (keys, { service }) => {
      service.unreadable.clear();
      for (const key of keys) service.unreadable.add(key);
    },
  ),
  step(
    fc.boolean(),
    (states) => `lists ${states ? 'state' : 'do not state'} how many records they have`,
    (states, { service }) => {
      service.statesTotal = states;
    },
  ),
  step(
    fc.subarray<string | number>(['A', 8, 'Pub', 'Dale XI']),
    (keys) => `the service refuses ${text(keys)}`,
    (keys, { service }) => {
      service.refuses.clear();
      for (const key of keys) service.refuses.add(key);
    },
  ),
  step(
    fc.constant(null),
    () => 'no more faults',
    (_, { service }) => calm(service),
  ),
  step(
    fc.constantFrom(1000, 60_000, SETTLE_MS, 86_400_000),
    (ms) => `${ms} ms go by`,
    (ms, { clock, service }) => {
      clock.time += ms;
      service.applyLate();
    },
  ),
  step(
    fc.record({
      ms: fc.constantFrom(-86_400_000, -60_000, 86_400_000),
      request: fc.option(fc.integer({ min: 1, max: 20 }), { nil: undefined }),
    }),
    ({ ms, request }) =>
      `the clock is set by ${ms} ms ${request === undefined ? 'now' : `at request ${request} of the next command`}`,
    ({ ms, request }, world) => {
      // Set forward it makes the unanswered writes of an ended process look older than they are. Nothing shows that, so none of them may be on its way.
      if (ms > 0) {
        world.clock.time += SETTLE_MS;
        world.service.applyLate();
      }
      if (request === undefined) world.clock.skewMs += ms;
      else world.leap = { request, ms };
    },
  ),
];

function calm(service: World['service']): void {
  service.refuses.clear();
  service.listable = true;
  service.unreadable.clear();
  service.statesTotal = true;
}

/** A name for what others make. Where keys are spelt, a row of the same name as theirs is another record until somebody saw the way of spelling. */
const othersName = ({ service }: World, name: string): string =>
  Object.keys(service.spelling).length === 0 ? name : `other ${name}`;

const others = [
  step(
    fc.record({ key: member, name: fc.constantFrom('Ann', 'Dot'), is_active: fc.boolean() }),
    (each) => `another client writes user ${text(each)}`,
    ({ key: wanted, name, is_active }, world) => {
      const { users } = world.service;
      const isThere = users.some(({ external_id }) => external_id === wanted);
      const key = isThere ? wanted : othersName(world, wanted);
      world.meddle(key, () => {
        const index = users.findIndex((user) => user.external_id === key);
        const user = { external_id: key, display_name: name, is_active };
        if (index === -1) users.push({ id: `other-${users.length}`, user_id: users.length + 1, ...user });
        else users[index] = { ...(users[index] as (typeof users)[number]), ...user };
      });
    },
  ),
  step(
    fc.tuple(member, fc.constantFrom(...SQUADS), fc.constantFrom(...MINIS)),
    (each) => `another client creates ${text(each)}`,
    ([who, squadName, miniName], world) => {
      const [squad, mini] = [othersName(world, squadName), othersName(world, miniName)];
      const { users, squads, miniLeagues } = world.service;
      const user_id = users.find(({ external_id }) => external_id === who)?.user_id;
      const league = { fantasy_league_id: 1 };
      if (
        typeof user_id === 'number' &&
        !squads.some((each) => each.user_id === user_id && each.name === squad)
      )
        world.meddle(`squad 1/${user_id}/${squad}`, () => {
          squads.push({ id: `other-${squads.length}`, name: squad, user_id, ...league });
        });
      if (!miniLeagues.some(({ name }) => name === mini))
        world.meddle(`mini 1/${mini}`, () => {
          miniLeagues.push({ id: miniLeagues.length + 1, name: mini, ...league });
        });
    },
  ),
];

const end: fc.Arbitrary<End> = fc.oneof(
  { weight: 4, arbitrary: fc.constant(WHOLE) },
  {
    weight: 1,
    arbitrary: fc.integer({ min: 1, max: 90 }).map((calls) => ({ kind: 'killed', calls }) as const),
  },
  // At the moment that matters most: the service has heard it, and nobody remembers.
  {
    weight: 2,
    arbitrary: fc.integer({ min: 1, max: 5 }).map((writes) => ({ kind: 'killed', writes }) as const),
  },
  {
    weight: 2,
    arbitrary: fc
      .integer({ min: 2, max: 15 })
      .map((requests) => ({ kind: 'interrupted', requests }) as const),
  },
);
const command = step(
  fc.record({ command: fc.constantFrom('push' as const, 'push' as const, 'resume' as const), end, faults }),
  (each) => `${each.command}, ${text(each.end)}, ${shown(each.faults)}`,
  async (each, world, { told }) => {
    const done = await amid(world, each.faults, () => world.run(each.command, each.end));
    expectTruth(world, done, told);
  },
);
const plan = step(
  faults,
  (each) => `plan, ${shown(each)}`,
  async (each, world) => {
    await amid(world, each, () => world.plan());
  },
);
const settle = step(
  fc.record({ word: fc.constantFrom('applied' as const, 'not-applied' as const), faults }),
  (each) => `resolve, conflicts are ${each.word}, ${shown(each.faults)}`,
  async (each, world) => {
    // People look after a while: what they find then is what is.
    world.clock.time += SETTLE_MS;
    world.service.applyLate();
    await amid(world, each.faults, () => world.resolve(each.word));
  },
);

/** I5: few runs lead to where nothing is left to do, and every row is there or waits for a person. */
async function expectFixpoint(world: World, { told }: Model): Promise<void> {
  const { service } = world;
  expectTruth(world, await world.run('resume', WHOLE), told);
  for (let attempt = 1; attempt <= 3; attempt += 1) {
    expectTruth(world, await world.run('push', WHOLE), told);
    expectOnce(world);
    if (Object.values((await world.plan()) ?? { unplanned: 1 }).every((writes) => writes === 0)) break;
  }
  expect(await world.plan()).toEqual({ users: 0, squads: 0, minis: 0, prices: 0, points: 0 });
  const before = service.writes.length;
  expectTruth(world, await world.run('push', WHOLE), told);
  expect(service.writes).toHaveLength(before);
  await expectSettled(world);
}

/** Once nothing goes wrong any more; and once more after a person settled what only people can. */
async function expectEnd(world: World, model: Model): Promise<void> {
  calm(world.service);
  world.calm = true;
  world.clock.time += SETTLE_MS;
  world.service.applyLate();
  await expectFixpoint(world, model);
  await world.resolve('not-applied');
  expect(await world.openIntents()).toEqual([]);
  await expectFixpoint(world, model);
}

const shownIn = fc.constantFrom('everywhere' as const, 'lists' as const, 'answers' as const);
const setting = fc.record({
  batchSize: fc.integer({ min: 1, max: 5 }),
  concurrency: fc.integer({ min: 1, max: 3 }),
  pageSize: fc.constantFrom(1, 100),
  counter: fc.constantFrom({ lagMs: 0 }, { lagMs: 30_000 }, { lagMs: 3_600_000 }, 'absent' as const),
  spelling: fc.oneof(
    { weight: 2, arbitrary: fc.constant({}) },
    { weight: 1, arbitrary: fc.record({ lower: shownIn, cut: shownIn, pad: shownIn }, { requiredKeys: [] }) },
  ),
  lateMs: fc.integer({ min: 1, max: SETTLE_MS - 1 }),
  callMs: fc.constantFrom(0, 1000, 50_000),
  order: fc.shuffledSubarray([0, 1, 2, 3, 4], { minLength: 5 }),
});

const steps = fc.commands(
  [...edits, ...edits, ...troubles, ...others, plan, settle, ...Array<typeof command>(12).fill(command)],
  { maxCommands: 12, size: 'max' },
);

describe('whatever happens between an operator, the service and others', () => {
  it('nothing is written twice, every outcome is true, and the end is a fixpoint', async () => {
    await fc.assert(
      fc.asyncProperty(setting, rows, steps, (each, first, commands) =>
        withWorld(each, async (world) => {
          enter(world, first);
          const model: Model = { told: new Map() };
          await fc.asyncModelRun(() => ({ model, real: world }), commands);
          await expectEnd(world, model);
        }),
      ),
      { numRuns: runs(100, 1000) },
    );
  });
});
