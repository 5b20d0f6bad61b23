import { describe, expect, it } from 'vitest';
import { foldKey } from '../../../src/mapping/key-text.ts';

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
