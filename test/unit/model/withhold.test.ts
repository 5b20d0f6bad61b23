import { describe, expect, it } from 'vitest';
import { withholder } from '../../../src/model/withhold.ts';

const KEY = 'ca"ary-Zx81/9f3a+5c7e"Qw42';
const withhold = withholder(KEY);
const base64 = (text: string): string => Buffer.from(text).toString('base64');
const escaped = (text: string, form: (code: string) => string): string =>
  Array.from(text, (character) => form(character.charCodeAt(0).toString(16).padStart(2, '0'))).join('');

const ENCODINGS: readonly (readonly [string, (text: string) => string])[] = [
  ['plain', (text) => text],
  ['JSON', (text) => JSON.stringify(text).slice(1, -1)],
  ['JSON with escapes alone', (text) => escaped(text, (code) => `\\u00${code}`)],
  ['an address', encodeURIComponent],
  [
    'an address in lower case',
    (text) => encodeURIComponent(text).replace(/%../g, (code) => code.toLowerCase()),
  ],
  ['an address with escapes alone', (text) => escaped(text, (code) => `%${code.toUpperCase()}`)],
  ['JSON inside JSON', (text) => JSON.stringify(JSON.stringify(text).slice(1, -1)).slice(1, -1)],
  ['HTML with names', (text) => text.replaceAll('&', '&amp;').replaceAll('"', '&quot;')],
  ['HTML', (text) => escaped(text, (code) => `&#x${code};`)],
  ['hexadecimal digits', (text) => Buffer.from(text).toString('hex')],
  ['upper hexadecimal digits', (text) => Buffer.from(text).toString('hex').toUpperCase()],
  ['base64', base64],
  ['base64 for addresses', (text) => Buffer.from(text).toString('base64url')],
  ...[1, 2, 3].map(
    (before) =>
      [`base64 behind ${before}`, (text: string) => base64(`${'u'.repeat(before)}:${text}:more`)] as const,
  ),
];

describe.each(ENCODINGS)('in %s', (_name, encode) => {
  it.each([
    ['the key', KEY],
    ['its first 8 characters', KEY.slice(0, 8)],
    ['its first 13 characters', KEY.slice(0, 13)],
    ['its last 8 characters', KEY.slice(-8)],
    ['its last 15 characters', KEY.slice(-15)],
  ])('%s is withheld, and nothing else', (_what, text) => {
    const around = 'Ümlaut \\u00e9 100 %25 "';
    expect(withhold(`${around}${encode(text)}" \\n end`)).toBe(`${around}[redacted]" \\n end`);
  });
});

it('withholds a key whose characters look like escapes', () => {
  const odd = 'a%41b\\u0041"&#65;c%zz';
  expect(withholder(odd)(`x ${odd} y`)).toBe('x [redacted] y');
});

it('withholds every part in a text with several', () => {
  expect(withhold(`${KEY}${KEY} and ${KEY.slice(0, 9)}, ${base64(KEY)}`)).toBe(
    '[redacted][redacted] and [redacted], [redacted]',
  );
});

it('leaves shorter parts, and parts from the middle', () => {
  const text = `${KEY.slice(0, 7)} ${KEY.slice(-7)} ${KEY.slice(3, 20)}`;
  expect(withhold(text)).toBe(text);
});

it.each(['', 'a', 'p4ss-w0', 'password', 'Password', 'PASSWORD', '20261122', 'passwordpasswor'])(
  'leaves ordinary texts alone when the key is %j',
  (key) => {
    const text = `password Password PASSWORD 20261122 p4ss-w0 passwordpasswor ${key}`;
    expect(withholder(key)(text)).toBe(text);
  },
);

it('withholds a short key that is no word whole, and none of its parts', () => {
  const short = withholder('s3cr-et-key1');
  expect(short(`s3cr-et-key1 s3cr-et-k ${base64('s3cr-et-key1')}`)).toBe('[redacted] s3cr-et-k [redacted]');
});

it('counts a part only when it is more than a few characters repeated', () => {
  const zeros = withholder('00000000-0000-4000-8000-0123456789ab');
  const text = '00000000-0000-4000-9000-000000000001';
  expect(zeros(text)).toBe(text);
  expect(zeros('00000000-0000-4000-8000-01')).toBe('[redacted]');
});

it('leaves our own words and numbers alone, and withholds longer parts of such a key', () => {
  const own = withholder('fantasy_league_9d41-2026', 'our own words');
  const text = '{"fantasy_league":20262026,"n":1-2026}';
  expect(own(text)).toBe(text);
  expect(own('fantasy_league_9 fantasy_league_9d41-2026 d41-2026 base')).toBe(
    '[redacted] [redacted] [redacted] base',
  );
  const number = withholder('12345678901234567890', 'our own words');
  expect(number('{"row":12345678}')).toBe('{"row":12345678}');
  expect(number('12345678901234567890')).toBe('[redacted]');
});
