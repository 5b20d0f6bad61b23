import { expect, it } from 'vitest';
import type { Outcome } from '../support/cli.ts';
import { folderOfTest, serviceOfTest } from '../support/of-test.ts';
import { runHere } from '../support/run-here.ts';

interface Player {
  readonly first_name: string;
  readonly last_name: string;
  readonly team: string;
}

it.each([
  ['csv', 'players-report', 'out/players\\.csv'],
  ['workbook', 'players-workbook', 'out/players\\.xlsx tab "Players"'],
])('creates a squad of names on a new league, with reports as %s', async (place, report, table) => {
  const service = await serviceOfTest();
  const folder = folderOfTest({ 'users.csv': `Member ID,Display name,Active\n${place},Ada,yes\n` });
  const cli = (...args: readonly string[]): Promise<Outcome> =>
    runHere(args, { cwd: folder.path, env: service.env });
  const league = ['--var', 'fantasy_league_id=1'];
  const player = async (id: string): Promise<Player> => {
    const { stdout } = await cli('api', 'get-player', '--id', id, '--query', 'fantasy_league_id=1');
    return (JSON.parse(stdout) as { readonly data: Player }).data;
  };
  expect(await cli('init', '.', '--reports', place)).toMatchObject({ code: 0 });
  expect(await cli('pull', report, ...league, '--max-wait', '2m', '--limit', '20')).toMatchObject({
    code: 0,
    stderr: expect.stringMatching(/ids are tried from 1 on/) as string,
  });
  const { first_name: first, last_name: last } = await player('1');
  const other = await player('2');
  const header = ['Member ID', 'Squad name', ...Array.from({ length: 15 }, (_, at) => `P${at + 1}`)];
  const squads = (...cells: readonly string[]): void => {
    const row = [place, `Rovers ${place}`, ...cells, ...Array.from({ length: 15 - cells.length }, () => '')];
    folder.write('squads.csv', `${header.join(',')}\n${row.join(',')}\n`);
  };
  squads(`${first} ${last}Q`);
  expect(await cli('validate', 'squads', ...league)).toMatchObject({
    code: 3,
    stdout: expect.stringMatching(new RegExp(`is not in ${table}.*nearest: "${first} ${last}"`)) as string,
  });
  squads(`${first} ${last}`, `${other.last_name} (${other.team})`, '19');
  const pushed = await cli('push', 'users', 'squads', ...league, '--yes', '--json');
  expect(JSON.parse(pushed.stdout)).toMatchObject({
    exit_code: 0,
    mappings: [
      { name: 'users', created: 1 },
      { name: 'squads', created: 1 },
    ],
  });
});
