import { readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { expect, it } from 'vitest';
import { program } from '../support/program.ts';

const examples = join(import.meta.dirname, '../../examples');
const CSV = 'Member ID,Display name,Active\nA,Ann,yes\nB,Bob,\n';

const { folder, service } = program({ 'users.csv': CSV }, { service: {} });

/** Runs an example in the folder; `onLine` is told of what it prints and can end it. */
async function run(name: string, onLine: (line: string, end: () => void) => void = () => undefined) {
  const env = { ...process.env, ...service.env, XDG_STATE_HOME: folder.path, NODE_OPTIONS: '' };
  const child = spawn(process.execPath, [join(examples, name)], { cwd: folder.path, env });
  let stdout = '';
  let stderr = '';
  child.stdout.on('data', (text: Buffer) => {
    stdout += text.toString();
    onLine(text.toString(), () => child.kill('SIGTERM'));
  });
  child.stderr.on('data', (text: Buffer) => (stderr += text.toString()));
  const [code] = (await once(child, 'close')) as [number | null];
  return { code, stdout, stderr };
}

it('import-csv.ts creates what is new, once', async () => {
  expect(await run('import-csv.ts')).toEqual({
    code: 0,
    stdout: 'users: 2 to create, 0 to update\n2 created, 0 unchanged\n',
    stderr: '',
  });
  expect(await run('import-csv.ts')).toMatchObject({ code: 0, stdout: '0 created, 2 unchanged\n' });
  folder.write('users.csv', `${CSV}C,Cleo,perhaps\n`);
  expect(await run('import-csv.ts')).toMatchObject({
    code: 3,
    stderr: expect.stringContaining('rows to correct: out/rejected/users.rejected.csv\n') as string,
  });
});

it('pull-report.ts writes the report', async () => {
  const added = await fetch(`${service.baseUrl}/v1/user`, {
    method: 'POST',
    headers: { 'x-api-key': service.apiKey, 'content-type': 'application/json' },
    body: JSON.stringify({
      users: [
        { external_id: 'A', display_name: 'Ann' },
        { external_id: 'B', display_name: 'Bob' },
      ],
    }),
  });
  expect(added.ok).toBe(true);
  expect(await run('pull-report.ts')).toEqual({
    code: 0,
    stdout: '2 records in out/users.csv\n',
    stderr: '',
  });
  expect(readFileSync(join(folder.path, 'out/users.csv'), 'utf8')).toContain('Bob');
});

it('sandbox.test.ts passes', async () => {
  const { code, stdout } = await run('sandbox.test.ts');
  expect(stdout).toContain('a lost answer makes no member twice');
  expect(code).toBe(0);
});

it('scheduled-sync.ts pushes, pulls and ends with a signal', async () => {
  folder.write(
    'teamsheet.yaml',
    'version: 1\nenvironments:\n  test: { base_url: "${TEAMSHEET_BASE_URL}", api_key: { env: TEAMSHEET_API_KEY } }\n',
  );
  const mapping = (name: string): string =>
    readFileSync(join(examples, '../mappings', `${name}.yaml`), 'utf8');
  for (const name of ['users', 'users-report']) folder.write(`mappings/${name}.yaml`, mapping(name));
  const { code, stdout, stderr } = await run('scheduled-sync.ts', (line, end) => {
    if (line.includes('push')) end();
  });
  expect([code, stderr]).toEqual([0, '']);
  expect(stdout).toMatch(/ push 0, pull 0\n$/);
});

it('every example is run here', () => {
  const text = readFileSync(import.meta.filename, 'utf8');
  expect(readdirSync(examples).filter((name) => !text.includes(`'${name}'`))).toEqual([]);
});
