import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { describe, expect, it } from 'vitest';
import { PROFILES, profileSettings } from '../../src/sandbox/index.ts';
import type { SandboxOptions, Settings } from '../../src/sandbox/index.ts';
import type { PushResult } from '../../src/sync/push.ts';
import { mappingsOf } from '../support/builders.ts';
import type { Engine } from '../support/engine.ts';
import { settingNames } from '../support/points.ts';
import { clientOn, withSandboxEngine } from '../support/sandbox-engine.ts';
import { outcomesOf } from '../support/season/checks.ts';

const START_MS = Date.UTC(2026, 7, 14, 18, 0, 0);
const USERS = 70;
const PRICES = 30;
/** After this, what a list does not show may have been removed. */
const A_DAY_AND_MORE_MS = 90_000_000;

const MAPPINGS = mappingsOf(`
- { version: 1, name: users, push: users, source: { csv: users.csv }, operation: upsert, columns: auto }
- { version: 1, name: prices, push: prices, source: { csv: prices.csv }, operation: append, compare: snapshot, columns: auto }
- { version: 1, name: points, push: points_config, source: { csv: points.csv }, operation: set, columns: auto }
`);

/** The engine with the real client on a sandbox, all on one clock. */
interface Rig {
  readonly engine: Engine;
  readonly database: DatabaseSync;
  /** Lets time go by. */
  pass(ms: number): void;
  push(): Promise<PushResult>;
  /** Another client creates a user. */
  create(external_id: string, display_name: string): Promise<void>;
}

const withRig = (settings: Partial<Settings>, work: (rig: Rig) => Promise<void>): Promise<void> => {
  const fileIn = (folder: string): string => join(folder, 'service.sqlite');
  const optionsIn = (folder: string): SandboxOptions => ({ db: fileIn(folder), settings });
  return withSandboxEngine(START_MS, optionsIn, async (own) => {
    const { engine, sandbox, clock } = own;
    using database = new DatabaseSync(fileIn(engine.folder), { readOnly: true });
    await work({
      ...{ engine, database, pass: clock.pass },
      create: async (external_id, display_name) => {
        const { status } = await sandbox.inject({
          method: 'POST',
          url: 'http://sandbox.test/v1/user',
          headers: { 'x-api-key': sandbox.apiKey, 'content-type': 'application/json' },
          body: JSON.stringify({ users: [{ external_id, display_name }] }),
        });
        expect(status).toBe(201);
      },
      push: () => own.push(MAPPINGS, clientOn(engine, own)),
    });
  });
};

function setTables({ engine }: Rig, renamed: number): void {
  const users = Array.from({ length: USERS }, (_, n) => [`M-${n}`, n < renamed ? `New ${n}` : `Member ${n}`]);
  engine.tables.set('users.csv', [['external_id', 'display_name'], ...users]);
  const prices = Array.from({ length: PRICES }, (_, n) => [
    '1',
    String(n + 1),
    String(4 + n / 10),
    'current',
  ]);
  engine.tables.set('prices.csv', [['fantasy_league_id', 'player_id', 'price', 'type'], ...prices]);
  const minutes = (name: string): string => (name.endsWith('_minutes') ? '60' : '2');
  engine.tables.set('points.csv', [
    ['fantasy_league_id', ...settingNames],
    ['1', ...settingNames.map(minutes)],
  ]);
}

const count = ({ database }: Rig, sql: string): number => Number(database.prepare(sql).get()?.['n']);
const writes = (rig: Rig): number => count(rig, 'SELECT count(*) AS n FROM effects');

/** I1: nothing that we send once is there twice. */
function expectNothingTwice(rig: Rig): void {
  const twice = (table: string, key: string): number =>
    count(rig, `SELECT count(*) AS n FROM (SELECT 1 FROM ${table} GROUP BY ${key} HAVING count(*) > 1)`);
  expect({
    users: twice('users', 'external_id'),
    prices: twice('price_records', 'fantasy_league_id, player_id'),
    points: count(rig, 'SELECT count(*) AS n FROM earlier_points_configs'),
  }).toEqual({ users: 0, prices: 0, points: 0 });
}

const TALKATIVE = Object.keys(PROFILES).filter((name) => name !== 'closed-account');

describe('the engine on a service of the profile', () => {
  it.each(TALKATIVE)('%s writes everything once', async (name) => {
    const settled = { users: { unchanged: USERS }, prices: { unchanged: PRICES }, points: { unchanged: 1 } };
    await withRig(profileSettings(name), async (rig) => {
      setTables(rig, 0);
      const created = { users: { created: USERS }, prices: { created: PRICES }, points: { created: 1 } };
      expect(outcomesOf((await rig.push()).report.mappings)).toEqual(created);
      const before = writes(rig);
      expect(outcomesOf((await rig.push()).report.mappings)).toEqual(settled);
      expect(writes(rig)).toBe(before);
      setTables(rig, 3);
      const updated = { ...settled, users: { unchanged: USERS - 3, updated: 3 } };
      expect(outcomesOf((await rig.push()).report.mappings)).toEqual(updated);
      const after = writes(rig);
      rig.pass(A_DAY_AND_MORE_MS);
      expect(outcomesOf((await rig.push()).report.mappings)).toEqual(settled);
      expect(writes(rig)).toBe(after);
      expectNothingTwice(rig);
    });
  });

  it.each<readonly [string, Partial<Settings>]>([
    ['the word message', { error_shape: 'message' }],
    ['the word error', { error_shape: 'error' }],
    ['problem details', { error_shape: 'problem' }],
    ['plain text', { error_shape: 'text' }],
  ])('a batch refused for its size with 400 in %s goes in smaller ones', async (_what, settings) => {
    await withRig({ ...settings, max_batch: 10, limit_status: '400' }, async (rig) => {
      setTables(rig, 0);
      // Prices cannot be read back, so that theirs are not sent again.
      const expected = { users: { created: USERS }, prices: { unknown: PRICES }, points: { created: 1 } };
      expect(outcomesOf((await rig.push()).report.mappings)).toEqual(expected);
      expect(count(rig, 'SELECT count(*) AS n FROM users')).toBe(USERS);
      expectNothingTwice(rig);
    });
  });

  it('closed-account writes nothing and says why', async () => {
    await withRig(profileSettings('closed-account'), async (rig) => {
      setTables(rig, 0);
      await expect(rig.push()).rejects.toMatchObject({ code: 'service.access', exitCode: 5 });
      expect(writes(rig)).toBe(0);
    });
  });

  it.each<readonly [string, Partial<Settings>]>([
    ['ignores page and states no total', { users_page: 'ignored', page_fields: 'null_totals' }],
    ['ignores page and has no paging', { users_page: 'ignored', page_fields: 'absent' }],
    ['ignores page and calls the pages total', { users_page: 'ignored', page_fields: 'total_pages' }],
    ['comes hours late', { list_lag_ms: 7_200_000 }],
  ])('a list that %s makes nothing twice, even where the service would', async (_what, settings) => {
    await withRig({ ...settings, repeated_external_id: 'duplicate' }, async (rig) => {
      setTables(rig, 0);
      await rig.push();
      rig.pass(A_DAY_AND_MORE_MS);
      expect(outcomesOf((await rig.push()).report.mappings)).toMatchObject({ users: { unchanged: USERS } });
      expectNothingTwice(rig);
    });
  });

  it('new users are created although the list cannot be completed, because the counter shows that all others are known', async () => {
    await withRig({ users_page: 'ignored', page_fields: 'absent' }, async (rig) => {
      setTables(rig, 0);
      await rig.push();
      const users = rig.engine.tables.get('users.csv') ?? [];
      rig.engine.tables.set('users.csv', [...users, ['N-1', 'Newcomer']]);
      expect(outcomesOf((await rig.push()).report.mappings)).toMatchObject({
        users: { unchanged: USERS, created: 1 },
      });
      // Somebody else creates a user: now any key may be there.
      await rig.create('S-1', 'Stranger');
      rig.engine.tables.set('users.csv', [...users, ['N-1', 'Newcomer'], ['S-1', 'Stranger']]);
      expect(outcomesOf((await rig.push()).report.mappings)).toMatchObject({
        users: { unchanged: USERS + 1, deferred: 1 },
      });
      expectNothingTwice(rig);
    });
  });

  it('each profile sets something that another does not', () => {
    const all = Object.values(PROFILES).map(({ settings }) => JSON.stringify(settings));
    expect(new Set(all).size).toBe(all.length);
  });
});
