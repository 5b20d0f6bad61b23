import { cpSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import type { IncomingMessage } from 'node:http';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { createSandbox, type Sandbox } from '../../src/sandbox/index.ts';
import { makeFolder, runCli, startServer, USERS_MAPPING, type Outcome } from '../support/cli.ts';
import { folderOfTest, serviceOfTest } from '../support/of-test.ts';
import { runHere } from '../support/run-here.ts';

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
/** Writes that came to the service. */
let writes: number;
/** Which write is never answered, whether it is applied, and what happens then. */
let hangs: { readonly at: number; readonly isApplied: boolean; readonly act: () => void } | undefined;

async function bodyOf(request: IncomingMessage): Promise<string> {
  let body = '';
  for await (const chunk of request.setEncoding('utf8')) body += String(chunk);
  return body;
}

/** The service keeps what it has in the folder, so that a copy of the folder holds both. */
const openService = (): Promise<Sandbox> => createSandbox({ db: join(folder.path, 'service.sqlite') });

// One address for all tests: a folder that one has left is the start of another.
beforeAll(async () => {
  server = await startServer((request, response) => {
    void (async () => {
      const { method, url = '' } = request;
      const headers = {
        'x-api-key': String(request.headers['x-api-key'] ?? ''),
        'content-type': 'application/json',
      };
      const body = await bodyOf(request);
      const call = method === 'POST' ? ({ method, body } as const) : ({ method: 'GET' } as const);
      if (method === 'POST') writes += 1;
      const hanging = method === 'POST' && writes === hangs?.at ? hangs : undefined;
      if (hanging?.isApplied === false) {
        hanging.act();
        return;
      }
      const answer = await sandbox.inject({ ...call, url: `http://sandbox.test${url}`, headers });
      if (hanging !== undefined) hanging.act();
      else response.writeHead(answer.status, { ...answer.headers }).end(answer.body);
    })();
  });
});
beforeEach(async () => {
  writes = 0;
  hangs = undefined;
  folder = makeFolder({
    'mappings/prices.yaml': PRICES,
    'teamsheet.yaml': `version: 1
environments: { one: { base_url: "${server.baseUrl}", api_key: { env: TEAMSHEET_API_KEY } } }
environment: one
push: { settle: 0s }
`,
  });
  sandbox = await openService();
});
afterEach(async () => {
  await sandbox.close();
  folder.remove();
});
afterAll(() => server.close());

const run = (
  args: readonly string[],
  started?: (kill: (signal: NodeJS.Signals) => void) => void,
): Promise<Outcome> => {
  const place = { cwd: folder.path, env: { TEAMSHEET_API_KEY: sandbox.apiKey } };
  return started === undefined ? runHere(args, place) : runCli(args, { ...place, started });
};

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
async function pushAndKill(): Promise<void> {
  folder.write('prices.csv', table(4, 5, 6, 7, 8, 9, 10));
  const killed = await run(['push', '--yes'], (kill) => {
    hangs = { at: 2, isApplied: true, act: () => kill('SIGKILL') };
  });
  expect(killed, killed.stderr).toMatchObject({ code: null });
  hangs = undefined;
}

type Loss = (path: string) => void;

const remove: Loss = (path) => {
  rmSync(path, { recursive: true, force: true });
};
/** Puts what the log holds into the file first, so that it is the file that is damaged. */
const damage =
  (change: (bytes: Buffer) => Buffer): Loss =>
  (path) => {
    const database = new DatabaseSync(path);
    database.exec('PRAGMA wal_checkpoint(TRUNCATE)');
    database.close();
    writeFileSync(path, change(readFileSync(path)));
  };
const ROWS = /rows\.sqlite$/;

const LOSSES: readonly (readonly [what: string, names: RegExp, lose: Loss])[] = [
  ['loss of the whole folder of runs', /^runs$/, remove],
  ['loss of the folder of the run', /^runs.01[^/\\]*$/, remove],
  ['loss of the rows', /rows\.sqlite/, remove],
  ['loss of the log of the rows', /rows\.sqlite-(wal|shm)$/, remove],
  ['cut of the rows to one page', ROWS, damage((bytes) => bytes.subarray(0, 4096))],
  ['cut of the rows to nothing', ROWS, damage(() => Buffer.alloc(0))],
  ['damage of a page of the rows', ROWS, damage((bytes) => bytes.fill(0x5a, 8192, 8192 + 512))],
  [
    'damage of a value in the rows',
    ROWS,
    damage((bytes) => Buffer.from(bytes.toString('latin1').replaceAll('{"', '{{'), 'latin1')),
  ],
];

function lose(names: RegExp, loseOne: Loss): void {
  const paths = readdirSync(stateFolder(), { recursive: true })
    .map(String)
    .filter((name) => names.test(name));
  expect(paths).not.toEqual([]);
  for (const path of paths) loseOne(join(stateFolder(), path));
}

describe('a pulled plug', () => {
  /** The folder as one killed push has left it: every loss begins with it. */
  const left = makeFolder();
  let isKilled = false;
  afterAll(() => left.remove());

  async function pushUntilKilled(): Promise<void> {
    if (isKilled) {
      await sandbox.close();
      rmSync(folder.path, { recursive: true });
      cpSync(left.path, folder.path, { recursive: true });
    } else {
      await pushAndKill();
      await sandbox.close();
      cpSync(folder.path, left.path, { recursive: true });
      isKilled = true;
    }
    sandbox = await openService();
  }

  it.each(LOSSES)('with the %s uploads no price twice', async (what, names, loseOne) => {
    await pushUntilKilled();
    lose(names, loseOne);
    if (what !== 'loss of the log of the rows') {
      const verified = await run(['verify']);
      expect(verified).toMatchObject({ code: 7 });
      expect(verified.stderr).toMatch(/was interrupted and its rows are lost; teamsheet resolve looks for/);
      expect(verified.stderr).toContain('next: teamsheet resolve\n');
    }
    const resumed = await run(['resume', '--yes']);
    expect(resumed.stdout + resumed.stderr).not.toContain('has a header and no rows');
    if (what !== 'loss of the log of the rows') {
      expect(resumed).toMatchObject({ code: 7 });
      expect(resumed.stderr).toContain('its rows are lost');
      expect(resumed.stderr).toContain('teamsheet resolve');
      const listed = await run(['resolve', '--json']);
      expect(listed).toMatchObject({ code: 7 });
      const keys = ['1/4/current', '1/5/current', '1/6/current'];
      expect(JSON.parse(listed.stdout)).toMatchObject({
        cases: [{ kind: 'unknown', rows: keys.map((key) => ({ key })) }],
      });
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

describe('a run that was interrupted, and that goes on after a later push', () => {
  it('counts as created what it created, and says of the others which run did', async () => {
    folder.write(
      'mappings/users.yaml',
      `version: 1
name: users
push: users
source: { csv: users.csv }
operation: upsert
batch_size: 2
columns:
  external_id: { from: Member ID, type: text }
  display_name: { from: Name, type: text }
`,
    );
    folder.write('users.csv', 'Member ID,Name\nU1,Ann\nU2,Bob\nU3,Cid\nU4,Dan\nU5,Eve\n');
    const killed = await run(['push', 'users', '--yes'], (kill) => {
      hangs = { at: 2, isApplied: false, act: () => kill('SIGKILL') };
    });
    expect(killed, killed.stderr).toMatchObject({ code: null });
    hangs = undefined;
    const document = ({ stdout }: Outcome) =>
      JSON.parse(stdout) as { readonly run: string; readonly mappings: readonly object[] };
    const later = document(await run(['push', 'users', '--yes', '--json']));
    const runs = (await run(['runs', '--json'])).stdout;
    const [older = ''] = [...runs.matchAll(/01[0-9A-Z]{24}/g)].map(String).filter((id) => id !== later.run);
    const resumed = document(await run(['resume', older, '--yes', '--json']));
    const counts = [later, resumed].map(({ mappings: [all] }) => all as Readonly<Record<string, number>>);
    expect(resumed.run).toBe(older);
    expect(counts.reduce((sum, { created = 0 }) => sum + created, 0)).toBe(5);
    expect(counts[1]).toMatchObject({ unknown: 0, deferred: 0 });
    const results = readFileSync(join(stateFolder(), 'runs', older, 'users.results.csv'), 'utf8');
    expect(results).toContain(`unchanged,users.csv row 4: a later run (${later.run}) created the record`);
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

describe('a lost state and lists that show nothing yet', () => {
  const ROWS = 120;
  const CONFIG = `version: 1
environments:
  test: { base_url: "\${TEAMSHEET_BASE_URL}", api_key: { env: TEAMSHEET_API_KEY } }
push: { settle: 50ms }
`;
  const MINI_LEAGUES = `version: 1
name: mini-leagues
push: mini_leagues
source: { csv: mini-leagues.csv }
operation: create
columns: { fantasy_league_id: { value: 1 }, name: Name, type: { value: open } }
`;
  const files = {
    'teamsheet.yaml': CONFIG,
    'mappings/users.yaml': USERS_MAPPING,
    'mappings/mini-leagues.yaml': MINI_LEAGUES,
    'users.csv': `Member ID,Name,Active\n${Array.from({ length: ROWS }, (_, at) => `M${at},Name ${at},\n`).join('')}`,
    'import.csv': `external_id,display_name\n${Array.from({ length: ROWS }, (_, at) => `M${at},Name ${at}\n`).join('')}`,
    'mini-leagues.csv': 'Name\nOffice\nPub\n',
  };

  it('create nothing again, from the same folder or another one, until the operator vouches for it', async () => {
    const settings = { list_lag_ms: 1_000_000_000, repeated_external_id: 'duplicate' } as const;
    const service = await serviceOfTest({ settings });
    const first = folderOfTest(files);
    const second = folderOfTest(files);
    const pushed = (cwd: string, ...args: readonly string[]): Promise<Outcome> =>
      runHere([...args, '--yes', '--json'], { cwd, env: service.env });
    const counted = async (): Promise<readonly number[]> => {
      const headers = { 'x-api-key': service.apiKey };
      const answer = await fetch(`${service.baseUrl}/v1/auth/account`, { headers });
      type Features = Readonly<Record<'users' | 'mini_leagues', { readonly used: number }>>;
      const { features } = (
        (await answer.json()) as { readonly data: { readonly config: { readonly features: Features } } }
      ).data.config;
      return [features.users.used, features.mini_leagues.used];
    };
    expect((await pushed(first.path, 'push')).code).toBe(0);
    expect(await counted()).toEqual([ROWS, 2]);
    // With its state, the same push has nothing to do.
    expect((await pushed(first.path, 'push')).code).toBe(0);
    rmSync(join(first.path, '.teamsheet'), { recursive: true });
    for (const [folder, words] of [
      [first, ['push']],
      [first, ['push', '--compare', 'live']],
      [first, ['push', 'mini-leagues']],
      [first, ['sync']],
      [second, ['push']],
      [second, ['import', 'import.csv', '--as', 'users']],
    ] as const) {
      const stopped = await pushed(folder.path, ...words);
      expect(stopped, words.join(' ')).toMatchObject({ code: 6 });
      expect(JSON.parse(stopped.stdout)).toMatchObject({ error: { code: 'state.no_memory' } });
    }
    const planned = await runHere(['plan'], { cwd: first.path, env: service.env });
    expect(planned).toMatchObject({ code: 6 });
    expect(planned.stdout + planned.stderr).toContain('the account counts 120 users and the list shows 0');
    expect(await counted()).toEqual([ROWS, 2]);
    first.write('users.csv', 'Member ID,Name,Active\nnew,New,\n');
    expect((await pushed(first.path, 'push', 'users', '--adopt')).code).toBe(0);
    expect(await counted()).toEqual([ROWS + 1, 2]);
  });
});

it('a list that ends early, on an account that counts nothing, creates nothing again', async () => {
  const mappings = { 'mappings/users.yaml': USERS_MAPPING };
  const rows = Array.from({ length: 60 }, (_, at) => `M${at},Name ${at},\n`).join('');
  const own = await createSandbox({ settings: { repeated_external_id: 'duplicate', page_size: 50 } });
  let created = 0;
  const proxy = await startServer((request, response) => {
    void (async () => {
      const { method, url = '' } = request;
      const body = await bodyOf(request);
      const call = method === 'POST' ? ({ method, body } as const) : ({ method: 'GET' } as const);
      const headers = { 'x-api-key': own.apiKey, 'content-type': 'application/json' };
      const answer = await own.inject({ ...call, url: `http://sandbox.test${url}`, headers });
      const told = JSON.parse(answer.body) as {
        readonly data: { config?: { features?: unknown } } & readonly unknown[];
        paging?: object;
      };
      if (method === 'POST') created += told.data.length;
      if (url.endsWith('/auth/account') && told.data.config !== undefined) told.data.config.features = null;
      // Its first page is all that it has ever heard of.
      if (method === 'GET' && told.paging !== undefined)
        told.paging = { page: 1, page_total: 1, per_page: 50, current: 1, total: told.data.length };
      response.writeHead(answer.status, { 'content-type': 'application/json' }).end(JSON.stringify(told));
    })();
  });
  const config = `version: 1
environments: { one: { base_url: "${proxy.baseUrl}", api_key: { env: TEAMSHEET_API_KEY } } }
push: { settle: 0s }
`;
  const place = makeFolder({
    ...mappings,
    'teamsheet.yaml': config,
    'users.csv': `Member ID,Name,Active\n${rows}`,
  });
  const pushIt = (): Promise<Outcome> =>
    runHere(['push', '--yes'], { cwd: place.path, env: { TEAMSHEET_API_KEY: own.apiKey } });
  try {
    const first = await pushIt();
    expect(first, first.stderr).toMatchObject({ code: 0 });
    for (let times = 0; times < 2; times += 1) {
      const again = await pushIt();
      expect(again, again.stderr).toMatchObject({ code: 0 });
      expect(again.stderr.replace(/\s+/g, ' ')).toContain(
        'does not show 10 users that were confirmed before',
      );
    }
    expect(created).toBe(60);
  } finally {
    await proxy.close();
    await own.close();
    place.remove();
  }
});
