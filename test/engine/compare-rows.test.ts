import { expect, it, onTestFinished } from 'vitest';
import type { RunRow } from '../../src/model/state/run-rows.ts';
import { compareRows, equalTo, RowComparison } from '../../src/sync/compare/compare-rows.ts';
import { fromSnapshots } from '../../src/sync/evidence/memory.ts';
import type { Comparison } from '../../src/sync/ports.ts';
import { knownRecord, pushMapping, runRow } from '../support/builders.ts';
import { makeEngine } from '../support/engine.ts';

it('a row that waits for an open write forgets the record that it was compared with before', async () => {
  const engine = await makeEngine();
  const rows = await engine.store.openRunRows(null);
  onTestFinished(() => rows.remove());
  const mapping = pushMapping();
  await rows.add(mapping.name, [
    runRow(1, { external_id: 'A', display_name: 'Ann' }, { id: 'id-1' }),
    runRow(2, { external_id: 'B', display_name: 'Bob' }, { id: 'id-2' }),
  ]);
  await compareRows(
    mapping,
    rows,
    {
      known: 0,
      described: 'nothing',
      lookup: () => Promise.resolve(new Map()),
      unanswered: (key) => (key === 'A' ? { code: 'quota-no-room' } : undefined),
    },
    { quotaRoom: 9, allowKeyShape: true, signal: engine.ports.signal },
  );
  // A create with an id is one that this run has made.
  expect(await rows.rows(mapping.name, [1, 2])).toMatchObject([
    { change: 'create', outcome: 'deferred', id: null },
    { change: 'create', outcome: null, id: null },
  ]);
});

it('rows that are found by digests are what a look at their records makes of them', async () => {
  const engine = await makeEngine();
  const held = [
    knownRecord('A', { external_id: 'A', display_name: 'Ann', is_active: true }),
    knownRecord('B', { external_id: 'B', display_name: 'Bob' }, null),
    knownRecord('C', { external_id: 'C', display_name: 'Cy' }),
    knownRecord('W', { external_id: 'W', display_name: 'Wim' }),
  ];
  const account = { baseUrl: engine.ports.baseUrl, accountId: 'a' };
  await engine.store.confirm(account, 'users', held);
  const mapping = pushMapping();
  const waits = {
    texts: ['x'],
    after: { mapping: 'users', resource: 'users', rowNumber: 1, key: 'A' },
  } as const;
  const rowsOf = (names: readonly (readonly [key: string, name: string])[]) =>
    names.map(([key, name], at) =>
      runRow(
        at + 1,
        { external_id: key, display_name: name },
        {
          ...(key === 'C' && { said: [{ code: 'key-is-there' }] }),
          ...(key === 'L' && { lookups: { display_name: waits } }),
        },
      ),
    );
  const memory = await fromSnapshots({ ports: engine.ports, mapping, account }, 'what is known');
  const comparison = {
    ...memory,
    unanswered: (key: string) => (key === 'W' ? ({ code: 'quota-no-room' } as const) : undefined),
  };
  const found = async (rows: readonly RunRow[], by: Comparison) => {
    const stored = await engine.store.openRunRows(null);
    onTestFinished(() => stored.remove());
    await stored.add(mapping.name, rows);
    const options = { quotaRoom: 9, allowKeyShape: true, signal: engine.ports.signal };
    const { counts, stranger, overQuota } = await compareRows(mapping, stored, by, options);
    return [counts, stranger, overQuota, await stored.page(mapping.name, { afterRow: 0, limit: 99 })];
  };
  const { knownWith: _, ...byRecords } = comparison;
  for (const names of [
    [
      ['A', 'Ann'],
      ['B', 'Bob'],
      ['C', 'Cy'],
      ['W', 'Wim'],
      ['N', 'New'],
      ['L', 'Lea'],
    ],
    [
      ['A', 'Other'],
      ['B', 'Bob'],
      ['C', 'Other'],
      ['W', 'Other'],
    ],
  ] as const)
    expect(await found(rowsOf(names), comparison)).toEqual(await found(rowsOf(names), byRecords));
  const [counts, , , rows] = await found(
    rowsOf([
      ['A', 'Ann'],
      ['B', 'Bob'],
      ['W', 'Wim'],
    ]),
    comparison,
  );
  expect(counts).toMatchObject({ creates: 0, updates: 0 });
  expect(rows).toMatchObject([
    { outcome: 'unchanged', id: 'id-A' },
    { outcome: 'unchanged', id: null },
    { outcome: 'deferred' },
  ]);
});

it('once most rows are other ones, none is looked for by digests until most are equal again', async () => {
  let asked = 0;
  const comparison: Comparison = {
    known: 2,
    described: 'two users',
    lookup: (keys) =>
      Promise.resolve(
        new Map(
          ['A', 'B']
            .filter((key) => keys.includes(key))
            .map((key) => [key, [knownRecord(key, { external_id: key, display_name: key })]]),
        ),
      ),
    knownWith: (wanted) => {
      asked += wanted.length;
      return Promise.resolve(wanted.map(({ key }) => (key === 'A' || key === 'B' ? key : undefined)));
    },
  };
  const page = (...keys: readonly string[]): readonly RunRow[] =>
    keys.map((key, at) => runRow(at + 1, { external_id: key, display_name: key }));
  const comparing = new RowComparison(pushMapping(), comparison, true);
  expect([await comparing.findEqual(page('A', 'C')), asked]).toEqual([['A', undefined], 2]);
  expect([await comparing.findEqual(page('A', 'C', 'D')), asked]).toEqual([['A', undefined, undefined], 5]);
  expect([await comparing.findEqual(page('A', 'B')), asked]).toEqual([[], 5]);
  const changes = (await comparing.compare(page('A', 'B', 'D'), equalTo)).map(({ change }) => change);
  expect([changes, asked]).toEqual([['unchanged', 'unchanged', 'create'], 5]);
  expect([await comparing.findEqual(page('A', 'B')), asked]).toEqual([['A', 'B'], 7]);
});
