import { describe, expect, it } from 'vitest';
import { impliedOffset, ModelWindow } from '../../../../src/client/budget/model-window.ts';
import type { ReadCost, Reading, WindowState } from '../../../../src/client/budget/rate-window.ts';
import { RequestLog } from '../../../../src/client/budget/request-log.ts';

const LENGTH_MS = 60_000;
const OFFSET_MS = 1_000_000;

const windowOf = (over: Partial<WindowState> = {}): WindowState => ({
  name: 'per_minute',
  limit: 20,
  reserve: 0,
  lengthMs: LENGTH_MS,
  used: 2,
  room: 18,
  resetServerMs: OFFSET_MS + 70_000,
  readAtMs: 11_100,
  readEnd: 2,
  quiet: true,
  kind: 'fixed',
  creditFrom: 0,
  byTheClock: false,
  ownReset: undefined,
  ...over,
});

/** A request at 10,000 and the account call of 11,000, which took 100 ms each. */
function twoRequests(): RequestLog {
  const log = new RequestLog();
  Object.assign(log.add(10_000, false), { answeredMs: 10_100 });
  Object.assign(log.add(11_000, true), { answeredMs: 11_100 });
  return log;
}

function readingAt(log: RequestLog, sentMs: number): Reading {
  const call = Object.assign(log.add(sentMs, true), { answeredMs: sentMs + 100 });
  const offset = { lowMs: OFFSET_MS, highMs: OFFSET_MS + 100 };
  return { call, sentMs, answeredMs: sentMs + 100, offset, log };
}

const COUNTED: ReadCost = { counted: true, listed: true };

/** What the window shows to an account call at that time, after so many requests at each of these times. */
function shown(
  atMs: number,
  over: Partial<WindowState>,
  {
    cost = COUNTED,
    sent = [],
    offsetMs = OFFSET_MS,
  }: { cost?: ReadCost; sent?: readonly number[]; offsetMs?: number | undefined } = {},
) {
  const log = twoRequests();
  const window = windowOf(over);
  const model = new ModelWindow(window, log, cost, offsetMs);
  for (const sentMs of sent) {
    Object.assign(log.add(sentMs, false), { answeredMs: sentMs + 100 });
    model.count(sentMs + 50);
  }
  const reading = readingAt(log, atMs);
  if (cost.counted !== false) model.count(atMs + 50);
  const { used, remaining, resetServerMs, span, kind } = model.report(window, reading);
  return { used, remaining, resetServerMs, span, kind };
}

describe('a fixed window as a forecast imagines it', () => {
  it('counts what arrives until its reset', () => {
    expect(shown(69_000, {}, { sent: [20_000, 30_000] })).toEqual({
      used: 5,
      remaining: 15,
      resetServerMs: OFFSET_MS + 70_000,
      span: 'same',
      kind: 'fixed',
    });
  });

  it('starts again at its reset, and at whole lengths after it', () => {
    expect(shown(69_950, {}, { sent: [20_000] })).toMatchObject({
      used: 1,
      remaining: 19,
      resetServerMs: OFFSET_MS + 130_000,
    });
    expect(shown(190_000, {}, { sent: [130_000] })).toMatchObject({
      used: 1,
      resetServerMs: OFFSET_MS + 250_000,
      span: 'reset',
    });
    expect(shown(189_949, {}, { sent: [130_000] })).toMatchObject({ used: 2 });
  });

  it('is past its reset for the reading that comes when that is sure', () => {
    expect(shown(70_014, {}).span).toBe('same');
    expect(shown(70_015, {}).span).toBe('reset');
  });

  it('was read: what was sent since then counts as well', () => {
    expect(shown(20_000, { readEnd: 1, used: 1 }, {}).used).toBe(3);
    expect(shown(20_000, { readEnd: 1, used: 1 }, { cost: { counted: false } }).used).toBe(1);
    expect(shown(20_000, { readEnd: 0, used: 0 }, { cost: { counted: false } }).used).toBe(1);
  });

  it('counts an account call that it does not list, and shows it to the next one', () => {
    const cost = { counted: true, listed: false };
    expect(shown(20_000, { used: 1 }, { cost }).used).toBe(2);
    expect(shown(20_000, { used: 1 }, { cost: { counted: false, listed: false } }).used).toBe(1);
    expect(shown(20_000, { used: 1 }, { cost: { listed: false } }).used).toBe(2);
    // After a reset it shows none of itself.
    const fresh = (counts: ReadCost) => shown(189_000, {}, { sent: [130_000], cost: counts }).used;
    expect(fresh(cost)).toBe(1);
    expect(fresh({ listed: false })).toBe(1);
    expect(fresh({ counted: false, listed: false })).toBe(1);
    expect(fresh(COUNTED)).toBe(2);
  });

  it('has nothing left when more is used than it takes', () => {
    expect(shown(20_000, { used: 30 }).remaining).toBe(0);
  });

  it('resets a window after the reading where nothing says when', () => {
    expect(shown(71_000, { resetServerMs: undefined }, { sent: [20_000] })).toMatchObject({ used: 4 });
    expect(shown(71_050, { resetServerMs: undefined }, { sent: [20_000] })).toMatchObject({
      used: 1,
      resetServerMs: undefined,
    });
    const log = twoRequests();
    const model = new ModelWindow(windowOf(), log, COUNTED, undefined);
    const before = { ...readingAt(log, 71_000), offset: undefined };
    expect(model.report(windowOf(), before)).toMatchObject({ used: 2, span: 'same' });
    const reading = { ...readingAt(log, 71_060), offset: undefined };
    expect(model.report(windowOf(), reading)).toMatchObject({ used: 0, span: 'same' });
  });
});

describe('a sliding window as a forecast imagines it', () => {
  const sliding = { kind: 'sliding' } as const;

  it('counts our requests of the time before, and resets when the oldest leaves it', () => {
    expect(shown(69_999, sliding, { sent: [20_000] })).toEqual({
      used: 4,
      remaining: 16,
      resetServerMs: OFFSET_MS + 70_050,
      span: 'same',
      kind: 'sliding',
    });
    expect(shown(70_000, sliding, { sent: [20_000] })).toMatchObject({
      used: 3,
      resetServerMs: OFFSET_MS + 71_050,
    });
    expect(shown(300_000, sliding)).toMatchObject({ used: 1, resetServerMs: OFFSET_MS + 360_050 });
  });

  it('does not count account calls that are free', () => {
    const cost = { counted: false };
    expect(shown(69_999, { ...sliding, used: 1 }, { cost }).used).toBe(1);
    expect(shown(70_000, { ...sliding, used: 1 }, { cost })).toMatchObject({
      used: 0,
      resetServerMs: OFFSET_MS + 130_050,
    });
  });

  it('holds what others spent until it is sure to be gone', () => {
    expect(shown(71_049, { ...sliding, used: 7 }).used).toBe(5 + 1);
    // Of five at 10,100 one was ours; ours of 11,000 came after it.
    expect(shown(20_000, { ...sliding, readAtMs: 10_100, readEnd: 1, used: 5 }).used).toBe(4 + 3);
    expect(shown(71_050, { ...sliding, used: 7 }).used).toBe(1);
  });

  it('shows what it is once it was past a reset with more than the account call in it', () => {
    const unknown = { kind: 'unknown' } as const;
    expect(shown(70_015, unknown, { sent: [20_000] })).toMatchObject({ span: 'reset', kind: 'sliding' });
    expect(shown(70_014, unknown, { sent: [20_000] })).toMatchObject({ span: 'same', kind: 'unknown' });
    expect(shown(300_000, unknown)).toMatchObject({ span: 'reset', kind: 'unknown' });
    const clock = { ...unknown, byTheClock: true };
    expect(shown(70_015, clock, { sent: [20_000] })).toMatchObject({ span: 'reset', kind: 'fixed' });
  });

  it('is a guess while that was not seen', () => {
    const guess = (over: Partial<WindowState>): boolean =>
      new ModelWindow(windowOf(over), twoRequests(), COUNTED, 0).isGuess;
    expect([guess({ kind: 'unknown' }), guess({ kind: 'unknown', byTheClock: true })]).toEqual([true, false]);
    expect([guess({ kind: 'fixed' }), guess({ kind: 'sliding' })]).toEqual([false, false]);
  });

  it('must know the requests of one length, and a fixed one none', () => {
    expect(new ModelWindow(windowOf(sliding), twoRequests(), COUNTED, 0).remembersMs).toBe(LENGTH_MS);
    expect(new ModelWindow(windowOf(), twoRequests(), COUNTED, 0).remembersMs).toBe(0);
  });
});

describe('the offset that a reset implies', () => {
  it('is that of our oldest request, half-way to its answer', () => {
    const unknown = { kind: 'unknown', resetServerMs: OFFSET_MS + 70_050 } as const;
    expect(impliedOffset(windowOf(unknown), twoRequests(), true)).toBe(OFFSET_MS);
    expect(impliedOffset(windowOf({ ...unknown, used: 5 }), twoRequests(), true)).toBeUndefined();
  });

  it('is none where the window is taken for fixed, or names no reset', () => {
    expect(impliedOffset(windowOf(), twoRequests(), true)).toBeUndefined();
    const unnamed = windowOf({ kind: 'sliding', resetServerMs: undefined });
    expect(impliedOffset(unnamed, twoRequests(), true)).toBeUndefined();
  });
});
