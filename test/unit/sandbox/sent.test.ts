import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { readSent } from '../../../src/sandbox/http/sent.ts';

const KEY = 'Zk0wB3-x_9aQpL7vT2rY5uN8mC1eH4gJ';
const OTHER = 'another-secret-of-somebody-else';

function sentOf(body: string | null, url = '/v1/user', headers = {}) {
  return readSent({ url, headers, rawBody: body === null ? null : Buffer.from(body) }, [KEY]);
}

describe('what a request asked', () => {
  it('is its path, its decoded query and its body', () => {
    expect(sentOf('{"name":"Zoë"}', '/v1/user?page=7&name=Zo%C3%AB+B&page=8')).toEqual({
      path: '/v1/user',
      query: [
        ['page', '7'],
        ['name', 'Zoë B'],
        ['page', '8'],
      ],
      body: '{"name":"Zoë"}',
      cutFrom: null,
    });
    expect(sentOf(null)).toEqual({ path: '/v1/user', query: [], body: null, cutFrom: null });
    expect(sentOf('')).toMatchObject({ body: '', cutFrom: null });
  });

  it('has the first 4,000 characters of a long body alone, and no query that is longer than 2,000', () => {
    const { body, cutFrom } = sentOf('é'.repeat(50_000));
    expect([body, cutFrom]).toEqual(['é'.repeat(4_000), 100_000]);
    expect(sentOf('a'.repeat(4_000))).toMatchObject({ body: 'a'.repeat(4_000), cutFrom: null });
    expect(sentOf('a'.repeat(4_001))).toMatchObject({ body: 'a'.repeat(4_000), cutFrom: 4_001 });
    expect(sentOf(null, `/v1/user?q=${'a'.repeat(2_000)}`)).toMatchObject({ path: '/v1/user', query: [] });
  });

  it.each([
    ['as it is', KEY],
    ['with a character as its code', KEY.replace('Z', '\\u005a')],
    [
      'with all of them as their codes',
      KEY.replace(/./g, (one) => `\\u00${one.charCodeAt(0).toString(16).padStart(2, '0')}`),
    ],
  ])('never has a key, %s', (_how, spelled) => {
    const { body } = sentOf(`{"external_id":"${spelled}","name":"x"}`);
    expect(body).toContain('[key]');
    expect(JSON.stringify(body)).not.toContain(KEY);
    expect(body).not.toContain(spelled);
  });

  it('has no key in path and query, percent-encoded neither', () => {
    const encoded = KEY.replace(/./g, (one) => `%${one.charCodeAt(0).toString(16)}`);
    const sent = sentOf(null, `/v1/user/${KEY}?${KEY}=1&b=${KEY}&c=${encoded}`);
    expect(sent.path).toBe('/v1/user/[key]');
    expect(sent.query).toEqual([
      ['[key]', '1'],
      ['b', '[key]'],
      ['c', '[key]'],
    ]);
  });

  it.each([{ 'x-api-key': OTHER }, { 'x-control-key': OTHER }, { authorization: `Bearer ${OTHER}` }])(
    'has no key that its own headers carry, unknown ones neither: %j',
    (headers) => {
      expect(sentOf(`{"a":"${OTHER}"}`, `/v1/${OTHER}?q=${OTHER}`, headers)).toEqual({
        path: '/v1/[key]',
        query: [['q', '[key]']],
        body: '{"a":"[key]"}',
        cutFrom: null,
      });
    },
  );

  it('never ends within a key, wherever it is cut', () => {
    const text = fc.constantFrom(KEY, 'é', 'a', '"', '\\u005a', 'b'.repeat(500));
    fc.assert(
      fc.property(fc.array(text, { maxLength: 1_200 }), (texts) => {
        const { body } = sentOf(texts.join(''));
        expect(body).not.toContain(KEY.slice(0, 6));
        expect(body?.length).toBeLessThanOrEqual(4_000);
      }),
      { numRuns: 30 },
    );
  });
});
