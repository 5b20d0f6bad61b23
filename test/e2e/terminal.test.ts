import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import { program } from '../support/program.ts';

const { folder, service, start, run } = program({}, { here: true, service: {} });

describe('a row that the service refuses', () => {
  it('is told with its place, its key and the words of the service', async () => {
    folder.write('users.csv', 'external_id,display_name\nM-1,Ann\n');
    await run('import', 'users.csv', '--as', 'users', '--yes');
    folder.write('squads.csv', 'user_id,name,P1\n1,Alpha,1\n1,Beta,99999\n9,Gamma,3\n');
    const refused = await run(
      ...['import', 'squads.csv', '--as', 'squads', '--set', 'fantasy_league_id=1', '--yes'],
    );
    expect(refused.code).toBe(3);
    expect(refused.stderr).toContain(
      [
        'rejected: squads.csv row 3 (1/1/Beta): the service refused it (404): players_in[0]: there is no player 99999',
        'rejected: squads.csv row 4 (1/9/Gamma): the service refused it (404): user_id: there is no user 9',
        'next: ',
      ].join('\n'),
    );
  });
});

describe('a squad that the service refused, its manager looked up by the member id', () => {
  const MAPPING = `version: 1
name: squads
push: squads
source: { csv: squads.csv }
operation: create
columns:
  fantasy_league_id: { value: 1 }
  user_id: { from: Member ID, lookup: { in: users, match: external_id, take: user_id } }
  name: Squad
  players_in: { from_all: [P1, P2], type: integer, blank: omit }
`;
  const isLeft = (): boolean => existsSync(join(folder.path, 'out/rejected/squads.rejected.csv'));

  it('is found by retry: refused again until it is corrected, and then sent', async () => {
    folder.write('users.csv', 'external_id,display_name\nM-1,Ann\n');
    await run('import', 'users.csv', '--as', 'users', '--yes');
    folder.write('mappings/squads.yaml', MAPPING);
    folder.write('squads.csv', 'Member ID,Squad,P1,P2\nM-1,Alpha,9000,2\n');
    expect((await run('push', '--yes')).code).toBe(3);
    const same = await run('retry', '--yes');
    expect([same.code, isLeft()]).toEqual([3, true]);
    expect(same.stderr).toContain('there is no player 9000');
    folder.write('squads.csv', 'Member ID,Squad,P1,P2\nM-1,Alpha,1,2\n');
    const corrected = await run('retry', '--yes');
    expect([corrected.code, isLeft()]).toEqual([0, false]);
    expect(corrected.stderr).toContain('1 of 1 refused row found again');
  });
});

const MEMBERS = `version: 1
name: members
push: users
source: { csv: members.csv }
operation: upsert
columns: { external_id: Member ID, display_name: Name }
`;

describe('a file of rows to correct goes when its rows are done', () => {
  const files = (): readonly string[] => {
    const path = join(folder.path, 'out/rejected');
    return existsSync(path) ? readdirSync(path).toSorted() : [];
  };
  const LEFT = ['members.rejected.csv', 'members.rejected.xlsx'];
  const keysToMend = (): readonly string[] =>
    readFileSync(join(folder.path, 'out/rejected/members.rejected.csv'), 'utf8')
      .split('\n')
      .slice(1, -1)
      .map((line) => line.split(',')[0] ?? '');

  beforeEach(async () => {
    folder.write('mappings/members.yaml', MEMBERS);
    folder.write('members.csv', 'Member ID,Name\nM-1,Ann\nM-2,\n');
    expect((await run('push', '--yes')).code).toBe(3);
    expect(files()).toEqual(LEFT);
  });

  it('by a retry that sends them', async () => {
    folder.write('members.csv', 'Member ID,Name\nM-1,Ann\nM-2,Bob\n');
    expect((await run('retry', '--yes')).code).toBe(0);
    expect(files()).toEqual([]);
  });

  it('not by a retry that does not read them, and by the push that it names', async () => {
    folder.write('members.csv', 'Member ID,Name\nM-1,Ann\nM-3,Bob\n');
    const retried = await run('retry', '--yes');
    expect(retried.code).toBe(0);
    expect(retried.stderr).toContain(
      'members.csv: row 3 had the refused key M-2 and now has M-3, which is not read\n',
    );
    expect(retried.stderr).toMatch(/next: teamsheet push members\n$/);
    expect(files()).toEqual(LEFT);
    expect((await run('push', '--yes')).code).toBe(0);
    expect(files()).toEqual([]);
  });

  it('and keeps each row that a retry did not find, until it is done', async () => {
    folder.write('members.csv', 'Member ID,Name\nM-1,Ann\nM-2,\nM-3,\nM-4,\n');
    expect((await run('push', '--yes')).code).toBe(3);
    expect(keysToMend()).toEqual(['M-2', 'M-3', 'M-4']);
    // M-3 is not there, and a column came in between.
    folder.write('members.csv', 'Member ID,Club,Name\nM-1,,Ann\nM-2,,\nM-4,,\n');
    expect((await run('retry', '--yes')).code).toBe(3);
    expect(keysToMend()).toEqual(['M-2', 'M-4', 'M-3']);
    folder.write('members.csv', 'Member ID,Name\nM-1,Ann\nM-2,Bob\nM-4,\n');
    const again = await run('retry', '--yes');
    expect([again.code, keysToMend()]).toEqual([3, ['M-4', 'M-3']]);
    folder.write('members.csv', 'Member ID,Name\nM-1,Ann\nM-2,Bob\nM-3,Cid\nM-4,Dan\n');
    expect((await run('retry', '--yes')).code).toBe(0);
    expect(files()).toEqual([]);
    expect((await run('retry', '--yes')).stdout).toBe('no refused rows to retry\n');
  });

  it('and keeps each row that a push with --limit or a retry of it did not read', async () => {
    folder.write('members.csv', 'Member ID,Name\nM-1,Ann\nM-2,\nM-3,\nM-4,\n');
    expect((await run('push', '--yes')).code).toBe(3);
    folder.write('members.csv', 'Member ID,Name\nM-1,Ann\nM-2,Bob\nM-3,\nM-4,\n');
    expect((await run('push', '--limit', '3', '--yes')).code).toBe(3);
    expect(keysToMend()).toEqual(['M-3', 'M-4']);
    const workbook = await run(
      ...[
        'import',
        'out/rejected/members.rejected.xlsx',
        '--as',
        'users',
        '--match',
        'Member ID=external_id',
      ],
      ...['--dry-run', '--json'],
    );
    expect(JSON.parse(workbook.stdout)).toMatchObject({ mappings: [{ rows: 2, invalid: 2 }] });
    folder.write('members.csv', 'Member ID,Name\nM-1,Ann\nM-2,Bob\nM-3,Cid\nM-4,\n');
    expect((await run('retry', '--yes')).code).toBe(0);
    expect(keysToMend()).toEqual(['M-4']);
    const retried = await run('push', '--yes');
    expect([retried.code, retried.stderr]).toEqual([3, expect.not.stringContaining('was changed') as string]);
    folder.write('members.csv', 'Member ID,Name\nM-1,Ann\nM-2,Bob\nM-3,Cid\nM-4,Dan\n');
    expect((await run('push', '--yes')).code).toBe(0);
    expect(files()).toEqual([]);
  });

  it('by a push', async () => {
    folder.write('members.csv', 'Member ID,Name\nM-1,Ann\nM-2,Bob\n');
    expect((await run('push', '--yes')).code).toBe(0);
    expect(files()).toEqual([]);
  });

  it('by an import of the file itself, however often its rows are refused before', async () => {
    const importRejected = (name: string) =>
      run('import', `out/rejected/${name}`, '--as', 'users', '--match', 'Member ID=external_id', '--yes');
    expect((await importRejected('members.rejected.csv')).code).toBe(3);
    expect(files()).toContain('members.rejected.rejected.csv');
    folder.write('out/rejected/members.rejected.rejected.csv', 'Member ID,Name\nM-2,Bob\n');
    const imported = await importRejected('members.rejected.rejected.csv');
    expect(imported.code).toBe(0);
    expect(imported.stderr).toContain(
      'members.csv still has these rows as they were refused: correct them there too\n',
    );
    expect(files()).toEqual([]);
    // The table has the row still as it was refused: nothing of that is left to be tried again.
    const retried = await run('retry', '--yes');
    expect([retried.code, retried.stdout]).toEqual([0, 'no refused rows to retry\n']);
    expect(files()).toEqual([]);
  });
});

describe('a file of rows to correct that somebody has changed', () => {
  const REJECTED = 'out/rejected/members.rejected.csv';
  const KEPT = 'out/rejected/members.rejected.1.csv';
  const MENDED = 'Member ID,Name\nM-2,Bob\n';
  const text = (file: string): string => readFileSync(join(folder.path, file), 'utf8');
  const importFile = (file: string) =>
    run('import', file, '--as', 'users', '--match', 'Member ID=external_id', '--yes');

  beforeEach(async () => {
    folder.write('mappings/members.yaml', MEMBERS);
    folder.write('members.csv', 'Member ID,Name\nM-1,Ann\nM-2,\n');
    expect((await run('push', '--yes')).code).toBe(3);
    const again = await run('push', '--yes');
    expect([again.code, again.stderr]).toEqual([3, expect.not.stringContaining('was changed') as string]);
    folder.write(REJECTED, MENDED);
  });

  it.each([['push'], ['retry']])('is kept by a %s that refuses its rows again', async (command) => {
    folder.write(KEPT, 'of before');
    const refused = await run(command, '--yes');
    expect(refused.code).toBe(3);
    expect(refused.stderr).toContain(
      `members: ${REJECTED} was changed after it was written; it is kept as out/rejected/members.rejected.2.csv; ` +
        'teamsheet import out/rejected/members.rejected.2.csv --as users sends its rows\n',
    );
    expect(text(KEPT)).toBe('of before');
    expect(text('out/rejected/members.rejected.2.csv')).toBe(MENDED);
    expect(text(REJECTED)).toContain('M-2,,3,invalid');
    expect((await importFile('out/rejected/members.rejected.2.csv')).stdout).toMatch(
      /members.rejected.2 +1 +1 /,
    );
  });

  it('stays where it is when a push has done all rows', async () => {
    folder.write('members.csv', 'Member ID,Name\nM-1,Ann\nM-2,Bill\n');
    const done = await run('push', '--yes');
    expect(done.code).toBe(0);
    expect(done.stderr).toContain(
      `members: ${REJECTED} was changed after it was written, so it stays; teamsheet import ${REJECTED} --as users sends its rows\n`,
    );
    expect(text(REJECTED)).toBe(MENDED);
    expect(existsSync(join(folder.path, 'out/rejected/members.rejected.xlsx'))).toBe(false);
  });

  it('is done with once it was imported, whatever was refused of it', async () => {
    folder.write(REJECTED, `${MENDED}M-3,\n`);
    expect((await importFile(REJECTED)).code).toBe(3);
    const left = 'out/rejected/members.rejected.rejected.csv';
    folder.write(left, 'Member ID,Name\nM-3,\nM-4,Dan\n');
    const imported = await importFile(left);
    expect([imported.code, imported.stderr]).toEqual([
      3,
      expect.not.stringContaining('was changed') as string,
    ]);
    folder.write('members.csv', 'Member ID,Name\nM-1,Ann\nM-2,Bob\nM-3,Cid\n');
    const done = await run('push', '--yes');
    expect([done.code, done.stderr]).toEqual([0, expect.not.stringContaining('was changed') as string]);
    expect(readdirSync(join(folder.path, 'out/rejected'))).toEqual([]);
  });
});

describe('a game week that has not ended', () => {
  const LEAGUE = ['--var', 'fantasy_league_id=1', '--yes'] as const;
  const triggers = (): readonly string[] => service.requests.filter((request) => request.startsWith('POST'));

  beforeEach(async () => {
    await start({ seed: 'demo' });
  });

  it('is not processed unless it is meant, whichever command asks for it', async () => {
    const refused = await run('substitutions', 'trigger', '--week', '9', ...LEAGUE);
    expect(refused).toMatchObject({
      code: 6,
      stderr: expect.stringMatching(
        /✗ substitutions: game week 9 of fantasy league 1 has not ended: .*\n {2}substitutions: .* remembers no trigger.*\n {2}next: if this is intended, add --allow-guard open_week; restore the state file, or add --adopt .*\n/,
      ) as string,
    });
    const weeks = JSON.parse((await run('api', 'get-fixtures', '--id', '1')).stdout) as {
      readonly data: readonly { readonly id: string }[];
    };
    const ids = ['6', '7', '8'].map((week) => weeks.data[Number(week) - 1]?.id ?? '');
    folder.write('weeks.csv', `fantasy_league_id,game_week_id\n1,${ids.join('\n1,')}\n`);
    const imported = await run(
      'import',
      'weeks.csv',
      '--as',
      'auto_substitutions',
      '--adopt',
      '--yes',
      '--json',
    );
    expect(imported.code).toBe(6);
    expect(JSON.parse(imported.stdout)).toMatchObject({
      error: { code: 'guard.open_week', message: expect.stringContaining('row 3: game week 7') as string },
    });
    expect(triggers()).toEqual([]);
    const allowed = await run(
      ...['substitutions', 'trigger', '--week', '9', '--allow-guard', 'open_week', '--adopt', ...LEAGUE],
    );
    expect(allowed.stdout).toContain('game week 9 has not ended');
    expect(triggers()).toHaveLength(1);
    const processed = await run('substitutions', 'trigger', '--week', '6', '--adopt', ...LEAGUE);
    expect(processed.code).toBe(0);
    expect(processed.stderr).toMatch(
      /^game week 6 of fantasy league 1: 2026-09-18 17:30:00 to 2026-09-21 23:00:00\n/,
    );
    expect(processed.stderr).toContain('\ngame week 6 of fantasy league 1 would be processed\n');
    expect(processed.stdout).toMatch(
      /^game week 6 of fantasy league 1: the service answered: .* \(\w+, \d+ events\)\n\d+ substitutions in \d+ squads:\n( {2}.+: .+ (?:for|and) .+\n){1,10}( {2}and \d+ more; .+\n)?\n\d+ requests/,
    );
    const again = await run('substitutions', 'trigger', '--week', '6', '--again', ...LEAGUE);
    expect(again.stdout).toMatch(/answered: .*; nothing was changed \(ALREADY_PROCESSED, 0 events\)\n/);
    expect(again.stdout + again.stderr).not.toMatch(/created|1\/[0-9a-f]{8}-/);
    const history = await run('runs');
    expect([history.stdout.match(/1 triggered \(substitutions\)/g)?.length, history.stdout]).toEqual([
      2,
      expect.not.stringContaining('created') as string,
    ]);
    const sent = triggers().length;
    for (const flag of ['--yes', '--dry-run']) {
      const processed = await run('substitutions', 'trigger', '--week', '6', ...LEAGUE, flag, '--json');
      expect([processed.code, JSON.parse(processed.stdout)]).toMatchObject([
        6,
        {
          error: {
            code: 'week.processed',
            message: 'game week 6 of fantasy league 1 was triggered before',
            next: 'if this is intended, add --again',
          },
        },
      ]);
    }
    expect(triggers()).toHaveLength(sent);
  });

  it('a guard that there is not is a wrong command line', async () => {
    expect(await run('plan', '--allow-guard', 'open_weeks')).toMatchObject({
      code: 64,
      stderr: expect.stringMatching(
        /--allow-guard takes empty_source, .* or open_week, not "open_weeks"/,
      ) as string,
    });
  });
});

it('import --dry-run is a plan: it sends nothing and says how to send it', async () => {
  folder.write('users.csv', 'external_id,display_name\nM-1,Ann\n');
  const planned = await run('import', 'users.csv', '--as', 'users', '--save-mapping', 'm.yaml', '--dry-run');
  expect(planned).toMatchObject({
    code: 0,
    stdout: expect.stringContaining('+  users row 2  M-1  display_name: Ann') as string,
    stderr: 'next: teamsheet import users.csv --as users --save-mapping m.yaml\n',
  });
  expect(service.requests.filter((request) => !request.startsWith('GET '))).toEqual([]);
  expect((await run('import', 'users.csv', '--as', 'users', '--save-mapping', 'm.yaml', '--yes')).code).toBe(
    0,
  );
});

it('api says which operation was meant', async () => {
  expect(await run('api', 'lst-users')).toMatchObject({
    code: 64,
    stderr:
      '✗ there is no operation "lst-users"; did you mean list-users?\n  next: teamsheet api list-users\n',
  });
});
