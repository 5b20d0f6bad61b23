import { cpSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { USERS_MAPPING, type Outcome } from '../support/cli.ts';
import { program, settlesIn } from '../support/program.ts';

const PRICES_MAPPING = `version: 1
name: prices
push: prices
source: { csv: prices.csv, optional: true }
operation: append
compare: snapshot
columns:
  fantasy_league_id: { value: 1 }
  player_id: { from: Player ID, type: integer }
  price: { from: Price, type: number, min: 0.1 }
  type: { value: current }
`;

const { folder, service, run, runWith, writes } = program(
  { 'teamsheet.yaml': settlesIn('0s') },
  { here: true, service: {} },
);

/** Two users as a table. */
const users = (...names: readonly string[]): string =>
  `Member ID,Name,Active\n${names.map((name, index) => `M${index + 1},${name},\n`).join('')}`;
const prices = (...values: readonly number[]): string =>
  `Player ID,Price\n${values.map((price, index) => `${index + 1},${price}\n`).join('')}`;

interface Case {
  readonly guard: string;
  readonly mapping: string;
  readonly guards: string;
  /** The table that is pushed first, and the one that trips the guard. */
  readonly tables: readonly [string, string];
  readonly says: string;
}

const FOUR = users('Ann', 'Bob', 'Cleo', 'Dan');
const CASES: readonly Case[] = [
  {
    guard: 'min_rows',
    mapping: USERS_MAPPING,
    guards: 'guards: { min_rows: 4 }',
    tables: [FOUR, users('Anna', 'Bob', 'Cleo')],
    says: 'users: only 3 rows, at least 4 expected',
  },
  {
    guard: 'max_change_pct',
    mapping: USERS_MAPPING,
    guards: 'guards: { max_change_pct: 30 }',
    tables: [FOUR, users('Anna', 'Bobby', 'Cleo', 'Dan')],
    says: 'users: 2 of 4 known records would change (50 %), at most 30 % expected',
  },
  {
    guard: 'max_deactivate',
    mapping: `${USERS_MAPPING}missing_rows: deactivate\n`,
    guards: 'guards: { max_deactivate: 1 }',
    tables: [FOUR, users('Ann', 'Bob')],
    says: 'users: 2 users are no longer in the table and would be deactivated: more than max_deactivate 1',
  },
  {
    guard: 'max_step',
    mapping: PRICES_MAPPING,
    guards: 'guards: { max_step: 1.0 }',
    tables: [prices(5, 6, 7), prices(5, 7.5, 7)],
    says: 'prices: row 3 goes from 6 to 7.5: more than max_step 1',
  },
  {
    guard: 'max_step_pct',
    mapping: PRICES_MAPPING,
    guards: 'guards: { max_step_pct: 25 }',
    tables: [prices(5, 6, 7), prices(50, 6, 7)],
    says: 'prices: row 2 goes from 5 to 50: more than max_step_pct 25 %',
  },
];

describe.each(CASES)('the guard $guard', ({ guard, mapping, guards, tables: [first, second], says }) => {
  const file = mapping === PRICES_MAPPING ? 'prices.csv' : 'users.csv';
  const flag = `if this is intended, add --allow-guard ${guard}`;

  it('stops push and sync before they write, names the flag, and passes with it', async () => {
    folder.write('mappings/one.yaml', `${mapping}${guards}\n`);
    folder.write(file, first);
    expect((await run('push', '--yes')).code).toBe(0);
    const before = writes().length;
    folder.write(file, second);
    const stops = async (...words: string[]): Promise<Outcome> => {
      const stopped = await run(...words);
      expect(stopped, words.join(' ')).toMatchObject({ code: 6 });
      expect(stopped.stderr).toContain(`✗ ${says}`);
      expect(stopped.stderr).toContain(flag);
      return stopped;
    };
    await stops('plan');
    await stops('sync', '--yes');
    const { stdout } = await stops('push', '--yes', '--json');
    expect(JSON.parse(stdout)).toMatchObject({
      exit_code: 6,
      error: { code: `guard.${guard}`, file, next: flag },
    });
    // What these do differently has nothing to do with the guard.
    if (guard === CASES[0]?.guard) {
      await stops('push', '--dry-run');
      await stops('push', '--yes');
    }
    expect(writes()).toHaveLength(before);
    expect((await run('resume', '--yes')).stdout).toBe('nothing to resume\n');

    expect((await run('push', '--yes', '--allow-guard', guard)).code).toBe(0);
    expect(writes().length).toBeGreaterThan(before);
  });
});

describe('several guards', () => {
  it('are all named by the push that they stop, and by resume', async () => {
    folder.write('mappings/one.yaml', `${PRICES_MAPPING}guards: { max_step: 1.0, max_step_pct: 25 }\n`);
    folder.write('mappings/two.yaml', `${USERS_MAPPING}guards: { max_change_pct: 30 }\n`);
    folder.write('prices.csv', prices(5, 6, 7));
    folder.write('users.csv', FOUR);
    expect((await run('push', '--yes')).code).toBe(0);
    const before = writes().length;
    // The account takes the only request, so that the plan is not complete and resume plans it again.
    folder.write('prices.csv', prices(50, 6, 7));
    folder.write('users.csv', users('Anna', 'Bobby', 'Cleopatra', 'Daniel'));
    expect((await run('push', '--yes', '--compare', 'live', '--max-requests', '1')).code).toBe(7);
    const found = [
      'users: 4 of 4 known records would change (100 %), at most 30 % expected',
      'prices: row 2 goes from 5 to 50: more than max_step 1',
      'prices: row 2 goes from 5 to 50: more than max_step_pct 25 %',
    ].join('\n  ');
    const meant = (add: string): string =>
      ['max_change_pct', 'max_step', 'max_step_pct']
        .map((guard) => `if this is intended, ${add} --allow-guard ${guard}`)
        .join('; ');
    const stopped = await run('push', '--yes');
    expect(stopped).toMatchObject({ code: 6 });
    expect(stopped.stderr).toContain(`✗ ${found}\n  next: ${meant('add')}\n`);
    const resumed = await run('resume', '--yes');
    expect(resumed).toMatchObject({ code: 6 });
    expect(resumed.stderr).toContain(
      `✗ ${found}\n  next: this run is over; ${meant('push again and add')}\n`,
    );
    expect(writes()).toHaveLength(before);
  });
});

describe('a table without rows', () => {
  it('stops push, sync and import until it is meant', async () => {
    folder.write('mappings/one.yaml', USERS_MAPPING);
    folder.write('users.csv', 'Member ID,Name,Active\n');
    folder.write('external.csv', 'external_id,display_name\n');
    for (const words of [['push'], ['sync'], ['import', 'external.csv', '--as', 'users']]) {
      const stopped = await run(...words, '--yes');
      expect(stopped, words.join(' ')).toMatchObject({
        code: 6,
        stderr: expect.stringContaining('if it is intended to be empty, add --allow-empty') as string,
      });
      expect((await run(...words, '--yes', '--allow-empty')).code, words.join(' ')).toBe(0);
    }
    expect(writes()).toEqual([]);
  });
});

describe('reject_mode: fail', () => {
  it('sends nothing while a row is invalid, in push and sync, and leaves the rows to correct', async () => {
    folder.write('mappings/one.yaml', `${USERS_MAPPING}reject_mode: fail\n`);
    folder.write('users.csv', `${FOUR}M5,Eve,maybe\n`);
    for (const command of ['push', 'sync']) {
      const stopped = await run(command, '--yes', '--json');
      expect(stopped.code).toBe(6);
      expect(JSON.parse(stopped.stdout)).toMatchObject({
        exit_code: 6,
        mappings: [{ rows: 5, created: 0, invalid: 1, deferred: 4 }],
        error: {
          code: 'guard.reject_mode',
          next: 'correct the rows, or add --allow-guard reject_mode to send the others',
        },
      });
    }
    expect(writes()).toEqual([]);
    expect((await run('resume', '--yes')).stdout).toBe('nothing to resume\n');
    folder.write('users.csv', `${FOUR}M5,Eve,no\n`);
    expect((await run('push', '--yes')).code).toBe(0);
  });
});

describe('resume', () => {
  it('holds the guards of a run that is planned again, and says how to push in its place', async () => {
    folder.write('mappings/one.yaml', `${USERS_MAPPING}guards: { min_rows: 4 }\n`);
    folder.write('users.csv', FOUR);
    expect((await run('push', '--yes')).code).toBe(0);
    const before = writes().length;
    // The account takes the only request, so that the plan is not complete.
    expect((await run('push', '--yes', '--compare', 'live', '--max-requests', '1')).code).toBe(7);
    folder.write('users.csv', users('Anna'));
    const stopped = await run('resume', '--yes');
    expect(stopped).toMatchObject({
      code: 6,
      stderr: expect.stringContaining(
        'next: this run is over; if this is intended, push again and add --allow-guard min_rows',
      ) as string,
    });
    expect(writes()).toHaveLength(before);
  });

  it('goes on with a run whose guards were passed, without asking again', async () => {
    folder.write('mappings/one.yaml', `${USERS_MAPPING}guards: { max_change_pct: 30 }\n`);
    folder.write('users.csv', FOUR);
    expect((await run('push', '--yes')).code).toBe(0);
    folder.write('users.csv', users('Anna', 'Bobby', 'Cleopatra', 'Daniel'));
    const cut = ['push', '--yes', '--allow-guard', 'max_change_pct', '--max-requests', '4'];
    expect((await run(...cut)).code).toBe(7);
    expect((await run('resume', '--yes')).code).toBe(0);
    expect(writes().filter((request) => request === 'PATCH /v1/user')).toHaveLength(4);
  });

  it('holds the guards for what is left, because others may have changed it meanwhile', async () => {
    folder.write('mappings/one.yaml', `${PRICES_MAPPING}batch_size: 1\nguards: { max_step: 1.0 }\n`);
    folder.write('prices.csv', prices(5, 6));
    expect((await run('push', '--yes')).code).toBe(0);
    folder.write('prices.csv', prices(5.5, 6.5));
    const { requests } = JSON.parse((await run('plan', '--json')).stdout) as {
      readonly requests: { readonly planned: number };
    };
    const cut = await run('push', '--yes', '--max-requests', String(requests.planned - 1), '--json');
    expect(JSON.parse(cut.stdout)).toMatchObject({ exit_code: 7, mappings: [{ updated: 1, deferred: 1 }] });
    folder.write('prices.csv', prices(5.5, 9));
    expect((await run('push', '--yes', '--allow-guard', 'max_step')).code).toBe(0);
    const before = writes().length;
    const { run: id } = JSON.parse(cut.stdout) as { readonly run: string };
    const stopped = await run('resume', id, '--yes');
    expect(stopped).toMatchObject({
      code: 6,
      stderr: expect.stringContaining('prices: row 3 goes from 9 to 6.5: more than max_step 1') as string,
    });
    expect(writes()).toHaveLength(before);
    const meant = ['--allow-guard', 'max_step', '--allow-guard', 'newer_run'];
    expect((await run('resume', id, '--yes', ...meant)).code).toBe(0);
    expect(writes()).toHaveLength(before + 1);
  });
});

describe('the memory of prices', () => {
  it('is missed where the state file is an older copy, and not where the service has another name', async () => {
    folder.write('mappings/one.yaml', PRICES_MAPPING);
    folder.write('prices.csv', prices(5, 6));
    expect((await run('push', '--yes')).code).toBe(0);
    const env = { ...service.env, TEAMSHEET_BASE_URL: service.baseUrl.replace('127.0.0.1', 'localhost') };
    const renamed = await runWith({ env }, 'push', '--yes', '--json');
    expect(JSON.parse(renamed.stdout)).toMatchObject({ exit_code: 0, mappings: [{ unchanged: 2 }] });
    const state = join(folder.path, '.teamsheet');
    cpSync(state, join(folder.path, 'backup'), { recursive: true });
    folder.write('prices.csv', prices(5.5, 6.5));
    expect((await run('push', '--yes')).code).toBe(0);
    rmSync(state, { recursive: true });
    cpSync(join(folder.path, 'backup'), state, { recursive: true });
    const before = writes().length;
    const stopped = await run('push', '--yes', '--json');
    expect(JSON.parse(stopped.stdout)).toMatchObject({ exit_code: 6, error: { code: 'state.no_memory' } });
    expect(writes()).toHaveLength(before);
    const live = await run('push', '--yes', '--compare', 'live', '--json');
    expect(JSON.parse(live.stdout)).toMatchObject({ exit_code: 0, mappings: [{ unchanged: 2 }] });
  });
});

describe('retry', () => {
  it('holds the guards for the rows that it sends again', async () => {
    folder.write('mappings/one.yaml', `${PRICES_MAPPING}guards: { max_step: 1.0 }\n`);
    folder.write('prices.csv', prices(5, 6));
    expect((await run('push', '--yes')).code).toBe(0);
    folder.write('prices.csv', prices(5, 6).replace('2,6', '2,six'));
    expect((await run('push', '--yes')).code).toBe(3);
    folder.write('prices.csv', prices(5, 9));
    const before = writes().length;
    const stopped = await run('retry', '--yes');
    expect(stopped).toMatchObject({
      code: 6,
      stderr: expect.stringContaining('if this is intended, add --allow-guard max_step') as string,
    });
    expect(writes()).toHaveLength(before);
    expect((await run('retry', '--yes', '--allow-guard', 'max_step')).code).toBe(0);
    expect(writes()).toHaveLength(before + 1);
  });
});
