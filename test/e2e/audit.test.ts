import { expect, it } from 'vitest';
import { control } from '../support/control.ts';
import { program } from '../support/program.ts';

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
const { service, start, run } = program({ 'mappings/reports.yaml': REPORTS });
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
  await start({ seed: 'demo', settings: { per_minute: 100_000 } });
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
    [{ squads: 60, agree: 60, differ: 0, unknown: 0, differences: [] }],
  ]);
  const told = await audit('--week', String(weeks[0]?.week));
  expect(told.stdout).toMatch(/game week +squads +agree +differ +unknown\n\d+ +60 +60 +0 +0\n$/);

  expect(await audit('--weeks', '12-3')).toMatchObject({ code: 64 });
  expect(await audit('--week', '38')).toMatchObject({ code: 7 });
});
