import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { EXIT, InterruptedError, type ExitCode } from '../../src/model/error.ts';
import type { Store } from '../../src/model/state/store.ts';
import { configOf } from '../../src/runtime/config/config.ts';
import {
  pingAll,
  sendWaiting,
  tellAlerts,
  testAddresses,
  type AlertOffice,
} from '../../src/runtime/tell-alerts.ts';
import type { Tidings } from '../../src/schedule/alerts.ts';
import type { Attempt } from '../../src/schedule/mapping-states.ts';
import { openStore } from '../../src/state/sqlite/store.ts';
import { startServer } from '../support/cli.ts';
import { patientClock, type PatientClock } from '../support/patient-clock.ts';
import { testFolder } from '../support/test-folder.ts';

const START = Date.parse('2026-08-20T10:00:00Z');
const HOUR = 3_600_000;
const SECRET = 'T0c4n4ry-9f3a-5c7e-Qw42';

interface Told {
  readonly path: string;
  readonly text: string;
  readonly atMs: number;
}

const folder = testFolder();
let clock: PatientClock;
let store: Store;
let told: Told[];
let warnings: string[];
/** What the receiver answers, by path. */
let answers: Map<string, number>;
let server: Awaited<ReturnType<typeof startServer>>;
let underWay: number;
const begun = (): void => void (underWay += 1);
const ended = (): void => void (underWay -= 1);

beforeEach(async () => {
  underWay = 0;
  clock = patientClock(START, () => underWay > 0);
  store = await openStore({ file: join(folder.path, '.teamsheet/state.sqlite'), clock });
  told = [];
  warnings = [];
  answers = new Map();
  subscribe('http.client.request.start', begun);
  subscribe('http.client.response.finish', ended);
  subscribe('http.client.request.error', ended);
  server = await startServer((request, response) => {
    let text = '';
    request.setEncoding('utf8').on('data', (part: string) => (text += part));
    request.on('end', () => {
      const path = request.url ?? '';
      told.push({ path, text, atMs: clock.now() });
      response.writeHead(answers.get(path) ?? 200).end(`an answer that quotes ${path}`);
    });
  });
});
afterEach(async () => {
  unsubscribe('http.client.request.start', begun);
  unsubscribe('http.client.response.finish', ended);
  unsubscribe('http.client.request.error', ended);
  await server.close();
  await store.close();
});

/** With two webhooks and a ping to the receiver; `env` says something else. */
function office(env: Readonly<Record<string, string>> = {}, alerts?: readonly object[]): AlertOffice {
  const config = configOf(
    {
      alerts: alerts ?? [
        { webhook: { env: 'HOOK' }, allow_private: true },
        { webhook: { env: 'SLACK' }, shape: 'slack', on: ['failing'], allow_private: true },
        { ping: { env: 'PING' }, allow_private: true },
      ],
    },
    { var: {} },
    {
      cwd: folder.path,
      env: {
        HOOK: `${server.baseUrl}/hook/${SECRET}`,
        SLACK: `${server.baseUrl}/slack/${SECRET}`,
        PING: `${server.baseUrl}/ping/${SECRET}`,
        ...env,
      },
    },
  );
  const { signal } = new AbortController();
  return { config, clock, signal, store, warn: (message) => warnings.push(message) };
}

const HOOK = `/hook/${SECRET}`;

/** A command that ran users, and came to nothing unless it ends with 0. */
function ran(exitCode: ExitCode): Tidings {
  const summary = {
    name: 'users',
    resource: 'users',
    direction: 'pull',
    records: 1,
    destination: 'x',
    rows: 1,
  } as const;
  const end = { environment: 'live', summaries: [summary], run: 'R1', exitCode };
  const attempt: Attempt = {
    asked: [{ environment: 'live', name: 'users' }],
    ends: exitCode === EXIT.done ? [end] : [],
    exitCode,
  };
  return { attempt };
}
const FAILED = ran(EXIT.unavailable);
const WORKED = ran(EXIT.done);
const events = (path = HOOK): readonly unknown[] =>
  told
    .filter((each) => each.path === path)
    .map(({ text }) => (JSON.parse(text) as { event?: unknown }).event);

describe('alerts', () => {
  it('go to each address that wants them, on a change alone', async () => {
    for (const tidings of [WORKED, FAILED, FAILED, WORKED, WORKED])
      await clock.drive(tellAlerts(office(), tidings));
    expect(events()).toEqual(['failing', 'recovered']);
    expect(JSON.parse(told[0]?.text ?? '')).toEqual({
      event: 'failing',
      environment: 'live',
      league: null,
      mapping: 'users',
      since: new Date(START).toISOString(),
      run: null,
      exit_code: 8,
      counts: null,
      message: 'users: nothing came through: something that it needs did not answer',
      next: 'teamsheet doctor',
    });
    const slack = told.filter(({ path }) => path.startsWith('/slack/'));
    expect(slack.map(({ text }) => JSON.parse(text) as unknown)).toMatchObject([
      { text: expect.stringMatching(/^failing: live: users: /) as string, link_names: false },
    ]);
    expect(warnings).toEqual([]);
    expect(await store.alerts.waiting()).toEqual([]);
  });

  it('that are refused are tried again after 5 s, and with the next command that sends', async () => {
    answers.set(HOOK, 503);
    await clock.drive(tellAlerts(office(), FAILED));
    expect(told.filter(({ path }) => path === HOOK).map(({ atMs }) => atMs - START)).toEqual([
      0, 5000, 15_000,
    ]);
    expect(warnings).toEqual([
      'alert "failing" to json env HOOK: answered 503; it is tried again',
      'alert "failing" to json env HOOK: answered 503; it is tried again',
      'alert "failing" to json env HOOK: answered 503; it is tried again',
    ]);
    expect(events(`/slack/${SECRET}`)).toHaveLength(1);
    await clock.drive(sendWaiting(office(), 0));
    expect(events()).toHaveLength(3);
    clock.pass(20_000);
    answers.clear();
    await clock.drive(sendWaiting(office(), 0));
    expect(events()).toEqual(['failing', 'failing', 'failing', 'failing']);
    const [sent] = (await store.alerts.ended(9)).filter(({ to }) => to === 'json env HOOK');
    expect(sent).toMatchObject({ end: 'sent', tries: 4, last: { ok: true, status: 200 } });
  });

  it('keep their order behind one that is tried again', async () => {
    answers.set(HOOK, 500);
    await clock.drive(tellAlerts(office(), FAILED));
    clock.pass(1000);
    await clock.drive(tellAlerts(office(), WORKED));
    expect(new Set(events())).toEqual(new Set(['failing']));
    answers.clear();
    clock.pass(HOUR);
    told = [];
    await clock.drive(sendWaiting(office(), 0));
    expect(events()).toEqual(['failing', 'recovered']);
  });

  it('are given up after a day, and that is said', async () => {
    answers.set(HOOK, 500);
    await clock.drive(tellAlerts(office(), FAILED));
    for (let hour = 1; hour <= 24; hour += 1) {
      clock.pass(HOUR);
      await clock.drive(sendWaiting(office(), 0));
    }
    expect(warnings.at(-1)).toBe('alert "failing" to json env HOOK: answered 500; given up after a day');
    expect(await store.alerts.waiting()).toEqual([]);
    expect(await store.alerts.ended(9)).toMatchObject([
      { end: 'sent' },
      { end: 'given_up', last: { status: 500 } },
    ]);
  });

  it('survive a process that ends between the outbox and the address', async () => {
    const stop = new AbortController();
    stop.abort(new InterruptedError('SIGTERM', 'stopped'));
    await clock.drive(tellAlerts({ ...office(), signal: stop.signal }, FAILED));
    expect(told).toEqual([]);
    await store.close();
    store = await openStore({ file: join(folder.path, '.teamsheet/state.sqlite'), clock });
    // Nobody knows whether the process that took them sent them.
    clock.pass(60_000);
    await clock.drive(sendWaiting(office(), 0));
    expect(events()).toEqual(['failing']);
  });

  it('are sent once where two processes send at the same time', async () => {
    await store.alerts.change(() => ({ states: [], letters: [], forgetBeforeMs: 0 }));
    await clock.drive(Promise.all([tellAlerts(office(), FAILED), tellAlerts(office(), FAILED)]));
    expect(events()).toEqual(['failing']);
  });

  it('wait for an address that is not set, is none, or is gone from the configuration', async () => {
    await clock.drive(tellAlerts(office({ HOOK: '', SLACK: 'hooks.example/x' }), FAILED));
    expect(new Set(warnings)).toEqual(
      new Set([
        'alert "failing" to json env HOOK: it is not set, or its file cannot be read; it is tried again',
        'alert "failing" to slack env SLACK: it is no address that begins with https:// or http://; it is tried again',
      ]),
    );
    clock.pass(HOUR);
    warnings = [];
    await clock.drive(sendWaiting(office({}, []), 0));
    expect(warnings[0]).toBe(
      'alert "failing" to json env HOOK: teamsheet.yaml no longer names it; it is tried again',
    );
    clock.pass(HOUR);
    await clock.drive(sendWaiting(office(), 0));
    expect(events()).toEqual(['failing']);
  });

  it('go to no private address without allow_private', async () => {
    await clock.drive(tellAlerts(office({}, [{ webhook: { env: 'HOOK' } }]), FAILED));
    expect(told).toEqual([]);
    expect(warnings[0]).toContain(
      'it is of this machine or of a private network; allow_private: true allows that',
    );
  });

  it('are told of deadlines and leagues once', async () => {
    const deadline = { environment: 'live', name: 'users', week: 9, gameWeekId: 'w9', atMs: START + HOUR };
    const rows = { rows: 3, created: 1, updated: 0, unchanged: 0, invalid: 2, rejected: 0, excluded: 0 };
    const summary = {
      ...({ name: 'users', resource: 'users', direction: 'push', deactivated: 0, results: null } as const),
      ...{ ...rows, deferred: 0, unknown: 0, conflict: 0 },
    };
    const end = { environment: 'live', summaries: [summary], run: 'R1', exitCode: EXIT.rows };
    const attempt: Attempt = { asked: [], ends: [end], exitCode: EXIT.rows };
    const notice = {
      environment: 'live',
      league: null,
      event: 'week_missing',
      week: 9,
      gameWeekId: 'w9',
      squads: 60,
      missing: 4,
      untilMs: START + HOUR,
    } as const;
    for (let minute = 0; minute < 3; minute += 1) {
      await clock.drive(tellAlerts(office(), { attempt, deadlines: [deadline], notices: [notice] }));
      clock.pass(60_000);
    }
    expect(events()).toEqual(['degraded', 'deadline_near', 'week_missing']);
  });
});

describe("a dead man's switch", () => {
  it('is told of the beginning and of the end', async () => {
    for (const moment of ['start', 'success', 'start', 'fail'] as const)
      await clock.drive(pingAll(moment, office()));
    const path = `/ping/${SECRET}`;
    expect(told.map(({ path: at }) => at)).toEqual([`${path}/start`, path, `${path}/start`, `${path}/fail`]);
    expect(told.every(({ text }) => text === '')).toBe(true);
  });

  it('that does not answer is a warning', async () => {
    answers.set(`/ping/${SECRET}`, 404);
    await clock.drive(pingAll('success', office()));
    expect(warnings).toEqual(['ping env PING (success): answered 404']);
  });
});

describe('a test of the addresses', () => {
  it('sends one to each, and says what came back', async () => {
    answers.set(`/slack/${SECRET}`, 403);
    const results = await clock.drive(testAddresses('live', office({ PING: '' })));
    expect(results).toEqual([
      { to: 'json env HOOK', ok: true, status: 200, fault: null },
      { to: 'slack env SLACK', ok: false, status: 403, fault: null },
      { to: 'ping env PING', ok: false, status: null, fault: 'unset' },
    ]);
    expect(events()).toEqual(['test']);
    expect(await store.alerts.states()).toEqual([]);
  });

  it('reads an address from a file, and warns of one that others can read or that goes without TLS', async () => {
    writeFileSync(join(folder.path, 'hook.txt'), `${server.baseUrl}${HOOK}\n`, { mode: 0o644 });
    writeFileSync(join(folder.path, 'open.txt'), 'http://hooks.example/x', { mode: 0o600 });
    const alerts = [
      { webhook: { file: 'hook.txt' }, allow_private: true },
      { webhook: { file: 'open.txt' } },
      { webhook: { file: 'none.txt' } },
      { webhook: { file: '${NOT_SET}/x' } },
    ];
    const desk = { ...office({}, alerts), resolve: () => Promise.reject(new Error('no such host')) };
    const results = await clock.drive(testAddresses('live', desk));
    expect(results.map(({ fault }) => fault)).toEqual([null, 'dns', 'unset', 'unset']);
    expect(events()).toEqual(['test']);
    expect(warnings).toEqual([
      expect.stringContaining('json file hook.txt: ') as string,
      'json file open.txt: it begins with http://, which shows it to the network; https:// does not',
    ]);
  });
});

it('addresses are in no state, no warning and no error', async () => {
  answers.set(HOOK, 500);
  await clock.drive(pingAll('start', office()));
  await clock.drive(tellAlerts(office(), FAILED));
  await clock.drive(
    tellAlerts(office({ HOOK: `${server.baseUrl}/${SECRET}`, PING: `nowhere ${SECRET}` }), WORKED),
  );
  await clock.drive(pingAll('fail', office({ PING: `nowhere ${SECRET}` })));
  const files = readdirSync(join(folder.path, '.teamsheet'));
  expect(files).toContain('state.sqlite');
  const texts = [
    ...files.map((name) => readFileSync(join(folder.path, '.teamsheet', name), 'latin1')),
    ...warnings,
  ];
  expect(warnings.length).toBeGreaterThan(2);
  const forms = [
    SECRET,
    SECRET.slice(0, 8),
    SECRET.slice(-8),
    Buffer.from(SECRET).toString('base64'),
    '127.0.0.1',
  ];
  expect(texts.flatMap((text) => forms.filter((form) => text.includes(form)))).toEqual([]);
});
