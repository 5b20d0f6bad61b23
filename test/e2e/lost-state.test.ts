import { cpSync, readdirSync, rmSync } from 'node:fs';
import type { IncomingMessage } from 'node:http';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createSandbox, type Sandbox } from '../../src/sandbox/index.ts';
import { makeFolder, runCli, startServer, type Outcome } from '../support/cli.ts';

const PRICES = `version: 1
name: prices
push: prices
source: { csv: prices.csv }
operation: append
batch_size: 3
columns:
  fantasy_league_id: { value: 1 }
  player_id: { from: Player ID, type: integer }
  price: { from: Price, type: number }
  type: { value: current }
`;

let folder: ReturnType<typeof makeFolder>;
let sandbox: Sandbox;
let server: Awaited<ReturnType<typeof startServer>>;
/** Price uploads that the service applied. */
let uploads: number;
/** Which upload is applied and never answered, and what happens then. */
let hangs: { readonly at: number; readonly act: () => void } | undefined;

async function bodyOf(request: IncomingMessage): Promise<string> {
  let body = '';
  for await (const chunk of request.setEncoding('utf8')) body += String(chunk);
  return body;
}

beforeEach(async () => {
  uploads = 0;
  hangs = undefined;
  sandbox = await createSandbox();
  server = await startServer((request, response) => {
    void (async () => {
      const { method, url = '' } = request;
      const headers = {
        'x-api-key': String(request.headers['x-api-key'] ?? ''),
        'content-type': 'application/json',
      };
      const body = await bodyOf(request);
      const call = method === 'POST' ? ({ method, body } as const) : ({ method: 'GET' } as const);
      const answer = await sandbox.inject({ ...call, url: `http://sandbox.test${url}`, headers });
      if (method === 'POST' && url.endsWith('/price')) uploads += 1;
      if (method === 'POST' && uploads === hangs?.at) hangs.act();
      else response.writeHead(answer.status, { ...answer.headers }).end(answer.body);
    })();
  });
  folder = makeFolder({
    'mappings/prices.yaml': PRICES,
    'teamsheet.yaml': `version: 1
environments: { one: { base_url: "${server.baseUrl}", api_key: { env: TEAMSHEET_API_KEY } } }
environment: one
push: { settle: 0s }
`,
  });
});
afterEach(async () => {
  await server.close();
  await sandbox.close();
  folder.remove();
});

const run = (
  args: readonly string[],
  started?: (kill: (signal: NodeJS.Signals) => void) => void,
): Promise<Outcome> =>
  runCli(args, { cwd: folder.path, env: { TEAMSHEET_API_KEY: sandbox.apiKey }, ...(started && { started }) });

const table = (...prices: readonly number[]): string =>
  `Player ID,Price\n${prices.map((price, index) => `${index + 1},${price}\n`).join('')}`;

const stateFolder = (): string => join(folder.path, '.teamsheet');

/** Uploads of prices in the service's log, by player. */
async function uploadsOf(): Promise<ReadonlyMap<number, number>> {
  const { body } = await sandbox.inject({
    method: 'GET',
    url: 'http://sandbox.test/v1/price',
    headers: { 'x-api-key': sandbox.apiKey },
  });
  const { data } = JSON.parse(body) as {
    readonly data: readonly { readonly player: { readonly id: number } }[];
  };
  return new Map(
    [...Map.groupBy(data, ({ player }) => player.id)].map(([player, all]) => [player, all.length]),
  );
}

/** Seven prices in three uploads, of which the second is applied and hangs until its process is killed. */
async function pushUntilKilled(): Promise<void> {
  folder.write('prices.csv', table(4, 5, 6, 7, 8, 9, 10));
  const killed = await run(['push', '--yes'], (kill) => {
    hangs = { at: 2, act: () => kill('SIGKILL') };
  });
  expect(killed, killed.stderr).toMatchObject({ code: null });
  hangs = undefined;
}

const LOSSES: readonly (readonly [what: string, names: RegExp | undefined])[] = [
  ['the whole folder of runs', undefined],
  ['the folder of the run', /^01[^/]*$/],
  ['the rows', /rows\.sqlite/],
  ['the log of the rows', /rows\.sqlite-(wal|shm)$/],
];

function lose(names: RegExp | undefined): void {
  const runs = join(stateFolder(), 'runs');
  if (names === undefined) {
    rmSync(runs, { recursive: true });
    return;
  }
  const paths = readdirSync(runs, { recursive: true })
    .map(String)
    .filter((name) => names.test(name));
  expect(paths).not.toEqual([]);
  for (const path of paths) rmSync(join(runs, path), { recursive: true, force: true });
}

describe('a pulled plug', () => {
  it.each(LOSSES)('with the loss of %s uploads no price twice', async (what, names) => {
    await pushUntilKilled();
    lose(names);
    const resumed = await run(['resume', '--yes']);
    expect(resumed.stdout + resumed.stderr).not.toContain('has a header and no rows');
    if (what !== 'the log of the rows') {
      expect(resumed).toMatchObject({ code: 7 });
      expect(resumed.stderr).toContain('its rows are lost');
      expect(resumed.stderr).toContain('teamsheet resolve');
    }
    const pushed = await run(['push', '--yes']);
    expect([0, 7]).toContain(pushed.code);
    expect(await uploadsOf()).toEqual(new Map([1, 2, 3, 4, 5, 6, 7].map((player) => [player, 1])));
    await run(['resolve', '--yes']);
    const again = await run(['push', '--yes']);
    expect(again).toMatchObject({ code: 0 });
    expect(await uploadsOf()).toEqual(new Map([1, 2, 3, 4, 5, 6, 7].map((player) => [player, 1])));
  });
});

const SEVEN = [4, 5, 6, 7, 8, 9, 10] as const;
const ONCE = new Map(SEVEN.map((_, index) => [index + 1, 1]));

describe('an older copy of the state that is put in its place', () => {
  /** Three of seven prices go out, a copy of the state is made, and the others go out too. */
  async function pushAndRestore(): Promise<void> {
    const backup = join(folder.path, 'backup');
    folder.write('prices.csv', table(...SEVEN).replace('7,10', '7,ten'));
    const { requests } = JSON.parse((await run(['plan', '--json'])).stdout) as {
      readonly requests: { readonly planned: number };
    };
    const cut = await run(['push', '--yes', '--max-requests', String(requests.planned - 1)]);
    expect(cut, cut.stderr).toMatchObject({ code: 7 });
    cpSync(stateFolder(), backup, { recursive: true });
    expect((await run(['resume', '--yes'])).code).toBe(3);
    folder.write('prices.csv', table(...SEVEN));
    expect((await run(['retry', '--yes'])).code).toBe(0);
    expect(await uploadsOf()).toEqual(ONCE);
    rmSync(stateFolder(), { recursive: true });
    cpSync(backup, stateFolder(), { recursive: true });
  }

  it.each<readonly [words: readonly string[]]>([
    [['push']],
    [['sync']],
    [['import', 'import.csv', '--as', 'prices', '--set', 'type=current', '--set', 'fantasy_league_id=1']],
    [['resume']],
  ])('stops %j, which says what to do, and --compare live finds every price', async (words) => {
    await pushAndRestore();
    folder.write('import.csv', table(...SEVEN).replace('Player ID,Price', 'player_id,price'));
    const stopped = await run([...words, '--yes', '--json']);
    expect(stopped, stopped.stderr).toMatchObject({ code: 6 });
    expect(JSON.parse(stopped.stdout)).toMatchObject({
      error: { code: 'state.no_memory', next: expect.stringContaining('--compare live') as string },
    });
    expect(await uploadsOf()).toEqual(ONCE);
    const live = await run([...words, '--yes', '--compare', 'live']);
    expect([0, 3], live.stderr).toContain(live.code);
    expect(await uploadsOf()).toEqual(ONCE);
  });

  it('lets retry and resolve write nothing twice either', async () => {
    await pushAndRestore();
    await run(['resolve', '--yes']);
    // What was refused before the copy was made is sent again under the same guard.
    expect([0, 6]).toContain((await run(['retry', '--yes'])).code);
    expect(await uploadsOf()).toEqual(ONCE);
  });
});
