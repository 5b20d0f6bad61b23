import { hash } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, it, onTestFinished } from 'vitest';
import { mayTake } from '../../src/client/budget/share.ts';
import { changedBy } from '../../src/model/changed-by.ts';
import type { SharedBudget } from '../../src/model/state/shared-budget.ts';
import { sqliteBudget } from '../../src/state/sqlite/budget.ts';
import { step, testClient, TEST_KEY } from '../support/client.ts';
import { BudgetData, MemoryBudget } from '../simulation/memory-budget.ts';
import { virtualClock } from '../support/clock.ts';
import { limitedService } from '../support/limited-service.ts';
import { runs } from '../support/long.ts';

const RUNS = runs(10, 1000);
const BASE_URL = 'https://service.test/fantasy/';
const PATCH = { body: { id: '0b0e3c9a-0000-4000-8000-000000000002', display_name: 'Ana' } };

const hosts = fc.record({
  startsMs: fc.integer({ min: 0, max: 90_000 }),
  requests: fc.integer({ min: 1, max: 50 }),
  concurrency: fc.integer({ min: 1, max: 6 }),
  writes: fc.boolean(),
  /** It has nothing to send for so long, after half of its requests. */
  idlesMs: fc.integer({ min: 0, max: 120_000 }),
  /** What it asks for before and after that. */
  asks: fc.array(fc.constantFrom('account' as const, 'forecast' as const), { maxLength: 2 }),
  /** After so many answers it is gone; nothing of it goes out from then on. */
  diesAfter: fc.option(fc.integer({ min: 0, max: 20 }), { nil: undefined, freq: 1 }),
});
const worlds = fc.record({
  limit: fc.oneof(fc.integer({ min: 2, max: 6 }), fc.integer({ min: 2, max: 30 })),
  lengthMs: fc.constantFrom(10_000, 60_000),
  accountCall: fc.constantFrom('listed' as const, 'free' as const),
  dateHeader: fc.boolean(),
  visitMs: fc.integer({ min: 0, max: 30 }),
  skewMs: fc.integer({ min: -90_000_000, max: 90_000_000 }),
  latencies: fc.array(fc.tuple(fc.integer({ min: 0, max: 400 }), fc.integer({ min: 0, max: 400 })), {
    minLength: 1,
    maxLength: 7,
  }),
  hosts: fc.array(hosts, { minLength: 2, maxLength: 6 }),
});

describe('a budget that several hosts share', () => {
  it.each(['fixed', 'sliding'] as const)(
    'never meets a 429 on %s windows, whoever idles or dies, and every request of the living is sent',
    async (kind) => {
      const folder = mkdtempSync(join(tmpdir(), 'teamsheet-'));
      onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
      let runs = 0;
      await fc.assert(
        fc.asyncProperty(worlds, async (world) => {
          const clock = virtualClock();
          let turn = 0;
          const service = limitedService({
            ...world,
            clock,
            kind,
            perMinute: { limit: world.limit, lengthMs: world.lengthMs, text: `${world.lengthMs / 1000}s` },
            latencyMs: () => world.latencies[(turn += 1) % world.latencies.length] ?? [0, 0],
          });
          const problems: unknown[] = [];
          const opened: { close(): void }[] = [];
          const state = join(folder, String((runs += 1)));
          // The key was used before, so that its account is known.
          const before = sqliteBudget(state, clock);
          const first = testClient(service.transport, {
            clock,
            sharing: { shared: before, writes: () => false },
          });
          await clock.run(first.client.account().then(() => first.client.end()));
          const lives = world.hosts.map(async (host, at) => {
            await clock.sleep(host.startsMs);
            const own = sqliteBudget(state, clock);
            opened.push(own);
            // A database is some way off: answers come while a visit is under way.
            const shared = changedBy(own, {
              visit: async (...visit) => {
                await clock.sleep(world.visitMs);
                const number = await own.visit(...visit);
                await clock.sleep(world.visitMs);
                return number;
              },
            });
            let answers = 0;
            const isDead = (): boolean => host.diesAfter !== undefined && answers >= host.diesAfter;
            const forever = new Promise<never>(() => undefined);
            const { client } = testClient(
              async (request) => {
                if (isDead()) return forever;
                const answer = await service.transport(request);
                answers += 1;
                return isDead() ? forever : answer;
              },
              {
                clock,
                concurrency: host.concurrency,
                maxWaitMs: 3 * 86_400_000,
                timeoutMs: 5000,
                random: { next: () => 0.5, ulid: () => `host ${at}` },
                sharing: { shared, writes: () => host.writes },
              },
            );
            const send = (count: number): Promise<unknown> =>
              Promise.all(
                Array.from({ length: count }, async () => {
                  if (isDead()) return;
                  const result = await client.send('update-user', PATCH).catch((error: unknown) => error);
                  if (!isDead() && (result as { readonly kind?: string }).kind !== 'applied')
                    problems.push(result);
                }),
              );
            const ask = async (what: 'account' | 'forecast' | undefined): Promise<void> => {
              if (isDead() || what === undefined) return;
              await (what === 'account' ? client.account() : client.forecast(step(host.requests)));
            };
            const live = async (): Promise<void> => {
              const half = host.requests >> 1;
              const [before, after] = host.asks;
              await send(half);
              await ask(before);
              await clock.sleep(host.idlesMs);
              await ask(after);
              await send(host.requests - half);
              await client.end();
            };
            if (host.diesAfter === undefined) {
              await live();
            } else {
              const done = live().then(() => true);
              while (!isDead() && !(await Promise.race([done, clock.sleep(10_000)])));
            }
          });
          await clock.run(Promise.all(lives));
          const left = async (): Promise<readonly unknown[]> => {
            const reader = sqliteBudget(state, clock);
            const open: unknown[] = [];
            const visit = { process: 'reader', after: 1, underWay: [], over: [], withinMs: 0 };
            const accountId = (await reader.accountOf(BASE_URL, hash('sha256', TEST_KEY))) ?? '';
            await reader.visit({ baseUrl: BASE_URL, accountId }, visit, ({ others }) => {
              open.push(
                ...others.filter(({ answeredAgoMs, doubtful }) => answeredAgoMs === null || doubtful),
              );
              return { kind: 'none' };
            });
            reader.close();
            return open;
          };
          for (const each of [before, ...opened]) each.close();
          expect(service.refused).toBe(0);
          // Where all live, what they tell each other is whole: nothing of them seems to be under way when they have ended.
          if (world.hosts.every(({ diesAfter }) => diesAfter === undefined)) expect(await left()).toEqual([]);
          expect(problems).toEqual([]);
        }),
        { numRuns: RUNS, endOnFailure: true },
      );
    },
  );

  /** Hosts of one machine and a service whose windows are fixed; a request takes 20 ms to it and as long back. */
  const fixedWindows = (limit: number, lengthMs: number, accountCall: 'listed' | 'free' = 'listed') => {
    const clock = virtualClock();
    const data = new BudgetData();
    const service = limitedService({
      ...{ clock, kind: 'fixed', accountCall, skewMs: 0, dateHeader: true },
      perMinute: { limit, lengthMs, text: `${lengthMs / 1000}s` },
      latencyMs: () => [20, 20],
    });
    /** What each visit says to be under way. */
    const followed: (readonly number[])[] = [];
    const host = (name: string, transport = service.transport) => {
      const budget = new MemoryBudget(data, () => clock.now());
      const shared = changedBy<SharedBudget>(budget, {
        visit: (account, visit, decide) => {
          followed.push(visit.underWay);
          return budget.visit(account, visit, decide);
        },
      });
      return testClient(transport, {
        ...{ clock, concurrency: 2, maxWaitMs: 3 * 86_400_000, timeoutMs: 5000 },
        random: { next: () => 0.5, ulid: () => name },
        sharing: { shared, writes: () => true },
      }).client;
    };
    const send = (from: ReturnType<typeof host>, count: number): Promise<unknown> =>
      Promise.all(Array.from({ length: count }, () => from.send('update-user', PATCH)));
    return { clock, service, followed, host, send };
  };

  it.each([10_000, 60_000])(
    'has a host that was idle read the account once a fixed window of %s ms has room, which others have used up',
    async (lengthMs) => {
      for (const lateMs of [0, 100, 3000]) {
        const { clock, service, host, send } = fixedWindows(6, lengthMs);
        const [idle, busy] = [host('idle'), host('busy')];
        const live = async (): Promise<void> => {
          await send(idle, 14);
          await clock.sleep(1.5 * lengthMs);
          const sending = send(busy, 30);
          await clock.sleep(lengthMs + lateMs);
          await send(idle, 1);
          await sending;
        };
        await clock.run(live());
        expect(service.refused).toBe(0);
      }
    },
  );

  it('has a host that knows the window wait with a reading of the account until there is room, which others have used up', async () => {
    const { clock, service, host, send } = fixedWindows(6, 60_000);
    const [idle, busy] = [host('idle'), host('busy')];
    const live = async (): Promise<void> => {
      await idle.account();
      await send(busy, 4);
      await idle.account();
    };
    await clock.run(live());
    expect(service.refused).toBe(0);
    expect(clock.monotonic()).toBeGreaterThan(60_000);
  });

  it('has it read the account at once where that is known to be free', async () => {
    const { clock, service, host, send } = fixedWindows(6, 60_000, 'free');
    const [idle, busy] = [host('idle'), host('busy')];
    const live = async (): Promise<void> => {
      for (const each of [idle, idle, busy, busy]) await each.account();
      await send(busy, 6);
      await idle.account();
    };
    await clock.run(live());
    expect(service.refused).toBe(0);
    expect(clock.monotonic()).toBeLessThan(60_000);
  });

  it('makes no account call for a forecast where others have used up the room for it, and waits for none', async () => {
    const { clock, service, host, send } = fixedWindows(6, 60_000);
    const [idle, busy] = [host('idle'), host('busy')];
    const live = async (): Promise<void> => {
      await idle.account();
      await send(busy, 4);
      expect((await idle.forecast(step(30))).pauses).toHaveLength(6);
    };
    await clock.run(live());
    expect(service.refused).toBe(0);
    expect(service.received).toHaveLength(6);
    expect(clock.monotonic()).toBeLessThan(5000);
  });

  it('tells the windows to hosts that start together when a process ends that has but read the account', async () => {
    const { clock, service, host, send } = fixedWindows(3, 10_000);
    const live = async (): Promise<void> => {
      const first = host('first');
      await first.account();
      await first.end();
      await Promise.all(['a', 'b', 'c', 'd'].map((name) => send(host(name), 1)));
    };
    await clock.run(live());
    expect(service.refused).toBe(0);
  });

  it('follows no request any more that was under way when the process fell asleep for long', async () => {
    const { clock, service, followed, host, send } = fixedWindows(6, 10_000);
    const live = async (): Promise<void> => {
      const idle = host('idle');
      await send(idle, 1);
      const hangs = host('hangs', (request) =>
        request.method === 'GET' ? service.transport(request) : new Promise(() => undefined),
      );
      void send(hangs, 1);
      await clock.sleep(100);
      await send(idle, 2);
      expect(followed.at(-1)).toHaveLength(1);
      await clock.sleep(700_000);
      await send(idle, 2);
      expect(followed.at(-1)).toEqual([]);
    };
    await clock.run(live());
  });

  it('lets no host starve, and those that write go first', () => {
    const reader = (taken: number) => ({ writes: false, taken });
    const writer = (taken: number) => ({ writes: true, taken });
    // Nobody waits: whoever has work takes what is free.
    expect(mayTake(600, 1, reader(599), [])).toBe(true);
    // The other has taken nothing: half of the window is left to it.
    expect(mayTake(600, 300, reader(300), [reader(0)])).toBe(false);
    expect(mayTake(600, 301, reader(300), [reader(0)])).toBe(true);
    expect(mayTake(600, 300, reader(0), [reader(300)])).toBe(true);
    // A writer waits: readers have a tenth, and it has the rest.
    expect(mayTake(600, 540, reader(60), [writer(0)])).toBe(false);
    expect(mayTake(600, 600, reader(59), [writer(0)])).toBe(true);
    expect(mayTake(600, 60, writer(540), [reader(0)])).toBe(false);
    expect(mayTake(600, 600, writer(539), [reader(0)])).toBe(true);
    // Of a window of two, each has one.
    expect(mayTake(2, 2, reader(0), [writer(0)])).toBe(true);
  });
});
