import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { wallClock } from '../../../../src/model/time/wall-clock.ts';

/** Zones of whole, half and quarter hours, with clocks that go forth by one hour and by half of one, and one that was off by seconds until 1972. */
const ZONES = [
  'UTC',
  'Europe/Berlin',
  'Asia/Kathmandu',
  'Australia/Lord_Howe',
  'Africa/Monrovia',
  'Pacific/Apia',
];

const shownBy = (timezone: string, ms: number): string =>
  new Intl.DateTimeFormat('sv-SE', { timeZone: timezone, dateStyle: 'short', timeStyle: 'medium' }).format(
    ms,
  );

describe('the wall clock of a zone', () => {
  it('shows every moment as the zone does, at any order of moments', () => {
    const moment = fc.integer({ min: Date.UTC(1950, 0, 1), max: Date.UTC(2100, 0, 1) });
    fc.assert(
      fc.property(fc.constantFrom(...ZONES), fc.array(moment, { minLength: 1 }), (zone, moments) => {
        const toWall = wallClock(zone);
        for (const ms of moments)
          expect(toWall(ms).toISOString()).toBe(
            `${shownBy(zone, ms).replace(' ', 'T')}${new Date(ms).toISOString().slice(19)}`,
          );
      }),
      { numRuns: 60 },
    );
  });

  it.each([
    ['Europe/Berlin', '2026-03-29T00:59:59Z', '2026-03-29T01:59:59'],
    ['Europe/Berlin', '2026-03-29T01:00:00Z', '2026-03-29T03:00:00'],
    ['Australia/Lord_Howe', '2026-10-03T15:29:59Z', '2026-10-04T01:59:59'],
    ['Australia/Lord_Howe', '2026-10-03T15:30:00Z', '2026-10-04T02:30:00'],
  ])('changes its clocks in %s at %s', (zone, at, wall) => {
    const toWall = wallClock(zone);
    toWall(Date.parse(at) - 1);
    expect(toWall(Date.parse(at)).toISOString().slice(0, 19)).toBe(wall);
  });
});
