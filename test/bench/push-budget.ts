/**
 * Goals G1, G2 and G3: a push through rate windows of 20 to 2,000 requests, fixed and sliding, against a plain p-limit and p-retry loop on the same
 * service in the same run. Time is virtual: windows are of 60 s, nobody waits for them, and a request takes 40 ms. Prints the time as a ratio to the
 * lower bound of performance.md, the 429s, the requests, the writes that were applied twice, and how far the forecast was off.
 *
 *   npm run bench -- push-budget [windows in a run, 6 unless told]
 */
import { setImmediate as turn } from 'node:timers/promises';
import pLimit from 'p-limit';
import type { Clock, Transport } from '../../src/model/ports.ts';
import { plainClient } from '../support/client.ts';
import { accountData, envelopeAnswer } from '../support/transport.ts';

const WINDOW_MS = 60_000;
const LATENCY_MS = 40;
const IN_FLIGHT = 8;
const LIMITS = [20, 200, 2000];
const WINDOWS = Number(process.argv[2] ?? 6);
/** Into the first window, where every run begins. */
const BEGIN_MS = 1_790_000_000_000 - (1_790_000_000_000 % WINDOW_MS) + 20_000;
const ID = '0b0e3c9a-0000-4000-8000-000000000002';

type Kind = 'fixed' | 'sliding';

/** A clock of many sleepers: each turn of the event loop in which nothing happens wakes the next one. */
function fastClock(): Clock & { readonly drive: <T>(work: Promise<T>) => Promise<T> } {
  let nowMs = 0;
  let sleepers: { readonly atMs: number; readonly wake: () => void }[] = [];
  return {
    now: () => BEGIN_MS + nowMs,
    monotonic: () => nowMs,
    sleep: (ms, signal) =>
      new Promise((resolve, reject) => {
        const sleeper = { atMs: nowMs + ms, wake: resolve };
        sleepers.push(sleeper);
        signal?.addEventListener('abort', () => {
          sleepers = sleepers.filter((each) => each !== sleeper);
          reject(signal.reason as Error);
        });
      }),
    drive: async (work) => {
      const progress = { done: false };
      const outcome = work.finally(() => {
        progress.done = true;
      });
      for (;;) {
        await turn();
        if (progress.done) return outcome;
        nowMs = Math.max(
          nowMs,
          sleepers.reduce((least, { atMs }) => Math.min(least, atMs), Infinity),
        );
        const due = sleepers.filter(({ atMs }) => atMs <= nowMs);
        sleepers = sleepers.filter(({ atMs }) => atMs > nowMs);
        for (const { wake } of due) wake();
      }
    },
  };
}

interface Limiter {
  readonly transport: Transport;
  readonly applied: ReadonlyMap<string, number>;
  readonly counts: { refused: number; requests: number };
}

/** A service with one window, which counts account calls, and refused calls where `countsRefused`. */
function limiter(clock: Clock, kind: Kind, limit: number, countsRefused: boolean): Limiter {
  const counts = { refused: 0, requests: 0 };
  const applied = new Map<string, number>();
  let arrivals: number[] = [];
  const inWindow = (nowMs: number): void => {
    const beginMs = kind === 'fixed' ? nowMs - (nowMs % WINDOW_MS) : nowMs - WINDOW_MS + 1;
    if ((arrivals[0] ?? nowMs) < beginMs) arrivals = arrivals.filter((at) => at >= beginMs);
  };
  return {
    applied,
    counts,
    transport: async ({ url, body }) => {
      await clock.sleep(LATENCY_MS / 2);
      const nowMs = clock.now();
      inWindow(nowMs);
      counts.requests += 1;
      const full = arrivals.length >= limit;
      if (!full || countsRefused) arrivals.push(nowMs);
      const headers = { date: new Date(nowMs).toUTCString() };
      const isAccount = url.endsWith('/auth/account');
      const resetMs =
        kind === 'fixed' ? nowMs - (nowMs % WINDOW_MS) + WINDOW_MS : (arrivals[0] ?? nowMs) + WINDOW_MS;
      const used = Math.min(limit, arrivals.length);
      const per_minute = {
        limit,
        window: '60s',
        used,
        remaining: limit - used,
        reset_at: new Date(resetMs).toISOString(),
      };
      if (full) counts.refused += 1;
      else if (!isAccount) applied.set(body ?? '', (applied.get(body ?? '') ?? 0) + 1);
      await clock.sleep(LATENCY_MS / 2);
      if (full) return envelopeAnswer(429, null, { headers });
      return envelopeAnswer(200, isAccount ? accountData({ per_minute }) : { id: ID, external_id: 'M' }, {
        headers,
      });
    },
  };
}

const bodyOf = (index: number): { readonly id: string; readonly display_name: string } => ({
  id: ID,
  display_name: `Member ${index}`,
});

/** How far the forecast was off, in milliseconds, and the account calls that were named beforehand. */
type Push = (transport: Transport, clock: Clock, requests: number) => Promise<string>;

const guided: Push = async (transport, clock, requests) => {
  const client = plainClient({ transport, clock, maxWaitMs: 3_600_000, concurrency: IN_FLIGHT });
  await client.account();
  const forecast = await client.forecast([{ requests, inFlight: IN_FLIGHT, rows: requests }]);
  const planned = client.counts().sent + forecast.requests;
  const results = await Promise.all(
    Array.from({ length: requests }, (_, index) => client.send('update-user', { body: bodyOf(index) })),
  );
  const failed = results.filter(({ kind }) => kind !== 'applied').length;
  if (failed > 0) console.error(`${failed} requests were not applied`);
  const off = Math.round(clock.now() - forecast.finishesAtMs);
  return `forecast ${off > 0 ? '+' : ''}${off} ms${forecast.atTheLatest ? ' (at the latest)' : ''}, planned ${planned}`;
};

/** What one writes by hand: eight at a time, and again after 1, 2, 4 and at most 10 s; p-retry's own waiting, on the virtual clock. */
const plain: Push = async (transport, clock, requests) => {
  const limit = pLimit(IN_FLIGHT);
  const send = async (index: number): Promise<void> => {
    for (let failures = 0; ; failures += 1) {
      const url = 'https://service.test/v1/user';
      const answer = await transport({
        method: 'PATCH',
        url,
        headers: {},
        body: JSON.stringify(bodyOf(index)),
      });
      if (answer.status === 200) return;
      if (failures === GIVES_UP_AFTER) throw new Error('gave up');
      await clock.sleep(Math.min(1000 * 2 ** failures, 10_000));
    }
  };
  const results = await Promise.allSettled(
    Array.from({ length: requests }, (_, index) => limit(() => send(index))),
  );
  const lost = results.filter(({ status }) => status === 'rejected').length;
  return lost === 0 ? '' : `${lost} writes given up`;
};
const GIVES_UP_AFTER = 40;

async function measure(
  name: string,
  kind: Kind,
  limit: number,
  countsRefused: boolean,
  push: Push,
): Promise<void> {
  const clock = fastClock();
  const { transport, applied, counts } = limiter(clock, kind, limit, countsRefused);
  const requests = (limit - 1) * WINDOWS;
  const note = await clock.drive(push(transport, clock, requests));
  const wallMs = clock.monotonic();
  const needed = Math.max(counts.requests - counts.refused, requests);
  const boundMs =
    kind === 'fixed'
      ? WINDOW_MS - (BEGIN_MS % WINDOW_MS) + (Math.ceil((needed - limit) / limit) - 1) * WINDOW_MS
      : (Math.ceil(needed / limit) - 1) * WINDOW_MS;
  // The last requests follow one another as far as those in flight do not hold them.
  const last = ((needed - 1) % limit) + 1;
  const burstMs = LATENCY_MS * (Math.ceil((last - 1) / IN_FLIGHT) + 1);
  const windows = Math.round(boundMs / WINDOW_MS);
  const goalMs = burstMs + (kind === 'fixed' ? 100 + 15 * windows : windows * (LATENCY_MS + 10));
  const twice = [...applied.values()].filter((times) => times > 1).length;
  console.log(
    [
      `${kind} ${limit}${countsRefused ? ', counts 429s' : ''}`.padEnd(26),
      name.padEnd(10),
      `wall/bound ${(wallMs / boundMs).toFixed(3)} (+${Math.round(wallMs - boundMs)} ms, goal ${goalMs})`.padEnd(
        46,
      ),
      `429s ${counts.refused}`.padEnd(12),
      `requests ${counts.requests} for ${requests}`.padEnd(28),
      `twice ${twice}`.padEnd(9),
      note,
    ].join(' '),
  );
}

console.log(
  `virtual time: windows of ${WINDOW_MS / 1000} s, ${WINDOWS} of them filled, ${IN_FLIGHT} in flight, ${LATENCY_MS} ms each. Goals: 0 x 429; ` +
    `fixed: bound + 100 ms + 15 ms a window + the last burst; sliding: bound x ${(1 + (LATENCY_MS + 10) / WINDOW_MS).toFixed(4)} + the last burst`,
);
for (const countsRefused of [false, true]) {
  for (const kind of ['fixed', 'sliding'] as const) {
    for (const limit of LIMITS) {
      await measure('teamsheet', kind, limit, countsRefused, guided);
      if (limit < 2000 || !countsRefused) await measure('by hand', kind, limit, countsRefused, plain);
    }
  }
}
