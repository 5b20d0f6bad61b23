import { describe, expect, it } from 'vitest';
import { RequestLog } from '../../../../src/client/budget/request-log.ts';

/** Requests sent at these times, each answered 5 ms later. */
function logOf(...sent: readonly number[]): RequestLog {
  const log = new RequestLog();
  for (const sentMs of sent) log.add(sentMs, false).answeredMs = sentMs + 5;
  return log;
}

describe('the log of our requests', () => {
  it('numbers its entries, also after it forgot some', () => {
    const log = logOf(10, 20, 30);
    log.forget(20);
    expect([log.end, log.at(0), log.at(1)?.sentMs, log.at(3)]).toEqual([3, undefined, 20, undefined]);
    log.forget(35);
    expect(log.at(2)?.sentMs).toBe(30);
    log.forget(36);
    expect([log.end, log.at(2)]).toEqual([3, undefined]);
    log.add(40, true);
    expect(log.at(3)?.readsAccount).toBe(true);
  });

  it('forgets nothing that is in flight, nor what came after it', () => {
    const log = logOf(10);
    log.add(20, false);
    log.add(30, false).answeredMs = 31;
    log.forget(1000);
    expect([log.at(0), log.at(1)?.sentMs, log.at(2)?.sentMs]).toEqual([undefined, 20, 30]);
  });

  it('counts what matches, from a number on', () => {
    const log = logOf(10, 20, 30);
    const late = ({ sentMs }: { readonly sentMs: number }): boolean => sentMs >= 20;
    expect([log.count(late), log.count(late, 2), log.count(late, 3), log.count(() => true)]).toEqual([
      2, 1, 0, 3,
    ]);
    log.forget(20);
    expect([log.count(() => true), log.count(() => true, 0), log.count(() => true, 2)]).toEqual([2, 2, 1]);
  });

  it('finds the first that was sent after a time', () => {
    const log = logOf(10, 20, 30);
    expect([0, 10, 19, 29, 30].map((ms) => log.firstSentAfter(ms))).toEqual([0, 1, 1, 2, 3]);
    log.forget(20);
    expect([0, 20, 30].map((ms) => log.firstSentAfter(ms))).toEqual([1, 2, 3]);
  });

  it('is copied with what is in flight taken for answered, and goes on by itself', () => {
    const log = logOf(10, 20);
    log.add(30, true);
    log.forget(20);
    const copy = log.copy(99);
    copy.add(40, false);
    expect([copy.at(0), copy.at(1)?.answeredMs, copy.at(2)?.answeredMs, copy.end]).toEqual([
      undefined,
      25,
      99,
      4,
    ]);
    expect([log.at(2)?.answeredMs, log.end]).toEqual([null, 3]);
  });

  it('shows its latest entries in their order', () => {
    const log = logOf(10, 20, 30);
    expect([2, 5].map((count) => log.latest(count).map(({ sentMs }) => sentMs))).toEqual([
      [20, 30],
      [10, 20, 30],
    ]);
  });

  it('begins an entry as one that is surely counted once it is answered', () => {
    expect(new RequestLog().add(10, false)).toEqual({
      ...{ sentMs: 10, answeredMs: null, readsAccount: false, doubtful: false },
    });
  });
});
