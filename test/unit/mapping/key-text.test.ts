import { describe, expect, it } from 'vitest';
import { foldKey, readKey } from '../../../src/mapping/key-text.ts';
import type { Issue } from '../../../src/model/issue.ts';

describe('a key with thousands separators', () => {
  it.each([
    ...['1,001', '1,001,001', '-12,345', '1,234.50', '1.234.567', '1.234,5', '1.234.567,89'],
    ...["1'234", '1\u2019234\u2019567', '1\u00a0234', '12\u202f345,6'],
  ])('looks changed by a spreadsheet: %s', (key) => {
    const issues: Issue[] = [];
    expect(readKey(key, 'Member ID', false, issues)).toBeUndefined();
    expect(issues).toMatchObject([{ code: 'key.shape', severity: 'error' }]);
    expect(readKey(key, 'Member ID', true, [])).toBe(key);
  });

  it.each([
    ...['1.234', '1.2.3', '10.001.2', '1.234.5678', '1001,1', '1,01', '001,234', '1,001-7', 'M1,001'],
    ...['123 456 789', '1 234', "1'23", '192.168.001.001.', '2026.001'],
  ])('is a key that people make up: %s', (key) => {
    expect(readKey(key, 'Member ID', false, [])).toBe(key);
  });
});

describe('keys look alike', () => {
  it.each([
    ['omega', 'of another case'],
    ['Ｏｍｅｇａ', 'in wide letters'],
    ['Om\u00adega', 'with a soft hyphen'],
    ['Omega\u200b', 'with a space of no width'],
    ['Omega\u2060', 'with a joiner of words'],
    ['Omega\u3164', 'with a filler'],
    ['Omeg\u0430', 'with a Cyrillic letter'],
  ])('%j, %s', (key) => {
    expect(foldKey(key)).toBe(foldKey('Omega'));
  });

  it('but not where they differ to the eye', () => {
    expect(foldKey('Om ega')).not.toBe(foldKey('Omega'));
    expect(foldKey('Oméga')).not.toBe(foldKey('Omega'));
  });
});
