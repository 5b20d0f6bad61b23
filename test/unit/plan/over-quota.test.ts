import { expect, it } from 'vitest';
import { renderSaid } from '../../../src/model/said.ts';
import { giveBack, overQuota, takeRoom, type QuotasLeft } from '../../../src/plan/over-quota.ts';

it('takes the room that there is, each record once', () => {
  const quotas: QuotasLeft = new Map([['users', 5]]);
  expect([3, 3, 3].map((records) => takeRoom(quotas, 'users', records))).toEqual([3, 2, 0]);
  expect(quotas).toEqual(new Map([['users', 0]]));
});

it('knows no bound of a quota that nothing was said of, nor of records without one', () => {
  const quotas: QuotasLeft = new Map([['users', 0]]);
  expect(takeRoom(quotas, 'squads', 3)).toBe(3);
  expect(takeRoom(quotas, undefined, 3)).toBe(3);
  expect(quotas).toEqual(new Map([['users', 0]]));
});

it('gives room back to the quota that it was taken from', () => {
  const quotas: QuotasLeft = new Map([['users', 1]]);
  giveBack(quotas, 'users', 2);
  giveBack(quotas, 'squads', 2);
  giveBack(quotas, undefined, 2);
  expect(quotas).toEqual(new Map([['users', 3]]));
});

it('says which quota is full, and what sends the row once it is larger', () => {
  expect(renderSaid(overQuota('fantasy_leagues', 'R1'))).toBe(
    "the account's quota of fantasy leagues is full; after it is raised, teamsheet resume R1 sends it",
  );
});
