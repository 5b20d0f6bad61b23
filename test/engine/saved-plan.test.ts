import { describe, expect, it } from 'vitest';
import type { PushMapping } from '../../src/mapping/mapping.ts';
import { InterruptedError, UnavailableError } from '../../src/model/error.ts';
import type { PushSummary } from '../../src/model/state/store.ts';
import { push } from '../../src/sync/push.ts';
import type { PushResult } from '../../src/sync/push.ts';
import type { SavedEnd, SavedHeader, SavedRow } from '../../src/plan/saved/saved-plan.ts';
import { StalePlanError } from '../../src/plan/saved/stale-plan.ts';
import { resume } from '../../src/sync/resume.ts';
import { pushMapping } from '../support/builders.ts';
import { makeEngine, PLAN_OPTIONS, type Engine } from '../support/engine.ts';
import { openLines, planLines, pushSaved, savePlan } from '../support/saved-plan.ts';
import {
  accountOf,
  approve,
  LEAGUES as leagues,
  mappingOn,
  userEngine,
  userTable,
} from '../support/push-case.ts';

const users = mappingOn('users.csv');

const pushNow = (engine: Engine, ...mappings: readonly PushMapping[]): Promise<PushResult> =>
  push(engine.ports, 'push', mappings, PLAN_OPTIONS, approve);

/** An engine whose service holds A and B, with a table that would change A and create C. */
async function planned(): Promise<Engine> {
  const engine = await userEngine(['A,Ann,', 'B,Bob,']);
  await pushNow(engine, users);
  engine.clock.time += 60_000;
  userTable(engine, 'A,Anna,', 'B,Bob,', 'C,Cleo,');
  return engine;
}

/** What a push of the saved plan refuses with; it must not have written. */
async function staleness(
  engine: Engine,
  saved: Awaited<ReturnType<typeof savePlan>>,
  mappings: readonly PushMapping[] = [users],
): Promise<StalePlanError> {
  const before = engine.service.writes.length;
  const error: unknown = await pushSaved(engine, saved, mappings).catch((cause: unknown) => cause);
  expect(engine.service.writes).toHaveLength(before);
  expect(error).toBeInstanceOf(StalePlanError);
  if (!(error instanceof StalePlanError)) throw new Error('the plan was pushed');
  expect(error).toMatchObject({ code: 'plan.stale', exitCode: 6, next: 'plan --out week.plan' });
  return error;
}
const said = ({ differences }: StalePlanError): readonly string[] =>
  differences.map(({ part, message }) => `${part}: ${message}`);

describe('a saved plan', () => {
  it('is a header, a line for each row, and an end that proves them', async () => {
    const engine = await planned();
    const lines = await planLines(engine, [users]);
    const [header, ...rows] = lines.map((line) => JSON.parse(line) as object);
    expect(header as SavedHeader).toMatchObject({
      format: 'teamsheet-plan',
      format_version: 1,
      teamsheet: '1.2.3',
      made_at: '2026-08-14T18:01:00.000Z',
      typed: ['plan', '--out', 'week.plan'],
      base_url: 'http://127.0.0.1:8787',
      account_id: '0b0e3c9a-0000-4000-8000-000000000001',
      mappings: [{ name: 'users', rows: 3, created: 1, updated: 1, unchanged: 1, used: 2 }],
      stops: [],
      options: { allowEmpty: false },
    });
    expect(rows.slice(0, 3) as SavedRow[]).toMatchObject([
      {
        mapping: 'users',
        row: 2,
        key: 'A',
        kind: 'update',
        fields: { display_name: { before: 'Ann', after: 'Anna' } },
      },
      { row: 3, key: 'B', kind: 'unchanged', fields: {} },
      { row: 4, key: 'C', kind: 'create', fields: { display_name: { before: null, after: 'Cleo' } } },
    ]);
    expect(rows[3] as SavedEnd).toEqual({
      rows: 3,
      sha256: expect.stringMatching(/^[0-9a-f]{64}$/) as string,
    });
    const saved = await openLines(lines);
    expect(await Array.fromAsync(saved.rows())).toEqual(rows.slice(0, 3));
  });

  it('is refused wherever it is cut or changed', async () => {
    const engine = await planned();
    const text = (await planLines(engine, [users])).join('\n');
    for (let at = 0; at < text.length; at += 1) {
      const cut = openLines(text.slice(0, at) === '' ? [] : text.slice(0, at).split('\n'));
      await expect(cut, `cut at ${at}`).rejects.toMatchObject({
        code: expect.stringMatching(/^plan\.(damaged|format)$/) as string,
        exitCode: 4,
      });
      const other = text[at] === '0' ? '1' : '0';
      const changed = `${text.slice(0, at)}${other}${text.slice(at + 1)}`;
      await expect(openLines(changed.split('\n')), `changed at ${at}`).rejects.toMatchObject({
        code: expect.stringMatching(/^plan\.(damaged|format|newer)$/) as string,
        exitCode: 4,
      });
    }
  });

  it('of a newer version says so, and another file is none', async () => {
    const newer = [JSON.stringify({ format: 'teamsheet-plan', format_version: 2, teamsheet: '9.0.0' }), 'x'];
    await expect(openLines(newer)).rejects.toMatchObject({
      code: 'plan.newer',
      message: 'week.plan is a plan of a newer version of teamsheet (9.0.0)',
    });
    for (const lines of [['Member ID,Name', 'A,Ann'], ['{}', '{}'], ['null'], []])
      await expect(openLines(lines)).rejects.toMatchObject({ code: 'plan.format' });
  });
});

describe('a push of a saved plan', () => {
  it('writes what the plan says, once', async () => {
    const engine = await planned();
    const saved = await savePlan(engine, [users]);
    engine.clock.time += 3 * 3_600_000;
    const { report } = await pushSaved(engine, saved, [users]);
    expect(report).toMatchObject({ command: 'push', exit_code: 0 });
    expect(report.mappings[0] as PushSummary).toMatchObject({ created: 1, updated: 1, unchanged: 1 });
    expect(engine.events).toContainEqual({
      kind: 'note',
      message: 'week.plan (plan of 2026-08-14T18:01:00.000Z, 3 h old) is still valid',
    });
    const writes = engine.service.writes.length;
    await expect(pushSaved(engine, saved, [users])).rejects.toMatchObject({
      code: 'plan.pushed',
      exitCode: 6,
      message: expect.stringContaining(`was pushed already by run ${report.run ?? ''}`) as string,
      next: 'plan --out week.plan',
    });
    expect(engine.service.writes).toHaveLength(writes);
  });

  it('does not mind rows that stand elsewhere by now', async () => {
    const engine = await planned();
    const saved = await savePlan(engine, [users]);
    userTable(engine, 'C,Cleo,', 'A,Anna,', 'B,Bob,');
    expect((await pushSaved(engine, saved, [users])).report.exit_code).toBe(0);
  });

  it('does not mind rows of which nothing is sent, also where they are said to stand elsewhere', async () => {
    const engine = await planned();
    userTable(engine, 'A,Anna,', 'B,Bob,', 'C,Cleo,', 'D,Dora,', 'E,Eve,', 'D,Dora,false');
    const saved = await savePlan(engine, [users]);
    // Two that contradict each other changed places, and one got the name that it was given at the service.
    userTable(engine, 'D,Dora,false', 'A,Anna,', 'B,Bert,', 'C,Cleo,', 'E,Eve,', 'D,Dora,');
    for (const user of engine.service.users) if (user.external_id === 'B') user.display_name = 'Bert';
    const { report } = await pushSaved(engine, saved, [users]);
    expect(report.mappings[0] as PushSummary).toMatchObject({
      created: 2,
      updated: 1,
      unchanged: 1,
      invalid: 2,
    });
  });

  it('uses the options that the plan was made with', async () => {
    const engine = await planned();
    const guarded = { ...users, guards: { ...users.guards, maxChangePct: 10 } };
    const stopped = await savePlan(engine, [guarded]);
    await expect(pushSaved(engine, stopped, [guarded])).rejects.toMatchObject({
      code: 'plan.stopped',
      exitCode: 6,
      message: expect.stringContaining('1 of 2 known records would change (50 %)') as string,
    });
    const options = { ...PLAN_OPTIONS, allowGuards: ['max_change_pct'], limit: 1 };
    const saved = await savePlan(engine, [guarded], options);
    const { report } = await pushSaved(engine, saved, [guarded]);
    expect(report.mappings[0] as PushSummary).toMatchObject({ rows: 1, updated: 1 });
  });

  it('is refused for another service or account before anything is read', async () => {
    const engine = await planned();
    const lines = await planLines(engine, [users]);
    const saved = await openLines(lines);
    const elsewhere = { ...saved, header: { ...saved.header, base_url: 'https://other.test' } };
    const { reads } = engine.service;
    const refused = { code: 'plan.other_service', exitCode: 6 };
    await expect(pushSaved(engine, elsewhere, [users])).rejects.toMatchObject(refused);
    expect(engine.service.reads).toBe(reads);
    const other = { ...saved, header: { ...saved.header, account_id: 'other' } };
    await expect(pushSaved(engine, other, [users])).rejects.toMatchObject(refused);
  });

  it('that is declined may be pushed later', async () => {
    const engine = await planned();
    const saved = await savePlan(engine, [users]);
    await expect(
      pushSaved(engine, saved, [users], () => Promise.reject(new InterruptedError('SIGINT', 'no'))),
    ).rejects.toMatchObject({ code: 'run.interrupted' });
    expect(await resume(engine.ports, undefined, approve)).toBeUndefined();
    expect((await pushSaved(engine, saved, [users])).report.exit_code).toBe(0);
  });

  it('that fails before it writes leaves nothing that resume would plan otherwise', async () => {
    const engine = await planned();
    const saved = await savePlan(engine, [users]);
    engine.service.readFaults.push(undefined, new UnavailableError('service.error', 'it failed'));
    await expect(pushSaved(engine, saved, [users])).rejects.toMatchObject({ code: 'service.error' });
    userTable(engine, 'A,Another,');
    expect(await resume(engine.ports, undefined, approve)).toBeUndefined();
    userTable(engine, 'A,Anna,', 'B,Bob,', 'C,Cleo,');
    expect((await pushSaved(engine, saved, [users])).report.exit_code).toBe(0);
  });

  it('that is interrupted goes on with resume', async () => {
    const engine = await planned();
    userTable(engine, ...Array.from({ length: 250 }, (_, index) => `U${index},User ${index},`));
    const saved = await savePlan(engine, [users]);
    engine.service.faults.push(undefined, { throws: new InterruptedError('SIGINT', 'stopped by SIGINT') });
    const alone = { ...engine, ports: { ...engine.ports, concurrency: 1 } };
    const { report } = await pushSaved(alone, saved, [users]);
    expect(report).toMatchObject({ exit_code: 130, mappings: [{ created: 100 }] });
    await expect(pushSaved(engine, saved, [users])).rejects.toMatchObject({
      code: 'plan.pushed',
      next: `resume ${report.run ?? ''}`,
    });
    const resumed = await resume(engine.ports, undefined, approve);
    expect(resumed?.report).toMatchObject({ exit_code: 0, mappings: [{ created: 250 }] });
  });
});

describe('a stale plan', () => {
  it('names rows of the source that changed, came and went', async () => {
    const engine = await planned();
    const saved = await savePlan(engine, [users]);
    userTable(engine, 'A,Annie,', 'B,Bea,', 'D,Dan,', 'E,,');
    const error = await staleness(engine, saved);
    expect(said(error)).toEqual([
      'source: users row 2 (A) to be changed (display_name "Ann" to "Anna") in the plan and to be changed (display_name "Ann" to "Annie") now',
      'source: users row 3 (B) unchanged in the plan and to be changed (display_name "Bob" to "Bea") now',
      'source: users row 4 (C) is no longer there',
      'source: users row 4 (D) is new: to be created',
      'source: users row 5 (E) is new: invalid (a new user needs a display_name: fill it in)',
    ]);
    expect(error.counts).toEqual({ mapping: 0, source: 5, state: 0, service: 0 });
    expect(error.message).toMatch(
      /^week\.plan \(plan of .*, 0 min old\) is stale, so nothing was sent: 5 differences\n {2}source: 5\n {4}users row 2/,
    );
  });

  it('names rows that went and no other', async () => {
    const engine = await planned();
    const saved = await savePlan(engine, [users]);
    userTable(engine, 'B,Bob,', 'C,Cleo,');
    expect(said(await staleness(engine, saved))).toEqual(['source: users row 2 (A) is no longer there']);
  });

  it('blames the source for a row that a second one contradicts', async () => {
    const engine = await planned();
    const saved = await savePlan(engine, [users]);
    userTable(engine, 'A,Anna,', 'B,Bob,', 'C,Cleo,', 'C,Clea,');
    const differences = said(await staleness(engine, saved));
    expect(differences).toHaveLength(2);
    expect(differences.every((each) => each.startsWith('source: users row'))).toBe(true);
  });

  it('counts what it does not list', async () => {
    const engine = await planned();
    const saved = await savePlan(engine, [users]);
    const more = Array.from({ length: 30 }, (_, index) => `N${index},New ${index},`);
    userTable(engine, 'A,Anna,', 'B,Bob,', 'C,Cleo,', ...more);
    const error = await staleness(engine, saved);
    expect(error.differences).toHaveLength(30);
    expect(error.message.split('\n')).toHaveLength(1 + 1 + 10 + 1);
    expect(error.message).toContain('    and 20 more');
  });

  it('names the mapping and the part of it', async () => {
    const engine = await planned();
    engine.tables.set('leagues.csv', [
      ['name', 'league_id'],
      ['Sunday', '1'],
    ]);
    const saved = await savePlan(engine, [users, leagues]);
    const { reads } = engine.service;
    const changed = { ...users, batchSize: 7, missingRows: 'deactivate' as const };
    expect(said(await staleness(engine, saved, [changed]))).toEqual([
      'mapping: users: its missing_rows, batch_size are not as planned, or a variable that it uses has changed',
      'mapping: leagues: it is no longer there',
    ]);
    expect(engine.service.reads).toBe(reads);
  });

  it('does not mind where the files of mapping and table lie', async () => {
    const engine = await planned();
    const saved = await savePlan(engine, [users]);
    engine.tables.set('/moved/users.csv', engine.tables.get('users.csv') ?? []);
    const moved = pushMapping({
      place: { file: 'elsewhere/users.yml', line: 12 },
      source: { ...users.source, location: { kind: 'csv', path: '/moved/users.csv' } },
    });
    expect((await pushSaved(engine, saved, [moved])).report.exit_code).toBe(0);
  });

  it('names what the service has by now', async () => {
    const engine = await planned();
    const saved = await savePlan(engine, [users]);
    const user = engine.service.users.find(({ external_id }) => external_id === 'A');
    if (user !== undefined) user.display_name = 'Anne';
    engine.service.users.push({
      id: 'x',
      user_id: 99,
      external_id: 'C',
      display_name: 'Cleo',
      is_active: true,
    });
    expect(said(await staleness(engine, saved))).toEqual([
      'service: users row 2 (A) to be changed (display_name "Ann" to "Anna") in the plan and to be changed (display_name "Anne" to "Anna") now',
      'service: users row 4 (C) to be created in the plan and unchanged now',
    ]);
  });

  it('does not mind what others create beside it, as long as the service lists it', async () => {
    const engine = await planned();
    const saved = await savePlan(engine, [users]);
    engine.service.users.push({
      id: 'x',
      user_id: 99,
      external_id: 'Z',
      display_name: 'Zoe',
      is_active: true,
    });
    expect((await pushSaved(engine, saved, [users])).report.exit_code).toBe(0);
  });

  it('names a counter that moved where nothing can be listed', async () => {
    const engine = await makeEngine();
    engine.tables.set('leagues.csv', [
      ['name', 'league_id'],
      ['Sunday', '1'],
    ]);
    const saved = await savePlan(engine, [leagues]);
    engine.service.leagues.push({ id: 7, name: 'Sunday' });
    expect(said(await staleness(engine, saved, [leagues]))).toEqual([
      'service: leagues: the account counts 1 fantasy_leagues now, 0 in the plan, and it is not known which',
    ]);
  });

  it('names a quota that has less room', async () => {
    const engine = await planned();
    const saved = await savePlan(engine, [users]);
    engine.service.quotas = { users: { max: 2, used: 2, remaining: 0 } };
    expect(said(await staleness(engine, saved))).toEqual([
      "service: users row 4 (C) to be created in the plan and deferred (the account's quota has no room for this row now) now",
    ]);
  });

  it('names what another run wrote since', async () => {
    const engine = await planned();
    const saved = await savePlan(engine, [users]);
    engine.clock.time += 60_000;
    const other = await pushNow(engine, users);
    const differences = said(await staleness(engine, saved));
    expect(differences).toEqual([
      // The fake service counts the requests of all runs.
      `state: run ${other.report.run ?? ''} (push) made 3 writing requests after the plan was made`,
      'service: users row 2 (A) to be changed (display_name "Ann" to "Anna") in the plan and unchanged now',
      'service: users row 4 (C) to be created in the plan and unchanged now',
    ]);
  });

  it('calls it the state where rows are compared with what it remembers', async () => {
    const engine = await planned();
    const remembered = { ...users, compare: 'snapshot' as const };
    const saved = await savePlan(engine, [remembered]);
    engine.clock.time += 60_000;
    await pushNow(engine, remembered);
    const parts = (await staleness(engine, saved, [remembered])).differences.map(({ part }) => part);
    expect(parts).toEqual(['state', 'state', 'state']);
  });

  it('names a write without an answer', async () => {
    const engine = await planned();
    const saved = await savePlan(engine, [users]);
    engine.clock.time += 60_000;
    await engine.store.addIntent(accountOf(engine), {
      id: 'intent',
      runId: (await engine.store.runs(1))[0]?.id ?? '',
      mapping: 'users',
      resource: 'users',
      operation: 'create-users',
      rowNumbers: [4],
      keys: ['C'],
      bodyDigest: '0',
      sentAtMs: engine.clock.now(),
    });
    const { reads } = engine.service;
    const [first, ...others] = said(await staleness(engine, saved));
    expect(first).toMatch(/^state: users: run \w+ sent C after the plan was made and has no answer/);
    expect(others).toEqual([]);
    expect(engine.service.reads).toBe(reads);
  });

  it('is noticed before a guard that trips by now', async () => {
    const engine = await planned();
    const guarded = { ...users, guards: { ...users.guards, maxChangePct: 50 } };
    const saved = await savePlan(engine, [guarded]);
    userTable(engine, 'A,Anna,', 'B,Bea,', 'C,Cleo,');
    const error = await staleness(engine, saved, [guarded]);
    expect(error.counts).toMatchObject({ source: 1 });
  });

  it('holds users that left their table too', async () => {
    const engine = await makeEngine();
    const leaving = {
      ...users,
      missingRows: 'deactivate' as const,
      guards: { ...users.guards, maxDeactivate: 5 },
    };
    userTable(engine, 'A,Ann,', 'B,Bob,', 'C,Cleo,');
    await pushNow(engine, leaving);
    engine.clock.time += 60_000;
    userTable(engine, 'A,Ann,', 'B,Bob,');
    const saved = await savePlan(engine, [leaving]);
    expect(await Array.fromAsync(saved.rows())).toContainEqual(
      expect.objectContaining({ mapping: 'users (missing)', key: 'C', kind: 'update' }),
    );
    userTable(engine, 'A,Ann,');
    expect(said(await staleness(engine, saved, [leaving]))).toEqual([
      'source: users row 3 (B) is no longer there',
      'state: users (missing) row 1 (B) is new: to be changed (is_active true to false)',
    ]);
    userTable(engine, 'A,Ann,', 'B,Bob,');
    expect((await pushSaved(engine, saved, [leaving])).report.mappings).toMatchObject([{ deactivated: 1 }]);
  });
});
