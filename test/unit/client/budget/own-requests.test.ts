import { describe, expect, it } from 'vitest';
import { creditAfter, oldestOwn, ownResetOf } from '../../../../src/client/budget/own-requests.ts';
import type { ReadCost, Reading, WindowState } from '../../../../src/client/budget/rate-window.ts';
import { RequestLog } from '../../../../src/client/budget/request-log.ts';
import type { LoggedRequest } from '../../../../src/client/budget/request-log.ts';

const LENGTH_MS = 60_000;
const OFFSET = { lowMs: 1_000_000, highMs: 1_000_500 };

type Entry = Partial<Pick<LoggedRequest, 'readsAccount' | 'doubtful'>>;
const READ = { readsAccount: true };

/** Requests by when they were sent and answered, and a reading of the account from 100,000 to 100,100 ms behind them. */
function readingOf(...entries: readonly (readonly [number, number | null, Entry?])[]): Reading {
  const log = new RequestLog();
  for (const [sentMs, answeredMs, { readsAccount = false, doubtful = false } = {}] of entries)
    Object.assign(log.add(sentMs, readsAccount), { answeredMs, doubtful });
  const call = Object.assign(log.add(100_000, true), { answeredMs: 100_100 });
  return { call, sentMs: 100_000, answeredMs: 100_100, offset: OFFSET, log };
}

describe('what gives room back after a reading', () => {
  // It was answered at 100,100: what was sent after 40,100 is in it, what was answered by 40,000 is not, and three may be.
  const entries = [
    [39_000, 40_000],
    [39_950, 40_001],
    [40_000, 40_120],
    [40_100, 40_200],
    [40_101, 40_300],
    [50_000, 50_100],
  ] as const;
  const from = (used: number, cost: ReadCost = { counted: true, listed: true }): number =>
    creditAfter(LENGTH_MS, used, cost, readingOf(...entries));

  it.each([
    ['the first that is surely in it, where nothing else is', 3, 4],
    ['the same, where less is reported than must be there', 2, 4],
    ['the latest of those that may be', 4, 3],
    ['two of them', 5, 2],
    ['all of them', 6, 1],
    ['only what is sure, where more is reported than is ours', 7, 4],
  ])('is %s', (_, used, first) => {
    expect(from(used)).toBe(first);
  });

  it('leaves the account call out where it is not in what it reports', () => {
    expect(from(3, { counted: false })).toBe(3);
    expect(from(3, { counted: true, listed: false })).toBe(3);
    expect(from(4, {})).toBe(3);
  });

  it('takes account calls for requests like others unless they are free', () => {
    const reading = readingOf([40_000, 40_110], [40_010, 40_120, READ], [50_000, 50_100]);
    expect(creditAfter(LENGTH_MS, 3, { counted: true }, reading)).toBe(1);
    expect(creditAfter(LENGTH_MS, 3, {}, reading)).toBe(1);
    expect(creditAfter(LENGTH_MS, 2, { counted: false }, reading)).toBe(0);
    // Only the one that reports leaves itself out.
    expect(creditAfter(LENGTH_MS, 2, { counted: true, listed: false }, reading)).toBe(1);
  });

  it('takes what is in flight for part of it', () => {
    const reading = readingOf([40_050, null], [50_000, 50_100]);
    expect(creditAfter(LENGTH_MS, 3, {}, reading)).toBe(0);
  });

  it('is only what is sure where our own requests do not reach back', () => {
    const reading = readingOf([40_050, 40_110], [50_000, 50_100]);
    expect(creditAfter(LENGTH_MS, 4, {}, reading)).toBe(1);
  });
});

describe('the oldest request in a window', () => {
  const oldest = (
    used: number,
    accountCounts: boolean,
    ...entries: readonly (readonly [number, number | null, Entry?])[]
  ) => {
    const { log, call } = readingOf(...entries);
    const window = { lengthMs: LENGTH_MS, used, readAtMs: 100_100, readEnd: log.end };
    const found = oldestOwn(window, log, accountCounts);
    return found === call ? 'call' : found?.sentMs;
  };

  it('is ours where all of them are, the account call among them or not', () => {
    const entries = [
      [40_100, 40_200],
      [40_101, 40_200],
      [50_000, 50_100],
    ] as const;
    expect([1, 2, 3, 4].map((used) => oldest(used, true, ...entries))).toEqual([
      undefined,
      40_101,
      40_101,
      undefined,
    ]);
    expect([1, 2, 3].map((used) => oldest(used, false, ...entries))).toEqual([undefined, 40_101, undefined]);
  });

  it('is no account call where these are free', () => {
    const entries = [
      [50_000, 50_100, READ],
      [50_200, 50_300],
    ] as const;
    expect(oldest(1, false, ...entries)).toBe(50_200);
    expect(oldest(2, true, ...entries)).toBe(50_000);
  });

  it('is the account call that reports an empty window', () => {
    expect(oldest(0, true)).toBe('call');
    expect(oldest(1, true)).toBe('call');
    expect(oldest(0, false)).toBe('call');
    expect(oldest(1, false)).toBeUndefined();
  });
});

describe('a reset by our own clock', () => {
  // 70,000 + 1,000,250 is in the middle of where the service's clock may have stood when the first request was there.
  const reading = readingOf([70_000, 70_100], [80_000, 80_100]);
  const window: Omit<WindowState, 'ownReset'> = {
    name: 'per_minute',
    limit: 100,
    reserve: 0,
    lengthMs: LENGTH_MS,
    used: 3,
    room: 97,
    resetServerMs: 1_130_250,
    readAtMs: 100_100,
    readEnd: reading.log.end,
    quiet: true,
    kind: 'unknown',
    byTheClock: false,
    creditFrom: 0,
  };
  const reset = (over: Partial<typeof window> = {}, read: Partial<Reading> = {}, cost: ReadCost = {}) =>
    ownResetOf({ ...window, ...over }, cost, { ...reading, ...read });
  const FOUND = { earliestMs: 130_000, latestMs: 130_110 };

  it('is a window after the first request in it', () => {
    expect(reset()).toEqual(FOUND);
    expect(reset({ used: 2 })).toEqual(FOUND);
    expect(reset({}, {}, { counted: true })).toEqual(FOUND);
    expect(reset({ used: 2 }, {}, { counted: false })).toEqual(FOUND);
    expect(reset({}, {}, { counted: false })).toBeUndefined();
  });

  it.each([
    ['the kind is known', { kind: 'fixed' }],
    ['it slides', { kind: 'sliding' }],
    ['it stands on the clock', { byTheClock: true }],
    ['the reset is rounded', { resetServerMs: 1_130_000 }],
    ['no reset is known', { resetServerMs: undefined }],
    ['somebody else spends as well', { used: 4 }],
    ['the window began before', { resetServerMs: 1_129_999 }],
    ['the window began after', { resetServerMs: 1_130_601 }],
  ] as const)('is not known where %s', (_, over) => {
    expect(reset(over)).toBeUndefined();
  });

  it('is known as far as the first request and the clock allow', () => {
    expect(reset({ resetServerMs: 1_130_001 })).toEqual(FOUND);
    expect(reset({ resetServerMs: 1_130_600 })).toEqual(FOUND);
    const touching = { lowMs: 1_000_001, highMs: 1_000_500 };
    expect(reset({ resetServerMs: 1_130_001 }, { offset: touching })).toEqual(FOUND);
    expect(
      reset({ resetServerMs: 1_130_001 }, { offset: { ...touching, lowMs: 1_000_002 } }),
    ).toBeUndefined();
  });

  it('is not known without the clock of the service, or where that is too vague beside the window', () => {
    expect(reset({}, { offset: undefined })).toBeUndefined();
    expect(reset({}, { offset: { lowMs: 1_000_000, highMs: 1_003_000 } })).toEqual(FOUND);
    expect(reset({}, { offset: { lowMs: 1_000_000, highMs: 1_003_001 } })).toBeUndefined();
  });

  it('is not known while the first request is in flight', () => {
    const open = readingOf([70_000, null], [80_000, 80_100]);
    expect(reset({}, open)).toBeUndefined();
  });

  it('was none where a later reading still shows it', () => {
    expect(reset({}, { answeredMs: 130_109 })).toEqual(FOUND);
    expect(reset({}, { answeredMs: 130_110 })).toBeUndefined();
  });
});
