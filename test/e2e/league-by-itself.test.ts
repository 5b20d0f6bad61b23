import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { InterruptedError } from '../../src/model/error.ts';
import { realClock } from '../../src/runtime/clock.ts';
import { startFakeGoogle } from '../support/google/fake-google.ts';
import { folderOfTest, serviceOfTest } from '../support/of-test.ts';
import { runHere, runInProcess } from '../support/run-here.ts';
import { smallDemo, SQUADS } from '../support/small-demo.ts';

/** How often whoever sleeps looks at the clock, which the test moves. */
const LOOK_MS = 5;

it('a league runs from a shared spreadsheet with init and schedule run alone: inputs, reports and the members’ site', async () => {
  let aheadMs = 0;
  const now = (): number => Date.now() + aheadMs;
  const google = await startFakeGoogle({ now });
  const folder = folderOfTest();
  const service = await serviceOfTest(smallDemo(folder.path, { per_minute: 10_000 }, '2026-08-10T09:10:00Z'));
  const stop = new AbortController();
  const terminate = (): void => stop.abort(new InterruptedError('SIGTERM', 'stopped by SIGTERM'));
  onTestFinished(() => {
    terminate();
    return google.close();
  });
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
  const env = { ...service.env, TEAMSHEET_GOOGLE_ROOT_URL: google.rootUrl };
  const made = await runHere(['init', '--spreadsheet', id, '--google-key', 'league.key.json'], {
    cwd: folder.path,
    env,
  });
  expect([made.code, made.stderr]).toEqual([0, expect.any(String)]);
  expect(made.stdout).toMatch(/\n {2}\S*teamsheet schedule run --port 8790\n/);
  // What a person answers on a terminal.
  const config = join(folder.path, 'teamsheet.yaml');
  writeFileSync(
    config,
    readFileSync(config, 'utf8')
      .replace('fantasy_league_id: ', 'fantasy_league_id: 1 ')
      .replace('price_type: ', 'price_type: current '),
  );

  // From here on nobody types anything. The machine's clock is that of the service.
  const move = async (path: string, body?: object): Promise<void> => {
    await service.sandbox.control('POST', path, body);
    const { now } = (await service.sandbox.control('GET', '/state')) as { readonly now: string };
    aheadMs = Date.parse(now) - Date.now();
  };
  await move('/clock', { advance: '1m' });
  const clock = {
    ...realClock,
    now,
    sleep: async (ms: number, signal?: AbortSignal) => {
      for (const endMs = now() + ms; now() < endMs;) await realClock.sleep(LOOK_MS, signal);
    },
  };
  let said = '';
  const running = runInProcess(
    ['schedule', 'run', '--port', '0'],
    {
      cwd: folder.path,
      env: { TEAMSHEET_GOOGLE_ROOT_URL: google.rootUrl },
      signal: stop.signal,
      said: (text) => (said = text),
    },
    clock,
  );
  const tab = (name: string): readonly (readonly unknown[])[] => google.tab(id, name).shown();
  const page = join(folder.path, 'public/index.html');

  await expect.poll(() => said).toContain('next: ');
  await move('/clock', { advance: '5m' });
  await expect.poll(() => tab('Members')[1]).toContain('created');
  await move('/play-next-week');
  await move('/clock', { advance: '10m' });
  await expect.poll(() => said).toContain('reading game week 1');
  await expect.poll(() => existsSync(page)).toBe(true);
  await move('/clock', { advance: '5h' });
  // The header, the squads and their mean.
  await expect.poll(() => tab('League table')).toHaveLength(SQUADS + 2);
  expect(google.tab(id, 'Overview').rows().flat()).toContain('Leader');
  expect(readFileSync(page, 'utf8')).toMatch(/<td[^>]*>1<\/td>/);
  expect(readFileSync(page, 'utf8')).not.toContain('Ada Appletree');

  // The page that shows it, by the link that was printed.
  const [link = ''] = /http:\/\/127\.0\.0\.1:\d+\/\?token=\S+/.exec(said) ?? [];
  const entered = await fetch(link, { redirect: 'manual' });
  const cookie = entered.headers.get('set-cookie')?.split(';', 1)[0] ?? '';
  const shown = await (await fetch(new URL('/', link), { headers: { cookie } })).text();
  expect(shown).toContain('squads-tab');

  terminate();
  expect(await running).toMatchObject({ code: 143 });
  expect(google.problems).toEqual([]);
});
