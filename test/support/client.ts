import { createClient } from '../../src/client/client.ts';
import type { ClientOptions, ClosingService } from '../../src/client/client.ts';
import type { RequestStep } from '../../src/model/budget.ts';
import type { RunEvent } from '../../src/model/event.ts';
import type { Transport } from '../../src/model/ports.ts';
import { Secret } from '../../src/model/secret.ts';
import { virtualClock } from './clock.ts';
import type { VirtualClock } from './clock.ts';

export const TEST_KEY = 'key-that-must-not-show-7f3a';

export interface TestClient {
  readonly client: ClosingService;
  readonly clock: VirtualClock;
  readonly events: readonly RunEvent[];
  /** The pauses among the events. */
  readonly pauses: () => readonly Extract<RunEvent, { kind: 'pause' }>[];
}

/** A client that keeps nothing back for others; by default it tells nobody anything, and nothing is left to chance. */
export const plainClient = (
  own: Partial<ClientOptions> & Pick<ClientOptions, 'transport' | 'clock'>,
): ClosingService =>
  createClient({
    baseUrl: 'https://service.test/fantasy/',
    apiKey: new Secret(TEST_KEY),
    random: { next: () => 0.5, ulid: () => '01J00000000000000000000000' },
    emit: () => undefined,
    reservePerMinute: 0,
    reservePerDay: 0,
    maxWaitMs: 900_000,
    maxRequests: undefined,
    timeoutMs: 60_000,
    concurrency: 8,
    signal: new AbortController().signal,
    ...own,
  });

/** A client on a virtual clock over the given transport. */
export function testClient(
  transport: Transport,
  options: Partial<ClientOptions> & { readonly clock?: VirtualClock } = {},
): TestClient {
  const clock = options.clock ?? virtualClock();
  const events: RunEvent[] = [];
  const client = plainClient({ emit: (event) => events.push(event), ...options, clock, transport });
  return { client, clock, events, pauses: () => events.filter((event) => event.kind === 'pause') };
}

/** One step of requests, each with one row, as many in flight as the client allows. */
export const step = (requests: number): readonly RequestStep[] => [
  { requests, inFlight: 1000, rows: requests },
];
