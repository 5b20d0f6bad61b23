import { rmSync, writeFileSync } from 'node:fs';
import { request, type IncomingHttpHeaders } from 'node:http';
import { connect } from 'node:net';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Run } from '../../src/model/state/store.ts';
import { outcomeCounts } from '../../src/plan/counts.ts';
import { readConfig } from '../../src/runtime/config/config.ts';
import { serveDashboard, type Dashboard } from '../../src/serve/dashboard.ts';
import type { Folder } from '../../src/serve/desk.ts';
import type { Listening } from '../../src/serve/listen.ts';
import { serveProbe } from '../../src/serve/probe.ts';
import { createLock, lockFolder } from '../../src/state/sqlite/lock.ts';
import { openStore } from '../../src/state/sqlite/store.ts';
import { keepLastRun } from '../../src/sync/journal/last-run.ts';
import { makeFolder } from '../support/cli.ts';
import { virtualClock } from '../support/clock.ts';
import { runRow } from '../support/run-row.ts';
import { words } from '../support/said.ts';

const KEY = 'canary-key-0123456789abcdef';
const ACCOUNT = { baseUrl: 'https://data.example', accountId: 'club' };
const clock = virtualClock();

let folder: ReturnType<typeof makeFolder>;
let source: Folder;
let warnings: string[];
const open: Listening[] = [];

beforeEach(() => {
  warnings = [];
  folder = makeFolder({
    'teamsheet.yaml':
      'version: 1\nenvironments: { live: { base_url: "https://data.example", api_key: { env: KEY } } }\n',
    'mappings/m.yaml':
      '- { version: 1, name: users, push: users, source: { csv: users.csv }, operation: upsert, columns: { external_id: Member ID, display_name: Name } }\n',
  });
  source = {
    readConfig: () => readConfig({ var: {} }, { env: { KEY }, cwd: folder.path }),
    cwd: folder.path,
    clock,
    warn: (message) => warnings.push(message),
    renderNext: (next) => `teamsheet ${next}`,
  };
});
afterEach(async () => {
  for (const each of open.splice(0)) await each.close();
  folder.remove();
});

async function start(): Promise<Dashboard> {
  const dashboard = await serveDashboard(source, 0, 'dashboard');
  open.push(dashboard);
  return dashboard;
}

interface Got {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
}

/** One request, with any headers: `fetch` lets nobody name another host. */
function ask(
  port: number,
  path: string,
  headers: Readonly<Record<string, string>> = {},
  method = 'GET',
): Promise<Got> {
  return new Promise((resolve, reject) => {
    const sent = request({ host: '127.0.0.1', port, path, method, headers, agent: false }, (response) => {
      let body = '';
      response.setEncoding('utf8').on('data', (text: string) => (body += text));
      response.on('end', () =>
        resolve({ status: response.statusCode ?? 0, headers: response.headers, body }),
      );
    });
    sent.on('error', reject).end();
  });
}

/** Opens the link, and answers the cookie that it became. */
async function signIn({ link, port }: Dashboard): Promise<{ readonly cookie: string }> {
  const { status, headers } = await ask(port, link.slice(link.indexOf('/?')));
  expect([status, headers.location]).toEqual([303, '/']);
  const [cookie = '', ...attributes] = (headers['set-cookie']?.[0] ?? '').split('; ');
  expect(attributes).toEqual(['Path=/', 'HttpOnly', 'SameSite=Strict']);
  return { cookie };
}

const run = (changes: Partial<Run>): Run => ({
  id: '01RUN',
  command: 'sync',
  account: ACCOUNT,
  startedAtMs: clock.now() - 60_000,
  endedAtMs: clock.now(),
  exitCode: 3,
  phase: 'ended',
  finished: true,
  mappings: JSON.stringify({
    mappings: [
      {
        name: 'users',
        source: { location: { kind: 'sheet', spreadsheet: 'S1', tab: 'Users' }, origin: 'Users' },
      },
    ],
    options: {},
  }),
  summaries: [
    {
      name: 'users',
      resource: 'users',
      direction: 'push',
      deactivated: 0,
      results: 'users.results.csv',
      ...outcomeCounts(new Map([['invalid', 60]] as const)),
    },
  ],
  requests: { planned: 1, sent: 7, reads: 6, writes: 1, throttled: 0, waited_ms: 0 },
  ...changes,
});

const REPORT = {
  name: 'fixtures',
  resource: 'fixtures',
  direction: 'pull',
  records: 380,
  rows: 380,
  destination: 'out/fixtures.csv',
} as const;

/** A state with runs and a pull, and the results of sixty refused rows. */
async function fill(...runs: readonly Run[]): Promise<void> {
  const store = await openStore({ file: join(folder.path, '.teamsheet/state.sqlite'), clock });
  for (const each of runs) await store.addRun(each);
  await store.addPull(run({ id: '01PULL', command: 'pull', startedAtMs: clock.now(), summaries: [REPORT] }));
  const rows = await store.openRunRows('01RUN');
  await rows.setHeader('users', ['Member ID', 'Name']);
  const issue = { code: 'cell.length', severity: 'error', column: 'Name', message: 'too long' } as const;
  await rows.add('users', [
    runRow({ rowNumber: 2, outcome: 'invalid', said: [{ code: 'issue', issue }] }),
    runRow({ rowNumber: 3, outcome: 'invalid', said: words('wrong') }),
  ]);
  await rows.keepWritten();
  await store.setFact({ baseUrl: 'https://sheets.googleapis.com', accountId: 'S1' }, 'tab Users', '77');
  await store.close();
  const lines = Array.from(
    { length: 60 },
    (_, index) => `m-${index},x,${index + 2},invalid,wrong ${KEY} ${index + 2},`,
  );
  folder.write('users.results.csv', `Member ID,Name,_row,_outcome,_message,_id\n${lines.join('\n')}\n`);
}

const PATHS = ['/', '/runs', '/budget', '/weeks', '/alerts', '/cases'];

describe('the dashboard', () => {
  it('shows nothing without the link, and says what to type', async () => {
    const dashboard = await start();
    for (const path of [...PATHS, '/?token=', '/?token=wrong', '/runs/01RUN', '/nowhere']) {
      const { status, body } = await ask(dashboard.port, path);
      expect([path, status]).toEqual([path, 401]);
      expect(body).toContain('<code>teamsheet dashboard</code>');
    }
    const { cookie } = await signIn(dashboard);
    expect((await ask(dashboard.port, '/', { cookie: `${cookie}x` })).status).toBe(401);
    expect((await ask(dashboard.port, '/', { cookie: `a=b; ${cookie}; c=d` })).status).toBe(200);
  });

  it('has another link and another cookie each time, and one dashboard does not know the cookie of another', async () => {
    const [one, other] = [await start(), await start()];
    expect(one.link.split('token=')[1]).not.toBe(other.link.split('token=')[1]);
    const { cookie } = await signIn(one);
    const value = cookie.slice(cookie.indexOf('='));
    expect((await ask(other.port, '/', { cookie: `teamsheet_${other.port}${value}` })).status).toBe(401);
  });

  it.each(['data.example', 'evil.example:80', '127.0.0.1.evil.example', 'localhost.evil.example:8790'])(
    'refuses the host %j, the link with it too',
    async (host) => {
      const dashboard = await start();
      const headers = { ...(await signIn(dashboard)), host };
      for (const path of ['/', '/style.css', dashboard.link.slice(dashboard.link.indexOf('/?'))]) {
        const { status, headers: got } = await ask(dashboard.port, path, headers);
        expect([status, got['set-cookie']]).toEqual([421, undefined]);
      }
    },
  );

  it.each(['127.0.0.1', 'localhost:1', '[::1]:8790'])('answers to the host %s', async (host) => {
    const dashboard = await start();
    const headers = { ...(await signIn(dashboard)), host };
    expect((await ask(dashboard.port, '/', headers)).status).toBe(200);
  });

  it.each(['POST', 'PUT', 'DELETE', 'OPTIONS', 'PATCH'])('does not take %s', async (method) => {
    const dashboard = await start();
    const { status, headers } = await ask(dashboard.port, '/', await signIn(dashboard), method);
    expect([status, headers.allow]).toEqual([405, 'GET, HEAD']);
  });

  it('runs no script, loads nothing from elsewhere, is not framed and not kept', async () => {
    await fill(run({}));
    const dashboard = await start();
    const headers = await signIn(dashboard);
    for (const path of [...PATHS, '/runs/01RUN', '/nowhere', '/style.css', '/icon.svg']) {
      const got = await ask(dashboard.port, path, headers);
      expect(got.status).toBe(path === '/nowhere' ? 404 : 200);
      expect(got.headers['content-security-policy']).toBe(
        "default-src 'none'; style-src 'self'; img-src 'self'; form-action 'none'; base-uri 'none'; frame-ancestors 'none'",
      );
      expect(got.headers).toMatchObject({
        'cache-control': 'no-store',
        'referrer-policy': 'no-referrer',
        'x-content-type-options': 'nosniff',
        'x-frame-options': 'DENY',
      });
      expect(got.body).not.toMatch(
        /<script|<style|\sstyle=|\son\w+=|\ssrc=|url\(|@import|undefined|NaN|\[object/,
      );
    }
  });

  it('shows what ran, each refused row with its reason and the link to its cell, page by page', async () => {
    await fill(run({}), run({ id: '01ELSE', account: { ...ACCOUNT, baseUrl: 'https://other.example' } }));
    const dashboard = await start();
    const headers = await signIn(dashboard);
    const overview = await ask(dashboard.port, '/', headers);
    expect(overview.body).toContain('<span class="badge bad">failing</span>');
    expect(overview.body).toContain('href="/runs/01RUN"');
    const list = await ask(dashboard.port, '/runs', headers);
    expect(list.body.match(/href="\/runs\/\w+"/g)).toEqual(['href="/runs/01PULL"', 'href="/runs/01RUN"']);
    expect((await ask(dashboard.port, '/runs/01PULL', headers)).body).toContain('<b>380</b> records');
    expect((await ask(dashboard.port, '/runs/01ELSE', headers)).status).toBe(404);
    const { body } = await ask(dashboard.port, '/runs/01RUN', headers);
    const sheet = 'https://docs.google.com/spreadsheets/d/S1/edit#gid=77&amp;range=';
    expect(body).toContain(`href="${sheet}B2"`);
    expect(body).toContain(`href="${sheet}3:3"`);
    expect(body.match(/<li><p class="head-row">/g)).toHaveLength(50);
    expect(body).toContain('Page 1 of 2, 60 in all');
    const next = await ask(dashboard.port, '/runs/01RUN?mapping=users&rows=refused&page=2', headers);
    expect(next.body.match(/<li><p class="head-row">/g)).toHaveLength(10);
    expect(next.body).toContain('Row 61');
  });

  it('shows a mapping as failing whose run ended before anything was sent, unless by a signal', async () => {
    const mappings = JSON.stringify({ mappings: [{ name: 'users', resource: 'users' }], options: {} });
    const stopped = { summaries: [], mappings, startedAtMs: clock.now() + 1 };
    await fill(
      run({}),
      run({ ...stopped, id: '01STOP', exitCode: 6 }),
      run({ ...stopped, id: '01CUT', exitCode: 130 }),
    );
    const dashboard = await start();
    const { body } = await ask(dashboard.port, '/', await signIn(dashboard));
    expect(body).toContain('href="/runs/01STOP"');
    expect(body).toContain('failed: it ended before anything was sent, with exit code 6');
    expect(body).not.toContain('01CUT');
  });

  it('shows the last run and the last pull of a mapping, however many others came since', async () => {
    folder.write(
      'mappings/rare.yaml',
      '- { version: 1, name: rare, push: users, source: { csv: users.csv }, operation: upsert, columns: { external_id: Member ID, display_name: Name } }\n' +
        '- { version: 1, name: fixtures, pull: fixtures, where: { fantasy_league_id: 1 }, destination: { csv: f.csv }, columns: { Id: id } }\n',
    );
    const [pushed] = run({}).summaries;
    const rare = run({ id: '01A', summaries: pushed === undefined ? [] : [{ ...pushed, name: 'rare' }] });
    const pull = run({ id: '01B', command: 'pull', summaries: [REPORT], mappings: '{"pulls":[]}' });
    const store = await openStore({ file: join(folder.path, '.teamsheet/state.sqlite'), clock });
    await store.addRun(rare);
    await keepLastRun(store, rare);
    await store.addPull(pull);
    await keepLastRun(store, pull);
    for (let n = 0; n < 1000; n += 1)
      await store.addRun(run({ id: `02${n}`, startedAtMs: clock.now(), command: 'push' }));
    const dashboard = await start();
    const { body } = await ask(dashboard.port, '/', await signIn(dashboard));
    expect(body).toContain('href="/runs/01A"');
    expect(body).toContain('href="/runs/01B"');
    expect(body).not.toContain('no run kept');
    await store.removeRuns(['01A']);
    expect((await ask(dashboard.port, '/', await signIn(dashboard))).body).toContain('no run kept');
    await store.close();
  }, 60_000);

  it('says which run is at work, and no longer once its process is gone', async () => {
    const mappings = JSON.stringify({ mappings: [{ name: 'users', resource: 'users' }], options: {} });
    const cut = { summaries: [], mappings, endedAtMs: null, exitCode: null, finished: false } as const;
    await fill(
      run({ ...cut, id: '01CUT', phase: 'writing' }),
      run({ ...cut, id: '01WORK', phase: 'writing', startedAtMs: clock.now() - 1 }),
    );
    const env = { KEY, XDG_STATE_HOME: join(folder.path, 'locks') };
    source = { ...source, readConfig: () => readConfig({ var: {} }, { env, cwd: folder.path }) };
    const held = await createLock({ folder: lockFolder(env) }).acquire(ACCOUNT, 'push');
    const dashboard = await start();
    const headers = await signIn(dashboard);
    const show = async (path: string): Promise<string> => (await ask(dashboard.port, path, headers)).body;
    const badge = '<span class="badge">running</span>';
    expect(await show('/')).toContain(`<a href="/runs/01WORK">${badge}</a>`);
    expect((await show('/runs')).split(badge)).toHaveLength(2);
    expect(await show('/runs/01WORK')).toContain('It is running');
    expect(await show('/runs/01CUT')).toContain('teamsheet resume 01CUT');
    await held.release();
    expect(await show('/')).not.toContain(badge);
    expect(await show('/runs/01WORK')).toContain('teamsheet resume 01WORK');
  });

  it('does not say of a run whose rows are lost that it sent nothing', async () => {
    const mappings = JSON.stringify({ mappings: [{ name: 'users', resource: 'users' }], options: {} });
    await fill(run({ summaries: [], mappings, exitCode: 8, rowsLost: true }));
    const dashboard = await start();
    const { body } = await ask(dashboard.port, '/', await signIn(dashboard));
    expect(body).toContain('failed: it was cut off, and its rows are lost');
  });

  it('shows the API key nowhere, though the state holds it', async () => {
    await fill(run({}));
    const dashboard = await start();
    const headers = await signIn(dashboard);
    const { body } = await ask(dashboard.port, '/runs/01RUN', headers);
    expect(body).toContain('wrong [redacted] 2');
    expect(body).not.toContain(KEY);
  });

  it('says that the results of a run are gone', async () => {
    await fill(run({}));
    rmSync(join(folder.path, 'users.results.csv'));
    const dashboard = await start();
    const { status, body } = await ask(dashboard.port, '/runs/01RUN', await signIn(dashboard));
    expect([status, body.includes('<code>users.results.csv</code> is gone')]).toEqual([200, true]);
  });

  it('says what is wrong with the configuration, and shows what it can', async () => {
    const dashboard = await start();
    const headers = await signIn(dashboard);
    folder.write('mappings/m.yaml', '- { version: 1, name: users, push: nothing }\n');
    const broken = await ask(dashboard.port, '/', headers);
    expect([broken.status, broken.body.includes('m.yaml')]).toEqual([503, true]);
    expect((await ask(dashboard.port, '/runs', headers)).status).toBe(200);
    expect(warnings).toEqual([]);
  });

  it('outlives strange requests', async () => {
    const dashboard = await start();
    const headers = await signIn(dashboard);
    for (const path of [
      '//',
      '/..%2f..',
      '/runs/',
      '/runs/%',
      '/runs/constructor',
      '/__proto__',
      '/constructor',
    ])
      expect([path, (await ask(dashboard.port, path, headers)).status]).toEqual([path, 404]);
    for (const path of ['/runs?page=x', '/runs?page=-1&page=2', '/cases?page=99', '/alerts?page=1e9'])
      expect((await ask(dashboard.port, path, headers)).status).toBe(200);
  });

  it('ends although a browser holds a connection open that asks nothing', async () => {
    const { port } = await start();
    const socket = connect(port, '127.0.0.1');
    await new Promise((resolve) => socket.once('connect', resolve));
    const closed = new Promise((resolve) => socket.once('close', resolve));
    await open.pop()?.close();
    await closed;
  });

  it('cannot have a port twice', async () => {
    const { port } = await start();
    await expect(serveDashboard(source, port, 'dashboard')).rejects.toMatchObject({ code: 'serve.listen' });
  });
});

describe('the probe', () => {
  const probe = async (isAlive = () => true): Promise<number> => {
    const listening = await serveProbe(
      { host: '127.0.0.1', port: 0 },
      { folder: source, version: '1.0.0', isAlive },
    );
    open.push(listening);
    return listening.port;
  };

  it('answers two paths and nothing else, to whatever host', async () => {
    await fill(run({}));
    const port = await probe();
    const health = await ask(port, '/healthz', { host: 'teamsheet:8791' });
    expect([health.status, health.body]).toEqual([200, 'ok\n']);
    const metrics = await ask(port, '/metrics?x=1');
    expect(metrics.headers['content-type']).toBe('text/plain; version=0.0.4; charset=utf-8');
    expect(metrics.body).toContain(
      'teamsheet_mapping_last_rows{mapping="users",direction="push",outcome="invalid"} 60',
    );
    for (const path of ['/', '/runs', '/style.css', '/healthz/', '/metrics/x'])
      expect((await ask(port, path)).status).toBe(404);
    expect((await ask(port, '/healthz', {}, 'POST')).status).toBe(405);
    const head = await ask(port, '/healthz', {}, 'HEAD');
    expect([head.status, head.body]).toEqual([200, '']);
  });

  it('is not well when the state cannot be read, or the loop stands', async () => {
    const stands = await probe(() => false);
    expect((await ask(stands, '/healthz')).status).toBe(503);
    const port = await probe();
    expect((await ask(port, '/healthz')).status).toBe(200);
    writeFileSync(
      join(folder.path, '.teamsheet/state.sqlite'),
      'no database, and long enough to look like one'.repeat(200),
    );
    expect((await ask(port, '/healthz')).status).toBe(503);
    expect((await ask(port, '/metrics')).status).toBe(503);
    expect(warnings).toHaveLength(1);
  });

  it('is well while a mapping is wrong', async () => {
    const port = await probe();
    folder.write('mappings/m.yaml', '- { version: 1, name: users, push: nothing }\n');
    expect((await ask(port, '/healthz')).status).toBe(200);
    expect((await ask(port, '/metrics')).status).toBe(503);
  });
});
