import { describe, expect, it } from 'vitest';
import { StoppedError } from '../../src/model/error.ts';
import type { PushSummary } from '../../src/model/state/store.ts';
import { push } from '../../src/sync/push.ts';
import { resolve, type Assumption } from '../../src/sync/resolve.ts';
import { resume } from '../../src/sync/resume.ts';
import { makeEngine, PLAN_OPTIONS, type Engine } from '../support/engine.ts';
import { told } from '../support/said.ts';
import {
  approve,
  LEAGUES as leagues,
  TRIGGERS as triggers,
  mappingOn,
  setTable,
  userEngine,
  userTable,
} from '../support/push-case.ts';
import { startedRun } from '../support/writes.ts';

const users = mappingOn('users.csv');

/** A push that may not wait until it knows what became of its writes. */
async function pushUsers(engine: Engine): Promise<string> {
  const { report } = await push({ ...engine.ports, maxWaitMs: 0 }, 'push', [users], PLAN_OPTIONS, approve);
  return report.run ?? '';
}

/** What is settled, with the words that people read. */
async function settle(engine: Engine, target?: string, assume?: Assumption) {
  const resolution = await resolve(engine.ports, target, assume, approve);
  return { ...resolution, cases: resolution.cases.map(told) };
}

async function summaryOf(engine: Engine, runId: string): Promise<Record<string, unknown>> {
  const run = await engine.store.run(runId);
  const summary = run?.summaries[0] as PushSummary;
  const counts = Object.entries(summary).filter(([, count]) => typeof count === 'number' && count > 0);
  return { ...Object.fromEntries(counts), finished: run?.finished, exit: run?.exitCode };
}

const resultLines = (engine: Engine): readonly (readonly string[])[] =>
  engine.files.get('users.results')?.slice(1) ?? [];

/** A push of one league whose answer is lost, with what became of it at the service. */
async function lostLeague(engine: Engine, fault: 'lost' | 'vanished'): Promise<string> {
  setTable(engine, 'leagues', 'name,league_id', 'Sunday,1');
  // Only the operator can tell what became of a league, where the account does not count them.
  engine.service.counter = 'absent';
  engine.service.faults.push(fault);
  const hasty = { ...engine.ports, maxWaitMs: 0 };
  const { report } = await push(hasty, 'push', [leagues], PLAN_OPTIONS, approve);
  expect(report.mappings[0]).toMatchObject({ unknown: 1 });
  return report.run ?? '';
}

it('a write whose rows a later run created was not applied', async () => {
  const engine = await userEngine(['A,Ann,', 'B,Bob,'], { faults: ['vanished'] });
  const older = await pushUsers(engine);
  expect(await summaryOf(engine, older)).toMatchObject({ unknown: 2 });
  const later = await pushUsers(engine);
  expect(await summaryOf(engine, later)).toMatchObject({ created: 2 });
  const message = `a later run (${later}) created the record`;
  expect(await settle(engine)).toMatchObject({
    cases: [{ run: { id: older }, settled: 'not_applied', message }],
    resumable: [],
    exitCode: 0,
  });
  expect(await summaryOf(engine, older)).toEqual({ rows: 2, unchanged: 2, finished: true, exit: 0 });
  expect(engine.service.users).toHaveLength(2);
});

it('a key that the service spells as one of an open write waits, until that write is settled', async () => {
  const engine = await makeEngine();
  const run = await lostLeague(engine, 'lost');
  const [intent] = await engine.store.intents(run);
  const account = (await engine.store.run(run))?.account;
  if (account === undefined) throw new Error('the run is gone');
  // Another write showed it since.
  await engine.store.respell(account, 'fantasy_leagues', { case: true });
  setTable(engine, 'leagues', 'name,league_id', 'SUNDAY,1');
  const pushed = async (): Promise<unknown> =>
    (await push(engine.ports, 'push', [leagues], PLAN_OPTIONS, approve)).report.mappings[0];
  expect(await pushed()).toMatchObject({ deferred: 1 });
  expect(await settle(engine, intent?.id, 'applied')).toMatchObject({ exitCode: 0 });
  expect(await pushed()).toMatchObject({ unchanged: 1 });
  expect(engine.service.leagues).toHaveLength(1);
});

describe('nothing open', () => {
  it('asks nobody and is done', async () => {
    const engine = await makeEngine();
    const resolution = await resolve(engine.ports, undefined, undefined, () =>
      Promise.reject(new Error('asked')),
    );
    expect(resolution).toEqual({ cases: [], resumable: [], exitCode: 0 });
  });

  it('refuses a word that is about nothing, and a name that nothing has', async () => {
    const engine = await makeEngine();
    await expect(settle(engine, undefined, 'applied')).rejects.toMatchObject({ code: 'resolve.assume' });
    await expect(settle(engine, '01JX')).rejects.toMatchObject({ code: 'resolve.unknown', exitCode: 64 });
  });
});

describe('a write without an answer', () => {
  it('that left no trace is not applied, and resume sends it', async () => {
    const engine = await userEngine(['A,Ann,', 'B,Bob,'], { faults: ['vanished'] });
    const run = await pushUsers(engine);
    const { cases, resumable, exitCode } = await settle(engine);
    expect(cases).toMatchObject([
      { kind: 'unknown', settled: 'not_applied', rows: [{ key: 'A' }, { key: 'B' }] },
    ]);
    expect({ resumable, exitCode }).toEqual({ resumable: [run], exitCode: 0 });
    expect(await summaryOf(engine, run)).toMatchObject({ rows: 2, deferred: 2, finished: false, exit: 7 });
    expect(resultLines(engine).map((line) => line[4])).toEqual(['deferred', 'deferred']);
    await resume(engine.ports, run, approve);
    expect(await summaryOf(engine, run)).toMatchObject({ rows: 2, created: 2, finished: true, exit: 0 });
    expect(engine.service.users).toHaveLength(2);
  });

  it('that may stand in a record which was there under another spelling of its key, and changed since, is not proved absent', async () => {
    const engine = await makeEngine();
    const stranger = { id: 'old', user_id: 9, external_id: 'a', display_name: 'Eve', is_active: true };
    engine.service.users.push(stranger);
    engine.service.faults.push('vanished');
    engine.service.onCall = (body) => {
      if (body !== undefined) engine.service.users[0] = { ...stranger, display_name: 'An' };
    };
    userTable(engine, 'A,Ann,');
    await pushUsers(engine);
    const { cases } = await settle(engine);
    expect(cases).toMatchObject([{ settled: 'not_applied', message: 'nothing shows that it was applied' }]);
    expect(resultLines(engine)[0]?.[5]).toContain(
      'sent without a trustworthy answer, and nothing shows that it was applied',
    );
  });

  it('that is settled is no more open to a word that says the opposite', async () => {
    const engine = await userEngine(['A,Ann,'], { listable: false, faults: ['lost'] });
    const run = await pushUsers(engine);
    const [write] = await engine.store.intents(run);
    await settle(engine, write?.id, 'applied');
    await expect(settle(engine, write?.id, 'not-applied')).rejects.toMatchObject({
      code: 'resolve.settled',
      exitCode: 6,
      next: `runs ${run}`,
    });
    expect(await settle(engine, write?.id, 'applied')).toMatchObject({ cases: [], exitCode: 0 });
    expect(await settle(engine, write?.id)).toMatchObject({ cases: [], exitCode: 0 });
  });

  it('that was applied late is found, and the run is done', async () => {
    const engine = await userEngine(['A,Ann,'], { faults: ['late'] });
    const run = await pushUsers(engine);
    expect(await settle(engine)).toMatchObject({
      cases: [{ settled: 'applied', message: 'found by reading back' }],
      resumable: [],
      exitCode: 0,
    });
    expect(await summaryOf(engine, run)).toMatchObject({ created: 1, finished: true, exit: 0 });
    expect(engine.service.writes).toHaveLength(1);
  });

  it('stays open while the service cannot be listed, with its own command for the next step', async () => {
    const engine = await userEngine(['A,Ann,'], { faults: ['vanished'] });
    const run = await pushUsers(engine);
    engine.service.listable = false;
    const { cases, exitCode } = await settle(engine);
    expect(cases).toMatchObject([{ settled: undefined, run: { id: run } }]);
    expect(exitCode).toBe(7);
    expect(
      await engine.store.openIntents(cases[0]?.run.account ?? { baseUrl: '', accountId: '' }),
    ).toHaveLength(1);
    expect(await summaryOf(engine, run)).toMatchObject({ unknown: 1, finished: false, exit: 7 });
  });

  it.each([undefined, 'applied', 'not-applied'] as const)(
    'of a change that the service does not hold any more says no more than that (the word: %s)',
    async (word) => {
      const engine = await userEngine(['A,Ann,']);
      await pushUsers(engine);
      userTable(engine, 'A,Anna,');
      engine.service.faults.push('lost', 'lost', 'lost');
      const run = await pushUsers(engine);
      const [user] = engine.service.users;
      if (user !== undefined) engine.service.users[0] = { ...user, display_name: 'Eve' };
      const [intent] = await engine.store.intents(run);
      const settled = settle(engine, word && intent?.id, word);
      if (word === 'applied') await expect(settled).rejects.toMatchObject({ code: 'resolve.disproved' });
      else {
        const { cases } = await settled;
        expect(cases.every((each) => each.settled === 'not_applied')).toBe(true);
        expect(cases.every(({ message }) => message === 'nothing shows that it was applied')).toBe(true);
      }
      expect(await summaryOf(engine, run)).toMatchObject({ deferred: 1, finished: false, exit: 7 });
      expect(resultLines(engine)[0]?.[5]).toBe(
        `users.csv row 2: sent without a trustworthy answer, and nothing shows that it was applied; teamsheet resume ${run} sends it again`,
      );
      await resume(engine.ports, run, approve);
      expect(await summaryOf(engine, run)).toMatchObject({ updated: 1, finished: true, exit: 0 });
      expect(engine.service.users).toMatchObject([{ display_name: 'Anna' }]);
    },
  );

  it('of a change of a user who is there twice says that, and nothing of a change', async () => {
    const engine = await userEngine(['A,Ann,']);
    await pushUsers(engine);
    userTable(engine, 'A,Anna,');
    engine.service.faults.push('vanished', 'vanished', 'vanished');
    const run = await pushUsers(engine);
    engine.service.users.push({ id: 'another', user_id: 99, external_id: 'A', display_name: 'Ann' });
    const { cases } = await settle(engine);
    const message = 'in conflict: the service answered with 2 users for "A"';
    expect(cases).toMatchObject([{ message }, { message }, { message }]);
    expect(await summaryOf(engine, run)).toMatchObject({ conflict: 1, exit: 7 });
  });

  it('of a run that was killed is settled, and its other rows wait for resume', async () => {
    const engine = await userEngine(['A,Ann,', 'B,Bob,']);
    const mapping = { ...users, batchSize: 1 };
    engine.service.onCall = (body) => {
      if (body !== undefined) throw new Error('killed');
    };
    await expect(push(engine.ports, 'push', [mapping], PLAN_OPTIONS, approve)).rejects.toThrow('killed');
    engine.service.onCall = () => undefined;
    const { resumable, exitCode } = await settle(engine);
    expect(exitCode).toBe(0);
    const [run = ''] = resumable;
    expect(await summaryOf(engine, run)).toMatchObject({ rows: 2, deferred: 2, finished: false });
    await resume(engine.ports, run, approve);
    expect(engine.service.users.map(({ external_id }) => external_id)).toEqual(['A', 'B']);
  });
});

describe("the operator's word", () => {
  it('applied: the row counts as created, is remembered, and is not sent again', async () => {
    const engine = await makeEngine();
    const run = await lostLeague(engine, 'lost');
    const { cases } = await settle(engine);
    const id = cases[0]?.id ?? '';
    expect(cases[0]?.settled).toBeUndefined();
    const { cases: settled, exitCode } = await settle(engine, id, 'applied');
    expect(settled).toMatchObject(
      [{ settled: 'applied', message: /operator said at 2026-08-14T/ }].map(matching),
    );
    expect(exitCode).toBe(0);
    expect(await summaryOf(engine, run)).toMatchObject({ created: 1, finished: true, exit: 0 });
    expect((await engine.store.intents(run))[0]).toMatchObject({
      result: 'applied',
      detail: [
        { code: 'word-assumed', assume: 'applied', at: expect.stringMatching(/^2026-08-14T/) as string },
      ],
    });
    const again = await push(engine.ports, 'push', [leagues], PLAN_OPTIONS, approve);
    expect(again.report.mappings[0]).toMatchObject({ unchanged: 1 });
    expect(engine.service.leagues).toHaveLength(1);
  });

  it('not applied: the row waits, and resume sends it', async () => {
    const engine = await makeEngine();
    const run = await lostLeague(engine, 'vanished');
    const [intent] = await engine.store.intents(run);
    const { resumable } = await settle(engine, intent?.id, 'not-applied');
    expect(resumable).toEqual([run]);
    expect(await summaryOf(engine, run)).toMatchObject({ deferred: 1, finished: false });
    await resume(engine.ports, run, approve);
    expect(engine.service.leagues).toHaveLength(1);
    expect(await summaryOf(engine, run)).toMatchObject({ created: 1, finished: true });
  });

  it.each([
    ['late', 'not-applied', 'applied'],
    ['vanished', 'applied', 'not_applied'],
  ] as const)(
    'is refused with the proof when reading back shows otherwise (%s)',
    async (fault, assume, result) => {
      const engine = await userEngine(['A,Ann,'], { faults: [fault] });
      const run = await pushUsers(engine);
      const [intent] = await engine.store.intents(run);
      await expect(settle(engine, intent?.id, assume)).rejects.toMatchObject({
        code: 'resolve.disproved',
        exitCode: 6,
      });
      expect((await engine.store.intents(run))[0]).toMatchObject({ result });
    },
  );

  it('of every attempt of one change settles the others too', async () => {
    const engine = await userEngine(['A,Ann,']);
    await pushUsers(engine);
    userTable(engine, 'A,Anna,');
    engine.service.faults.push('lost', 'lost', 'lost');
    const run = await pushUsers(engine);
    engine.service.listable = false;
    const intents = await engine.store.intents(run);
    expect(intents).toHaveLength(3);
    await settle(engine, intents[0]?.id, 'applied');
    expect((await engine.store.intents(run)).map(({ result }) => result)).toEqual(Array(3).fill('applied'));
    expect(await summaryOf(engine, run)).toMatchObject({ updated: 1, finished: true });
  });

  it('that one attempt was not applied says nothing of a later one', async () => {
    const engine = await userEngine(['A,Ann,']);
    await pushUsers(engine);
    userTable(engine, 'A,Anna,');
    engine.service.faults.push('vanished', 'lost', 'lost');
    const run = await pushUsers(engine);
    engine.service.listable = false;
    const results = async () => (await engine.store.intents(run)).map(({ result }) => result);
    const [first, second, third] = await engine.store.intents(run);
    await settle(engine, first?.id, 'not-applied');
    expect(await results()).toEqual(['not_applied', 'ambiguous', 'ambiguous']);
    expect(await summaryOf(engine, run)).toMatchObject({ unknown: 1 });
    await settle(engine, third?.id, 'not-applied');
    expect(await results()).toEqual(['not_applied', 'not_applied', 'not_applied']);
    expect(await summaryOf(engine, run)).toMatchObject({ deferred: 1 });
    expect(second?.result).toBe('ambiguous');
  });

  it('of a raw call, which has no rows, closes its write', async () => {
    const engine = await makeEngine();
    const { id: accountId } = await engine.service.account();
    const account = { baseUrl: engine.ports.baseUrl, accountId: accountId.toLowerCase() };
    const ended = { endedAtMs: 2, exitCode: 8, phase: 'ended', finished: true } as const;
    await engine.store.addRun(startedRun('RAW', { command: 'api', account, ...ended }));
    await engine.store.addIntent(account, {
      id: '01JRAW',
      runId: 'RAW',
      mapping: 'api',
      resource: 'prices',
      operation: 'upload-prices',
      rowNumbers: [],
      keys: [],
      bodyDigest: 'd',
      sentAtMs: 1,
    });
    expect(await settle(engine)).toMatchObject({
      cases: [{ id: '01JRAW', settled: undefined }],
      exitCode: 7,
    });
    expect(await settle(engine, '01jra', 'applied')).toMatchObject({
      cases: [{ settled: 'applied' }],
      exitCode: 0,
    });
    expect((await settle(engine)).cases).toEqual([]);
    await expect(settle(engine, '01JRAW')).resolves.toMatchObject({ cases: [] });
    expect(engine.events.at(-1)).toMatchObject({
      kind: 'note',
      message: expect.stringContaining('resolved already: applied') as string,
    });
  });

  it('applied says of a create that its flag could not go with that nobody knows it', async () => {
    const engine = await userEngine(['A,Ann,true', 'B,Bob,'], { listable: false, faults: ['lost'] });
    const run = await pushUsers(engine);
    const [intent] = await engine.store.intents(run);
    await settle(engine, intent?.id, 'applied');
    const [a = [], b = []] = resultLines(engine).map((line) => line.slice(-3));
    expect([a[0], b[0]]).toEqual(['created', 'created']);
    expect(a[1]).toContain('nobody knows whether its active flag is as the row says');
    expect(b[1]).not.toContain('flag');
  });

  it('applied leaves a row whose flag could not follow deferred, also after a resume that cannot list', async () => {
    const engine = await userEngine(['A,Ann,false'], { listable: false, faults: ['lost'] });
    const run = await pushUsers(engine);
    const [intent] = await engine.store.intents(run);
    await settle(engine, intent?.id, 'applied');
    expect(await summaryOf(engine, run)).toMatchObject({ deferred: 1, finished: false });
    await resume(engine.ports, run, approve);
    expect(resultLines(engine)[0]?.join()).toContain('created, but its active flag was not set yet');
    expect(await summaryOf(engine, run)).toMatchObject({ deferred: 1, finished: false });
    engine.service.listable = true;
    await resume(engine.ports, run, approve);
    expect(engine.service.users).toMatchObject([{ external_id: 'A', is_active: false }]);
    expect(await summaryOf(engine, run)).toMatchObject({ finished: true, exit: 0 });
  });

  it('of a trigger whose rows are gone still keeps it from being sent again', async () => {
    const engine = await makeEngine({ counter: 'absent' });
    setTable(engine, 'triggers', 'fantasy_league_id,game_week_id', '1,01234567-89ab-4cde-8f01-23456789abcd');
    engine.service.faults.push('lost');
    engine.service.substitutes = 0;
    const hasty = { ...engine.ports, maxWaitMs: 0 };
    const { report } = await push(hasty, 'push', [triggers], PLAN_OPTIONS, approve);
    const rows = await engine.store.openRunRows(report.run ?? '');
    await rows.remove();
    const [intent] = await engine.store.intents(report.run ?? '');
    expect(await settle(engine, intent?.id, 'applied')).toMatchObject({ cases: [{ settled: 'applied' }] });
    await push(engine.ports, 'push', [triggers], PLAN_OPTIONS, approve);
    expect(engine.service.writes).toHaveLength(1);
  });

  it('nothing is recorded without approval', async () => {
    const engine = await makeEngine();
    const run = await lostLeague(engine, 'lost');
    const [intent] = await engine.store.intents(run);
    const declined = new StoppedError('approval.declined', 'no');
    await expect(resolve(engine.ports, intent?.id, 'applied', () => Promise.reject(declined))).rejects.toBe(
      declined,
    );
    expect((await engine.store.intents(run))[0]).toMatchObject({ result: 'ambiguous' });
  });
});

describe('a conflict', () => {
  async function twoAnns(engine: Engine, name = 'Ann'): Promise<string> {
    engine.service.users.push(
      { id: 'x', user_id: 1, external_id: 'A', display_name: 'Ann', is_active: true },
      { id: 'y', user_id: 2, external_id: 'A', display_name: 'Ann', is_active: true },
    );
    userTable(engine, `A,${name},`, 'B,Bob,');
    const run = await pushUsers(engine);
    expect(await summaryOf(engine, run)).toMatchObject({ conflict: 1, created: 1, finished: true, exit: 7 });
    return run;
  }

  it('that the service has corrected is settled by reading again', async () => {
    const engine = await makeEngine();
    const run = await twoAnns(engine);
    expect(await settle(engine)).toMatchObject({
      cases: [
        { id: `${run}:users:2`, settled: undefined, message: 'the service has 2 records for "A": x and y' },
      ],
      exitCode: 7,
    });
    engine.service.users.splice(1, 1);
    expect(await settle(engine)).toMatchObject({ cases: [{ settled: 'applied' }], exitCode: 0 });
    expect(await summaryOf(engine, run)).toMatchObject({ rows: 2, unchanged: 1, created: 1, exit: 0 });
    expect(resultLines(engine).map((line) => line.slice(4))).toMatchObject([
      ['unchanged', /one record/, 'x'].map(matching),
      ['created', '', 'user-3'],
    ]);
    expect((await settle(engine)).cases).toEqual([]);
  });

  it('applied leaves it as the service has it', async () => {
    const engine = await makeEngine();
    const run = await twoAnns(engine);
    await settle(engine, `${run}:users:2`, 'applied');
    expect(await summaryOf(engine, run)).toMatchObject({ unchanged: 1, created: 1, finished: true, exit: 0 });
    expect(engine.service.writes).toHaveLength(1);
  });

  it('not applied has it compared and sent by resume', async () => {
    const engine = await makeEngine();
    const run = await twoAnns(engine, 'Anna');
    engine.service.users.splice(1, 1);
    const { resumable } = await settle(engine, `${run}:users:2`, 'not-applied');
    expect(resumable).toEqual([run]);
    await resume(engine.ports, run, approve);
    expect(engine.service.users).toMatchObject([{ id: 'x', display_name: 'Anna' }, { external_id: 'B' }]);
    expect(await summaryOf(engine, run)).toMatchObject({ updated: 1, created: 1, finished: true, exit: 0 });
  });

  it('that cannot be left as it is, because nothing is there, is refused with the proof', async () => {
    const engine = await makeEngine();
    const run = await twoAnns(engine);
    engine.service.users.splice(0, 2);
    // A list that shows less than a moment ago may be a late one.
    engine.clock.time += engine.ports.settleMs + 1;
    await expect(settle(engine, `${run}:users:2`, 'applied')).rejects.toMatchObject({
      code: 'resolve.disproved',
      message: expect.stringContaining('no such record') as string,
    });
    expect(await summaryOf(engine, run)).toMatchObject({ conflict: 1 });
  });
});

/** Matches texts by their patterns. */
function matching(value: unknown): unknown {
  if (value instanceof RegExp) return expect.stringMatching(value) as string;
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([name, each]) => [name, matching(each)]));
}
