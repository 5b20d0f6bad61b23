import { readFileSync } from 'node:fs';
import type { ServerResponse } from 'node:http';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { makeFolder, startServer, USERS_MAPPING } from '../support/cli.ts';
import { runHere } from '../support/run-here.ts';

/** A service of users alone, that lists them as a test says. */
interface UserService {
  readonly users: object[];
  /** The records of a page, by how often the first page was asked for. */
  page: (page: number, read: number) => { readonly data: readonly unknown[]; readonly paging?: unknown };
  used: () => number | undefined;
  /** Requests for the list. */
  lists: number;
}

const CONFIG = `version: 1
environments: { live: { base_url: '\${TEAMSHEET_BASE_URL}', api_key: { env: TEAMSHEET_API_KEY } } }
push: { settle: 120ms }
`;
const REPORT = `version: 1
name: users-report
pull: users
destination: { csv: out/users.csv }
columns: { Id: id, Member: external_id, Name: display_name }
`;

let service: UserService;
let server: Awaited<ReturnType<typeof startServer>>;
let folder: ReturnType<typeof makeFolder>;

const send = (response: ServerResponse, statusCode: number, more: object): void => {
  response.writeHead(statusCode, { 'content-type': 'application/json' });
  response.end(JSON.stringify({ statusCode, message: 'ok', ...more }));
};

beforeEach(async () => {
  let reads = 0;
  service = {
    users: [],
    page: () => ({
      data: service.users,
      paging: { page: 1, page_total: 1, per_page: 50, total: service.users.length },
    }),
    used: () => service.users.length,
    lists: 0,
  };
  server = await startServer((request, response) => {
    const url = new URL(request.url ?? '', 'http://localhost');
    if (url.pathname === '/v1/auth/account') {
      const users = { max: 1000, used: service.used(), remaining: 1000 };
      send(response, 200, { data: { id: 'a', is_active: true, config: { features: { users } } } });
      return;
    }
    if (request.method === 'GET') {
      service.lists += 1;
      const page = Number(url.searchParams.get('page') ?? 1);
      if (page === 1) reads += 1;
      send(response, 200, service.page(page, reads));
      return;
    }
    let body = '';
    request.on('data', (text: Buffer) => (body += text.toString()));
    request.on('end', () => {
      const { users } = JSON.parse(body) as { users: object[] };
      const made = users.map((user, at) => ({ id: `id-${service.users.length + at}`, ...user }));
      service.users.push(...made);
      send(response, 201, { data: made });
    });
  });
  folder = makeFolder({
    'teamsheet.yaml': CONFIG,
    'mappings/users.yaml': USERS_MAPPING,
    'mappings/report.yaml': REPORT,
    'out/users.csv': 'the report of yesterday\n',
  });
});
afterEach(async () => {
  await server.close();
  folder.remove();
});

async function pullUsers() {
  const outcome = await run('pull', 'users-report', '--json');
  const { mappings } = JSON.parse(outcome.stdout) as {
    mappings: readonly Readonly<Record<string, unknown>>[];
  };
  return { ...outcome, report: mappings[0], file: readFileSync(join(folder.path, 'out/users.csv'), 'utf8') };
}

const run = (...args: readonly string[]) =>
  runHere(args, {
    cwd: folder.path,
    env: { TEAMSHEET_BASE_URL: server.baseUrl, TEAMSHEET_API_KEY: 'key-of-a-test' },
  });

describe('a report is whole or it is not written', () => {
  it('shows a user of whom only the id is sure, with empty cells', async () => {
    service.users.push({ id: 'a', external_id: 'm-1', display_name: 'Ada' }, { id: 'b', external_id: null });
    const { code, report, file } = await pullUsers();
    expect([code, report]).toMatchObject([0, { records: 2 }]);
    expect(file).toBe('Id,Member,Name\na,m-1,Ada\nb,,\n');
  });

  it.each<readonly [string, () => void, number | undefined]>([
    ['the account counts more', () => (service.used = () => 2), 1],
    [
      'the paging is not a number and there is no data',
      () => {
        service.page = () => ({ data: [], paging: { page: 'x', total: 'many' } });
        service.used = () => undefined;
      },
      undefined,
    ],
    ['a user has no id', () => service.users.push({ external_id: 'm-2' }), 1],
    ['two users have one id', () => service.users.push({ id: 'a', external_id: 'm-2' }), 1],
  ])('and keeps the old one with exit 8 where %s', async (_what, disturb, leftOut) => {
    service.users.push({ id: 'a', external_id: 'm-1' });
    disturb();
    const { code, report, file } = await pullUsers();
    expect(code).toBe(8);
    expect(report).toMatchObject({ records: 0, rows: 0, error: { code: 'list.unstable', exit_code: 8 } });
    expect(report?.['left_out']).toBe(leftOut);
    expect(file).toBe('the report of yesterday\n');
  });
});

describe('a list that comes late after a push', () => {
  const late = (from: number) => () => {
    let reads = 0;
    service.page = (page) => {
      if (page === 1) reads += 1;
      return {
        data: reads < from ? [] : service.users,
        paging: { total: reads < from ? 0 : service.users.length },
      };
    };
  };

  beforeEach(async () => {
    folder.write('users.csv', 'Member ID,Name,Active\nm-1,Ada,\nm-2,Bo,\nm-3,Cy,\n');
    expect(await run('push', 'users', '--yes')).toMatchObject({ code: 0 });
  });

  it.each(['counts them', 'counts none'])('is read again, where the account %s', async (counter) => {
    if (counter === 'counts none') service.used = () => 0;
    late(2)();
    const { code, report, file } = await pullUsers();
    expect([code, report]).toMatchObject([0, { records: 3 }]);
    expect(file.split('\n')).toHaveLength(5);
  });

  it.each(['counts them', 'counts none'])(
    'never makes an empty report, where the account %s',
    async (counter) => {
      if (counter === 'counts none') service.used = () => 0;
      late(Infinity)();
      const { code, report, file } = await pullUsers();
      expect(code).toBe(8);
      expect(report).toMatchObject({ left_out: 3, error: { code: 'list.unstable' } });
      expect(file).toBe('the report of yesterday\n');
    },
  );
});

it('resume --limit takes the first records of an unfinished pull, and says so', async () => {
  service.users.push({ id: 'id-1', external_id: 'A' }, { id: 'id-2', external_id: 'B' });
  expect((await run('pull', '--max-requests', '1')).code).toBe(7);
  const resumed = await run('resume', '--limit', '1', '--json');
  expect(resumed.code).toBe(0);
  expect(JSON.parse(resumed.stdout)).toMatchObject({ mappings: [{ records: 1, limited: true }] });
});

it('compares with a list that grows with each page at the cost of ten requests', async () => {
  folder.write('users.csv', 'Member ID,Name,Active\nm-1,Ada,\n');
  service.used = () => 2;
  service.page = (page) => ({
    data: [{ id: `u-${page}`, external_id: `x-${page}` }],
    paging: { page, page_total: page + 1, per_page: 1, total: 2 },
  });
  const outcome = await run('plan', 'users');
  expect(outcome.stderr).toContain('goes on after 10 pages');
  expect(service.lists).toBe(10);
});

it('takes no record of another id for the one that was asked for, and a raw call shows it', async () => {
  folder.write(
    'mappings/league.yaml',
    'version: 1\nname: league\npull: fantasy_leagues\nwhere: { fantasy_league_id: 1 }\ndestination: { csv: out/league.csv }\n',
  );
  service.page = () => ({ data: { id: 2, name: 'Other' } as never });
  const wrong = 'fantasy-league/1 answered with the record of id 2, not with that of id 1';
  const pulled = await run('pull', 'league');
  expect(pulled.code).toBe(8);
  expect(pulled.stdout + pulled.stderr).toContain(wrong);
  const raw = await run('api', 'get-fantasy-league', '--id', '1');
  expect(raw.code).toBe(8);
  expect(raw.stderr).toContain(wrong);
  expect(JSON.parse(raw.stdout)).toMatchObject({ data: { id: 2 } });
});
