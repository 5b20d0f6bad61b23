import fc from 'fast-check';
import { expect, it } from 'vitest';
import { StoppedError } from '../../src/model/error.ts';
import { planPush } from '../../src/sync/plan/plan-sync.ts';
import { push } from '../../src/sync/push.ts';
import { PLAN_OPTIONS, withEngine, type Engine } from '../support/engine.ts';
import { pushSaved, savePlan } from '../support/saved-plan.ts';
import { approve, expectNoKeyTwice, mappingOn, userCells, type UserLine } from '../support/push-case.ts';
import { runs } from '../support/long.ts';

const line = fc.record({
  key: fc.constantFrom('A', 'B', 'C', 'D', 'E', 'F', ''),
  name: fc.constantFrom('Ann', 'Bob', '', 'x'.repeat(51)),
  active: fc.constantFrom('', 'true', 'false', 'perhaps'),
});
const table = fc.array(line, { minLength: 1, maxLength: 8 });

/** What happens between a plan and its push. */
const event = fc.oneof(
  fc.record({ kind: fc.constant('set' as const), at: fc.nat(7), line }),
  fc.record({ kind: fc.constant('insert' as const), at: fc.nat(8), line }),
  fc.record({ kind: fc.constant('delete' as const), at: fc.nat(7) }),
  fc.record({ kind: fc.constant('rotate' as const), at: fc.nat(7) }),
  fc.record({
    kind: fc.constant('rename' as const),
    key: fc.constantFrom('A', 'B', 'C'),
    name: fc.constantFrom('Ann', 'Eve'),
  }),
  fc.record({ kind: fc.constant('join' as const), key: fc.constantFrom('D', 'E', 'Z') }),
  fc.record({ kind: fc.constant('push' as const), table }),
);
type Event = typeof event extends fc.Arbitrary<infer T> ? T : never;

const users = mappingOn('users.csv', { batchSize: 2 });

async function happen(engine: Engine, lines: UserLine[], it: Event): Promise<void> {
  const { service } = engine;
  switch (it.kind) {
    case 'set':
      if (it.at < lines.length) lines[it.at] = it.line;
      return;
    case 'insert':
      lines.splice(Math.min(it.at, lines.length), 0, it.line);
      return;
    case 'delete':
      if (lines.length > 1) lines.splice(it.at, 1);
      return;
    case 'rotate':
      lines.push(...lines.splice(0, it.at));
      return;
    case 'rename':
      for (const user of service.users) if (user.external_id === it.key) user.display_name = it.name;
      return;
    case 'join': {
      const { key } = it;
      if (!service.users.some(({ external_id }) => external_id === key))
        service.users.push({ id: `joined-${key}`, external_id: key, display_name: 'Ann', is_active: true });
      return;
    }
    case 'push':
      engine.tables.set('users.csv', userCells(it.table));
      await push(engine.ports, 'push', [users], PLAN_OPTIONS, approve);
  }
}

/** What a plan of now would do, wherever the rows stand: what is written, and everything that is said. */
async function meaningNow({ ports }: Engine): Promise<{ readonly writes: string[]; readonly all: string[] }> {
  const planned = await planPush(ports, [users], PLAN_OPTIONS);
  const writes: string[] = [];
  const all: string[] = [];
  for await (const { key, kind, fields, message } of planned.changes()) {
    const said = kind === 'invalid' ? message.replace(/^users\.csv row \d+/, '') : '';
    all.push(JSON.stringify([key, kind, fields, said]));
    if (kind === 'create' || kind === 'update') writes.push(JSON.stringify([key, kind, fields]));
  }
  await planned.rows.remove();
  return { writes: writes.toSorted(), all: all.toSorted() };
}

it('I7: a saved plan is written as it is, or not at all', async () => {
  const seen = { pushed: 0, stale: 0 };
  await fc.assert(
    fc.asyncProperty(table, table, fc.array(event, { maxLength: 3 }), (first, second, events) =>
      withEngine(async (engine) => {
        engine.tables.set('users.csv', userCells(first));
        await push(engine.ports, 'push', [users], PLAN_OPTIONS, approve);
        engine.clock.time += 1000;
        const lines = [...second];
        engine.tables.set('users.csv', userCells(lines));
        const before = await meaningNow(engine);
        const saved = await savePlan(engine, [users]);
        engine.clock.time += 1000;
        for (const each of events) await happen(engine, lines, each);
        engine.tables.set('users.csv', userCells(lines));
        const now = await meaningNow(engine);
        const effects = engine.service.effects.length;
        const writes = engine.service.writes.length;
        try {
          await pushSaved(engine, saved, [users]);
          seen.pushed += 1;
          expect(now.writes).toEqual(before.writes);
          const done = engine.service.effects.slice(effects).map(({ key }) => key);
          const meant = before.writes.map((each) => (JSON.parse(each) as [string])[0]);
          expect(new Set(done)).toEqual(new Set(meant));
        } catch (error) {
          if (!(error instanceof StoppedError) || error.code !== 'plan.stale') throw error;
          seen.stale += 1;
          expect(engine.service.writes).toHaveLength(writes);
          expect(now.all, error.message).not.toEqual(before.all);
        }
        expectNoKeyTwice(engine);
      }),
    ),
    { numRuns: runs(25, 5000) },
  );
  // Both ends are seen, whatever the seed.
  expect(seen.pushed).toBeGreaterThan(0);
  expect(seen.stale).toBeGreaterThan(0);
}, 600_000);
