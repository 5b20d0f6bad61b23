import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { withholder } from '../../src/model/withhold.ts';
import { runs } from '../support/long.ts';

const characters = (from: number, to: number): readonly string[] =>
  Array.from({ length: to - from + 1 }, (_, at) => String.fromCharCode(from + at));
const PRINTABLE = characters(0x21, 0x7e);
const SMALL = [...characters(0x61, 0x7a), ...PRINTABLE.filter((character) => !/[A-Za-z0-9]/.test(character))];

/** Keys as providers make them: some begin with small letters and signs alone. */
const keys = fc
  .tuple(
    fc.array(fc.constantFrom(...SMALL), { maxLength: 24 }),
    fc.array(fc.constantFrom(...PRINTABLE), { minLength: 16, maxLength: 40 }),
  )
  .map(([small, rest]) => [...small, ...rest].join(''))
  // What hardly differs from ordinary texts counts only where there is more of it.
  .filter((key) => new Set(key.slice(0, 8)).size >= 4 && new Set(key.slice(-8)).size >= 4);

const json = (text: string): string => JSON.stringify(text).slice(1, -1);
const html = (text: string): string =>
  text
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll('"', '&quot;')
    .replaceAll("'", '&#39;');
const FORMS: readonly (readonly [string, (text: string) => string])[] = [
  ['plain', (text) => text],
  ['JSON', json],
  ['JSON inside JSON', (text) => json(json(text))],
  ['HTML', html],
  ['HTML inside JSON', (text) => json(html(text))],
  ['an address', encodeURIComponent],
  ['base64', (text) => Buffer.from(text).toString('base64')],
  ['hexadecimal digits', (text) => Buffer.from(text).toString('hex')],
];

describe.each(FORMS)('any key in %s', (_, form) => {
  it('is withheld whole from every text, also among our own words', () => {
    fc.assert(
      fc.property(keys, (key) => {
        for (const among of ['any text', 'our own words'] as const)
          expect(withholder(key, among)(`it said "${form(key)}" and no more`)).toBe(
            'it said "[redacted]" and no more',
          );
      }),
      { numRuns: runs(300, 20_000) },
    );
  });
});

it('its first and last characters are withheld among our own words, unless they are words or a number', () => {
  const isOurs = (part: string): boolean => /^([a-z _-]+|[A-Z _-]+|[\d .,:_-]+)$/.test(part);
  fc.assert(
    fc.property(keys, (key) => {
      for (const part of [key.slice(0, 8), key.slice(-8)])
        if (!isOurs(part)) expect(withholder(key, 'our own words')(`a ${part} b`)).not.toContain(part);
    }),
    { numRuns: runs(300, 20_000) },
  );
});
