import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Endpoint } from '../../src/contract/endpoint.ts';
import { endpoints, OPERATION_IDS } from '../../src/contract/index.ts';
import type { OperationId, PagedOperationId } from '../../src/contract/index.ts';
import type { CallInput, Service, WriteResult } from '../../src/model/service.ts';
import { Secret } from '../../src/model/secret.ts';
import { examplesOf, type Example } from '../../src/sandbox/handlers/index.ts';
import { openStore } from '../../src/sandbox/store/store.ts';
import { createSandbox } from '../../src/sandbox/index.ts';
import type { Sandbox } from '../../src/sandbox/index.ts';
import { testClient } from '../support/client.ts';
import { virtualClock } from '../support/clock.ts';
import type { VirtualClock } from '../support/clock.ts';
import { pointsConfigBody } from '../support/sandbox.ts';

const LEAGUE = 1;
const seen = new Set<OperationId>();

describe('the client on the sandbox', () => {
  let sandbox: Sandbox;
  let clock: VirtualClock;
  let client: Service;
  const failures: unknown[] = [];

  beforeAll(async () => {
    clock = virtualClock();
    sandbox = await createSandbox({ seed: 'demo', clock, onFailure: (error) => failures.push(error) });
    ({ client } = testClient((request) => sandbox.inject(request), {
      clock,
      apiKey: new Secret(sandbox.apiKey),
      baseUrl: 'http://sandbox.test',
    }));
  });

  afterAll(async () => {
    await sandbox.close();
    expect(failures).toEqual([]);
    expect([...seen].toSorted()).toEqual(OPERATION_IDS.toSorted());
  });

  const read: Service['get'] = async (operation, input) => {
    seen.add(operation);
    const answer = await client.get(operation, input);
    expect(answer.issues).toEqual([]);
    return answer;
  };
  const one = async <Id extends OperationId>(operation: Id, input?: CallInput<Id>) => {
    const { records } = await read(operation, input);
    const [record] = records;
    if (record === undefined) throw new Error(`${operation} answered no record`);
    return record;
  };
  const write = async <Id extends OperationId>(
    operation: Id,
    body: CallInput<Id>['body'],
  ): Promise<Extract<WriteResult<Id>, { kind: 'applied' }>> => {
    seen.add(operation);
    const result = await client.send(operation, { body } as CallInput<Id>);
    if (result.kind !== 'applied') throw new Error(`${operation}: ${JSON.stringify(result)}`);
    expect(result.issues).toEqual([]);
    return result;
  };

  it('reads the account with its windows', async () => {
    const account = await client.account();
    expect(account.config?.rate_limit?.per_minute?.limit).toBe(600);
    expect(await one('get-account')).toMatchObject({ id: account.id });
  });

  it('creates, lists and changes users', async () => {
    const users = [
      { external_id: 'M-901', display_name: 'Zoë Ødegård' },
      { external_id: 'M-902', display_name: '李小龙' },
    ];
    const created = await write('create-users', { users });
    expect(created.records.map((user) => user.external_id)).toEqual(['M-901', 'M-902']);
    seen.add('list-users');
    const listed = (await Array.fromAsync(client.list('list-users'))).flat();
    expect(listed.map((user) => user.external_id)).toEqual(expect.arrayContaining(['M-901', 'M-902']));
    expect(new Set(listed.map(({ id }) => id)).size).toBe(listed.length);
    const [user] = created.records;
    const changed = await write('update-user', { id: user?.id ?? '', is_active: false });
    expect(changed.records[0]).toMatchObject({ external_id: 'M-901', is_active: false });
  });

  it('creates and reads leagues, fixtures and mini leagues', async () => {
    await write('create-fantasy-league', { name: 'Second', league_id: 1 });
    expect(await one('get-fantasy-league', { id: LEAGUE })).toMatchObject({ id: LEAGUE });
    expect((await read('get-fixtures', { id: LEAGUE })).records).toHaveLength(38);
    const mini = await write('create-mini-league', {
      fantasy_league_id: LEAGUE,
      name: 'Friends',
      type: 'classic',
    });
    const id = mini.records[0]?.id ?? 0;
    expect(await one('get-mini-league', { id })).toMatchObject({ id, name: 'Friends' });
    seen.add('list-mini-leagues');
    const listed = (
      await Array.fromAsync(client.list('list-mini-leagues', { fantasy_league_id: LEAGUE }))
    ).flat();
    expect(listed.map((league) => league.id)).toContain(id);
  });

  it('creates squads and reads them with their line-ups and players', async () => {
    const user = (await write('create-users', { users: [{ external_id: 'M-903', display_name: 'Ana' }] }))
      .records[0];
    const squad = (
      await write('create-squad', {
        user_id: user?.user_id ?? 0,
        name: 'Late Starters',
        fantasy_league_id: LEAGUE,
        players_in: Array.from({ length: 15 }, (_, index) => index + 1),
      })
    ).records[0];
    const id = squad?.id ?? '';
    expect(await one('get-squad', { id })).toMatchObject({ id, name: 'Late Starters' });
    const lineup = await one('get-lineup', { id });
    expect(lineup.squad?.starting_xi).toHaveLength(11);
    expect(await one('get-player', { id: 1, query: { fantasy_league_id: LEAGUE } })).toMatchObject({ id: 1 });
    seen.add('list-squads');
    const squads = (await Array.fromAsync(client.list('list-squads', { fantasy_league_id: LEAGUE }))).flat();
    expect(squads.length).toBeGreaterThan(60);
  });

  it('uploads prices and points, and triggers substitutions', async () => {
    const prices = [1, 2, 3].map((player_id) => ({ player_id, price: 7.5, type: 'manual' }));
    const upload = await write('upload-prices', { fantasy_league_id: LEAGUE, prices });
    expect(upload.records[0]?.count).toBe(3);
    seen.add('list-prices');
    expect((await Array.fromAsync(client.list('list-prices'))).flat().length).toBeGreaterThanOrEqual(3);
    const config = await write(
      'set-points-config',
      pointsConfigBody({ fantasy_league_id: LEAGUE }) as CallInput<'set-points-config'>['body'],
    );
    expect(await one('get-points-config', { id: config.records[0]?.id ?? '' })).toMatchObject({
      fantasy_league_id: LEAGUE,
    });
    const week = (await read('get-fixtures', { id: LEAGUE })).records[0];
    await write('trigger-auto-substitution', { fantasy_league_id: LEAGUE, game_week_id: week?.id ?? '' });
    seen.add('list-auto-substitutions');
    const log = (
      await Array.fromAsync(client.list('list-auto-substitutions', { fantasy_league_id: LEAGUE }))
    ).flat();
    expect(log.length).toBeGreaterThan(0);
  });

  it('carries out an example of every other operation', async () => {
    const examples: Readonly<Record<OperationId, Example>> = examplesOf(openStore(undefined));
    for (const operation of OPERATION_IDS.filter((id) => !seen.has(id))) {
      const { id = '', body } = examples[operation];
      const endpoint: Endpoint = endpoints[operation];
      if (endpoint.method !== 'GET') await write(operation, body as CallInput<OperationId>['body']);
      else if (endpoint.paged !== true) await read(operation, { id });
      else await Array.fromAsync(client.list(operation as PagedOperationId));
      seen.add(operation);
    }
  });

  it('takes refusals of the service for values and errors', async () => {
    expect(
      await client.send('create-fantasy-league', { body: { name: 'Nowhere', league_id: 999 } }),
    ).toMatchObject({ kind: 'refused' });
    await expect(client.get('get-mini-league', { id: 999 })).rejects.toMatchObject({ status: 404 });
    const { client: stranger } = testClient((request) => sandbox.inject(request), {
      clock,
      apiKey: new Secret('wrong'),
      baseUrl: 'http://sandbox.test',
    });
    await expect(stranger.account()).rejects.toMatchObject({ code: 'service.access' });
  });
});

describe('the budget on the sandbox', () => {
  it('meets no 429 and makes the pauses of the forecast', async () => {
    const clock = virtualClock();
    const settings = { per_minute: 20, window_seconds: 60 };
    const sandbox = await createSandbox({ clock, settings });
    const { client, pauses } = testClient((request) => sandbox.inject(request), {
      clock,
      apiKey: new Secret(sandbox.apiKey),
      baseUrl: 'http://sandbox.test',
    });
    await client.account();
    const measured = client.forecast([{ requests: 70, inFlight: 8, rows: 70 }]);
    await clock.advance(1000);
    const forecast = await measured;
    const before = client.counts().sent;
    const work = Promise.all(
      Array.from({ length: 70 }, (_, index) =>
        client.send('create-users', {
          body: { users: [{ external_id: `M-${index}`, display_name: 'Ana' }] },
        }),
      ),
    );
    const progress = { done: false };
    void work.finally(() => {
      progress.done = true;
    });
    while (!progress.done) await clock.advance(1000);
    await sandbox.close();
    expect(new Set((await work).map(({ kind }) => kind))).toEqual(new Set(['applied']));
    expect(client.counts()).toMatchObject({ throttled: 0, sent: before + forecast.requests });
    expect(pauses()).toHaveLength(forecast.pauses.length);
    for (const [index, { untilMs }] of pauses().entries())
      expect(Math.abs(untilMs - (forecast.pauses[index]?.untilMs ?? 0))).toBeLessThan(1000);
  });
});
