import { describe, expect, it } from 'vitest';
import { foresee } from '../../../../src/client/budget/forecast.ts';
import type { ForecastStart } from '../../../../src/client/budget/forecast.ts';
import type { WindowState } from '../../../../src/client/budget/rate-window.ts';
import { RequestLog } from '../../../../src/client/budget/request-log.ts';
import { step } from '../../../support/client.ts';

const DAY_MS = 86_400_000;

/** A minute of 20 of which 5 are left, with 30 s to go; the service's clock is 15 ms behind the guard, so that resets come at whole seconds. */
const minute: WindowState = {
  name: 'per_minute',
  limit: 20,
  reserve: 0,
  lengthMs: 60_000,
  used: 15,
  room: 5,
  resetServerMs: 60_000,
  readAtMs: 30_000,
  readEnd: 0,
  quiet: true,
  kind: 'fixed',
  creditFrom: 0,
  byTheClock: true,
  ownReset: undefined,
};
const day: WindowState = {
  ...minute,
  name: 'per_day',
  limit: 100,
  lengthMs: DAY_MS,
  used: 50,
  room: 50,
  resetServerMs: 3_630_000,
};

const start = (windows: readonly WindowState[], over: Partial<ForecastStart> = {}): ForecastStart => ({
  windows,
  log: new RequestLog(),
  cost: { counted: true, listed: true },
  offset: { lowMs: 15, highMs: 115 },
  nowMs: 30_000,
  toWallMs: 1_000_000,
  maxWaitMs: Infinity,
  requestsLeft: Infinity,
  finishByMs: Infinity,
  latencyMs: 0,
  slowestMs: 0,
  inFlight: 8,
  ...over,
});

const MINUTE_USED_UP = 'the per_minute window of the service is used up';
const DAY_USED_UP = 'the per_day window of the service is used up';

describe('a forecast', () => {
  it('needs no pause while the room lasts', () => {
    expect(foresee(start([minute, day]), step(5))).toEqual({
      pauses: [],
      finishesAtMs: 1_030_000,
      requests: 5,
      fits: 5,
      fittingRows: 5,
      limitedBy: undefined,
      finishByMs: undefined,
      atTheLatest: false,
    });
  });

  it('is the lower bound for fixed windows, with one account call a pause', () => {
    // 5 now, then 19 a window beside the account call: 48 = 5 + 19 + 19 + 5.
    const found = foresee(start([minute]), step(48));
    expect(found.pauses.map(({ untilMs, seconds }) => [untilMs, seconds])).toEqual([
      [1_060_000, 30],
      [1_120_000, 60],
      [1_180_000, 60],
    ]);
    expect(found).toMatchObject({ finishesAtMs: 1_180_000, requests: 51, fits: 48 });
  });

  it('wastes nothing when the account call is free', () => {
    const cost = { counted: false };
    expect(foresee(start([minute], { cost }), step(45)).pauses).toHaveLength(2);
    expect(foresee(start([minute], { cost }), step(46)).pauses).toHaveLength(3);
  });

  it('spends the day as well, and waits for it', () => {
    const found = foresee(start([minute, { ...day, used: 70, room: 30 }]), step(40));
    // Minute: 5, pause, 19, pause; the day then holds 30 - 5 - 20 - 1 = 4.
    expect(found.pauses.map(({ untilMs, reason }) => [untilMs, reason])).toEqual([
      [1_060_000, MINUTE_USED_UP],
      [1_120_000, MINUTE_USED_UP],
      [4_630_000, DAY_USED_UP],
    ]);
    expect(found.requests).toBe(43);
  });

  it('adds the time of the requests, as many at a time as may be in flight, step after step', () => {
    const free = { ...minute, room: 1000, limit: 2000 };
    const steps = [
      { requests: 10, inFlight: 1, rows: 10 },
      { requests: 10, inFlight: 5, rows: 10 },
    ];
    const found = foresee(start([free], { latencyMs: 100 }), steps);
    expect(found.finishesAtMs).toBe(1_030_000 + 10 * 100 + 2 * 100);
    expect(foresee(start([free], { latencyMs: 100, inFlight: 2 }), steps).finishesAtMs).toBe(1_031_500);
  });

  it('lets no two requests go out closer together than what is recorded for each takes', () => {
    const steps = [{ requests: 11, inFlight: 8, rows: 11, betweenMs: 50 }];
    const free = { ...minute, room: 1000, limit: 2000 };
    expect(foresee(start([free], { latencyMs: 100 }), steps).finishesAtMs).toBe(1_030_000 + 10 * 50 + 100);
  });

  it('pauses once more where slow requests do not fit into what is left of the window, and not where they do', () => {
    // 5 of 4 s each, one at a time, end before the reset; at 7 s each they end after it, and the next window is there at once.
    const steps = [{ requests: 8, inFlight: 1, rows: 8 }];
    expect(foresee(start([minute], { latencyMs: 4000 }), steps).pauses).toHaveLength(1);
    expect(foresee(start([minute], { latencyMs: 7000 }), steps).pauses).toHaveLength(0);
  });

  it('waits a whole window after each reading where the service does not tell its time', () => {
    const found = foresee(
      start([{ ...minute, resetServerMs: 1_790_000_000_000 }], { offset: undefined }),
      step(30),
    );
    expect(found).toMatchObject({ fits: 30, requests: 32, finishesAtMs: 1_150_030 });
    expect(found.pauses.map(({ seconds }) => seconds)).toEqual([60, 60]);
  });

  it('follows our own requests out of a window that slides', () => {
    const sliding: WindowState = { ...minute, kind: 'sliding', used: 1, room: 19 };
    // 19 at once, in threes a second apart; the account call falls due after a minute, and the others follow those of the minute before.
    const found = foresee(start([sliding], { latencyMs: 1000, inFlight: 3 }), step(25));
    expect(found.pauses).toHaveLength(1);
    expect(found.requests).toBe(26);
    expect(found.finishesAtMs).toBeGreaterThan(1_090_000);
    expect(found.finishesAtMs).toBeLessThan(1_096_000);
  });

  it('of a window that was not seen is that of a fixed one only where its reset stands on the clock', () => {
    const unseen: WindowState = { ...minute, kind: 'unknown' };
    expect(foresee(start([unseen]), step(30))).toMatchObject({ atTheLatest: false, finishesAtMs: 1_120_000 });
    const off = { ...unseen, resetServerMs: 60_123, byTheClock: false };
    expect(foresee(start([off]), step(30)).atTheLatest).toBe(true);
  });

  it.each([
    ['max_wait', { maxWaitMs: 900_000 }, 28, 1_120_000],
    ['max_requests', { requestsLeft: 12 }, 11, 1_060_000],
    ['finish_by', { finishByMs: 70_000 }, 24, 1_060_000],
  ] as const)('stops at %s', (limitedBy, over, fits, finishesAtMs) => {
    const found = foresee(start([minute, { ...day, used: 70, room: 30 }], over), [
      { requests: 40, inFlight: 8, rows: 395 },
    ]);
    expect(found).toMatchObject({ limitedBy, fits, finishesAtMs, fittingRows: fits * 10 });
  });

  it('is the later of both, and says so, while it is not known whether account calls count', () => {
    const cost = {};
    expect(foresee(start([minute], { cost }), step(45))).toMatchObject({
      ...foresee(start([minute], { cost: { counted: true } }), step(45)),
      atTheLatest: true,
    });
    expect(foresee(start([minute], { cost }), step(43))).toMatchObject({ requests: 45, atTheLatest: false });
    // Of twelve that may be sent, the account call takes one either way, and only the time differs.
    const few = foresee(start([minute], { cost, requestsLeft: 12 }), step(40));
    expect(few).toMatchObject({ fits: 11, limitedBy: 'max_requests', atTheLatest: false });
  });

  it('is the one that gets through less, where both stop', () => {
    const found = foresee(start([minute], { cost: {}, maxWaitMs: 70_000, finishByMs: 100_000 }), step(50));
    expect(found).toMatchObject({ fits: 24, limitedBy: 'finish_by', atTheLatest: true });
    const counted = foresee(start([minute], { maxWaitMs: 70_000, finishByMs: 100_000 }), step(50));
    expect(found.fits).toBe(counted.fits);
  });

  it('holds the last request before a pause to a tick, where the clock of the service is known badly', () => {
    const vague = { offset: { lowMs: -400, highMs: 700 }, latencyMs: 40 };
    const one = { ...minute, room: 1, resetServerMs: 90_000 };
    // The middle is 100, and the request is 20 ms ahead of its arrival: 30,880 is the next tick.
    expect(foresee(start([one], vague), step(1)).finishesAtMs).toBe(1_030_920);
    expect(foresee(start([{ ...one, room: 2 }], vague), step(1)).finishesAtMs).toBe(1_030_040);
    const two = foresee(start([one], vague), step(2));
    // What the tick teaches ends the pause sooner than the 90,415 that were known before; it is counted from when the request was held back.
    expect(two.finishesAtMs).toBeLessThan(1_090_415);
    expect(two.pauses.map(({ seconds }) => seconds)).toEqual([60]);
    // The others queue behind it.
    const wide = foresee(start([{ ...one, limit: 2000 }], vague), step(2));
    expect(wide.finishesAtMs).toBe(two.finishesAtMs);
  });

  it('waits as long as max_wait says, and no longer', () => {
    expect(foresee(start([minute], { maxWaitMs: 30_000 }), step(6))).toMatchObject({ fits: 6 });
    expect(foresee(start([minute], { maxWaitMs: 29_999 }), step(6))).toMatchObject({
      fits: 5,
      limitedBy: 'max_wait',
    });
    // Pauses are not added up, where something is sent between them.
    expect(foresee(start([minute], { maxWaitMs: 60_000 }), step(48))).toMatchObject({ fits: 48 });
  });

  it('ends in time, the answer of the last request included', () => {
    const over = { latencyMs: 100, slowestMs: 400 };
    const inTime = { ...over, finishByMs: 60_400 };
    expect(foresee(start([minute], { ...over, finishByMs: 60_399 }), step(6))).toMatchObject({
      fits: 5,
      pauses: [],
      limitedBy: 'finish_by',
    });
    // The pause ends in time, the account call as well, and then it is too late.
    expect(foresee(start([minute], inTime), step(6))).toMatchObject({ fits: 5, requests: 6 });
    expect(foresee(start([{ ...minute, room: 9 }], { ...over, finishByMs: 30_400 }), step(6)).fits).toBe(6);
  });

  it('stops step after step at what keeps one back', () => {
    const steps = [...step(12), ...step(3)];
    expect(foresee(start([minute], { requestsLeft: 9 }), steps)).toMatchObject({ fits: 8, fittingRows: 8 });
  });

  it('calls nothing a pause that is shorter than a second', () => {
    const soon = (resetServerMs: number) =>
      foresee(start([{ ...minute, room: 1, resetServerMs }]), step(2)).pauses.length;
    expect([soon(30_999), soon(31_000)]).toEqual([0, 1]);
  });

  it('reads again later and later where a window stays full', () => {
    const foreign: WindowState = { ...minute, kind: 'sliding', used: 20, room: 0, resetServerMs: 80_000 };
    const found = foresee(start([foreign]), step(3));
    expect(found).toMatchObject({ fits: 3, requests: 4, finishesAtMs: 1_090_010 });
  });

  it('sends nothing that would end too late', () => {
    const over = { latencyMs: 4000, slowestMs: 4000, finishByMs: 37_999 };
    expect(foresee(start([minute], over), [{ requests: 5, inFlight: 1, rows: 5 }])).toMatchObject({
      fits: 1,
      limitedBy: 'finish_by',
      finishByMs: 1_037_999,
    });
  });

  it('stops where no waiting helps because the reserve takes the window', () => {
    const kept = { ...minute, reserve: 20, room: -15 };
    expect(foresee(start([kept]), step(3))).toMatchObject({ fits: 0, pauses: [], limitedBy: 'reserve' });
  });

  it('knows that an account call which does not list itself is missing from what it reports', () => {
    const cost = { counted: true, listed: false };
    expect(foresee(start([minute], { cost }), step(24)).pauses).toHaveLength(1);
    expect(foresee(start([minute], { cost }), step(25)).pauses).toHaveLength(2);
  });

  it('counts what goes out where account calls are free', () => {
    const found = foresee(
      start([minute, { ...day, used: 70, room: 30 }], { cost: { counted: false } }),
      step(31),
    );
    expect(found.pauses.map(({ reason }) => reason)).toEqual([MINUTE_USED_UP, MINUTE_USED_UP, DAY_USED_UP]);
  });

  it('names what keeps the rest back first, and counts no account call beyond it', () => {
    expect(foresee(start([minute], { maxWaitMs: 29_999, requestsLeft: 5 }), step(6)).limitedBy).toBe(
      'max_wait',
    );
    expect(foresee(start([minute], { requestsLeft: 5 }), step(6))).toMatchObject({
      requests: 5,
      limitedBy: 'max_requests',
    });
    const kept = { ...day, reserve: 100, room: -50 };
    expect(foresee(start([minute, kept], { maxWaitMs: 900_000 }), step(1)).limitedBy).toBe('reserve');
  });

  it('adds up pauses between which only the account was read', () => {
    // The account call takes all that the reserve leaves.
    const tiny = { ...minute, limit: 2, reserve: 1, room: 0 };
    expect(foresee(start([tiny], { maxWaitMs: 89_999 }), step(1)).pauses).toHaveLength(1);
    expect(foresee(start([tiny], { maxWaitMs: 90_000 }), step(1)).pauses).toHaveLength(2);
    // The second step would begin again where the first began, and name another limit.
    const over = { maxWaitMs: 150_000, finishByMs: 130_000 };
    expect(foresee(start([tiny], over), [...step(1), ...step(1)]).limitedBy).toBe('finish_by');
  });

  it('counts a pause from when the next request could have gone', () => {
    const one = { ...minute, room: 1 };
    const found = foresee(start([one], { latencyMs: 3000, inFlight: 1 }), step(2));
    expect(found.pauses.map(({ seconds }) => seconds)).toEqual([27]);
  });

  it('does not count the time of a request that waited for a tick as waited', () => {
    const one = { ...minute, room: 1, resetServerMs: 90_000 };
    const vague = { offset: { lowMs: -400, highMs: 700 }, latencyMs: 40 };
    const endsMs = (foresee(start([one], vague), step(2)).pauses[0]?.untilMs ?? 0) - 1_000_000;
    const within = (maxWaitMs: number) => foresee(start([one], { ...vague, maxWaitMs }), step(2)).fits;
    expect([within(endsMs - 30_920), within(endsMs - 30_921)]).toEqual([2, 1]);
  });

  it('reads the account first where that is due when room comes back', () => {
    const log = new RequestLog();
    Object.assign(log.add(29_900, true), { answeredMs: 30_000 });
    const full: WindowState = { ...minute, kind: 'sliding', limit: 3, used: 3, room: 0, readEnd: 1 };
    expect(foresee(start([full], { log }), step(1))).toMatchObject({ requests: 2, finishesAtMs: 1_090_010 });
  });

  it('leaves room for what is in flight while the account is read', () => {
    const soon = { ...minute, room: 2, used: 18, resetServerMs: 31_000 };
    // Two are on their way when the window is read: they are counted, and may be counted once more. 20 - 3 - 2 = 15.
    const two = { latencyMs: 3000, inFlight: 3 };
    expect(foresee(start([soon], two), step(17)).pauses).toHaveLength(1);
    expect(foresee(start([soon], two), step(18)).pauses).toHaveLength(2);
    // One that is answered just then is not: 20 - 1.
    const one = { ...soon, room: 1 };
    expect(foresee(start([one], { latencyMs: 1000 }), step(20)).pauses).toHaveLength(1);
    expect(foresee(start([one], { latencyMs: 1000 }), step(21)).pauses).toHaveLength(2);
  });

  it('reads again no sooner than two seconds after a reading that left no room', () => {
    // The account call at 60,000 takes the last of the day, which resets at 60,500.
    const full = { ...minute, used: 20, room: 0 };
    const last = { ...day, used: 99, room: 1, resetServerMs: 60_500 };
    const found = foresee(start([full, last], { latencyMs: 50 }), step(1));
    expect(found.pauses.map(({ untilMs }) => untilMs)).toEqual([1_060_000, 1_062_050]);
    expect(found.finishesAtMs).toBe(1_062_150);
  });

  it('reads at the reset however often it read before, where each reading left room', () => {
    const found = foresee(start([minute], { latencyMs: 50 }), step(5 + 8 * 19));
    expect(found.pauses.map(({ untilMs }) => untilMs)).toEqual(
      [1, 2, 3, 4, 5, 6, 7, 8].map((minutes) => 1_000_000 + minutes * 60_000),
    );
  });

  it('forgets requests that are too old to matter, every 20,000', () => {
    const wide: WindowState = { ...minute, kind: 'sliding', limit: 1e6, used: 0, room: 1e6 };
    const firstLeft = (requests: number) => {
      const log = new RequestLog();
      foresee(
        start([{ ...day, room: 1e6, limit: 1e6 }, wide], { log, latencyMs: 10, inFlight: 1 }),
        step(requests),
      );
      return log.at(log.firstSentAfter(-1))?.answeredMs;
    };
    expect(firstLeft(19_996)).toBe(30_010);
    // The account was read three times. The last request was sent at 229,990: a window and ten times the time of a request before that.
    expect(firstLeft(19_997)).toBe(169_890);
  });

  it('believes the clock that the reset of a sliding window implies, as far as answers allow', () => {
    const log = () => {
      const one = new RequestLog();
      Object.assign(one.add(29_900, true), { answeredMs: 30_000 });
      return one;
    };
    // It began at 29,950 by our clock. What is known least of the service's clock when the pause begins decides when it ends.
    const leastMs = (offsetMs: number) => {
      const began = { ...minute, kind: 'unknown', byTheClock: false, used: 1, readEnd: 1 } as const;
      const window: WindowState = { ...began, room: 5, resetServerMs: 89_950 + offsetMs };
      const over = { log: log(), offset: { lowMs: -400, highMs: 700 }, nowMs: 30_800, latencyMs: 40 };
      const { pauses } = foresee(start([window], over), step(6));
      return 1_000_000 + 89_950 + offsetMs + 15 - (pauses[0]?.untilMs ?? 0);
    };
    // At 300 the request arrives at 31,120 by the service's clock, and its answer of 30,840 says 31,000.
    expect(leastMs(300)).toBe(160);
    // Anything beyond 700 is 700, and anything below -400 teaches nothing.
    expect([700, 1200, -300, -900].map(leastMs)).toEqual([360, 360, -400, -400]);
  });

  it('says so where both take a different time by a whole second', () => {
    const quick = { ...minute, lengthMs: 1000, resetServerMs: 31_000 };
    expect(foresee(start([quick], { cost: {} }), step(25)).atTheLatest).toBe(true);
    expect(foresee(start([quick], { cost: {} }), step(24)).atTheLatest).toBe(false);
  });

  describe('of a window that holds account calls of before, while it is not known whether they count', () => {
    const logOf = (...entries: readonly (readonly [number, number, boolean])[]): RequestLog => {
      const log = new RequestLog();
      for (const [sentMs, answeredMs, readsAccount] of entries)
        Object.assign(log.add(sentMs, readsAccount), { answeredMs });
      return log;
    };

    it('is the one without them where that gets through less', () => {
      const log = () =>
        logOf([1010, 1410, true], [1020, 1420, false], [1520, 1520, false], [29_900, 30_000, true]);
      const full = { ...minute, kind: 'unknown', byTheClock: false, limit: 3, used: 3, room: 0 } as const;
      const window: WindowState = { ...full, resetServerMs: 61_210, readEnd: 4 };
      const over = { finishByMs: 91_000, requestsLeft: 6 };
      const counted = (cost: ForecastStart['cost']) =>
        foresee(start([window], { ...over, cost, log: log() }), step(2));
      expect(counted({ counted: true })).toMatchObject({ fits: 2, limitedBy: undefined });
      expect(counted({ counted: false })).toMatchObject({ fits: 1, limitedBy: 'finish_by' });
      expect(counted({})).toEqual({ ...counted({ counted: false }), atTheLatest: true });
    });

    it('is the one without them where that takes longer', () => {
      const log = () =>
        logOf([6000, 6400, false], [11_000, 11_050, false], [11_010, 11_060, false], [29_900, 30_000, true]);
      const window: WindowState = { ...minute, kind: 'sliding', limit: 2, used: 2, room: 0, readEnd: 4 };
      const counted = (cost: ForecastStart['cost']) =>
        foresee(start([window], { cost, log: log(), latencyMs: 3000 }), step(5));
      expect(counted({ counted: true })).toMatchObject({ fits: 5, finishesAtMs: 1_137_070 });
      expect(counted({})).toMatchObject({ fits: 5, finishesAtMs: 1_203_090 });
    });

    it('is the one with them where both get through as much in the same time', () => {
      const log = () => logOf([29_900, 30_000, true]);
      const tiny = {
        ...minute,
        kind: 'unknown',
        byTheClock: false,
        limit: 2,
        reserve: 1,
        used: 1,
        room: 0,
      } as const;
      const window: WindowState = { ...tiny, resetServerMs: 60_123, readEnd: 1, creditFrom: 1 };
      const over = {
        offset: { lowMs: 15, highMs: 60 },
        latencyMs: 50,
        slowestMs: 50,
        finishByMs: 90_500,
        inFlight: 1,
      };
      const counted = (cost: ForecastStart['cost']) =>
        foresee(start([window], { ...over, cost, log: log() }), step(2));
      expect(counted({ counted: false })).toMatchObject({ fits: 0, finishesAtMs: 1_030_000 });
      expect(counted({ counted: true })).toMatchObject({ fits: 0, finishesAtMs: 1_030_000 });
      expect(counted({}).pauses).toEqual(counted({ counted: true }).pauses);
      expect(counted({}).pauses).not.toEqual(counted({ counted: false }).pauses);
    });
  });

  it('has nothing to wait for without limits, however much there is to send', () => {
    expect(foresee(start([]), step(300_000))).toMatchObject({ pauses: [], requests: 300_000 });
  });
});
