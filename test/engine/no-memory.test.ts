import { describe, expect, it } from 'vitest';
import type { PushMapping } from '../../src/mapping/mapping.ts';
import { RefusedError, UnavailableError } from '../../src/model/error.ts';
import { planPush } from '../../src/sync/plan/plan-sync.ts';
import { push, type PushResult } from '../../src/sync/push.ts';
import { resume } from '../../src/sync/resume.ts';
import { makeEngine, PLAN_OPTIONS, type Engine } from '../support/engine.ts';
import {
  approve,
  LEAGUES as leagues,
  mappingOn,
  priceTable,
  PRICES as prices,
  setTable,
  TRIGGERS as triggers,
  userTable,
} from '../support/push-case.ts';

const users = mappingOn('users.csv');
const minis = mappingOn('minis.csv', { name: 'minis', resource: 'mini_leagues', operation: 'create' });

const pushIt = (engine: Engine, mapping: PushMapping): Promise<PushResult> =>
  push(engine.ports, 'push', [mapping], PLAN_OPTIONS, approve);

function weekTable(engine: Engine, ...weeks: readonly number[]): void {
  const lines = weeks.map((week) => `1,01234567-89ab-4cde-8f01-23456789abc${week}`);
  setTable(engine, 'triggers', 'fantasy_league_id,game_week_id', ...lines);
}

const fillUsers = (engine: Engine, ...names: readonly string[]): void =>
  userTable(engine, ...names.map((name) => `${name},Name ${name},`));

describe('the memory of prices', () => {
  it('of one league is not asked for those of another', async () => {
    const engine = await makeEngine();
    engine.service.prices.push({ player_id: 7, price: 5, league: 2, write: 0 });
    priceTable(engine, '3,7,5,current');
    expect((await pushIt(engine, prices)).report.mappings[0]).toMatchObject({ created: 1 });
  });

  it('of one league is none of another, whose uploads the log has', async () => {
    const engine = await makeEngine();
    priceTable(engine, '2,7,5,current');
    await pushIt(engine, prices);
    engine.service.prices.push({ player_id: 7, price: 5, league: 3, write: 9 });
    priceTable(engine, '2,7,5,current', '3,7,5,current');
    await expect(pushIt(engine, prices)).rejects.toMatchObject({
      code: 'state.no_memory',
      message:
        'prices: the service has price uploads of fantasy league 3, but this state remembers none, so it cannot tell which prices are already there',
    });
    expect(engine.service.prices).toHaveLength(2);
  });
});

describe('a log that the service refuses to show', () => {
  async function refusing(
    log: 'list-prices' | 'list-auto-substitutions',
    error: Error = new RefusedError(404, 'GET /log answered 404'),
  ): Promise<Engine> {
    const engine = await makeEngine();
    const { get } = engine.service;
    engine.service.get = (operation, input) =>
      operation === log ? Promise.reject(error) : get(operation, input);
    return engine;
  }

  it('keeps prices from being uploaded without a memory, but for --adopt', async () => {
    const engine = await refusing('list-prices');
    priceTable(engine, '2,7,5,current');
    await expect(pushIt(engine, prices)).rejects.toMatchObject({
      code: 'state.no_memory',
      message:
        'prices: the service refuses to show price uploads (GET /log answered 404), and this state remembers none, so it cannot tell which prices are already there',
    });
    const adopting = { ...PLAN_OPTIONS, adopt: true };
    const { report } = await push(engine.ports, 'push', [prices], adopting, approve);
    expect(report.mappings[0]).toMatchObject({ created: 1 });
  });

  it('is another one than a log that does not answer', async () => {
    const down = new UnavailableError('service.unreachable', 'no answer');
    const engine = await refusing('list-prices', down);
    priceTable(engine, '2,7,5,current');
    await expect(pushIt(engine, prices)).rejects.toBe(down);
    const other = await refusing('list-auto-substitutions', down);
    weekTable(other, 1);
    await expect(pushIt(other, triggers)).rejects.toBe(down);
  });

  it('keeps game weeks from being triggered without a memory', async () => {
    const engine = await refusing('list-auto-substitutions');
    weekTable(engine, 1);
    await expect(pushIt(engine, triggers)).rejects.toMatchObject({
      code: 'state.no_memory',
      message:
        'triggers: the service refuses to show substitutions of fantasy league 1 (GET /log answered 404), and this state remembers no trigger, so it cannot tell which game weeks are processed already',
    });
  });
});

describe('the memory of triggers', () => {
  it('is a trigger without an answer too, for a run that goes on', async () => {
    const engine = await makeEngine();
    weekTable(engine, 1, 2);
    engine.service.listLagMs = 1_000_000;
    engine.service.faults.push('lost', 'unreachable');
    const hasty = { ...engine.ports, maxWaitMs: 0 };
    await push(hasty, 'push', [triggers], PLAN_OPTIONS, approve);
    engine.service.listLagMs = 0;
    const resumed = await resume(engine.ports, undefined, approve);
    expect(resumed?.report.mappings[0]).toMatchObject({ rows: 2, created: 2 });
  });
});

describe('the memory of fantasy leagues', () => {
  const table = (engine: Engine, ...names: readonly string[]): void =>
    setTable(engine, 'leagues', 'name,league_id', ...names.map((name) => `${name},1`));

  it('is missed where the account counts more than an older state can explain', async () => {
    const engine = await makeEngine();
    engine.service.leagues.push({ id: 99, name: 'By hand' });
    table(engine, 'Sunday');
    expect((await pushIt(engine, leagues)).report.exit_code).toBe(0);
    table(engine, 'Sunday', 'Monday');
    expect((await pushIt(engine, leagues)).report.exit_code).toBe(0);
    // What an older copy of the state does not know.
    engine.service.leagues.push({ id: 100, name: 'Tuesday' });
    table(engine, 'Sunday', 'Monday', 'Tuesday');
    await expect(pushIt(engine, leagues)).rejects.toMatchObject({
      code: 'state.no_memory',
      exitCode: 6,
      message: expect.stringContaining('1 fantasy league more than this state remembers') as string,
    });
    const adopting = { ...PLAN_OPTIONS, adopt: true };
    const { report } = await push(engine.ports, 'push', [leagues], adopting, approve);
    expect(report.mappings[0]).toMatchObject({ unchanged: 2, created: 1 });
  });
});

describe('the memory of what a list shows late', () => {
  const MEMBERS = ['A', 'B', 'C'] as const;
  const adopting = { ...PLAN_OPTIONS, adopt: true };
  const fill = (engine: Engine, names: readonly string[] = MEMBERS): void => {
    fillUsers(engine, ...names);
    setTable(engine, 'minis', 'fantasy_league_id,name,type', ...names.map((name) => `1,${name},open`));
  };
  /** A state without memory, on a service that holds the rows and shows them after a while. */
  async function lost(listLagMs: number): Promise<Engine> {
    const first = await makeEngine();
    fill(first);
    await pushIt(first, users);
    first.service.listLagMs = listLagMs;
    const engine = await makeEngine({}, first.service);
    fill(engine);
    return engine;
  }
  const heldBy = ({ service }: Engine): readonly string[] =>
    service.users.map(({ external_id }) => external_id);

  it('is not needed where the list comes while it is read again', async () => {
    const engine = await lost(30_000);
    expect((await pushIt(engine, users)).report.mappings[0]).toMatchObject({ unchanged: 3, created: 0 });
    expect(engine.clock.slept).toEqual([2_000, 8_000, 30_000]);
    expect(engine.events).toContainEqual(
      expect.objectContaining({
        kind: 'pause',
        reason: 'users: the account counts 3 users and the list shows 0; it may come late',
      }),
    );
  });

  it('is missed where the list stays short, by push and by plan, however often it is asked', async () => {
    const engine = await lost(Infinity);
    const stop = {
      code: 'state.no_memory',
      exitCode: 6,
      message:
        'users: the account counts 3 users and the list shows 0, and this state does not know the others: the list may come late, another copy of the state may have created them, or they were removed',
      next: 'restore the state file, or wait and push again; where none of the rows can be there already, add --adopt',
    };
    await expect(pushIt(engine, users)).rejects.toMatchObject(stop);
    const planned = await planPush(engine.ports, [users], PLAN_OPTIONS);
    await planned.rows.remove();
    expect(planned).toMatchObject({ exitCode: 6, stops: [{ mapping: 'users', error: stop }] });
    expect(heldBy(engine)).toEqual(MEMBERS);
  });

  it('is missed of a part, also when the part is known by then', async () => {
    const engine = await makeEngine();
    fill(engine);
    engine.service.users.push({ id: 'a', external_id: 'A', display_name: 'Name A' });
    engine.service.removed = 2;
    for (let times = 0; times < 2; times += 1)
      await expect(pushIt(engine, users)).rejects.toMatchObject({
        code: 'state.no_memory',
        message: expect.stringContaining('counts 3 users and the list shows 1,') as string,
      });
    expect(heldBy(engine)).toEqual(['A']);
  });

  it('is not waited for longer than a run may pause', async () => {
    const engine = await lost(30_000);
    const hasty = { ...engine.ports, maxWaitMs: 5_000 };
    const pushing = push(hasty, 'push', [users], PLAN_OPTIONS, approve);
    await expect(pushing).rejects.toMatchObject({ code: 'state.no_memory' });
    expect(engine.clock.slept).toEqual([2_000]);
  });

  it('is missed by compare: live and compare: snapshot too', async () => {
    for (const compare of ['live', 'snapshot'] as const) {
      const engine = await lost(Infinity);
      const pushing = push(engine.ports, 'push', [users], { ...PLAN_OPTIONS, compare }, approve);
      await expect(pushing, compare).rejects.toMatchObject({ code: 'state.no_memory' });
    }
  });

  it('is missed of mini leagues', async () => {
    const engine = await makeEngine();
    fill(engine);
    engine.service.quotas = { mini_leagues: { max: 9, used: 3, remaining: 6 } };
    await expect(pushIt(engine, minis)).rejects.toMatchObject({ code: 'state.no_memory' });
  });

  it('has to be asked for once, where the account counts what was removed', async () => {
    const engine = await makeEngine();
    fill(engine);
    engine.service.removed = 7;
    await expect(pushIt(engine, users)).rejects.toMatchObject({ code: 'state.no_memory' });
    // A plan is no push: it decides nothing.
    const planned = await planPush(engine.ports, [users], adopting);
    await planned.rows.remove();
    expect(planned.exitCode).toBe(0);
    await expect(pushIt(engine, users)).rejects.toMatchObject({ code: 'state.no_memory' });
    const { report } = await push(engine.ports, 'push', [users], adopting, approve);
    expect(report.mappings[0]).toMatchObject({ created: 3 });
    fill(engine, [...MEMBERS, 'D']);
    expect((await pushIt(engine, users)).report.mappings[0]).toMatchObject({ created: 1, unchanged: 3 });
  });

  it('is not asked for where nothing is created, or the list shows all', async () => {
    const shown = await lost(0);
    shown.service.removed = 7;
    expect((await pushIt(shown, users)).report.mappings[0]).toMatchObject({ unchanged: 3 });
    const whole = await lost(0);
    fill(whole, [...MEMBERS, 'D']);
    expect((await pushIt(whole, users)).report.mappings[0]).toMatchObject({ unchanged: 3, created: 1 });
    // It was whole once, so that what is counted since may be rows that an older copy of the state forgot.
    whole.service.removed = 7;
    fill(whole, [...MEMBERS, 'D', 'E']);
    await expect(pushIt(whole, users)).rejects.toMatchObject({ code: 'state.no_memory' });
  });
});

describe('a list that no longer shows what was confirmed', () => {
  const DAY_MS = 86_400_000;
  const adopting = { ...PLAN_OPTIONS, adopt: true };
  const pushUsers = async (engine: Engine, options = PLAN_OPTIONS, mapping = users) =>
    (await push(engine.ports, 'push', [mapping], options, approve)).report.mappings[0];
  const counts = (used: number): Engine['service']['quotas'] => ({
    users: { max: 99, used, remaining: 99 - used },
  });
  /** A, B and C were pushed, and the list shows A alone. */
  async function shortened(mapping = users): Promise<Engine> {
    const engine = await makeEngine();
    fillUsers(engine, 'A', 'B', 'C');
    await pushUsers(engine, PLAN_OPTIONS, mapping);
    engine.service.users.splice(1);
    engine.clock.time += DAY_MS;
    return engine;
  }

  it.each<readonly [string, (engine: Engine) => void]>([
    ['nothing is counted', ({ service }) => void (service.counter = 'absent')],
    ['the counter stays at 0', ({ service }) => void (service.quotas = counts(0))],
    ['the account counts more than it', ({ service }) => void (service.quotas = counts(3))],
  ])('creates none of it again where %s, without the word of the operator', async (_what, set) => {
    const engine = await shortened();
    set(engine);
    for (let days = 0; days < 2; days += 1) {
      engine.clock.time += DAY_MS;
      expect(await pushUsers(engine)).toMatchObject({ unchanged: 3, created: 0 });
    }
    expect(engine.events).toContainEqual({
      kind: 'warning',
      message:
        'users: the list does not show 2 users that were confirmed before (first: "B"): they count as there and are not created again; if they were removed, push once with --adopt',
    });
    // A plan is no push: it forgets nothing.
    const planned = await planPush(engine.ports, [users], adopting);
    await planned.rows.remove();
    expect(planned.mappings[0]?.toWrite.create).toBe(2);
    expect(await pushUsers(engine)).toMatchObject({ unchanged: 3 });
    expect(await pushUsers(engine, adopting)).toMatchObject({ unchanged: 1, created: 2 });
  });

  it('creates what was never confirmed', async () => {
    const engine = await shortened();
    engine.service.counter = 'absent';
    fillUsers(engine, 'A', 'B', 'D');
    expect(await pushUsers(engine)).toMatchObject({ unchanged: 2, created: 1 });
  });

  it('says nothing of what no row names', async () => {
    const engine = await shortened();
    engine.service.counter = 'absent';
    fillUsers(engine, 'A');
    await pushUsers(engine);
    expect(engine.events.filter(({ kind }) => kind === 'warning')).toEqual([]);
  });

  it('creates it again where the account counts just what is listed', async () => {
    expect(await pushUsers(await shortened())).toMatchObject({ unchanged: 1, created: 2 });
  });

  it('leaves what the operator calls removed alone where it left the table too', async () => {
    const mapping = { ...users, missingRows: 'deactivate' } as const;
    const engine = await shortened(mapping);
    engine.service.counter = 'absent';
    fillUsers(engine, 'A');
    expect(await pushUsers(engine, adopting, mapping)).toMatchObject({
      rows: 1,
      unchanged: 1,
      deactivated: 0,
    });
    expect(engine.service.writes).toHaveLength(1);
  });
});
