import { cp, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import type { User } from '../../src/contract/resources/users.ts';
import type { PushMapping } from '../../src/mapping/mapping.ts';
import { knownUser, remembered } from '../../src/plan/known-records.ts';
import type { PlanOptions } from '../../src/plan/saved/push-plan.ts';
import { push, type PushResult } from '../../src/sync/push.ts';
import { resolve } from '../../src/sync/resolve.ts';
import { resume } from '../../src/sync/resume.ts';
import { prepareVerify } from '../../src/sync/verify.ts';
import { mappingFrom as mapping } from '../support/builders.ts';
import { makeEngine, openEngine, PLAN_OPTIONS, stateFolder, type Engine } from '../support/engine.ts';
import {
  accountOf,
  approve,
  outcomesOf,
  resultLines,
  setTable,
  userEngine,
  userTable,
} from '../support/push-case.ts';
import { applied, type FakeService } from '../support/fake-service.ts';

/** Lists show keys in ways that no folding of texts explains; every other answer shows them as they were sent. */
const STRANGE: readonly (readonly [string, FakeService['spelling']])[] = [
  ['without leading zeros', { no_zeros: 'lists' }],
  ['with a prefix', { prefix: 'lists' }],
  ['with a prefix, in lower case and cut', { prefix: 'lists', lower: 'lists', cut: 'lists' }],
];

const users = mapping('users', 'users', 'upsert', 'auto');
const PLAYERS = '{ from_all: [P1], type: integer, blank: omit }';
const squads = mapping(
  'squads',
  'squads',
  'create',
  `{ fantasy_league_id: { value: 1 }, user_id: { from: Who, lookup: { in: users, match: external_id, take: user_id } }, name: Name, players_in: ${PLAYERS} }`,
);
const minis = mapping(
  'minis',
  'mini_leagues',
  'create',
  '{ fantasy_league_id: { value: 1 }, name: Name, type: { value: open } }',
);

const run = (
  engine: Engine,
  mappings: readonly PushMapping[],
  options: Partial<PlanOptions> = {},
): Promise<PushResult> => push(engine.ports, 'push', mappings, { ...PLAN_OPTIONS, ...options }, approve);

/** A push after everything that was confirmed has to stand in the list. */
async function later(...args: Parameters<typeof run>): Promise<PushResult> {
  args[0].clock.time += 2 * args[0].ports.settleMs;
  return run(...args);
}

const outcomes = (engine: Engine, name = 'users'): readonly string[] =>
  resultLines(engine, name).map(({ outcome }) => outcome);

async function verdicts(engine: Engine): Promise<readonly string[]> {
  const verification = await prepareVerify(engine.ports, undefined);
  const rows = await Array.fromAsync(verification?.rows() ?? []);
  await verification?.close();
  return rows.map(({ key, verdict }) => `${key ?? ''} ${verdict}`);
}

/** The operator's word that the one open write was applied. */
async function assumeApplied(engine: Engine): Promise<void> {
  const [open] = await engine.store.openIntents(accountOf(engine));
  await resolve(engine.ports, open?.id ?? '', 'applied', approve);
}

const inAnswers = (spelling: FakeService['spelling']): FakeService['spelling'] =>
  Object.fromEntries(Object.keys(spelling).map((way) => [way, 'answers'] as const));

async function knownUsers(engine: Engine): Promise<readonly string[]> {
  const pages = await Array.fromAsync(engine.store.allSnapshots(accountOf(engine), 'users'));
  return pages.flat().map(({ key }) => key);
}

describe.each(STRANGE)('a service whose lists show keys %s', (_, spelling) => {
  it('holds each user once, whatever is pushed again, changed and read back', async () => {
    const engine = await userEngine(['0001,Ann,', '0002,Bob,false', '0003,Cid,'], { spelling });
    expect(outcomesOf(await run(engine, [users]))).toEqual({ created: 3 });
    expect(await verdicts(engine)).toEqual(['0001 agrees', '0002 agrees', '0003 agrees']);
    for (let round = 0; round < 3; round += 1)
      expect(outcomesOf(await later(engine, [users]))).toEqual({ unchanged: 3 });
    expect(await knownUsers(engine)).toEqual(['0001', '0002', '0003']);

    userTable(engine, '0001,Anna,', '0002,Bob,true', '0003,Cid,', '0004,Dora,');
    expect(outcomesOf(await later(engine, [users]))).toEqual({ created: 1, updated: 2, unchanged: 1 });
    expect(outcomesOf(await later(engine, [users]))).toEqual({ unchanged: 4 });
    expect(engine.service.users.map(({ external_id, display_name }) => [external_id, display_name])).toEqual([
      ['0001', 'Anna'],
      ['0002', 'Bob'],
      ['0003', 'Cid'],
      ['0004', 'Dora'],
    ]);
  });

  it('makes no user again that shares the key which the list shows with another one', async () => {
    const engine = await userEngine(['0001,Ann,', '0002,Bob,'], { spelling });
    await run(engine, [users]);
    const [ann] = engine.service.users;
    if (ann === undefined) throw new Error('no user was made');
    // An earlier list showed it, before its row was pushed.
    const [shown] = await Array.fromAsync(engine.service.list('list-users'));
    const listed = (shown ?? []).flatMap((user) => (user.id === ann.id ? [remembered(knownUser(user))] : []));
    expect(listed).toMatchObject([{ key: expect.not.stringMatching(/^0001$/) as string }]);
    await engine.store.confirm(accountOf(engine), 'users', listed);
    engine.service.users.unshift({ ...ann, id: 'another', user_id: 99 });
    for (let round = 0; round < 2; round += 1)
      expect(outcomesOf(await later(engine, [users]))).toMatchObject({ unchanged: 2 });
    expect(engine.service.users).toHaveLength(3);
  });

  it('holds each squad and mini league once, and a squad finds its user', async () => {
    const engine = await userEngine(['0001,Ann,', '0002,Bob,'], { spelling });
    setTable(engine, 'squads', 'Who,Name,P1', '0001,007 United,1', '0002,007 United,2');
    setTable(engine, 'minis', 'Name', '000 Cup', '001 Cup');
    const all = [users, squads, minis];
    await run(engine, all);
    for (let round = 0; round < 2; round += 1) {
      setTable(
        engine,
        'squads',
        'Who,Name,P1',
        '0001,007 United,1',
        '0002,007 United,2',
        '0002,008 Rovers,3',
      );
      const { report } = await later(engine, all);
      expect(report.exit_code).toBe(0);
    }
    expect(outcomes(engine, 'squads')).toEqual(['unchanged', 'unchanged', 'unchanged']);
    expect(engine.service.squads.map(({ user_id, name }) => [user_id, name])).toEqual([
      [1, '007 United'],
      [2, '007 United'],
      [2, '008 Rovers'],
    ]);
    expect(engine.service.miniLeagues.map(({ name }) => name)).toEqual(['000 Cup', '001 Cup']);
  });

  it('is read back by ids where the answer to a change is lost', async () => {
    const engine = await userEngine(['0001,Ann,', '0002,Bob,'], { spelling });
    await run(engine, [users]);
    userTable(engine, '0001,Anna,', '0002,Bob,');
    engine.service.faults.push('lost', 'refused');
    await later(engine, [users]);
    expect(outcomes(engine)).toEqual(['updated', 'unchanged']);
  });

  it('shows nothing of a new row whose answer is lost: it stays unknown, and the operator says that it is there', async () => {
    const engine = await userEngine(['0001,Ann,'], { spelling });
    await run(engine, [users]);
    userTable(engine, '0001,Ann,', '0002,Bob,');
    engine.service.faults.push('lost');
    await later(engine, [users]);
    expect(outcomes(engine)).toEqual(['unchanged', 'unknown']);
    await later(engine, [users]);
    await assumeApplied(engine);
    for (let round = 0; round < 2; round += 1)
      expect(outcomesOf(await later(engine, [users]))).toEqual({ unchanged: 2 });
    expect(engine.service.users).toHaveLength(2);
  });

  it('shows nothing of a new row either whose record somebody changes before it is read again', async () => {
    const engine = await userEngine(['0001,Ann,'], { spelling });
    await run(engine, [users]);
    userTable(engine, '0001,Ann,', '0002,Bob,');
    engine.service.faults.push('lost');
    await later(engine, [users]);
    const made = engine.service.users.at(-1);
    if (made !== undefined) Object.assign(made, { display_name: 'Eve' });
    await resolve(engine.ports, undefined, undefined, approve);
    expect(await engine.store.openIntents(accountOf(engine))).toHaveLength(1);
    expect(outcomesOf(await later(engine, [users]))).toEqual({ unchanged: 1, deferred: 1 });
  });

  it('proves nothing where an answer showed records that are none of its rows', async () => {
    const engine = await makeEngine();
    const { list } = engine.service;
    engine.service.spelling = inAnswers(spelling);
    engine.service.counter = 'absent';
    engine.service.list = async function* (...args) {
      for await (const page of list(...args)) yield page.slice(page.length);
    };
    userTable(engine, '0001,Ann,', '0002,Bob,');
    expect(outcomesOf(await run(engine, [users]))).toEqual({ unknown: 2 });
    expect(outcomesOf(await later(engine, [users]))).toEqual({ deferred: 2 });
    expect(engine.service.users).toHaveLength(2);
  });

  it('proves nothing against the word of the operator, where every row was created by one lost answer', async () => {
    const engine = await userEngine(['0001,Ann,', '0002,Bob,'], { spelling, faults: ['lost'] });
    await run(engine, [users]);
    await later(engine, [users]);
    await assumeApplied(engine);
    await later(engine, [users]);
    engine.clock.time += 2 * 24 * 60 * 60 * 1000;
    expect(outcomesOf(await later(engine, [users]))).toEqual({ unchanged: 2 });
    expect(engine.service.users).toHaveLength(2);
  });

  it('shows nothing of a row that is lost either: its key is held until the operator says what became of it', async () => {
    const engine = await userEngine(['0001,Ann,', '0002,Bob,'], { spelling, faults: ['short'] });
    await push({ ...engine.ports, maxWaitMs: 0 }, 'push', [users], PLAN_OPTIONS, approve);
    await rm(join(engine.folder, 'runs'), { recursive: true });
    await resolve(engine.ports, undefined, undefined, approve);
    await later(engine, [users]);
    expect(outcomes(engine)).toEqual(['deferred', 'deferred']);
    expect(engine.service.users).toHaveLength(2);
  });

  it('and whose answers show them otherwise too holds each user once', async () => {
    const engine = await userEngine(['0001,Ann,', '0002,Bob,false'], { spelling: inAnswers(spelling) });
    await run(engine, [users]);
    userTable(engine, '0001,Anna,', '0002,Bob,false', '0003,Cid,');
    await later(engine, [users]);
    await later(engine, [users]);
    expect(outcomes(engine)).toEqual(['unchanged', 'unchanged', 'unchanged']);
    expect(engine.service.users).toHaveLength(3);
  });

  it('deactivates those alone whose rows are gone', async () => {
    const engine = await makeEngine({ spelling });
    const managed = mapping(
      'users',
      'users',
      'upsert',
      'auto',
      'missing_rows: deactivate\nguards: { max_deactivate: 5, max_change_pct: 100 }',
    );
    userTable(engine, '0001,Ann,', '0002,Bob,');
    await run(engine, [managed]);
    await later(engine, [managed]);
    expect(engine.service.users.map(({ is_active }) => is_active)).toEqual([true, true]);
    userTable(engine, '0001,Ann,');
    await later(engine, [managed]);
    await later(engine, [managed]);
    expect(engine.service.users.map(({ is_active }) => is_active)).toEqual([true, false]);
  });
});

describe('a key that the list shows for the record of another row', () => {
  it('proves nothing for the row of that key: both are there once', async () => {
    const engine = await userEngine(['007,Ann,'], { spelling: { no_zeros: 'lists' } });
    await run(engine, [users]);
    userTable(engine, '007,Ann,', '7,Ann,');
    const options = { allowKeyShape: true };
    expect(outcomesOf(await later(engine, [users], options))).toEqual({ created: 1, unchanged: 1 });
    userTable(engine, '007,Ann,', '7,Bob,');
    expect(outcomesOf(await later(engine, [users], options))).toEqual({ updated: 1, unchanged: 1 });
    expect(outcomesOf(await later(engine, [users], options))).toEqual({ unchanged: 2 });
    expect(engine.service.users.map(({ external_id, display_name }) => [external_id, display_name])).toEqual([
      ['007', 'Ann'],
      ['7', 'Bob'],
    ]);
  });

  it('stays its record, also where another command read the list before the answer to its create was recorded', async () => {
    const engine = await userEngine(['007,Ann,', '008,Bob,'], { spelling: { no_zeros: 'lists' } });
    await run(engine, [users]);
    const [held] = engine.service.users;
    if (held === undefined) throw new Error('nothing was made');
    await engine.store.confirm(accountOf(engine), 'users', [
      remembered(knownUser({ ...held, external_id: '7' })),
    ]);
    for (let round = 0; round < 3; round += 1)
      expect(outcomesOf(await later(engine, [users]))).toEqual({ unchanged: 2 });
  });

  it('stays its record where the account goes on counting users that were removed, and new rows are sent', async () => {
    const engine = await userEngine(['007,Ann,'], { spelling: { no_zeros: 'lists' }, removed: 2 });
    await run(engine, [users], { adopt: true });
    const [held] = engine.service.users;
    if (held === undefined) throw new Error('nothing was made');
    await engine.store.confirm(accountOf(engine), 'users', [
      remembered(knownUser({ ...held, external_id: '7' })),
    ]);
    userTable(engine, '007,Ann,', '008,Bob,');
    expect(outcomesOf(await later(engine, [users]))).toEqual({ created: 1, unchanged: 1 });
  });

  describe('and that is known by both keys', () => {
    /** The account counts a second user, which another copy of the state has made, and a row is new. */
    async function counted(): Promise<Engine> {
      const engine = await userEngine(['007,Ann,'], { spelling: { no_zeros: 'lists' } });
      await run(engine, [users]);
      const shown = engine.service.users.map((user) => remembered(knownUser({ ...user, external_id: '7' })));
      await engine.store.confirm(accountOf(engine), 'users', shown);
      await later(engine, [users]);
      engine.service.removed = 1;
      userTable(engine, '007,Ann,', '008,Bob,');
      return engine;
    }

    it.each(['live', 'snapshot'] as const)(
      'stands for no other one that a late list does not show: %s',
      async (compare) => {
        await expect(later(await counted(), [users], { compare })).rejects.toMatchObject({
          code: 'state.no_memory',
          message: expect.stringMatching('the account counts 2 users and the list shows 1') as string,
        });
      },
    );

    it('stands for no other one where nothing can be listed, and for none that is adopted', async () => {
      const engine = await counted();
      engine.service.listable = false;
      expect(outcomesOf(await later(engine, [users]))).toEqual({ unchanged: 1, deferred: 1 });
      engine.service.listable = true;
      expect(outcomesOf(await later(engine, [users], { adopt: true }))).toEqual({ unchanged: 1, created: 1 });
      userTable(engine, '007,Ann,', '008,Bob,', '009,Cid,');
      expect(outcomesOf(await later(engine, [users]))).toEqual({ unchanged: 2, created: 1 });
    });
  });

  it('is no user that a squad of that row is given to', async () => {
    const engine = await userEngine(['007,Ann,'], { spelling: { no_zeros: 'lists' } });
    await run(engine, [users]);
    userTable(engine, '007,Ann,', '7,Bob,');
    setTable(engine, 'squads', 'Who,Name,P1', '7,Hill XI,1');
    await later(engine, [users, squads], { allowKeyShape: true });
    expect(engine.service.squads.map(({ user_id }) => user_id)).toEqual([2]);
  });

  it('is the row of that key where the other row is gone: a record that got another name is not made again', async () => {
    const engine = await makeEngine();
    setTable(engine, 'minis', 'Name', 'Office', 'Pub');
    await run(engine, [minis]);
    const [first] = engine.service.miniLeagues;
    if (first === undefined) throw new Error('nothing was made');
    engine.service.miniLeagues[0] = { ...first, name: 'Work' };
    setTable(engine, 'minis', 'Name', 'Work', 'Pub');
    for (let round = 0; round < 2; round += 1) {
      await later(engine, [minis]);
      expect(outcomes(engine, 'minis')).toEqual(['unchanged', 'unchanged']);
    }
    expect(engine.service.miniLeagues).toHaveLength(2);
  });

  it('is not changed to what the row of that key says', async () => {
    const engine = await userEngine(['007,Ann,'], { spelling: { no_zeros: 'lists' } });
    await run(engine, [users]);
    userTable(engine, '7,Bob,');
    await later(engine, [users], { allowKeyShape: true });
    expect(resultLines(engine)[0]).toMatchObject({
      outcome: 'conflict',
      message:
        'users.csv row 2: the list shows the key "7" for the record that was confirmed as "007", with another display_name: put the row "007" back beside it, or give it the values of that record',
    });
    expect(engine.service.users.map(({ display_name }) => display_name)).toEqual(['Ann']);
  });
});

describe('a service that keeps names in capitals', () => {
  /** The names that a push sends, and what becomes of its row. */
  const pushed = async (engine: Engine): Promise<readonly unknown[]> => {
    const from = engine.service.writes.length;
    await later(engine, [users]);
    const sent = engine.service.writes.slice(from).map(({ body }) => (body as User).display_name);
    return [...sent, ...outcomes(engine)];
  };

  it('is sent a name twice: what both answers showed is compared with from then on', async () => {
    const engine = await userEngine(['1,Ann,'], { names: 'capitals' });
    await run(engine, [users]);
    expect(await pushed(engine)).toEqual(['Ann', 'conflict']);
    for (let round = 0; round < 3; round += 1) expect(await pushed(engine)).toEqual(['conflict']);
    expect(resultLines(engine)[0]?.message).toMatch('the service keeps display_name otherwise');

    userTable(engine, '1,Anna,');
    for (let round = 0; round < 2; round += 1) expect(await pushed(engine)).toEqual(['Anna', 'conflict']);
    expect(await pushed(engine)).toEqual(['conflict']);
    userTable(engine, '1,ANNA,');
    expect(await pushed(engine)).toEqual(['unchanged']);
  });

  it('is sent a name twice, also where its list shows keys otherwise and showed the record before', async () => {
    const engine = await makeEngine();
    Object.assign(engine.service, { names: 'capitals', spelling: { lower: 'lists' } });
    userTable(engine, 'A,Ann,', 'B,Bob,');
    await run(engine, [users]);
    for await (const page of engine.service.list('list-users'))
      await engine.store.confirm(accountOf(engine), 'users', page.map(knownUser).map(remembered));
    expect(await pushed(engine)).toEqual(['Ann', 'Bob', 'conflict', 'conflict']);
    expect(await pushed(engine)).toEqual(['conflict', 'conflict']);
  });

  it('is sent the change again where somebody changed the record, or the operator says so', async () => {
    const engine = await userEngine(['1,Ann,'], { names: 'capitals' });
    for (let round = 0; round < 3; round += 1) await later(engine, [users]);
    const [held] = engine.service.users;
    if (held === undefined) throw new Error('nothing was made');
    engine.service.users[0] = { ...held, display_name: 'Eve' };
    for (let round = 0; round < 2; round += 1) expect(await pushed(engine)).toEqual(['Ann', 'conflict']);
    const { report } = await later(engine, [users]);
    const runId = report.run ?? '';
    await resolve(engine.ports, `${runId}:users:2`, 'not-applied', approve);
    const before = engine.service.writes.length;
    await resume(engine.ports, runId, approve);
    expect(engine.service.writes).toHaveLength(before + 1);
  });
});

describe('without its state', () => {
  /** The same service and tables with an empty state. */
  async function forgotten(engine: Engine): Promise<Engine> {
    await rm(engine.folder, { recursive: true });
    const fresh = await openEngine(engine.folder, engine.service, engine.clock);
    for (const [name, lines] of engine.tables) fresh.tables.set(name, lines);
    return fresh;
  }
  const warnings = ({ events }: Engine): readonly string[] =>
    events.flatMap((event) => (event.kind === 'warning' ? [event.message] : []));

  it('a push warns that the records may be there under other keys, before it is approved', async () => {
    const engine = await makeEngine();
    engine.service.spelling = { prefix: 'lists' };
    userTable(engine, '0001,Ann,', '0002,Bob,', '0003,Cid,');
    await run(engine, [users]);
    const fresh = await forgotten(engine);
    const seen: (readonly string[])[] = [];
    await push(fresh.ports, 'push', [users], PLAN_OPTIONS, () => {
      seen.push(warnings(fresh));
      return Promise.reject(new Error('no'));
    }).catch(() => undefined);
    await fresh.store.close();
    expect(seen).toEqual([
      [
        'users: this state has pushed no users. The service shows 3 users, and no row has one of their keys. Row 2, "0001", may be its "x:0001": where the service shows keys in a way of its own, a push makes such rows a second time',
      ],
    ]);
  });

  it('an answer that shows a record under no key of a row says no to none: nobody knows what became of the row', async () => {
    const engine = await makeEngine();
    const { service } = engine;
    service.spelling = { lower: 'lists', prefix: 'answers' };
    userTable(engine, 'M-1,Ann,');
    await run(engine, [users]);
    const { send } = service;
    // It takes the repeat for the record that it has.
    service.send = (operation, input) => {
      if (operation !== 'create-users') return send(operation, input);
      service.writes.push({ operation, body: input.body });
      const records = service.users.map((user) => ({ ...user, external_id: `x:${user.external_id}` }));
      return Promise.resolve(applied(records));
    };
    const fresh = await forgotten(engine);
    const outcome = outcomesOf(await later(fresh, [users]));
    await fresh.store.close();
    expect(outcome).toEqual({ unknown: 1 });
    expect(service.writes).toHaveLength(2);
  });
});

describe('an older copy of the state', () => {
  async function restored(spelling: FakeService['spelling']): Promise<{ engine: Engine; old: Engine }> {
    const engine = await userEngine(['0001,Ann,', '0002,Bob,'], { spelling });
    await run(engine, [users]);
    const folder = await stateFolder();
    await cp(engine.folder, folder, { recursive: true });
    userTable(engine, '0001,Ann,', '0002,Bob,', '0003,Cid,');
    await later(engine, [users]);
    const old = await openEngine(folder, engine.service, engine.clock);
    onTestFinished(async () => {
      await old.store.close();
      await rm(folder, { recursive: true, force: true });
    });
    return { engine, old };
  }

  it.each(STRANGE)(
    'makes no row again that was created since, where lists show keys %s',
    async (_, spelling) => {
      const { engine, old } = await restored(spelling);
      const write = (...more: readonly string[]): void =>
        userTable(old, '0001,Ann,', '0002,Bob,', '0003,Cid,', ...more);
      write();
      for (const command of [later, later])
        await expect(command(old, [users])).rejects.toMatchObject({
          code: 'state.no_memory',
          exitCode: 6,
          next: 'restore the newest state file, or check that no row is one of these and add --adopt',
        });
      expect(engine.service.users).toHaveLength(3);
      write('0004,Dora,');
      await expect(later(old, [users])).rejects.toMatchObject({ code: 'state.no_memory' });
      userTable(old, '0001,Ann,', '0002,Bobby,', '0004,Dora,');
      expect(outcomesOf(await later(old, [users]))).toEqual({ created: 1, updated: 1, unchanged: 1 });
      write('0004,Dora,');
      expect(outcomesOf(await later(old, [users], { adopt: true }))).toMatchObject({ created: 1 });
      expect(outcomesOf(await later(old, [users]))).toMatchObject({ unchanged: 4 });
    },
  );

  it('makes no mini league again either', async () => {
    const engine = await makeEngine({ spelling: { prefix: 'lists' } });
    setTable(engine, 'minis', 'Name', 'North');
    await run(engine, [minis]);
    await later(engine, [minis]);
    engine.service.miniLeagues.push({ id: 9, name: 'South', fantasy_league_id: 1 });
    setTable(engine, 'minis', 'Name', 'North', 'South');
    await expect(later(engine, [minis])).rejects.toMatchObject({
      message:
        'minis: the service lists mini leagues under other keys than were sent, and this state does not know its "1/x:South", which may be row 3, "1/South": the state file is older than the last push, or somebody else has created it',
    });
  });

  it('is not suspected where all that the list shows is known, or stands in the table', async () => {
    const engine = await userEngine(['0001,Ann,', '22,Bob,'], { spelling: { no_zeros: 'lists' } });
    await run(engine, [users]);
    userTable(engine, '0001,Ann,', '0003,Bob,', '0004,Ann,');
    expect(outcomesOf(await later(engine, [users]))).toEqual({ unchanged: 1, created: 2 });
    engine.service.users.push({ ...engine.service.users[0], id: 'other', external_id: '55' });
    userTable(engine, '0001,Ann,', '55,Ann,', '0005,Ann,');
    expect(outcomesOf(await later(engine, [users]))).toMatchObject({ unchanged: 2, created: 1 });
  });
});
