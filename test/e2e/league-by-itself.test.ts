import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { makeFolder, startService, type Outcome } from '../support/cli.ts';
import { runHere } from '../support/run-here.ts';
import { startFakeGoogle } from '../support/google/fake-google.ts';

it('a league runs from a shared spreadsheet with init and schedule run alone: inputs, reports and the members’ site', async () => {
  const google = await startFakeGoogle();
  const service = await startService({
    seed: 'demo',
    now: '2026-08-10T09:00:00Z',
    settings: { per_minute: 10_000 },
  });
  const folder = makeFolder();
  onTestFinished(async () => {
    await Promise.all([service.close(), google.close()]);
    folder.remove();
  });
  const env = { TEAMSHEET_GOOGLE_ROOT_URL: google.rootUrl };
  writeFileSync(join(folder.path, 'league.key.json'), JSON.stringify(google.keyFile), { mode: 0o600 });
  const id = google.add({
    tabs: [
      {
        title: 'Members',
        rows: [
          ['Member ID', 'Name'],
          ['A-1', 'Ada Appletree'],
          ['A-2', 'Ben Birch'],
        ],
      },
    ],
  });
  const made = await runHere(['init', '--spreadsheet', id, '--google-key', 'league.key.json'], {
    cwd: folder.path,
    env,
  });
  expect([made.code, made.stderr]).toEqual([0, expect.any(String)]);
  expect(made.stdout).toMatch(/\n {2}\S*teamsheet schedule run --port 8790\n/);

  const vars = ['--var', 'fantasy_league_id=1', '--var', 'price_type=current'];
  const once = async (): Promise<string> => {
    const ended: Outcome = await runHere(['schedule', 'run', '--once', ...vars], {
      cwd: folder.path,
      env: { ...service.env, ...env },
    });
    expect([ended.code, ended.stderr]).toEqual([0, expect.any(String)]);
    return `${ended.stdout}${ended.stderr}`;
  };
  await once();
  const members = google.tab(id, 'Members').shown();
  expect(members[1]?.[(members[0] ?? []).indexOf('Sync status')]).toBe('created');

  await service.sandbox.control('POST', '/play-next-week');
  await service.sandbox.control('POST', '/clock', { advance: '5h' });
  expect(await once()).toContain('reading game week 1');
  // The reports go by the week that was read; the site stands in its folder.
  await service.sandbox.control('POST', '/clock', { advance: '1d' });
  await once();
  const table = google.tab(id, 'League table').shown();
  // The header, 60 squads and their mean.
  expect(table).toHaveLength(62);
  expect(google.tab(id, 'Overview').rows().flat()).toContain('Leader');
  const page = join(folder.path, 'public/index.html');
  expect(existsSync(page)).toBe(true);
  expect(readFileSync(page, 'utf8')).toMatch(/<td[^>]*>1<\/td>/);
  expect(readFileSync(page, 'utf8')).not.toContain('Ada Appletree');
});
