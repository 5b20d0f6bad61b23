import { cp, rm } from 'node:fs/promises';
import path from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import type { PushMapping } from '../../src/mapping/mapping.ts';
import { resume } from '../../src/sync/resume.ts';
import { push, type PushResult } from '../../src/sync/push.ts';
import {
  approve,
  mappingOn,
  PRICE_HEADER,
  priceTable,
  PRICES as prices,
  setTable,
  summaryOf,
  TRIGGERS,
  userEngine,
} from '../support/push-case.ts';
import { makeEngine, openEngine, PLAN_OPTIONS, stateFolder, type Engine } from '../support/engine.ts';

const HOUR_MS = 60 * 60 * 1000;

const run = (engine: Engine, mapping = prices, options = PLAN_OPTIONS): Promise<PushResult> =>
  push(engine.ports, 'push', [mapping], options, approve);

/** An engine on a copy of the state as it stands now, on the same service: a backup that is restored later. */
async function backup(engine: Engine): Promise<Engine> {
  const folder = await stateFolder();
  await cp(engine.folder, folder, { recursive: true });
  const restored = await openEngine(folder, engine.service, engine.clock);
  onTestFinished(async () => {
    await restored.store.close();
    await rm(path.resolve(folder), { recursive: true, force: true });
  });
  return restored;
}

describe('an old state file that was restored, and users that are compared with it alone', () => {
  const users = mappingOn('users.csv', { compare: 'snapshot' });
  const userTable = (engine: Engine, ...lines: readonly string[]): void =>
    setTable(engine, 'users', 'external_id,display_name', ...lines);

  /** A user was created before the copy was made, and another one since. */
  async function restored(): Promise<Engine> {
    const engine = await userEngine(['A,Ann']);
    await run(engine, users);
    const old = await backup(engine);
    userTable(engine, 'A,Ann', 'B,Bob');
    expect(summaryOf(await run(engine, users))).toMatchObject({ unchanged: 1, created: 1 });
    return old;
  }

  it('reads the list where the account counts more, and from then on sends without it', async () => {
    const old = await restored();
    userTable(old, 'A,Anna', 'B,Bob', 'C,Cid');
    expect(summaryOf(await run(old, users))).toMatchObject({ updated: 1, unchanged: 1, created: 1 });
    expect(old.events).toContainEqual({
      kind: 'note',
      message:
        'users: the account counts 1 user more than this state knows, so that the list is read before new ones are sent',
    });
    old.service.listable = false;
    userTable(old, 'A,Anna', 'B,Bob', 'C,Cid', 'D,Dan');
    expect(summaryOf(await run(old, users))).toMatchObject({ unchanged: 3, created: 1 });
    expect(old.service.users.map(({ external_id }) => external_id)).toEqual(['A', 'B', 'C', 'D']);
  });

  it('sends no user that it does not know where the list cannot be read either', async () => {
    const old = await restored();
    old.service.listable = false;
    userTable(old, 'A,Anna', 'B,Bob', 'C,Cid');
    expect(summaryOf(await run(old, users))).toMatchObject({ updated: 1, deferred: 2 });
    expect(old.service.users).toHaveLength(2);
  });

  it('changes what it knows without a word', async () => {
    const old = await restored();
    userTable(old, 'A,Anna');
    expect(summaryOf(await run(old, users))).toMatchObject({ updated: 1 });
    expect(old.events.filter(({ kind }) => kind === 'note' || kind === 'warning')).toEqual([]);
  });

  it('resumes without sending them either', async () => {
    const engine = await userEngine(['A,Ann', 'B,Bob']);
    const small = { ...users, batchSize: 1 };
    engine.service.faults.push(undefined, 'unreachable');
    await push({ ...engine.ports, concurrency: 1 }, 'push', [small], PLAN_OPTIONS, approve);
    const old = await backup(engine);
    await resume(engine.ports, undefined, approve);
    expect(engine.service.users).toHaveLength(2);
    const resumed = await resume(old.ports, undefined, approve);
    expect(resumed && summaryOf(resumed)).toMatchObject({ created: 1, unchanged: 1 });
    expect(engine.service.users).toHaveLength(2);
  });
});

describe('an old state file that was restored', () => {
  it.each(['upload', 'record', 'absent'] as const)(
    'does not send the prices that went out since (references of the log: %s)',
    async (references) => {
      const engine = await makeEngine({ references });
      priceTable(engine, '1,1,4,initial', '1,2,5,initial');
      await run(engine);
      const old = await backup(engine);
      priceTable(engine, '1,1,4.5,initial', '1,2,5.5,initial');
      await run(engine);
      priceTable(old, '1,1,4.5,initial', '1,2,5.5,initial');
      await expect(run(old)).rejects.toMatchObject({ code: 'state.no_memory', exitCode: 6 });
      expect(old.service.writes).toHaveLength(2);
      const live = await run(old, prices, { ...PLAN_OPTIONS, compare: 'live' });
      expect(summaryOf(live)).toMatchObject({ unchanged: 2 });
    },
  );

  it('is known by one price of many, where other rows have changed since', async () => {
    const engine = await makeEngine();
    priceTable(engine, '1,1,4,initial', '1,2,5,initial', '1,3,6,initial');
    await run(engine);
    const old = await backup(engine);
    priceTable(engine, '1,1,4.5,initial', '1,2,5,initial', '1,3,6,initial');
    await run(engine);
    priceTable(old, '1,1,4.5,initial', '1,2,5.2,initial', '1,3,6.1,initial');
    await expect(run(old)).rejects.toMatchObject({ code: 'state.no_memory' });
    const adopted = await run(old, prices, { ...PLAN_OPTIONS, adopt: true });
    expect(summaryOf(adopted)).toMatchObject({ updated: 3 });
    priceTable(old, '1,1,4.6,initial');
    expect(summaryOf(await run(old))).toMatchObject({ updated: 1 });
  });

  it('is known beside a write of another player that is still open and may stand in the log', async () => {
    const engine = await makeEngine();
    const single = mappingOn('prices.csv', { ...prices, batchSize: 1 });
    engine.service.faults.push('vanished');
    priceTable(engine, '1,1,4,initial', '1,2,5,initial');
    expect(summaryOf(await run(engine, single))).toMatchObject({ created: 1, unknown: 1 });
    const old = await backup(engine);
    priceTable(engine, '1,1,4,initial', '1,2,5.5,initial');
    expect(summaryOf(await run(engine, single))).toMatchObject({ updated: 1, deferred: 1 });
    priceTable(old, '1,1,4,initial', '1,2,5.5,initial');
    await expect(run(old, single)).rejects.toMatchObject({ code: 'state.no_memory' });
  });

  it.each(['upload', 'record', 'absent'] as const)(
    'sends no step again that went out since (references of the log: %s)',
    async (references) => {
      const engine = await makeEngine({ references });
      priceTable(engine, '1,1,0.1,delta', '1,2,0.2,delta', '1,3,0.3,delta');
      await run(engine);
      const old = await backup(engine);
      priceTable(engine, '1,1,0.1,delta', '1,2,0.25,delta', '1,3,0.3,delta');
      await run(engine);
      priceTable(old, '1,1,0.1,delta', '1,2,0.25,delta', '1,3,0.3,delta');
      await expect(run(old)).rejects.toMatchObject({
        code: 'state.no_memory',
        exitCode: 6,
        next: 'restore the newest state file, or add --adopt to upload what is planned anyway',
      });
      expect(old.service.writes).toHaveLength(2);
      const adopted = await run(old, prices, { ...PLAN_OPTIONS, adopt: true });
      expect(summaryOf(adopted)).toMatchObject({ updated: 1, unchanged: 2 });
    },
  );

  it('sends no step again from a run that it goes on with', async () => {
    const engine = await makeEngine();
    priceTable(engine, '1,1,0.1,delta', '1,2,0.2,delta');
    await run(engine);
    engine.service.faults.push('unreachable');
    priceTable(engine, '1,1,0.1,delta', '1,2,0.25,delta');
    expect(summaryOf(await run(engine))).toMatchObject({ unchanged: 1, deferred: 1 });
    const old = await backup(engine);
    await resume(engine.ports, undefined, approve);
    expect(engine.service.writes).toHaveLength(2);
    await expect(resume(old.ports, undefined, approve)).rejects.toMatchObject({ code: 'state.no_memory' });
    expect(engine.service.writes).toHaveLength(2);
    const adopted = await resume(old.ports, undefined, approve, { adopt: true });
    expect(adopted && summaryOf(adopted)).toMatchObject({ unchanged: 1, updated: 1 });
  });

  it.each(['push', 'resume'] as const)(
    'sends no step again beside a write that was open then (%s)',
    async (command) => {
      const engine = await makeEngine();
      const pairs = mappingOn('prices.csv', { ...prices, batchSize: 2 });
      const steps = ['1,1,0.1,delta', '1,2,0.2,delta', '1,3,0.3,delta', '1,4,0.4,delta'];
      engine.service.faults.push(undefined, 'lost', 'unreachable');
      priceTable(engine, ...steps, '1,5,0.5,delta');
      await push({ ...engine.ports, maxWaitMs: 0 }, 'push', [pairs], PLAN_OPTIONS, approve);
      const old = await backup(engine);
      await resume(engine.ports, undefined, approve);
      const sent = engine.service.prices.length;
      expect(sent).toBe(5);
      priceTable(old, ...steps, '1,5,0.5,delta');
      const again = command === 'push' ? run(old, pairs) : resume(old.ports, undefined, approve);
      await expect(again).rejects.toMatchObject({ code: 'state.no_memory' });
      expect(engine.service.prices).toHaveLength(sent);
    },
  );

  it('sends no step again after a write of another player, which saw it in the log', async () => {
    const engine = await makeEngine();
    priceTable(engine, '1,1,0.1,delta');
    await run(engine);
    const old = await backup(engine);
    priceTable(engine, '1,1,0.1,delta', '1,2,0.2,delta');
    await run(engine);
    priceTable(old, '1,1,0.1,delta', '1,3,0.3,delta');
    expect(summaryOf(await run(old))).toMatchObject({ unchanged: 1, created: 1 });
    priceTable(old, '1,1,0.1,delta', '1,3,0.3,delta', '1,2,0.2,delta');
    await expect(run(old)).rejects.toMatchObject({ code: 'state.no_memory' });
    expect(old.service.prices).toHaveLength(3);
    const adopted = await run(old, prices, { ...PLAN_OPTIONS, adopt: true });
    expect(summaryOf(adopted)).toMatchObject({ unchanged: 2, created: 1 });
    priceTable(old, '1,1,0.1,delta', '1,3,0.3,delta', '1,2,0.4,delta');
    expect(summaryOf(await run(old))).toMatchObject({ updated: 1 });
  });

  it('sends no step again after a price of another player, which saw it in a log without references', async () => {
    const engine = await makeEngine({ references: 'absent' });
    for (const lines of [['1,1,0.1,delta'], ['1,1,0.1,delta', '1,5,0.5,delta']]) {
      priceTable(engine, ...lines);
      await run(engine);
    }
    const old = await backup(engine);
    priceTable(engine, '1,1,0.1,delta', '1,5,0.5,delta', '1,2,0.2,delta');
    await run(engine);
    priceTable(old, '1,3,4.5,initial');
    expect(summaryOf(await run(old))).toMatchObject({ created: 1 });
    priceTable(old, '1,3,4.5,initial', '1,2,0.2,delta');
    await expect(run(old)).rejects.toMatchObject({ code: 'state.no_memory' });
    expect(old.service.prices).toHaveLength(4);
  });

  it('sends no step again after an open write of another player, which saw it in a log without references', async () => {
    const engine = await makeEngine({ references: 'absent' });
    priceTable(engine, '1,1,0.1,delta');
    await run(engine);
    const old = await backup(engine);
    priceTable(engine, '1,1,0.1,delta', '1,2,0.2,delta');
    await run(engine);
    old.service.faults.push('vanished');
    const hurried = { ...old.ports, maxWaitMs: 0 };
    const hurry = () => push(hurried, 'push', [prices], PLAN_OPTIONS, approve);
    priceTable(old, '1,1,0.1,delta', '1,3,0.3,delta');
    expect(summaryOf(await hurry())).toMatchObject({ unchanged: 1, unknown: 1 });
    priceTable(old, '1,1,0.1,delta', '1,2,0.2,delta');
    await expect(hurry()).rejects.toMatchObject({ code: 'state.no_memory' });
    expect(old.service.prices).toHaveLength(2);
  });

  it('nor one of a player of whom it sent another step itself before', async () => {
    const engine = await makeEngine();
    priceTable(engine, '1,1,0.1,delta');
    await run(engine);
    const old = await backup(engine);
    priceTable(engine, '1,1,0.2,delta');
    await run(engine);
    priceTable(old, '1,1,0.1,delta', '1,3,0.3,delta');
    await run(old);
    priceTable(old, '1,1,0.2,delta', '1,3,0.3,delta');
    await expect(run(old)).rejects.toMatchObject({ code: 'state.no_memory' });
    expect(old.service.prices).toHaveLength(3);
  });
});

describe('steps of prices', () => {
  it('are not stopped by what this state sent, by a write that is open, or by steps of other players', async () => {
    const engine = await makeEngine();
    const single = mappingOn('prices.csv', { ...prices, batchSize: 1 });
    priceTable(engine, '1,1,0.1,delta', '1,2,0.2,delta');
    expect(summaryOf(await run(engine, single))).toMatchObject({ created: 2 });
    engine.service.faults.push('lost');
    priceTable(engine, '1,1,0.15,delta', '1,2,0.25,delta');
    expect(summaryOf(await run(engine, single))).toMatchObject({ unknown: 1, updated: 1 });
    engine.service.prices.push({ player_id: 7, price: 1, type: 'delta', league: 1 });
    priceTable(engine, '1,1,0.15,delta', '1,2,0.3,delta', '1,3,0.3,delta');
    expect(summaryOf(await run(engine, single))).toMatchObject({ deferred: 1, updated: 1, created: 1 });
  });

  it('are not compared with what the service shows, and nothing is remembered of that', async () => {
    const engine = await makeEngine();
    priceTable(engine, '1,1,0.1,delta', '1,2,5,initial');
    await run(engine);
    const live = { ...PLAN_OPTIONS, compare: 'live' as const };
    await expect(run(engine, prices, live)).rejects.toMatchObject({
      code: 'compare.steps',
      exitCode: 4,
      message:
        'prices: --compare live is not for steps, and row 2 is one (its type is "delta"): the service shows what all steps came to, so that each would be sent again',
      next: 'leave --compare live out: steps are compared with the last confirmed push',
    });
    await expect(run(engine, { ...prices, compare: 'live' })).rejects.toMatchObject({
      code: 'compare.steps',
      next: 'take compare: live out of the mapping: steps are compared with the last confirmed push',
    });
    expect(summaryOf(await run(engine))).toMatchObject({ unchanged: 2 });
    priceTable(engine, '1,2,5,initial');
    expect(summaryOf(await run(engine, prices, live))).toMatchObject({ unchanged: 1 });
  });

  it('are never sent from a state that is lost, which does not say that they could be compared', async () => {
    const engine = await makeEngine();
    priceTable(engine, '1,1,0.1,delta');
    engine.service.prices.push({ player_id: 1, price: 0.1, type: 'delta', league: 1 });
    await expect(run(engine)).rejects.toMatchObject({
      code: 'state.no_memory',
      next: 'restore the state file, or add --adopt to upload all prices of the source again',
    });
  });
});

describe('two mappings of the prices of the same players', () => {
  it('do not stop each other, in several requests and pushed one after the other', async () => {
    const engine = await makeEngine();
    const of = (name: string): PushMapping => {
      const { source } = mappingOn(`${name}.csv`);
      return { ...prices, name, source, batchSize: 2 };
    };
    const table = (name: string, type: string, price: number): void => {
      engine.tables.set(`${name}.csv`, [
        PRICE_HEADER,
        ...[1, 2, 3, 4].map((player) => ['1', `${player}`, `${price}`, type]),
      ]);
    };
    for (const price of [4, 5, 6]) {
      for (const type of ['initial', 'current', 'delta']) {
        table(type, type, price);
        const pushed = summaryOf(await run(engine, of(type)));
        expect(pushed).toMatchObject(price === 4 ? { created: 4 } : { updated: 4 });
      }
    }
    expect(engine.service.prices).toHaveLength(36);
  });
});

describe('uploads of others', () => {
  it('are no reason to stop, whatever their players', async () => {
    const engine = await makeEngine();
    priceTable(engine, '1,1,4,initial', '1,2,5,initial');
    await run(engine);
    engine.service.prices.push(
      { player_id: 1, price: 9, league: 1 },
      { player_id: 7, price: 4.5, league: 1 },
    );
    priceTable(engine, '1,1,4.5,initial', '1,2,5,initial');
    expect(summaryOf(await run(engine))).toMatchObject({ updated: 1, unchanged: 1 });
  });

  it('are not asked for where no price is to be sent', async () => {
    const engine = await makeEngine();
    priceTable(engine, '1,1,4,initial');
    await run(engine);
    engine.service.reads = 0;
    await run(engine);
    expect(engine.service.reads).toBe(1);
  });

  it('are not looked for where a run is resumed, or a write is still open', async () => {
    const engine = await makeEngine();
    priceTable(engine, '1,1,4,initial', '1,2,5,initial');
    await run(engine);
    engine.service.faults.push('lost');
    engine.service.references = 'absent';
    priceTable(engine, '1,1,4.5,initial', '1,2,5,initial');
    await run(engine);
    await resume(engine.ports, undefined, approve);
    priceTable(engine, '1,1,4.5,initial', '1,2,5.5,initial');
    expect(summaryOf(await run(engine))).toMatchObject({ updated: 1 });
  });
});

describe('a state that does not remember the last trigger', () => {
  const week = (number: number): string => `0b0e3c9a-0000-4000-8000-00000000000${number}`;
  const weeks = (engine: Engine, ...numbers: readonly number[]): void => {
    engine.tables.set('triggers.csv', [
      ['fantasy_league_id', 'game_week_id'],
      ...numbers.map((number) => ['1', week(number)]),
    ]);
  };

  it('stops where the log has later substitutions than those of its own', async () => {
    const engine = await makeEngine();
    weeks(engine, 1);
    await run(engine, TRIGGERS);
    const old = await backup(engine);
    engine.clock.time += 7 * 24 * HOUR_MS;
    weeks(engine, 1, 2);
    expect(summaryOf(await run(engine, TRIGGERS))).toMatchObject({ created: 1, unchanged: 1 });
    weeks(old, 1, 2);
    await expect(run(old, TRIGGERS)).rejects.toMatchObject({ code: 'state.no_memory', exitCode: 6 });
    expect(old.service.writes).toHaveLength(2);
    const adopted = await run(old, TRIGGERS, { ...PLAN_OPTIONS, adopt: true });
    expect(summaryOf(adopted)).toMatchObject({ created: 1, unchanged: 1 });
  });
});
