/**
 * Goal G1: a push through fixed rate windows. Prints, for each limit, the wall-clock time as a ratio to the lower bound, the 429s and the requests,
 * for this client and for a plain p-limit and p-retry loop on the same server in the same run.
 *
 *   npm run bench -- push-budget [windows per run, 6 unless told]
 */
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import pLimit from 'p-limit';
import pRetry from 'p-retry';
import { createClient } from '../../src/client/client.ts';
import { fetchTransport } from '../../src/client/fetch-transport.ts';
import { realClock } from '../../src/cli/runtime.ts';
import { Secret } from '../../src/model/secret.ts';

const WINDOW_MS = 2000;
const LIMITS = [20, 60, 200];
const IN_FLIGHT = 8;
const USER = { id: '0b0e3c9a-0000-4000-8000-000000000002', external_id: 'M-1', display_name: 'Ana' };
const WINDOWS = Number(process.argv[2] ?? 6);

interface Limiter {
  readonly baseUrl: string;
  readonly admitted: number;
  readonly refused: number;
  close(): void;
}

/** A bare server with one fixed window of whole lengths since the epoch, which counts the account call too. */
async function limiter(limit: number): Promise<Limiter> {
  let window = 0;
  let used = 0;
  let admitted = 0;
  let refused = 0;
  const server = createServer((request, response) => {
    const now = Math.floor(Date.now() / WINDOW_MS);
    if (now !== window) [window, used] = [now, 0];
    const full = used >= limit;
    if (full) refused += 1;
    else {
      used += 1;
      admitted += 1;
    }
    const resetMs = (now + 1) * WINDOW_MS;
    const perMinute = {
      limit,
      window: `${WINDOW_MS / 1000}s`,
      used,
      remaining: limit - used,
      reset_at: new Date(resetMs).toISOString(),
    };
    const isAccount = request.url?.endsWith('/auth/account') === true;
    const data = isAccount ? { id: USER.id, config: { rate_limit: { per_minute: perMinute } } } : USER;
    request.resume();
    request.on('end', () => {
      response.writeHead(full ? 429 : 200, { 'content-type': 'application/json' });
      response.end(JSON.stringify({ statusCode: full ? 429 : 200, message: 'ok', data: full ? null : data }));
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    baseUrl: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    get admitted() {
      return admitted;
    },
    get refused() {
      return refused;
    },
    close: () => {
      server.closeAllConnections();
      server.close();
    },
  };
}

const PATCH = { id: USER.id, display_name: USER.display_name };

async function guided(baseUrl: string, requests: number): Promise<void> {
  const client = createClient({
    baseUrl,
    apiKey: new Secret('bench'),
    transport: fetchTransport(),
    clock: realClock,
    random: { next: () => Math.random(), ulid: () => '' },
    emit: () => undefined,
    reservePerMinute: 0,
    reservePerDay: 0,
    maxWaitMs: 60_000,
    maxRequests: undefined,
    timeoutMs: 60_000,
    concurrency: IN_FLIGHT,
    signal: new AbortController().signal,
  });
  const results = await Promise.all(
    Array.from({ length: requests }, () => client.send('update-user', { body: PATCH })),
  );
  const failed = results.filter(({ kind }) => kind !== 'applied').length;
  if (failed > 0) console.error(`${failed} requests were not applied`);
}

async function plain(baseUrl: string, requests: number): Promise<void> {
  const limit = pLimit(IN_FLIGHT);
  const send = async (): Promise<void> => {
    const response = await fetch(`${baseUrl}/v1/user`, { method: 'PATCH', body: JSON.stringify(PATCH) });
    await response.text();
    if (response.status !== 200) throw new Error(`HTTP ${response.status}`);
  };
  await Promise.all(
    Array.from({ length: requests }, () => limit(() => pRetry(send, { retries: 1000, maxTimeout: 10_000 }))),
  );
}

/** Waits for the next window of the server and a little more, so that every run begins at the same place. */
async function nextWindow(): Promise<number> {
  const startMs = (Math.floor(Date.now() / WINDOW_MS) + 1) * WINDOW_MS + 300;
  await realClock.sleep(startMs - Date.now());
  return WINDOW_MS - (Date.now() % WINDOW_MS);
}

async function measure(
  name: string,
  limit: number,
  run: (baseUrl: string, requests: number) => Promise<void>,
): Promise<void> {
  const server = await limiter(limit);
  // One request of each window is left for the account call, so that both clients have the same lower bound.
  const requests = (limit - 1) * WINDOWS;
  const untilResetMs = await nextWindow();
  const boundMs = untilResetMs + (Math.ceil((requests - limit) / limit) - 1) * WINDOW_MS;
  const beganMs = performance.now();
  await run(server.baseUrl, requests);
  const wallMs = performance.now() - beganMs;
  const over = Math.round(wallMs - boundMs);
  console.log(
    [
      `limit ${limit}`.padEnd(10),
      name.padEnd(18),
      `wall/bound ${(wallMs / boundMs).toFixed(3)}`,
      `(${over >= 0 ? '+' : ''}${over} ms)`.padEnd(12),
      `429s ${server.refused}`.padEnd(10),
      `requests ${server.admitted} for ${requests} writes`,
    ].join('  '),
  );
  server.close();
}

console.log(
  `${WINDOWS} windows of ${WINDOW_MS / 1000} s, ${IN_FLIGHT} in flight; goal: 0 x 429, wall <= bound + 100 ms + 15 ms a window`,
);
for (const limit of LIMITS) {
  await measure('teamsheet', limit, guided);
  await measure('p-limit + p-retry', limit, plain);
}
