import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { realClock } from '../../src/runtime/clock.ts';
import { readConfig } from '../../src/runtime/config/config.ts';
import { withDesk } from '../../src/serve/desk.ts';
import { newestRuns } from '../../src/serve/run-line.ts';
import { folderOfTest, serviceOfTest } from '../support/of-test.ts';
import { runHere } from '../support/run-here.ts';
import { smallDemo, SQUADS } from '../support/small-demo.ts';

const CONFIG = `version: 1
environments:
  a: { base_url: '\${URL}', api_key: { env: A_KEY } }
  b: { base_url: '\${URL}', api_key: { env: B_KEY } }
leagues:
  north: { environment: a, fantasy_league_id: 1 }
  south: { environment: b, fantasy_league_id: 1 }
publish: { out: 'public-\${league}' }
`;
const STANDINGS = `version: 1
name: standings
pull: standings
where: { fantasy_league_id: '\${fantasy_league_id}', weeks: last }
destination: { csv: 'out/\${league}.csv' }
`;

const FIXTURES = `version: 1
name: fixtures
pull: fixtures
where: { fantasy_league_id: '\${fantasy_league_id}' }
destination: { csv: 'out/fixtures-\${league}.csv' }
`;

it('keeps what is remembered of two accounts at one address apart', async () => {
  const folder = folderOfTest({
    'teamsheet.yaml': CONFIG,
    'mappings/standings.yaml': STANDINGS,
    'mappings/fixtures.yaml': FIXTURES,
  });
  const { sandbox, baseUrl } = await serviceOfTest(smallDemo(folder.path, { accounts: 2 }));
  const [A_KEY = '', B_KEY = ''] = sandbox.accounts.map((account) => account.api_key);
  const env = { URL: baseUrl, A_KEY, B_KEY };
  const run = (...args: readonly string[]) => runHere(args, { cwd: folder.path, env });
  const squadsOf = async (league: string): Promise<readonly number[]> => {
    const { stdout } = await run('weeks', '--offline', '--json', '--league', league);
    const { weeks } = JSON.parse(stdout) as { readonly weeks: readonly { readonly squads: number }[] };
    return weeks.map(({ squads }) => squads).filter((squads) => squads > 0);
  };
  expect((await run('weeks', 'read', '--league', 'north')).code).toBe(0);

  // Nobody knows yet whose the other key is: that of the account which is known is another one.
  for (const args of [
    ['weeks', 'close', '6'],
    ['weeks', 'export', 'memory.gz'],
    ['weeks', 'forget', '--member', 'D-001'],
    ['pull', 'standings', '--offline'],
    ['publish'],
  ]) {
    const { code, stderr } = await run(...args, '--league', 'south');
    expect({ args, code }).toEqual({ args, code: 4 });
    expect(stderr).toContain('with this API key yet, so nothing is remembered of its account');
  }
  expect(existsSync(join(folder.path, 'public-south'))).toBe(false);

  // From here on, the other account is the one that was worked with last.
  expect((await run('pull', 'fixtures', '--league', 'south')).code).toBe(0);
  expect(await squadsOf('north')).toEqual([SQUADS]);
  expect(await squadsOf('south')).toEqual([]);
  expect((await run('publish')).code).toBe(0);
  expect(existsSync(join(folder.path, 'public-north/squads'))).toBe(true);
  expect(existsSync(join(folder.path, 'public-south/squads'))).toBe(false);

  // The dashboard of one shows nothing of the other.
  const desk = { cwd: folder.path, clock: realClock, warn: () => undefined, renderNext: String };
  const shown = (league: string): Promise<readonly string[]> => {
    const own = { ...env, XDG_STATE_HOME: join(folder.path, '.xdg') };
    const config = readConfig({ var: {}, league }, { env: own, cwd: folder.path });
    return withDesk({ ...desk, readConfig: () => config }, async (ours) =>
      (await newestRuns(ours)).map(({ command }) => command),
    );
  };
  expect(await shown('north')).toEqual(['weeks']);
  expect(await shown('south')).toEqual(['pull']);
});
