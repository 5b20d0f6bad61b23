import { describe, expect, it } from 'vitest';
import {
  creditExpired,
  earliestRereadMs,
  examineWindow,
  isCurable,
  isTakenToSlide,
  learnCost,
  NOTHING_OWN as NONE,
  readingDueMs,
  resetMs,
  spentByOthers,
  tickBeforePause,
  viewOf,
  windowAfter,
  type ReportedState,
  type WindowState,
} from '../../../../src/client/budget/rate-window.ts';
import { RequestLog, type LoggedRequest } from '../../../../src/client/budget/request-log.ts';

/** The service's clock is ahead of ours by 1,000,000 to 1,000,500 ms. */
const OFFSET = { lowMs: 1_000_000, highMs: 1_000_500 };
const LENGTH_MS = 60_000;

const windowOf = (changes: Partial<WindowState> = {}): WindowState => ({
  name: 'per_minute',
  limit: 100,
  reserve: 10,
  lengthMs: LENGTH_MS,
  used: 5,
  room: 80,
  resetServerMs: 1_060_000,
  readAtMs: 1000,
  readEnd: 0,
  quiet: true,
  kind: 'unknown',
  byTheClock: true,
  ownReset: undefined,
  creditFrom: 0,
  ...changes,
});

type Entry = Partial<Pick<LoggedRequest, 'readsAccount' | 'doubtful'>>;

/** A log of requests by when they were sent and answered. */
function logOf(...entries: readonly (readonly [number, number | null, Entry?])[]): RequestLog {
  const log = new RequestLog();
  for (const [sentMs, answeredMs, { readsAccount = false, doubtful = false } = {}] of entries)
    Object.assign(log.add(sentMs, readsAccount), { answeredMs, doubtful });
  return log;
}

/** A reading of the account from 100,000 to 100,100 ms. */
function readingOf(log: RequestLog) {
  const call = log.add(100_000, true);
  call.answeredMs = 100_100;
  return { call, sentMs: 100_000, answeredMs: 100_100, offset: OFFSET, log };
}

describe('resetMs', () => {
  it.each([
    ['what the service names, on our clock', {}, OFFSET, 60_015],
    ['a window after the reading, without an offset', {}, undefined, 61_015],
    ['a window after the reading, without a reset', { resetServerMs: undefined }, OFFSET, 61_015],
    ['no reset at the reading or before', { resetServerMs: 1_000_985 }, OFFSET, 61_015],
    ['one just after it', { resetServerMs: 1_000_986 }, OFFSET, 1001],
    ['no reset more than a day away', { resetServerMs: 91_000_985 }, OFFSET, 61_015],
    ['one just before that', { resetServerMs: 91_000_984 }, OFFSET, 90_000_999],
  ] as const)('is %s', (_, changes, offset, ms) => {
    expect(resetMs(windowOf(changes), offset)).toBe(ms);
  });
});

describe('what the account reports of a window', () => {
  it.each([undefined, null, {}, { limit: null }, { limit: 0 }, { limit: -1 }])(
    '%j is no limit',
    (reported) => {
      expect(examineWindow('per_minute', reported, undefined, readingOf(logOf()))).toBeUndefined();
    },
  );

  it.each([
    [{}, 0, 100],
    [{ remaining: 40 }, 60, 40],
    [{ remaining: -5 }, 100, 0],
    [{ used: 30 }, 30, 70],
    [{ used: 30, remaining: 50 }, 30, 50],
    [{ used: 80, remaining: 50 }, 80, 20],
    [{ used: 120 }, 120, 0],
  ])('%j of 100 are %d used and %d left', (reported, used, remaining) => {
    const found = examineWindow('per_minute', { limit: 100, ...reported }, undefined, readingOf(logOf()));
    expect(found).toMatchObject({ used, remaining });
  });

  it('names its length and its reset', () => {
    const reported = { limit: 1, window: '10s', reset_at: '1970-01-01T00:17:40Z' };
    const found = examineWindow('per_day', reported, undefined, readingOf(logOf()));
    expect(found).toMatchObject({ name: 'per_day', limit: 1, lengthMs: 10_000, resetServerMs: 1_060_000 });
    const never = examineWindow('per_day', { limit: 1, reset_at: 'soon' }, undefined, readingOf(logOf()));
    expect(never).toMatchObject({ lengthMs: 86_400_000, resetServerMs: undefined });
  });
});

describe('our own requests', () => {
  const log = () =>
    logOf(
      [39_000, 39_999],
      // Just in a window of a minute before the reading, if it came late; then just surely not, and just surely.
      [39_900, 40_000],
      [40_100, 40_200],
      [40_101, 90_000],
      [80_000, 89_999, { doubtful: true }],
      [95_000, 95_100, { readsAccount: true }],
      [99_000, 100_000],
      [99_500, 100_001],
      [99_900, null],
    );
  const previous = windowOf({ readEnd: 3, resetServerMs: 1_090_500, readAtMs: 50_000 });
  const own = (before: WindowState | undefined, offset?: typeof OFFSET) =>
    examineWindow('per_minute', { limit: 100, window: '60s', used: 9 }, before, {
      ...readingOf(log()),
      offset,
    })?.own;

  it('are counted by what is sure of them', () => {
    expect(own(previous, OFFSET)).toEqual({
      surelyTrailing: 2,
      maybeFresh: 5,
      maybeTrailing: 9,
      open: 2,
      between: 4,
      readsBetween: 2,
    });
  });

  it('may all be fresh where the reset is not known', () => {
    expect(own(previous)?.maybeFresh).toBe(9);
    expect(own({ ...previous, resetServerMs: undefined }, OFFSET)?.maybeFresh).toBe(9);
  });

  it('are none since a reading that was not', () => {
    expect(own(undefined, OFFSET)).toMatchObject({ maybeFresh: 9, between: 0, readsBetween: 0 });
  });
});

describe('how a reading stands to the one before', () => {
  const at = (previous: WindowState | undefined, reset_at?: string) =>
    examineWindow('per_minute', { limit: 9, used: 1, reset_at }, previous, readingOf(logOf()))?.span;
  const LATER = '1970-01-01T00:18:21Z';

  it.each([
    ['first', undefined, LATER],
    ['same', { resetServerMs: 1_101_000 }, LATER],
    ['other', { resetServerMs: 1_102_000 }, LATER],
    ['other', { resetServerMs: undefined, readAtMs: 90_000 }, undefined],
    ['reset', { resetServerMs: 1_099_985 }, LATER],
    ['other', { resetServerMs: 1_099_986 }, LATER],
  ] as const)('%s: %j', (span, changes, reset_at) => {
    expect(at(changes === undefined ? undefined : windowOf(changes), reset_at)).toBe(span);
  });
});

describe('the kind of a window', () => {
  /** Two requests that surely stand in the trailing minute; the window was to be reset before or after them. */
  const kindOf = (used: number, changes: Partial<WindowState>, entries = 2) => {
    const sent = Array.from({ length: entries }, () => [70_000, 70_100] as const);
    const reported = { limit: 99, window: '60s', used };
    return examineWindow('per_minute', reported, windowOf(changes), readingOf(logOf(...sent)))?.kind;
  };
  const gone = { resetServerMs: 1_080_000 };

  it.each([
    ['fixed', 1, gone, 2],
    ['unknown', 2, { ...gone, resetServerMs: 1_060_000 }, 2],
    ['sliding', 2, gone, 2],
    ['unknown', 1, gone, 1],
    ['sliding', 2, gone, 1],
    ['sliding', 9, gone, 2],
    ['unknown', 9, gone, 0],
    ['fixed', 9, { ...gone, kind: 'fixed' }, 2],
    ['fixed', 1, { ...gone, kind: 'sliding' }, 2],
    ['sliding', 1, { resetServerMs: 1_200_000, kind: 'sliding' }, 2],
    ['unknown', 1, { resetServerMs: 1_200_000 }, 2],
  ] as const)('is %s when it shows %d used after %j and %d of ours', (kind, used, changes, entries) => {
    expect(kindOf(used, changes, entries)).toBe(kind);
  });
});

it('slides where it shows no more than what may be ours, though none of it is sure', () => {
  const sent = logOf([40_050, 40_060]);
  const previous = windowOf({ resetServerMs: 1_080_000 });
  const kindOf = (used: number) =>
    examineWindow('per_minute', { limit: 99, window: '60s', used }, previous, readingOf(sent))?.kind;
  expect(kindOf(2)).toBe('sliding');
});

it.each([
  ['sliding', true, true],
  ['sliding', false, true],
  ['unknown', false, true],
  ['unknown', true, false],
  ['fixed', false, false],
] as const)(
  'a window that is %s, its resets on the clock: %s, is taken to slide: %s',
  (kind, byTheClock, slides) => {
    expect(isTakenToSlide({ kind, byTheClock })).toBe(slides);
  },
);

const NOTHING_OWN = { ...NONE, readsBetween: 1 };
const stateOf = (changes: Partial<ReportedState> = {}): ReportedState => ({
  name: 'per_minute',
  previous: windowOf(),
  limit: 100,
  lengthMs: LENGTH_MS,
  used: 6,
  remaining: 94,
  resetServerMs: 1_060_000,
  span: 'same',
  kind: 'unknown',
  own: NOTHING_OWN,
  ...changes,
});
const ownOf = (changes: Partial<ReportedState['own']>) => ({ own: { ...NOTHING_OWN, ...changes } });

describe('what a reading teaches about its own cost', () => {
  it.each<[string, Partial<ReportedState>, object]>([
    ['it was counted', {}, { counted: true }],
    ['it was not counted', { used: 5 }, { counted: false }],
    ['it was counted beside another request', { used: 7, ...ownOf({ between: 1 }) }, { counted: true }],
    ['others spent as well', { used: 7 }, {}],
    ['less is used than before', { used: 4 }, {}],
    ['the window is another one', { span: 'other' }, {}],
    ['nothing was read before', { span: 'first', previous: undefined }, {}],
    ['our count before was in doubt', { previous: windowOf({ quiet: false }) }, {}],
    ['something was in flight', ownOf({ open: 1 }), {}],
    ['the account was read twice', ownOf({ readsBetween: 2 }), {}],
    ['the window slides', { kind: 'sliding' }, {}],
    ['a sliding window does not hold it', { kind: 'sliding', used: 0 }, { listed: false }],
    ['it does not count itself before it reports', { used: 0, span: 'first' }, { listed: false }],
    [
      'it is all of a fresh window',
      { used: 1, span: 'reset', kind: 'fixed' },
      { counted: true, listed: true },
    ],
    [
      'a fresh window may hold ours',
      { used: 1, span: 'reset', kind: 'fixed', ...ownOf({ maybeFresh: 1 }) },
      {},
    ],
    ['a fresh window holds more', { used: 2, span: 'reset', kind: 'fixed' }, {}],
    ['a window that was reset may slide', { used: 1, span: 'reset' }, {}],
    ['a window that was not reset', { used: 1, span: 'other', kind: 'fixed' }, {}],
  ])('%s', (_, changes, learnt) => {
    expect(learnCost({}, stateOf(changes))).toEqual(learnt);
  });

  it('keeps what was measured', () => {
    expect(learnCost({ counted: false, listed: true }, stateOf())).toEqual({ counted: false, listed: true });
    expect(learnCost({ listed: true }, stateOf())).toEqual({ counted: true, listed: true });
    expect(learnCost({ counted: true }, stateOf({ used: 0, span: 'first' }))).toEqual({
      counted: true,
      listed: false,
    });
  });
});

it.each<[string, Partial<ReportedState>, number]>([
  ['none before a second reading', { previous: undefined, used: 50 }, 0],
  ['what grew beside ours', { used: 20, ...ownOf({ between: 3 }) }, 11],
  [
    'what a sliding window holds beside ours',
    { kind: 'sliding', used: 20, ...ownOf({ maybeTrailing: 4 }) },
    16,
  ],
  [
    'what a fresh window holds beside ours',
    { ...{ span: 'reset', kind: 'fixed', used: 20 }, ...ownOf({ maybeFresh: 4 }) },
    15,
  ],
  ['none in a window of unknown kind', { span: 'reset', used: 20 }, 0],
  ['none in another window', { span: 'other', kind: 'fixed', used: 20 }, 0],
])('others spent %s', (_, changes, spent) => {
  expect(spentByOthers(stateOf(changes))).toBe(spent);
});

describe('the window after a reading', () => {
  const after = (changes: Partial<ReportedState>, cost = {}, others = 0) =>
    windowAfter(stateOf(changes), 10, cost, others, readingOf(logOf([40_100, 40_200], [40_101, 40_200])));

  it('is what was reported, without the reserve', () => {
    expect(after({ kind: 'fixed' })).toEqual({
      name: 'per_minute',
      limit: 100,
      reserve: 10,
      lengthMs: LENGTH_MS,
      used: 6,
      room: 84,
      resetServerMs: 1_060_000,
      readAtMs: 100_100,
      readEnd: 3,
      quiet: true,
      kind: 'fixed',
      byTheClock: false,
      creditFrom: 3,
    });
  });

  it.each([
    ['what is in flight', ownOf({ open: 2 }), {}, 0, 82],
    ['a reading that is counted after it reports', {}, { listed: false }, 0, 83],
    ['no reading that costs nothing', {}, { counted: false, listed: false }, 0, 84],
    ['no reading that is reported', {}, { listed: true }, 0, 84],
    ['what others were seen to spend', {}, {}, 20, 64],
    ['of that at most half of what remains', { remaining: 41 }, {}, 30, 11],
  ])('takes off %s', (_, changes, cost, others, room) => {
    expect(after(changes, cost, others).room).toBe(room);
  });

  it.each<[boolean, Partial<ReportedState>]>([
    [true, { resetServerMs: 1_080_000 }],
    [true, { resetServerMs: 1_080_000, previous: undefined }],
    [false, { resetServerMs: 1_080_000, previous: windowOf({ byTheClock: false }) }],
    [false, { resetServerMs: 1_080_001 }],
    [false, { resetServerMs: undefined }],
    // Days reset at some quarter of an hour.
    [true, { resetServerMs: 45_900_000, lengthMs: 86_400_000 }],
    [false, { resetServerMs: 45_900_000, lengthMs: 86_399_000 }],
    [true, { resetServerMs: 1_061_000, lengthMs: 1000 }],
    [false, { resetServerMs: 1061 * 999, lengthMs: 999 }],
  ])('is by the clock: %s, after %j', (byTheClock, changes) => {
    expect(after(changes).byTheClock).toBe(byTheClock);
  });

  it('gives back our own requests if it slides, and those of before as far as it shows them', () => {
    expect(after({ kind: 'sliding', used: 2 }).creditFrom).toBe(1);
    expect(after({ kind: 'sliding', used: 3 }).creditFrom).toBe(0);
  });

  it('is in doubt while something is in flight', () => {
    expect(after(ownOf({ open: 1 })).quiet).toBe(false);
  });
});

describe('a sliding window', () => {
  const sliding = windowOf({ kind: 'sliding' });
  const log = logOf(
    [1000, 2000],
    [1000, 3000, { readsAccount: true }],
    [1000, 4000, { doubtful: true }],
    [1000, 5000, { readsAccount: true, doubtful: true }],
    [1000, 6000],
    [1000, null],
    [1000, 7000],
  );

  it.each([
    ['nothing before the first is surely out', 62_009, {}, 0, 80],
    ['one when it is', 62_010, {}, 1, 81],
    ['no account call of unknown cost', 63_010, {}, 2, 81],
    ['an account call that is counted', 63_010, { counted: true }, 2, 82],
    ['none that is free', 63_010, { counted: false }, 2, 81],
    ['nothing in doubt', 65_010, { counted: true }, 4, 82],
    ['the next sure one', 66_010, { counted: true }, 5, 83],
    ['nothing behind one in flight', 99_000, { counted: true }, 5, 83],
  ])('gives back %s', (_, nowMs, cost, creditFrom, room) => {
    expect(creditExpired(sliding, log, cost, nowMs)).toEqual({ ...sliding, creditFrom, room });
  });

  it('stays the same object while nothing leaves it', () => {
    expect(creditExpired(sliding, log, {}, 62_009)).toBe(sliding);
  });

  it('gives nothing back once it gave back all', () => {
    const all = { ...sliding, creditFrom: 7 };
    expect(creditExpired(all, log, {}, 99_000)).toBe(all);
  });

  it('is the only kind that gives back', () => {
    const fixed = windowOf({ kind: 'fixed' });
    expect(creditExpired(fixed, log, {}, 99_000)).toBe(fixed);
  });

  it('has room again when its oldest request leaves it, or after the next reading', () => {
    expect(viewOf(sliding, log, OFFSET, 0)).toEqual({
      name: 'per_minute',
      room: 80,
      resetAtMs: 62_010,
    });
    expect(viewOf({ ...sliding, creditFrom: 5 }, log, OFFSET, 20_000).resetAtMs).toBe(80_010);
    expect(viewOf({ ...sliding, creditFrom: 7 }, log, OFFSET, 20_000).resetAtMs).toBe(61_010);
    expect(viewOf(windowOf(), log, OFFSET, 20_000).resetAtMs).toBe(60_015);
  });
});

it('nothing of our own is nothing', () => {
  expect(NONE).toEqual({
    ...{ surelyTrailing: 0, maybeFresh: 0, maybeTrailing: 0, open: 0, between: 0, readsBetween: 0 },
  });
});

it('waiting helps where the reserve leaves something', () => {
  const left = [undefined, windowOf(), windowOf({ limit: 11 }), windowOf({ limit: 10 })].map(isCurable);
  expect(left).toEqual([true, true, true, false]);
});

describe('when the account is read again', () => {
  const sliding = windowOf({ kind: 'sliding' });
  const later = windowOf({ name: 'per_day', kind: 'fixed', readAtMs: 5000, lengthMs: 90_000 });
  const empty = new RequestLog();

  it('is once in the length of a sliding window, and for no other reason', () => {
    expect(readingDueMs([])).toBe(Infinity);
    expect(readingDueMs([later, windowOf()])).toBe(Infinity);
    expect(readingDueMs([later, sliding, { ...sliding, readAtMs: 2000 }])).toBe(61_010);
    expect(readingDueMs([{ ...sliding, readAtMs: 2000 }, sliding])).toBe(61_010);
  });

  it.each([
    [0, 0],
    [1, 7000],
    [3, 13_000],
    [5, 37_000],
    [6, 65_000],
    [9, 65_000],
  ])('is after %d readings without room not before %d ms', (readings, ms) => {
    expect(earliestRereadMs([windowOf(), later], readings, 'per_minute', empty)).toBe(ms);
  });

  it('is not waited for where our own requests leave a sliding window', () => {
    const log = logOf([1000, 2000]);
    expect(earliestRereadMs([later, sliding], 1, 'per_minute', log)).toBe(0);
    expect(earliestRereadMs([later, sliding], 1, 'per_day', log)).toBe(7000);
    expect(earliestRereadMs([later, { ...sliding, creditFrom: 1 }], 1, 'per_minute', log)).toBe(7000);
    expect(earliestRereadMs([later, windowOf()], 1, 'per_minute', log)).toBe(7000);
    expect(earliestRereadMs([later], 1, 'per_minute', log)).toBe(7000);
  });
});

describe('the last request before a pause', () => {
  // The next tick is 350 ms away, and the reset at least 60,000.
  const offset = { lowMs: 1_000_400, highMs: 1_001_000 };
  const last = windowOf({ room: 1, resetServerMs: 1_061_000 });
  const at = (windows: readonly WindowState[], known: typeof offset | undefined = offset, latencyMs = 0) =>
    tickBeforePause(windows, known, 0, latencyMs);

  it('goes out at the tick', () => {
    expect(at([windowOf({ name: 'per_day' }), last])).toBe(350);
    expect(at([{ ...last, kind: 'fixed' }])).toBe(350);
  });

  it.each([
    ['a window has more room', [{ ...last, room: 2 }]],
    ['the window slides', [{ ...last, kind: 'sliding' as const }]],
    ['our own clock tells', [{ ...last, ownReset: { earliestMs: 59_000, latestMs: 60_000 } }]],
    ['the reset is not known', [{ ...last, resetServerMs: undefined }]],
    ['the reset comes too soon', [{ ...last, resetServerMs: 1_001_549 }]],
  ])('does not wait where %s', (_, windows) => {
    expect(at(windows)).toBeUndefined();
  });

  it('waits until 200 ms before the reset, and not for what is known closely or not at all', () => {
    expect(at([{ ...last, resetServerMs: 1_001_550 }])).toBe(350);
    expect(at([last], offset, 900)).toBeUndefined();
    expect(tickBeforePause([last], undefined, 0, 10)).toBeUndefined();
  });
});
