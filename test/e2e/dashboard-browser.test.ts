import { afterAll, beforeAll, expect, it } from 'vitest';
import { createSandbox, type Sandbox } from '../../src/sandbox/index.ts';
import { makeFolder, runCli } from '../support/cli.ts';
import { accessibilityFindings } from '../support/axe.ts';
import { describeInChromium, LOOKS, openPage, type Page } from '../support/chromium.ts';

const LINK = /http:\/\/127\.0\.0\.1:\d+\/\?token=[\w-]+/;

/** Words that a line cannot end within. */
const LONG_NAME = 'members_of_the_club_'.repeat(4);

describeInChromium('the dashboard in Chromium', () => {
  let sandbox: Sandbox;
  let page: Page;
  let origin: string;
  let stop: () => void = () => undefined;
  let ended: Promise<unknown>;
  const folder = makeFolder({
    'teamsheet.yaml':
      'version: 1\nenvironments: { sandbox: { base_url: "${TEAMSHEET_BASE_URL}", api_key: { env: TEAMSHEET_API_KEY } } }\n',
    'users.csv': `Member ID,Name\n${Array.from({ length: 120 }, (_, index) => `member-with-a-rather-long-id-${index},${'x'.repeat(60)}`).join('\n')}\n`,
    'others.csv': `Member ID,Name\n${'long_id_'.repeat(20)},Ada\n`,
    'mappings/m.yaml':
      `- { version: 1, name: ${LONG_NAME}, push: users, source: { csv: others.csv }, operation: upsert, columns: { external_id: Member ID, display_name: Name } }\n` +
      '- { version: 1, name: users, push: users, source: { csv: users.csv }, operation: upsert, columns: { external_id: Member ID, display_name: { from: Name, max_length: 50 } } }\n',
  });

  beforeAll(async () => {
    sandbox = await createSandbox({});
    const env = { TEAMSHEET_BASE_URL: sandbox.baseUrl, TEAMSHEET_API_KEY: sandbox.apiKey };
    await runCli(['push', '--yes'], { cwd: folder.path, env });
    const link = await new Promise<string>((resolve) => {
      ended = runCli(['dashboard', '--port', '0'], {
        cwd: folder.path,
        env,
        when: {
          seen: LINK,
          act: (kill, stdout) => {
            stop = () => kill('SIGTERM');
            resolve(LINK.exec(stdout)?.[0] ?? '');
          },
        },
      });
    });
    ({ origin } = new URL(link));
    page = await openPage();
    await page.go(`${origin}/`);
    expect(await page.value('document.querySelector("h1").textContent')).toBe('Only with the link');
    await page.go(link);
  }, 60_000);
  afterAll(async () => {
    await page.close();
    stop();
    await ended;
    await sandbox.close();
    folder.remove();
  });

  it('shows its pages to whoever opened the link, and the address keeps no token', async () => {
    expect(await page.value('location.href')).toBe(`${origin}/`);
    expect(await page.value('document.querySelector("h1").textContent')).toBe('Overview');
  });

  it.each(LOOKS)('fits a screen of %i px, %s, and is for everybody', async (width, scheme) => {
    await page.go(`${origin}/`);
    const run = String(
      await page.value('document.querySelector("a[href^=\'/runs/\']").getAttribute("href")'),
    );
    await page.show(width, scheme);
    for (const path of [
      '/',
      '/runs',
      run,
      `${run}?mapping=${LONG_NAME}&rows=all`,
      '/budget',
      '/weeks',
      '/alerts',
      '/cases',
      '/nowhere',
    ]) {
      await page.go(origin + path);
      expect([path, Number(await page.value('document.documentElement.scrollWidth')) <= width]).toEqual([
        path,
        true,
      ]);
      const dark = await page.value('getComputedStyle(document.body).backgroundColor');
      expect(dark).toBe(scheme === 'dark' ? 'rgb(14, 20, 17)' : 'rgb(243, 245, 241)');
      expect([path, await accessibilityFindings(page)]).toEqual([path, []]);
    }
  });

  it('is used by the keyboard: the first step leads to the content, and every link shows that it is reached', async () => {
    await page.show(1280, 'light');
    await page.go(`${origin}/runs`);
    await page.press('Tab');
    expect(await page.value('document.activeElement.textContent')).toBe('To the content');
    expect(await page.value('document.activeElement.getBoundingClientRect().left >= 0')).toBe(true);
    await page.press('Tab');
    await page.press('Tab');
    expect(await page.value('document.activeElement.textContent')).toBe('Overview');
    expect(await page.value('getComputedStyle(document.activeElement).outlineStyle')).toBe('solid');
  });

  it('has one heading of the first level, names for its regions and headers for its tables', async () => {
    for (const path of ['/', '/runs', '/budget']) {
      await page.go(origin + path);
      expect(await page.value('document.querySelectorAll("h1").length')).toBe(1);
      expect(await page.value('document.documentElement.lang')).toBe('en');
      const nameless =
        '[...document.querySelectorAll("nav, [role=region], [role=img]")].filter((each) => !each.ariaLabel).length';
      expect(await page.value(nameless)).toBe(0);
      expect(await page.value('document.querySelectorAll("table th:not([scope])").length')).toBe(0);
      const ids = '[...document.querySelectorAll("[id]")].map((each) => each.id)';
      expect(await page.value(`new Set(${ids}).size === ${ids}.length`)).toBe(true);
    }
  });

  it('gives the browser nothing to complain of but what was refused', () => {
    expect(page.complaints.filter((each) => !/40[14]/.test(each))).toEqual([]);
  });
});
