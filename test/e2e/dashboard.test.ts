import { describe, expect, it } from 'vitest';
import type { Outcome, RunOptions } from '../support/cli.ts';
import { program } from '../support/program.ts';

const LINK = /http:\/\/127\.0\.0\.1:\d+\/\?token=[\w-]+/;

describe('the dashboard of the built program', () => {
  const files = {
    'teamsheet.yaml':
      'version: 1\nenvironments: { sandbox: { base_url: "${TEAMSHEET_BASE_URL}", api_key: { env: TEAMSHEET_API_KEY } } }\nvars: { fantasy_league_id: 1 }\n',
    'users.csv': `Member ID,Name\nm-1,<b>Ada</b>\nm-2,${'x'.repeat(61)}\n`,
    'mappings/m.yaml': `- version: 1
  name: users
  push: users
  source: { csv: users.csv }
  operation: upsert
  columns: { external_id: Member ID, display_name: { from: Name, max_length: 50 } }
  schedule: { at: each.kickoff - 24h }
`,
  };
  const { folder, service, run, runWith } = program(files, { once: true, service: {} });

  /** Starts a command that serves, asks for pages with the link that it prints, and ends it. */
  async function browse(
    args: readonly string[],
    ready: RegExp,
    look: (get: (path: string) => Promise<string>, said: string) => Promise<void>,
  ): Promise<Outcome> {
    let looked: Promise<void> = Promise.reject(new Error('it printed no link'));
    looked.catch(() => undefined);
    const when: RunOptions['when'] = {
      seen: ready,
      act: (kill, stdout, stderr) => {
        const said = stdout + stderr;
        looked = lookWith(LINK.exec(said)?.[0] ?? '', said, look).finally(() => kill('SIGTERM'));
      },
    };
    const outcome = await runWith({ when }, ...args);
    await looked;
    return outcome;
  }

  async function lookWith(
    link: string,
    said: string,
    look: (get: (path: string) => Promise<string>, said: string) => Promise<void>,
  ): Promise<void> {
    const opened = await fetch(link, { redirect: 'manual' });
    const cookie = (opened.headers.get('set-cookie') ?? '').split(';')[0] ?? '';
    const get = async (path: string): Promise<string> => {
      const answer = await fetch(new URL(path, link), { headers: { cookie } });
      return `${answer.status} ${await answer.text()}`;
    };
    await look(get, said);
  }

  it('shows runs and refused rows, and asks the service nothing', async () => {
    expect((await run('push', '--yes')).code).toBe(3);
    const before = service.requests.length;
    const outcome = await browse(['dashboard', '--port', '0'], LINK, async (get) => {
      const overview = await get('/');
      expect(overview).toContain('>degraded<');
      const [, run = ''] = /href="(\/runs\/\w+)"/.exec(overview) ?? [];
      const refused = await get(run);
      expect(refused).toMatch(/^200 /);
      expect(refused).toContain('<code><bdi>users.csv B3</bdi></code>');
      const written = await get(`${run}?mapping=users&rows=written`);
      expect(written).toContain('<li>display_name <b><bdi>&lt;b&gt;Ada&lt;/b&gt;</bdi></b></li>');
      for (const path of ['/runs', '/budget', '/weeks', '/alerts', '/cases'])
        expect(await get(path)).toMatch(/^200 /);
      expect(await get('/budget')).toContain('As the account said at');
    });
    expect(outcome.code).toBe(143);
    expect(outcome.stdout).toMatch(new RegExp(`^${LINK.source}\n$`));
    expect(service.requests.length).toBe(before);
  });

  it('goes with the schedules, with what comes next and the probe', async () => {
    const args = ['schedule', 'run', '--port', '0', '--probe', '127.0.0.1:0'];
    const { code, stdout } = await browse(args, / next: users/, async (get, said) => {
      expect(await get('/')).toMatch(/as they were read at.*<time/s);
      const [, probe = ''] = /probe: (http:\S+)\/healthz/.exec(said) ?? [];
      const health = await fetch(`${probe}/healthz`);
      expect([health.status, await health.text()]).toEqual([200, 'ok\n']);
      const metrics = await (await fetch(`${probe}/metrics`)).text();
      expect(metrics).toContain(
        'teamsheet_mapping_next_run_timestamp_seconds{mapping="users",direction="push"} ',
      );
      expect(metrics).not.toContain('Ada');
      expect((await fetch(`${probe}/runs`)).status).toBe(404);
    });
    expect([code, stdout]).toEqual([143, '']);
  });

  it('says what to type where the folder has no mapping', async () => {
    folder.write('none/README', '');
    await browse(['dashboard', '--port', '0', '--mappings', 'none'], /open the link/, async (get) => {
      expect(await get('/')).toMatch(/^503 .*none holds no mapping<\/p><p>teamsheet init</s);
    });
  });

  it('says as JSON where it is', async () => {
    const args = ['dashboard', '--port', '0', '--probe', '127.0.0.1:0', '--json'];
    const { stdout } = await browse(args, /"probe"/, async (get) => {
      expect(await get('/')).toMatch(/^200 /);
    });
    const { command, link, probe } = JSON.parse(stdout) as Readonly<Record<string, string>>;
    expect([command, LINK.test(link ?? ''), /^http:\/\/127\.0\.0\.1:\d+$/.test(probe ?? '')]).toEqual([
      'dashboard',
      true,
      true,
    ]);
  });
});
