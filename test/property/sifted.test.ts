import { Buffer } from 'node:buffer';
import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { PushMapping } from '../../src/mapping/mapping.ts';
import { changedBy } from '../../src/model/changed-by.ts';
import { TeamsheetError } from '../../src/model/error.ts';
import type { RunRows } from '../../src/model/state/run-rows.ts';
import { knownUser, remembered } from '../../src/plan/known-records.ts';
import { planPush } from '../../src/sync/plan/plan-sync.ts';
import type { SyncPorts } from '../../src/sync/ports.ts';
import { push, type Approve } from '../../src/sync/push.ts';
import { sampleChanges } from '../../src/sync/plan/sample-plan.ts';
import { eachRow } from '../../src/sync/rows/row-pages.ts';
import { readSources } from '../../src/sync/rows/read-rows.ts';
import { validateSources } from '../../src/sync/validate.ts';
import { csv } from '../../src/tables/csv.ts';
import { resources } from '../../src/contract/index.ts';
import { columnWith } from '../../src/mapping/push-fields.ts';
import type { ServiceAccount } from '../../src/model/state/store.ts';
import type { TableKind } from '../../src/model/tables/table.ts';
import type { PlanOptions } from '../../src/plan/saved/push-plan.ts';
import { PLAN_OPTIONS, withEngine, type Engine } from '../support/engine.ts';
import type { FakeService } from '../support/fake-service.ts';
import { runs } from '../support/long.ts';
import { mappingOn } from '../support/push-case.ts';
import { startedRun } from '../support/writes.ts';

/** Files in which keys come again, look alike, are wrong in every way, and whose bytes are anything. */
const KEYS = [
  'A',
  'a',
  'А',
  'é',
  'e\u0301',
  '12',
  '012',
  ' B',
  'B',
  'B ',
  '',
  'NULL',
  '1E+05',
  'Ｂ',
  'x\ny',
  '\0',
];
const key = fc.oneof(
  { weight: 4, arbitrary: fc.constantFrom(...KEYS) },
  { weight: 8, arbitrary: fc.nat(300).map((n) => `K-${n}`) },
  {
    weight: 1,
    arbitrary: fc.string({ unit: 'grapheme', maxLength: 3 }).filter((each) => !/[\r\n]/.test(each)),
  },
);
const name = fc.constantFrom('', 'Ann', 'Ann', 'Bo', 'Zoë', 'N/A', 'x'.repeat(51), 'a "b", c', '\u202e');
const active = fc.constantFrom('', 'true', 'true', 'false', 'yes');
const cells = fc.oneof(
  { weight: 8, arbitrary: fc.tuple(key, name, active) },
  { weight: 1, arbitrary: fc.array(name, { minLength: 1, maxLength: 5 }) },
);
const quote = (cell: string): string => (/[",\n]/.test(cell) ? `"${cell.replaceAll('"', '""')}"` : cell);
const HEADER = 'external_id,display_name,is_active\n';
const table = fc
  .array(cells, { maxLength: 40, size: 'max' })
  .map((lines) => Buffer.from(HEADER + lines.map((line) => `${line.map(quote).join(',')}\n`).join('')));
const damaged = fc
  .tuple(table, fc.array(fc.tuple(fc.nat(400), fc.nat(4), fc.uint8Array({ maxLength: 3 })), { maxLength: 3 }))
  .map(([bytes, edits]) =>
    edits.reduce(
      (all, [at, remove, insert]) => Buffer.concat([all.subarray(0, at), insert, all.subarray(at + remove)]),
      bytes,
    ),
  );
const anyBytes = fc
  .uint8Array({ maxLength: 200 })
  .map((bytes) => Buffer.concat([Buffer.from(HEADER), bytes]));
const files = fc.oneof(
  { weight: 6, arbitrary: table },
  { weight: 2, arbitrary: damaged },
  { weight: 1, arbitrary: anyBytes },
);

const userOf = ({ users }: FakeService, external_id: string, display_name: string, is_active: boolean) => {
  const at = users.length + 1;
  return { id: `id-${at}`, user_id: at, external_id, display_name, is_active };
};

/** What a reading tells: its warnings, and its end or its error. */
async function told<T>(
  engine: Engine,
  read: () => Promise<T>,
): Promise<{ readonly said: unknown; readonly end: T | string }> {
  engine.events.length = 0;
  let end: T | string;
  try {
    end = await read();
  } catch (error) {
    if (!(error instanceof TeamsheetError)) throw error;
    end = `${error.code}: ${error.message}`;
  }
  return { said: engine.events.filter(({ kind }) => kind !== 'reading'), end };
}

async function contentOf(rows: RunRows, mapping: PushMapping) {
  const all = await Array.fromAsync(eachRow(rows, mapping.name));
  const outcomes = new Map([...(await rows.countOutcomes(mapping.name))].sort());
  const changes = new Map([...(await rows.countChanges(mapping.name))].sort());
  const open = new Map([...(await rows.countChanges(mapping.name, true))].sort());
  await rows.remove();
  const named = all.filter(({ outcome, said }) => outcome === 'invalid' || said.length > 0);
  return { named, outcomes, changes, open };
}

async function inFile<T>(
  content: Uint8Array,
  work: (engine: Engine, mapping: PushMapping) => Promise<T>,
): Promise<T> {
  return withEngine(async (engine) => {
    const file = path.join(engine.folder, 'users.csv');
    await writeFile(file, content);
    const ports = { ...engine.ports, tables: { ...engine.ports.tables, csv } };
    const mapping = mappingOn(file);
    const source = { ...mapping.source, origin: 'users.csv' };
    return work({ ...engine, ports }, { ...mapping, source });
  });
}

describe('rows that are left out', () => {
  it('change nothing of what validate says of the others, and are counted', async () => {
    await fc.assert(
      fc.asyncProperty(files, (content) =>
        inFile(content, async (engine, mapping) => {
          const whole = await told(engine, async () =>
            contentOf(await readSources(engine.ports, null, [mapping], PLAN_OPTIONS), mapping),
          );
          const sifted = await told(engine, async () => {
            const { rows } = await validateSources(engine.ports, [mapping], PLAN_OPTIONS);
            return contentOf(rows, mapping);
          });
          expect(sifted).toEqual(whole);
        }),
      ),
      { numRuns: runs(60, 10_000) },
    );
  }, 600_000);

  it('change nothing of the plan that is shown, whatever is known and whatever the account counts', async () => {
    const known = fc.array(
      fc.record({
        key: fc.constantFrom('A', 'a', 'B', 'é', '12', '0012', 'K-1', 'K-2', 'K-3'),
        name,
        active: fc.boolean(),
      }),
      { maxLength: 6 },
    );
    const cases = fc.record({
      content: files,
      known,
      /** Users that only the service has. */
      more: fc.constantFrom(0, 0, 0, 1),
      room: fc.constantFrom(undefined, undefined, 3),
      operation: fc.constantFrom('upsert', 'upsert', 'create', 'update'),
      compare: fc.constantFrom('auto', 'auto', 'snapshot', 'live'),
    });
    let foreseen = 0;
    await fc.assert(
      fc.asyncProperty(cases, async ({ content, known: users, more, room, operation, compare }) => {
        const plan = (isShown: boolean) =>
          inFile(content, async (engine, mapping) => {
            const { service, store } = engine;
            const own = users.filter(({ key }, at) => users.findIndex((each) => each.key === key) === at);
            for (const { key, name: display_name, active } of own)
              service.users.push(userOf(service, key, display_name, active));
            const { id } = await service.account();
            const account = { baseUrl: engine.ports.baseUrl, accountId: id.toLowerCase() };
            const records = service.users.map((user) => remembered(knownUser(user)));
            await store.confirm(account, 'users', records);
            const fact = { count: own.length, used: own.length, pages: 11 };
            await store.setFact(account, 'list:users', JSON.stringify(fact));
            for (let at = 0; at < more; at += 1)
              service.users.push(userOf(service, `other-${at}`, 'Other', true));
            const used = service.users.length;
            if (room !== undefined) service.quotas = { users: { max: used + room, used, remaining: room } };
            const asked = { ...mapping, operation, compare } as PushMapping;
            return told(engine, async () => {
              const reads = service.reads;
              const planned = await planPush(engine.ports, [asked], PLAN_OPTIONS, isShown);
              const sample = await sampleChanges(planned);
              const all = await Array.fromAsync(eachRow(planned.rows, asked.name));
              const { exitCode, forecast } = planned;
              const mappings = planned.mappings.map(({ mapping: _, ...each }) => each);
              if (isShown && all.length < (mappings[0]?.outcomes.rows ?? 0)) foreseen += 1;
              const stops = planned.stops.map(({ error }) => [error.code, error.message]);
              await planned.rows.remove();
              return { mappings, exitCode, forecast, stops, sample, reads: service.reads - reads };
            });
          });
        expect(await plan(true)).toEqual(await plan(false));
      }),
      { numRuns: runs(60, 10_000) },
    );
    expect(foreseen).toBeGreaterThan(0);
  }, 600_000);

  it('are counted once where so many keys come again that every row is kept after all', async () => {
    const lines = Array.from({ length: 100_004 }, (_, n) => `K-${n >> 1},Ann,true\n`);
    const plan = (isShown: boolean) =>
      inFile(Buffer.from(HEADER + lines.join('')), async (engine, mapping) => {
        const { mappings, forecast, rows } = await planPush(engine.ports, [mapping], PLAN_OPTIONS, isShown);
        await rows.remove();
        return { forecast, mappings: mappings.map(({ mapping: _, ...each }) => each) };
      });
    expect(await plan(true)).toEqual(await plan(false));
  });
});

/** What may become of a source, a mapping, a configuration or a state between two plans; each but the first few may change what a plan finds. */
const EDITS = {
  nothing: () => undefined,
  time: ({ engine }) => (engine.clock.time += 60_000),
  'another resource': ({ engine, account }) =>
    engine.store.confirm(account, 'squads', [
      { key: '1/1/A', id: null, number: null, digests: {}, values: {} },
    ]),
  'a line': (scene) => (scene.lines = [...scene.lines, '']),
  'a name': (scene) => (scene.lines = scene.lines.map((line) => line.replace(/,[^,]*,/, ',Cy,'))),
  'a key': (scene) => (scene.lines = scene.lines.map((line) => line.replace('K-0', 'K-9'))),
  'a row': (scene) => (scene.lines = scene.lines.slice(0, -1)),
  'the order': (scene) => (scene.lines = scene.lines.toReversed()),
  'a new row': (scene) => (scene.lines = [...scene.lines, `K-${scene.lines.length + 20},Di,true`]),
  'a row in other words': (scene) =>
    (scene.lines = scene.lines.map((line, at) => (at === 0 ? line.replace(/,([^,]*),/, ', $1 ,') : line))),
  'a row once more in other words': (scene) =>
    (scene.lines = [...scene.lines, (scene.lines[0] ?? '').replace(/,([^,]*),/, ', $1 ,')]),
  'a row that looks like another': (scene) =>
    (scene.lines = [...scene.lines, (scene.lines[0] ?? '').toLowerCase()]),
  'a repeated row': (scene) => (scene.lines = [...scene.lines, scene.lines.at(-1) ?? '']),
  'a wrong row': (scene) => (scene.lines = [...scene.lines, 'K-1,,']),
  'a byte': (scene) => (scene.lines = [...scene.lines, 'K-1,\u0000,true']),
  'the header': (scene) => (scene.header = `${scene.header},more`),
  operation: (scene) => (scene.mapping = { ...scene.mapping, operation: 'create' }),
  where: (scene) => {
    const where = [{ header: 'is_active', equals: true, text: 'true' }];
    scene.mapping = { ...scene.mapping, source: { ...scene.mapping.source, where } };
  },
  columns: (scene) => (scene.mapping = { ...scene.mapping, columns: NAMES_ALONE }),
  options: (scene) => (scene.options = { ...scene.options, allowKeyShape: true }),
  encoding: (scene) => (scene.options = { ...scene.options, encoding: 'windows-1252' }),
  limit: (scene) => (scene.options = { ...scene.options, limit: 1 }),
  release: (scene) => (scene.release = 'another'),
  'a known name': ({ engine, account }) =>
    engine.store.confirm(account, 'users', [
      remembered(knownUser(userOf(engine.service, 'K-1', 'Cy', true))),
    ]),
  'a known user': ({ engine, account }) =>
    engine.store.confirm(account, 'users', [
      remembered(knownUser(userOf(engine.service, 'K-77', 'Cy', true))),
    ]),
  'all that is known': ({ engine, account }) =>
    engine.store.forgetOlder(account, 'users', engine.clock.now() + 1),
  'compare live': (scene) => (scene.mapping = { ...scene.mapping, compare: 'live' }),
  'an open write': ({ engine, account }) =>
    engine.store.addIntent(account, {
      id: `01K${engine.service.users.length}${engine.clock.time++}`,
      runId: 'RUN',
      mapping: 'users',
      resource: 'users',
      operation: 'create-users',
      rowNumbers: [2],
      keys: ['K-1'],
      bodyDigest: '',
      sentAtMs: engine.clock.now(),
    }),
  'a user of the service': ({ engine: { service } }) =>
    service.users.push(userOf(service, `other-${service.users.length}`, 'Other', true)),
} satisfies Record<string, (scene: Scene) => unknown>;
const HARMLESS = ['nothing', 'time', 'another resource'] as const;
/** After these, the rows that are as they were need not be compared. */
const OF_ROWS = ['the order', 'a new row', 'a row in other words'];
const OF_SERVICE = ['a user of the service'] as const;
const OF_THE_STATE = ['a known name', 'a known user', 'all that is known', 'an open write'] as const;

const NAMES_ALONE: PushMapping['columns'] = Object.entries(resources.users.push.fields)
  .filter(([field]) => field !== 'is_active')
  .map(([name, field]) => ({ ...columnWith(name, field, true), from: [name] }));

interface Scene {
  readonly engine: Engine;
  readonly file: string;
  readonly account: ServiceAccount;
  header: string;
  lines: readonly string[];
  mapping: PushMapping;
  options: PlanOptions;
  release: string;
}

describe('a comparison that is remembered', () => {
  it('tells just what comparing again tells, and is not used once anything changed', async () => {
    const line = fc.tuple(
      fc.constantFrom('Ann', 'Bo', 'Zoë', 'N/A', ''),
      fc.constantFrom('true', 'false', ''),
    );
    const cases = fc.record({
      rows: fc.array(line, { minLength: 1, maxLength: 5 }),
      extra: fc.constantFrom('', '', ',shoe size'),
      compare: fc.constantFrom('auto', 'snapshot'),
      edits: fc.uniqueArray(fc.constantFrom(...(Object.keys(EDITS) as (keyof typeof EDITS)[])), {
        maxLength: 4,
      }),
    });
    const recalled = new Map<string, number>();
    const known = new Map<string, number>();
    const count = (counts: Map<string, number>, edit: string): unknown =>
      counts.set(edit, (counts.get(edit) ?? 0) + 1);
    await fc.assert(
      fc.asyncProperty(cases, async ({ rows, extra, compare, edits }) => {
        const plans = (isShown: boolean) =>
          withEngine(async (engine) => {
            const scene = await sceneOf(engine, rows, extra, compare);
            const found: unknown[] = [];
            for (const edit of ['nothing', ...HARMLESS, ...edits, 'nothing'] as const) {
              const before = textOf(scene);
              await EDITS[edit](scene);
              const { opened, compared, ...plan } = await planOf(scene, isShown);
              found.push({ edit, ...plan });
              const { outcomes } = typeof plan.end === 'string' ? {} : (plan.end.mappings[0] ?? {});
              const there = (outcomes?.unchanged ?? 0) + (outcomes?.updated ?? 0);
              if (isShown && opened > 0 && compared < there) count(known, edit);
              if (!isShown || opened > 0) continue;
              count(recalled, edit);
              expect([edit, textOf(scene)]).toEqual([edit, before]);
              expect(OF_THE_STATE).not.toContain(edit);
            }
            return found;
          });
        expect(await plans(true)).toEqual(await plans(false));
      }),
      { numRuns: runs(40, 4_000) },
    );
    for (const edit of HARMLESS) expect([edit, recalled.get(edit) ?? 0]).not.toEqual([edit, 0]);
    for (const edit of OF_ROWS) expect([edit, known.get(edit) ?? 0]).not.toEqual([edit, 0]);
  }, 600_000);
});

describe('rows that a push compares while it reads them', () => {
  it('end as if they were compared under the lock, whatever is confirmed in between', async () => {
    const line = fc.tuple(
      fc.constantFrom('Ann', 'Bo', 'Zoë', 'N/A', ''),
      fc.constantFrom('true', 'false', ''),
    );
    const names = Object.keys(EDITS) as (keyof typeof EDITS)[];
    const cases = fc.record({
      rows: fc.array(line, { minLength: 1, maxLength: 5 }),
      extra: fc.constantFrom('', '', ',shoe size'),
      compare: fc.constantFrom('auto', 'snapshot'),
      before: fc.uniqueArray(fc.constantFrom(...names), { maxLength: 4 }),
      between: fc.constantFrom(
        'nothing',
        'nothing',
        'nothing',
        'another resource',
        ...OF_SERVICE,
        ...OF_THE_STATE,
      ),
    });
    const kept = new Map<string, number>();
    await fc.assert(
      fc.asyncProperty(cases, async ({ rows, extra, compare, before, between }) => {
        const pushed = (isMarked: boolean) =>
          withEngine(async (engine) => {
            const scene = await sceneOf(engine, rows, extra, compare);
            for (const edit of before) await EDITS[edit](scene);
            const { compared, ...found } = await pushOf(scene, between, isMarked);
            return { found, compared };
          });
        const [marked, plain] = [await pushed(true), await pushed(false)];
        expect(marked.found).toEqual(plain.found);
        // Who compares once more asks twice.
        if (0 < marked.compared && marked.compared < plain.compared)
          kept.set(between, (kept.get(between) ?? 0) + 1);
      }),
      { numRuns: runs(60, 4_000) },
    );
    // The account was asked before the lock.
    expect([...kept.keys()].sort()).toEqual([...OF_SERVICE, 'another resource', 'nothing']);
  }, 600_000);
});

/** What a push does and tells, and how many rows it looked for among what is known. Where rows are not marked, none of them is found to be as it was under the lock. */
async function pushOf(scene: Scene, between: keyof typeof EDITS, isMarked: boolean) {
  const { account, engine, file, header, lines, mapping, options } = scene;
  await writeFile(file, [header, ...lines, ''].join('\n'));
  let compared = 0;
  const store = changedBy(engine.store, {
    confirmedWith: (account, resource, wanted) => {
      compared += wanted.length;
      return engine.store.confirmedWith(account, resource, wanted);
    },
    ...(!isMarked && {
      comparisons: changedBy(engine.store.comparisons, { last: () => Promise.resolve(undefined) }),
    }),
  });
  let runId = '';
  // That of the open writes.
  await store.addRun(startedRun('RUN', { account, finished: true }));
  const lock = {
    acquire: async (...asked: Parameters<SyncPorts['lock']['acquire']>) => {
      await EDITS[between](scene);
      return engine.ports.lock.acquire(...asked);
    },
  };
  const ports = { ...engine.ports, store, lock, tables: { ...engine.ports.tables, csv } };
  const approve: Approve = (_, id) => {
    runId = id;
    return Promise.resolve();
  };
  const end = await told(engine, () => push(ports, 'push', [mapping], options, approve));
  const text = JSON.stringify([end, [...engine.files], engine.service.users, engine.service.counts()]);
  return { compared, text: runId === '' ? text : text.replaceAll(runId, 'RUN') };
}

/** All that an edit may change but the state. */
const textOf = ({ header, lines, mapping, options, release }: Scene): string =>
  JSON.stringify([header, lines, mapping, options, release]);

async function sceneOf(
  engine: Engine,
  rows: readonly (readonly [name: string, active: string])[],
  extra: string,
  compare: string,
): Promise<Scene> {
  const { service, store, folder } = engine;
  const lines = rows.map(([name, active], at) => `K-${at},${name},${active}${extra && ','}`);
  for (const [at, [name, active]] of rows.entries())
    service.users.push(userOf(service, `K-${at}`, name, active !== 'false'));
  const account = { baseUrl: engine.ports.baseUrl, accountId: (await service.account()).id.toLowerCase() };
  const records = service.users.map((user) => remembered(knownUser(user)));
  await store.confirm(account, 'users', records);
  const fact = { count: rows.length, used: rows.length, pages: 11 };
  await store.setFact(account, 'list:users', JSON.stringify(fact));
  const file = path.join(folder, 'users.csv');
  const bare = mappingOn(file);
  const source = { ...bare.source, origin: 'users.csv' };
  const mapping = { ...bare, columns: 'auto', compare, source } as PushMapping;
  const header = `external_id,display_name,is_active${extra}`;
  return { engine, account, file, header, lines, mapping, options: PLAN_OPTIONS, release: 'this' };
}

/** What a plan finds and tells, how often it opened the source, and how many rows it looked for among what is known. */
async function planOf(scene: Scene, isShown: boolean) {
  const { engine, file, header, lines, mapping, options, release } = scene;
  await writeFile(file, [header, ...lines, ''].join('\n'));
  let opened = 0;
  const counted: TableKind = {
    ...csv,
    open: (...asked) => {
      opened += 1;
      return csv.open(...asked);
    },
  };
  let compared = 0;
  const store = changedBy(engine.store, {
    confirmedWith: (account, resource, wanted) => {
      compared += wanted.length;
      return engine.store.confirmedWith(account, resource, wanted);
    },
  });
  const ports = { ...engine.ports, store, tables: { ...engine.ports.tables, csv: counted }, release };
  const found = await told(engine, async () => {
    const planned = await planPush(ports, [mapping], options, isShown);
    const columns = await planned.rows.header(mapping.name);
    const sample = await sampleChanges(planned);
    const { exitCode, forecast } = planned;
    const mappings = planned.mappings.map(({ mapping: _, ...each }) => each);
    const stops = planned.stops.map(({ error }) => [error.code, error.message]);
    await planned.rows.remove();
    return { mappings, exitCode, forecast, stops, sample, columns };
  });
  const reading = engine.events.findLast(({ kind }) => kind === 'reading');
  return { ...found, reading, opened, compared };
}
