import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { control } from '../support/control.ts';
import { program } from '../support/program.ts';
import { smallDemo, SQUADS } from '../support/small-demo.ts';

const REPORT = `version: 1
name: standings
pull: standings
where: { fantasy_league_id: 1 }
destination: { csv: out/standings.csv }
columns:
  Week: week
  Squad ID: id
  Rank: rank
  Previous: previous_rank
  Movement: movement
  Points: points
  Total: total
  Captain: captain.player.id
  Transfers: transfers
  Hits: hits
  Chip: chip
  Group: group
  Group rank: group_rank
`;
const { folder, service, start, run } = program(
  {
    'mappings/standings.yaml': REPORT,
    'groups.csv': 'Member ID,Group,From\nD-001,North,\nD-002,North,8\nD-003,North,\n',
    'teamsheet.yaml': `version: 1
environments: { test: { base_url: "\${TEAMSHEET_BASE_URL}", api_key: { env: TEAMSHEET_API_KEY } } }
season: { groups: { csv: groups.csv, member: Member ID, group: Group, from_week: From } }
`,
  },
  { here: true },
);

type Row = Readonly<Record<string, string>>;
function report(): readonly Row[] {
  const text = readFileSync(join(folder.path, 'out/standings.csv'), 'utf8').trim();
  const [header = [], ...rows] = text.split('\n').map((line) => line.split(','));
  return rows.map((cells) => Object.fromEntries(header.map((name, at) => [name, cells[at] ?? ''])));
}

interface Truth {
  readonly squad: { readonly id: string };
  /** With the deductions for transfers and without. */
  readonly points: { readonly net: number; readonly gross: number };
  readonly rank: number;
  readonly total_points: number;
  readonly captain: number;
  readonly transfers: readonly unknown[];
  readonly transfer_hits: { readonly hits: number };
  readonly chip: string | null;
}

it('the standings of weeks that are over are those that the service kept itself', async () => {
  await start(smallDemo(folder.path, { per_minute: 100_000 }));
  const weeks: number[] = [];
  // As it was when the week was read: statistics are corrected later.
  const truths = new Map<number, readonly Truth[]>();
  for (let played = 0; played < 3; played += 1) {
    const { record } = await control(service.sandbox, 'POST', '/play-next-week');
    weeks.push(Number((record['played'] as readonly string[])[0]));
    const triggered = ['substitutions', 'trigger', '--week', 'last', '--var', 'fantasy_league_id=1'];
    expect((await run(...triggered, '--adopt', '--yes')).code).toBe(0);
    expect(await run('pull')).toMatchObject({ code: 0 });
    const week = weeks.at(-1) ?? 0;
    const { list } = await control(service.sandbox, 'GET', `/truth?game_week=${week}`);
    truths.set(week, list as unknown as readonly Truth[]);
  }
  const before = service.requests.length;
  expect(await run('pull', 'standings', '--offline')).toMatchObject({ code: 0 });
  expect(service.requests.length).toBe(before);
  const rows = report();
  expect(rows).toHaveLength(3 * SQUADS);
  const previous = new Map<string, number>();
  const chips = new Set<string>();
  for (const [week, truth] of truths) {
    const own = rows.filter((row) => row['Week'] === String(week));
    expect(own).toHaveLength(truth.length);
    for (const each of truth) {
      const { squad, points, rank } = each;
      const row = own.find((line) => line['Squad ID'] === squad.id);
      expect(row, squad.id).toMatchObject({
        Rank: String(rank),
        Total: String(each.total_points),
        Captain: String(each.captain),
        Hits: String(each.transfer_hits.hits),
        Chip: each.chip ?? '',
        Previous: String(previous.get(squad.id) ?? ''),
      });
      expect([points.net, points.gross].map(String)).toContain(row?.['Points']);
      // A squad that is back after a chip of one week has changed too.
      if (week !== weeks[0] && !chips.has(squad.id))
        expect(row?.['Transfers'], squad.id).toBe(String(each.transfers.length));
      if (each.chip !== null) chips.add(squad.id);
      previous.set(squad.id, rank);
    }
  }
  const grouped = rows.filter((row) => row['Group'] !== '');
  expect(grouped.map((row) => row['Group rank']).every((rank) => ['1', '2', '3'].includes(rank ?? ''))).toBe(
    true,
  );
  expect(grouped.length).toBeGreaterThanOrEqual(6);

  expect(await run('pull', 'standings', '--offline', '--week', String(weeks[1]))).toMatchObject({ code: 0 });
  // It is made from the week before on, and is the same.
  expect(report()).toEqual(rows.filter((row) => row['Week'] === String(weeks[1])));
});

it('the first standings of a week are those of the whole league, also beside a report of the first line-ups', async () => {
  await start(smallDemo(folder.path, { per_minute: 100_000 }));
  const lineups = REPORT.slice(0, REPORT.indexOf('columns:')).replaceAll('standings', 'lineups');
  folder.write('mappings/lineups.yaml', lineups);
  const { list } = await control(service.sandbox, 'GET', '/truth?game_week=6');
  const truth = list as unknown as readonly Truth[];
  const ranks = new Map(truth.map(({ squad, rank }) => [squad.id, String(rank)]));
  const { code, stdout } = await run('pull', 'lineups', 'standings', '--limit', '3', '--json');
  const limited = { records: 3, limited: true };
  expect(code).toBe(0);
  expect(JSON.parse(stdout)).toMatchObject({ mappings: [limited, limited] });
  const rows = report();
  expect(rows.map((row) => row['Rank'])).toEqual(rows.map((row) => ranks.get(row['Squad ID'] ?? '')));
  expect(rows[0]?.['Rank']).toBe('1');
});

it('the points of a week that is processed after the next one began follow from the totals', async () => {
  await start(smallDemo(folder.path, { per_minute: 100_000, week_turns: 'end' }));
  const truths = async (week: number): Promise<readonly Truth[]> =>
    (await control(service.sandbox, 'GET', `/truth?game_week=${week}`)).list as unknown as readonly Truth[];
  const numbersOf = (rows: readonly Row[]) =>
    new Map(rows.map((row) => [row['Squad ID'], [row['Rank'], row['Points'], row['Total']]]));
  const read = async (): Promise<void> => {
    expect(await run('weeks', 'read', '--var', 'fantasy_league_id=1')).toMatchObject({ code: 0 });
  };
  await control(service.sandbox, 'POST', '/clock', { now: '2026-09-28T22:00:00Z' });
  await read();
  await control(service.sandbox, 'POST', '/play-next-week');
  const before = await truths(7);
  const triggered = ['substitutions', 'trigger', '--week', '7', '--var', 'fantasy_league_id=1'];
  expect((await run(...triggered, '--adopt', '--yes')).code).toBe(0);
  await read();
  const after = await truths(7);
  expect(after.filter(({ points }, at) => points.net !== before[at]?.points.net).length).toBeGreaterThan(
    SQUADS / 6,
  );
  expect(await run('pull', 'standings', '--offline', '--week', '7')).toMatchObject({ code: 0 });
  expect(numbersOf(report())).toEqual(
    new Map(
      after.map(({ squad, rank, points, total_points }) => [
        squad.id,
        [rank, points.net, total_points].map(String),
      ]),
    ),
  );
});
