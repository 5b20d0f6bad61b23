import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse } from 'csv-parse/sync';
import { expect, it } from 'vitest';
import { createSandbox } from '../../src/sandbox/index.ts';
import { folderOfTest, serviceOfTest } from '../support/of-test.ts';
import { runHere } from '../support/run-here.ts';
import { isLong } from '../support/long.ts';
import { unzip } from '../support/unzip.ts';

/** Most squads are made late: they show the week in which they begin, and the others the current one. The long form is a league of 5,000 squads and a window of 2,000 requests a day. */
const SQUADS = isLong ? 5000 : 150;
const PER_DAY = isLong ? 2000 : 60;
const MANY = 1_000_000;
const LIMIT_MS = 600_000;

const CONFIG = `version: 1
environments: { test: { base_url: "\${TEAMSHEET_BASE_URL}", api_key: { env: TEAMSHEET_API_KEY } } }
vars: { fantasy_league_id: 1 }
`;
const PULLS = `- { version: 1, name: lineups, pull: lineups, where: { fantasy_league_id: 1 }, destination: { csv: out/lineups.csv }, columns: { Squad: id } }
- { version: 1, name: ranks, pull: squads, detail: true, where: { fantasy_league_id: 1 }, destination: { xlsx: out/ranks.xlsx, tab: Ranks }, layout: ranks.yaml, columns: { Squad: id, Rank: ranking.current_rank } }
- { version: 1, name: table, pull: standings, where: { fantasy_league_id: 1 }, destination: { csv: out/table.csv }, columns: { Squad: id, Rank: rank } }
`;

interface Ended {
  readonly exit_code: number;
  readonly requests: { readonly sent: number };
  readonly mappings: readonly object[];
}

it(
  'line-ups of a league that is larger than a day window are whole on the third day, and none is read twice',
  async () => {
    const folder = folderOfTest({
      'teamsheet.yaml': CONFIG,
      'mappings/m.yaml': PULLS,
      'ranks.yaml': 'version: 1\ncover: { title: Ranks }\ncolumns: { Rank: { width: 8 } }\n',
    });
    const db = join(folder.path, 'service.sqlite');
    const roomy = await createSandbox({
      seed: 'demo',
      db,
      settings: { per_day: MANY, per_minute: MANY, quota_squads: MANY, quota_users: MANY },
    });
    await addSquads(SQUADS - 60, roomy);
    await roomy.close();
    const { sandbox, env } = await serviceOfTest({
      seed: 'demo',
      db,
      settings: { per_day: PER_DAY, per_minute: MANY },
    });
    const tomorrow = () => sandbox.control('POST', '/clock', { advance: '1d' });
    await tomorrow();
    const told: string[] = [];
    const run = async (...args: readonly string[]): Promise<Ended> => {
      const { stdout, stderr } = await runHere([...args, '--json'], { cwd: folder.path, env });
      expect([args, stderr, stdout]).toEqual([args, expect.any(String), expect.stringMatching(/^\{/)]);
      told.push(stderr);
      return JSON.parse(stdout) as Ended;
    };
    const days = [await run('pull', 'lineups')];
    await tomorrow();
    days.push(await run('resume', '--yes'));
    await tomorrow();
    days.push(await run('resume', '--yes'));
    expect(days.map(({ exit_code }) => exit_code)).toEqual([7, 7, 0]);
    const lines: readonly Readonly<Record<string, string>>[] = parse(
      readFileSync(join(folder.path, 'out/lineups.csv')),
      { columns: true },
    );
    expect(new Set(lines.map((line) => line['Squad'])).size).toBe(SQUADS);
    await tomorrow();
    const squads = [await run('pull', 'ranks')];
    for (const _ of [1, 2]) {
      await tomorrow();
      squads.push(await run('resume', '--yes'));
    }
    expect(squads.map(({ exit_code }) => exit_code)).toEqual([7, 7, 0]);
    const named = ['2026-09-26', '2026-09-27', '2026-09-28'];
    const text = named.join(', ');
    const warning = (report: string): string => `${report}: ranks were read on different days (${text}), so`;
    expect(told.at(-1)).toContain(warning('ranks'));
    expect(squads.at(-1)?.mappings).toMatchObject([{ name: 'ranks', read_on: named }]);
    const cover = [...(await unzip(join(folder.path, 'out/ranks.xlsx'))).values()].join('');
    expect(cover).toContain(`On ${text}, they may not fit together: ranks`);
    const table = await run('pull', 'table', '--offline');
    expect(table.mappings).toMatchObject([{ name: 'table', read_on: named }]);
    expect(told.at(-1)).toContain(warning('table'));
    const sent = days.reduce((sum, { requests }) => sum + requests.sent, 0);
    expect(sent).toBeLessThan(SQUADS * 1.1 + 30);
  },
  LIMIT_MS,
);

/** More squads of new users, each with the players of another one. */
async function addSquads(count: number, sandbox: Awaited<ReturnType<typeof createSandbox>>): Promise<void> {
  const call = async (method: 'GET' | 'POST', path: string, body?: object): Promise<unknown> => {
    const answer = await sandbox.inject({
      method,
      url: `http://sandbox.test/v1${path}`,
      headers: { 'x-api-key': sandbox.apiKey, 'content-type': 'application/json' },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    });
    expect([path, answer.status < 300, answer.body]).toEqual([path, true, expect.any(String)]);
    return (JSON.parse(answer.body) as { readonly data: unknown }).data;
  };
  for (let from = 0; from < count; from += 100) {
    const users = Array.from({ length: Math.min(100, count - from) }, (_, at) => ({
      external_id: `X${from + at}`,
      display_name: `Member ${from + at}`,
    }));
    const made = (await call('POST', '/user', { users })) as readonly { readonly user_id: number }[];
    for (const { user_id } of made)
      await call('POST', '/squad', {
        user_id,
        name: `Squad ${user_id}`,
        fantasy_league_id: 1,
        players_in: [1, 2, 3],
      });
  }
}
