import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import type { TestContext } from 'vitest';
import { createSandbox } from '../../src/sandbox/index.ts';
import type { Sandbox, SandboxOptions } from '../../src/sandbox/index.ts';
import { makeFolder, USERS_MAPPING } from '../support/cli.ts';
import type { Outcome } from '../support/cli.ts';
import { runHere } from '../support/run-here.ts';
import { control } from '../support/control.ts';

type Settings = NonNullable<SandboxOptions['settings']>;

interface World {
  readonly sandbox: Sandbox;
  /** The method of each writing request that came. */
  readonly writes: readonly string[];
  readonly baseUrl: string;
  readonly folder: string;
  readonly run: (...args: string[]) => Promise<Outcome>;
  /** The document of a command with --json. */
  readonly json: (...args: string[]) => Promise<Report>;
}

interface Report {
  readonly exit_code: number;
  readonly mappings: readonly {
    readonly created: number;
    readonly deferred: number;
    readonly results: string;
  }[];
  readonly requests: Readonly<Record<'sent' | 'throttled' | 'waited_ms', number>>;
  readonly pauses: readonly { readonly seconds: number }[];
  readonly finishes_at: string;
  readonly fits: { readonly requests: number; readonly rows: number; readonly limited_by: string | null };
  readonly error: { readonly code: string; readonly message: string; readonly next: string };
}

const users = (count: number): string =>
  [
    'Member ID,Name',
    ...Array.from({ length: count }, (_, index) => `M${index + 1},Player ${index + 1}`),
  ].join('\n');

/** A sandbox on a port of this machine and a folder whose users go out one in a request. */
async function world(
  // Of tests that run at the same time, only the context tells which one ends.
  { onTestFinished }: Pick<TestContext, 'onTestFinished'>,
  settings: Settings,
  rows: number,
  { config = '', ...options }: Omit<SandboxOptions, 'settings'> & { readonly config?: string } = {},
): Promise<World> {
  const sandbox = await createSandbox({ settings, ...options });
  const writes: string[] = [];
  sandbox.app.server.on('request', ({ method }) => {
    if (method !== undefined && method !== 'GET') writes.push(method);
  });
  const { baseUrl } = sandbox;
  const folder = makeFolder({
    'mappings/users.yaml': USERS_MAPPING.replace(
      'operation: upsert',
      'operation: upsert\nbatch_size: 1',
    ).replace(/\n {2}is_active.*/, ''),
    'users.csv': users(rows),
    'teamsheet.yaml': `version: 1
environments: { sandbox: { base_url: "${baseUrl}", api_key: { env: TEAMSHEET_API_KEY } } }
timezone: Europe/London
${config}`,
  });
  onTestFinished(async () => {
    await sandbox.close();
    folder.remove();
  });
  const run = (...args: string[]): Promise<Outcome> =>
    runHere(args, { cwd: folder.path, env: { TEAMSHEET_API_KEY: sandbox.apiKey } });
  return {
    sandbox,
    writes,
    baseUrl,
    folder: folder.path,
    run,
    json: async (...args) => JSON.parse((await run(...args, '--json')).stdout) as Report,
  };
}

const SMALL = { per_minute: 15, window_seconds: 2 };

describe.concurrent('windows of two seconds', () => {
  it.for([
    ['fixed', 'counted', 'free'],
    ['fixed', 'free', 'counted'],
    ['sliding', 'counted', 'counted'],
    ['sliding', 'free', 'free'],
  ] as const)(
    'that are %s, with account calls %s and refused ones %s, are kept',
    async (switches, context) => {
      const [windows, account_call, refused_calls] = switches;
      const { json, writes } = await world(context, { ...SMALL, windows, account_call, refused_calls }, 25);
      const report = await json('push', '--yes');
      expect(report).toMatchObject({ exit_code: 0, mappings: [{ created: 25 }] });
      // On a busy machine a request may come in the next window; what is refused then goes again.
      expect(writes).toHaveLength(25 + report.requests.throttled);
    },
  );

  it('leave the reserve alone, and say when it leaves nothing', async (context) => {
    const config = 'budget: { reserve_per_minute: 9 }';
    const { json, writes } = await world(context, SMALL, 10, { config });
    const report = await json('push', '--yes');
    expect(report).toMatchObject({ exit_code: 0, mappings: [{ created: 10 }] });
    // Without the reserve one window has room for all of them.
    expect(report.requests.waited_ms).toBeGreaterThan(0);
    expect(writes).toHaveLength(10 + report.requests.throttled);

    const greedy = await world(context, SMALL, 3, { config: 'budget: { reserve_per_minute: 15 }' });
    expect(await greedy.json('push', '--yes')).toMatchObject({
      exit_code: 7,
      mappings: [{ deferred: 3 }],
      error: { code: 'budget.exhausted', next: 'lower budget.reserve_per_minute' },
    });
  });

  it('are shared with another client of the same key, and every row goes out', async (context) => {
    const { json, baseUrl, sandbox } = await world(context, SMALL, 30);
    const end = new AbortController();
    const stranger = (async () => {
      while (!end.signal.aborted) {
        await fetch(`${baseUrl}/v1/user`, { headers: { 'x-api-key': sandbox.apiKey } }).then((it) =>
          it.text(),
        );
        await new Promise((resolve) => setTimeout(resolve, 400));
      }
    })();
    const report = await json('push', '--yes');
    end.abort();
    await stranger;
    expect(report).toMatchObject({ exit_code: 0, mappings: [{ rows: 30, created: 30 }] });
  });
});

describe.concurrent('a limit of the command line', () => {
  it('--max-requests ends the push, the plan says what fits, and resume goes on', async (context) => {
    const { json, run, writes } = await world(context, {}, 12);
    const planned = await json('plan', '--max-requests', '5');
    expect(planned.fits).toEqual({ requests: 4, rows: 4, limited_by: 'max_requests' });
    expect((await run('plan', '--max-requests', '5')).stdout).toContain(
      '4 of them (4 rows) fit into --max-requests; the rest is deferred',
    );
    const report = await json('push', '--yes', '--max-requests', '5');
    expect(report).toMatchObject({
      exit_code: 7,
      mappings: [{ created: 4, deferred: 8 }],
      requests: { sent: 5 },
      error: { code: 'budget.max_requests' },
    });
    expect(writes).toHaveLength(4);
    expect(await json('resume', '--yes', '--limit', '2')).toMatchObject({
      exit_code: 7,
      mappings: [{ created: 6, deferred: 6 }],
    });
    expect(writes).toHaveLength(6);
    expect(await json('resume', '--yes')).toMatchObject({
      exit_code: 0,
      mappings: [{ created: 12, deferred: 0 }],
    });
    expect(writes).toHaveLength(12);
  });

  it('--max-wait ends it before a longer pause', async (context) => {
    const { json } = await world(context, { per_minute: 8, window_seconds: 600 }, 12);
    const planned = await json('plan', '--max-wait', '1s');
    expect(planned.fits.limited_by).toBe('max_wait');
    const report = await json('push', '--yes', '--max-wait', '1s');
    expect(report).toMatchObject({
      exit_code: 7,
      requests: { throttled: 0 },
      error: { code: 'budget.exhausted' },
    });
    expect(report.mappings[0]?.created).toBeGreaterThan(0);
    expect(report.mappings[0]?.deferred).toBeGreaterThan(0);
  });

  it('--finish-by sends nothing that would end after it, the plan says what fits, and resume goes on', async (context) => {
    // The end is far enough away for a busy machine to begin before it, and too near for all rows.
    const settings = { latency_ms: 500 };
    const enoughMs = 10_000;
    const { json, run, writes } = await world(context, settings, 24, { config: 'push: { concurrency: 1 }' });
    const inMs = (ms: number): string => new Date(Date.now() + ms).toISOString().slice(0, 19) + 'Z';
    const planned = await json('plan', '--finish-by', inMs(enoughMs));
    expect(planned.fits.limited_by).toBe('finish_by');
    expect(planned.fits.rows).toBeGreaterThan(0);
    expect(planned.fits.rows).toBeLessThan(24);
    const finishBy = inMs(enoughMs);
    const report = await json('push', '--yes', '--finish-by', finishBy);
    expect(report).toMatchObject({ exit_code: 7, error: { code: 'budget.finish_by' } });
    const { created = 0, deferred = 0 } = report.mappings[0] ?? {};
    expect(created).toBeGreaterThan(0);
    expect(created + deferred).toBe(24);
    expect(deferred).toBeGreaterThan(0);
    expect(writes).toHaveLength(created);
    const resumed = await json('resume', '--yes', '--finish-by', inMs(600_000));
    expect(resumed).toMatchObject({ exit_code: 0, mappings: [{ rows: 24, created: 24, deferred: 0 }] });

    const missed = await run('push', '--yes', '--finish-by', '2020-01-01T10:00');
    expect(missed).toMatchObject({ code: 64, stdout: '' });
    expect(missed.stderr).toContain('--finish-by: 2020-01-01T10:00 is past');
  });
});

describe.concurrent('a day that is used up', () => {
  it('ends the push with exit 7, and resume goes on the next day', async (context) => {
    const { json, sandbox, writes } = await world(context, { per_day: 10 }, 14, {
      now: '2026-09-22T12:00:00Z',
    });
    const report = await json('push', '--yes');
    expect(report).toMatchObject({
      exit_code: 7,
      mappings: [{ rows: 14 }],
      requests: { sent: 10, throttled: 0 },
      error: { code: 'budget.exhausted', next: expect.stringMatching(/resume 01/) as string },
    });
    const { created = 0, deferred = 0 } = report.mappings[0] ?? {};
    expect(created + deferred).toBe(14);
    // The account is read once, and on a busy machine once more.
    expect([8, 9]).toContain(created);
    await control(sandbox, 'POST', '/clock', { advance: '1d' });
    expect(await json('resume', '--yes')).toMatchObject({
      exit_code: 0,
      mappings: [{ rows: 14, created: 14, deferred: 0 }],
    });
    expect(writes).toHaveLength(14);
  });
});

describe.concurrent('a 429', () => {
  it.for(['seconds', 'a date'])('with Retry-After of %s is waited out', async (form, context) => {
    const now = new Date();
    const retry_after = form === 'seconds' ? '1' : new Date(now.getTime() + 4000).toUTCString();
    const faults = [{ kind: 'too_many', operation: 'create-users', retry_after }] as const;
    const { json, writes } = await world(context, SMALL, 3, {
      faults,
      now: now.toISOString(),
      config: 'push: { concurrency: 1 }',
    });
    const report = await json('push', '--yes');
    expect(report).toMatchObject({ exit_code: 0, mappings: [{ created: 3 }], requests: { throttled: 1 } });
    expect(writes).toHaveLength(4);
  });

  it.for([[undefined], ['soon'], ['0']])(
    'with Retry-After %s is never polled',
    async ([retry_after], context) => {
      const faults = [
        { kind: 'too_many', operation: 'create-users', ...(retry_after !== undefined && { retry_after }) },
      ] as const;
      const { json, writes } = await world(context, { window_seconds: 10 }, 3, {
        faults,
        config: 'push: { concurrency: 1 }',
      });
      // A wait without a hint begins at the reset of the window, which may be near.
      const report = await json('push', '--yes', '--max-wait', '1ms');
      expect(report).toMatchObject({
        exit_code: 7,
        mappings: [{ created: 0, deferred: 3 }],
        requests: { throttled: 1 },
      });
      expect(writes).toHaveLength(1);
      expect(await json('resume', '--yes')).toMatchObject({ exit_code: 0, mappings: [{ created: 3 }] });
      expect(writes).toHaveLength(4);
    },
  );

  it('for a quota is not run into: what the quota has no room for is deferred beforehand', async (context) => {
    const { json, writes } = await world(context, { quota_users: 3, quota_refusal: 'too_many' }, 5);
    expect(await json('push', '--yes')).toMatchObject({
      exit_code: 7,
      mappings: [{ created: 3, deferred: 2 }],
      requests: { throttled: 0 },
    });
    expect(writes).toHaveLength(3);
  });

  it.for([
    ['too_many', 1],
    ['forbidden', 0],
  ] as const)(
    'or 403 for a quota that another client used up meanwhile is known for one: %s',
    async ([quota_refusal, throttled], context) => {
      const settings = { ...SMALL, quota_users: 4, quota_refusal, latency_ms: 30 };
      const { json, writes, baseUrl, sandbox, folder } = await world(context, settings, 6, {
        config: 'push: { concurrency: 1 }',
      });
      const headers = { 'x-api-key': sandbox.apiKey, 'content-type': 'application/json' };
      const body = JSON.stringify({ users: [{ external_id: 'X1', display_name: 'Someone else' }] });
      const other = new Promise<Response>((resolve, reject) => {
        sandbox.app.server.once('request', () => {
          sandbox.app.server.on('request', ({ method }) => {
            if (method === 'POST' && writes.length === 1)
              fetch(`${baseUrl}/v1/user`, { method: 'POST', headers, body }).then(resolve, reject);
          });
        });
      });
      const report = await json('push', '--yes');
      expect((await other).status).toBe(201);
      expect(report).toMatchObject({
        exit_code: 7,
        mappings: [{ rows: 6, created: 3, deferred: 3, rejected: 0, unknown: 0 }],
        requests: { throttled },
      });
      // Three of ours, the other one, and the one that was refused.
      expect(writes).toHaveLength(5);
      expect(await readFile(path.join(folder, report.mappings[0]?.results ?? ''), 'utf8')).toMatch(
        /quota of users is full; after it is raised, teamsheet resume 01\w+ sends it/,
      );
      // Nothing has changed, so that resume ends in the same way.
      expect(await json('resume', '--yes')).toMatchObject({
        exit_code: 7,
        mappings: [{ created: 3, deferred: 3 }],
      });
    },
  );

  it('for a quota that another client used up meanwhile ends the push, and is not repeated', async (context) => {
    // The account says that there is room, and goes on saying so.
    const settings = { quota_users: 3, quota_refusal: 'too_many', account_lag_ms: 600_000 } as const;
    const { json, writes, baseUrl, sandbox } = await world(context, settings, 5, {
      config: 'push: { concurrency: 1 }',
    });
    const body = JSON.stringify({ users: [{ external_id: 'X1', display_name: 'Someone else' }] });
    const headers = { 'x-api-key': sandbox.apiKey, 'content-type': 'application/json' };
    await fetch(`${baseUrl}/v1/user`, { method: 'POST', headers, body });
    const report = await json('push', '--yes', '--max-wait', '1ms');
    expect(report).toMatchObject({ exit_code: 7, mappings: [{ created: 2, deferred: 3 }] });
    expect(writes).toHaveLength(4);
  });
});
