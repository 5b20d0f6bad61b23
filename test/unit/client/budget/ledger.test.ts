import { describe, expect, it } from 'vitest';
import { Ledger } from '../../../../src/client/budget/ledger.ts';
import type { Account } from '../../../../src/contract/resources/account.ts';
import { virtualClock } from '../../../support/clock.ts';
import type { VirtualClock } from '../../../support/clock.ts';

const SERVER_MS = Date.parse('2026-11-20T10:00:00.500Z');

interface World {
  readonly ledger: Ledger;
  readonly clock: VirtualClock;
  /** A request that takes so long. */
  readonly request: (ms: number, how?: { readsAccount?: boolean; counted?: boolean }) => Promise<void>;
  /** Reads an account whose minute has so many requests used. */
  readonly read: (used: number, over?: Partial<Minute>) => Promise<void>;
}

interface Minute {
  readonly limit: number | null;
  readonly resetMs: number;
  readonly day: number;
}

const RESERVES = { per_minute: 2, per_day: 10 };

function world(): World {
  const clock = virtualClock();
  const ledger = new Ledger(clock, RESERVES);
  const serverTime = (): string => new Date(SERVER_MS + clock.monotonic() - 1000).toUTCString();
  const iso = (ms: number): string => new Date(SERVER_MS + ms).toISOString();
  return {
    ledger,
    clock,
    request: async (ms, { readsAccount = false, counted = true } = {}) => {
      const entry = ledger.begin(readsAccount);
      await clock.advance(ms);
      ledger.learnTime(entry, serverTime());
      ledger.end(entry, counted);
    },
    read: async (used, { limit = 20, resetMs = 60_000, day } = {}) => {
      const call = ledger.begin(true);
      await clock.advance(10);
      ledger.learnTime(call, serverTime());
      ledger.end(call, true);
      const per_minute = {
        limit,
        window: '60s',
        used,
        remaining: (limit ?? 0) - used,
        reset_at: iso(resetMs),
      };
      const per_day = { limit: 100, window: '1d', used: day ?? 0, reset_at: iso(9_000_000) };
      const account: Account = {
        id: 'A',
        config: { rate_limit: { per_minute, ...(day !== undefined && { per_day }) } },
      };
      ledger.sync(account, call);
    },
  };
}

const rooms = ({ ledger, clock }: World): readonly number[] =>
  ledger.views(clock.monotonic()).map(({ room }) => room);

describe('the ledger of a key', () => {
  it('knows nothing before the account was read', () => {
    const { ledger } = world();
    expect(ledger.windows).toEqual([]);
    expect(ledger.cost).toEqual({});
    expect(ledger.offset).toBeUndefined();
    expect(ledger.readingDueMs()).toBe(Infinity);
    expect(ledger.likeliestResetMs()).toBe(0);
    expect(ledger.nextTickMs(1000)).toBeUndefined();
  });

  it('knows no window of an account that reports none', () => {
    const { ledger } = world();
    for (const account of [{ id: 'A' }, { id: 'A', config: {} }]) {
      ledger.sync(account, ledger.begin(true));
      expect(ledger.windows).toEqual([]);
    }
  });

  it('takes what was read for as old as its answer', async () => {
    const { ledger, clock } = world();
    const call = ledger.begin(true);
    ledger.end(call, true);
    await clock.advance(500);
    ledger.sync({ id: 'A', config: { rate_limit: { per_minute: { limit: 20 } } } }, call);
    expect(ledger.windows).toMatchObject([{ readAtMs: 1000 }]);
  });

  it('leaves each window its reserve, and takes what is sent from both, account calls left out', async () => {
    const made = world();
    await made.read(1, { day: 50 });
    expect(rooms(made)).toEqual([17, 40]);
    await made.request(10);
    expect(rooms(made)).toEqual([16, 39]);
    await made.request(10, { readsAccount: true });
    expect(rooms(made)).toEqual([16, 39]);
    expect(made.ledger.windows).toMatchObject([
      { name: 'per_minute', kind: 'unknown', limit: 20, lengthMs: 60_000 },
      { name: 'per_day', kind: 'unknown', limit: 100, lengthMs: 86_400_000 },
    ]);
  });

  it('measures what the account call costs, unless a request in between is in doubt', async () => {
    const sure = world();
    await sure.read(1);
    await sure.read(2);
    expect(sure.ledger.cost).toMatchObject({ counted: true });
    const doubted = world();
    await doubted.read(1);
    await doubted.request(10, { counted: false });
    await doubted.read(2);
    expect(doubted.ledger.cost.counted).toBeUndefined();
    const free = world();
    await free.read(0);
    await free.read(0);
    expect(free.ledger.cost).toEqual({ counted: false, listed: false });
  });

  it('takes a first refusal for an account call that is not listed, and none after it was seen to be', async () => {
    const { ledger } = world();
    ledger.doubtListing();
    expect(ledger.cost).toEqual({ listed: false });
    const seen = world();
    await seen.read(1);
    await seen.clock.advance(120_000);
    await seen.read(1, { resetMs: 180_000 });
    const { cost } = seen.ledger;
    seen.ledger.doubtListing();
    expect(seen.ledger.cost).toEqual({ listed: false, ...cost });
  });

  it('keeps free what another client was seen to spend', async () => {
    const made = world();
    await made.read(1);
    await made.read(7);
    // 20 less 7, the reserve, and the 5 of somebody else.
    expect(rooms(made)).toEqual([6]);
  });

  it('tells the reset of the window with the least room', async () => {
    const { read, ledger } = world();
    await read(1, { day: 0 });
    const minuteMs = ledger.likeliestResetMs();
    expect(minuteMs).toBeGreaterThan(60_900);
    expect(minuteMs).toBeLessThan(62_200);
    await read(2, { day: 88 });
    expect(ledger.likeliestResetMs()).toBeGreaterThan(9_000_000);
  });

  it('reads again later and later while there is no room', async () => {
    const made = world();
    await made.read(1);
    expect(made.ledger.earliestRereadMs('per_minute')).toBe(0);
    await made.read(18);
    const { clock, ledger } = made;
    expect(ledger.earliestRereadMs('per_minute')).toBe(clock.monotonic() + 2000);
    await made.read(18);
    expect(ledger.earliestRereadMs('per_minute')).toBe(clock.monotonic() + 4000);
    await made.read(3);
    expect(ledger.earliestRereadMs('per_minute')).toBe(0);
  });

  it('reads again later where one of two windows has no room', async () => {
    const made = world();
    await made.read(1, { day: 0 });
    await made.read(2, { day: 90 });
    expect(made.ledger.earliestRereadMs('per_day')).toBe(made.clock.monotonic() + 2000);
  });

  it('holds the last request before a pause to a tick, and no other', async () => {
    const made = world();
    await made.read(1, { limit: 5, resetMs: 59_500 });
    expect(made.ledger.tickBeforePause(2000)).toBeUndefined();
    const last = world();
    await last.read(1, { limit: 4, resetMs: 59_500 });
    const tick = last.ledger.tickBeforePause(2000) ?? NaN;
    expect(tick).toBe(last.ledger.nextTickMs(2000));
    expect(tick).toBeGreaterThanOrEqual(2000);
    expect(tick).toBeLessThan(3000);
  });

  it('waits for no tick where our own clock tells when a window resets', async () => {
    const made = world();
    // It resets a minute after this call: 5 ms from here, and at no whole second.
    await made.read(1, { limit: 4, resetMs: 60_005 });
    expect(made.ledger.tickBeforePause(2000)).toBeUndefined();
    expect(made.ledger.nextTickMs(2000)).toBeUndefined();
    expect(made.ledger.likeliestResetMs()).toBe(61_020);
    // The day resets by the service's clock.
    const both = world();
    await both.read(1, { limit: 4, resetMs: 60_005, day: 0 });
    expect(both.ledger.nextTickMs(2000)).toBeGreaterThanOrEqual(2000);
  });

  it('forgets what is two of the longest windows old, and nothing younger', async () => {
    const made = world();
    await made.read(1);
    await made.request(10);
    await made.clock.advance(119_990);
    await made.read(1, { resetMs: 180_000 });
    expect(made.ledger.logAt(0).at(0)).toBeUndefined();
    expect(made.ledger.logAt(0).at(1)).toBeDefined();
  });
});

describe('how long a request takes', () => {
  it('is nothing before the first answer', () => {
    const { ledger } = world();
    expect([ledger.latencyMs(), ledger.slowestMs()]).toEqual([0, 0]);
  });

  it('is that of the first one only while there is no other', async () => {
    const { request, ledger } = world();
    await request(900);
    expect([ledger.latencyMs(), ledger.slowestMs()]).toEqual([900, 900]);
    await request(30);
    await request(50);
    await request(40);
    expect([ledger.latencyMs(), ledger.slowestMs()]).toEqual([40, 50]);
  });

  it('is not that of requests that were not answered, or refused', async () => {
    const { request, ledger, clock } = world();
    await request(10);
    await request(20);
    await request(700, { counted: false });
    ledger.begin(false);
    ledger.begin(false);
    await clock.advance(1);
    expect([ledger.latencyMs(), ledger.slowestMs()]).toEqual([20, 20]);
  });

  it('is that of the latest 21', async () => {
    const { request, ledger } = world();
    await request(1);
    await request(500);
    for (let sent = 0; sent < 20; sent += 1) await request(10);
    expect(ledger.slowestMs()).toBe(500);
    await request(10);
    expect(ledger.slowestMs()).toBe(10);
  });

  it('is put into the log of a forecast for what is in flight', async () => {
    const { request, ledger } = world();
    await request(5);
    await request(30);
    ledger.begin(false);
    expect(ledger.logAt(2000).at(2)?.answeredMs).toBe(2030);
  });
});
