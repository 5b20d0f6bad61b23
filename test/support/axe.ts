import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import type { Page } from './chromium.ts';

/** What keeps people from the page that is shown, by all rules of axe: the rule and the element of each finding. */
export async function accessibilityFindings(page: Page): Promise<readonly string[]> {
  if ((await page.value('typeof axe')) === 'undefined')
    await page.value(
      `${readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8')}; null`,
    );
  const found = await page.value(`axe.run({ resultTypes: ['violations'] }).then(({ violations }) =>
    violations.flatMap(({ id, nodes }) => nodes.map(({ target, failureSummary }) => id + ' ' + target.join(' ') + ': ' + failureSummary)))`);
  return found as readonly string[];
}
