import { expect, it } from 'vitest';
import { parseDurationMs, parseTime } from '../../../src/sandbox/time.ts';

it.each([
  ['2026-09-22', '2026-09-22T00:00:00.000Z'],
  ['2026-09-22T12:30Z', '2026-09-22T12:30:00.000Z'],
  ['2026-09-22T12:30:15.25+02:00', '2026-09-22T10:30:15.250Z'],
  ['2024-02-29', '2024-02-29T00:00:00.000Z'],
])('the time %s is %s', (text, iso) => {
  expect(parseTime(text)).toBe(iso);
});

it.each([
  ...['', 'tomorrow', '22', '2026-13-01', '2026-02-30', '2026-02-30T00:00Z', '2025-02-29'],
  // Without a zone a time would mean another moment on every machine.
  ...['2026-09-22T12:30', '2026-09-22 12:30', '+012026-01-01T00:00Z', '2026-09-22T12:30:00Zx'],
])('%j is not a time', (text) => {
  expect(parseTime(text)).toBeUndefined();
});

it.each([
  ['0ms', 0],
  ['90s', 90_000],
  ['15m', 900_000],
  ['12h', 43_200_000],
  ['7d', 604_800_000],
])('the duration %s is %i ms', (text, ms) => {
  expect(parseDurationMs(text)).toBe(ms);
});

it.each(['', '7', 'd', '-1d', '1.5h', '1 d', '1w', '1d ', 'P1D', '9999999999999d'])(
  '%j is not a duration',
  (text) => {
    expect(parseDurationMs(text)).toBeUndefined();
  },
);
