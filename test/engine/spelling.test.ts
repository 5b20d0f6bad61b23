import { beforeEach, describe, expect, it, vi } from 'vitest';
import type { ResourceName } from '../../src/contract/index.ts';
import type { KnownRecord, RunRow } from '../../src/model/state/run-rows.ts';
import { spellingFact, type Spelling } from '../../src/model/state/spelling.ts';
import { digestOf } from '../../src/plan/digest.ts';
import type { Shown } from '../../src/plan/reconcile/fit-rows.ts';
import { known } from '../../src/plan/known-records.ts';
import type { Confirmation } from '../../src/plan/requests.ts';
import {
  confirmAnswer,
  confirmShown,
  keySpeller,
  learnFromIds,
  ownKeys,
  seenSpellings,
  spellingOf,
} from '../../src/sync/rows/spelling.ts';
import { pushMapping } from '../support/builders.ts';
import { makeEngine, type Engine } from '../support/engine.ts';
import { runRow } from '../support/run-row.ts';
import { ACCOUNT, readTask } from '../support/writes.ts';

const MINIS = pushMapping({ name: 'cups', resource: 'mini_leagues', operation: 'create' });
const PRICES = pushMapping({ name: 'prices', resource: 'prices', operation: 'append' });
const userRow = (rowNumber: number, key: string): RunRow =>
  runRow({ rowNumber, key, change: 'create', fields: { external_id: key, display_name: 'Ann' } });
const user = (external_id: string, id = `id of ${external_id}`) => ({
  ...{ id, user_id: 1, external_id, display_name: 'Ann', is_active: true },
});
const said = (confirmations: ReadonlyMap<string, Confirmation>): unknown =>
  Object.fromEntries([...confirmations].map(([key, { id, keptAs }]) => [key, [id, keptAs]]));

let engine: Engine;
beforeEach(async () => {
  engine = await makeEngine();
});
const learn = (spelling: Spelling, resource: ResourceName = 'users'): Promise<void> =>
  engine.store.respell(ACCOUNT, resource, spelling);
const learnt = (resource: ResourceName = 'users'): Promise<Spelling | undefined> =>
  spellingOf(engine.ports, ACCOUNT, resource);

describe('what was learnt', () => {
  it('is said by resource, with its time, where there is something', async () => {
    expect(await seenSpellings(engine.ports, ACCOUNT)).toEqual([]);
    await learn({ case: true, cut: 4 });
    await learn({}, 'squads');
    const [users, squads] = [
      await engine.store.fact(ACCOUNT, spellingFact('users')),
      await engine.store.fact(ACCOUNT, spellingFact('squads')),
    ];
    expect(await seenSpellings(engine.ports, ACCOUNT)).toEqual([
      { resource: 'users', spelling: { case: true, cut: 4 }, atMs: users?.atMs },
      { resource: 'squads', spelling: {}, atMs: squads?.atMs },
    ]);
    expect(users?.atMs).toBeTypeOf('number');
  });

  it('is what keys of that resource are compared by', async () => {
    await learn({ case: true });
    const [users, squads] = [
      await keySpeller(engine.ports, ACCOUNT, 'users'),
      await keySpeller(engine.ports, ACCOUNT, 'squads'),
    ];
    expect([users('M-1'), squads('1/2/Hill')]).toEqual(['m-1', '1/2/Hill']);
  });
});

describe('the answer to a write', () => {
  const answer = (
    rows: readonly RunRow[],
    records: readonly unknown[],
    isOld?: (shown: Shown) => boolean,
    mapping = pushMapping(),
  ) => confirmAnswer(readTask(engine, mapping), rows, records, isOld);

  it('is about the rows that it names, in any spelling, which is remembered', async () => {
    const rows = [userRow(2, 'M-1'), userRow(3, 'M-2')];
    expect(said(await answer(rows, [user('m-2'), user('m-1')]))).toEqual({
      'M-1': ['id of m-1', 'm-1'],
      'M-2': ['id of m-2', 'm-2'],
    });
    expect(await learnt()).toEqual({ case: true });
  });

  it('leaves what was known as it is where nothing new shows', async () => {
    await learn({ width: true });
    expect(said(await answer([userRow(2, 'M-1')], [user('M-1')]))).toEqual({
      'M-1': ['id of M-1', undefined],
    });
    expect(await learnt()).toEqual({ width: true });
    expect(said(await answer([userRow(2, 'Ｍ-1')], [user('M-1')]))).toEqual({ 'Ｍ-1': ['id of M-1', 'M-1'] });
  });

  it('of other composed letters names the row that was sent', async () => {
    expect(said(await answer([userRow(2, 'Zoé')], [user('Zoe\u0301')]))).toEqual({
      Zoé: ['id of Zoe\u0301', undefined],
    });
    expect(await learnt()).toBeUndefined();
  });

  it('that names every row is about them, also where their records were there before; else what was there is none of them', async () => {
    const rows = [userRow(2, 'M-1'), userRow(3, 'M-2')];
    const isOld = ({ key }: Shown): boolean => key === 'm-1';
    expect(said(await answer(rows, [user('m-1')], isOld))).toEqual({});
    expect(await learnt()).toBeUndefined();
    expect(said(await answer(rows, [user('m-1'), user('m-2')], isOld))).toEqual({
      'M-1': ['id of m-1', 'm-1'],
      'M-2': ['id of m-2', 'm-2'],
    });
  });

  it('is found by a spelling that is known also where a record was there before', async () => {
    await learn({ case: true });
    const rows = [userRow(2, 'M-1'), userRow(3, 'M-2')];
    expect(said(await answer(rows, [user('m-1')], () => true))).toEqual({ 'M-1': ['id of m-1', 'm-1'] });
  });

  it('that holds no rows, and one for no rows, say nothing', async () => {
    expect(said(await answer([userRow(2, 'M-1')], []))).toEqual({});
    expect(said(await answer([], [user('M-1')]))).toEqual({});
  });

  it('about users leaves out a record that does not say whose it is', async () => {
    const rows = [userRow(2, 'M-1'), userRow(3, 'M-2')];
    expect(said(await answer(rows, [{ ...user('x'), external_id: null }, user('m-2')]))).toEqual({
      'M-2': ['id of m-2', 'm-2'],
    });
  });

  it('to a change is about the row whose record was changed, also under a key that no spelling explains', async () => {
    const change = (rowNumber: number, key: string, id: string): RunRow =>
      ({ ...userRow(rowNumber, key), change: 'update', id }) as const;
    const rows = [change(2, 'M-1', 'a'), { ...userRow(3, 'M-2'), id: null }];
    expect(said(await answer(rows, [user('x:M-1', 'a'), user('M-2')]))).toEqual({
      'M-1': ['a', undefined],
      'M-2': ['id of M-2', undefined],
    });
    expect(await learnt()).toBeUndefined();
    expect(said(await answer([change(2, 'M-1', 'a')], [user('m-1', 'a')]))).toEqual({ 'M-1': ['a', 'm-1'] });
    expect(await learnt()).toEqual({ case: true });
    expect(said(await answer([change(2, 'M-1', 'a')], [user('x:M-1', 'other')]))).toEqual({});
  });

  it('to a mini league is by its name, within its league', async () => {
    const row = runRow({
      ...{ rowNumber: 2, key: '1/Office Cup', change: 'create' },
      fields: { fantasy_league_id: 1, name: 'Office Cup', type: 'open' },
    });
    const made = (name?: string) => ({
      id: 7,
      fantasy_league: { id: 1 },
      ...(name !== undefined && { name }),
    });
    expect(said(await answer([row], [made('OFFICE CUP')], undefined, MINIS))).toEqual({
      '1/Office Cup': ['7', 'OFFICE CUP'],
    });
    expect([await learnt('mini_leagues'), await learnt()]).toEqual([{ case: true }, undefined]);
    // A record that says no name answers for the one row that was sent.
    expect(said(await answer([row], [made()], undefined, MINIS))).toEqual({
      '1/Office Cup': ['7', undefined],
    });
  });

  it('to what has no text in its key is as it was', async () => {
    const row = runRow({
      ...{ rowNumber: 2, key: '1/7/delta', change: 'create' },
      fields: { fantasy_league_id: 1, player_id: 7, price: 5, type: 'delta' },
    });
    expect(said(await answer([row], [{ reference: 'r', count: 1, name: 'May' }], undefined, PRICES))).toEqual(
      {
        '1/7/delta': [null, undefined],
      },
    );
    expect(await seenSpellings(engine.ports, ACCOUNT)).toEqual([]);
  });
});

it('what records show of rows is remembered before anything is made of it', async () => {
  const respell = vi.spyOn(engine.store, 'respell');
  const shown = [{ key: 'm-1', record: user('m-1') }];
  const match = (records: ReadonlyMap<string, readonly unknown[]>): ReadonlyMap<string, Confirmation> => {
    expect(respell).toHaveBeenCalledExactlyOnceWith(ACCOUNT, 'users', { case: true });
    expect(records).toEqual(new Map([['M-1', [user('M-1', 'id of m-1')]]]));
    return new Map([['M-1', { id: 'x', record: known('M-1', 'x', null, {}) }]]);
  };
  const rows = [userRow(2, 'M-1')];
  const found = await confirmShown(
    { ports: engine.ports, account: ACCOUNT, mapping: pushMapping() },
    rows,
    shown,
    () => false,
    match,
  );
  expect(said(found)).toEqual({ 'M-1': ['x', 'm-1'] });
});

describe('what a whole list shows under the id of a record that was confirmed', () => {
  const confirm = (key: string, id: string | null, resource: ResourceName = 'users'): Promise<void> =>
    engine.store.confirm(ACCOUNT, resource, [{ key, id, number: null, digests: {}, values: {} }]);
  const learnFrom = (
    listed: Readonly<Record<string, string | null>>,
    resource: ResourceName = 'users',
  ): Promise<boolean> => {
    const isListed = (key: string): boolean => Object.hasOwn(listed, key);
    return learnFromIds(engine.ports, ACCOUNT, resource, isListed, Object.entries(listed));
  };

  it('teaches how it is spelt, once', async () => {
    await confirm('M-1', 'a');
    await confirm('M-2', 'b');
    expect(await learnFrom({ 'm-1': 'a', 'm-2': 'b', other: 'c', nobody: null })).toBe(true);
    expect(await learnt()).toEqual({ case: true });
    await confirm('M-3', 'd');
    expect(await learnFrom({ 'm-1': 'a', 'M-3': 'd' })).toBe(false);
  });

  it('adds to what was known', async () => {
    await learn({ width: true, cut: 9 });
    await confirm('M-1', 'a');
    await confirm('M-2', 'b');
    expect(await learnFrom({ 'm-1': 'a', 'm-2': 'b' })).toBe(true);
    expect(await learnt()).toEqual({ case: true, width: true, cut: 9 });
  });

  it('teaches nothing where keys are shown as they were sent, were changed, have no id, or stand in another league', async () => {
    await confirm('M-1', 'a');
    await confirm('M-2', null);
    expect(await learnFrom({ 'M-1': 'a', 'm-1': 'a' })).toBe(false);
    expect(await learnFrom({ Bert: 'a', 'm-2': null })).toBe(false);
    await confirm('1/Office', '7', 'mini_leagues');
    expect(await learnFrom({ '2/OFFICE': '7' }, 'mini_leagues')).toBe(false);
    expect(await seenSpellings(engine.ports, ACCOUNT)).toEqual([]);
    await confirm('1/Pub', '8', 'mini_leagues');
    expect(await learnFrom({ '1/OFFICE': '7', '1/PUB': '8' }, 'mini_leagues')).toBe(true);
  });

  it('teaches nothing where one record alone has another name, or others are shown as no such spelling would', async () => {
    for (const [key, id] of Object.entries({ 'Lions FC': 'a', 'Bears FC': 'b', Tigers: 'c' }))
      await confirm(key, id);
    expect(await learnFrom({ Lions: 'a', 'Bears FC': 'b' })).toBe(false);
    const two = { Lions: 'a', Bears: 'b' };
    expect(await learnFrom({ ...two, Tigers: 'c' })).toBe(false);
    expect(await learnFrom({ ...two, 'a stranger': 'z' })).toBe(false);
    expect(await learnFrom({ 'lions fc': 'a', 'bears fc': 'b', Tigers: 'c' })).toBe(false);
    expect(await learnt()).toBeUndefined();
    expect(await learnFrom({ ...two, Tiger: 'c' })).toBe(true);
    expect(await learnt()).toEqual({ cut: 5 });
  });

  it('knows from texts that are filled up with blanks that all shorter ones are', async () => {
    await confirm('D', 'd');
    await confirm('Erika', 'e');
    const filled = { 'D     ': 'd', 'Erika ': 'e' };
    expect(await learnFrom({ ...filled, A: 'x' })).toBe(false);
    expect(await learnFrom({ ...filled, 'A     ': 'x', Albert: 'y' })).toBe(true);
    expect(await learnt()).toEqual({ blanks: true });
  });

  it('leaves out what was given another name, and takes a cut only where all bear it out', async () => {
    await confirm('M-1', 'a');
    await confirm('M-2', 'b');
    await confirm('M-3', 'c');
    expect(await learnFrom({ 'm-1': 'a', Bert: 'b', 'm-3': 'c' })).toBe(true);
    expect(await learnt()).toEqual({ case: true });
  });

  it('teaches nothing of two that no one spelling fits', async () => {
    await confirm('Alpha', 'a');
    await confirm('Bernard', 'b');
    expect(await learnFrom({ Alp: 'a', BERNARD: 'b' })).toBe(false);
    expect(await learnt()).toBeUndefined();
  });
});

describe('the records of a list', () => {
  const record = (
    key: string,
    id: string | null,
    values: Readonly<Record<string, string>> = {},
  ): KnownRecord => ({ key, id, number: null, values, digests: digestsOf(values) });
  const digestsOf = (values: Readonly<Record<string, string>>): Readonly<Record<string, string>> =>
    Object.fromEntries(Object.entries(values).map(([field, value]) => [field, digestOf(value)]));
  const confirm = (records: readonly KnownRecord[], resource: ResourceName = 'users'): Promise<void> =>
    engine.store.confirm(ACCOUNT, resource, records);
  const put = async (
    listed: readonly KnownRecord[],
    resource: ResourceName = 'users',
  ): Promise<readonly KnownRecord[]> => (await ownKeys(engine.ports, ACCOUNT, resource))(listed);

  it('stay as they are where nothing is known', async () => {
    const listed = [record('M-1', 'a')];
    expect(await put(listed)).toBe(listed);
  });

  it('stay as they are, and the state is not read whole, where each is shown as it is known, or has no id', async () => {
    await confirm([record('M-1', 'a'), record('M-2', 'b')]);
    const read = vi.spyOn(engine.store, 'allSnapshots');
    const listed = [record('M-1', 'a'), record('new', null)];
    expect(await put(listed)).toBe(listed);
    expect(read).not.toHaveBeenCalled();
  });

  it('stand under the keys that their ids are known by, with that text for a value', async () => {
    await confirm([record('M-1', 'a'), record('M-2', 'b')]);
    const listed = [record('x:M-1', 'a', { external_id: 'x:M-1', display_name: 'Ann' }), record('new', 'z')];
    expect(await put(listed)).toEqual([
      { ...record('M-1', 'a', { external_id: 'M-1', display_name: 'Ann' }), shownAs: 'x:M-1' },
      record('new', 'z'),
    ]);
  });

  it('stand under every key of their id, which are read once for all pages', async () => {
    await confirm([record('M-1', 'a'), record('m 1', 'a')]);
    const read = vi.spyOn(engine.store, 'allSnapshots');
    const toOwn = await ownKeys(engine.ports, ACCOUNT, 'users');
    const keys = async (key: string): Promise<readonly string[]> =>
      (await toOwn([record(key, 'a')])).map((each) => each.key);
    expect([await keys('x:M-1'), await keys('y:M-1')]).toEqual([
      ['M-1', 'm 1'],
      ['M-1', 'm 1'],
    ]);
    expect(read).toHaveBeenCalledTimes(1);
  });

  it('stand under the key that is shown where the known one is another spelling of it, or of another league', async () => {
    await learn({ case: true }, 'mini_leagues');
    await confirm([record('1/pub', '7'), record('1/office', '8')], 'mini_leagues');
    const listed = [record('1/PUB', '7'), record('2/Office', '8')];
    expect(await put(listed, 'mini_leagues')).toEqual(listed);
    expect(await put([record('1/Bar', '7')], 'mini_leagues')).toEqual([
      { ...record('1/pub', '7', { name: 'pub' }), shownAs: '1/Bar' },
    ]);
  });

  it('are compared with what was read of the state before, where it was', async () => {
    await confirm([record('M-1', 'a')]);
    const read = vi.spyOn(engine.store, 'snapshots');
    const toOwn = await ownKeys(engine.ports, ACCOUNT, 'users');
    const listed = [record('M-2', 'b')];
    expect(await toOwn(listed, new Map([['M-2', record('M-2', 'b')]]))).toBe(listed);
    expect(read).not.toHaveBeenCalled();
  });
});
