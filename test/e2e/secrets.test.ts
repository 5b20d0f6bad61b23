import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, expect, it } from 'vitest';
import { runCli, startServer, USERS_MAPPING } from '../support/cli.ts';
import type { Outcome, Service } from '../support/cli.ts';
import { folderOfTest, serviceOfTest } from '../support/of-test.ts';
import { runHere } from '../support/run-here.ts';

const CANARY = 'canary-Zx81-9f3a-5c7e-Qw42';
/** Every form in which a key could leak: whole, encoded, or a part long enough to help. */
const FORMS = [
  CANARY,
  encodeURIComponent(CANARY),
  Buffer.from(CANARY).toString('base64'),
  Buffer.from(CANARY).toString('base64url'),
  Buffer.from(CANARY).toString('hex'),
  CANARY.slice(0, 8),
  CANARY.slice(-8),
];

let folder: ReturnType<typeof folderOfTest>;
let service: Service;
beforeEach(async () => {
  folder = folderOfTest({
    'mappings/users.yaml': USERS_MAPPING,
    'mappings/report.yaml': 'version: 1\nname: report\npull: users\ndestination: { csv: out/users.csv }\n',
    'users.csv': 'Member ID,Name,Active\nM1,Ann,yes\nM2,Bob,perhaps\n',
  });
  service = await serviceOfTest({ apiKey: CANARY });
});

it('shows the key in no output, state, report, result or error', async () => {
  const echo = await startServer((request, response) => {
    response
      .writeHead(500, { 'content-type': 'text/html' })
      .end(`<p>${String(request.headers['x-api-key'] ?? '')}</p>`);
  });
  const env = { ...service.env };
  /** With a service or a key that is wrong the built program runs: Node itself may warn of them. */
  const runWith = (args: readonly string[], more: Record<string, string>): Promise<Outcome> =>
    runCli([...args, '--verbose'], { cwd: folder.path, env: { ...env, ...more } });
  const outcomes: Outcome[] = [];
  for (const args of [
    ['doctor'],
    ['account', '--json'],
    ['plan', '--json'],
    ['push', '--yes'],
    ['pull'],
    ['runs', '--json'],
    ['api', 'list-users'],
    ['api', 'create-users', '--body', '{"users":[{"external_id":"M1","display_name":"x"}]}', '--yes'],
  ]) {
    outcomes.push(await runHere([...args, '--verbose'], { cwd: folder.path, env }));
  }
  outcomes.push(
    await runWith(['account'], { TEAMSHEET_BASE_URL: echo.baseUrl }),
    await runWith(['plan'], { TEAMSHEET_BASE_URL: `http://user:${CANARY}@127.0.0.1` }),
    await runWith(['plan'], { TEAMSHEET_BASE_URL: `${service.baseUrl}?key=${CANARY}` }),
    await runWith(['plan'], { TEAMSHEET_API_KEY: `${CANARY} with blanks` }),
  );
  await echo.close();
  expect(outcomes.map(({ code }) => code)).toEqual([0, 0, 3, 3, 0, 0, 0, 3, 8, 4, 4, 4]);
  expect(leaksIn(outcomes)).toEqual([]);
});

/** What outputs and files of the folder show of the key. */
function leaksIn(outcomes: readonly Outcome[]): readonly string[] {
  const texts = outcomes.flatMap(({ stdout, stderr }) => [stdout, stderr]);
  const files = readdirSync(folder.path, { recursive: true, withFileTypes: true }).filter((entry) =>
    entry.isFile(),
  );
  expect(files.length).toBeGreaterThan(6);
  for (const { parentPath, name } of files) texts.push(readFileSync(join(parentPath, name), 'latin1'));
  return texts.flatMap((text) =>
    FORMS.filter((form) => text.includes(form)).map((form) => `${form} in ${text.slice(0, 300)}`),
  );
}

it('shows the key nowhere when every answer of the service quotes it in every form', async () => {
  await runHere(['push', '--yes'], { cwd: folder.path, env: service.env });
  const told = [...FORMS, Buffer.from(`user:${CANARY}`).toString('base64'), `\u0063${CANARY.slice(1)}`].join(
    ' ',
  );
  // JSON.stringify would escape the backslash of the last form once more.
  const tell = (body: unknown): string => JSON.stringify(body).replaceAll('\\\\u0063', '\\u0063');
  const proxy = await startServer((request, response) => {
    void (async () => {
      const chunks: Buffer[] = [];
      for await (const chunk of request) chunks.push(chunk as Buffer);
      const isRefused = request.method === 'PATCH';
      const answer = await fetch(
        `${service.baseUrl}${isRefused ? '/v1/auth/account' : (request.url ?? '')}`,
        {
          // A refused write reaches nothing.
          method: isRefused ? 'GET' : (request.method ?? 'GET'),
          headers: { 'x-api-key': String(request.headers['x-api-key']), 'content-type': 'application/json' },
          ...(!isRefused && chunks.length > 0 && { body: Buffer.concat(chunks) }),
        },
      );
      const body = (await answer.json()) as { message: string; data: unknown };
      const quoted = (record: object): object => ({
        ...record,
        note: told,
        [`f${CANARY.slice(0, 8)}`]: told,
        ...('display_name' in record && { display_name: told }),
      });
      const data = Array.isArray(body.data)
        ? (body.data as object[]).map(quoted)
        : body.data && quoted(body.data);
      response.writeHead(isRefused ? 400 : answer.status, { 'content-type': 'application/json' }).end(
        tell({
          ...body,
          ...(isRefused && { statusCode: 400 }),
          message: told,
          data: isRefused ? null : data,
        }),
      );
    })();
  });
  const env = { ...service.env, TEAMSHEET_BASE_URL: proxy.baseUrl };
  const outcomes: Outcome[] = [];
  for (const args of [
    ['api', 'list-users'],
    ['api', 'get-account', '--json'],
    ['pull', '--trust-origin'],
    ['plan', '--compare', 'live', '--json'],
    ['push', '--compare', 'live', '--yes'],
    ['doctor', '--contract'],
    ['runs', '--json'],
  ])
    outcomes.push(await runHere([...args, '--verbose'], { cwd: folder.path, env }));
  await proxy.close();
  expect(outcomes.map(({ code }) => code)).toEqual([0, 0, 0, 3, 3, 0, 0]);
  expect(outcomes[0]?.stdout).toContain('"message": "[redacted]');
  expect(readFileSync(join(folder.path, 'out/users.csv'), 'utf8')).toContain('[redacted]');
  expect(readFileSync(join(folder.path, 'out/rejected/users.rejected.csv'), 'utf8')).toContain('[redacted]');
  expect(leaksIn(outcomes)).toEqual([]);
});

it.each([
  ['NODE_USE_ENV_PROXY', '1', '! proxy         requests go through the proxy of HTTP_PROXY'],
  ['NODE_OPTIONS', '--use-env-proxy', '! proxy         requests go through the proxy of HTTP_PROXY'],
  ['NODE_USE_ENV_PROXY', '', '✓ proxy         HTTP_PROXY, HTTPS_PROXY set, but not used'],
])('says by doctor whether a proxy sees the key: %s=%s', async (name, value, told) => {
  // What Node does not read at its start is not used, whatever it says.
  folder.write('.env', 'HTTPS_PROXY=http://127.0.0.1:9\nNODE_USE_ENV_PROXY=1\n');
  const env = { ...service.env, NO_PROXY: '127.0.0.1', HTTP_PROXY: 'http://127.0.0.1:9', [name]: value };
  const { stdout } = await runCli(['doctor'], { cwd: folder.path, env });
  expect(stdout.split('\n').find((line) => line.includes(' proxy '))).toMatch(new RegExp(`^${told}( |$)`));
});

it('keeps no record of the service that quotes the key, and sends nothing for that', async () => {
  const call = (method: string, path: string, body: object): Promise<Response> =>
    fetch(`${service.baseUrl}${path}`, {
      method,
      headers: { 'x-api-key': service.apiKey, 'content-type': 'application/json' },
      body: JSON.stringify(body),
    });
  const quotes = [...new Set(FORMS)].map((form) => `E ${form}`);
  const made = await call('POST', '/v1/user', {
    users: quotes.map((external_id) => ({ external_id, display_name: `N ${external_id}`.slice(0, 50) })),
  });
  expect(made.status).toBe(201);
  folder.write('mappings/users.yaml', USERS_MAPPING.replace('operation: upsert', 'operation: create'));
  folder.write('users.csv', 'Member ID,Name,Active\nQ1,Ann,\nQ2,Bob,\n');
  const push = (): Promise<Outcome> =>
    runHere(['push', '--yes', '--compare', 'live', '--json'], { cwd: folder.path, env: service.env });
  const first = await push();
  const results = JSON.parse(first.stdout) as { mappings: readonly [{ results: string }] };
  const lines = readFileSync(join(folder.path, results.mappings[0].results), 'utf8').split('\n');
  const id = lines
    .find((line) => line.startsWith('Q1,'))
    ?.split(',')
    .at(-1)
    ?.trim();
  expect((await call('PATCH', '/v1/user', { id, display_name: `Is ${CANARY}` })).status).toBe(200);
  const second = await push();
  const third = await push();
  expect([first, second, third].map(({ code }) => code)).toEqual([0, 3, 3]);
  expect(JSON.parse(third.stdout)).toMatchObject({ mappings: [{ created: 0, invalid: 1, unchanged: 1 }] });
  expect(readFileSync(join(folder.path, 'out/rejected/users.rejected.csv'), 'utf8')).toContain('[redacted');
  expect(leaksIn([first, second, third])).toEqual([]);
});

it("leaves the key in an operator's own cells, and never takes such a row for another one", async () => {
  folder.write('users.csv', `Member ID,Name,Active\n${CANARY},${CANARY},yes\n`);
  for (const counts of [
    { created: 1, unchanged: 0 },
    { created: 0, unchanged: 1 },
  ]) {
    const { stdout, stderr } = await runHere(['push', '--yes', '--compare', 'live', '--json'], {
      cwd: folder.path,
      env: service.env,
    });
    const { mappings } = JSON.parse(stdout) as { mappings: readonly [{ results: string }] };
    expect(mappings[0]).toMatchObject(counts);
    expect(readFileSync(join(folder.path, mappings[0].results), 'utf8')).toContain(
      `${CANARY},${CANARY},yes,2,`,
    );
    expect(stdout + stderr).not.toContain(CANARY);
  }
});
