import { describe, expect, it } from 'vitest';
import { narrowOffset, parseTimeMs } from '../../../src/client/server-time.ts';
import { retryAfterMs, throttleBackoffMs } from '../../../src/client/throttle.ts';

const NOW = Date.parse('2026-11-20T10:00:00Z');
const retryAfter = (value: string | undefined, date?: string): number | undefined =>
  retryAfterMs(
    {
      status: 429,
      headers: { ...(value !== undefined && { 'retry-after': value }), ...(date !== undefined && { date }) },
      body: '',
    },
    NOW,
  );

describe('retryAfterMs', () => {
  it.each<[string | undefined, number | undefined]>([
    ['30', 30_000],
    ['1.5', 1500],
    [' 2 ', 2000],
    ['Fri, 20 Nov 2026 10:00:20 GMT', 20_000],
    [undefined, undefined],
    ['', undefined],
    ['0', undefined],
    ['-5', undefined],
    ['soon', undefined],
    ['Fri, 20 Nov 2026 09:00:00 GMT', undefined],
    ['864000', 86_400_000],
    ['Fri, 20 Nov 2099 09:00:00 GMT', 86_400_000],
  ])('reads %j as %s ms', (value, ms) => {
    expect(retryAfter(value)).toBe(ms);
  });

  it("measures a date against the answer's own clock", () => {
    expect(retryAfter('Sat, 21 Nov 2026 10:00:30 GMT', 'Sat, 21 Nov 2026 10:00:00 GMT')).toBe(30_000);
  });
});

describe('throttleBackoffMs', () => {
  it('is 60 s, doubling to 15 min', () => {
    expect([1, 2, 3, 4, 5, 9].map(throttleBackoffMs)).toEqual([
      60_000, 120_000, 240_000, 480_000, 900_000, 900_000,
    ]);
  });
});

describe('narrowOffset', () => {
  const date = (ms: number): string => new Date(ms).toUTCString();

  it('narrows with every answer and never below the true offset', () => {
    const truth = 5_000_123;
    let known: ReturnType<typeof narrowOffset>;
    for (let sent = 0; sent < 3000; sent += 70)
      known = narrowOffset(known, date(sent + 20 + truth), sent, sent + 40);
    expect(known?.lowMs).toBeLessThanOrEqual(truth);
    expect(known?.highMs).toBeGreaterThanOrEqual(truth);
    expect(truth - (known?.lowMs ?? 0)).toBeLessThan(120);
  });

  it('starts again when the answers contradict each other', () => {
    const first = narrowOffset(undefined, date(1_000_000), 0, 10);
    expect(narrowOffset(first, date(9_000_000), 20, 30)?.lowMs).toBe(8_999_970);
  });

  it('learns nothing without a Date header', () => {
    expect(narrowOffset(undefined, undefined, 0, 1)).toBeUndefined();
    expect(narrowOffset(undefined, 'today', 0, 1)).toBeUndefined();
  });
});

describe('parseTimeMs', () => {
  it('takes a time without a zone for UTC', () => {
    expect(parseTimeMs('2026-11-20T10:00:00')).toBe(NOW);
    expect(parseTimeMs('2026-11-20 10:00:00.000')).toBe(NOW);
    expect(parseTimeMs('2026-11-20T11:00:00+01:00')).toBe(NOW);
    expect(parseTimeMs('')).toBeNaN();
  });
});
