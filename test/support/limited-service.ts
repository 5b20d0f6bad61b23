import type { Clock, Transport } from '../../src/model/ports.ts';
import { dice } from '../simulation/dice.ts';
import { PLAIN, type Limits } from '../simulation/habits.ts';
import { askedOf, EPOCH_MS, SimulatedService } from '../simulation/service.ts';

export interface LimitedOptions extends Pick<Limits, 'kind' | 'accountCall'> {
  readonly clock: Clock;
  readonly perMinute: { readonly limit: number; readonly lengthMs: number; readonly text: string };
  readonly perDay?: number | undefined;
  /** The service's clock minus ours. */
  readonly skewMs: number;
  /** On the way there and on the way back. */
  readonly latencyMs: () => readonly [number, number];
  readonly dateHeader: boolean;
}

export interface LimitedService {
  readonly transport: Transport;
  /** Requests of ours that were let through, by arrival on the service's clock. */
  readonly admitted: readonly number[];
  /** All requests of ours, by arrival on the service's clock. */
  readonly received: readonly number[];
  readonly refused: number;
  /** Another client of the same key. */
  spend(requests: number): void;
}

/** The simulation's service with one user, of which only the limiter matters: it refuses with 429 what is too much, on a virtual clock. */
export function limitedService(options: LimitedOptions): LimitedService {
  const { clock, kind, accountCall, perMinute, perDay = Infinity, skewMs, latencyMs, dateHeader } = options;
  const { limit, lengthMs: minuteMs, text } = perMinute;
  const limits = { kind, accountCall, perMinute: limit, minuteMs, text, perDay, spentBefore: 0 };
  const habits = { ...PLAIN, limits, skewMs, dateHeader };
  const service = new SimulatedService(habits, dice(1, 'limited'), () => clock.monotonic());
  const user = { external_id: 'M-1', display_name: 'Ana' };
  service.records.create('users', 'M-1', '0b0e3c9a-0000-4000-8000-000000000002', user, 0, undefined);
  const [admitted, received]: [number[], number[]] = [[], []];
  const listed = { method: 'GET', path: '/user', query: new URLSearchParams(), body: {}, request: undefined };
  return {
    admitted,
    received,
    get refused() {
      return service.refusedByLimiter.length;
    },
    spend: (requests) => {
      for (let sent = 0; sent < requests && service.answer(listed).status !== 429; sent += 1);
    },
    transport: async (request) => {
      const [thereMs, backMs] = latencyMs();
      await clock.sleep(thereMs);
      const atMs = EPOCH_MS + clock.monotonic() + skewMs;
      received.push(atMs);
      const answered = service.answer(askedOf(request, received.length));
      if (answered.status !== 429) admitted.push(atMs);
      await clock.sleep(backMs);
      return answered;
    },
  };
}
