import { describe, expect, it } from 'vitest';
import type { RunEvent } from '../../src/model/event.ts';
import { Secret } from '../../src/model/secret.ts';
import { createSandbox } from '../../src/sandbox/index.ts';
import { plainClient } from '../support/client.ts';
import { patientClock } from '../support/patient-clock.ts';

const IN_FLIGHT = 4;
/** Soon after a window began, so that no request goes out at its end, where none can say in which window it counts. */
const START_MS = Date.parse('2026-09-22T12:00:00.100Z');

describe('a forecast against the sandbox', () => {
  it.each([
    ['fixed', 'counted', 20, 0],
    ['fixed', 'free', 20, 60],
    ['sliding', 'counted', 20, 60],
    ['sliding', 'counted', 30, 0],
  ] as const)(
    'is what happens, to the second: %s windows, account calls %s, %i in 3 s, %i ms on the way',
    async (windows, account_call, per_minute, latencyMs) => {
      let busy = 0;
      const clock = patientClock(START_MS, () => busy > 0);
      const settings = { windows, account_call, per_minute, window_seconds: 3 };
      const sandbox = await createSandbox({ settings, clock });
      const events: RunEvent[] = [];
      const client = plainClient({
        baseUrl: 'http://sandbox.test',
        apiKey: new Secret(sandbox.apiKey),
        transport: async (request) => {
          await clock.sleep(latencyMs);
          busy += 1;
          try {
            return await sandbox.inject(request);
          } finally {
            busy -= 1;
          }
        },
        clock,
        emit: (event) => events.push(event),
        maxWaitMs: 60_000,
        concurrency: IN_FLIGHT,
      });
      await clock.drive(client.account());
      const requests = 2 * per_minute + 5;
      const steps = [{ requests, inFlight: IN_FLIGHT, rows: requests }];
      const forecast = await clock.drive(client.forecast(steps));
      const before = client.counts().sent;
      const sending = Array.from({ length: requests }, (_, index) =>
        client.send('create-users', {
          body: { users: [{ external_id: `M-${index}`, display_name: 'Ana' }] },
        }),
      );
      const results = await clock.drive(Promise.all(sending));
      await sandbox.close();
      expect(results.filter(({ kind }) => kind !== 'applied')).toEqual([]);
      expect(Math.abs(clock.now() - forecast.finishesAtMs)).toBeLessThan(1000);
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
