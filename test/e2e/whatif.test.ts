import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { control } from '../support/control.ts';
import { program } from '../support/program.ts';
import { smallDemo, SQUADS } from '../support/small-demo.ts';

const MORE: Readonly<Record<string, string>> = {
  squads: 'detail: true',
  lineups: 'columns: { id: id, total_points: total_points }',
};
const REPORTS = ['fixtures', 'lineups', 'players', 'squads', 'points_config']
  .map(
    (resource) => `- version: 1
  name: ${resource}
  pull: ${resource}
  ${MORE[resource] ?? ''}
  where: { fantasy_league_id: 1 }
  destination: { csv: out/${resource}.csv }
`,
  )
  .join('');
const { folder, service, start, run } = program(
  {
    'mappings/reports.yaml': REPORTS,
    'new.csv': 'Setting,Points\nforward_goal_points,7\nGoal save ratio,2\n',
  },
  { here: true },
);
const LEAGUE = ['--var', 'fantasy_league_id=1'];

interface Document {
  readonly weeks: readonly string[];
  readonly player_weeks: number;
  readonly explained: number;
  readonly settings: readonly { readonly setting: string; readonly points: number }[];
  readonly squads: readonly {
    readonly squad: { readonly id: string };
    readonly points_now: number;
    readonly change: number;
  }[];
}

it('says of each squad what other points make, as the service does once they are in force', async () => {
  await start(smallDemo(folder.path, { per_minute: 100_000 }));
  await control(service.sandbox, 'POST', '/play-next-week');
  expect((await run('pull')).code).toBe(0);
  const asked = await run(
    ...['whatif', 'points', '--config', 'new.csv', '--set', 'yellow_card_points=-3', ...LEAGUE],
    ...['--weeks', 'last', '--out', 'whatif.csv', '--json'],
  );
  expect(asked.code).toBe(0);
  const found = JSON.parse(asked.stdout) as Document;
  expect(found.settings.map(({ setting }) => setting)).toEqual([
    'forward_goal_points',
    'goal_save_ratio',
    'yellow_card_points',
  ]);
  expect(found.explained / found.player_weeks).toBeGreaterThan(0.9);
  expect(found.squads).toHaveLength(SQUADS);
  const header = 'Rank then,Rank now,Squad,Points then,Points now,Change,Squad ID';
  expect(readFileSync(join(folder.path, 'whatif.csv'), 'utf8')).toContain(`${header}\n`);

  // The service itself is the witness: it counts its whole season again.
  const before = new Map(found.squads.map((each) => [each.squad.id, each.points_now]));
  const [names = '', values = ''] = readFileSync(join(folder.path, 'out/points_config.csv'), 'utf8').split(
    '\n',
  );
  const record = names.split(',').map((name, at) => [name, Number(values.split(',')[at])] as const);
  const body = {
    ...Object.fromEntries(record.filter(([, value]) => !Number.isNaN(value))),
    ...{ forward_goal_points: 7, goal_save_ratio: 2, yellow_card_points: -3 },
  };
  const pointsOf = async (): Promise<ReadonlyMap<string, number>> => {
    const pulled = await run('pull', 'lineups');
    expect(pulled.code).toBe(0);
    const [header = '', ...rows] = readFileSync(join(folder.path, 'out/lineups.csv'), 'utf8')
      .trim()
      .split('\n');
    const [id, total] = ['id', 'total_points'].map((name) => header.split(',').indexOf(name));
    return new Map(rows.map((row) => [row.split(',')[id ?? 0] ?? '', Number(row.split(',')[total ?? 0])]));
  };
  const was = await pointsOf();
  const set = await run('api', 'set-points-config', '--body', JSON.stringify(body), '--yes');
  expect(set.code).toBe(0);
  const is = await pointsOf();
  for (const { squad, change } of found.squads)
    expect([squad.id, change]).toEqual([squad.id, (is.get(squad.id) ?? 0) - (was.get(squad.id) ?? 0)]);
  expect(before.size).toBe(SQUADS);

  const refused = await run('whatif', 'points', '--set', 'own_goal_points=-5', ...LEAGUE);
  expect(refused).toMatchObject({
    code: 64,
    stderr: expect.stringContaining('no field of the service counts what own_goal_points is for') as string,
  });
  const told = await run(
    'whatif',
    'points',
    '--set',
    'midfielder_goal_points=9',
    ...LEAGUE,
    '--weeks',
    'last',
  );
  expect(told.stdout).toMatch(/winners +points +change +rank now +rank then/);
  expect(told.stderr).toMatch(/\d+ of \d+ player weeks are explained by the points in force/);
  expect(told.stderr).not.toContain('of 0 entries');
});
