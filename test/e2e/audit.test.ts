import { expect, it } from 'vitest';
import { control } from '../support/control.ts';
import { program } from '../support/program.ts';
import { runs } from '../support/long.ts';
import { smallDemo, SQUADS } from '../support/small-demo.ts';

const REPORTS = ['fixtures', 'lineups', 'players', 'auto_substitutions']
  .map(
    (resource) => `- version: 1
  name: ${resource}
  pull: ${resource}
  where: { fantasy_league_id: 1 }
  destination: { csv: out/${resource}.csv }
`,
  )
  .join('');
const { folder, service, start, run } = program({ 'mappings/reports.yaml': REPORTS }, { here: true });
const LEAGUE = ['--var', 'fantasy_league_id=1'];

interface Audit {
  readonly weeks: readonly {
    readonly week: number;
    readonly squads: number;
    readonly agree: number;
    readonly differ: number;
    readonly unknown: number;
    readonly differences: readonly unknown[];
  }[];
}

it('a processed game week is compared with the rules, by what was read before and after', async () => {
  await start(smallDemo(folder.path, { per_minute: 100_000 }));
  const audit = (...args: string[]) => run('substitutions', 'audit', ...LEAGUE, ...args);
  expect(await audit()).toMatchObject({
    code: 7,
    stderr: expect.stringContaining('pull line-ups first') as string,
  });
  await control(service.sandbox, 'POST', '/play-next-week');
  expect((await run('pull')).code).toBe(0);
  const before = await audit('--json');
  expect([before.code, (JSON.parse(before.stdout) as Audit).weeks[0]]).toMatchObject([7, { agree: 0 }]);

  const triggered = await run('substitutions', 'trigger', '--week', 'last', ...LEAGUE, '--adopt', '--yes');
  expect(triggered).toMatchObject({ code: 0 });
  expect((await run('pull')).code).toBe(0);
  const after = await audit('--json');
  const { weeks } = JSON.parse(after.stdout) as Audit;
  expect([after.code, weeks]).toMatchObject([
    0,
    [{ squads: SQUADS, agree: SQUADS, differ: 0, unknown: 0, differences: [] }],
  ]);
  const told = await audit('--week', String(weeks[0]?.week));
  expect(told.stdout).toMatch(
    new RegExp(`game week +squads +agree +differ +unknown\\n\\d+ +${SQUADS} +${SQUADS} +0 +0\\n$`),
  );

  expect(await audit('--weeks', '12-3')).toMatchObject({ code: 64 });
  expect(await audit('--week', '38')).toMatchObject({ code: 7 });
});

it('finds no difference where the records of the log show no time, so that they may be of any week', async () => {
  await start(smallDemo(folder.path, { per_minute: 100_000, unneeded_fields: 'absent' }));
  await control(service.sandbox, 'POST', '/play-next-week');
  expect((await run('pull')).code).toBe(0);
  const trigger = await run('substitutions', 'trigger', '--week', 'last', ...LEAGUE, '--adopt', '--yes');
  expect(trigger).toMatchObject({ code: 0 });
  expect((await run('pull')).code).toBe(0);
  const audited = await run('substitutions', 'audit', ...LEAGUE, '--json');
  const { weeks } = JSON.parse(audited.stdout) as Audit;
  expect([audited.code, weeks]).toMatchObject([7, [{ squads: SQUADS, differ: 0, differences: [] }]]);
  expect((await run('substitutions', 'audit', ...LEAGUE)).stdout).toContain(
    'unknown, because the log has records whose game week cannot be told',
  );
});

it('finds no difference before the log shows anything of the week, and what there is afterwards', async () => {
  await start(smallDemo(folder.path, { per_minute: 100_000, substitutions_after_ms: 60_000 }));
  await control(service.sandbox, 'POST', '/play-next-week');
  expect((await run('pull')).code).toBe(0);
  const trigger = await run('substitutions', 'trigger', '--week', 'last', ...LEAGUE, '--adopt', '--yes');
  expect(trigger).toMatchObject({ code: 0 });
  const audit = async () => {
    const { code, stdout } = await run('substitutions', 'audit', ...LEAGUE, '--json');
    return [code, (JSON.parse(stdout) as Audit).weeks];
  };
  expect(await audit()).toMatchObject([7, [{ squads: SQUADS, differ: 0 }]]);
  expect((await run('pull', 'lineups')).code).toBe(0);
  expect(await audit()).toMatchObject([7, [{ squads: SQUADS, differ: 0 }]]);
  expect((await run('substitutions', 'audit', ...LEAGUE)).stdout).toContain(
    'unknown, because the log shows no substitution of the week yet',
  );
  await control(service.sandbox, 'POST', '/clock', { advance: '2m' });
  expect((await run('pull', 'auto_substitutions')).code).toBe(0);
  expect(await audit()).toMatchObject([0, [{ squads: SQUADS, agree: SQUADS }]]);
});

it('where the week turns at its end, the words of the log are explained by line-ups from before and by minutes', async () => {
  // Of fewer squads no captain hands his armband on.
  const squads = runs(20, 60);
  const settings = { per_minute: 100_000, week_turns: 'end' } as const;
  await start(smallDemo(folder.path, settings, '2026-08-10T09:00:00Z', squads));
  const clock = (now: string) => control(service.sandbox, 'POST', '/clock', { now });
  // Read again while it runs, after its owners could change it: this is the one before its substitutions.
  for (const now of ['2026-08-14T16:00:00Z', '2026-08-15T12:00:00Z']) {
    await clock(now);
    expect((await run('pull', '--var', 'fantasy_league_id=1')).code).toBe(0);
  }
  await control(service.sandbox, 'POST', '/play-next-week');
  await control(service.sandbox, 'POST', '/clock', { advance: '1h' });
  const triggered = await run('substitutions', 'trigger', '--week', '1', ...LEAGUE, '--yes');
  expect(triggered.code).toBe(0);
  expect(triggered.stdout).toMatch(/\n {2}.*: .+ for .+\n/);
  expect(triggered.stdout).not.toMatch(/\n {2}.*: .+ and .+\n/);
  expect((await run('pull')).code).toBe(0);
  const { code, stdout } = await run('substitutions', 'audit', ...LEAGUE, '--week', '1', '--json');
  // Whether a captain who did not play handed the armband on, a line-up afterwards alone could show.
  const { list } = await control(service.sandbox, 'GET', '/truth?game_week=1');
  const handedOn = list.filter((squad) => {
    const before = squad['before'] as readonly Readonly<Record<string, unknown>>[];
    const captain = before.find((place) => place['is_captain'])?.['player_id'];
    return squad['captain_counts'] !== null && squad['captain_counts'] !== captain;
  }).length;
  expect(handedOn).toBeGreaterThan(0);
  expect([code, (JSON.parse(stdout) as Audit).weeks]).toMatchObject([
    7,
    [{ week: 1, squads, agree: squads - handedOn, differ: 0, unknown: handedOn }],
  ]);
});
