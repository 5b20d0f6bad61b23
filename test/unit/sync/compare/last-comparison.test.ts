import path from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { describe, expect, it } from 'vitest';
import { changedBy } from '../../../../src/model/changed-by.ts';
import type { PushMapping } from '../../../../src/mapping/mapping.ts';
import { UnavailableError } from '../../../../src/model/error.ts';
import { sumsOf } from '../../../../src/model/repeated-texts.ts';
import type { Comparisons, ServiceAccount } from '../../../../src/model/state/store.ts';
import type { PlanOptions } from '../../../../src/plan/saved/push-plan.ts';
import { rowDigest } from '../../../../src/plan/same-rows.ts';
import { LastComparison } from '../../../../src/sync/compare/last-comparison.ts';
import { PLAN_OPTIONS, withEngine, type Engine } from '../../../support/engine.ts';
import { mappingOn } from '../../../support/push-case.ts';

const account: ServiceAccount = { baseUrl: 'https://data.example.com/v1', accountId: 'a-1' };
const HEADER = ['external_id', 'display_name', 'is_active'];
const ROWS = 20_000;
const rowOf = (n: number): readonly string[] => [`K-${n}`, 'Ann', 'true'];

interface Asked {
  readonly header?: readonly string[];
  readonly timezone?: string;
  readonly options?: PlanOptions;
  readonly changed?: Partial<Comparisons>;
  /** The comparison ends before it is kept. */
  readonly isCut?: true;
}

const WHOLE = {
  source: { origin: 'users.csv', digest: 'd1' },
  reading: { header: HEADER, warnings: [], rows: 3, counts: [] },
};

/** Compares rows, all of which say what is known; answers how many of them were known already. */
async function compare(
  { ports }: Engine,
  numbers: readonly number[],
  { header = HEADER, timezone, options = PLAN_OPTIONS, changed = {}, isCut }: Asked = {},
): Promise<number> {
  const store = changedBy(ports.store, { comparisons: changedBy(ports.store.comparisons, changed) });
  const asked = { ...ports, store, release: 'this' };
  const last = LastComparison.of(asked, mappingOn('/users.csv'), account, options);
  if (last === undefined) throw new Error('nothing is remembered of this');
  expect(await last.recall(() => Promise.resolve(undefined))).toBeUndefined();
  const same = await last.sameRows({ header, timezone });
  let found = 0;
  for (const n of numbers) {
    same.begin();
    if (same.find(rowDigest(rowOf(n)), n) === undefined) same.add(n, sumsOf(`K-${n}`));
    else found += 1;
    if (n % 1000 === 0) await last.keepRows();
  }
  if (isCut === undefined) await last.keep(undefined);
  return found;
}

const upTo = (end: number): readonly number[] => Array.from({ length: end }, (_, n) => n);
const unavailable = (): Promise<never> =>
  Promise.reject(new UnavailableError('state.full', 'the disk is full', { next: 'make room' }));

describe('the rows that a comparison found to be as they are known', () => {
  it('are known to the next one, with those that came since', () =>
    withEngine(async (engine) => {
      expect(await compare(engine, upTo(ROWS))).toBe(0);
      expect(await compare(engine, upTo(ROWS + 5))).toBe(ROWS);
      expect(await compare(engine, upTo(ROWS + 5).toReversed())).toBe(ROWS + 5);
    }));

  it('are not known to one of another table, of other options, or after a change of what is confirmed', () =>
    withEngine(async (engine) => {
      await compare(engine, upTo(3));
      expect(await compare(engine, upTo(3), { header: [...HEADER, 'note'] })).toBe(0);
      expect(await compare(engine, upTo(3))).toBe(0);
      expect(await compare(engine, upTo(3), { timezone: 'Europe/Oslo' })).toBe(0);
      const options = { ...PLAN_OPTIONS, allowKeyShape: true };
      expect(await compare(engine, upTo(3), { options })).toBe(0);
      expect(await compare(engine, upTo(3), { options })).toBe(3);
      const record = { key: 'K-1', id: null, number: null, digests: {}, values: {} };
      await engine.store.confirm(account, 'users', [record]);
      expect(await compare(engine, upTo(3), { options })).toBe(0);
    }));

  it('stay known after a comparison that was cut off', () =>
    withEngine(async (engine) => {
      await compare(engine, upTo(ROWS));
      expect(await compare(engine, upTo(2 * ROWS), { isCut: true })).toBe(ROWS);
      expect(await compare(engine, upTo(2 * ROWS + 1))).toBe(ROWS);
      expect(await compare(engine, upTo(2 * ROWS + 1))).toBe(2 * ROWS + 1);
    }));

  it('are dropped where most of them are gone, so that they do not grow for ever', () =>
    withEngine(async (engine) => {
      await compare(engine, upTo(ROWS));
      expect(await compare(engine, upTo(ROWS / 4))).toBe(ROWS / 4);
      expect(await compare(engine, upTo(ROWS / 4))).toBe(0);
      expect(await compare(engine, upTo(ROWS / 4))).toBe(ROWS / 4);
    }));

  it('are not known where something was confirmed before two comparisons that knew them ended', () =>
    withEngine(async (engine) => {
      await compare(engine, upTo(10));
      const { comparisons } = engine.store;
      // The first one finds few of the rows. It ends after the second one was begun and something was confirmed.
      const first = async (...ofFirst: Parameters<Comparisons['keep']>): Promise<void> => {
        const second = async (...ofSecond: Parameters<Comparisons['keep']>): Promise<void> => {
          const record = { key: 'K-1', id: null, number: null, digests: {}, values: {} };
          await engine.store.confirm(account, 'users', [record]);
          await comparisons.keep(...ofFirst);
          await comparisons.keep(...ofSecond);
        };
        expect(await compare(engine, upTo(10), { changed: { keep: second } })).toBe(10);
      };
      expect(await compare(engine, upTo(2), { changed: { keep: first } })).toBe(2);
      expect(await compare(engine, upTo(10))).toBe(0);
    }));

  it('are not known where they are not what was kept', () =>
    withEngine(async (engine) => {
      const edit = (statement: string): void => {
        const db = new DatabaseSync(path.join(engine.folder, 'state.sqlite'));
        db.exec(statement);
        db.close();
      };
      for (const statement of [
        'UPDATE compared_rows SET bytes = zeroblob(length(bytes)) WHERE part = 1',
        'DELETE FROM compared_rows WHERE part = 0',
        'UPDATE compared_rows SET bytes = substr(bytes, 1, 24) WHERE part = 1',
        'UPDATE compared_rows SET bytes = zeroblob(2 * length(bytes)) WHERE part = 1',
      ]) {
        await compare(engine, upTo(ROWS));
        edit(statement);
        expect([statement, await compare(engine, upTo(ROWS))]).toEqual([statement, 0]);
        expect([statement, await compare(engine, upTo(ROWS))]).toEqual([statement, ROWS]);
      }
    }));

  it('are not kept where the disk has no room, and nothing else is the matter', () =>
    withEngine(async (engine) => {
      for (const changed of [{ begin: unavailable }, { addRows: unavailable }, { keep: unavailable }]) {
        expect(await compare(engine, upTo(3), { changed })).toBe(0);
        expect(await compare(engine, upTo(3), { changed })).toBe(0);
      }
    }));
});

describe('a source of which nothing was to be said', () => {
  const lastOf = ({ ports }: Engine, options = PLAN_OPTIONS, release = 'this'): LastComparison =>
    LastComparison.of({ ...ports, release }, mappingOn('/users.csv'), account, options) ?? expect.fail();
  const digested = (digest: string, origin = 'users.csv') => Promise.resolve({ origin, digest });

  it('is told again where its bytes, its name and all that decides are the same', () =>
    withEngine(async (engine) => {
      const first = lastOf(engine);
      expect(await first.recall(() => digested('d1'))).toBeUndefined();
      await first.sameRows({ header: HEADER });
      await first.keep(WHOLE);
      expect(await lastOf(engine).recall(() => digested('d1'))).toEqual(WHOLE.reading);
      expect(await lastOf(engine).recall(() => digested('d2'))).toBeUndefined();
      expect(await lastOf(engine).recall(() => digested('d1', 'other.csv'))).toBeUndefined();
      expect(await lastOf(engine).recall(() => Promise.resolve(undefined))).toBeUndefined();
      expect(await lastOf(engine, PLAN_OPTIONS, 'another').recall(() => digested('d1'))).toBeUndefined();
      const encoded = { ...PLAN_OPTIONS, encoding: 'windows-1252' };
      expect(await lastOf(engine, encoded).recall(() => digested('d1'))).toBeUndefined();
    }));
});

describe('nothing is remembered', () => {
  const remembers = (
    { ports }: Engine,
    changes: Partial<PushMapping>,
    options: Partial<PlanOptions> = {},
  ): boolean => {
    const mapping = { ...mappingOn('/users.csv'), ...changes } as PushMapping;
    const asked = { ...ports, release: 'this' };
    return LastComparison.of(asked, mapping, account, { ...PLAN_OPTIONS, ...options }) !== undefined;
  };

  it('where more than the source, the mapping and the state decides, or a part is read', () =>
    withEngine((engine) => {
      const { source, name } = mappingOn('/users.csv');
      const lookup = { in: 'users', match: ['external_id'], take: 'id' };
      const pairs = {
        kind: 'key_value',
        keyColumn: { name: 'a', isExact: true },
        valueColumn: { name: 'b', isExact: true },
      };
      expect(remembers(engine, {})).toBe(true);
      expect(remembers(engine, { columns: [{}, {}] as never })).toBe(true);
      expect(remembers(engine, {}, { only: { others: { keys: [], rowNumbers: [] } } })).toBe(true);
      expect(remembers(engine, {}, { only: { [name]: { keys: [], rowNumbers: [] } } })).toBe(false);
      expect(remembers(engine, {}, { limit: 1 })).toBe(false);
      expect(remembers(engine, { columns: [{}, { lookup }] as never })).toBe(false);
      expect(remembers(engine, { source: { ...source, layout: pairs } as never })).toBe(false);
      expect(remembers(engine, { resource: 'squads' })).toBe(false);
      expect(LastComparison.of(engine.ports, mappingOn('/users.csv'), account, PLAN_OPTIONS)).toBeUndefined();
      return Promise.resolve();
    }));

  it('where the state is at fault, and not the room on the disk, it is told', () =>
    withEngine(async (engine) => {
      const changed = { addRows: () => Promise.reject(new Error('a mistake of ours')) };
      await expect(compare(engine, upTo(3), { changed })).rejects.toThrow('a mistake of ours');
    }));
});
