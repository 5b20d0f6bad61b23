import type { Clock, HttpRequest, HttpResponse, Transport } from '../../src/model/ports.ts';
import { accountData, envelopeAnswer } from './transport.ts';

/** One window of the simulated limiter. */
export interface LimitedWindow {
  readonly limit: number;
  readonly lengthMs: number;
  readonly text: string;
}

export interface LimitedOptions {
  readonly clock: Clock;
  readonly perMinute: LimitedWindow;
  readonly perDay?: LimitedWindow;
  readonly kind: 'fixed' | 'sliding';
  /** Whether an account call takes from the windows: before it reports them, after, or not at all. */
  readonly accountCall: 'listed' | 'unlisted' | 'free';
  /** The service's clock minus ours. */
  readonly skewMs: number;
  /** On the way there and on the way back. */
  readonly latencyMs: () => readonly [number, number];
  readonly dateHeader: boolean;
}

/** A service that only counts: every request but the account call answers with a user. */
export interface LimitedService {
  readonly transport: Transport;
  /** Requests of ours that were let through, by arrival on the service's clock. */
  readonly admitted: readonly number[];
  /** All requests of ours, account calls that are free included, by arrival on the service's clock. */
  readonly received: readonly number[];
  readonly refused: number;
  /** Another client of the same key. */
  spend(requests: number): void;
}

const USER = { id: '0b0e3c9a-0000-4000-8000-000000000002', external_id: 'M-1', display_name: 'Ana' };

/** A limiter that counts what arrives in one or two windows and refuses with 429 what is too much, on a virtual clock. */
export function limitedService(options: LimitedOptions): LimitedService {
  const { clock, kind, accountCall, skewMs, latencyMs, dateHeader } = options;
  const windows = [
    ['per_minute', options.perMinute],
    ['per_day', options.perDay],
  ] as const;
  const arrivals: number[] = [];
  const admitted: number[] = [];
  const received: number[] = [];
  let refused = 0;
  const serverNow = (): number => clock.monotonic() + 1_790_000_000_000 + skewMs;
  const usedIn = ({ lengthMs }: LimitedWindow, nowMs: number): readonly number[] =>
    kind === 'fixed'
      ? arrivals.filter((at) => Math.floor(at / lengthMs) === Math.floor(nowMs / lengthMs))
      : arrivals.filter((at) => at > nowMs - lengthMs);
  const isFull = (nowMs: number): boolean =>
    windows.some(([, window]) => window !== undefined && usedIn(window, nowMs).length >= window.limit);
  const report = (window: LimitedWindow, nowMs: number): Record<string, unknown> => {
    const used = usedIn(window, nowMs);
    const resetMs =
      kind === 'fixed'
        ? (Math.floor(nowMs / window.lengthMs) + 1) * window.lengthMs
        : (used[0] ?? nowMs) + window.lengthMs;
    return {
      limit: window.limit,
      window: window.text,
      used: used.length,
      remaining: window.limit - used.length,
      reset_at: new Date(resetMs).toISOString(),
    };
  };
  const answer = (request: HttpRequest): HttpResponse => {
    const nowMs = serverNow();
    received.push(nowMs);
    const headers = dateHeader ? { date: new Date(nowMs).toUTCString() } : {};
    const readsAccount = request.url.endsWith('/auth/account');
    const counts = !readsAccount || accountCall !== 'free';
    if (counts && isFull(nowMs)) {
      refused += 1;
      return envelopeAnswer(429, null, { message: 'slow down', headers });
    }
    const count = (): void => {
      if (!counts) return;
      arrivals.push(nowMs);
      admitted.push(nowMs);
    };
    if (!readsAccount || accountCall === 'listed') count();
    if (!readsAccount) return envelopeAnswer(200, USER, { headers });
    const reported = windows.flatMap(([name, window]) =>
      window === undefined ? [] : [[name, report(window, nowMs)] as const],
    );
    const response = envelopeAnswer(200, accountData(Object.fromEntries(reported)), { headers });
    if (accountCall === 'unlisted') count();
    return response;
  };
  return {
    admitted,
    received,
    get refused() {
      return refused;
    },
    spend: (requests) => {
      for (let sent = 0; sent < requests && !isFull(serverNow()); sent += 1) arrivals.push(serverNow());
    },
    transport: async (request) => {
      const [thereMs, backMs] = latencyMs();
      await clock.sleep(thereMs);
      const response = answer(request);
      await clock.sleep(backMs);
      return response;
    },
  };
}
