import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { PushMapping } from '../../src/mapping/mapping.ts';
import { TeamsheetError, UnavailableError } from '../../src/model/error.ts';
import { push, type PushResult } from '../../src/sync/push.ts';
import { resume } from '../../src/sync/resume.ts';
import { PLAN_OPTIONS, withEngine, type Engine } from '../support/engine.ts';
import type { Fault } from '../support/fake-service.ts';
import { settingNames } from '../support/points.ts';
import {
  approve,
  expectIntent,
  expectNoKeyTwice,
  expectWholeCounts,
  mappingOn,
  resultLines,
  runs,
} from '../support/push-case.ts';

const SETTLE_MS = 120_000;
const WEEKS = ['01234567-89ab-4cde-8f01-23456789abcd', '01234567-89ab-4cde-8f01-23456789abce'];

/** A resource that no list shows, with the effects that its rows have. */
interface Unlisted {
  readonly mapping: PushMapping;
  readonly header: readonly string[];
  readonly lines: readonly (readonly string[])[];
  readonly effect: (line: readonly string[]) => string;
}
const RESOURCES: readonly Unlisted[] = [
  {
    mapping: mappingOn('rows.csv', {
      resource: 'prices',
      operation: 'append',
      compare: 'snapshot',
      batchSize: 2,
    }),
    header: ['fantasy_league_id', 'player_id', 'price', 'type'],
    lines: [1, 2, 3, 4, 5].map((player) => ['1', String(player), '5.5', 'initial']),
    effect: ([, player = '']) => player,
  },
  {
    mapping: mappingOn('rows.csv', { resource: 'fantasy_leagues', operation: 'create' }),
    header: ['name', 'league_id'],
    lines: ['Cup', 'Shield', 'Plate'].map((name) => [name, '1']),
    effect: ([name = '']) => `league ${name}`,
  },
  {
    mapping: mappingOn('rows.csv', { resource: 'auto_substitutions', operation: 'trigger' }),
    header: ['fantasy_league_id', 'game_week_id'],
    lines: ['1', '2'].flatMap((league) => WEEKS.map((week) => [league, week])),
    effect: ([league = '', week = '']) => `trigger ${league}/${week}`,
  },
  {
    mapping: mappingOn('rows.csv', { resource: 'points_config', operation: 'set' }),
    header: ['fantasy_league_id', ...settingNames],
    lines: ['1', '2', '3'].map((league) => [league, ...settingNames.map(() => '1')]),
    effect: ([league = '']) => league,
  },
];

const fault = fc.option(
  fc.constantFrom<Fault[]>('lost', 'vanished', 'late', 'late', 'refused', 'too_large', 'unreachable'),
  { nil: undefined, freq: 2 },
);
const readFault = fc.option(
  fc.constantFrom(
    new UnavailableError('list.unstable', 'the list does not add up'),
    new UnavailableError('service.timeout', 'no answer'),
  ),
  { nil: undefined, freq: 5 },
);
const trouble = fc.record({
  resource: fc.constantFrom(...RESOURCES),
  onAmbiguous: fc.constantFrom('hold' as const, 'settle' as const),
  steps: fc.array(
    fc.record({
      command: fc.constantFrom('push' as const, 'resume' as const),
      faults: fc.array(fault, { maxLength: 6 }),
      readFaults: fc.array(readFault, { maxLength: 6 }),
    }),
    { minLength: 1, maxLength: 3 },
  ),
  references: fc.constantFrom('upload' as const, 'record' as const, 'absent' as const),
  statesTotal: fc.boolean(),
  pageSize: fc.constantFrom(2, 100),
  counter: fc.constantFrom({ lagMs: 0 }, 'absent' as const),
  substitutes: fc.constantFrom(0, 2),
  lateMs: fc.integer({ min: 1, max: SETTLE_MS - 1 }),
  callMs: fc.constantFrom(0, 1000),
});
type Trouble = typeof trouble extends fc.Arbitrary<infer Case> ? Case : never;

async function step(
  engine: Engine,
  command: 'push' | 'resume',
  { resource, onAmbiguous }: Trouble,
): Promise<PushResult | undefined> {
  const options = { ...PLAN_OPTIONS, adopt: true, onAmbiguous };
  try {
    return command === 'push'
      ? await push(engine.ports, 'push', [resource.mapping], options, approve)
      : await resume(engine.ports, undefined, approve, { onAmbiguous });
  } catch (error) {
    if (error instanceof TeamsheetError && error.code !== 'counts.lost') return undefined;
    throw error;
  }
}

/** I2 and I3. What an older run tells of a row that was refused holds for its own writes, which are those since `firstWrite`. */
function expectTruth(
  engine: Engine,
  result: PushResult,
  { effect, lines }: Unlisted,
  firstWrite: number,
): void {
  expectWholeCounts(
    engine,
    result,
    lines.map((_, index) => index + 2),
  );
  const { effects } = engine.service;
  const keys = effects.map(({ key }) => key);
  const own = effects.filter(({ write }) => write >= firstWrite).map(({ key }) => key);
  for (const { cells, outcome } of resultLines(engine)) {
    if (outcome === 'created' || outcome === 'updated') expect(keys).toContain(effect(cells));
    if (outcome === 'rejected' || outcome === 'invalid') expect(own).not.toContain(effect(cells));
  }
}

describe('whatever the service does to a push of what no list shows', () => {
  it('nothing is applied twice, and every outcome is true', async () => {
    await fc.assert(
      fc.asyncProperty(trouble, (each) =>
        withEngine(async (engine) => {
          const { service, clock, tables } = engine;
          const { references, statesTotal, pageSize, counter, substitutes, lateMs } = each;
          Object.assign(service, { references, statesTotal, pageSize, counter, substitutes, lateMs });
          service.onCall = async (body) => {
            clock.time += each.callMs;
            if (body !== undefined) await expectIntent(engine, body);
          };
          tables.set('rows.csv', [each.resource.header, ...each.resource.lines]);
          for (const { command, faults, readFaults } of each.steps) {
            service.faults.push(...faults);
            service.readFaults.push(undefined, ...readFaults);
            const firstWrite = command === 'push' ? 0 : service.writes.length;
            const result = await step(engine, command, each);
            if (result !== undefined) expectTruth(engine, result, each.resource, firstWrite);
            service.faults.length = 0;
            service.readFaults.length = 0;
          }
          clock.time += SETTLE_MS;
          service.applyLate();
          await step(engine, 'resume', each);
          const last = await step(engine, 'push', each);
          if (last !== undefined) expectTruth(engine, last, each.resource, 0);
          expectNoKeyTwice(engine);
        }),
      ),
      { numRuns: runs(40, 4000) },
    );
  }, 600_000);
});
