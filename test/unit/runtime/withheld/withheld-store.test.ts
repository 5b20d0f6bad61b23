import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import type { KnownRecord } from '../../../../src/model/state/run-rows.ts';
import { Secret } from '../../../../src/model/secret.ts';
import { withheldStore } from '../../../../src/runtime/withheld/withheld-store.ts';
import { planPush } from '../../../../src/sync/plan/plan-sync.ts';
import { eachRow } from '../../../../src/sync/rows/row-pages.ts';
import { knownRecord, runRow } from '../../../support/builders.ts';
import { makeEngine, PLAN_OPTIONS } from '../../../support/engine.ts';
import { accountOf, mappingOn, userTable } from '../../../support/push-case.ts';
import { ACCOUNT, intentOf, startedRun } from '../../../support/writes.ts';

const KEY = 'Kx9AmW2qLp7Zt4Rv8Bn3Yc6Hd1Jf5Gs0';
const HIDDEN = /^E\[redacted [0-9a-f]{16}\]$/;
const keysOf = async (pages: AsyncIterable<readonly KnownRecord[]>): Promise<readonly string[]> =>
  (await Array.fromAsync(pages)).flat().map(({ key }) => key);

it('keeps records that quote the key without it, apart from each other, and finds them by the texts that were seen', async () => {
  const { store, folder } = await makeEngine();
  const quoting = [`E${KEY}`, `E${KEY.slice(0, 9)}`, `E${KEY.slice(-9)}`];
  const withheld = withheldStore(store, new Secret(KEY));
  const record = knownRecord(`E${KEY}`, { display_name: `N ${KEY}`, is_active: true }, 'id-1');
  await withheld.confirm(ACCOUNT, 'users', [
    record,
    ...quoting.slice(1).map((key) => knownRecord(key, {}, key)),
  ]);
  await withheld.addRun(startedRun('RUN'));
  await withheld.addIntent(ACCOUNT, intentOf('W1'));
  await withheld.recordResult(
    ACCOUNT,
    'W1',
    'applied',
    [{ code: 'text', text: `it said ${KEY}` }],
    [knownRecord('plain', {})],
  );
  await withheld.addIntent(ACCOUNT, intentOf('W2'));
  const detail = [{ code: 'text', text: `it said ${KEY}` }] as const;
  await withheld.addIntent(ACCOUNT, intentOf('W3'), [
    { intentId: 'W2', result: 'applied', detail, confirmed: [record] },
  ]);
  const stored = await keysOf(store.allSnapshots(ACCOUNT, 'users'));
  expect(new Set(stored).size).toBe(4);
  expect(stored.filter((key) => HIDDEN.test(key))).toHaveLength(3);
  expect(await keysOf(withheld.allSnapshots(ACCOUNT, 'users'))).toEqual(
    expect.arrayContaining([...quoting, 'plain']),
  );
  expect(await withheld.snapshots(ACCOUNT, 'users', [`E${KEY}`, 'plain', 'nobody'])).toEqual(
    new Map([
      [`E${KEY}`, record],
      ['plain', knownRecord('plain', {})],
    ]),
  );
  // Another process has not seen the texts: it finds by those that it asks for, and shows none of the others.
  const later = withheldStore(store, new Secret(KEY));
  expect((await keysOf(later.allSnapshots(ACCOUNT, 'users'))).filter((key) => HIDDEN.test(key))).toHaveLength(
    3,
  );
  expect((await later.snapshots(ACCOUNT, 'users', [`E${KEY}`])).get(`E${KEY}`)).toMatchObject({
    ...{ key: `E${KEY}`, id: 'id-1' },
    digests: record.digests,
  });
  for (const name of ['state.sqlite', 'state.sqlite-wal'])
    expect(readFileSync(`${folder}/${name}`, 'latin1')).not.toContain(KEY);
});

it("leaves an operator's own cells in the rows of a run, and nothing else that quotes the key", async () => {
  const { store } = await makeEngine();
  const rows = await withheldStore(store, new Secret(KEY)).openRunRows(null);
  const own = runRow(2, { external_id: KEY, display_name: 'Ann' });
  await rows.add('users', [own, runRow(3, { external_id: 'B', display_name: 'Bob' })]);
  await rows.patch('users', [
    { rowNumber: 2, before: { display_name: `N ${KEY}` }, said: [{ code: 'text', text: `it said ${KEY}` }] },
  ]);
  await rows.deferOpen('users', [{ code: 'text', text: `later ${KEY}` }]);
  await rows.addKnown('users', [knownRecord(`E${KEY}`, {}, 'id-1'), knownRecord(`E${KEY}`, {}, 'id-2')]);
  const [first, second] = await rows.rows('users', [2, 3]);
  expect(first).toMatchObject({ key: KEY, fields: own.fields, lines: own.lines });
  expect(JSON.stringify([first?.before, first?.said, second?.said])).not.toContain(KEY);
  expect((await rows.known('users', [`E${KEY}`])).get(`E${KEY}`)?.map(({ key, id }) => [key, id])).toEqual([
    [`E${KEY}`, 'id-1'],
    [`E${KEY}`, 'id-2'],
  ]);
  expect(await rows.countKnown('users')).toBe(1);
  await rows.remove();
});

it('says of rows that are compared while they are read what it says of others', async () => {
  const engine = await makeEngine();
  const mapping = mappingOn('users.csv', { compare: 'snapshot', operation: 'create' });
  const store = withheldStore(engine.store, new Secret(KEY));
  const { service } = engine;
  service.users.push({ id: 'id-1', user_id: 1, external_id: 'A', display_name: 'Ann', is_active: true });
  await store.confirm(accountOf(engine), 'users', [knownRecord('A', { display_name: 'Ann' }, 'id-1')]);
  userTable(engine, `A,${KEY},true`);
  const saidOf = async (isShown: boolean): Promise<string> => {
    const { rows } = await planPush({ ...engine.ports, store }, [mapping], PLAN_OPTIONS, isShown);
    const [row] = await Array.fromAsync(eachRow(rows, mapping.name));
    await rows.remove();
    return JSON.stringify(row?.said);
  };
  expect(await saidOf(true)).toMatch(/"\[redacted [0-9a-f]{16}\]"/);
  expect(await saidOf(true)).toBe(await saidOf(false));
});
