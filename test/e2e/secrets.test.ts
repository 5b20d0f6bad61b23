import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { makeFolder, runCli, startServer, startService, USERS_MAPPING } from '../support/cli.ts';
import type { Outcome, Service } from '../support/cli.ts';

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

const folder = makeFolder({
  'mappings/users.yaml': USERS_MAPPING,
  'mappings/report.yaml': 'version: 1\nname: report\npull: users\ndestination: { csv: out/users.csv }\n',
  'users.csv': 'Member ID,Name,Active\nM1,Ann,yes\nM2,Bob,perhaps\n',
});
let service: Service;
beforeAll(async () => {
  service = await startService({ apiKey: CANARY });
});
afterAll(async () => {
  await service.close();
  folder.remove();
});

it('shows the key in no output, state, report, result or error', async () => {
  const echo = await startServer((request, response) => {
    response
      .writeHead(500, { 'content-type': 'text/html' })
      .end(`<p>${String(request.headers['x-api-key'] ?? '')}</p>`);
  });
  const env = { ...service.env };
  const run = (args: readonly string[], more: Record<string, string> = {}): Promise<Outcome> =>
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
    outcomes.push(await run(args));
  }
  outcomes.push(
    await run(['account'], { TEAMSHEET_BASE_URL: echo.baseUrl }),
    await run(['plan'], { TEAMSHEET_BASE_URL: `http://user:${CANARY}@127.0.0.1` }),
    await run(['plan'], { TEAMSHEET_BASE_URL: `${service.baseUrl}?key=${CANARY}` }),
    await run(['plan'], { TEAMSHEET_API_KEY: `${CANARY} with blanks` }),
  );
  await echo.close();
  expect(outcomes.map(({ code }) => code)).toEqual([0, 0, 3, 3, 0, 0, 0, 8, 8, 4, 4, 4]);

  const texts = outcomes.flatMap(({ stdout, stderr }) => [stdout, stderr]);
  const files = readdirSync(folder.path, { recursive: true, withFileTypes: true }).filter((entry) =>
    entry.isFile(),
  );
  expect(files.length).toBeGreaterThan(6);
  for (const { parentPath, name } of files) texts.push(readFileSync(join(parentPath, name), 'latin1'));
  const leaks = texts.flatMap((text) =>
    FORMS.filter((form) => text.includes(form)).map((form) => `${form} in ${text.slice(0, 300)}`),
  );
  expect(leaks).toEqual([]);
});
