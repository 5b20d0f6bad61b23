import { describe, expect, it } from 'vitest';
import type { PushMapping } from '../../src/mapping/mapping.ts';
import type { PushSummary } from '../../src/model/state/store.ts';
import { IncompleteError, StoppedError, UnavailableError } from '../../src/model/error.ts';
import { push, type PushResult } from '../../src/sync/push.ts';
import { resume } from '../../src/sync/resume.ts';
import { retry } from '../../src/sync/retry.ts';
import { makeEngine, PLAN_OPTIONS, type Engine } from '../support/engine.ts';
import {
  approve,
  mappingOn,
  priceTable,
  PRICES,
  USER_HEADER,
  userEngine,
  userTable,
} from '../support/push-case.ts';

const users = mappingOn('users.csv');
const prices: PushMapping = { ...PRICES, compare: 'none' };

const pushUsers = (engine: Engine, mapping = users): Promise<PushResult> =>
  push(engine.ports, 'push', [mapping], PLAN_OPTIONS, approve);

const again = (
  engine: Engine,
  runId?: string,
  current: (mapping: PushMapping) => PushMapping | undefined = (mapping) => mapping,
): Promise<PushResult | undefined> => retry(engine.ports, runId, PLAN_OPTIONS, current, approve);

function counts(result: PushResult | undefined): object {
  const { report } = result ?? {};
  const summary = report?.mappings[0] as PushSummary;
  const some = Object.entries(summary).filter(([, count]) => typeof count === 'number' && count > 0);
  return { ...Object.fromEntries(some), exit: report?.exit_code, command: report?.command };
}

const names = (engine: Engine): readonly string[] =>
  engine.service.users.map(({ external_id, display_name }) => `${external_id} ${display_name ?? ''}`);

describe('retry', () => {
  it('sends corrected rows, and nothing of the others, as a run of its own', async () => {
    const engine = await makeEngine();
    engine.service.refuses.add('C');
    userTable(engine, 'A,Ann,', 'B,,', 'C,Cid,', ',Dan,');
    const first = await pushUsers(engine);
    expect(counts(first)).toMatchObject({ rows: 4, created: 1, rejected: 1, invalid: 2, exit: 3 });
    engine.service.refuses.clear();
    userTable(engine, 'A,Anna,', 'B,Bob,', 'C,Cid,', 'D,Dan,', 'E,Eve,');
    const second = await again(engine);
    expect(counts(second)).toEqual({ rows: 3, created: 3, exit: 0, command: 'retry' });
    expect(second?.report.run).not.toBe(first.report.run);
    expect(names(engine)).toEqual(['A Ann', 'B Bob', 'C Cid', 'D Dan']);
    expect(
      engine.files
        .get('users.results')
        ?.slice(1)
        .map((line) => line[3]),
    ).toEqual(['3', '4', '5']);
    expect(await again(engine)).toBeUndefined();
  });

  it('tries rows again that are still the same, and keeps them to be retried', async () => {
    const engine = await makeEngine();
    engine.service.refuses.add('A');
    userTable(engine, 'A,Ann,', 'B,,');
    await pushUsers(engine);
    expect(counts(await again(engine))).toMatchObject({ rows: 2, rejected: 1, invalid: 1, exit: 3 });
    engine.service.refuses.clear();
    expect(counts(await again(engine))).toMatchObject({ rows: 2, created: 1, invalid: 1, exit: 3 });
  });

  it('says how many of the refused rows stand there still, and none is no error', async () => {
    const engine = await userEngine(['A,Ann,', 'B,,']);
    await pushUsers(engine);
    userTable(engine, 'A,Ann,');
    expect(counts(await again(engine))).toEqual({ exit: 0, command: 'retry' });
    expect(engine.events).toContainEqual({
      kind: 'note',
      message: 'users: 0 of 1 refused row found again; no other row is read',
    });
  });

  it('says which refused key is in no row any more, what stands in its place, and what reads that', async () => {
    const engine = await userEngine(['A,Ann,', 'B,,', 'C,,']);
    await pushUsers(engine);
    expect([...engine.files.keys()]).toContain('users.rejected');
    userTable(engine, 'A,Ann,', 'D,Dan,');
    const result = await again(engine);
    expect(result?.next).toEqual(['push users']);
    expect(engine.events.filter(({ kind }) => kind === 'warning')).toEqual([
      {
        kind: 'warning',
        message: 'users.csv: row 3 had the refused key B and now has D, which is not read',
      },
      { kind: 'warning', message: 'users.csv: the refused key C is no longer in any row' },
    ]);
    // The rows are done once a push has read them.
    expect([...engine.files.keys()]).toContain('users.rejected');
    await pushUsers(engine);
    expect([...engine.files.keys()]).not.toContain('users.rejected');
  });

  it('keeps the rows to correct while a push reads only some rows or leaves some', async () => {
    const engine = await userEngine(['A,Ann,', 'B,,']);
    await pushUsers(engine);
    await push(engine.ports, 'push', [users], { ...PLAN_OPTIONS, limit: 1 }, approve);
    expect([...engine.files.keys()]).toContain('users.rejected');
    userTable(engine, 'A,Ann,', 'B,Bob,');
    const stop = new IncompleteError('budget.max_requests', 'the limit of 4 requests is reached');
    engine.service.faults.push({ throws: stop });
    await pushUsers(engine);
    expect([...engine.files.keys()]).toContain('users.rejected');
    await pushUsers(engine);
    expect([...engine.files.keys()]).not.toContain('users.rejected');
  });

  it('keeps the rows to correct of one account when another one takes them all', async () => {
    const engine = await makeEngine();
    engine.service.refuses.add('A');
    userTable(engine, 'A,Ann,');
    await pushUsers(engine);
    const { ports } = await makeEngine();
    const other = { ...engine.ports, service: ports.service, baseUrl: 'http://127.0.0.1:8788' };
    const taken = await push(other, 'push', [users], PLAN_OPTIONS, approve);
    expect(counts(taken)).toMatchObject({ created: 1, exit: 0 });
    expect([...engine.files.keys()]).toContain('users.rejected');
    engine.service.refuses.clear();
    await pushUsers(engine);
    expect([...engine.files.keys()]).not.toContain('users.rejected');
  });

  it('counts keys where more rows than one have a refused key', async () => {
    const engine = await userEngine(['A,Ann,', 'A,Amy,', 'B,,']);
    await pushUsers(engine);
    expect(counts(await again(engine))).toMatchObject({ rows: 3, invalid: 3 });
    expect(engine.events).toContainEqual({
      kind: 'note',
      message: 'users: 3 rows found again for 2 refused keys; no other row is read',
    });
  });

  it('keeps rows to be retried that it did not find, until they are back', async () => {
    const engine = await userEngine(['A,Ann,', 'B,,', 'C,,']);
    await pushUsers(engine);
    userTable(engine, 'A,Ann,');
    expect(counts(await again(engine))).toEqual({ exit: 0, command: 'retry' });
    userTable(engine, 'A,Ann,', 'B,Bob,');
    expect(counts(await again(engine))).toMatchObject({ rows: 1, created: 1 });
    userTable(engine, 'A,Ann,', 'B,Bob,', 'C,Cid,');
    expect(counts(await again(engine))).toMatchObject({ rows: 2, unchanged: 1, created: 1 });
    expect(names(engine)).toEqual(['A Ann', 'B Bob', 'C Cid']);
    expect(await again(engine)).toBeUndefined();
  });

  it('deactivates nobody whose row it did not read', async () => {
    const engine = await makeEngine();
    const mapping = {
      ...users,
      missingRows: 'deactivate' as const,
      guards: { ...users.guards, maxDeactivate: 9 },
    };
    userTable(engine, 'A,Ann,', 'B,,');
    await pushUsers(engine, mapping);
    userTable(engine, 'A,Ann,', 'B,Bob,');
    expect(counts(await again(engine))).toMatchObject({ rows: 1, created: 1 });
    expect(engine.service.users.map(({ is_active }) => is_active)).toEqual([true, true]);
  });

  it('reads a mapping as it stands now', async () => {
    const engine = await userEngine(['A,Ann Marie,']);
    const columns = users.columns === 'auto' ? [] : users.columns;
    const short = columns.map((each) => (each.field === 'display_name' ? { ...each, maxLength: 5 } : each));
    expect(counts(await pushUsers(engine, { ...users, columns: short }))).toMatchObject({ invalid: 1 });
    expect(counts(await again(engine))).toMatchObject({ invalid: 1 });
    expect(counts(await again(engine, undefined, () => users))).toMatchObject({ created: 1, exit: 0 });
  });

  it('stops where no mapping of that name reads the table any more, but for an import, which has none', async () => {
    const engine = await userEngine(['B,,']);
    const pushed = await pushUsers(engine);
    await expect(again(engine, undefined, () => undefined)).rejects.toMatchObject({
      code: 'retry.mapping',
      message: `run ${pushed.report.run ?? ''} refused rows of users.csv for the mapping users, and no mapping of that name reads that table now`,
    });
    const other = { ...users, resource: 'prices' } as const;
    await expect(again(engine, undefined, () => other)).rejects.toMatchObject({ code: 'retry.mapping' });
    expect(engine.service.writes).toEqual([]);
    const imported = await push(engine.ports, 'import', [users], PLAN_OPTIONS, approve);
    expect(counts(imported)).toMatchObject({ invalid: 1 });
    expect(counts(await again(engine, undefined, () => other))).toMatchObject({ invalid: 1 });
    userTable(engine, 'B,Bob,');
    // Of a retry of it too.
    expect(counts(await again(engine, undefined, () => undefined))).toMatchObject({ created: 1, exit: 0 });
  });

  it('names the rows to correct of an import of a pipe, which cannot be read again', async () => {
    const engine = await makeEngine();
    const path = '/dev/fd/63';
    const pipe = mappingOn(path, { name: 'pipe' });
    engine.tables.set(path, [USER_HEADER, ['B', '', '']]);
    const importPipe = (): Promise<PushResult> => push(engine.ports, 'import', [pipe], PLAN_OPTIONS, approve);
    const first = await importPipe();
    expect(counts(first)).toMatchObject({ invalid: 1 });
    const refusal = (run: string, file: string): object => ({
      code: 'retry.pipe',
      exitCode: 4,
      message: `run ${run} read ${path}, a pipe that was there for its command alone, so that its rows cannot be read again`,
      next: `Correct the rows in ${file} and import that file, with the same flags.`,
    });
    const firstId = first.report.run ?? '';
    await expect(again(engine, undefined, () => undefined)).rejects.toMatchObject(
      refusal(firstId, 'out/rejected/pipe.rejected.csv'),
    );
    // A later run has written that file.
    await importPipe();
    await expect(again(engine, firstId, () => undefined)).rejects.toMatchObject(
      refusal(firstId, 'runs/pipe.rejected.csv'),
    );
    expect(engine.service.writes).toEqual([]);
  });

  it('leaves rows alone that a later push has read, unless their run is named', async () => {
    const engine = await makeEngine();
    priceTable(engine, '1,7,x,buy');
    const first = await push(engine.ports, 'push', [prices], PLAN_OPTIONS, approve);
    expect(counts(first)).toMatchObject({ invalid: 1 });
    priceTable(engine, '1,7,5,buy');
    await push(engine.ports, 'push', [prices], PLAN_OPTIONS, approve);
    expect(await again(engine)).toBeUndefined();
    expect(engine.events.at(-1)).toMatchObject({
      kind: 'note',
      message: expect.stringContaining(`retry ${first.report.run ?? ''}`) as string,
    });
    expect(engine.service.prices).toHaveLength(1);
    expect(counts(await again(engine, first.report.run ?? ''))).toMatchObject({ created: 1 });
  });

  it('sends refused rows that a push of the first rows has not read', async () => {
    const engine = await userEngine(['A,Ann,', 'B,,']);
    await pushUsers(engine);
    userTable(engine, 'A,Anna,', 'B,Bob,');
    await push(engine.ports, 'push', [users], { ...PLAN_OPTIONS, limit: 1 }, approve);
    expect(counts(await again(engine))).toMatchObject({ rows: 1, created: 1 });
  });

  it('leaves rows of a file to correct alone once the whole table was read', async () => {
    const engine = await userEngine(['B,,']);
    await pushUsers(engine);
    const path = 'out/rejected/users.rejected.csv';
    engine.tables.set(path, [USER_HEADER, ['B', '', '']]);
    const imported = mappingOn(path, { name: 'users.rejected' });
    expect(counts(await push(engine.ports, 'import', [imported], PLAN_OPTIONS, approve))).toMatchObject({
      invalid: 1,
    });
    userTable(engine, 'B,Bob,');
    await pushUsers(engine);
    engine.tables.delete(path);
    expect(await again(engine)).toBeUndefined();
  });

  it('a retry that was not approved changes nothing about what is to be retried', async () => {
    const engine = await userEngine(['A,Ann,', 'B,,']);
    await pushUsers(engine);
    userTable(engine, 'A,Ann,', 'B,Bob,');
    const declined = new StoppedError('approval.declined', 'no');
    const refuse = (): Promise<void> => Promise.reject(declined);
    await expect(retry(engine.ports, undefined, PLAN_OPTIONS, (mapping) => mapping, refuse)).rejects.toBe(
      declined,
    );
    expect(counts(await again(engine))).toMatchObject({ rows: 1, created: 1 });
  });

  it('one that stopped while it compared is planned again by resume, with the same rows', async () => {
    const engine = await userEngine(['A,Ann,', 'B,,']);
    await pushUsers(engine);
    userTable(engine, 'A,Ann,', 'B,Bob,', 'C,Cid,');
    const gone = new UnavailableError('service.timeout', 'no answer');
    engine.service.readFaults.push(undefined, undefined, gone);
    await expect(again(engine)).rejects.toMatchObject({ code: 'service.timeout' });
    expect(counts(await resume(engine.ports, undefined, approve))).toMatchObject({ rows: 1, created: 1 });
    expect(names(engine)).toEqual(['A Ann', 'B Bob']);
  });

  it('says so when it is not known any more which rows were refused', async () => {
    const engine = await userEngine(['A,,']);
    const { report } = await pushUsers(engine);
    const kept = await engine.store.keptRunRows(report.run ?? '');
    await kept?.remove();
    await expect(again(engine)).rejects.toMatchObject({ code: 'run.rows_gone', next: 'push users' });
  });
});
