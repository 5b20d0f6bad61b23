import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { startServer, USERS_MAPPING, type Outcome, type RunOptions } from '../support/cli.ts';
import { program } from '../support/program.ts';
import { runHere } from '../support/run-here.ts';

const CANARY = 'T0-c4n4ry-Zx81-9f3a-5c7e-Qw42';
const CONFIG = `version: 1
environments:
  live: { base_url: "\${TEAMSHEET_BASE_URL}", api_key: { env: TEAMSHEET_API_KEY } }
push: { settle: 1s }
alerts:
  - { webhook: { env: ALERT_URL }, allow_private: true }
  - { webhook: { file: slack.url }, shape: slack, on: [failing], allow_private: true }
  - { ping: { env: PING_URL }, allow_private: true }
`;
const ROWS = 'Member ID,Name,Active\nM1,Ann,yes\nM2,Bob,\n';
const folder = program(
  {
    'teamsheet.yaml': CONFIG,
    'mappings/users.yaml': USERS_MAPPING.replace('operation:', 'schedule: "* * * * *"\noperation:'),
    'mappings/report.yaml':
      'version: 1\nname: report\npull: users\ndestination: { csv: out/users.csv }\nschedule: "* * * * *"\n',
    'users.csv': ROWS,
  },
  { service: {} },
);

interface Told {
  readonly path: string;
  readonly body: Readonly<Record<string, unknown>>;
}

let told: Told[];
let status: number;
let onTold: (each: Told) => void;
let receiver: Awaited<ReturnType<typeof startServer>>;
beforeEach(async () => {
  told = [];
  status = 200;
  onTold = () => undefined;
  receiver = await startServer((request, response) => {
    let text = '';
    request.setEncoding('utf8').on('data', (part: string) => (text += part));
    request.on('end', () => {
      const each = { path: request.url ?? '', body: JSON.parse(text === '' ? '{}' : text) as Told['body'] };
      told.push(each);
      onTold(each);
      response.writeHead(status).end(`quoting ${request.url ?? ''}`);
    });
  });
  folder.folder.write('slack.url', `${receiver.baseUrl}/slack/${CANARY}\n`);
});
afterEach(() => receiver.close());

const outcomes: Outcome[] = [];
const env = (): Readonly<Record<string, string>> => ({
  ...folder.service.env,
  ALERT_URL: `${receiver.baseUrl}/hook/${CANARY}`,
  PING_URL: `${receiver.baseUrl}/ping/${CANARY}`,
});
const keep = async (outcome: Promise<Outcome>): Promise<Outcome> => {
  outcomes.push(await outcome);
  return outcome;
};
const run = (...args: readonly string[]): Promise<Outcome> =>
  keep(runHere(args, { cwd: folder.folder.path, env: env() }));
/** In a process that a signal can end. */
const runWith = (options: Partial<RunOptions>, ...args: readonly string[]): Promise<Outcome> =>
  keep(folder.runWith({ env: env(), ...options }, ...args));
/** The bodies of webhooks, in their order. */
const bodies = (): readonly Told['body'][] => told.map(({ body }) => body);
/** What came, in its order, without the secret: `hook failing users`. */
const story = (): readonly string[] => {
  const lines = told.map(({ path, body: { event, mapping } }) =>
    [path.replace(`/${CANARY}`, '').slice(1), ...(event === undefined ? [] : [event, mapping])].join(' '),
  );
  told = [];
  return lines;
};

describe('a command that runs by itself', () => {
  it('tells of changes alone, and pings', async () => {
    expect((await run('sync', '--yes')).code).toBe(0);
    expect(story()).toEqual(['ping/start', 'ping']);
    folder.folder.write('users.csv', ROWS.replace('Member ID', 'Nr'));
    expect((await run('sync', '--yes')).code).toBe(4);
    expect(story().toSorted()).toEqual(['hook failing users', 'ping/fail', 'ping/start', 'slack']);
    expect((await run('sync', '--yes')).code).toBe(4);
    expect(story()).toEqual(['ping/start', 'ping/fail']);
    folder.folder.write('users.csv', ROWS.replace('Bob,', 'Bob,perhaps'));
    expect((await run('push', '--yes', '--json')).code).toBe(3);
    expect(told.find(({ body }) => body['event'] === 'degraded')?.body).toMatchObject({
      environment: 'live',
      league: null,
      mapping: 'users',
      exit_code: 3,
      counts: { rows: 2, unchanged: 1, invalid: 1 },
      message: 'users: not every row came through: 1 invalid of 2 rows',
    });
    expect(story()).toEqual(['ping/start', 'ping', 'hook degraded users']);
    folder.folder.write('users.csv', ROWS);
    expect((await run('sync', '--yes')).code).toBe(0);
    expect(story()).toEqual(['ping/start', 'ping', 'hook recovered users']);
  });

  it('says nothing of a table that is not filled in yet', async () => {
    const optional = USERS_MAPPING.replace('{ csv: users.csv }', '{ csv: users.csv, optional: true }');
    folder.folder.write('mappings/users.yaml', optional);
    folder.folder.write(
      'mappings/others.yaml',
      optional.replace('name: users', 'name: others').replace('users.csv', 'others.csv'),
    );
    folder.folder.write('others.csv', 'Member ID,Name,Active\n');
    expect((await run('sync', '--yes')).code).toBe(0);
    folder.folder.write('users.csv', ROWS.replace('Bob,', 'Bob,perhaps'));
    expect((await run('sync', '--yes')).code).toBe(3);
    folder.folder.write('users.csv', 'Member ID,Name,Active\n');
    expect((await run('sync', '--yes')).code).toBe(0);
    expect(story()).toEqual([
      ...['ping/start', 'ping', 'ping/start', 'ping', 'hook degraded users'],
      ...['ping/start', 'ping', 'hook recovered users'],
    ]);
  });

  it('is one with --yes, and neither a dry run nor a saved plan', async () => {
    await run('pull');
    await run('sync', '--dry-run', '--yes');
    await run('plan', '--out', 'out/p.plan');
    await run('push', '--plan', 'out/p.plan', '--yes');
    expect(story()).toEqual([]);
    await run('pull', '--yes');
    expect(story()).toEqual(['ping/start', 'ping']);
  });

  it('tells where the mappings or the service cannot be had', async () => {
    await run('sync', '--yes');
    folder.folder.write('mappings/users.yaml', 'version: 1\nname: [');
    expect((await run('sync', '--yes')).code).toBe(4);
    expect(story()).toEqual(
      expect.arrayContaining(['hook failing users', 'hook failing report', 'ping/fail']),
    );
    folder.folder.write('mappings/users.yaml', USERS_MAPPING);
    await folder.service.close();
    expect((await run('sync', '--yes')).code).toBe(8);
    expect(story()).toEqual(['ping/start', 'ping/fail']);
  });

  it('ends as it would without a receiver, and what waits goes out later', async () => {
    await receiver.close();
    folder.folder.write('users.csv', ROWS.replace('Member ID', 'Nr'));
    const outcome = await runWith(
      { when: { seen: /tried again/, act: (kill) => kill('SIGTERM') } },
      'push',
      '--yes',
    );
    expect(outcome.code).toBe(4);
    expect(outcome.stderr).toContain(
      'alert "failing" to json env ALERT_URL: no connection; it is tried again',
    );
    const listed = JSON.parse((await run('alerts', '--json')).stdout) as {
      readonly mappings: readonly unknown[];
      readonly waiting: readonly unknown[];
    };
    expect(listed.mappings).toMatchObject([
      { environment: 'live', league: null, mapping: 'users', state: 'failing', exit_code: 4 },
    ]);
    expect(listed.waiting).toMatchObject([
      {
        to: 'json env ALERT_URL',
        event: 'failing',
        mapping: 'users',
        last_try: { status: null, fault: 'refused' },
      },
      { to: 'slack file slack.url', event: 'failing' },
    ]);
  });

  it('is schedule run', async () => {
    expect((await run('schedule', 'run', '--once')).code).toBe(0);
    expect(story()).toEqual(['ping/start', 'ping']);
  });
});

it('tells of each league by its name and its account', async () => {
  folder.folder.write(
    'teamsheet.yaml',
    CONFIG.replace(
      'push:',
      `  dead: { base_url: "http://127.0.0.1:9", api_key: { env: TEAMSHEET_API_KEY } }
environment: live
leagues:
  north: { fantasy_league_id: 1 }
  east: { fantasy_league_id: 99 }
  south: { environment: dead, fantasy_league_id: 1 }
push:`,
    ),
  );
  folder.folder.write(
    'mappings/report.yaml',
    `version: 1
name: fixtures
pull: fixtures
where: { fantasy_league_id: "\${fantasy_league_id}" }
destination: { csv: "out/\${league}.csv" }
`,
  );
  const outcome = await run('pull', '--yes', '--json');
  expect(outcome.code).toBe(8);
  const whose = bodies().map(({ event, environment, league, mapping }) => [
    event,
    environment,
    league,
    mapping,
  ]);
  expect(whose.filter(([event]) => event === 'failing')).toEqual([
    ['failing', 'live', 'east', 'fixtures'],
    ['failing', 'dead', 'south', 'fixtures'],
  ]);
  const { mappings } = JSON.parse((await run('alerts', '--json')).stdout) as {
    readonly mappings: readonly Readonly<Record<string, unknown>>[];
  };
  expect(mappings.map(({ environment, league, state }) => [environment, league, state])).toEqual([
    ['dead', 'south', 'failing'],
    ['live', 'east', 'failing'],
    ['live', 'north', 'ok'],
  ]);
  expect((await run('alerts')).stdout).toMatch(/^live north fixtures +ok/m);
});

it('schedule print github names the variables of the addresses among the secrets', async () => {
  const { stdout } = await run('schedule', 'print', 'github');
  expect(stdout).toContain('ALERT_URL: ${{ secrets.ALERT_URL }}');
  expect(stdout).toContain('PING_URL: ${{ secrets.PING_URL }}');
});

describe('schedule run', () => {
  /** When the clock of the service began, which deadlines go by. */
  const SERVICE_MS = Date.parse('2026-08-10T09:00:00Z');
  const NEW_YEAR = 'schedule: "0 6 1 1 *"';
  /** The times of a mapping whose deadline of game week 1 comes in twelve hours. */
  const nearDeadline = async (): Promise<string> => {
    const answer = JSON.parse((await run('api', 'get-fixtures', '--id', '1')).stdout) as {
      readonly data: readonly { readonly fixtures: readonly { readonly start_date: string }[] }[];
    };
    const kickoffs = answer.data.flatMap(({ fixtures }) =>
      fixtures.map(({ start_date }) => Date.parse(start_date)),
    );
    const hours = Math.round((SERVICE_MS - Math.min(...kickoffs)) / 3_600_000) + 12;
    return `${NEW_YEAR}\ndeadline: each.kickoff ${hours < 0 ? '-' : '+'} ${Math.abs(hours)}h`;
  };
  const writeUsers = (times: string): void =>
    folder.folder.write('mappings/users.yaml', USERS_MAPPING.replace('operation:', `${times}\noperation:`));
  beforeEach(() => {
    folder.folder.write('teamsheet.yaml', `${CONFIG}vars: { fantasy_league_id: 1 }\n`);
    folder.folder.write('users.csv', ROWS.replace('Bob,', 'Bob,perhaps'));
  });

  it('tells of a deadline that is near before anything is due, and ends with the signal', async () => {
    writeUsers(await nearDeadline());
    await run('push', '--yes');
    expect(story()).toEqual(['ping/start', 'ping', 'hook degraded users']);
    let stop = (): void => undefined;
    const near = new Promise<void>((resolve) => {
      stop = resolve;
    });
    onTold = ({ body }) => {
      if (body['event'] === 'deadline_near') stop();
    };
    const options = {
      started: (kill: (signal: NodeJS.Signals) => void) => void near.then(() => kill('SIGTERM')),
    };
    expect((await runWith(options, 'schedule', 'run')).code).toBe(143);
    const [first] = bodies();
    expect(first).toMatchObject({ mapping: 'users', event: 'deadline_near', counts: { invalid: 1 } });
    expect(first?.['message']).toMatch(
      /^users: 1 invalid of 2 rows, and the deadline of game week 1 is in 1[123] h$/,
    );
    expect(story()).toEqual(['hook deadline_near users']);
  });

  it('--once tells of one where nothing is due, and with the run where something is', async () => {
    writeUsers(NEW_YEAR);
    expect((await run('schedule', 'run', '--once', 'users')).code).toBe(3);
    expect(story()).toEqual(['ping/start', 'ping', 'hook degraded users']);
    writeUsers(await nearDeadline());
    expect((await run('schedule', 'run', '--once', 'users')).code).toBe(0);
    expect(story()).toEqual(['hook deadline_near users']);
    folder.folder.write(
      'teamsheet.yaml',
      `${CONFIG}vars: { fantasy_league_id: 1 }\nstate: other/state.sqlite\n`,
    );
    expect((await run('schedule', 'run', '--once', 'users')).code).toBe(3);
    expect(story()).toEqual(['ping/start', 'ping', 'hook degraded users', 'hook deadline_near users']);
  });

  it('--once tells of one where another mapping is due', async () => {
    writeUsers(NEW_YEAR);
    expect((await run('schedule', 'run', '--once', 'users')).code).toBe(3);
    story();
    writeUsers(await nearDeadline());
    expect((await run('schedule', 'run', '--once')).code).toBe(0);
    expect(story()).toEqual(['ping/start', 'ping', 'hook deadline_near users']);
  });
});

describe('alerts', () => {
  it('says who is told, and of what, before anything has run', async () => {
    const { stdout, code } = await run('alerts');
    expect(code).toBe(0);
    expect(stdout)
      .toBe(`json env ALERT_URL    failing, degraded, recovered, deadline_near, week_missing, audit_differs
slack file slack.url  failing
ping env PING_URL     every run

no mapping has run by itself yet
`);
  });

  it('shows states and the last alerts', async () => {
    folder.folder.write('users.csv', ROWS.replace('Member ID', 'Nr'));
    await run('push', '--yes');
    const { stdout } = await run('alerts');
    expect(stdout).toMatch(/^users +failing +\S+ \S+ +\S+ \S+ +4$/m);
    expect(stdout).toMatch(/failing {2}users {2}json env ALERT_URL {4}sent, 1 try, answered 200$/m);
  });

  it('test sends one to each, and ends with 7 where one failed', async () => {
    const good = await run('alerts', 'test');
    expect(good.code).toBe(0);
    expect(good.stdout).toBe(`✓  json env ALERT_URL    answered 200
✓  slack file slack.url  answered 200
✓  ping env PING_URL     answered 200
`);
    expect(story().toSorted()).toEqual(['hook test ', 'ping', 'slack']);
    status = 404;
    const bad = await run('alerts', 'test', '--json');
    expect(bad.code).toBe(7);
    expect(JSON.parse(bad.stdout)).toEqual({
      command: 'alerts test',
      exit_code: 7,
      addresses: ['json env ALERT_URL', 'slack file slack.url', 'ping env PING_URL'].map((to) => ({
        ...{ to, ok: false, status: 404, fault: null },
      })),
    });
  });

  it('test without alerts says what to write', async () => {
    folder.folder.write('teamsheet.yaml', CONFIG.replace(/alerts:[^]*/, ''));
    const { code, stderr } = await run('alerts', 'test');
    expect(code).toBe(4);
    expect(stderr).toContain('write alerts: [{ webhook: { env: ALERT_URL } }] into teamsheet.yaml');
    expect((await run('alerts')).stdout).toContain('nobody is told: teamsheet.yaml has no alerts');
  });
});

afterEach(() => {
  const texts = outcomes.splice(0).flatMap(({ stdout, stderr }) => [stdout, stderr]);
  const files = readdirSync(folder.folder.path, { recursive: true, withFileTypes: true });
  for (const { parentPath, name } of files.filter((entry) => entry.isFile() && entry.name !== 'slack.url'))
    texts.push(readFileSync(join(parentPath, name), 'latin1'));
  const forms = [CANARY, CANARY.slice(0, 9), CANARY.slice(-8), Buffer.from(CANARY).toString('base64')];
  expect(texts.length).toBeGreaterThan(3);
  expect(texts.flatMap((text) => forms.filter((form) => text.includes(form)))).toEqual([]);
});
