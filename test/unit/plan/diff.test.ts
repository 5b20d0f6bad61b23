import { describe, expect, it } from 'vitest';
import { diff } from '../../../src/plan/diff.ts';
import { digestFields } from '../../../src/plan/digest.ts';
import { knownRecord } from '../../support/builders.ts';

const ann = { external_id: 'M-1', display_name: 'Ann', is_active: true };

describe('diff', () => {
  it.each(['create', 'upsert', 'append', 'set'] as const)('%s of an unknown key is a create', (operation) => {
    expect(diff(operation, 'M-1', ann, [])).toEqual({ change: 'create' });
  });

  it('update of an unknown key is invalid and says what would create it', () => {
    expect(diff('update', 'M-1', ann, [])).toEqual({
      change: 'invalid',
      message: '"M-1" is not known to the service: update changes what exists; use upsert to create it',
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
    expect(difference).toEqual({
      change: 'invalid',
      message:
        '"M-1" exists with other values (display_name is "Anne", not "Ann"): create leaves it alone; use upsert to change it',
    });
  });

  it('two records under one key are a conflict that names both', () => {
    const difference = diff('upsert', 'M-1', ann, [
      knownRecord('M-1', ann, 'a'),
      knownRecord('M-1', ann, 'b'),
    ]);
    expect(difference).toEqual({
      change: 'conflict',
      message: 'the service holds 2 records for "M-1": a and b',
    });
  });
});
