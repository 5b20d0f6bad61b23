import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { SandboxOptions } from '../../src/sandbox/index.ts';
import { signalOnce, USERS_MAPPING, type Outcome } from '../support/cli.ts';
import { program, settlesIn } from '../support/program.ts';

const KEYS = Array.from({ length: 120 }, (_, at) => `M-${String(at + 1).padStart(6, '0')}`);
const sheet = (keys: readonly string[]): string =>
  `Member ID,Name,Active\n${keys.map((key, at) => `${key},Member ${at + 1},\n`).join('')}`;

const REPORT = 'version: 1\nname: all-users\npull: users\ndestination: { csv: out/users.csv }\n';
/** Everything whose key holds a text, each looked up by the texts of the others. */
const LEAGUE = '{ value: Summer Cup, lookup: { in: fantasy_leagues, match: name, take: id } }';
const SEASON_MAPPINGS = `- version: 1
  name: users
  push: users
  source: { csv: users.csv }
  operation: upsert
  columns: { external_id: Member ID, display_name: Name }
- version: 1
  name: leagues
  push: fantasy_leagues
  source: { csv: leagues.csv }
  operation: create
  columns: { name: Name, league_id: League id }
- version: 1
  name: cups
  push: mini_leagues
  source: { csv: cups.csv }
  operation: create
  columns: { fantasy_league_id: ${LEAGUE}, name: Name, type: { value: open } }
- version: 1
  name: squads
  push: squads
  source: { csv: squads.csv }
  operation: create
  columns:
    fantasy_league_id: ${LEAGUE}
    user_id: { from: Member ID, lookup: { in: users, match: external_id, take: user_id } }
    name: Squad
    players_in: { from_all: [P1, P2], type: integer, blank: omit }
`;
const SEASON = {
  'users.csv': 'Member ID,Name\nM-001-north,Ann\nM-002-north,Bob\nM-003-north,Cleo\n',
  'leagues.csv': 'Name,League id\nSummer Cup,1\nWinter Cup,1\n',
  'cups.csv': 'Name\nOffice Cup\nPub Cup\n',
  'squads.csv':
    'Member ID,Squad,P1,P2\nM-001-north,Hill XI,1,2\nM-002-north,Hill XI,1,2\nM-003-north,Dale XI,1,2\n',
};

type Settings = NonNullable<SandboxOptions['settings']>;

const { folder, service, run, runWith, json, ...own } = program(
  {
    'teamsheet.yaml': settlesIn('100ms'),
    'mappings/users.yaml': `${USERS_MAPPING}batch_size: 40\n`,
    'mappings/report.yaml': REPORT,
    'users.csv': sheet(KEYS),
  },
  { here: true },
);
const start = (settings: Settings): Promise<void> => own.start({ settings });
const writes = (): number => own.writes().length;
async function usersOfService(): Promise<number> {
  const answer = await fetch(`${service.baseUrl}/v1/auth/account`, {
    headers: { 'x-api-key': service.apiKey },
  });
  const { data } = (await answer.json()) as {
    data: { config: { features: { users: { used: number } } } };
  };
  return data.config.features.users.used;
}

async function activeUsers(): Promise<readonly boolean[]> {
  const answer = await fetch(`${service.baseUrl}/v1/user`, { headers: { 'x-api-key': service.apiKey } });
  const { data } = (await answer.json()) as {
    data: readonly { readonly external_id: string; readonly is_active: boolean }[];
  };
  return data
    .toSorted((a, b) => (a.external_id.toLowerCase() < b.external_id.toLowerCase() ? -1 : 1))
    .map(({ is_active }) => is_active);
}

async function createStranger(external_id: string): Promise<void> {
  const answer = await fetch(`${service.baseUrl}/v1/user`, {
    method: 'POST',
    headers: { 'x-api-key': service.apiKey, 'content-type': 'application/json' },
    body: JSON.stringify({ users: [{ external_id, display_name: 'A stranger' }] }),
  });
  expect(answer.status).toBe(201);
}

/** Runs a command that is killed as soon as something is so. */
const killedAfter = (isSo: () => boolean, ...args: readonly string[]): Promise<Outcome> =>
  runWith({ during: signalOnce('SIGKILL', isSo) }, ...args);

/** A second push finds every row as it is, and verify too. */
async function expectSettled(count: number): Promise<void> {
  const before = writes();
  expect(await json('push')).toMatchObject({ exit_code: 0, mappings: [{ unchanged: count }] });
  expect(await json('verify')).toMatchObject({ exit_code: 0 });
  expect(writes()).toBe(before);
  expect(await usersOfService()).toBe(count);
}

describe('a service that spells keys its own way', () => {
  it.each<[string, Settings]>([
    ['in lower case, and takes repeats', { key_case: 'lower', repeated_external_id: 'duplicate' }],
    ['in lower case, and refuses repeats', { key_case: 'lower', key_unique: 'shown' }],
    [
      'in lower case in lists alone',
      { key_case: 'lower', key_shown: 'lists', repeated_external_id: 'duplicate' },
    ],
    [
      'in lower case in answers alone',
      { key_case: 'lower', key_shown: 'answers', repeated_external_id: 'duplicate' },
    ],
  ])('%s: 120 rows are 120 users, and the second push is empty', async (_, settings) => {
    await start(settings);
    expect(await json('push')).toMatchObject({ exit_code: 0, mappings: [{ rows: 120, created: 120 }] });
    expect(await usersOfService()).toBe(120);
    await expectSettled(120);
    expect((await run('pull', 'all-users')).code).toBe(0);
  });

  it.each<[string, Settings, number]>([
    ['takes repeats', { repeated_external_id: 'duplicate' }, 121],
    ['answers with what it has', { repeated_external_id: 'merge' }, 120],
  ])(
    'that %s: where all rows are there and the state is lost, one row tells how it spells',
    async (_, settings, count) => {
      await start({ key_case: 'lower', key_unique: 'shown', ...settings });
      await json('push');
      rmSync(join(folder.path, '.teamsheet'), { recursive: true });
      expect(await json('push')).toMatchObject({
        exit_code: 7,
        mappings: [{ created: 1, deferred: 119, unknown: 0 }],
      });
      expect((await run('resume', '--yes')).code).not.toBe(1);
      expect(await usersOfService()).toBe(count);
      const before = writes();
      const conflict = count - 120;
      expect(await json('push')).toMatchObject({ mappings: [{ unchanged: 120 - conflict, conflict }] });
      expect([await usersOfService(), writes()]).toEqual([count, before]);
    },
  );

  it.each<[string, NonNullable<Settings['key_form']>, (key: string) => string]>([
    ['without zeros in front', 'no_zeros', (key) => key.slice(2)],
    ['without dashes', 'no_dashes', (key) => key],
    ['with a prefix', 'prefixed', (key) => key],
  ])(
    '%s in lists alone, and takes repeats: the ids of records tell whose they are',
    async (_, key_form, keyOf) => {
      await start({ key_form, key_shown: 'lists', repeated_external_id: 'duplicate' });
      folder.write('users.csv', sheet(KEYS.map(keyOf)));
      expect(await json('push')).toMatchObject({ exit_code: 0, mappings: [{ created: 120 }] });
      await expectSettled(120);
      await expectSettled(120);
      folder.write('users.csv', sheet(KEYS.map(keyOf)).replace('Member 7,', 'Member seven,'));
      expect(await json('push')).toMatchObject({ exit_code: 0, mappings: [{ unchanged: 119, updated: 1 }] });
      await expectSettled(120);
      // Without its state nothing proves it.
      rmSync(join(folder.path, '.teamsheet'), { recursive: true });
      const plan = await run('plan');
      expect([plan.code, plan.stderr]).toEqual([
        0,
        expect.stringContaining('and no row has one of their keys. Row 2, '),
      ]);
    },
  );

  it('with a cut end: keys that are cut differently are one each, and keys that become one are invalid', async () => {
    await start({ key_cut: 8, key_case: 'upper', repeated_external_id: 'duplicate' });
    folder.write('users.csv', sheet(['north-01-Ann', 'south-01-Bob', 'west-1']));
    expect(await json('push')).toMatchObject({ exit_code: 0, mappings: [{ created: 3 }] });
    await expectSettled(3);
    folder.write('users.csv', sheet(['north-01-Ann', 'south-01-Bob', 'west-1', 'EAST-01-Cy', 'east-01-Di']));
    const before = writes();
    expect(await json('push')).toMatchObject({ exit_code: 3, mappings: [{ unchanged: 3, invalid: 2 }] });
    expect(writes()).toBe(before);
    expect((await run('push', '--yes')).stderr).toContain(
      'the service does not tell its key from "EAST-01-Cy" of row 5',
    );
  });

  it.each<[string, Settings]>([
    ['takes repeats', { key_case: 'lower', repeated_external_id: 'duplicate' }],
    ['refuses repeats', { key_case: 'lower', key_unique: 'shown' }],
    ['cuts', { key_cut: 7, repeated_external_id: 'duplicate' }],
  ])(
    'a kill before the answer of a batch loses nothing and writes nothing twice where it %s',
    async (_, settings) => {
      folder.write('users.csv', sheet(KEYS.map((key) => `U${key.slice(2)}-north`)));
      await start({ ...settings, latency_ms: 40 });
      const killed = await killedAfter(() => writes() >= 2, 'push', '--yes');
      expect(killed.code).toBeNull();
      // What another command lists meanwhile is no proof that it was there before.
      expect((await run('plan')).code).toBe(0);
      expect(await json('resume')).toMatchObject({ exit_code: 0 });
      await expectSettled(120);
    },
  );

  it.each<[string, Settings]>([
    ['takes repeats', { key_case: 'lower', repeated_external_id: 'duplicate' }],
    ['lists alone', { key_case: 'lower', key_shown: 'lists', repeated_external_id: 'duplicate' }],
  ])('an answer that is lost is found in the list where it %s', async (_, settings) => {
    await own.start({
      settings,
      faults: [{ kind: 'reset', operation: 'create-users', processed: true }],
    });
    expect(await json('push')).toMatchObject({ exit_code: 0, mappings: [{ created: 120 }] });
    await expectSettled(120);
  });

  it.each<[string, Settings]>([
    ['a 409', {}],
    ['HTTP 200 around a 409', { error_shape: 'http_200' }],
    ['an answer without it', { repeated_external_id: 'skip' }],
  ])(
    'a row alone whose key somebody holds in another spelling is rejected, and nothing stays open (%s)',
    async (_, settings) => {
      await start({ key_case: 'lower', key_unique: 'shown', ...settings });
      await createStranger('m-1');
      folder.write('users.csv', sheet(['M-1']));
      const before = writes();
      for (const round of [1, 2]) {
        const pushed = await run('push', '--yes');
        expect([pushed.code, pushed.stderr]).toEqual([
          3,
          expect.stringContaining('it has "m-1", and may take it for the same key'),
        ]);
        expect(writes()).toBe(before + round);
      }
      expect((await run('resume')).stdout).toContain('othing to resume');
      expect(await usersOfService()).toBe(1);
    },
  );

  it('a row that is written over what somebody holds in another spelling is created once, as that', async () => {
    await start({ key_case: 'lower', key_unique: 'shown', repeated_external_id: 'merge' });
    await createStranger('m-1');
    folder.write('users.csv', sheet(['M-1']));
    expect(await json('push')).toMatchObject({ exit_code: 0, mappings: [{ created: 1 }] });
    expect(await json('push')).toMatchObject({ exit_code: 0, mappings: [{ unchanged: 1 }] });
    expect(await usersOfService()).toBe(1);
  });

  it('a row whose key somebody holds in another spelling does not hold up the others of its batch', async () => {
    await start({ key_case: 'lower', key_unique: 'shown' });
    await createStranger('m-000002');
    folder.write('users.csv', sheet(KEYS.slice(0, 5)));
    expect(await json('push')).toMatchObject({ exit_code: 3, mappings: [{ created: 4, rejected: 1 }] });
    expect(await usersOfService()).toBe(5);
  });

  it.each<[string, Settings, (text: string) => string]>([
    ['in upper case', { key_case: 'upper' }, (text) => text.toLowerCase()],
    [
      'in lower case and cut',
      { key_case: 'lower', key_cut: 6 },
      (text) => `${text.slice(0, 6).toUpperCase()} two`,
    ],
    ['in upper case in lists alone', { key_case: 'upper', key_shown: 'lists' }, (text) => text.toLowerCase()],
    [
      'in lower case in answers alone',
      { key_case: 'lower', key_shown: 'answers' },
      (text) => text.toUpperCase(),
    ],
    ['cut at a blank', { key_cut: 5 }, (text) => `${text.slice(0, 5)}two`],
  ])(
    '%s: users, leagues, mini leagues and squads are created once, and two that become one key are invalid',
    async (_, settings, twinOf) => {
      folder.write('mappings/users.yaml', SEASON_MAPPINGS);
      for (const [name, text] of Object.entries(SEASON)) folder.write(name, text);
      await start({ ...settings, repeated_external_id: 'duplicate' });
      const counts = async (): Promise<readonly unknown[]> => {
        const { exit_code, mappings } = await json('push');
        return [exit_code, ...mappings.map(({ created, unchanged }) => [created, unchanged])];
      };
      expect(await counts()).toEqual([0, [3, 0], [2, 0], [2, 0], [3, 0]]);
      const before = writes();
      expect(await counts()).toEqual([0, [0, 3], [0, 2], [0, 2], [0, 3]]);
      expect(await json('verify')).toMatchObject({ exit_code: 0 });

      // Leagues have no list, so that their answers alone tell how they are spelt.
      const isTold = settings.key_shown !== 'lists';
      for (const [name, file, first, rest] of [
        ['users', 'users.csv', 'M-001-north', ',Ann'],
        ['cups', 'cups.csv', 'Office Cup', ''],
        ...(isTold ? [['leagues', 'leagues.csv', 'Summer Cup', ',1'] as const] : []),
      ] as const) {
        folder.write(file, `${SEASON[file]}${twinOf(first)}${rest}\n`);
        const { exit_code, mappings } = await json('push');
        expect(exit_code).toBe(3);
        expect(mappings.find((each) => each['name'] === name)).toMatchObject({ created: 0, invalid: 2 });
        folder.write(file, SEASON[file]);
      }
      folder.write('squads.csv', `${SEASON['squads.csv']}M-001-north,${twinOf('Hill XI')},1,2\n`);
      const pushed = await run('push', '--yes');
      expect([pushed.code, pushed.stderr]).toEqual([
        3,
        expect.stringMatching(/the service does not tell its key from ".*Hill XI" of row 2/),
      ]);
      expect(writes()).toBe(before);
      expect(await usersOfService()).toBe(3);
    },
  );

  it.each<[string, Settings]>([
    ['everywhere', { key_case: 'lower' }],
    ['in lists alone', { key_case: 'lower', key_shown: 'lists' }],
    ['in answers alone', { key_case: 'lower', key_shown: 'answers' }],
    ['with a cut end', { key_cut: 5 }],
  ])('%s: a user that left the table is deactivated, and no other', async (_, settings) => {
    const keys = ['A-001-north', 'B-002-north', 'C-003-north'];
    folder.write(
      'mappings/users.yaml',
      `${USERS_MAPPING}missing_rows: deactivate\nguards: { max_deactivate: 1 }\n`,
    );
    folder.write('users.csv', sheet(keys));
    await start({ ...settings, repeated_external_id: 'duplicate' });
    await createStranger('D-004-north');
    expect(await json('push')).toMatchObject({ exit_code: 0, mappings: [{ created: 3 }] });
    const created = writes();
    expect(await json('push')).toMatchObject({ exit_code: 0, mappings: [{ unchanged: 3, deactivated: 0 }] });
    expect(writes()).toBe(created);
    folder.write('users.csv', sheet(keys.slice(0, 2)));
    expect(await json('push')).toMatchObject({ exit_code: 0, mappings: [{ unchanged: 2, deactivated: 1 }] });
    expect(await json('push')).toMatchObject({ exit_code: 0, mappings: [{ unchanged: 2, deactivated: 0 }] });
    expect(writes()).toBe(created + 1);
    expect(await activeUsers()).toEqual([true, true, false, true]);
  });

  it.each<[string, Settings]>([
    ['takes repeats', { key_case: 'lower', repeated_external_id: 'duplicate' }],
    [
      'takes repeats, and shows it in lists alone',
      { key_case: 'lower', key_shown: 'lists', repeated_external_id: 'duplicate' },
    ],
  ])(
    'push and resume that are killed again and again write nothing twice where it %s',
    async (_, settings) => {
      await start({ ...settings, latency_ms: 40 });
      // Each is killed while a request of its own is on its way.
      for (const args of [
        ['push', '--yes'],
        ['resume', '--yes'],
        ['resume', '--yes'],
      ]) {
        const seen = writes();
        const { code } = await killedAfter(() => writes() > seen, ...args);
        expect([null, 0]).toContain(code);
      }
      expect((await json('resume')).exit_code).toBe(0);
      await expectSettled(120);
    },
  );
});
