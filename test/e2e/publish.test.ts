import { existsSync, globSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { text } from 'node:stream/consumers';
import { describe, expect, it } from 'vitest';
import { startServer } from '../support/cli.ts';
import { program } from '../support/program.ts';
import { smallDemo, SQUADS } from '../support/small-demo.ts';

const CONFIG = `version: 1
environments:
  test: { base_url: "\${TEAMSHEET_BASE_URL}", api_key: { env: TEAMSHEET_API_KEY } }
vars: { fantasy_league_id: 1 }
season: { groups: { csv: groups.csv, member: Member ID, group: Group } }
publish: { title: Demo League }
`;

const { folder, start, run, service } = program(
  {
    'teamsheet.yaml': CONFIG,
    'groups.csv': 'Member ID,Group\nD-001,Office\nD-002,Office\n',
  },
  { here: true },
);

const files = (): readonly string[] =>
  globSync('**/*', { cwd: join(folder.path, 'public'), withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name));
const everything = (): string =>
  files()
    .map((path) => readFileSync(path, 'utf8'))
    .join('\n');

/** A member of the sandbox, as it shows them. */
interface Member {
  readonly id: string;
  readonly external_id: string;
}

/** Gives the first members names that no player has, and answers their ids. */
async function rename(...names: readonly string[]): Promise<readonly Member[]> {
  const { data } = JSON.parse((await run('api', 'list-users')).stdout) as {
    readonly data: readonly Member[];
  };
  for (const [at, display_name] of names.entries()) {
    const body = JSON.stringify({ id: data[at]?.id, display_name });
    expect((await run('api', 'update-user', '--body', body, '--yes')).code).toBe(0);
  }
  return data;
}

describe('publish', () => {
  it('writes a site whose links lead to its own files, and asks the service nothing', async () => {
    await start(smallDemo(folder.path));
    await rename('Zaphod Canary');
    expect((await run('weeks', 'read')).code).toBe(0);
    const asked = service.requests.length;
    const first = await run('publish', '--json');
    expect([first.code, first.stderr]).toEqual([0, '']);
    expect(service.requests.length).toBe(asked);
    const { sites } = JSON.parse(first.stdout) as {
      readonly sites: readonly Readonly<Record<string, unknown>>[];
    };
    expect(sites).toHaveLength(1);
    expect(sites[0]).toMatchObject({
      fantasy_league_id: 1,
      out: 'public',
      squads: SQUADS,
      files: files().length,
    });

    const pages = files().filter((path) => path.endsWith('.html'));
    expect(pages.length).toBeGreaterThan(SQUADS);
    for (const page of pages) {
      const html = readFileSync(page, 'utf8');
      const targets = [...html.matchAll(/ (?:href|src)="([^"#]*)/g)]
        .map(([, target = '']) => target)
        .filter((target) => target !== '');
      expect(targets.filter((target) => !existsSync(join(dirname(page), target)))).toEqual([]);
      expect(html).toContain('noindex');
    }
    const all = everything();
    expect(all.replaceAll('http://www.w3.org/2000/svg', '')).not.toMatch(/https?:|<script|@import|url\(/);
    expect(all).not.toMatch(/Canary|class="member"/);
    expect(readFileSync(join(folder.path, 'public/groups/office.html'), 'utf8')).toContain('Office');

    const again = await run('publish');
    const said = `public: nothing has changed (${files().length} files)`;
    expect([again.code, again.stdout.split('\n')[0]]).toEqual([0, said]);
    const shown = everything();
    const none = await run('publish', '--weeks', '9-12');
    expect(none).toMatchObject({ code: 64, stdout: '' });
    expect(none.stderr).toMatch(/no game week of --weeks 9-12 has begun.*\n.*publish --weeks 1-6/);
    expect(everything()).toBe(shown);
  });

  it('writes one site after the other where two write one folder at the same moment', async () => {
    await start({ seed: 'demo' });
    await run('weeks', 'read');
    const titles = ['Zaphod', 'Trillian'];
    for (const title of titles) folder.write(`${title}.yaml`, CONFIG.replace('Demo League', title));
    const both = await Promise.all(titles.map((title) => run('publish', '--config', `${title}.yaml`)));
    expect(both).toMatchObject(both.map(() => ({ code: 0, stderr: '' })));
    const site = everything();
    expect(titles.filter((title) => site.includes(title))).toHaveLength(1);
  });

  it('shows names where members are displayed, and nothing of whoever is hidden or forgotten', async () => {
    await start(smallDemo(folder.path));
    const [one, other] = await rename('Zaphod Canary', 'Trillian Canary');
    expect((await run('weeks', 'read')).code).toBe(0);
    const squads = JSON.parse((await run('api', 'list-squads')).stdout) as {
      readonly data: readonly { readonly id: string; readonly name: string; readonly user: Member }[];
    };
    const squadOf = (member: Member | undefined) =>
      squads.data.find(({ user }) => user.external_id === member?.external_id);
    folder.write('teamsheet.yaml', CONFIG.replace('Demo League }', 'Demo League, members: display }'));
    expect((await run('publish')).code).toBe(0);
    for (const name of ['Zaphod Canary', 'Trillian Canary']) expect(everything()).toContain(name);

    folder.write(
      'teamsheet.yaml',
      CONFIG.replace('Demo League }', `Demo League, members: display, hide: [${one?.external_id}] }`),
    );
    expect((await run('weeks', 'forget', '--member', other?.external_id ?? '')).code).toBe(0);
    expect((await run('publish')).code).toBe(0);
    expect(everything()).not.toContain('Canary');
    expect(files().filter((path) => path.includes('squads'))).toHaveLength(SQUADS - 2);
    // Nothing says who a hidden squad was.
    for (const id of [one, other].map((member) => squadOf(member)?.id ?? '?'))
      expect(everything()).not.toContain(id);
  });

  it('refuses a folder that it did not write, and says what to do', async () => {
    await start(smallDemo(folder.path));
    await run('weeks', 'read');
    folder.write('public/thesis.txt', 'mine');
    const { code, stderr } = await run('publish');
    expect(code).toBe(4);
    expect(stderr).toContain('publish did not write the folder public');
    expect(stderr).toContain('--out');
    expect(readFileSync(join(folder.path, 'public/thesis.txt'), 'utf8')).toBe('mine');
    expect((await run('publish', '--out', 'site')).code).toBe(0);
    expect(existsSync(join(folder.path, 'site/index.html'))).toBe(true);
  });

  it('posts the recap of a week once it is final, and once', async () => {
    const bodies: string[] = [];
    const receiver = await startServer((request, response) => {
      void text(request).then((body) => {
        bodies.push(body);
        response.end();
      });
    });
    try {
      await start(smallDemo(folder.path));
      const post = '{ webhook: { env: RECAP_URL }, shape: discord }, allow_private: true }';
      folder.write('teamsheet.yaml', CONFIG.replace('Demo League }', `Demo League, post: ${post}`));
      folder.write('.env', `RECAP_URL=${receiver.baseUrl}/secret-path\n`);
      // Some of the details of squads, of which the table is made, do not fit.
      await run('weeks', 'read', '--max-requests', String(SQUADS + 15));
      expect((await run('publish')).stdout).not.toContain('recap');
      expect((await run('weeks', 'close', '6')).code).toBe(0);
      const inPart = await run('publish');
      expect(inPart.stdout).not.toContain('recap');
      expect(inPart.stderr).toMatch(/recap of game week 6 is not posted yet: the details of \d+ squads/);
      await run('weeks', 'read');
      const posted = await run('publish');
      expect(posted.stdout).toContain('recap of game week 6: posted (recap discord env RECAP_URL)');
      await run('publish');
      expect(bodies).toHaveLength(1);
      const { content, allowed_mentions: mentions } = JSON.parse(bodies[0] ?? '{}') as Readonly<
        Record<string, unknown>
      >;
      expect(content).toBe(readFileSync(join(folder.path, 'public/recap/week-6.md'), 'utf8'));
      expect(mentions).toEqual({ parse: [] });
      expect(everything() + posted.stdout + posted.stderr).not.toContain('secret-path');
    } finally {
      await receiver.close();
    }
  });

  it('says what to type before anything was read', async () => {
    await start();
    const { code, stderr } = await run('publish');
    expect(code).toBe(4);
    expect(stderr).toContain('weeks read');
  });
});
