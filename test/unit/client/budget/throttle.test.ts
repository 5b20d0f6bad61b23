import { describe, expect, it } from 'vitest';
import { narrowOffset } from '../../../../src/client/budget/server-time.ts';
import { parseTimeMs } from '../../../../src/model/time/service-time.ts';
import { retryAfterMs, Throttle } from '../../../../src/client/budget/throttle.ts';
import type { HttpRequest, HttpResponse } from '../../../../src/model/ports.ts';

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

describe('a throttle', () => {
  const request: HttpRequest = { method: 'GET', url: 'https://service.test', headers: {} };
  const refusal = (after?: string): HttpResponse => ({
    status: 429,
    headers: after === undefined ? {} : { 'retry-after': after },
    body: '',
  });
  const at = (nowMs: number, resetMs = 0) => ({ nowMs, wallMs: NOW, resetMs });

  it('lets everything pass until something is refused', () => {
    const throttle = new Throttle();
    throttle.passed(0);
    expect(throttle.untilMs).toBe(0);
    expect(throttle.isForGood).toBe(false);
    expect(throttle.refusalOf(request)).toBeUndefined();
    expect(throttle.isNew(0)).toBe(true);
  });

  it('waits 60 s, doubling to 15 min, where nothing says how long, and gives up after five times', () => {
    const throttle = new Throttle();
    const waits = [0, 1, 2, 3, 4, 5].map(() => {
      const nowMs = throttle.untilMs;
      const isForGood = throttle.isForGood;
      throttle.refused(request, refusal(), nowMs, at(nowMs + 10));
      return [throttle.untilMs - nowMs - 10, isForGood];
    });
    expect(waits).toEqual([60_000, 120_000, 240_000, 480_000, 900_000, 900_000].map((ms) => [ms, false]));
    expect(throttle.isForGood).toBe(true);
  });

  it('takes several answers to one burst for one refusal', () => {
    const throttle = new Throttle();
    throttle.refused(request, refusal(), 0, at(100));
    expect([throttle.isNew(99), throttle.isNew(100)]).toEqual([false, true]);
    throttle.refused(request, refusal(), 50, at(120));
    expect(throttle.untilMs).toBe(60_120);
    // What was sent before the refusal and passed says nothing of it.
    throttle.passed(99);
    throttle.refused(request, refusal(), 100, at(60_200));
    expect(throttle.untilMs).toBe(180_200);
    throttle.passed(60_200);
    throttle.refused(request, refusal(), 200_000, at(200_000));
    expect(throttle.untilMs).toBe(260_000);
  });

  it('waits for the later of what it was told and the reset, and longer when that did not help', () => {
    const throttle = new Throttle();
    throttle.refused(request, refusal('30'), 0, at(1000, 20_000));
    expect(throttle.untilMs).toBe(31_015);
    throttle.refused(request, refusal(), 10, at(1010, 40_000));
    expect(throttle.untilMs).toBe(40_000);
    throttle.refused(request, refusal('1'), 20, at(1020, 1000));
    expect(throttle.untilMs).toBe(40_000);
    throttle.refused(request, refusal('30'), 40_000, at(40_100));
    expect(throttle.untilMs).toBe(100_100);
  });

  it('is not told to wait by a reset that is just now', () => {
    const throttle = new Throttle();
    throttle.refused(request, refusal(), 0, at(1000, 1000));
    expect(throttle.untilMs).toBe(61_000);
    const told = new Throttle();
    told.refused(request, refusal(), 0, at(1000, 1001));
    expect(told.untilMs).toBe(1015);
  });

  it('knows which requests were refused, and with what', () => {
    const throttle = new Throttle();
    const answer = refusal();
    throttle.refused(request, answer, 0, at(0));
    expect(throttle.refusalOf(request)).toBe(answer);
    expect(throttle.refusalOf({ ...request })).toBeUndefined();
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
