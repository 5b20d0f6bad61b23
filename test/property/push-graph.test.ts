import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { PushMapping } from '../../src/mapping/mapping.ts';
import { parseMappings } from '../../src/mapping/parse-mappings.ts';
import { IncompleteError, TeamsheetError, UnavailableError } from '../../src/model/error.ts';
import { OUTCOMES } from '../../src/model/outcome.ts';
import { planPush } from '../../src/sync/plan/plan-sync.ts';
import { push, type PushResult } from '../../src/sync/push.ts';
import { resume } from '../../src/sync/resume.ts';
import { PLAN_OPTIONS, withEngine, type Engine } from '../support/engine.ts';
import type { Fault } from '../support/fake-service.ts';
import { approve, expectIntent, expectNoKeyTwice, resultLines, runs } from '../support/push-case.ts';

const SETTLE_MS = 120_000;
const LEAGUE = '{ value: Cup, lookup: { in: fantasy_leagues, match: name, take: id } }';
const mappings = parseMappings(
  `
- { version: 1, name: squads, push: squads, source: { csv: squads.csv }, operation: create, columns: {
    fantasy_league_id: ${LEAGUE}, name: Name, players_in: Players,
    user_id: { from: Member, lookup: { in: users, match: external_id, take: user_id } } } }
- { version: 1, name: minis, push: mini_leagues, source: { csv: minis.csv }, operation: create, columns: {
    fantasy_league_id: ${LEAGUE}, name: Name, type: { value: open } } }
- { version: 1, name: users, push: users, source: { csv: users.csv }, operation: upsert, batch_size: 2, columns: {
    external_id: Member, display_name: Name } }
- { version: 1, name: leagues, push: fantasy_leagues, source: { csv: leagues.csv }, operation: create, columns: {
    name: Name, league_id: League } }
`,
  'graph.yaml',
  {
    variable: () => undefined,
    resolvePath: (path) => path,
    readLayout: () => ({ file: '', text: '' }),
  },
) as readonly PushMapping[];

const member = fc.constantFrom('A', 'B', 'C', 'D', 'E', 'F');
const graph = fc.record({
  users: fc.uniqueArray(member, { minLength: 1 }),
  squads: fc.uniqueArray(fc.tuple(member, fc.constantFrom('Hill XI', 'Dale XI', 'no')), {
    selector: ([who, name]) => `${who}/${name}`,
    maxLength: 6,
  }),
  minis: fc.uniqueArray(fc.constantFrom('Office', 'Family', 'Pub'), { maxLength: 3 }),
});
type Graph = typeof graph extends fc.Arbitrary<infer Case> ? Case : never;

function fill({ tables }: Engine, { users, squads, minis }: Graph): void {
  tables.set('users.csv', [['Member', 'Name'], ...users.map((who) => [who, `Name of ${who}`])]);
  tables.set('leagues.csv', [
    ['Name', 'League'],
    ['Cup', '1'],
  ]);
  tables.set('minis.csv', [['Name'], ...minis.map((name) => [name])]);
  tables.set('squads.csv', [
    ['Member', 'Name', 'Players'],
    ...squads.map(([who, name]) => [who, name, '1;2']),
  ]);
}

const options = { ...PLAN_OPTIONS, allowEmpty: true };

async function step(engine: Engine, command: 'push' | 'resume'): Promise<PushResult | undefined> {
  try {
    return command === 'push'
      ? await push(engine.ports, 'push', mappings, options, approve)
      : await resume(engine.ports, undefined, approve);
  } catch (error) {
    if (error instanceof TeamsheetError && error.code !== 'counts.lost') return undefined;
    throw error;
  }
}

/** I2 and I3: every row of every mapping has one outcome; what is created is there, what is refused is not. */
function expectTruth(engine: Engine, result: PushResult): void {
  for (const summary of result.report.mappings) {
    if (summary.direction !== 'push') continue;
    const lines = resultLines(engine, summary.name);
    expect(lines).toHaveLength(summary.rows);
    expect(OUTCOMES.reduce((sum, outcome) => sum + summary[outcome], 0)).toBe(summary.rows);
    if (summary.name !== 'squads') continue;
    for (const { cells, outcome, id } of lines) {
      const [who, name] = cells;
      const number = engine.service.users.find(({ external_id }) => external_id === who)?.user_id;
      const held = engine.service.squads.filter((squad) => squad.user_id === number && squad.name === name);
      if (outcome === 'created' || outcome === 'unchanged')
        expect(held.map((squad) => squad.id)).toEqual([id]);
      if (outcome === 'invalid' || outcome === 'rejected') expect(held).toEqual([]);
    }
  }
}

async function expectNothingLeft(engine: Engine): Promise<void> {
  const planned = await planPush(engine.ports, mappings, options);
  await planned.rows.remove();
  expect(planned.mappings.map(({ mapping, writes }) => [mapping.name, writes])).toEqual([
    ['users', 0],
    ['leagues', 0],
    ['minis', 0],
    ['squads', 0],
  ]);
}

const tableOf = (engine: Engine, name: string): number => (engine.tables.get(name)?.length ?? 1) - 1;

describe('a league, users, mini leagues and squads in one plan', () => {
  it('are there after one push, and the next has nothing to do', async () => {
    await fc.assert(
      fc.asyncProperty(graph, (each) =>
        withEngine(async (engine) => {
          fill(engine, each);
          engine.service.onCall = (body) => (body === undefined ? undefined : expectIntent(engine, body));
          const result = await step(engine, 'push');
          if (result === undefined) throw new Error('the push stopped');
          expectTruth(engine, result);
          const good = each.squads.filter(([who, name]) => each.users.includes(who) && name !== 'no');
          expect(engine.service.squads).toHaveLength(good.length);
          expect(engine.service.miniLeagues).toHaveLength(tableOf(engine, 'minis.csv'));
          expect(result.report.mappings.map((summary) => summary.name)).toEqual([
            'users',
            'leagues',
            'minis',
            'squads',
          ]);
          await expectNothingLeft(engine);
          expectNoKeyTwice(engine);
        }),
      ),
      { numRuns: runs(15, 2000) },
    );
  }, 600_000);

  const budgetStop: Fault = { throws: new IncompleteError('budget.exhausted', 'the day is used up') };
  const fault = fc.option(
    fc.constantFrom<Fault[]>(
      'lost',
      'vanished',
      'late',
      'late',
      'refused',
      'unreachable',
      'short',
      budgetStop,
    ),
    { nil: undefined, freq: 3 },
  );
  const readFault = fc.option(
    fc.constantFrom(
      new UnavailableError('list.unstable', 'the list does not add up'),
      new UnavailableError('service.timeout', 'no answer'),
    ),
    { nil: undefined, freq: 3 },
  );
  const trouble = fc.record({
    graph,
    steps: fc.array(
      fc.record({
        command: fc.constantFrom('push' as const, 'resume' as const),
        faults: fc.array(fault, { maxLength: 10 }),
        readFaults: fc.array(readFault, { maxLength: 6 }),
      }),
      { minLength: 1, maxLength: 3 },
    ),
    counter: fc.constantFrom({ lagMs: 0 }, { lagMs: 30_000 }, 'absent' as const),
    lateMs: fc.integer({ min: 1, max: SETTLE_MS - 1 }),
    callMs: fc.constantFrom(0, 1000, 50_000),
    concurrency: fc.integer({ min: 1, max: 4 }),
  });

  it('come once each whatever goes wrong, and all of them once nothing does', async () => {
    await fc.assert(
      fc.asyncProperty(trouble, (each) =>
        withEngine(async (base) => {
          const engine = { ...base, ports: { ...base.ports, concurrency: each.concurrency } };
          const { service, clock } = engine;
          fill(engine, each.graph);
          service.counter = each.counter;
          service.lateMs = each.lateMs;
          service.onCall = async (body) => {
            clock.time += each.callMs;
            if (body !== undefined) await expectIntent(engine, body);
          };
          for (const { command, faults, readFaults } of each.steps) {
            service.faults.push(...faults);
            service.readFaults.push(undefined, ...readFaults);
            const result = await step(engine, command);
            if (result !== undefined) expectTruth(engine, result);
            service.faults.length = 0;
            service.readFaults.length = 0;
            expectNoKeyTwice(engine);
          }
          clock.time += SETTLE_MS;
          service.applyLate();
          await step(engine, 'resume');
          const last = await step(engine, 'push');
          if (last !== undefined) expectTruth(engine, last);
          expectNoKeyTwice(engine);
          // A fantasy league without an answer cannot be looked for: what hangs on it waits.
          const held = resultLines(engine, 'leagues').some(({ outcome }) => outcome === 'deferred');
          if (!held) await expectNothingLeft(engine);
        }),
      ),
      { numRuns: runs(25, 5000) },
    );
  }, 600_000);
});
