import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import { USERS_MAPPING } from '../support/cli.ts';
import type { Outcome, Service } from '../support/cli.ts';
import { folderOfTest, serviceOfTest } from '../support/of-test.ts';
import { runHere } from '../support/run-here.ts';

const CONFIG = `version: 1
environments:
  a: { base_url: '\${A_URL}', api_key: { env: A_KEY } }
  b: { base_url: '\${B_URL}', api_key: { env: B_KEY } }
leagues:
  north: { environment: a, fantasy_league_id: 1, vars: { price_type: current } }
  west: { environment: a, fantasy_league_id: 2, vars: { price_type: current } }
  south: { environment: b, fantasy_league_id: 1, vars: { price_type: weekly } }
`;
const PRICES = `version: 1
name: prices
push: prices
source: { csv: 'prices-\${league}.csv' }
operation: append
compare: snapshot
columns:
  fantasy_league_id: { value: '\${fantasy_league_id}' }
  player_id: { from: Player ID, type: integer }
  price: { from: Price, type: number }
  type: { value: '\${price_type}' }
`;
const FIXTURES = `version: 1
name: fixtures
pull: fixtures
where: { fantasy_league_id: '\${fantasy_league_id}' }
destination: { csv: 'out/\${league}/fixtures.csv' }
`;

interface Document {
  readonly run: string | null;
  readonly exit_code: number;
  readonly mappings: readonly Readonly<Record<string, unknown>>[];
  readonly accounts?: readonly Readonly<Record<string, unknown>>[];
  readonly [name: string]: unknown;
}

let a: Service;
let b: Service;
let folder: ReturnType<typeof folderOfTest>;
const env = (): Record<string, string> => ({
  A_URL: a.baseUrl,
  A_KEY: a.apiKey,
  B_URL: b.baseUrl,
  B_KEY: b.apiKey,
});
const cli = (...args: readonly string[]): Promise<Outcome> => runHere(args, { cwd: folder.path, env: env() });
const json = async (...args: readonly string[]): Promise<Document> => {
  const { stdout, code } = await cli(...args, '--json');
  const document = JSON.parse(stdout) as Document;
  expect(document.exit_code).toBe(code);
  return document;
};
const told = ({ mappings }: Document): readonly unknown[] =>
  mappings.map(({ name, league, created, unchanged, records }) => [
    name,
    league,
    records ?? [created, unchanged],
  ]);

beforeEach(async () => {
  [a, b] = await Promise.all([serviceOfTest(), serviceOfTest()]);
  const prices = 'Player ID,Price\n1,5.5\n2,6\n';
  folder = folderOfTest({
    'teamsheet.yaml': CONFIG,
    'mappings/users.yaml': USERS_MAPPING,
    'mappings/prices.yaml': PRICES,
    'mappings/fixtures.yaml': FIXTURES,
    'users.csv': 'Member ID,Name\nM-1,Ada\nM-2,Ben\n',
    'prices-north.csv': prices,
    'prices-west.csv': prices,
    'prices-south.csv': prices,
  });
  const body = JSON.stringify({ name: 'West', league_id: 1 });
  expect(
    await cli('api', 'create-fantasy-league', '--league', 'north', '--body', body, '--yes'),
  ).toMatchObject({
    code: 0,
  });
});

it('runs every mapping once a league, and what two leagues of one account share once', async () => {
  const planned = await json('plan');
  expect(told(planned)).toEqual([
    ['users', 'north', [2, 0]],
    ['prices', 'north', [2, 0]],
    ['prices', 'west', [2, 0]],
    ['users', 'south', [2, 0]],
    ['prices', 'south', [2, 0]],
  ]);
  expect(planned['changes']).toContainEqual(
    expect.objectContaining({ mapping: 'prices', league: 'west', key: '2/1/current' }),
  );

  const first = await json('sync', '--yes');
  expect(first).toMatchObject({ exit_code: 0, run: expect.any(String) as string });
  expect(told(first)).toEqual([
    ['users', 'north', [2, 0]],
    ['prices', 'north', [2, 0]],
    ['prices', 'west', [2, 0]],
    ['fixtures', 'north', 380],
    ['fixtures', 'west', 380],
    ['users', 'south', [2, 0]],
    ['prices', 'south', [2, 0]],
    ['fixtures', 'south', 380],
  ]);
  expect(first.mappings[0]).toMatchObject({ leagues: ['north', 'west'] });
  expect(first.accounts).toMatchObject([
    { environment: 'a', leagues: ['north', 'west'], exit_code: 0, run: expect.any(String) as string },
    { environment: 'b', leagues: ['south'], exit_code: 0, run: expect.any(String) as string },
  ]);
  // The users of the account went out once.
  expect(a.requests.filter((each) => each === 'POST /v1/user')).toHaveLength(1);
  for (const league of ['north', 'west', 'south'])
    expect(existsSync(join(folder.path, `out/${league}/fixtures.csv`))).toBe(true);

  const again = await json('push', '--yes');
  expect(again.mappings.map(({ unchanged }) => unchanged)).toEqual([2, 2, 2, 2, 2]);
  expect(again).toMatchObject({ requests: { writes: 0 } });
});

describe('one league', () => {
  it('is taken by --league, and what another league confirmed is not its own', async () => {
    expect(told(await json('push', '--yes', '--league', 'north'))).toEqual([
      ['users', 'north', [2, 0]],
      ['prices', 'north', [2, 0]],
    ]);
    expect(b.requests).toEqual([]);
    const west = await json('push', 'prices', '--yes', '--league', 'west');
    expect(told(west)).toEqual([['prices', 'west', [2, 0]]]);
    expect(west).not.toHaveProperty('accounts');
  });

  it('is taken by the name of a mapping, and named in its results and in runs', async () => {
    const { mappings, run } = await json('push', 'prices@west', '--yes');
    expect(mappings).toMatchObject([
      { name: 'prices', league: 'west', results: `.teamsheet/runs/${run ?? ''}/prices@west.results.csv` },
    ]);
    const { stdout } = await cli('runs', run ?? '', '--json');
    expect(JSON.parse(stdout)).toMatchObject({
      leagues: ['west'],
      mappings: [{ name: 'prices', league: 'west' }],
      rows: [
        { mapping: 'prices', league: 'west' },
        { mapping: 'prices', league: 'west' },
      ],
    });
  });

  it.each([
    [['push', '--league', 'nort', '--yes'], 4, /there is no league "nort"; did you mean "north"\?/],
    [['push', 'prices@wst', '--yes'], 64, /did you mean "prices@west"\?/],
    [['account'], 4, /name a league: --league north, or --league west, or --league south/],
    [['plan', '--out', 'week.plan'], 4, /this is done in one account/],
  ] as const)('has to be there: %j', async (args, code, said) => {
    const outcome = await cli(...args);
    expect(outcome).toMatchObject({ code, stderr: expect.stringMatching(said) as string });
    expect(a.requests.concat(b.requests).filter((each) => each !== 'GET /v1/account')).toEqual(
      expect.not.arrayContaining([expect.stringMatching(/^POST \/v1\/(user|price)/)]),
    );
  });
});

describe('an account that stops', () => {
  it('does not stop the others, and is named with its exit code', async () => {
    await b.close();
    const document = await json('push', '--yes', '--max-wait', '1s');
    b = await serviceOfTest();
    expect(document).toMatchObject({
      exit_code: 8,
      error: { code: expect.stringMatching(/^service\./) as string },
      accounts: [
        { environment: 'a', exit_code: 0 },
        { environment: 'b', leagues: ['south'], exit_code: 8, run: null },
      ],
    });
    expect(told(document)).toEqual([
      ['users', 'north', [2, 0]],
      ['prices', 'north', [2, 0]],
      ['prices', 'west', [2, 0]],
    ]);
  });

  it('is told before anything is sent where its mappings or its key are wrong', async () => {
    folder.write('mappings/prices.yaml', PRICES.replace('price_type', 'type_of_${league}'));
    folder.write('teamsheet.yaml', CONFIG.replaceAll('price_type', 'type_of_north'));
    const wrong = await json('push', '--yes');
    expect(wrong).toMatchObject({ exit_code: 4, error: { code: 'mapping.variable' } });
    folder.write('mappings/prices.yaml', PRICES);
    folder.write('teamsheet.yaml', CONFIG.replace('B_KEY', 'NO_KEY'));
    expect(await json('push', '--yes')).toMatchObject({ exit_code: 4, error: { code: 'config.unset' } });
    expect(a.requests.filter((each) => each.startsWith('POST /v1/user'))).toEqual([]);
  });
});

it('finds a run in the account that it is of', async () => {
  await json('push', '--yes');
  const { accounts = [] } = await json('push', '--yes');
  const ofB = String(accounts[1]?.['run']);
  expect(await json('resume', ofB)).toMatchObject({
    run: null,
    exit_code: 0,
    accounts: [{ environment: 'b' }],
  });
  const verified = await json('verify');
  expect(verified['mappings']).toMatchObject([
    { name: 'users', league: 'north', agrees: 2 },
    { name: 'prices', league: 'north', agrees: 2 },
    { name: 'prices', league: 'west', agrees: 2 },
    { name: 'users', league: 'south', agrees: 2 },
    { name: 'prices', league: 'south', agrees: 2 },
  ]);
  expect(await cli('resume', '01ARZ3NDEKTSV4RRFFQ69G5FAV')).toMatchObject({ code: 64 });
});

it('retries the rows of one league by its own table', async () => {
  folder.write('prices-west.csv', 'Player ID,Price\n1,5.5\nx,6\n');
  expect(await json('push', 'prices', '--yes')).toMatchObject({ exit_code: 3 });
  expect(readFileSync(join(folder.path, 'out/rejected/prices@west.rejected.csv'), 'utf8')).toMatch(
    /^x,6,3,/m,
  );
  folder.write('prices-west.csv', 'Player ID,Price\n1,5.5\n2,6\n');
  const retried = await json('retry', '--yes');
  expect(retried).toMatchObject({ exit_code: 0 });
  expect(told(retried)).toEqual([['prices', 'west', [1, 0]]]);
});
