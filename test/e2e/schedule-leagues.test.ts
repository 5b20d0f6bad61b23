import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import type { Service } from '../support/cli.ts';
import { folderOfTest, serviceOfTest } from '../support/of-test.ts';
import { runHere } from '../support/run-here.ts';
import { smallDemo } from '../support/small-demo.ts';

/** Two services, whose clocks are a week apart: the first one is in game week 1, the second one in game week 2. */
const CONFIG = `version: 1
environments:
  a: { base_url: '\${A_URL}', api_key: { env: A_KEY } }
  b: { base_url: '\${B_URL}', api_key: { env: B_KEY } }
leagues:
  north: { environment: a, fantasy_league_id: 1 }
  south: { environment: b, fantasy_league_id: 1 }
`;
const MAPPINGS = `- { version: 1, name: trigger, push: auto_substitutions, source: { weeks: last }, schedule: { at: each.end + 3h } }
- { version: 1, name: fixtures, pull: fixtures, where: { fantasy_league_id: '\${fantasy_league_id}' }, destination: { csv: 'out/\${league}.csv' }, schedule: '0 6 1 * *' }
`;

it('several leagues of several accounts are scheduled together, each by its own game weeks and clock', async () => {
  const folder = folderOfTest({ 'teamsheet.yaml': CONFIG, 'mappings/m.yaml': MAPPINGS });
  const at = (now: string): Promise<Service> =>
    serviceOfTest(smallDemo(folder.path, { per_minute: 10_000 }, now));
  const a = await at('2026-08-14T12:00:00Z');
  const b = await at('2026-08-21T12:00:00Z');
  const env = { A_URL: a.baseUrl, A_KEY: a.apiKey, B_URL: b.baseUrl, B_KEY: b.apiKey };
  const run = async (...args: readonly string[]): Promise<string> => {
    const { stdout, stderr } = await runHere(args, { cwd: folder.path, env });
    return `${stdout}${stderr}`;
  };
  const once = (): Promise<string> => run('schedule', 'run', '--once');
  // An account that refuses its key, and of which nothing was read yet, is not in the way of the other one.
  const half = { cwd: folder.path, env: { ...env, B_KEY: 'no-key-of-this-service-at-all' } };
  const refused = await runHere(['schedule', 'run', '--once'], half);
  expect(refused).toMatchObject({ code: 5, stderr: expect.stringContaining(b.baseUrl) as string });
  expect(existsSync(join(folder.path, 'out/north.csv'))).toBe(true);
  const told = await runHere(['schedule', 'next', '--json'], half);
  expect(told).toMatchObject({ code: 5, stderr: expect.stringContaining(b.baseUrl) as string });
  expect(new Set((JSON.parse(told.stdout) as { league: string }[]).map(({ league }) => league))).toEqual(
    new Set(['north']),
  );
  await once();
  for (const league of ['north', 'south'])
    expect(existsSync(join(folder.path, `out/${league}.csv`))).toBe(true);

  const next = JSON.parse(
    (await run('schedule', 'next', '--json')).split('\n')[0] ?? '',
  ) as readonly unknown[];
  expect(next).toEqual(
    expect.arrayContaining([
      expect.objectContaining({
        league: 'north',
        mapping: 'trigger',
        week: '1',
        at: '2026-08-18T02:00:00.000Z',
      }),
      expect.objectContaining({ league: 'south', mapping: 'weeks:read', week: '2' }),
    ]),
  );

  await a.sandbox.control('POST', '/play-next-week');
  await a.sandbox.control('POST', '/clock', { advance: '4h' });
  const first = await once();
  expect(first).toMatch(/due: .*trigger@north \(week 1\)/);
  expect(first).toContain('reading game week 1 of north');
  expect(first).not.toMatch(/trigger@south|of south/);

  await b.sandbox.control('POST', '/play-next-week');
  await b.sandbox.control('POST', '/clock', { advance: '4h' });
  const second = await once();
  expect(second).toMatch(/due: .*trigger@south \(week 2\)/);
  expect(second).toContain('reading game week 2 of south');
  expect(second).not.toMatch(/trigger@north|of north/);

  // An account that does not answer is not in the way of the other one.
  await a.close();
  await b.sandbox.control('POST', '/play-next-week');
  await b.sandbox.control('POST', '/clock', { advance: '4h' });
  const alone = await once();
  expect(alone).toMatch(/due: .*trigger@south \(week 3\)/);
});
