import { describe, expect, it } from 'vitest';
import { IncompleteError } from '../../../../src/model/error.ts';
import type { HttpResponse } from '../../../../src/model/ports.ts';
import type { RequestCounts } from '../../../../src/model/state/store.ts';
import { step, testClient } from '../../../support/client.ts';
import type { TestClient } from '../../../support/client.ts';
import { virtualClock } from '../../../support/clock.ts';
import type { VirtualClock } from '../../../support/clock.ts';
import { limitedService } from '../../../support/limited-service.ts';
import type { LimitedOptions, LimitedService } from '../../../support/limited-service.ts';
import { accountData, envelopeAnswer, scriptedTransport } from '../../../support/transport.ts';

const ID = '0b0e3c9a-0000-4000-8000-000000000002';
const PATCH = { body: { id: ID, display_name: 'Ana' } };
const MINUTE = { limit: 10, lengthMs: 60_000, text: '60s' };

interface World extends TestClient {
  readonly clock: VirtualClock;
  readonly service: LimitedService;
  readonly send: (requests: number) => Promise<void>;
  readonly reads: () => number;
}

function world(service: Partial<LimitedOptions> = {}, client: Parameters<typeof testClient>[1] = {}): World {
  const clock = virtualClock();
  const limited = limitedService({
    clock,
    kind: 'fixed',
    perMinute: MINUTE,
    accountCall: 'listed',
    skewMs: 0,
    latencyMs: () => [5, 5],
    dateHeader: true,
    ...service,
  });
  const made = testClient(limited.transport, { clock, ...client });
  return {
    ...made,
    clock,
    service: limited,
    send: async (requests) => {
      const calls = Array.from({ length: requests }, () => made.client.send('update-user', PATCH));
      await clock.run(Promise.all(calls));
    },
    reads: () => made.client.counts().reads,
  };
}

async function failureOf(clock: VirtualClock, work: Promise<unknown>): Promise<unknown> {
  return clock.run(work.catch((error: unknown) => error));
}

describe('fixed windows', () => {
  it('are filled to the brim, with one account call each', async () => {
    const { send, client, service, pauses } = world();
    await send(36);
    expect(service.refused).toBe(0);
    expect(client.counts()).toMatchObject({ writes: 36, reads: 4 } satisfies Partial<RequestCounts>);
    expect(pauses()).toHaveLength(3);
    expect(pauses()[0]?.reason).toBe('the per_minute window of the service is used up');
  });

  it('make the pauses that the forecast named', async () => {
    const { send, client, clock, pauses } = world();
    await clock.run(client.account());
    const forecast = await clock.run(client.forecast(step(100)));
    const before = client.counts().sent;
    await send(100);
    expect(forecast.pauses).toHaveLength(11);
    expect(pauses()).toHaveLength(11);
    for (const [index, { untilMs, seconds }] of pauses().entries()) {
      expect(Math.abs(untilMs - (forecast.pauses[index]?.untilMs ?? 0))).toBeLessThan(500);
      expect(Math.abs(seconds - (forecast.pauses[index]?.seconds ?? 0))).toBeLessThanOrEqual(1);
    }
    expect(client.counts().sent).toBe(before + forecast.requests);
    expect(Math.abs(clock.now() - forecast.finishesAtMs)).toBeLessThan(500);
  });

  it('are spent whole where the account call is free, once that is measured', async () => {
    const { send, service, reads } = world({ accountCall: 'free', perDay: 1000 });
    // 9 while it is taken to be counted, then 10 a window.
    await send(39);
    expect(service.refused).toBe(0);
    expect(reads()).toBe(4);
  });

  it('teach by one refusal that the account leaves its own call out', async () => {
    const { send, service } = world({ accountCall: 'unlisted' });
    service.spend(3);
    await send(40);
    expect(service.refused).toBe(1);
  });

  it('are waited for on the clock of the service, wherever its hands stand', async () => {
    for (const skewMs of [-86_400_000, 43_200_777]) {
      const { send, service, clock, client } = world({ skewMs });
      await clock.run(client.account());
      clock.jump(86_400_000);
      await send(25);
      expect(service.refused).toBe(0);
      expect(client.counts().waited_ms).toBeLessThan(122_000);
    }
  });

  it('are a whole window long where nothing says when they reset', async () => {
    const { send, service, client } = world({ dateHeader: false });
    await send(25);
    expect(service.refused).toBe(0);
    expect(client.counts().waited_ms).toBeGreaterThan(120_000);
  });

  it('leave the reserve alone', async () => {
    const { send, service, pauses } = world({}, { reservePerMinute: 4 });
    await send(10);
    expect(pauses()).toHaveLength(1);
    expect(service.admitted).toHaveLength(12);
  });
});

describe('sliding windows', () => {
  it('are paced by our own requests, at the speed of the limit', async () => {
    const { send, service, clock } = world({ kind: 'sliding', latencyMs: () => [40, 40] });
    const beganMs = clock.monotonic();
    await send(60);
    expect(service.refused).toBe(0);
    const requests = service.admitted.length;
    const boundMs = (Math.ceil(requests / MINUTE.limit) - 1) * 60_000;
    expect(clock.monotonic() - beganMs).toBeLessThan(boundMs * (1 + 0.09 / 60) + 1100);
  });
});

describe('a forecast', () => {
  const SLOW = { latencyMs: () => [50, 50] as const };
  const readsOf = async ({ client, clock, reads }: World, requests: number): Promise<number> => {
    await clock.run(client.account());
    const before = reads();
    await clock.run(client.forecast(step(requests)));
    return reads() - before;
  };

  it('makes one account call where there is much to wait for, and never another', async () => {
    const made = world();
    expect(await readsOf(made, 30)).toBe(1);
    await made.clock.run(made.client.forecast(step(60)));
    expect(made.reads()).toBe(2);
  });

  it('makes it at a tick of the clock of the service where a pause ends by it, and at once where none does', async () => {
    const paused = world({ skewMs: 300 });
    await readsOf(paused, 30);
    expect(paused.clock.monotonic()).toBeGreaterThan(1030);
    const slow = world({ ...SLOW, perMinute: { ...MINUTE, limit: 1000 }, skewMs: 300 });
    expect(await readsOf(slow, 200)).toBe(1);
    expect(slow.clock.monotonic()).toBe(1200);
    const sliding = world({ kind: 'sliding' });
    expect(await readsOf(sliding, 30)).toBe(1);
    expect(sliding.clock.monotonic()).toBe(1020);
  });

  it('makes none for what is over in two seconds', async () => {
    const wide = { ...SLOW, perMinute: { ...MINUTE, limit: 1000 } };
    // Eight at a time, a tenth of a second each.
    expect(await readsOf(world(wide), 160)).toBe(0);
    expect(await readsOf(world(wide), 161)).toBe(1);
  });

  it('makes none where it has no room, or where requests are numbered', async () => {
    expect(await readsOf(world({}, { maxRequests: 100 }), 30)).toBe(0);
    expect(await readsOf(world({}, { reservePerMinute: 7 }), 30)).toBe(1);
    expect(await readsOf(world({}, { reservePerMinute: 8 }), 30)).toBe(0);
  });

  it('makes none before the account was read, and says nothing of windows then', async () => {
    const { client, clock, reads } = world(SLOW);
    expect(await clock.run(client.forecast(step(1000)))).toMatchObject({ pauses: [], fits: 1000 });
    expect(reads()).toBe(0);
  });

  it('makes none while the service asks to wait, and begins after that', async () => {
    const unlimited = envelopeAnswer(200, accountData());
    const answer = envelopeAnswer(429, null, { headers: { 'retry-after': '30' } });
    const { transport } = scriptedTransport(unlimited, answer);
    const { client, clock } = testClient(transport, { maxWaitMs: 20_000 });
    expect(await failureOf(clock, client.send('update-user', PATCH))).toMatchObject({
      code: 'budget.exhausted',
    });
    const found = await clock.run(client.forecast(step(10)));
    expect(found.finishesAtMs).toBe(clock.now() + 30_015);
    expect(client.counts().reads).toBe(1);
  });

  it('counts what is left of the requests that a run may send', async () => {
    const { client, clock, send } = world({}, { maxRequests: 8 });
    await send(3);
    expect(await clock.run(client.forecast(step(30)))).toMatchObject({ fits: 4, limitedBy: 'max_requests' });
  });
});

describe('requests that are numbered', () => {
  it('end where the number does, account calls included, and are counted by what they do', async () => {
    const { client, clock, send } = world({}, { maxRequests: 4 });
    await send(3);
    expect(client.counts()).toMatchObject({ sent: 4, reads: 1, writes: 3, throttled: 0 });
    expect(await failureOf(clock, client.send('update-user', PATCH))).toMatchObject({
      code: 'budget.max_requests',
    });
    expect(client.counts().sent).toBe(4);
  });
});

describe('the account', () => {
  it('is read again each time, and waited for where it costs room that is not there', async () => {
    const { client, clock, reads, send } = world();
    await clock.run(client.account());
    await clock.run(client.account());
    expect(reads()).toBe(2);
    expect(client.counts().waited_ms).toBe(0);
    await send(8);
    await clock.run(client.account());
    expect(client.counts().waited_ms).toBeGreaterThan(10_000);
    expect(reads()).toBe(3);
  });

  it('is read at once where that is free', async () => {
    const { client, clock, send } = world({ accountCall: 'free' });
    await clock.run(client.account());
    await clock.run(client.account());
    await send(10);
    const waited = client.counts().waited_ms;
    await clock.run(client.account());
    expect(client.counts().waited_ms).toBe(waited);
  });
});

describe('a limit that is none', () => {
  it.each([null, undefined, 0, -1])('reported as %j means unlimited', async (limit) => {
    const windows = { per_minute: { limit, window: '60s', used: 0, remaining: 0, reset_at: null } };
    const answers = Array.from({ length: 50 }, () => envelopeAnswer(200, { id: ID, external_id: 'M' }));
    const { transport } = scriptedTransport(envelopeAnswer(200, accountData(windows)), ...answers);
    const { client, clock, events } = testClient(transport);
    await clock.run(Promise.all(answers.map(() => client.send('update-user', PATCH))));
    expect(events).toEqual([]);
    expect((await clock.run(client.forecast(step(100_000)))).pauses).toEqual([]);
  });
});

describe('a pause that is too long', () => {
  it('ends the run before anything is sent, and says when to go on', async () => {
    const { send, client, clock, service } = world({}, { maxWaitMs: 10_000, concurrency: 1 });
    await send(9);
    const error = await failureOf(clock, client.send('update-user', PATCH));
    expect(error).toBeInstanceOf(IncompleteError);
    expect(error).toMatchObject({
      code: 'budget.exhausted',
      next: undefined,
      message: expect.stringMatching(
        /per_minute window .* \d{4}-\d\d-\d\dT\d\d:\d\d:\d\d[+-]\d\d:\d\d, in \d+ s, but max_wait is 10 s/,
      ) as string,
    });
    expect(service.admitted).toHaveLength(10);
    expect(await clock.run(client.forecast(step(1)))).toMatchObject({ fits: 0, pauses: [] });
  });

  it('names a reserve that leaves nothing', async () => {
    const { client, clock } = world({}, { reservePerMinute: 10 });
    expect(await failureOf(clock, client.send('update-user', PATCH))).toMatchObject({
      code: 'budget.exhausted',
      next: 'lower budget.reserve_per_minute',
    });
  });
});

describe('a time to finish by', () => {
  it('sends nothing that would end after it, and does not wait for what would', async () => {
    const finishByMs = Date.parse('2026-11-20T10:00:00.000Z') + 47;
    const { client, clock, service } = world({}, { finishByMs, concurrency: 1 });
    const failures: unknown[] = [];
    for (let sent = 0; sent < 9; sent += 1) {
      const failure = await failureOf(clock, client.send('update-user', PATCH));
      if (failure instanceof IncompleteError) failures.push(failure);
    }
    // The account call and three requests of 10 ms each.
    expect(service.admitted).toHaveLength(4);
    expect(failures).toHaveLength(6);
    expect(failures[0]).toMatchObject({
      code: 'budget.finish_by',
      message: expect.stringMatching(/^no request is sent that would end after \d{4}-/) as string,
    });
    expect(clock.now()).toBeLessThanOrEqual(finishByMs);
  });

  it('is not waited for when the window resets after it', async () => {
    const finishByMs = Date.parse('2026-11-20T10:00:00.000Z') + 20_000;
    const { send, client, clock, pauses } = world({}, { finishByMs });
    await send(9);
    expect(await failureOf(clock, client.send('update-user', PATCH))).toMatchObject({
      code: 'budget.finish_by',
    });
    expect(clock.now()).toBeLessThan(finishByMs - 10_000);
    expect(pauses()).toEqual([]);
    expect(await clock.run(client.forecast(step(3)))).toMatchObject({
      fits: 0,
      limitedBy: 'finish_by',
      finishByMs,
    });
  });
});

describe('a 429', () => {
  const account = (over: object = {}): HttpResponse =>
    envelopeAnswer(
      200,
      accountData({ per_minute: { limit: 100, window: '60s', used: 5, remaining: 95, ...over } }),
      { headers: { date: new Date('2026-11-20T10:00:00Z').toUTCString() } },
    );
  const user = envelopeAnswer(200, { id: ID, external_id: 'M' });
  const slow = (headers: Readonly<Record<string, string>> = {}): HttpResponse =>
    envelopeAnswer(429, null, { headers });

  const waited = async (first: HttpResponse, ...rest: readonly HttpResponse[]): Promise<number> => {
    const { transport } = scriptedTransport(first, ...rest);
    const { client, clock } = testClient(transport);
    await clock.run(client.send('update-user', PATCH));
    return client.counts().waited_ms;
  };

  it('is waited out until the later of Retry-After and the reset', async () => {
    const unlimited = envelopeAnswer(200, accountData());
    expect(await waited(unlimited, slow({ 'retry-after': '30' }), unlimited, user)).toBe(30_015);
    const resets = account({ reset_at: '2026-11-20T10:00:20Z' });
    expect(await waited(resets, slow({ 'retry-after': '3' }), account(), user)).toBe(20_015);
    expect(await waited(resets, slow({ 'retry-after': '40' }), account(), user)).toBe(40_015);
  });

  it.each(['0', '-3', 'garbage'])('with Retry-After %s, and no reset, waits 60 s, doubling', async (text) => {
    const unlimited = envelopeAnswer(200, accountData());
    const again = slow({ 'retry-after': text });
    expect(await waited(unlimited, again, unlimited, user)).toBe(60_000);
    expect(await waited(unlimited, again, again, again, unlimited, user)).toBe(420_000);
  });

  it('stops every caller, and several answers to one burst are one refusal', async () => {
    const unlimited = envelopeAnswer(200, accountData());
    const clock = virtualClock();
    const later = (answer: HttpResponse) => async (): Promise<HttpResponse> => {
      await clock.sleep(10);
      return answer;
    };
    const { transport, requests } = scriptedTransport(
      unlimited,
      ...[slow(), slow(), slow(), slow()].map(later),
      unlimited,
      ...[user, user, user, user].map(later),
    );
    const { client, pauses } = testClient(transport, { clock });
    await clock.run(Promise.all([1, 2, 3, 4].map(() => client.send('update-user', PATCH))));
    expect(requests).toHaveLength(10);
    expect(pauses()).toMatchObject([{ seconds: 60, reason: 'the service asked to slow down (429)' }]);
    expect(client.counts()).toMatchObject({ throttled: 4, waited_ms: 60_000 });
  });

  it('that asks for ten days ends the run', async () => {
    const unlimited = envelopeAnswer(200, accountData());
    const { transport } = scriptedTransport(unlimited, slow({ 'retry-after': '864000' }));
    const { client, clock } = testClient(transport);
    expect(await failureOf(clock, client.send('update-user', PATCH))).toMatchObject({
      code: 'budget.exhausted',
    });
  });

  it('on the account call is waited out too, and given up in the end', async () => {
    const unlimited = envelopeAnswer(200, accountData());
    expect(await waited(slow(), unlimited, user)).toBe(60_000);
    const { transport } = scriptedTransport(...Array.from({ length: 6 }, () => slow()));
    const { client, clock } = testClient(transport, { maxWaitMs: 9e9 });
    expect(await failureOf(clock, client.account())).toMatchObject({ code: 'service.throttled' });
  });
});

describe('another client of the same key', () => {
  it('is left as much as it was seen to spend', async () => {
    const { send, service } = world({
      perMinute: { ...MINUTE, limit: 20 },
      perDay: 1000,
    });
    await send(10);
    service.spend(5);
    await send(30);
    const byWindow = Object.values(Object.groupBy(service.admitted, (at) => Math.floor(at / 60_000)));
    // The 5 of the first window are found out by a 429; the second then leaves 5 free beside the account call, and finds none spent.
    expect(byWindow.map((requests) => requests?.length)).toEqual([15, 15, 13]);
    expect(service.refused).toBeGreaterThan(0);
  });

  it('is forgiven: refusals count in a row only until an answer comes through', async () => {
    const unlimited = envelopeAnswer(200, accountData());
    const slow = envelopeAnswer(429, null);
    const user = envelopeAnswer(200, { id: ID, external_id: 'M' });
    const { transport } = scriptedTransport(unlimited, slow, unlimited, user, slow, unlimited, user);
    const { client, clock } = testClient(transport);
    await clock.run(client.send('update-user', PATCH));
    await clock.run(client.send('update-user', PATCH));
    expect(client.counts().waited_ms).toBe(120_000);
  });
});
