import { describe, expect, it } from 'vitest';
import type { PushOperation } from '../../../src/contract/resource.ts';
import { renderSaid } from '../../../src/model/said.ts';
import type { KeptOtherwise, KnownRecord } from '../../../src/model/state/run-rows.ts';
import type { Fields } from '../../../src/model/tables/cell.ts';
import {
  changedFields,
  comparedDigests,
  diff as diffOf,
  shownDifferences,
  type Difference,
} from '../../../src/plan/diff.ts';
import { digestFields, digestOf } from '../../../src/plan/digest.ts';
import { knownRecord } from '../../support/builders.ts';

const diff = (
  operation: PushOperation,
  key: string,
  fields: Fields,
  known: readonly KnownRecord[],
  hidden: readonly string[] = [],
): Difference =>
  diffOf(operation, key, fields, known, 'external_id' in fields ? 'users' : 'mini_leagues', hidden);

const toldOf = (difference: Difference): object => ({
  change: difference.change,
  message: 'said' in difference ? renderSaid([difference.said]) : '',
});

const ann = { external_id: 'M-1', display_name: 'Ann', is_active: true };

it('a field is the text of a key for its own resource alone', () => {
  const fields = { external_id: 'A', name: 'New Park' };
  const record = knownRecord('A', { external_id: 'a', name: 'Old Park' });
  expect(changedFields(fields, record, 'users')).toEqual(['name']);
  expect(changedFields(fields, record, 'mini_leagues')).toEqual(['external_id']);
  expect(Object.keys(comparedDigests(fields, 'users'))).toEqual(['name']);
});

describe('diff', () => {
  it.each(['create', 'upsert', 'append', 'set'] as const)('%s of an unknown key is a create', (operation) => {
    expect(diff(operation, 'M-1', ann, [])).toEqual({ change: 'create' });
  });

  it('update of an unknown key is invalid and says what would create it', () => {
    expect(diff('update', 'M-1', ann, [])).toEqual({
      change: 'invalid',
      said: { code: 'compared-unknown', key: 'M-1' },
    });
  });

  it.each(['create', 'update', 'upsert', 'append', 'set'] as const)(
    '%s of equal values is unchanged',
    (operation) => {
      expect(diff(operation, 'M-1', ann, [knownRecord('M-1', ann)])).toEqual({
        change: 'unchanged',
        id: 'id-M-1',
      });
    },
  );

  it('compares only the fields that the row supplies', () => {
    const { is_active: _, ...supplied } = ann;
    expect(diff('upsert', 'M-1', supplied, [knownRecord('M-1', { ...ann, is_active: false })]).change).toBe(
      'unchanged',
    );
  });

  it('names the changed fields with their values before', () => {
    const known = knownRecord('M-1', { ...ann, display_name: 'Anne' });
    expect(diff('upsert', 'M-1', ann, [known])).toEqual({
      change: 'update',
      before: { display_name: 'Anne' },
      id: 'id-M-1',
    });
  });

  it('knows a change by its digest where the value is not kept', () => {
    const known = {
      key: 'M-1',
      id: 'a',
      number: 1,
      digests: digestFields({ ...ann, display_name: 'Anne' }),
      values: { is_active: true },
    };
    expect(diff('upsert', 'M-1', ann, [known])).toEqual({
      change: 'update',
      before: { display_name: null },
      id: 'a',
    });
  });

  it('create of a key with other values is invalid and shows both values', () => {
    const difference = diff('create', 'M-1', ann, [knownRecord('M-1', { ...ann, display_name: 'Anne' })]);
    expect(toldOf(difference)).toEqual({
      change: 'invalid',
      message:
        '"M-1" exists with other values (display_name is "Anne", not "Ann"): create does not change it; use upsert to change it',
    });
  });

  it('two records under one key are a conflict that names both', () => {
    const difference = diff('upsert', 'M-1', ann, [
      knownRecord('M-1', ann, 'a'),
      knownRecord('M-1', ann, 'b'),
    ]);
    expect(difference).toEqual({
      change: 'conflict',
      said: { code: 'compared-several', key: 'M-1', what: 'records', ids: ['a', 'b'] },
    });
  });
});

describe('fields that no list shows', () => {
  const row = { fantasy_league_id: 1, name: 'Pub', type: 'open', code: 'x' };
  const shown = { fantasy_league_id: 1, name: 'Pub' };

  it('are not compared where nothing remembers them, and the row says so', () => {
    expect(diff('create', '1/Pub', row, [knownRecord('1/Pub', shown)], ['type', 'code'])).toEqual({
      change: 'unchanged',
      id: 'id-1/Pub',
      said: { code: 'compared-unseen', fields: ['type', 'code'] },
    });
  });

  it('are compared where they are remembered', () => {
    const known = knownRecord('1/Pub', { ...shown, type: 'closed', code: 'x' });
    expect(diff('create', '1/Pub', row, [known], ['type', 'code'])).toMatchObject({ change: 'invalid' });
  });

  it('are not missed where the row does not hold them', () => {
    expect(diff('create', '1/Pub', shown, [knownRecord('1/Pub', shown)], ['type'])).toEqual({
      change: 'unchanged',
      id: 'id-1/Pub',
    });
  });

  it('do not hide another change', () => {
    const known = knownRecord('1/Pub', { ...shown, fantasy_league_id: 2 });
    expect(diff('set', '1/Pub', row, [known], ['type', 'code'])).toEqual({
      change: 'update',
      before: { fantasy_league_id: 2 },
      id: 'id-1/Pub',
    });
  });
});

it('create of what cannot be changed says what to do, and what is not known', () => {
  const known = { ...knownRecord('1/Pub', { name: 'Pub' }), values: {} };
  expect(toldOf(diff('create', '1/Pub', { name: 'Pub', type: 'open' }, [known]))).toEqual({
    change: 'invalid',
    message:
      '"1/Pub" exists with other values (type is another value, not "open"): create does not change it; the service can neither change nor delete it: write the old values into the row, or another name',
  });
});

it('a conflict names also a record without an id', () => {
  const [one, two] = [knownRecord('M-1', ann, 'a'), knownRecord('M-1', ann, null)];
  expect(diff('upsert', 'M-1', ann, [one, two])).toEqual({
    change: 'conflict',
    said: { code: 'compared-several', key: 'M-1', what: 'records', ids: ['a', 'without id'] },
  });
});

it('a record that was confirmed under another key is a conflict, unless it says the same', () => {
  const known = knownRecord('M-2', ann);
  expect(diff('upsert', 'M-1', { ...ann, display_name: 'Anne' }, [known])).toEqual({
    change: 'conflict',
    said: { code: 'compared-shown-as', key: 'M-1', own: 'M-2', fields: ['display_name'] },
  });
  expect(diff('upsert', 'M-1', ann, [known])).toEqual({ change: 'unchanged', id: 'id-M-2' });
});

describe('a value that the service keeps otherwise', () => {
  const shown = knownRecord('M-1', { external_id: 'M-1', display_name: 'ANN', is_active: false });
  const times = 2;
  const kept = (sent: string | boolean, name: string): KeptOtherwise => ({
    sent: digestOf(sent),
    shown: shown.digests[name] ?? '',
    times,
  });
  const known = { ...shown, keptOtherwise: { display_name: kept('Ann', 'display_name') } };

  it('is a conflict and not sent again, where nothing else is to change', () => {
    expect(diff('upsert', 'M-1', { external_id: 'M-1', display_name: 'Ann' }, [known])).toEqual({
      change: 'conflict',
      said: { code: 'compared-kept', fields: ['display_name'] },
    });
    expect(diff('upsert', 'M-1', ann, [known]).change).toBe('update');
    const both = { ...known.keptOtherwise, is_active: kept(true, 'is_active') };
    expect(diff('upsert', 'M-1', ann, [{ ...known, keptOtherwise: both }]).change).toBe('conflict');
  });

  it('is sent where the row or the record has another value since', () => {
    const wanted = (display_name: string, record: KnownRecord = known): string =>
      diff('upsert', 'M-1', { external_id: 'M-1', display_name }, [record]).change;
    expect(wanted('Anne')).toBe('update');
    expect(wanted('Ann', { ...known, digests: { ...known.digests, display_name: digestOf('ANNE') } })).toBe(
      'update',
    );
  });
});

describe('what is compared of a field', () => {
  it('is its digest, also of truth values and numbers', () => {
    const fields = { external_id: 'M-1', display_name: 'Ann', is_active: true, price: 7.5 };
    expect(comparedDigests(fields, 'users')).toEqual({
      display_name: digestOf('Ann'),
      is_active: digestOf(true),
      price: digestOf(7.5),
    });
    expect(comparedDigests({ is_active: false }, 'users')).toEqual({ is_active: digestOf(false) });
  });

  it('is found by the digest where the value is not kept, and by the value where it is', () => {
    const record = knownRecord('M-1', { is_active: true, price: 7.5, name: 'x' });
    const changed = (fields: Fields, known: KnownRecord = record): readonly string[] =>
      changedFields(fields, known, 'users');
    expect(changed({ is_active: true, price: 7.5 }, { ...record, values: {} })).toEqual([]);
    expect(changed({ is_active: false, price: 8 })).toEqual(['is_active', 'price']);
    // The text beside a digest may be one that was shortened for people.
    expect(changed({ name: 'x' }, { ...record, digests: { name: digestOf('y') } })).toEqual(['name']);
    const other = { ...record.digests, is_active: digestOf(false), price: digestOf(8) };
    expect(changed({ is_active: true, price: 7.5 }, { ...record, digests: other })).toEqual([]);
    expect(changed({ is_active: true }, { ...record, digests: {} })).toEqual(['is_active']);
  });
});

describe('what a record shows otherwise', () => {
  it('is named with both values, as far as they are known', () => {
    const known = knownRecord('M-1', { ...ann, display_name: 'Anne', is_active: false });
    expect(shownDifferences(ann, known)).toEqual({
      display_name: { wanted: 'Ann', held: 'Anne' },
      is_active: { wanted: true, held: false },
    });
    expect(shownDifferences({ display_name: 'Ann' }, { ...known, values: {} })).toEqual({
      display_name: { wanted: 'Ann', held: null },
    });
  });

  it('is nothing that the row does not say, or that the record does not show', () => {
    expect(shownDifferences(ann, knownRecord('M-1', { external_id: 'M-1' }))).toEqual({});
    expect(shownDifferences(null, knownRecord('M-1', ann))).toEqual({});
  });
});
