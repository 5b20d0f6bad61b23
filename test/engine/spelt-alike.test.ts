import { renderSaid, type Words } from '../../src/model/said.ts';
import { beforeEach, describe, expect, it } from 'vitest';
import type { KnownRecord, RunRow } from '../../src/model/state/run-rows.ts';
import type { Intent, IntentResult } from '../../src/model/state/store.ts';
import type { Spelling } from '../../src/model/state/spelling.ts';
import { knownAlike, refuseSpeltAlike, speltAlikeSince } from '../../src/sync/compare/spelt-alike.ts';
import { pushMapping } from '../support/builders.ts';
import { makeEngine, type Engine } from '../support/engine.ts';
import { runRow } from '../support/run-row.ts';
import { ACCOUNT, intentOf, pushTask, startedRun, readTask } from '../support/writes.ts';
import { known, remembered } from '../../src/plan/known-records.ts';
import { told, words } from '../support/said.ts';

const record = (key: string, values: KnownRecord['values'] = {}): KnownRecord => ({
  ...{ key, id: `id of ${key}`, number: null, digests: {}, values },
});
const rowOf = (rowNumber: number, key: string | null, changes: Partial<RunRow> = {}): RunRow =>
  runRow({ rowNumber, key, ...changes });
const alike = (key: string, where: string): string =>
  `the service does not tell its key from "${key}" of ${where}: keep one of them, or give one another key`;

let engine: Engine;
beforeEach(async () => {
  engine = await makeEngine();
});
const learn = (spelling: Spelling): Promise<void> => engine.store.respell(ACCOUNT, 'users', spelling);

describe('rows whose keys are one for the service', () => {
  async function refused(given: readonly RunRow[]): Promise<readonly unknown[]> {
    const { rows, mapping } = await pushTask(engine, given);
    await refuseSpeltAlike(readTask(engine, mapping), rows);
    const found = await rows.rows(
      mapping.name,
      given.map(({ rowNumber }) => rowNumber),
    );
    return found
      .filter(({ outcome }) => outcome === 'invalid')
      .map(({ rowNumber, change, said }) => [rowNumber, change, renderSaid(said)]);
  }

  it('are invalid, all of them, each with the place of another', async () => {
    await learn({ case: true });
    const given = [
      rowOf(2, 'M-1'),
      rowOf(3, 'm-2'),
      rowOf(4, 'm-1', { said: words('before') }),
      rowOf(5, 'M-1 '),
    ];
    expect(await refused([...given, rowOf(6, 'M-2'), rowOf(7, 'mM-2')])).toEqual([
      [2, 'invalid', alike('m-1', 'row 4')],
      [3, 'invalid', alike('M-2', 'row 6')],
      [4, 'invalid', `before; ${alike('M-1', 'row 2')}`],
      [6, 'invalid', alike('m-2', 'row 3')],
    ]);
  });

  it('keep the first reason of the first of three', async () => {
    await learn({ case: true });
    expect(await refused([rowOf(2, 'ann'), rowOf(3, 'Ann'), rowOf(4, 'ANN')])).toEqual([
      [2, 'invalid', alike('Ann', 'row 3')],
      [3, 'invalid', alike('ann', 'row 2')],
      [4, 'invalid', alike('ann', 'row 2')],
    ]);
  });

  it('are two where no spelling was seen', async () => {
    expect(await refused([rowOf(2, 'M-1'), rowOf(3, 'm-1')])).toEqual([]);
  });

  it('are not rows without a key, rows that are left for another reason, or rows of the same key', async () => {
    await learn({ case: true });
    const given = [rowOf(2, null), rowOf(3, 'M-1', { change: 'invalid' }), rowOf(4, 'm-1')];
    const more = [rowOf(5, 'm-2'), rowOf(6, 'M-2', { change: 'excluded' }), rowOf(7, null)];
    expect(await refused([...given, ...more, rowOf(8, 'm-1')])).toEqual([]);
  });

  it('leave a row as it is that has an outcome', async () => {
    await learn({ case: true });
    expect(await refused([rowOf(2, 'M-1', { outcome: 'deferred' }), rowOf(3, 'm-1')])).toEqual([
      [3, 'invalid', alike('M-1', 'row 2')],
    ]);
  });
});

describe('records that are known under another spelling', () => {
  it('are named by the keys of the rows that are to be created', async () => {
    const known = ['m-1', 'M-2', 'm-3', 'M-444', 'M-5'].map((key) => record(key));
    await engine.store.confirm(ACCOUNT, 'users', known);
    const rows = [
      ...[rowOf(2, 'M-1', { change: 'create' }), rowOf(3, 'm-2', { change: 'create' })],
      ...[rowOf(4, 'M-3', { change: 'update' }), rowOf(5, null, { change: 'create' })],
      // What a cut leaves of a key is another key.
      ...[rowOf(6, 'M-4444', { change: 'create' }), rowOf(7, 'M-5', { change: 'create' })],
    ];
    expect(await knownAlike({ ports: engine.ports, account: ACCOUNT, mapping: pushMapping() }, rows)).toEqual(
      new Set(['M-1', 'm-2']),
    );
  });
});

describe('rows that are not to be created any more', () => {
  const create = (rowNumber: number, key: string | null, changes: Partial<RunRow> = {}): RunRow =>
    rowOf(rowNumber, key, { change: 'create', ...changes });
  const since = (batch: readonly RunRow[]) =>
    speltAlikeSince({ ports: engine.ports, account: ACCOUNT, mapping: pushMapping() }, 'RUN', batch);

  it('are none where no spelling was seen', async () => {
    await engine.store.confirm(ACCOUNT, 'users', [record('m-1')]);
    const batch = [create(2, 'M-1'), create(3, 'm-1')];
    expect(await since(batch)).toEqual({ left: batch, refused: [] });
  });

  it('are none where the record says what this run itself sent of the row', async () => {
    const { store } = engine;
    const fields = { external_id: 'M-1', display_name: 'Ann' };
    await store.confirm(ACCOUNT, 'users', [remembered(known('m-1', 'id', 1, fields))]);
    await learn({ case: true });
    await store.addRun(startedRun('RUN'));
    await store.addIntent(ACCOUNT, intentOf('W1', { keys: ['M-1'] }));
    const { refused } = await since([create(2, 'M-1', { fields })]);
    expect(refused).toEqual([{ rowNumber: 2, id: 'id', outcome: 'created' }]);
    const other = await since([create(2, 'M-1', { fields: { ...fields, display_name: 'Bob' } })]);
    expect(other.refused.map(({ outcome }) => outcome)).toEqual(['deferred']);
  });

  const READ_BACK: Words = [{ code: 'read-back-settled' }];
  it.each<readonly [Partial<Intent>, IntentResult | null, Words, boolean]>([
    [{}, null, [], true],
    [{}, 'refused', words('a user is not wanted'), true],
    [{}, 'not_applied', READ_BACK, true],
    [{}, 'not_applied', [{ code: 'word-taken', assume: 'not-applied', at: 'noon' }], true],
    [{}, 'not_applied', words('connection refused'), false],
    [{ keys: ['M-2'], rowNumbers: [3] }, 'refused', words('a user is not wanted'), false],
    [{ mapping: 'others' }, 'refused', words('a user is not wanted'), false],
  ])(
    'say that they were sent, where they were: %o that is %s (%o): %s',
    async (sent, result, detail, was) => {
      const { store } = engine;
      await store.confirm(ACCOUNT, 'users', [record('m-1', { external_id: 'm-1' })]);
      await learn({ case: true });
      await store.addRun(startedRun('RUN'));
      await store.addIntent(ACCOUNT, intentOf('W1', { keys: ['M-1'], rowNumbers: [2], ...sent }));
      if (result !== null) await store.recordResult(ACCOUNT, 'W1', result, detail, []);
      const { refused } = await since([create(2, 'M-1', { fields: { display_name: 'Ann' } })]);
      const before = was ? 'sent without a trustworthy answer, and nothing shows that it was applied; ' : '';
      const message = `${before}not sent${was ? ' again' : ''}: the service has this record already as "m-1"; the next push compares it`;
      expect(refused.map(told)).toEqual([{ rowNumber: 2, outcome: 'deferred', message }]);
    },
  );

  it('are those that became one with a row of the batch, with a row that was sent, or with a record', async () => {
    const { store } = engine;
    await store.confirm(ACCOUNT, 'users', [record('m-1'), record('m-2', { external_id: 'm-2' })]);
    await store.confirm(ACCOUNT, 'users', [record('m-3', { external_id: 'm 3' }), record('m-4')]);
    await learn({ case: true });
    await store.addRun(startedRun('RUN'));
    await store.addIntent(ACCOUNT, intentOf('W1', { keys: ['m-1', 'zz'] }));
    await store.addIntent(ACCOUNT, intentOf('W2', { keys: ['m-2'], resource: 'squads' }));
    const batch = [
      ...[create(2, 'M-1'), create(3, 'M-2'), create(4, 'M-3'), create(5, 'M-5'), create(6, 'm-5')],
      ...[create(7, null), rowOf(8, 'M-4', { change: 'update' }), create(9, 'M-6'), create(10, 'M-4')],
    ];
    const { left, refused } = await since(batch);
    expect(left.map(({ rowNumber }) => rowNumber)).toEqual([5, 7, 8, 9]);
    const there = (text: string): string =>
      `not sent: the service has this record already${text}; the next push compares it`;
    expect(refused.map(told)).toEqual([
      {
        rowNumber: 2,
        change: 'invalid',
        outcome: 'invalid',
        message: alike('M-1', 'a record that is there'),
      },
      { rowNumber: 3, outcome: 'deferred', message: there(' as "m-2"') },
      { rowNumber: 4, outcome: 'deferred', message: there(' as "m 3"') },
      { rowNumber: 6, change: 'invalid', outcome: 'invalid', message: alike('M-5', 'row 5') },
      { rowNumber: 10, outcome: 'deferred', message: there('') },
    ]);
  });
});
