import { globSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { createSandbox, type Sandbox } from '../../src/sandbox/index.ts';
import { accessibilityFindings } from '../support/axe.ts';
import { makeFolder } from '../support/cli.ts';
import { runHere } from '../support/run-here.ts';
import { describeInChromium, openPage, type Page } from '../support/chromium.ts';
import { isLong } from '../support/long.ts';

/** Bounds a browser that hangs: a busy machine takes its time for some hundred looks. */
const LIMIT_MS = 600_000;
const WIDTHS = [390, 1280];
/** All members of the demo are in it. */
const LONG_GROUP = Array.from(
  { length: 60 },
  (_, index) =>
    `D-${String(index + 1).padStart(3, '0')},The old boys of the club with their friends of the season\n`,
);
const SCHEMES = ['light', 'dark'] as const;

/** Shows pages in both widths and schemes: each fits, and keeps nobody out. */
async function lookAt(page: Page, addresses: readonly string[]): Promise<void> {
  for (const address of addresses) {
    await page.go(address);
    for (const width of WIDTHS)
      for (const scheme of SCHEMES) {
        await page.show(width, scheme);
        const where = `${address} at ${width} px, ${scheme}`;
        const overflow = await page.value(
          'Math.max(0, document.documentElement.scrollWidth - document.documentElement.clientWidth)',
        );
        expect([where, overflow]).toEqual([where, 0]);
        // In the short form each width is judged in one scheme, and each scheme in one width.
        if (isLong || (width === WIDTHS[0]) === (scheme === 'light'))
          expect([where, await accessibilityFindings(page)]).toEqual([where, []]);
      }
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
    sandbox = await createSandbox({ seed: 'demo', now: '2026-08-10T09:00:00Z', settings });
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
      await lookAt(
        page,
        paths.map((path) => pathToFileURL(join(site, path)).href),
      );
    },
    LIMIT_MS,
  );

  it(
    'of the console of the sandbox are for everybody',
    async () => {
      await lookAt(page, [`${sandbox.baseUrl}/`]);
      const key = JSON.stringify(sandbox.controlKey);
      await page.follow(
        `document.querySelector('input[name=key]').value = ${key}; document.querySelector('form').requestSubmit()`,
      );
      // One page of each kind: those of the menu, and the first link of each kind on them.
      const kinds = new Map<string, string>();
      const links = `[...document.querySelectorAll('main a[href^="/"], nav a[href^="/"]')].map((each) => each.getAttribute('href'))`;
      const collect = async (): Promise<void> => {
        for (const href of (await page.value(links)) as readonly string[])
          kinds.set(href.replace(/[?#].*/, '').replaceAll(/[0-9a-f-]{36}|\d+/g, 'N'), href);
      };
      await collect();
      for (const href of [...kinds.values()].filter((each) => !each.endsWith('.json'))) {
        await page.go(sandbox.baseUrl + href);
        await collect();
      }
      const pages = [...kinds.values()].filter((href) => !/\.json$/.test(href));
      expect(pages.length).toBeGreaterThan(10);
      await lookAt(
        page,
        pages.map((href) => sandbox.baseUrl + href),
      );
    },
    LIMIT_MS,
  );
});
