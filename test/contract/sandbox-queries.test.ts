import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync, StatementSync } from 'node:sqlite';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { OPERATION_IDS } from '../../src/contract/index.ts';
import type { OperationId } from '../../src/contract/index.ts';
import { examplesOf } from '../../src/sandbox/handlers/index.ts';
import { Store } from '../../src/sandbox/store/store.ts';
import { openSandbox, pointsConfigBody } from '../support/sandbox.ts';
import type { TestSandbox } from '../support/sandbox.ts';

/** The season is as long as a season; only what customers add may not be read from one end to the other. */
const GROWING = [
  ...'users squads lineups lineup_places transfers chips_played squad_weeks mini_leagues'.split(' '),
  ...'price_records auto_substitutions effects prices'.split(' '),
];

/** What a statement reads from one end to the other of a table that grows. */
function scansOf(database: DatabaseSync, sql: string): readonly string[] {
  if (!/^\s*(SELECT|UPDATE|DELETE)/i.test(sql)) return [];
  const named = [
    ...sql.matchAll(
      /(?:FROM|JOIN|UPDATE)\s+(\w+)(?:\s+(?:AS\s+)?(?!WHERE|SET|ORDER|JOIN|LEFT|GROUP)(\w+))?/gi,
    ),
  ];
  const growing = named.flatMap(([, table = '', alias]) =>
    GROWING.includes(table) ? [table, alias ?? table] : [],
  );
  return database
    .prepare(`EXPLAIN QUERY PLAN ${sql}`)
    .all()
    .map(({ detail }) => String(detail))
    .filter((detail) => growing.some((name) => new RegExp(`^SCAN ${name}\\b`).test(detail)))
    .map((detail) => `${detail}: ${sql}`);
}

type Request = Parameters<TestSandbox['call']>[1];

describe('queries', () => {
  let folder = '';
  let box: TestSandbox;
  let requests: Readonly<Record<OperationId, Request>>;
  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), 'teamsheet-queries-'));
    box = await openSandbox({ seed: 'demo', db: join(folder, 'db') });
    await box.call('set-points-config', { body: pointsConfigBody() });
    const database = new DatabaseSync(join(folder, 'db'), { readOnly: true });
    const league = { fantasy_league_id: 1 };
    requests = {
      ...examplesOf(new Store(database)),
      'list-mini-leagues': { query: league },
      'list-users': { query: { page: 2 } },
      'list-squads': { query: { ...league, user_id: 1 } },
    };
    database.close();
  });
  afterAll(async () => {
    await box.close();
    rmSync(folder, { recursive: true });
  });

  /** The statements that a request runs. */
  const statementsOf = async (operation: OperationId): Promise<readonly string[]> => {
    const ran = new Set<string>();
    const spies = (['get', 'all', 'run'] as const).map((method) => {
      const original = Reflect.get(StatementSync.prototype, method) as (...args: unknown[]) => unknown;
      return vi.spyOn(StatementSync.prototype, method).mockImplementation(function (
        this: StatementSync,
        ...args
      ) {
        ran.add(this.sourceSQL);
        return original.apply(this, args) as never;
      });
    });
    try {
      expect((await box.call(operation, requests[operation])).status).toBeLessThan(300);
    } finally {
      for (const spy of spies) spy.mockRestore();
    }
    return [...ran];
  };

  // Every squad of the league is counted again, so every squad of the league is read.
  it.each(OPERATION_IDS.filter((id) => id !== 'set-points-config' && id !== 'trigger-auto-substitution'))(
    '%s reads nothing from one end to the other that grows',
    async (operation) => {
      const statements = await statementsOf(operation);
      expect(statements.length).toBeGreaterThan(0);
      const database = new DatabaseSync(join(folder, 'db'), { readOnly: true });
      const scans = statements.flatMap((sql) => scansOf(database, sql));
      const mode = database.prepare('PRAGMA journal_mode').get()?.['journal_mode'];
      database.close();
      // A page of a whole list is a stretch of its key.
      expect(scans).toEqual([]);
      expect(mode).toBe('wal');
    },
  );

  it('which would be seen', () => {
    const database = new DatabaseSync(join(folder, 'db'), { readOnly: true });
    const bad = [
      'SELECT count(*) AS n FROM users',
      `SELECT * FROM users u WHERE u.display_name = 'x'`,
      'SELECT 1 FROM squads s LEFT JOIN fantasy_leagues l ON l.id = s.fantasy_league_id',
    ];
    expect(bad.map((sql) => scansOf(database, sql).length)).toEqual([1, 1, 1]);
    database.close();
  });

  it('records are numbered without a gap, which lists rely on', async () => {
    await box.call('create-users', {
      body: {
        users: [
          { external_id: 'b', display_name: 'b' },
          { external_id: 'b', display_name: 'b' },
        ],
      },
    });
    await box.call('create-squad', {
      body: { user_id: 1, name: 'bad', fantasy_league_id: 1, players_in: [1, 9_999] },
    });
    await box.call('create-users', { body: { users: [{ external_id: 'c', display_name: 'c' }] } });
    const database = new DatabaseSync(join(folder, 'db'), { readOnly: true });
    const tables = {
      users: 'user_id',
      squads: 'number',
      mini_leagues: 'id',
      price_records: 'number',
      fantasy_leagues: 'id',
    };
    for (const [table, key] of Object.entries(tables)) {
      const row = database.prepare(`SELECT count(*) AS n, max(${key}) AS most FROM ${table}`).get();
      expect([table, row?.['n']]).toEqual([table, row?.['most']]);
    }
    database.close();
  });
});
