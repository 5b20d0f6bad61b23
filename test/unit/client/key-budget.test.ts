import { describe, expect, it, vi } from 'vitest';
import { Budget, type BudgetOptions } from '../../../src/client/budget/budget.ts';
import type { ReportedWindow } from '../../../src/client/budget/rate-window.ts';
import type { Account } from '../../../src/contract/resources/account.ts';
import type { RunEvent } from '../../../src/model/event.ts';
import type { HttpRequest } from '../../../src/model/ports.ts';
import { step } from '../../support/client.ts';
import { virtualClock } from '../../support/clock.ts';
import type { VirtualClock } from '../../support/clock.ts';

/** Where the virtual clock stands when it shows 1,000; the service's clock shows the same. */
const BEGAN = Date.parse('2026-11-20T10:00:00.000Z');

/** One answer: after so long, with this status, or none at all. */
interface Told {
  readonly ms?: number;
  readonly status?: number;
  readonly retryAfter?: string;
  readonly fails?: boolean;
}

interface World {
  readonly budget: Budget;
  readonly clock: VirtualClock;
  readonly events: readonly RunEvent[];
  /** What went out, account calls as `account`. */
  readonly sent: readonly string[];
  /** Answers to come, beside account calls; 200 at once when there is none. */
  readonly told: Told[];
  /** What the account shows. */
  readonly show: { per_minute: ReportedWindow; per_day?: ReportedWindow };
  /** How long an account call takes. */
  readonly takes: { ms: number };
  /** Sends one request; answers its status, or the error. */
  readonly send: (request?: HttpRequest) => Promise<unknown>;
}

const minute = (used: number, over: ReportedWindow = {}): ReportedWindow => ({
  limit: 10,
  window: '60s',
  used,
  remaining: (over.limit ?? 10) - used,
  reset_at: new Date(BEGAN + 60_000).toISOString(),
  ...over,
});
/** No reset is waited for then. */
const UNLIMITED: ReportedWindow = { limit: 0 };
const day = (used: number): ReportedWindow => ({
  limit: 100,
  window: '1d',
  used,
  remaining: 100 - used,
  reset_at: new Date(BEGAN + 7_200_000).toISOString(),
});

const url = 'https://service.test/user';
const request = (signal?: AbortSignal): HttpRequest => ({
  method: 'PATCH',
  url,
  headers: {},
  ...(signal !== undefined && { signal }),
});

function world(options: Partial<BudgetOptions> = {}): World {
  const clock = virtualClock(BEGAN);
  const events: RunEvent[] = [];
  const sent: string[] = [];
  const told: Told[] = [];
  const show: World['show'] = { per_minute: minute(1) };
  const takes = { ms: 0 };
  const budget = new Budget({
    clock,
    emit: (event) => events.push(event),
    reservePerMinute: 0,
    reservePerDay: 0,
    maxWaitMs: 900_000,
    maxRequests: undefined,
    finishByMs: undefined,
    concurrency: 8,
    wire: async ({ method }) => {
      const readsAccount = method === 'GET';
      sent.push(readsAccount ? 'account' : 'write');
      const answer: Told = readsAccount ? takes : (told.shift() ?? {});
      const { ms = 0, status = 200, retryAfter, fails = false } = answer;
      if (ms > 0) await clock.sleep(ms);
      if (fails) throw new Error('reset');
      const headers = { date: new Date(clock.now()).toUTCString() };
      return {
        status,
        headers: { ...headers, ...(retryAfter !== undefined && { 'retry-after': retryAfter }) },
        body: '',
      };
    },
    readAccount: async (transport, signal): Promise<Account | undefined> => {
      const { status } = await transport({ method: 'GET', url, headers: {}, signal });
      if (status === 429) return undefined;
      const { per_minute, per_day } = show;
      return {
        id: 'A',
        config: { rate_limit: { per_minute: { ...per_minute }, per_day: per_day && { ...per_day } } },
      };
    },
    quotaExplains: () => undefined,
    throttledForGood: () => new Error('for good'),
    ...options,
  });
  const send = (one: HttpRequest = request()): Promise<unknown> =>
    clock.run(
      budget.transport(one).then(
        ({ status }) => status,
        (error: unknown) => error,
      ),
    );
  return { budget, clock, events, sent, told, show, takes, send };
}

const read = ({ budget, clock }: World): Promise<Account> =>
  clock.run(budget.account(new AbortController().signal));
const readsFor = async (made: World, requests: number): Promise<number> => {
  const before = made.sent.length;
  await made.clock.run(made.budget.forecast(step(requests), new AbortController().signal));
  return made.sent.length - before;
};

describe('a request that is given up', () => {
  it('is not sent when it comes', async () => {
    const { send, sent } = world();
    expect(await send(request(AbortSignal.abort(new Error('stop'))))).toMatchObject({ message: 'stop' });
    expect(sent).toEqual([]);
  });

  it('ends its pause, and the next one goes on with it without a word', async () => {
    const made = world();
    made.show.per_minute = minute(10);
    const stop = new AbortController();
    const given = made.budget.transport(request(stop.signal)).catch((error: unknown) => error);
    await made.clock.advance(5000);
    stop.abort(new Error('stop'));
    expect(await given).toMatchObject({ message: 'stop' });
    expect(made.clock.monotonic()).toBe(6000);
    made.show.per_minute = minute(1, { reset_at: new Date(BEGAN + 120_000).toISOString() });
    expect(await made.send()).toBe(200);
    expect(made.events).toHaveLength(1);
    expect(made.budget.counts().waited_ms).toBe(60_015);
  });
});

describe('a request that was refused', () => {
  it('may be explained by the quota when it comes again, and no other is', async () => {
    const quotaExplains = vi.fn<BudgetOptions['quotaExplains']>(() => new Error('no room'));
    const { send, told, sent } = world({ quotaExplains });
    told.push({ status: 429 });
    const refused = request();
    expect(await send(refused)).toBe(429);
    expect(await send()).toBe(200);
    expect(quotaExplains).not.toHaveBeenCalled();
    expect(await send(refused)).toMatchObject({ message: 'no room' });
    expect(quotaExplains).toHaveBeenCalledExactlyOnceWith(
      refused,
      expect.objectContaining({ id: 'A' }),
      expect.objectContaining({ status: 429 }),
    );
    expect(sent).toEqual(['account', 'write', 'account', 'write']);
  });

  it('goes again where the quota does not explain it', async () => {
    const { send, told, sent } = world();
    told.push({ status: 429 });
    const refused = request();
    expect([await send(refused), await send(refused)]).toEqual([429, 200]);
    expect(sent).toEqual(['account', 'write', 'account', 'write']);
  });

  it('teaches that the account call may not be listed', async () => {
    const { send, told, budget } = world();
    told.push({ status: 429 });
    await send();
    expect(budget.findings.cost).toEqual({ listed: false });
    expect(budget.findings.windows).toMatchObject([
      { name: 'per_minute', kind: 'unknown', limit: 10, lengthMs: 60_000 },
    ]);
  });

  it('is waited for as long as max_wait says, and no longer', async () => {
    for (const [maxWaitMs, status] of [
      [30_015, 200],
      [30_014, undefined],
    ] as const) {
      const { send, told, show } = world({ maxWaitMs });
      show.per_minute = UNLIMITED;
      told.push({ status: 429, retryAfter: '30' });
      await send();
      const again = await send();
      if (status === undefined) expect(again).toMatchObject({ code: 'budget.exhausted' });
      else expect(again).toBe(status);
    }
  });

  it.each([
    ['0.985', 1],
    ['0.984', 0],
  ])('after %s s is called a pause where that is a second with the guard', async (retryAfter, pauses) => {
    const made = world();
    made.show.per_minute = UNLIMITED;
    made.told.push({ status: 429, retryAfter });
    await made.send();
    expect(await made.send()).toBe(200);
    expect(made.events).toHaveLength(pauses);
  });
});

describe('a request without an answer', () => {
  it('leaves in doubt what the account call costs', async () => {
    const made = world();
    await made.send();
    made.told.push({ fails: true });
    expect(await made.send()).toMatchObject({ message: 'reset' });
    made.show.per_minute = minute(3);
    await read(made);
    expect(made.budget.findings.cost.counted).toBeUndefined();
    made.show.per_minute = minute(4);
    await read(made);
    expect(made.budget.findings.cost.counted).toBe(true);
  });
});

describe('the time waited since something was sent', () => {
  it('is not forgotten where only the account was read', async () => {
    const made = world({ maxWaitMs: 100_000 });
    made.show.per_minute = minute(10);
    const waiting = made.budget.transport(request()).catch((error: unknown) => error);
    await made.clock.advance(60_014);
    made.show.per_minute = minute(10, { reset_at: new Date(BEGAN + 120_000).toISOString() });
    expect(await made.clock.run(waiting)).toMatchObject({ code: 'budget.exhausted' });
    expect(made.sent).toEqual(['account', 'account']);
    expect(made.budget.counts().waited_ms).toBe(60_015);
  });

  it('begins again with each request that goes out', async () => {
    const made = world({ maxWaitMs: 70_000 });
    for (const minutes of [1, 2, 3]) {
      const reset_at = new Date(BEGAN + minutes * 60_000).toISOString();
      made.show.per_minute = minute(1, { limit: 2, reset_at });
      expect(await made.send()).toBe(200);
    }
    expect(made.events).toHaveLength(2);
  });
});

describe('what a run may not do', () => {
  it('is not waited for', async () => {
    const made = world({ maxRequests: 2 });
    made.show.per_minute = minute(9);
    await made.send();
    const sentMs = made.clock.monotonic();
    expect(await made.send()).toMatchObject({ code: 'budget.max_requests' });
    expect(made.clock.monotonic()).toBe(sentMs);
  });

  it('is named by the window that the reserve takes', async () => {
    const made = world({ reservePerDay: 100 });
    made.show.per_day = day(1);
    expect(await made.send()).toMatchObject({ next: 'lower budget.reserve_per_day' });
  });

  it('ends at the time that it was given, a request that ends just then included', async () => {
    expect(await world({ finishByMs: BEGAN }).send()).toBe(200);
    expect(await world({ finishByMs: BEGAN - 1 }).send()).toMatchObject({ code: 'budget.finish_by' });
  });

  it('is not begun where that time passed while it waited for a tick', async () => {
    const made = world({ finishByMs: BEGAN + 300 });
    made.show.per_minute = minute(9);
    // The service's clock is known to a second, and half of it is waited for.
    expect(await made.send()).toMatchObject({ code: 'budget.finish_by' });
    expect(made.clock.now()).toBeGreaterThan(BEGAN + 300);
    expect(made.sent).toEqual(['account']);
  });
});

describe('the last request before a pause', () => {
  it('has its answer before the next one looks at the windows, which wait for less by it', async () => {
    const made = world();
    made.takes.ms = 900;
    made.show.per_minute = minute(9);
    made.told.push({ ms: 20 });
    const both = Promise.all([made.budget.transport(request()), made.budget.transport(request())]);
    await made.clock.advance(20_000);
    // The account's answer leaves 900 ms of the service's clock open, so that the pause would end at 60,915.
    expect(made.events).toMatchObject([{ kind: 'pause', untilMs: BEGAN + 60_535 }]);
    made.show.per_minute = minute(1);
    await made.clock.run(both);
  });
});

describe('a forecast', () => {
  it('is worth an account call where it has a pause, however short', async () => {
    const made = world();
    await made.clock.advance(59_000);
    made.show.per_minute = minute(8);
    await read(made);
    const nowMs = made.clock.monotonic();
    expect(await readsFor(made, 3)).toBe(1);
    // Not later than the next tick of the service's clock.
    expect(made.clock.monotonic() - nowMs).toBeLessThanOrEqual(1000);
  });

  it('is worth none where one of the windows has no room for it', async () => {
    const made = world();
    made.show.per_day = day(99);
    await read(made);
    expect(await readsFor(made, 30)).toBe(0);
  });

  it('is worth none while the service asks to wait, though the account was read since', async () => {
    const made = world();
    made.show.per_minute = UNLIMITED;
    await read(made);
    made.told.push({ ms: 50, status: 429, retryAfter: '30' });
    made.takes.ms = 100;
    const refused = made.budget.transport(request());
    await made.clock.advance(10);
    await made.clock.run(Promise.all([refused, made.budget.account(new AbortController().signal)]));
    expect(made.clock.monotonic()).toBe(1110);
    expect(await readsFor(made, 1000)).toBe(0);
    await made.clock.advance(29_955);
    expect(await readsFor(made, 1000)).toBe(1);
  });
});

describe('a window that slides', () => {
  it('is read again when it is a window since the last reading, though it has room', async () => {
    const made = world();
    const at = (ms: number): string => new Date(BEGAN + ms).toISOString();
    await made.send();
    await made.send();
    await made.clock.advance(59_000);
    await made.send();
    await made.clock.advance(2000);
    // Past the reset that it named, it still shows what was sent a moment before.
    made.show.per_minute = minute(5, { reset_at: at(119_000) });
    await read(made);
    expect(made.budget.findings.windows).toMatchObject([{ kind: 'sliding' }]);
    const before = made.sent.length;
    await made.clock.advance(60_009);
    await made.send();
    expect(made.sent.slice(before)).toEqual(['write']);
    await made.clock.advance(1);
    await made.send();
    expect(made.sent.slice(before)).toEqual(['write', 'account', 'write']);
  });
});
