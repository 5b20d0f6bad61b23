import { expect, it } from 'vitest';
import type { Alert, AlertEvent, Letter } from '../../../src/model/state/alerts.ts';
import { afterTry, lettersFor, taken } from '../../../src/schedule/outbox.ts';

const alert = (event: AlertEvent): Alert => ({
  about: event,
  event,
  environment: 'live',
  league: null,
  mapping: 'users',
  sinceMs: 0,
  run: null,
  exitCode: 8,
  counts: null,
  message: 'm',
  next: null,
});
const FAILED = { ok: false, status: 503, fault: null };
const letter = (nowMs = 0): Letter => {
  const [first] = lettersFor([alert('failing')], [{ to: 'json env A', on: new Set(['failing']) }], nowMs);
  if (first === undefined) throw new Error('no letter');
  return first;
};

const isDue = (waiting: Letter, nowMs: number): boolean => taken(waiting, nowMs) !== undefined;

it('writes one letter for each address that wants an alert', () => {
  const readers = [
    { to: 'json env A', on: new Set<AlertEvent>(['failing']) },
    { to: 'slack env B', on: new Set<AlertEvent>(['failing', 'recovered']) },
    { to: 'json env A', on: new Set<AlertEvent>(['failing', 'degraded']) },
  ];
  const letters = lettersFor(
    [alert('failing'), alert('recovered'), alert('degraded'), alert('week_missing')],
    readers,
    7,
  );
  expect(letters.map(({ to, alert: { event } }) => `${event} ${to}`)).toEqual([
    'failing json env A',
    'failing slack env B',
    'recovered slack env B',
    'degraded json env A',
  ]);
  expect(new Set(letters.map(({ id }) => id)).size).toBe(4);
});

it('tries again after 5 s, doubling to 5 min, and gives up after a day', () => {
  let tried = letter();
  let nowMs = 0;
  const waits: number[] = [];
  while (tried.end === null) {
    expect(isDue(tried, nowMs - 1)).toBe(false);
    expect(isDue(tried, nowMs)).toBe(true);
    tried = afterTry(tried, FAILED, nowMs);
    waits.push(tried.nextTryMs - nowMs);
    nowMs = tried.nextTryMs;
  }
  expect(waits.slice(0, 8)).toEqual([5000, 10_000, 20_000, 40_000, 80_000, 160_000, 300_000, 300_000]);
  expect(tried).toMatchObject({ end: 'given_up', tries: waits.length, last: { status: 503, fault: null } });
  expect(tried.last?.atMs).toBeLessThanOrEqual(24 * 3_600_000);
  expect(nowMs).toBeGreaterThan(24 * 3_600_000);
  expect(isDue(tried, nowMs)).toBe(false);
});

it('ends with an answer', () => {
  const sent = afterTry(afterTry(letter(), FAILED, 0), { ok: true, status: 204, fault: null }, 5000);
  expect(sent).toMatchObject({ end: 'sent', tries: 2, last: { ok: true, status: 204, atMs: 5000 } });
});

it('is taken by one process, for a while', () => {
  const mine = taken(letter(), 10);
  expect(mine && taken(mine, 11)).toBeUndefined();
  expect(mine && isDue(mine, 60_010)).toBe(true);
});

it('does not wait for a clock that was set back', () => {
  const waiting = afterTry(letter(1e12), FAILED, 1e12);
  expect(isDue(waiting, 1e12 - 1)).toBe(false);
  expect(isDue(waiting, 1e12 - 3_600_000)).toBe(true);
});
