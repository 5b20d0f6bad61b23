import { describe, expect, it } from 'vitest';
import { USERS_MAPPING } from '../support/cli.ts';
import { folderOfTest, serviceOfTest } from '../support/of-test.ts';
import { runHere } from '../support/run-here.ts';
import { manyUsers, program } from '../support/program.ts';

interface Document {
  readonly exit_code: number;
  readonly checks: readonly { readonly level: string; readonly name: string; readonly fix: string | null }[];
  readonly contract: {
    readonly account: { readonly base_url: string; readonly id: string | null };
    readonly learnt: readonly {
      readonly topic: string;
      readonly subject: string;
      readonly values: readonly {
        readonly value: string;
        readonly times: number;
        readonly first_at: string;
        readonly last_at: string;
      }[];
    }[];
    readonly batch_limits: readonly { readonly resource: string; readonly rows: number }[];
    readonly spellings: readonly {
      readonly resource: string;
      readonly case: boolean;
      readonly width: boolean;
      readonly blanks: boolean;
      readonly cut: number | null;
      readonly at: string;
    }[];
    readonly not_seen_yet: readonly string[];
  };
}

const files = { 'mappings/users.yaml': USERS_MAPPING, 'users.csv': manyUsers(60) };

const { service, run } = program(files, {
  once: true,
  here: true,
  service: { settings: { max_batch: 40, page_size: 20 } },
});
const contract = async (): Promise<Document['contract']> => {
  const { stdout } = await run('doctor', '--contract', '--json');
  return (JSON.parse(stdout) as Document).contract;
};
const valuesOf = ({ learnt }: Document['contract'], topic: string, subject: string) =>
  learnt.find((each) => each.topic === topic && each.subject === subject)?.values ?? [];

describe('doctor --contract', () => {
  it('says what is not known yet, and asks no more than doctor does', async () => {
    const before = service.requests.length;
    const plain = await run('doctor');
    const asked = service.requests.slice(before);
    const told = await run('doctor', '--contract');
    expect(service.requests.slice(before)).toEqual([...asked, ...asked]);
    expect(asked).toEqual(['GET /v1/auth/account']);
    expect(told).toMatchObject({ code: 0, stderr: '' });
    const withoutCounts = (text: string): string => text.replace(/[\d,]+ of/g, 'N of');
    expect(withoutCounts(told.stdout).startsWith(withoutCounts(plain.stdout))).toBe(true);
    expect(plain.stdout).not.toContain('Learnt about');
    expect(told.stdout).toMatch(/^Not seen yet$/m);
    expect(told.stdout).toMatch(/^ {2}what a repeated external_id does$/m);
    expect(told.stdout).toMatch(/^ {2}account tier: sandbox {2}\d{4}-\d\d-\d\d$/m);
  });

  it('shows what a push taught, with its dates', async () => {
    expect((await run('push', 'users', '--yes')).code).toBe(0);
    expect((await run('plan', 'users', '--compare', 'live')).code).toBe(0);
    const found = await contract();
    expect(found.account).toMatchObject({ base_url: service.baseUrl, id: expect.any(String) as string });
    expect(valuesOf(found, 'page_size', 'list-users')).toMatchObject([{ value: '20' }]);
    expect(valuesOf(found, 'page', 'list-users')).toMatchObject([{ value: 'honoured' }]);
    expect(valuesOf(found, 'status', 'create-users')).toMatchObject([{ value: '201' }]);
    expect(valuesOf(found, 'refusal', 'create-users')).toMatchObject([{ value: '413, the envelope' }]);
    expect(found.batch_limits).toMatchObject([{ resource: 'users', rows: 30 }]);
    expect(found.not_seen_yet).not.toContain('how many records a full page of users holds');
    expect(found.not_seen_yet).toContain('what a repeated external_id does');
    expect(JSON.stringify(found)).not.toMatch(/Quentin|M-\d/);
    expect(JSON.stringify(found)).not.toContain(service.apiKey);
    const { stdout } = await run('doctor', '--contract');
    expect(stdout).toMatch(/^ {2}list-users +records on a full page +20 +1× {2}\d{4}-\d\d-\d\d$/m);
    expect(stdout).toMatch(/^ {2}users +rows in one request from now on +30 /m);
  });

  it('counts what is seen again, from the first day to the last', async () => {
    const [before] = valuesOf(await contract(), 'status', 'get-account');
    const [after] = valuesOf(await contract(), 'status', 'get-account');
    expect(after).toMatchObject({
      value: '200',
      times: (before?.times ?? 0) + 1,
      first_at: before?.first_at,
    });
    expect(Date.parse(after?.last_at ?? '')).toBeGreaterThan(Date.parse(before?.last_at ?? ''));
  });

  it('says how keys are spelt, and that nothing of the kind was seen where it was not', async () => {
    const plain = await contract();
    expect(plain.spellings).toEqual([]);
    const unseen = 'an external_id kept in another spelling than it was sent';
    expect(plain.not_seen_yet).toContain(unseen);
    const spelling = await serviceOfTest({ settings: { key_case: 'lower', key_cut: 3 } });
    const own = folderOfTest({ ...files, 'users.csv': 'Member ID,Name,Active\nANNA,Anna,\nBERT,Bert,\n' });
    const options = { cwd: own.path, env: spelling.env };
    expect((await runHere(['push', 'users', '--yes'], options)).code).toBe(0);
    const { stdout } = await runHere(['doctor', '--contract', '--json'], options);
    const found = (JSON.parse(stdout) as Document).contract;
    expect(found.spellings).toEqual([
      {
        resource: 'users',
        case: true,
        width: false,
        blanks: false,
        cut: 3,
        at: expect.stringMatching(/^\d{4}-\d\d-\d\dT.*Z$/) as string,
      },
    ]);
    expect(found.not_seen_yet).not.toContain(unseen);
    expect(found.not_seen_yet).toContain('a name kept in another spelling than it was sent');
    const shown = await runHere(['doctor', '--contract'], options);
    expect(shown.stdout).toMatch(
      /^ {2}users +not told apart in keys +upper and lower case, all after 3 characters +\d{4}-\d\d-\d\d$/m,
    );
  });

  it('learns from a command that was stopped', async () => {
    const fresh = await serviceOfTest({ settings: { page_size: 20 }, seed: 'demo' });
    const own = folderOfTest(files);
    const options = { cwd: own.path, env: fresh.env };
    const stopped = await runHere(['push', 'users', '--yes', '--max-requests', '3'], options);
    expect(stopped.code).toBe(7);
    const { stdout } = await runHere(['doctor', '--contract', '--json'], options);
    const found = (JSON.parse(stdout) as Document).contract;
    expect(valuesOf(found, 'status', 'list-users')).toMatchObject([{ value: '200' }]);
  });

  it('shows what was learnt before when the account cannot be read, and that it cannot', async () => {
    const closing = await serviceOfTest();
    const own = folderOfTest(files);
    const options = { cwd: own.path, env: closing.env };
    await runHere(['push', 'users', '--yes'], options);
    const wrong = { ...options, env: { ...closing.env, TEAMSHEET_API_KEY: 'another-key-of-somebody' } };
    const refused = await runHere(['doctor', '--contract', '--json'], wrong);
    const { exit_code, checks, contract: found } = JSON.parse(refused.stdout) as Document;
    expect([refused.code, exit_code]).toEqual([5, 5]);
    expect(checks.filter(({ level }) => level === 'bad')).toMatchObject([
      { name: 'key', fix: 'set the right key: TEAMSHEET_API_KEY in .env or in the environment' },
    ]);
    expect(found.account.id).not.toBeNull();
    expect(valuesOf(found, 'status', 'create-users')).toMatchObject([{ value: '201' }]);
    expect(valuesOf(found, 'refusal', 'get-account')).toMatchObject([{ value: '401, the envelope' }]);
  });
});
