import { globSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { createSandbox, type Sandbox } from '../../src/sandbox/index.ts';
import { accessibilityFindings } from '../support/axe.ts';
import { makeFolder } from '../support/cli.ts';
import { runHere } from '../support/run-here.ts';
import { smallDemo } from '../support/small-demo.ts';
import { describeInChromium, LOOKS, openPage, type Page } from '../support/chromium.ts';

/** Bounds a browser that hangs: a busy machine takes its time for some hundred looks. */
const LIMIT_MS = 600_000;
/** On paper the header of a table is repeated on each page. A grid leaves no room for that, so that the last rows stand below what follows. */
const TABLES_IN_GRIDS = `[...document.querySelectorAll('table')].filter((table) => {
  for (let each = table.parentElement; each !== null; each = each.parentElement)
    if (getComputedStyle(each).display !== 'block') return true;
  return false;
}).length`;
/** All members of the demo are in it. */
const LONG_GROUP = Array.from(
  { length: 60 },
  (_, index) =>
    `D-${String(index + 1).padStart(3, '0')},The old boys of the club with their friends of the season\n`,
);

/** Shows the page in both widths and schemes: it fits, and keeps nobody out. */
async function judge(page: Page): Promise<void> {
  const address = await page.value('location.href');
  for (const look of LOOKS) {
    await page.show(...look);
    const where = `${String(address)} at ${look.join(' px, ')}`;
    const overflow = await page.value(
      'Math.max(0, document.documentElement.scrollWidth - document.documentElement.clientWidth)',
    );
    expect([where, overflow]).toEqual([where, 0]);
    expect([where, await accessibilityFindings(page)]).toEqual([where, []]);
  }
}

describeInChromium('pages in Chromium', () => {
  let sandbox: Sandbox;
  let page: Page;
  const folder = makeFolder({
    'teamsheet.yaml': `version: 1
environments: { sandbox: { base_url: "\${TEAMSHEET_BASE_URL}", api_key: { env: TEAMSHEET_API_KEY } } }
vars: { fantasy_league_id: 1 }
season: { groups: { csv: groups.csv, member: Member ID, group: Group } }
publish: { members: display }
`,
    'groups.csv': 'Member ID,Group\nD-001,Office\nD-002,Office\nD-003,Family\n' + LONG_GROUP.join(''),
  });
  const run = async (...args: readonly string[]): Promise<void> => {
    const env = { TEAMSHEET_BASE_URL: sandbox.baseUrl, TEAMSHEET_API_KEY: sandbox.apiKey };
    expect(await runHere(args, { cwd: folder.path, env })).toMatchObject({ code: 0 });
  };

  beforeAll(async () => {
    const settings = { per_minute: 100_000, per_day: 1_000_000 };
    sandbox = await createSandbox(smallDemo(folder.path, settings, '2026-08-10T09:00:00Z'));
    for (let week = 1; week <= 2; week += 1) {
      await sandbox.control('POST', '/play-next-week');
      await sandbox.control('POST', '/clock', { advance: '1h' });
      await run('weeks', 'read');
      await run('substitutions', 'trigger', '--week', 'last', '--yes');
      await run('weeks', 'read');
    }
    page = await openPage();
  });
  afterAll(async () => {
    await page.close();
    await sandbox.close();
    folder.remove();
  });

  it(
    'of a published site are for everybody',
    async () => {
      await run('publish');
      const site = join(folder.path, 'public');
      const kinds = ['*.html', 'weeks/week-1*.html', 'groups/*.html', 'squads/1.html'];
      const paths = kinds.flatMap((kind) => globSync(kind, { cwd: site }));
      expect(paths.length).toBeGreaterThan(8);
      for (const path of paths) {
        await page.go(pathToFileURL(join(site, path)).href);
        await judge(page);
        await page.onPaper();
        expect([path, await page.value(TABLES_IN_GRIDS)]).toEqual([path, 0]);
      }
    },
    LIMIT_MS,
  );

  it(
    'of the console of the sandbox are for everybody',
    async () => {
      await page.go(`${sandbox.baseUrl}/`);
      await judge(page);
      const key = JSON.stringify(sandbox.controlKey);
      await page.follow(
        `document.querySelector('input[name=key]').value = ${key}; document.querySelector('form').requestSubmit()`,
      );
      // One page of each kind: the first link to it, in the menu or on a page that was shown before.
      const kinds = new Map<string, string>();
      const collect = async (): Promise<void> => {
        const links = `[...document.querySelectorAll('main a[href^="/"], nav a[href^="/"]')].map((each) => each.getAttribute('href'))`;
        for (const href of (await page.value(links)) as readonly string[]) {
          const kind = href.replace(/[?#].*/, '').replaceAll(/[0-9a-f-]{36}|\d+/g, 'N');
          if (!kind.endsWith('.json') && !kinds.has(kind)) kinds.set(kind, href);
        }
      };
      await collect();
      for (const href of kinds.values()) {
        await page.go(sandbox.baseUrl + href);
        await judge(page);
        await collect();
      }
      expect(kinds.size).toBeGreaterThan(10);
    },
    LIMIT_MS,
  );
});
