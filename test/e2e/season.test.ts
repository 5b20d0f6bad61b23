import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { steady, type Outcome } from '../support/cli.ts';
import { program } from '../support/program.ts';

const LEAGUE = '{ value: Summer Cup, lookup: { in: fantasy_leagues, match: name, take: id } }';
const MAPPINGS = `- version: 1
  name: squads
  push: squads
  source: { csv: squads.csv }
  operation: create
  columns:
    fantasy_league_id: ${LEAGUE}
    user_id: { from: Member ID, lookup: { in: users, match: external_id, take: user_id } }
    name: Squad name
    players_in: { from_all: [P1, P2, P3], type: integer, blank: omit }
- version: 1
  name: leagues
  push: fantasy_leagues
  source: { csv: leagues.csv }
  operation: create
  columns: { name: Name, league_id: League id }
- version: 1
  name: users
  push: users
  source: { csv: users.csv }
  operation: upsert
  columns: { external_id: Member ID, display_name: Name }
`;
const MEMBERS = 240;
const members = Array.from({ length: MEMBERS }, (_, index) => `M-${String(index + 1).padStart(3, '0')}`);

interface Report {
  readonly mappings: readonly Readonly<Record<string, unknown>>[];
  readonly requests: Readonly<Record<string, number>>;
  readonly changes: readonly {
    readonly key: string;
    readonly kind: string;
    readonly fields: Readonly<Record<string, { readonly after: unknown }>>;
  }[];
}
const reportOf = ({ stdout }: Outcome): Report => JSON.parse(stdout) as Report;

const { folder, service, start, run, writes } = program(
  {
    'mappings/season.yaml': MAPPINGS,
    'leagues.csv': 'Name,League id\nSummer Cup,1\n',
    'users.csv': `Member ID,Name\n${members.map((id) => `${id},Member ${id}\n`).join('')}`,
    'squads.csv': `Member ID,Squad name,P1,P2,P3\n${members.map((id) => `${id},Squad of ${id},1,2,\n`).join('')}`,
  },
  { here: true },
);
const resultsOf = (mapping: string, report: Report): string => {
  const path = report.mappings.find(({ name }) => name === mapping)?.['results'];
  return readFileSync(join(folder.path, String(path)), 'utf8');
};
const countsOf = ({ mappings }: Report): readonly unknown[] =>
  mappings.map(({ name, created, unchanged, deferred }) => [name, created, unchanged, deferred]);

describe('a folder with a league, users and squads', () => {
  it('is planned with its sum, pushed in one command, and then has nothing to do', async () => {
    await start({ settings: { per_minute: 100_000 } });
    const planned = await run('plan');
    expect(planned.code).toBe(0);
    // Where requests take long, the plan reads the account once more to measure them.
    expect(planned.stdout).toMatch(
      /set up 1 league, 240 users, 240 squads: ((?:\d reads?, )?24\d writes), (?:a few seconds|\d+ s|1 min)\n\1 to send/,
    );
    const plan = reportOf(await run('plan', '--json'));
    const first = plan.changes.find(({ key }) => key.endsWith('/Squad of M-041'));
    expect(first).toMatchObject({
      key: 'leagues[Summer Cup]/users[M-041]/Squad of M-041',
      kind: 'create',
      fields: {
        fantasy_league_id: { before: null, after: 'known after leagues[Summer Cup]' },
        user_id: { before: null, after: 'known after users[M-041]' },
        players_in: { before: null, after: [1, 2] },
      },
    });

    const pushed = await run('push', '--yes', '--json');
    const report = reportOf(pushed);
    expect(pushed.code).toBe(0);
    expect(countsOf(report)).toEqual([
      ['users', 240, 0, 0],
      ['leagues', 1, 0, 0],
      ['squads', 240, 0, 0],
    ]);
    expect(report.requests.sent).toBe(report.requests.planned);
    expect([245, 246]).toContain(report.requests.sent);
    expect(resultsOf('leagues', report)).toMatch(/^Name,.*\nSummer Cup,1,2,created,,2\n$/);
    expect(resultsOf('squads', report)).toMatch(/\nM-041,Squad of M-041,1,2,,42,created,,[0-9a-f-]{36}\n/);

    const before = writes();
    const again = await run('push', '--json');
    expect(again.code).toBe(0);
    expect(countsOf(reportOf(again))).toEqual([
      ['users', 0, 240, 0],
      ['leagues', 0, 1, 0],
      ['squads', 0, 240, 0],
    ]);
    expect(writes()).toEqual(before);
  });

  it('goes as far as the quota reaches, says so before, and waits with what hangs on the rest', async () => {
    await start({ settings: { per_minute: 100_000, quota_users: 100, quota_squads: 90 } });
    const planned = await run('plan');
    expect(planned.stdout).toContain(
      "users: 100 now, 140 deferred (the account's quota of users is full then; after it is raised, resume sends the rest)\n",
    );
    expect(planned.stdout).toContain(
      "squads: 90 now, 10 deferred (the account's quota of squads is full then;",
    );
    const pushed = await run('push', '--yes', '--json');
    expect(pushed.code).toBe(7);
    expect(countsOf(reportOf(pushed))).toEqual([
      ['users', 100, 0, 140],
      ['leagues', 1, 0, 0],
      ['squads', 90, 0, 150],
    ]);
    expect(resultsOf('squads', reportOf(pushed))).toContain(
      'squads.csv row 102, column ""Member ID"": ""M-101"" waits for users.csv row 102 (users[M-101]), which is deferred',
    );
  });
});

it('a bad row is told with its place, and what hangs on it waits; the others go on', async () => {
  await start();
  folder.write('users.csv', `Member ID,Name\nA,Ann\nB,${'long '.repeat(11)}\n`);
  folder.write(
    'squads.csv',
    `Member ID,Squad name,P1,P2,P3
A,Hill XI,1,2,3
A,Dale XI,12.5,2,3
A,Moor XI,0,-1,3
A,Fell XI,9007199254740992,2,3
A,Glen XI,1,1,
A,Vale XI,,,
A,ab,1,2,3
A,"   ",1,2,3
B,Long XI,1,2,3
C,Lost XI,1,2,3
`,
  );
  const pushed = await run('push', '--yes', '--json');
  expect(pushed.code).toBe(7);
  const lines = resultsOf('squads', reportOf(pushed)).trim().split('\n').slice(1);
  const told = lines.map((line) => /,(created|invalid|deferred),(.*),[^,]*$/.exec(line)?.slice(1));
  expect(told.map((each) => each?.[0])).toEqual([
    'created',
    ...Array<string>(7).fill('invalid'),
    'deferred',
    'invalid',
  ]);
  const parts = [
    '',
    'column ""P1"": ""12.5"" is not a whole number',
    'column ""P1"": 0 is too small, at least 1; column ""P2"": -1 is too small',
    'column ""P1"": ""9007199254740992"" has too many digits',
    'column ""P2"": 1 stands in the list twice',
    'no players_in in columns ""P1"" to ""P3""',
    'column ""Squad name"": ""ab"" has 2 characters, at least 3',
    'column ""Squad name"": empty',
    '""B"" waits for users.csv row 3 (users[B]), which is invalid: column ""Name"": 55 characters, at most 50',
    '""C"" is not in users (or users.csv), external_id; nearest: ""A""',
  ];
  parts.forEach((part, at) => expect(told[at]?.[1]).toContain(part));
  const again = await run('push', '--yes');
  expect(steady(again.stderr)).toMatch(
    /next: correct the rows in the rejected file.*\nnext: teamsheet resume RUN\n/,
  );
});

it('tables are looked up by several columns, and rows that say so are left out', async () => {
  await start();
  folder.write(
    'mappings/season.yaml',
    `version: 1
name: prices
push: prices
source: { csv: prices.csv }
operation: append
columns:
  fantasy_league_id: { value: 1 }
  player_id: { from: [Player, Club], lookup: { in: { csv: players.csv }, match: [Name, Team], take: Id, on_miss: skip } }
  price: Price
  type: { value: current }
`,
  );
  folder.write(
    'players.csv',
    'Id,Name,Team\n7,Cy Moss,Hill\n8,Cy Moss,Dale\n9,Bo Finn,Hill\n9,Bo Finn,Hill\n10,Al Reed,Hill\n11,Al Reed,Hill\n',
  );
  folder.write(
    'prices.csv',
    'Player,Club,Price\nCy Moss,Dale,7.5\nBo Finn,Hill,6\nNo One,Hill,5\nAl Reed,Hill,4\n',
  );
  const pushed = await run('push', '--yes', '--json');
  const report = reportOf(pushed);
  expect(report.mappings).toMatchObject([{ rows: 4, created: 2, excluded: 1, invalid: 1 }]);
  const results = resultsOf('prices', report);
  expect(results).toContain(
    'left out: ""No One"" + ""Hill"" is not in players.csv, columns ""Name"" + ""Team""',
  );
  expect(results).toContain(
    '""Al Reed"" + ""Hill"" stands 2 times in players.csv, columns ""Name"" + ""Team"" (row 6, row 7)',
  );
  expect((await run('api', 'list-prices')).stdout).toMatch(/"id": 9,[\s\S]*"id": 8,|"id": 8,[\s\S]*"id": 9,/);
});

it('a game week is triggered once, and a log that nobody remembers stops it', async () => {
  await start({ seed: 'demo' });
  const trigger = (...args: string[]) =>
    run(
      'substitutions',
      'trigger',
      '--week',
      '6',
      '--var',
      'fantasy_league_id=1',
      '--yes',
      '--json',
      ...args,
    );
  const stopped = await trigger();
  expect(stopped.code).toBe(6);
  expect(JSON.parse(stopped.stdout)).toMatchObject({ error: { code: 'state.no_memory' } });
  const done = reportOf(await trigger('--adopt'));
  expect(done.mappings).toMatchObject([{ resource: 'auto_substitutions', rows: 1, created: 1 }]);
  expect(resultsOf('substitutions', done)).toMatch(
    /,created,"game week 6 of fantasy league 1 row 1: .* \(PROCESSED, \d+ events\)",\n$/,
  );
  expect(await trigger()).toMatchObject({
    code: 6,
    stdout: expect.stringContaining('week.processed') as string,
  });
  expect(service.requests.filter((request) => request.startsWith('POST'))).toEqual([
    'POST /v1/auto-substitution',
  ]);
  expect((await run('substitutions', 'trigger', '--week', 'six')).code).toBe(64);
  expect(await run('substitutions', 'trigger', '--week', '99', '--var', 'fantasy_league_id=1')).toMatchObject(
    {
      code: 4,
      stderr: expect.stringContaining('fantasy league 1 has no game week 99') as string,
    },
  );
});

it('a file of squads is imported by the ids of its members', async () => {
  await start();
  await run('push', 'users', '--yes');
  const imported = await run(
    'import',
    'squads.csv',
    '--as',
    'squads',
    '--set',
    'fantasy_league_id=1',
    '--limit',
    '3',
    '--yes',
    '--json',
  );
  expect(imported).toMatchObject({ code: 0 });
  expect(reportOf(imported).mappings).toMatchObject([{ resource: 'squads', rows: 3, created: 3 }]);
});
