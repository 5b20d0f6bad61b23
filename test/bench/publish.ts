/**
 * G13: `publish` of a season of 38 weeks and 1,000 squads from a new state, and once more when nothing changed, by the built program. Prints times, files and the largest page.
 *
 *   npm run bench -- publish
 */
import { readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { realClock } from '../../src/sandbox/clock.ts';
import { openStore } from '../../src/state/sqlite/store.ts';
import { makeFolder } from '../support/cli.ts';
import { ACCOUNT_ID, LEAGUE, rememberWeek, season } from './support/big-season.ts';
import { measured, told } from './support/cost.ts';

/** Publishing asks the service nothing. */
const BASE_URL = 'http://127.0.0.1:9';

const folder = makeFolder({
  'teamsheet.yaml': `version: 1
environments: { bench: { base_url: "${BASE_URL}", api_key: { env: KEY } } }
vars: { fantasy_league_id: ${LEAGUE} }
publish: { out: public, title: Big League, members: display }
`,
});
try {
  const store = await openStore({ file: join(folder.path, '.teamsheet/state.sqlite'), clock: realClock });
  const scope = { account: { baseUrl: BASE_URL, accountId: ACCOUNT_ID }, league: LEAGUE };
  for (const week of season) await rememberWeek(store.memory, scope, week);
  await store.close();
  console.log(`publish: ${told(await measured(['publish'], folder.path))} (goal 15 s)`);
  console.log(`publish again: ${told(await measured(['publish'], folder.path))}`);
  const out = join(folder.path, 'public');
  const files = readdirSync(out, { recursive: true, encoding: 'utf8' }).map((name) => ({
    name,
    stat: statSync(join(out, name)),
  }));
  const pages = files.filter(({ name }) => name.endsWith('.html'));
  const largest = pages.toSorted((one, other) => other.stat.size - one.stat.size)[0];
  console.log(
    `${files.length} files; the largest of ${pages.length} pages: ${largest?.name ?? '?'}, ${((largest?.stat.size ?? 0) / 1e3).toFixed(0)} KB (goal 200)`,
  );
} finally {
  folder.remove();
}
