import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { control } from '../support/control.ts';
import { program } from '../support/program.ts';
import { smallDemo, SQUADS } from '../support/small-demo.ts';

const PAIRS = `- version: 1
  name: pairs
  pull: auto_substitutions
  explode: pairs
  where: { fantasy_league_id: 1 }
  destination: { csv: out/pairs.csv }
  columns:
    Week: { from: game_week.week, type: integer }
    Squad: squad.id
    Out: out.player.id
    In: in.player.id
    Armband: captain_moved
- version: 1
  name: log
  pull: auto_substitutions
  where: { fantasy_league_id: 1 }
  destination: { csv: out/log.csv }
  columns: { Week: game_week.week, ID: id }
- version: 1
  name: lineups
  pull: lineups
  where: { fantasy_league_id: 1 }
  destination: { csv: out/lineups.csv }
`;
const { folder, service, start, run } = program({ 'mappings/pairs.yaml': PAIRS }, { here: true });

type Row = Readonly<Record<string, string>>;
function report(name: string): readonly Row[] {
  const text = readFileSync(join(folder.path, `out/${name}.csv`), 'utf8').trim();
  const [header = [], ...rows] = text.split('\n').map((line) => line.split(','));
  return rows.map((cells) => Object.fromEntries(header.map((name, at) => [name, cells[at] ?? ''])));
}

interface Truth {
  readonly squad: { readonly id: string };
  readonly substitutions: readonly { readonly out: number; readonly in: number }[];
}
const keysOf = (rows: readonly Row[]): readonly string[] =>
  rows.map((row) => [row['Squad'], row['Out'], row['In']].join(' ')).toSorted();

/** What the sandbox itself substituted in a week. */
async function substituted(week: number): Promise<readonly string[]> {
  const { list } = await control(service.sandbox, 'GET', `/truth?game_week=${week}`);
  return (list as unknown as readonly Truth[])
    .flatMap(({ squad, substitutions }) => substitutions.map((pair) => `${squad.id} ${pair.out} ${pair.in}`))
    .toSorted();
}

it('the pairs of a log that was never read before are those that the service made, with their weeks', async () => {
  await start(smallDemo(folder.path, { per_minute: 100_000 }));
  expect(await run('pull', 'pairs', 'log')).toMatchObject({ code: 0 });
  const rows = report('pairs');
  expect(rows.length).toBeGreaterThan(SQUADS);
  const weeks = [...new Set(rows.map((row) => row['Week']))];
  expect(weeks).not.toContain('');
  for (const week of weeks) {
    const own = keysOf(rows.filter((row) => row['Week'] === week));
    expect(own, `game week ${week}`).toEqual(await substituted(Number(week)));
  }
  const log = report('log');
  expect(log.length).toBe(2 * rows.length);
  expect(new Set(log.map((row) => row['Week']))).toEqual(new Set(weeks));
});

it('one week is told by its line-ups, with the armbands', async () => {
  await start(smallDemo(folder.path, { per_minute: 100_000 }));
  const { record } = await control(service.sandbox, 'POST', '/play-next-week');
  const week = (record['played'] as readonly string[])[0] ?? '';
  expect((await run('pull', 'lineups')).code).toBe(0);
  const triggered = ['substitutions', 'trigger', '--week', 'last', '--var', 'fantasy_league_id=1'];
  expect((await run(...triggered, '--adopt', '--yes')).code).toBe(0);
  expect((await run('pull', 'lineups')).code).toBe(0);
  expect((await run('pull', 'pairs', '--week', week)).code).toBe(0);
  const rows = report('pairs');
  expect(keysOf(rows)).toEqual(await substituted(Number(week)));
  // Nobody of this week who went out was captain.
  expect(new Set(rows.map((row) => row['Armband']))).toEqual(new Set(['false']));
  const asked = service.requests.length;
  expect((await run('pull', 'pairs', '--week', week, '--offline')).code).toBe(0);
  expect([service.requests.length, keysOf(report('pairs'))]).toEqual([asked, keysOf(rows)]);
});
