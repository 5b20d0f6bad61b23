import { describe, expect, it } from 'vitest';
import type { PushMapping } from '../../src/mapping/mapping.ts';
import { IncompleteError, RefusedError, UnavailableError } from '../../src/model/error.ts';
import { push } from '../../src/sync/push.ts';
import { prepareVerify, verifyExit } from '../../src/sync/verify.ts';
import { settingNames } from '../support/points.ts';
import { makeEngine, PLAN_OPTIONS, type Engine } from '../support/engine.ts';
import { approve, mappingOn, PRICE_HEADER, PRICES } from '../support/push-case.ts';

const mappingOf = (resource: PushMapping['resource'], operation: PushMapping['operation']): PushMapping =>
  mappingOn(`${resource}.csv`, { name: resource, resource, operation });

async function pushed(
  engine: Engine,
  mapping: PushMapping,
  ...lines: readonly (readonly string[])[]
): Promise<string> {
  engine.tables.set(`${mapping.name}.csv`, lines);
  const ports = { ...engine.ports, maxWaitMs: 0 };
  const { report } = await push(ports, 'push', [mapping], PLAN_OPTIONS, approve);
  return report.run ?? '';
}

const users = mappingOf('users', 'upsert');
const pushUsers = (engine: Engine, ...lines: readonly string[]): Promise<string> =>
  pushed(
    engine,
    users,
    ['external_id', 'display_name', 'is_active'],
    ...lines.map((line) => line.split(',')),
  );

/** The verdicts of a run as short lines, its cost, and how the command would end. */
async function verdicts(engine: Engine, runId?: string) {
  const writes = engine.service.writes.length;
  const verification = await prepareVerify(engine.ports, runId);
  if (verification === undefined) return undefined;
  const readsBefore = engine.service.reads;
  const rows = await Array.fromAsync(verification.rows());
  await verification.close();
  // I8: nothing but GET.
  expect(engine.service.writes).toHaveLength(writes);
  return {
    lines: rows.map(({ key, verdict, fields, message }) =>
      [`${key ?? ''} ${verdict}`, ...Object.keys(fields), message].filter((part) => part !== '').join(', '),
    ),
    rows,
    cost: verification.mappings.map(({ requests, how }) => `${requests} by ${how}`),
    reads: engine.service.reads - readsBefore,
    exit: verifyExit(rows),
  };
}

const LATE =
  'it was written just now, and the service may show that late: type teamsheet verify again once settle has passed';

/** Time in which a list may still come late. */
const pass = ({ clock, ports }: Engine): void => void (clock.time += ports.settleMs + 1);

describe('what a run wrote', () => {
  it('agrees: every user, from the list, for the cost that was told', async () => {
    const engine = await makeEngine();
    const run = await pushUsers(engine, 'A,Ann,', 'B,Bob,false');
    const found = await verdicts(engine, run);
    expect(found).toMatchObject({
      lines: ['A agrees', 'B agrees'],
      cost: ['1 by the list of users'],
      reads: 1,
      exit: 0,
    });
  });

  it('differs or is missing, field by field', async () => {
    const engine = await makeEngine();
    await pushUsers(engine, 'A,Ann,', 'B,Bob,', 'C,Cid,', 'D,Dan,');
    const { users: held } = engine.service;
    held[0] = { ...held[0], id: 'user-1', external_id: 'A', display_name: 'Anna' };
    held.splice(1, 1);
    held.push({ id: 'twin', external_id: 'D', display_name: 'Dan' });
    pass(engine);
    const found = await verdicts(engine);
    expect(found?.lines).toEqual([
      'A differs, display_name',
      'B missing, the service has no such record',
      'C agrees',
      'D differs, the service has 2 records for it: twin and user-4',
    ]);
    expect(found?.rows[0]?.fields).toEqual({ display_name: { wanted: 'Ann', held: 'Anna' } });
    expect(found?.exit).toBe(3);
  });

  it('is not called missing while a list may come late, or shows fewer than the account counts', async () => {
    const engine = await makeEngine();
    await pushUsers(engine, 'A,Ann,');
    pass(engine);
    engine.service.listLagMs = engine.ports.settleMs / 2;
    engine.service.counter = { lagMs: engine.ports.settleMs / 2 };
    const run = await pushUsers(engine, 'A,Ann,', 'B,Bob,');
    expect(await verdicts(engine, run)).toMatchObject({
      lines: ['B unreadable, the list does not show it; it was confirmed just now, and a list may come late'],
      exit: 7,
    });
    pass(engine);
    expect((await verdicts(engine, run))?.lines).toEqual(['B agrees']);
    engine.service.users.pop();
    expect((await verdicts(engine, run))?.lines).toEqual(['B missing, the service has no such record']);
    engine.service.removed = 1;
    expect((await verdicts(engine, run))?.lines).toEqual([
      'B unreadable, the list does not show it, and it shows fewer users than the account counts',
    ]);
  });

  it('is what the named run wrote: a later push of another value is said', async () => {
    const engine = await makeEngine();
    const first = await pushUsers(engine, 'A,Ann,', 'B,Bob,');
    await pushUsers(engine, 'A,Anna,', 'B,Bob,');
    expect((await verdicts(engine))?.lines).toEqual(['A agrees']);
    expect(await verdicts(engine, first)).toMatchObject({
      lines: [
        'A differs, display_name, a later push, or a list read since, showed another value',
        'B agrees',
      ],
      exit: 3,
    });
  });

  it('cannot be said while a write has no answer, or the service does not let itself be read', async () => {
    const engine = await makeEngine({ faults: ['vanished'] });
    await pushUsers(engine, 'A,Ann,');
    const open = await verdicts(engine);
    expect(open?.lines).toEqual([
      'A unreadable, its write has no trustworthy answer yet: type teamsheet resolve',
    ]);
    expect(open).toMatchObject({ exit: 7, reads: 0 });
    const other = await makeEngine();
    await pushUsers(other, 'A,Ann,');
    other.service.listable = false;
    expect(await verdicts(other)).toMatchObject({
      lines: ['A unreadable, the list does not add up'],
      exit: 8,
    });
  });

  it('ends with 8 where the service did not answer, whatever else cannot be read', async () => {
    const engine = await makeEngine();
    await pushUsers(engine, 'A,Ann,', 'B,Bob,');
    const prepared = await prepareVerify(engine.ports, undefined);
    engine.service.readFaults.push(
      ...Array<Error>(5).fill(new UnavailableError('service.error', 'it answered with 503')),
    );
    const rows = await Array.fromAsync(prepared?.rows() ?? []);
    await prepared?.close();
    expect(rows.map(({ key, message, unavailable }) => [key, message, unavailable])).toEqual([
      ['A', 'it answered with 503', true],
      ['B', 'it answered with 503', true],
    ]);
    expect(verifyExit(rows)).toBe(8);
    expect(verifyExit(rows.map((row, at) => ({ ...row, unavailable: at > 0 })))).toBe(8);
  });

  it('stops asking when the budget is gone', async () => {
    const engine = await makeEngine();
    const lines = Array.from({ length: 20 }, (_, at) => ['1', String(at + 1), '5', 'buy']);
    await pushed(engine, PRICES, PRICE_HEADER, ...lines);
    const verification = await prepareVerify(engine.ports, undefined);
    engine.service.readFaults.push(
      ...Array<Error>(20).fill(new IncompleteError('budget.exhausted', 'no budget')),
    );
    const rows = await Array.fromAsync(verification?.rows() ?? []);
    await verification?.close();
    expect(rows).toHaveLength(20);
    expect(new Set(rows.map(({ verdict, message }) => `${verdict} ${message}`))).toEqual(
      new Set(['unreadable no budget']),
    );
    expect(engine.service.readFaults.length).toBeGreaterThan(0);
  });

  it('nothing: there is nothing to read', async () => {
    const engine = await makeEngine();
    expect(await verdicts(engine)).toBeUndefined();
    const run = await pushUsers(engine, 'A,,');
    expect(await verdicts(engine, run)).toBeUndefined();
    await expect(verdicts(engine, 'nobody')).rejects.toMatchObject({ code: 'run.unknown' });
    const stored = await engine.store.run(run);
    if (stored !== undefined) await engine.store.addPull({ ...stored, id: 'a pull' });
    await expect(verdicts(engine, 'a pull')).rejects.toMatchObject({ code: 'run.is_pull', exitCode: 64 });
  });

  it('is told as gone once its rows are', async () => {
    const engine = await makeEngine();
    const run = await pushUsers(engine, 'A,Ann,');
    await (await engine.store.keptRunRows(run))?.remove();
    await expect(verdicts(engine, run)).rejects.toMatchObject({ code: 'run.rows_gone', exitCode: 64 });
  });
});

describe('each resource is read back in its own way', () => {
  it('prices: one read for each player', async () => {
    const engine = await makeEngine();
    await pushed(engine, PRICES, PRICE_HEADER, ['1', '7', '5', 'buy'], ['1', '8', '6', 'buy']);
    engine.service.prices.push({ player_id: 8, price: 9 });
    expect((await verdicts(engine))?.lines).toEqual(['1/7/buy agrees', `1/8/buy differs, price, ${LATE}`]);
    pass(engine);
    expect(await verdicts(engine)).toMatchObject({
      lines: ['1/7/buy agrees', '1/8/buy differs, price'],
      cost: ['2 by the price of each player'],
      exit: 3,
    });
  });

  it('prices that are steps: not at all, because the service shows what they came to', async () => {
    const engine = await makeEngine();
    await pushed(engine, PRICES, PRICE_HEADER, ['1', '7', '0.5', 'delta'], ['1', '8', '6', 'buy']);
    const { lines, exit } = (await verdicts(engine)) ?? {};
    expect(lines).toEqual([expect.stringMatching(/^1\/7\/delta unreadable/), '1/8/buy agrees']);
    expect(exit).toBe(7);
  });

  it('points configurations: by the id that the upload answered with', async () => {
    const engine = await makeEngine();
    const names = settingNames;
    const run = await pushed(
      engine,
      mappingOf('points_config', 'set'),
      ['fantasy_league_id', ...names],
      ['1', ...names.map(() => '2')],
    );
    expect(await verdicts(engine, run)).toMatchObject({ lines: ['1 agrees'], exit: 0 });
    engine.service.configs.set(1, { ...engine.service.configs.get(1), [names[0] ?? '']: 3 });
    pass(engine);
    expect((await verdicts(engine, run))?.lines).toEqual([`1 differs, ${names[0]}`]);
    engine.service.readFaults.push(undefined, new UnavailableError('points_config.not_found', 'not found'));
    expect(await verdicts(engine, run)).toMatchObject({ lines: ['1 unreadable, not found'], exit: 7 });
    const down = new UnavailableError('service.error', 'answered with 503');
    engine.service.readFaults.push(undefined, down, down, down);
    expect(await verdicts(engine, run)).toMatchObject({
      lines: ['1 unreadable, answered with 503'],
      exit: 8,
    });
  });

  it('fantasy leagues: by their ids, which the service may not know at once', async () => {
    const engine = await makeEngine();
    const leagues = mappingOf('fantasy_leagues', 'create');
    await pushed(engine, leagues, ['name', 'league_id'], ['Premier', '1']);
    const { get } = engine.service;
    engine.service.get = (operation, input) =>
      operation === 'get-fantasy-league'
        ? Promise.reject(new RefusedError(404, 'no'))
        : get(operation, input);
    expect(await verdicts(engine)).toMatchObject({
      lines: [`Premier unreadable, the service does not show it; ${LATE}`],
      exit: 7,
    });
    pass(engine);
    expect(await verdicts(engine)).toMatchObject({
      lines: ['Premier missing, the service has no such record'],
      exit: 3,
    });
  });

  it('mini leagues and squads: from the list where many were made', async () => {
    const engine = await makeEngine();
    await pushed(
      engine,
      mappingOf('mini_leagues', 'create'),
      ['fantasy_league_id', 'name', 'type'],
      ['1', 'North', 'open'],
      ['1', 'South', 'open'],
    );
    engine.service.miniLeagues.splice(0, 1);
    pass(engine);
    expect(await verdicts(engine)).toMatchObject({
      lines: ['1/North missing, the service has no such record', '1/South agrees'],
      cost: ['1 by the list of mini leagues'],
    });
  });

  it('triggers: by what the log shows since', async () => {
    const engine = await makeEngine();
    await pushed(
      engine,
      mappingOf('auto_substitutions', 'trigger'),
      ['fantasy_league_id', 'game_week_id'],
      ['1', '6d9ee4ab-1b1c-4a8e-9d5e-000000000001'],
    );
    const made = engine.service.substitutions.splice(0);
    const before = await verdicts(engine);
    expect(before).toMatchObject({ exit: 7 });
    expect(before?.lines[0]).toContain('a game week without substitutions leaves none');
    // The service's clock is its own: what counts is that there are more records than before.
    const created_at = new Date(engine.clock.now() - 86_400_000).toISOString();
    engine.service.substitutions.push(...made.map((record) => ({ ...record, created_at })));
    expect(await verdicts(engine)).toMatchObject({ exit: 0, lines: [expect.stringContaining('agrees')] });
  });
});
