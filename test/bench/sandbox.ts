/**
 * The sandbox against a bare Fastify route that sends the same bytes from memory, over keep-alive sockets from another thread: a record by its id, and
 * a list page of 100. Then a POST of 1,000 users, list pages and line-ups with few records and with 100,000 users and 10,000 squads, and the start.
 * Run: `npm run bench -- sandbox`
 */
import { once } from 'node:events';
import { connect } from 'node:net';
import type { AddressInfo } from 'node:net';
import path from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { Worker, isMainThread, parentPort, workerData } from 'node:worker_threads';
import fastify from 'fastify';
import { createSandbox } from '../../src/sandbox/index.ts';
import type { Sandbox } from '../../src/sandbox/index.ts';
import { inFolder, median, timed } from './support/measure.ts';

const CONNECTIONS = 8;
const REQUESTS = 6_000;
const ROUNDS = 5;
/** Requests whose median is taken. */
const SAMPLES = 100;
const OPEN = { per_minute: 1_000_000_000, per_day: 1_000_000_000 } as const;

interface Load {
  readonly port: number;
  readonly request: string;
}

/** Asks one after the other on each connection until all requests are answered; answers the requests a second. */
async function load({ port, request }: Load): Promise<number> {
  let left = REQUESTS;
  const ask = async (): Promise<void> => {
    const socket = connect(port, '127.0.0.1');
    await once(socket, 'connect');
    let size = 0;
    let seen = 0;
    while (left > 0) {
      left -= 1;
      socket.write(request);
      do {
        const [chunk] = (await once(socket, 'data')) as [Buffer];
        // Every answer of a run is as long as the first.
        if (size === 0) size = answerLength(chunk);
        seen += chunk.length;
      } while (seen < size);
      seen = 0;
    }
    socket.destroy();
  };
  const start = performance.now();
  await Promise.all(Array.from({ length: CONNECTIONS }, ask));
  return (REQUESTS / (performance.now() - start)) * 1_000;
}

function answerLength(chunk: Buffer): number {
  const text = chunk.toString('latin1');
  if (!/^HTTP\/1\.1 20\d /.test(text)) throw new Error(text.slice(0, 300));
  const body = /content-length: (\d+)/i.exec(text)?.[1];
  return text.indexOf('\r\n\r\n') + 4 + Number(body);
}

/** Requests a second of the clock, and a second of this thread's processor time, which other programs do not take away. */
interface Rates {
  readonly wall: number;
  readonly busy: number;
}

async function measure(data: Load): Promise<Rates> {
  const worker = new Worker(new URL(import.meta.url), { workerData: data });
  await once(worker, 'online');
  const before = process.threadCpuUsage();
  const [wall] = (await once(worker, 'message')) as [number];
  const { user, system } = process.threadCpuUsage(before);
  return { wall, busy: (REQUESTS / (user + system)) * 1_000_000 };
}

function requestOf(sandbox: Sandbox, url: string): string {
  return `GET ${url} HTTP/1.1\r\nHost: 127.0.0.1\r\nx-api-key: ${sandbox.apiKey}\r\n\r\n`;
}

async function bodyOf(sandbox: Sandbox, url: string): Promise<string> {
  const answer = await sandbox.inject({ method: 'GET', url, headers: { 'x-api-key': sandbox.apiKey } });
  if (answer.status !== 200) throw new Error(answer.body);
  return answer.body;
}

/** The rates of the sandbox and of a route that sends what the sandbox answered, in turns. */
async function compare(name: string, sandbox: Sandbox, port: number, url: string): Promise<void> {
  const body = await bodyOf(sandbox, url);
  const bare = fastify();
  bare.get('/*', (_request, reply) => reply.type('application/json; charset=utf-8').send(body));
  await bare.listen({ port: 0, host: '127.0.0.1' });
  const { port: barePort } = bare.server.address() as AddressInfo;
  const request = requestOf(sandbox, url);
  const rates: { readonly own: Rates; readonly bare: Rates }[] = [];
  for (let round = 0; round < ROUNDS; round += 1) {
    const plain = await measure({ port: barePort, request });
    rates.push({ own: await measure({ port, request }), bare: plain });
  }
  await bare.close();
  const ratio = (of: keyof Rates): string =>
    median(rates.map(({ own, bare }) => own[of] / bare[of])).toFixed(2);
  const best = Math.max(...rates.map(({ own }) => own.wall));
  console.log(
    `${name}: ${ratio('busy')} of the bare route by processor time, ${ratio('wall')} by the clock; up to ${best.toFixed(0)} requests/s, ${body.length} bytes`,
  );
}

async function post(sandbox: Sandbox, url: string, body: object): Promise<void> {
  const headers = { 'x-api-key': sandbox.apiKey, 'content-type': 'application/json' };
  const answer = await sandbox.inject({ method: 'POST', url, headers, body: JSON.stringify(body) });
  if (answer.status !== 201) throw new Error(answer.body);
}

const usersFrom = (first: number, count: number) => ({
  users: Array.from({ length: count }, (_, index) => ({
    external_id: `B-${first + index}`,
    display_name: `Member ${first + index}`,
  })),
});

/** The median time of requests that are all different, so that none is answered from memory. */
async function medianMs(sandbox: Sandbox, urls: readonly string[]): Promise<number> {
  const times: number[] = [];
  for (const url of urls) times.push((await timed(() => bodyOf(sandbox, url)))[0]);
  return median(times);
}

/** Pages of a list from its begin to its end. */
const pagesOf = (list: string, last: number): readonly string[] =>
  Array.from(
    { length: SAMPLES },
    (_, n) => `/v1/${list}?page=${1 + Math.floor((n * (last - 1)) / SAMPLES)}&n=${n}`,
  );

async function squadsOf(sandbox: Sandbox, last: number): Promise<readonly string[]> {
  const urls = new Set<string>();
  for (const url of pagesOf('squad', last)) {
    const { data } = JSON.parse(await bodyOf(sandbox, url)) as { data: { id: string }[] };
    for (const { id } of data) urls.add(`/v1/squad/${id}`);
  }
  return [...urls].slice(0, SAMPLES).flatMap((url) => [url, `${url}/lineup`]);
}

async function main(folder: string): Promise<void> {
  const db = path.join(folder, 'db');
  const [ready, sandbox] = await timed(async () => {
    const made = await createSandbox({ db, settings: { ...OPEN, page_size: 100 } });
    await bodyOf(made, '/v1/auth/account');
    return made;
  });
  console.log(`ready and answering after ${ready.toFixed(0)} ms (goal: 1000)`);
  const { port } = sandbox.app.server.address() as AddressInfo;
  const [batch] = await timed(() => post(sandbox, '/v1/user', usersFrom(0, 1_000)));
  console.log(`POST /user with 1,000 users: ${batch.toFixed(0)} ms`);
  const squad = { user_id: 1, name: 'Squad', fantasy_league_id: 1, players_in: [1, 2, 3, 4, 5, 6, 7, 8] };
  await post(sandbox, '/v1/squad', squad);
  for (let user = 2; user <= SAMPLES; user += 1)
    await post(sandbox, '/v1/squad', { ...squad, user_id: user });
  const squadUrls = await squadsOf(sandbox, 1);
  const [squadUrl = ''] = squadUrls;
  const small = {
    users: await medianMs(sandbox, pagesOf('user', 10)),
    squads: await medianMs(sandbox, pagesOf('squad', 1)),
    records: await medianMs(sandbox, squadUrls),
  };
  for (const [name, url] of [
    ['GET /mini-league/{id}', await miniLeague(sandbox)],
    ['GET /player/{id}', '/v1/player/1?fantasy_league_id=1'],
    ['GET /squad/{id}', squadUrl],
    ['GET /user, a page of 100', '/v1/user?page=3'],
  ] as const) {
    await compare(name, sandbox, port, url);
  }
  for (let first = 1_000; first < 100_000; first += 1_000)
    await post(sandbox, '/v1/user', usersFrom(first, 1_000));
  for (let user = SAMPLES + 1; user <= 10_000; user += 1)
    await post(sandbox, '/v1/squad', { ...squad, user_id: user });
  const large = {
    users: await medianMs(sandbox, pagesOf('user', 1_000)),
    squads: await medianMs(sandbox, pagesOf('squad', 100)),
    records: await medianMs(sandbox, await squadsOf(sandbox, 100)),
  };
  const grown = (of: keyof typeof small): string =>
    `${small[of].toFixed(2)} ms, then ${large[of].toFixed(2)} ms`;
  console.log('with 1,000 users and 100 squads, then with 100,000 and 10,000, nothing asked twice:');
  console.log(`  a page of users ${grown('users')}`);
  console.log(`  a page of squads ${grown('squads')}`);
  console.log(`  a squad or its line-up ${grown('records')}`);
  await sandbox.close();
  const database = new DatabaseSync(db, { readOnly: true });
  const held = database
    .prepare('SELECT (SELECT count(*) FROM users) AS users, (SELECT count(*) FROM squads) AS squads')
    .get();
  database.close();
  console.log(`held: ${String(held?.['users'])} users, ${String(held?.['squads'])} squads`);
}

async function miniLeague(sandbox: Sandbox): Promise<string> {
  await post(sandbox, '/v1/mini-league', { fantasy_league_id: 1, name: 'Mini', type: 'classic' });
  return '/v1/mini-league/1';
}

if (isMainThread) await inFolder(main);
else parentPort?.postMessage(await load(workerData as Load));
