/**
 * Two hosts read from one account whose window binds, on one state on PostgreSQL and through HTTP: the time against the bound of the window, for windows that are
 * fixed and that slide, what each host got, and what was refused.
 * Run: `npm run bench -- two-hosts [requests of each host, 450 unless told]`
 */
import { fetchTransport } from '../../src/client/fetch-transport.ts';
import { Secret } from '../../src/model/secret.ts';
import { realClock, realRandom } from '../../src/runtime/clock.ts';
import { createSandbox } from '../../src/sandbox/index.ts';
import { plainClient } from '../support/client.ts';
import { clientOf, newSchema, noPostgres, openTestState, startPostgres } from '../support/postgres.ts';
import { inFolder } from './support/measure.ts';

const REQUESTS = Number(process.argv[2] ?? 450);
const LIMIT = 200;
const WINDOW_S = 10;
const CONCURRENCY = 4;

async function measure(windows: 'fixed' | 'sliding', url: string, folder: string): Promise<string> {
  const settings = { per_minute: LIMIT, window_seconds: WINDOW_S, windows, latency_ms: 5 };
  const sandbox = await createSandbox({ settings });
  const schema = newSchema();
  let refused = 0;
  sandbox.app.server.on('request', (_request, response) =>
    response.on('finish', () => (refused += Number(response.statusCode === 429))),
  );
  const host = async () => {
    const database = await clientOf({ url, restart: undefined, close: () => Promise.resolve() });
    const { store, budget } = await openTestState(database, schema, folder, { clock: realClock });
    const client = plainClient({
      baseUrl: sandbox.baseUrl,
      apiKey: new Secret(sandbox.apiKey),
      transport: fetchTransport(),
      clock: realClock,
      random: realRandom,
      timeoutMs: 30_000,
      concurrency: CONCURRENCY,
      sharing: { shared: budget, writes: () => false },
    });
    return { client, store };
  };
  const hosts = [await host(), await host()];
  const began = performance.now();
  const halves: number[] = [];
  await Promise.all(
    hosts.map(async ({ client }) => {
      let done = 0;
      const read = async (): Promise<void> => {
        await client.get('list-users');
        done += 1;
        if (done === REQUESTS / 2) halves.push((performance.now() - began) / 1000);
      };
      await Promise.all(Array.from({ length: REQUESTS }, read));
      await client.end();
    }),
  );
  const seconds = (performance.now() - began) / 1000;
  const sent = hosts.reduce((sum, { client }) => sum + client.counts().sent, 0);
  for (const { store } of hosts) await store.close();
  await sandbox.close();
  // A fixed window may begin with the rest of one, and be used whole.
  const bound = (Math.ceil((hosts.length * REQUESTS) / LIMIT) - 1) * WINDOW_S;
  return `${windows}: ${seconds.toFixed(1)} s against a bound of ${bound} s (ratio ${(seconds / bound).toFixed(3)}, goal 1.05); ${sent} requests for ${hosts.length * REQUESTS}, ${refused} refused; halves done after ${halves.map((half) => half.toFixed(1)).join(' and ')} s`;
}

if (noPostgres === undefined) {
  const server = await startPostgres();
  try {
    await inFolder(async (folder) => {
      for (const windows of ['fixed', 'sliding'] as const)
        console.log(await measure(windows, server.url, folder));
    });
  } finally {
    await server.close();
  }
} else console.log(noPostgres);
