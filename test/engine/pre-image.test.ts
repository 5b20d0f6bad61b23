import { describe, expect, it, onTestFinished } from 'vitest';
import type { PushMapping } from '../../src/mapping/mapping.ts';
import type { IntentResult, ServiceAccount } from '../../src/model/state/store.ts';
import {
  appliedSince,
  countsMore,
  countStrange,
  wasLate,
  evidenceFor as evidenceWith,
  leagueOf,
  writesBeside,
} from '../../src/sync/evidence/pre-image.ts';
import { readWhole } from '../../src/sync/evidence/full-list.ts';
import { knownUser } from '../../src/plan/known-records.ts';
import { readEvidence } from '../../src/plan/reconcile/evidence.ts';
import { resourcePlans } from '../../src/plan/resources/index.ts';
import { knownRecord, pushMapping, runRow } from '../support/builders.ts';
import { makeEngine, type Engine } from '../support/engine.ts';
import { ACCOUNT, intentOf, startedRun, readTask } from '../support/writes.ts';
import type { PushTask } from '../../src/sync/ports.ts';
import { strategies } from '../../src/sync/resources/index.ts';

const evidenceFor = (task: PushTask) => evidenceWith(task, strategies[task.mapping.resource]);

const mappingOf = (resource: PushMapping['resource']): PushMapping =>
  pushMapping({ name: resource, resource });
const users = mappingOf('users');
const prices = mappingOf('prices');
const triggers = mappingOf('auto_substitutions');

async function taskOf(engine: Engine, mapping: PushMapping, used: number | undefined): Promise<PushTask> {
  const rows = await engine.store.openRunRows(null);
  onTestFinished(() => rows.remove());
  return {
    ports: engine.ports,
    runId: 'RUN',
    account: ACCOUNT,
    mapping,
    rows,
    writes: 0,
    used,
    onAmbiguous: 'hold',
    isResourceShared: false,
    quotas: new Map(),
  };
}

const known = ({ store }: Engine, resource: PushMapping['resource'], count: number): Promise<void> =>
  store.confirm(
    ACCOUNT,
    resource,
    Array.from({ length: count }, (_, at) => knownRecord(`K${at}`, {})),
  );

describe('what is read before a write', () => {
  it.each(['users', 'squads', 'mini_leagues'] as const)(
    'of %s is how many the account counts beyond those that are known',
    async (resource) => {
      const engine = await makeEngine();
      await known(engine, resource, 3);
      const taken = async (used: number | undefined) =>
        evidenceFor(await taskOf(engine, mappingOf(resource), used))([]);
      expect(await taken(5)).toEqual({ atMs: engine.clock.now(), unlisted: 2, known: 3 });
      expect(await taken(1)).toEqual({ atMs: engine.clock.now(), unlisted: 0, known: 3 });
      expect(await taken(undefined)).toEqual({ atMs: engine.clock.now(), known: 3 });
    },
  );

  it('of rows to be created names the known records that may be theirs: in other letters, or filled up with blanks', async () => {
    const engine = await makeEngine();
    const keys = ['M-1', 'm-1', 'M-1  ', 'M-1 B', 'M-12', ' M-1'];
    await engine.store.confirm(
      ACCOUNT,
      'users',
      keys.map((key) => knownRecord(key, {})),
    );
    const rows = [
      runRow(2, { external_id: 'M-1' }, { change: 'create' }),
      runRow(3, { external_id: 'M-12' }, { change: 'update' }),
    ];
    const unrecorded = [knownRecord('M-1 ', {}), knownRecord('M-2 ', {})];
    const taken = await evidenceFor(await taskOf(engine, users, undefined))(rows, () => unrecorded);
    const { alike = [], alikeIds = [] } = taken ?? {};
    expect(alike.toSorted()).toEqual(['M-1', 'M-1 ', 'M-1  ', 'm-1']);
    expect(alikeIds).toEqual(alike.map((key) => `id-${key}`));
  });

  it('of leagues is how many the account counts', async () => {
    const engine = await makeEngine();
    const leagues = mappingOf('fantasy_leagues');
    const taken = async (used: number | undefined) => evidenceFor(await taskOf(engine, leagues, used))([]);
    expect(await taken(5)).toEqual({ atMs: engine.clock.now(), used: 5, known: 0 });
    expect(await taken(undefined)).toBeUndefined();
  });

  it('of points configurations is nothing', async () => {
    const task = await taskOf(await makeEngine(), mappingOf('points_config'), 5);
    expect(await evidenceFor(task)([])).toBeUndefined();
  });

  it('of prices is the log with each of its references once, read once for all writes', async () => {
    const engine = await makeEngine();
    const { service } = engine;
    for (const write of [1, 1, 2]) service.prices.push({ player_id: 1, price: 1, write });
    const take = evidenceFor(await taskOf(engine, prices, undefined));
    const taken = await take([]);
    expect(taken).toEqual({ atMs: engine.clock.now(), count: 3, refs: ['upload-1', 'upload-2'] });
    const { reads } = service;
    service.prices.push({ player_id: 1, price: 1, write: 3 });
    expect(await take([])).toBe(taken);
    expect(service.reads).toBe(reads);
  });

  it('of prices without references, with very many, or in a long log is its length', async () => {
    const taken = async (count: number, change: (engine: Engine) => void) => {
      const engine = await makeEngine();
      for (let at = 0; at < count; at += 1)
        engine.service.prices.push({ player_id: at, price: 1, write: at });
      change(engine);
      const evidence = await evidenceFor(await taskOf(engine, prices, undefined))([]);
      return evidence && [evidence.count, evidence.refs?.length, evidence.refs?.[0]];
    };
    expect(await taken(4, ({ service }) => void (service.references = 'absent'))).toEqual([4, 1, '']);
    expect(await taken(500, () => undefined)).toEqual([500, 500, 'upload-0']);
    expect(await taken(501, () => undefined)).toEqual([501, undefined, undefined]);
    expect(await taken(41, ({ service }) => void (service.pageSize = 2))).toEqual([41, undefined, undefined]);
    expect(await taken(4, ({ service }) => void (service.statesTotal = false))).toBeUndefined();
  });

  it('of triggers is the log of their league, before each', async () => {
    const engine = await makeEngine();
    const { substitutions } = engine.service;
    for (const league of [1, 2, 2]) substitutions.push({ id: `${league}`, fantasy_league_id: league });
    const take = evidenceFor(await taskOf(engine, triggers, undefined));
    const row = (league: number) => runRow(1, { fantasy_league_id: league });
    expect(await take([row(1)])).toEqual({ atMs: engine.clock.now(), count: 1 });
    expect(await take([row(2)])).toEqual({ atMs: engine.clock.now(), count: 2 });
    substitutions.push({ id: '9', fantasy_league_id: 1 });
    expect(await take([row(1)])).toMatchObject({ count: 2 });
    engine.service.statesTotal = false;
    expect(await take([row(1)])).toBeUndefined();
  });

  it('comes back as it was recorded with the write', () => {
    expect(readEvidence({ evidence: '{"atMs":3,"count":2}' })).toEqual({ atMs: 3, count: 2 });
    expect(readEvidence({})).toBeUndefined();
  });

  it('knows no league of a row without one', () => {
    expect(leagueOf(runRow(1, { fantasy_league_id: 4 }))).toBe(4);
    expect(leagueOf(runRow(1, {}, { fields: null }))).toBeNaN();
    expect(leagueOf(undefined)).toBeNaN();
  });
});

describe('what it costs', () => {
  const cost = async (mapping: PushMapping, keys: readonly string[], arrange?: (engine: Engine) => void) => {
    const engine = await makeEngine();
    arrange?.(engine);
    const requests = await strategies[mapping.resource].evidenceCost(
      engine.ports,
      new Map(keys.map((key) => [key, 1])),
    );
    return [requests, engine.service.reads];
  };
  const filled = ({ service }: Engine): void => {
    for (let at = 0; at < 4; at += 1) {
      service.prices.push({ player_id: at, price: 1 });
      service.substitutions.push({ id: `${at}`, fantasy_league_id: 1 });
    }
    service.pageSize = 2;
  };

  it('is nothing for records that a list shows, and where nothing goes out', async () => {
    expect(await cost(users, ['U1'], filled)).toEqual([0, 0]);
    expect(await cost(prices, [], filled)).toEqual([0, 0]);
    expect(await cost(triggers, [], filled)).toEqual([0, 0]);
  });

  it('is the log of prices once', async () => {
    expect(await cost(prices, ['1/1', '1/2'], filled)).toEqual([3, 1]);
  });

  it('is the log of its league for each trigger, and one request where there is no league yet', async () => {
    expect(await cost(triggers, ['1/a', '1/b', '12/a', 'Cup (row 2)/a', 'Cup (row 2)/b'], filled)).toEqual([
      9, 2,
    ]);
  });
});

it('records that share a key are no unlisted ones, neither before a write nor after it', async () => {
  const engine = await makeEngine();
  await known(engine, 'users', 2);
  await engine.store.setFact(ACCOUNT, 'repeated:users', '3');
  const evidence = await evidenceFor(await taskOf(engine, users, 6))([]);
  expect(evidence).toEqual({ atMs: engine.clock.now(), unlisted: 1, known: 5 });
  const write = intentOf('W', { evidence: JSON.stringify(evidence) });
  expect(await countsMore(readTask(engine, users), 6, [write])).toBe(false);
  expect(await countsMore(readTask(engine, users), 7, [write])).toBe(true);
  expect(await wasLate(readTask(engine, users), [write])).toBe(false);
  await engine.store.setFact(ACCOUNT, 'repeated:users', '4');
  expect(await wasLate(readTask(engine, users), [write])).toBe(true);
});

describe('an account that counts more than before', () => {
  it('is one with more unlisted records than before any of the writes', async () => {
    const engine = await makeEngine();
    await known(engine, 'users', 2);
    const write = (unlisted?: number) =>
      intentOf('W', unlisted === undefined ? {} : { evidence: JSON.stringify({ atMs: 0, unlisted }) });
    const more = (used: number | undefined, ...before: readonly (number | undefined)[]): Promise<boolean> =>
      countsMore(readTask(engine, users), used, before.map(write));
    expect(await more(5, 3)).toBe(false);
    expect(await more(6, 3)).toBe(true);
    expect(await more(6, 4, 3, undefined)).toBe(true);
    expect(await more(6, undefined)).toBe(false);
    expect(await more(6)).toBe(false);
    expect(await more(undefined, 0)).toBe(false);
    expect(await more(1, 0)).toBe(false);
  });
});

describe('records that nothing explains', () => {
  it('are those beyond what was sent since, each key once in whichever spellings', async () => {
    const engine = await makeEngine();
    const { store, ports } = engine;
    await store.addRun(startedRun('RUN'));
    await store.respell(ACCOUNT, 'users', { case: true });
    const evidence = JSON.stringify({ atMs: 0, known: 0 });
    const writes = [
      intentOf('A', { keys: ['U1'], evidence }),
      intentOf('B', { keys: ['u1', 'U2'], evidence }),
    ] as const;
    for (const write of writes) await store.addIntent(ACCOUNT, write);
    const strange = (): Promise<number> => countStrange(readTask({ ports }, users), writes);
    await store.confirm(ACCOUNT, 'users', [knownRecord('u1', {}), knownRecord('u2', {})]);
    expect(await strange()).toBe(0);
    await store.confirm(ACCOUNT, 'users', [knownRecord('somebody', {})]);
    expect(await strange()).toBe(1);
  });

  it('are told by the order of the writes, where the clock was set between them', async () => {
    const engine = await makeEngine();
    const { store, ports } = engine;
    const evidence = (atMs: number, known: number): string => JSON.stringify({ atMs, known });
    for (const run of ['RUN', 'NEXT']) await store.addRun(startedRun(run));
    const others = ['V', 'W'].map((id) =>
      intentOf(id, { keys: [`U-${id}`], evidence: evidence(9, 0), mapping: 'others' }),
    );
    const shares = intentOf('A', { keys: ['U-A'], evidence: evidence(5, 2) });
    const lost = intentOf('B', { keys: ['U-B'], evidence: evidence(5, 2) });
    const later = intentOf('C', { runId: 'NEXT', keys: ['U-C'], evidence: evidence(2, 3) });
    for (const write of [...others, shares, lost, later]) await store.addIntent(ACCOUNT, write);
    await store.confirm(
      ACCOUNT,
      'users',
      ['V', 'W', 'A', 'C'].map((id) => knownRecord(`U-${id}`, {})),
    );
    const strange = (): Promise<number> => countStrange(readTask({ ports }, users), [lost]);
    expect(await strange()).toBe(0);
    await store.confirm(ACCOUNT, 'users', [knownRecord('somebody', {})]);
    expect(await strange()).toBe(1);
  });

  it('are the same ones at each reading, where one has the key by which another is listed', async () => {
    const engine = await makeEngine();
    const { store, ports, service } = engine;
    await store.addRun(startedRun('RUN'));
    const evidence = JSON.stringify({ atMs: 0, known: 1 });
    // The first is answered with the record that was there, which the list shows without its zeros; the second has no answer.
    const [repeat, lost] = [
      intentOf('A', { keys: ['0042'], evidence }),
      intentOf('B', { keys: ['042'], evidence }),
    ];
    for (const write of [repeat, lost]) await store.addIntent(ACCOUNT, write);
    const listed = (id: string) => ({ id, user_id: 1, external_id: '42', display_name: 'Ann' });
    const there = knownUser(listed('there'));
    await store.confirm(ACCOUNT, 'users', [there, { ...there, key: '0042' }]);
    service.users.push(listed('there'), listed('came'));
    const plan = resourcePlans.users.listed;
    for (let reading = 0; reading < 2; reading += 1) {
      await readWhole(
        { ports, account: ACCOUNT, mapping: users, listed: plan },
        { used: undefined, onPage: () => undefined },
      );
      expect(await countStrange(readTask({ ports }, users), [lost])).toBe(1);
    }
  });
});

describe('the writes beside another one', () => {
  const otherAccount = { ...ACCOUNT, accountId: 'b' };
  const otherService = { ...ACCOUNT, baseUrl: 'http://127.0.0.1:9' };

  interface Past {
    readonly run: string;
    readonly sentAtMs: number;
    readonly result?: IntentResult | null;
    readonly endedAtMs?: number | null;
    readonly account?: ServiceAccount;
    readonly mapping?: PushMapping;
    readonly evidence?: string;
  }

  /** Writes are called by their place, from 0. */
  async function history(past: readonly Past[]): Promise<Engine> {
    const engine = await makeEngine();
    const { store } = engine;
    for (const [at, each] of past.entries()) {
      const { run, sentAtMs, result = 'applied', account = ACCOUNT, mapping = prices, evidence } = each;
      const { endedAtMs = null } = each;
      if ((await store.run(run)) === undefined) await store.addRun(startedRun(run, { account, endedAtMs }));
      const intent = intentOf(`${at}`, {
        runId: run,
        mapping: mapping.name,
        resource: mapping.resource,
        operation: 'upload-prices',
        rowNumbers: [at],
        keys: [`K${at}`],
        sentAtMs,
        ...(evidence !== undefined && { evidence }),
      });
      await store.addIntent(account, intent);
      if (result !== null) await store.recordResult(account, `${at}`, result, [], []);
    }
    return engine;
  }
  const idsOf = (writes: readonly { readonly id: string }[]): readonly string[] =>
    writes.map(({ id }) => id).sort();

  it('are those after it of all runs of the account to the resource, and those shortly before it', async () => {
    const engine = await history([
      { run: 'A', sentAtMs: 99, endedAtMs: 100 },
      { run: 'A', sentAtMs: 100 },
      { run: 'B', sentAtMs: 150, result: null },
      { run: 'B', sentAtMs: 150, mapping: users },
      { run: 'C', sentAtMs: 150, account: otherAccount },
      { run: 'D', sentAtMs: 150, account: otherService },
      // These runs ended before, by a clock that was set back since.
      { run: 'E', sentAtMs: 150, endedAtMs: 99 },
      { run: 'OWN', sentAtMs: 150, endedAtMs: 99 },
      { run: 'OWN', sentAtMs: 160 },
      { run: 'OWN', sentAtMs: 5 },
      { run: 'F', sentAtMs: 6, endedAtMs: 99 },
      { run: 'F', sentAtMs: 200, mapping: users },
      { run: 'F', sentAtMs: 200 },
    ]);
    const [write] = (await engine.store.intents('OWN')).filter(({ id }) => id === '8');
    if (write === undefined) throw new Error('it was recorded');
    expect(idsOf(await writesBeside(readTask(engine, prices), write, 100))).toEqual([
      '1',
      '10',
      '12',
      '2',
      '6',
      '7',
      '9',
    ]);
  });

  it('are those of runs that push the resource, and of runs that do not say what they push', async () => {
    const run = (id: string, ...pushed: readonly PushMapping[]) =>
      startedRun(id, { mappings: JSON.stringify({ mappings: pushed }) });
    const engine = await makeEngine();
    for (const each of [run('A', users, prices), run('B', users), run('C', prices), startedRun('OWN')]) {
      await engine.store.addRun(each);
      const intent = intentOf(`of ${each.id}`, { runId: each.id, resource: 'prices', sentAtMs: 100 });
      if (each.id !== 'B') await engine.store.addIntent(ACCOUNT, intent);
    }
    const write = intentOf('of OWN', { runId: 'OWN' });
    expect(idsOf(await writesBeside(readTask(engine, prices), write, 100))).toEqual(['of A', 'of C']);
  });

  it('that were applied since the evidence leave out what the evidence shows already', async () => {
    const past: readonly Past[] = [
      { run: 'OWN', sentAtMs: 100, evidence: 'long before' },
      // Sent by a clock that was set back since.
      { run: 'B', sentAtMs: 101 },
      { run: 'OWN', sentAtMs: 100, evidence: 'before' },
      { run: 'OWN', sentAtMs: 100, evidence: 'ours', mapping: { ...prices, name: 'other prices' } },
      { run: 'OWN', sentAtMs: 100, evidence: 'ours' },
      { run: 'OWN', sentAtMs: 100, evidence: 'ours', result: null },
      { run: 'OWN', sentAtMs: 100, evidence: 'later' },
      { run: 'OWN', sentAtMs: 120, evidence: 'later', result: 'refused' },
      { run: 'OWN', sentAtMs: 120, evidence: 'later', result: 'ambiguous' },
      { run: 'OWN', sentAtMs: 120, mapping: users },
      { run: 'A', sentAtMs: 4 },
    ];
    const engine = await history(past);
    const [write] = (await engine.store.intents('OWN')).filter(({ id }) => id === '5');
    if (write === undefined) throw new Error('it was recorded');
    const since = await appliedSince(readTask(engine, prices), write);
    expect(idsOf(since)).toEqual(['10', '4', '6']);
  });
});
