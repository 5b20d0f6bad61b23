import { describe, expect, it } from 'vitest';
import { createClient } from '../../src/client/client.ts';
import { fetchTransport } from '../../src/client/fetch-transport.ts';
import { realClock } from '../../src/cli/runtime.ts';
import type { RunEvent } from '../../src/model/event.ts';
import { Secret } from '../../src/model/secret.ts';
import { createSandbox } from '../../src/sandbox/index.ts';

const IN_FLIGHT = 4;

/** The forecast is of real time, so that these tests take some: all of them at once, about eight seconds. */
describe.concurrent('a forecast, over HTTP and in real time', () => {
  it.for([
    ['fixed', 'counted', 20, 0],
    ['fixed', 'free', 20, 60],
    ['sliding', 'counted', 20, 60],
    ['sliding', 'counted', 30, 0],
  ] as const)(
    'is what happens, to the second: %s windows, account calls %s, %i in 3 s, %i ms',
    async ([windows, account_call, per_minute, latency_ms], { onTestFinished }) => {
      const settings = { windows, account_call, per_minute, latency_ms, window_seconds: 3 };
      // Soon after a window began, so that no request goes out at its end, where none can say in which window it counts.
      const sandbox = await createSandbox({ settings, now: '2026-09-22T12:00:00.100Z' });
      onTestFinished(() => sandbox.close());
      const { base_url: baseUrl } = await sandbox.listen({ port: 0 });
      const events: RunEvent[] = [];
      const client = createClient({
        baseUrl,
        apiKey: new Secret(sandbox.apiKey),
        transport: fetchTransport(),
        clock: realClock,
        random: { next: () => 0.5, ulid: () => '' },
        emit: (event) => events.push(event),
        reservePerMinute: 0,
        reservePerDay: 0,
        maxWaitMs: 60_000,
        maxRequests: undefined,
        timeoutMs: 60_000,
        concurrency: IN_FLIGHT,
        signal: new AbortController().signal,
      });
      await client.account();
      const requests = 2 * per_minute + 5;
      const forecast = await client.forecast([{ requests, inFlight: IN_FLIGHT, rows: requests }]);
      const before = client.counts().sent;
      const results = await Promise.all(
        Array.from({ length: requests }, (_, index) =>
          client.send('create-users', {
            body: { users: [{ external_id: `M-${index}`, display_name: 'Ana' }] },
          }),
        ),
      );
      expect(results.filter(({ kind }) => kind !== 'applied')).toEqual([]);
      expect(Math.abs(Date.now() - forecast.finishesAtMs)).toBeLessThan(1000);
      expect(client.counts().throttled).toBe(0);
      expect(Math.abs(client.counts().sent - before - forecast.requests)).toBeLessThanOrEqual(1);
      // In a window that slides, pauses of about a second may come out below the shortest one that is called a pause.
      if (windows === 'sliding') return;
      const told = events.filter((event) => event.kind === 'pause');
      for (const pause of forecast.pauses.filter(({ seconds }) => seconds >= 2))
        expect(told.some(({ untilMs }) => Math.abs(untilMs - pause.untilMs) < 1000)).toBe(true);
    },
  );
});
