import { expect, it } from 'vitest';
import { nearest } from '../../../src/model/nearest.ts';

it('a word that is nearly a candidate is taken for it, whatever its case and what stands between its parts', () => {
  const flags = ['env', 'insecure', 'mappings', 'base-url', 'allow-empty'];
  expect(nearest('maping', flags)).toBe('mappings');
  expect(nearest('BASE_URL', flags)).toBe('base-url');
  expect(nearest('allow-emtpy', flags)).toBe('allow-empty');
  expect(nearest('en', flags)).toBe('env');
});

it('a word of which half is another one is taken for nothing', () => {
  expect(nearest('base-url', ['insecure', 'mappings'])).toBeUndefined();
  expect(nearest('price', ['users', 'squads'])).toBeUndefined();
});

it('of candidates that are as near, the first is meant', () => {
  expect(nearest('usr', ['user', 'use'])).toBe('user');
});
