import { describe, expect, it } from 'vitest';
import type { SandboxOptions } from '../../src/sandbox/index.ts';
import { USERS_MAPPING, type Outcome } from '../support/cli.ts';
import { manyUsers, program, settlesIn } from '../support/program.ts';

const { folder, service, start, run, json, writes } = program(
  {
    'teamsheet.yaml': settlesIn('100ms'),
    'mappings/users.yaml': USERS_MAPPING,
  },
  { here: true },
);

describe('a list that is refused', () => {
  it.each(['envelope', 'http_200'] as const)('goes on from memory, in the shape %s', async (error_shape) => {
    await start({ settings: { error_shape, users_page: 'refused', page_size: 2 } });
    folder.write('users.csv', manyUsers(5));
    expect(await json('push')).toMatchObject({ exit_code: 0, mappings: [{ created: 5 }] });
    const before = writes().length;
    expect(await json('push', '--compare', 'live')).toMatchObject({
      exit_code: 0,
      mappings: [{ unchanged: 5 }],
    });
    expect(writes()).toHaveLength(before);
  });
});

describe('a service that cannot list its users and takes small batches only', () => {
  it('gets every row, because its counter shows that refused batches left nothing', async () => {
    await start({ settings: { users_page: 'refused', max_batch: 40 } });
    folder.write('users.csv', manyUsers(120));
    const pushed = await json('push');
    expect(pushed).toMatchObject({ exit_code: 0, mappings: [{ created: 120, unknown: 0 }] });
    expect(await json('push')).toMatchObject({ exit_code: 0, mappings: [{ unchanged: 120 }] });
  });
});

/** What the command says to type next. */
const nexts = async (...args: readonly string[]): Promise<readonly string[]> =>
  (await run(...args, '--yes')).stderr.split('\n').filter((line) => line.startsWith('next: '));

describe('a service that shows one key as nobody sent it', () => {
  const sheet = (first: string): string => `Member ID,Name\nA-1,${first}\n0007,Bob\nC-3,Cid\n`;

  it('leaves that row alone in doubt, and `resolve` is named once resuming has shown no more', async () => {
    await start({ settings: { key_form: 'no_zeros', repeated_external_id: 'duplicate' } });
    folder.write('users.csv', sheet('Ann'));
    expect(await json('push')).toMatchObject({ exit_code: 7, mappings: [{ created: 2, unknown: 1 }] });
    expect(await nexts('resume')).toEqual(['next: teamsheet resolve']);
    folder.write('users.csv', sheet('Anna'));
    expect(await json('push')).toMatchObject({
      exit_code: 7,
      mappings: [{ updated: 1, unchanged: 1, deferred: 1 }],
    });
    expect(await nexts('push')).toEqual(['next: teamsheet resolve']);
    const { cases } = (await json('resolve')) as unknown as { cases: readonly { rows: readonly object[] }[] };
    expect(cases.map(({ rows }) => rows)).toMatchObject([[{ key: '0007' }]]);
  });
});

describe('a service that cannot list its users and refuses every batch', () => {
  it('leaves all rows in doubt, and `resolve` is named once resuming has shown no more', async () => {
    await start({
      settings: { max_batch: 25 },
      faults: [{ kind: 'status', operation: 'list-users', status: 405, count: 1000 }],
    });
    folder.write('users.csv', manyUsers(60));
    expect(await json('push')).toMatchObject({ exit_code: 7, mappings: [{ unknown: 60 }] });
    expect(await nexts('resume')).toEqual(['next: teamsheet resolve']);
    expect(await nexts('push')).toEqual(['next: teamsheet resolve']);
  });
});

describe('a raw call for a user that exists', () => {
  const create = (...ids: readonly string[]): Promise<Outcome> => {
    const users = ids.map((external_id) => ({ external_id, display_name: 'Ann' }));
    return run('api', 'create-users', '--body', JSON.stringify({ users }), '--yes');
  };

  it('is refused with 3 and leaves nothing open', async () => {
    await start();
    expect((await create('M1')).code).toBe(0);
    const again = await create('M1');
    expect(again.code).toBe(3);
    expect(JSON.parse(again.stdout)).toMatchObject({ statusCode: 409 });
    expect(again.stderr).toContain('create-users was refused with 409');
    expect(await json('resolve')).toMatchObject({ exit_code: 0, cases: [] });
  });

  it.each<readonly [string, SandboxOptions['settings'] & object, readonly string[]]>([
    ['several rows were sent', {}, ['M1', 'M2']],
    ['the refusal is no envelope', { error_shape: 'message' }, ['M1']],
    ['HTTP says something else', { error_shape: 'http_200' }, ['M1']],
    ['the list cannot be read', { users_page: 'refused', page_size: 1 }, ['M3']],
  ])('stays open where %s', async (_name, settings, ids) => {
    await start({ settings });
    for (const id of ['M1', 'M3']) expect((await create(id)).code).toBe(0);
    expect((await create(...ids)).code).toBe(8);
  });
});

it('a raw call passes any parameter of the query, with a warning', async () => {
  await start();
  const listed = await run('api', 'list-users', '--query', 'foo=1', '--query', 'bar=a b');
  expect(service.requests).toContain('GET /v1/user?foo=1&bar=a+b');
  expect(listed.stderr).toContain(
    'list-users: the interface has no query parameter foo; it is sent unchanged',
  );
  const wrong = await run('api', 'list-prices', '--query', 'page=none');
  expect(wrong).toMatchObject({ code: 64, stdout: '' });
});
