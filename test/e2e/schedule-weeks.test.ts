import { existsSync, readFileSync } from 'node:fs';
import { expect, it, onTestFinished } from 'vitest';
import type { Sandbox, Settings } from '../../src/sandbox/index.ts';
import { startServer, type makeFolder } from '../support/cli.ts';
import { folderOfTest, serviceOfTest } from '../support/of-test.ts';
import { runHere } from '../support/run-here.ts';
import { smallDemo, SQUADS } from '../support/small-demo.ts';
import { runInSeason, SEASON_CLOCK } from '../support/season-clock.ts';

/** The seeded season before its first week, which runs from Friday 14 August 2026 to the Monday after. */
const START = '2026-08-14T12:00:00Z';
const CONFIG = `version: 1
environments: { test: { base_url: "\${TEAMSHEET_BASE_URL}", api_key: { env: TEAMSHEET_API_KEY } } }
vars: { fantasy_league_id: 1 }
alerts: [{ webhook: { env: ALERT_URL }, allow_private: true }]
publish: { out: public }
`;
const TRIGGER =
  '{ version: 1, name: trigger, push: auto_substitutions, source: { weeks: last }, schedule: { at: each.end + 3h } }\n';

interface Line {
  readonly mapping: string;
  readonly week: string | null;
  readonly why: string;
}

interface World {
  readonly sandbox: Sandbox;
  readonly folder: ReturnType<typeof makeFolder>;
  readonly told: readonly Readonly<Record<string, unknown>>[];
  /** What both streams say; the exit code must be as expected. */
  readonly run: (...args: readonly string[]) => Promise<string>;
  readonly once: (code?: number) => Promise<string>;
  readonly clock: (advance: string) => Promise<unknown>;
  readonly weeks: () => Promise<readonly unknown[]>;
}

/** With `isOneClock`, the machine's clock is that of the sandbox. */
async function world(
  settings: Partial<Settings> = {},
  { isOneClock = false }: { readonly isOneClock?: boolean } = {},
): Promise<World> {
  const told: Readonly<Record<string, unknown>>[] = [];
  const folder = folderOfTest({
    ...{ 'teamsheet.yaml': CONFIG, 'mappings/m.yaml': TRIGGER, 'clock.cjs': SEASON_CLOCK },
  });
  const service = await serviceOfTest(smallDemo(folder.path, { per_minute: 10_000, ...settings }, START));
  const { sandbox } = service;
  const hook = await startServer((request, response) => {
    const parts: Buffer[] = [];
    request.on('data', (part: Buffer) => parts.push(part));
    request.on('end', () => {
      told.push(JSON.parse(Buffer.concat(parts).toString()) as Readonly<Record<string, unknown>>);
      response.end();
    });
  });
  onTestFinished(hook.close);
  const env = { ...service.env, ALERT_URL: hook.baseUrl };
  const end = async (expected: number, args: readonly string[]): Promise<string> => {
    const place = { cwd: folder.path, env };
    const { code, stdout, stderr } = await (isOneClock
      ? runInSeason(sandbox, args, place)
      : runHere(args, place));
    expect([args, code, stderr]).toEqual([args, expected, expect.any(String)]);
    return `${stdout}${stderr}`;
  };
  const run: World['run'] = (...args) => end(0, args);
  return {
    ...{ sandbox, folder, told, run },
    once: (code = 0) => end(code, ['schedule', 'run', '--once']),
    clock: (advance) => sandbox.control('POST', '/clock', { advance }),
    weeks: async () =>
      (JSON.parse((await run('weeks', '--offline', '--json')).split('\n')[0] ?? '') as { weeks: object[] })
        .weeks,
  };
}

it('schedule run reads each week at its end and after its trigger, and publishes it', async () => {
  const { sandbox, folder, run, once, clock, weeks, told } = await world();
  const next = JSON.parse((await run('schedule', 'next', '--json')).split('\n')[0] ?? '') as readonly Line[];
  expect(next.slice(0, 4)).toMatchObject([
    { mapping: 'weeks:read', week: '1', why: 'before the game week ends' },
    { mapping: 'weeks:read', week: '1', why: 'the game week is over' },
    { mapping: 'trigger', week: '1', why: 'each.end + 3h' },
    { mapping: 'weeks:read', week: '1', why: 'before the next game week begins' },
  ]);
  // The first time everything with a schedule is due: there is no week to trigger yet.
  expect(await once()).toContain('no game week that is over');
  await sandbox.control('POST', '/play-next-week');
  await clock('10m');
  expect(await once()).toMatch(
    new RegExp(`reading game week 1\n[^]*read ${SQUADS} line-ups, ${SQUADS} squads`),
  );
  expect(await weeks()).toMatchObject([{ week: '1', state: 'provisional', lineups: SQUADS }]);
  expect(existsSync(`${folder.path}/public/index.html`)).toBe(true);
  expect(await once()).not.toContain('reading');

  await clock('3h');
  expect(await once()).toMatch(/due: trigger \(week 1\)[^]*reading game week 1/);
  expect(await weeks()).toMatchObject([{ week: '1', state: 'final' }]);
  expect(await once()).not.toContain('reading');
  expect(told).toEqual([]);
});

it('writes the reports of a week again once it is final, where the trigger came after them', async () => {
  const { sandbox, folder, run, once, clock, weeks } = await world();
  folder.write(
    'mappings/m.yaml',
    ['{ at: each.end + 1h }', "'0 6 1 1 *'"]
      .map(
        (schedule, at) =>
          `- { version: 1, name: table-${at}, pull: standings, where: { fantasy_league_id: 1, weeks: last }, schedule: ${schedule},\n` +
          `    destination: { csv: out/table-${at}.csv }, columns: { Squad: name, Points: points } }\n`,
      )
      .join(''),
  );
  const written = (): string => readFileSync(`${folder.path}/out/table-0.csv`, 'utf8');
  await once();
  await sandbox.control('POST', '/play-next-week');
  await clock('2h');
  await once();
  const before = written();
  await clock('20h');
  await run('substitutions', 'trigger', '--week', 'last', '--yes');
  expect(await once()).toMatch(/reading game week 1\n[^]*due: table-0\b(?!.*table-1)/);
  expect(await weeks()).toMatchObject([{ week: '1', state: 'final' }]);
  expect(written()).not.toBe(before);
  expect(await once()).not.toContain('due:');
});

it('tells once of substitutions that differ from the rules', async () => {
  const { sandbox, folder, once, clock, told } = await world();
  await once();
  folder.write(
    'teamsheet.yaml',
    `${CONFIG}rules: { eleven: { GK: [1, 1], DEF: [3, 3], MID: [2, 5], FWD: [1, 3] } }\n`,
  );
  await sandbox.control('POST', '/play-next-week');
  await clock('10m');
  await once();
  await clock('3h');
  await once();
  expect(told).toMatchObject([{ event: 'audit_differs', environment: 'test', league: null, mapping: null }]);
  expect(told[0]?.['message']).toMatch(
    new RegExp(`^game week 1: the substitutions of \\d+ of ${SQUADS} squads differ from the rules$`),
  );
});

it('tries again what the budget left, and tells of a week that is about to be lost', async () => {
  const { sandbox, once, clock, weeks, told } = await world(
    { per_day: 15 + SQUADS / 2 },
    { isOneClock: true },
  );
  await once();
  await sandbox.control('POST', '/play-next-week');
  await clock('10m');
  expect(await once(7)).toContain('reading game week 1');
  expect(await once(7)).not.toContain('reading');
  expect(told).toEqual([]);
  // On the next day there is a budget again, and on that day it is used up.
  await clock('2h');
  await once(7);
  await clock('1h');
  expect(await once(7)).toMatch(/due: trigger \(week 1\)/);
  await clock('10m');
  expect(await once(7)).not.toContain('due:');
  // Week 2 begins on Friday at 17:30.
  await sandbox.control('POST', '/clock', { now: '2026-08-21T16:00:00Z' });
  expect(await once(7)).toMatch(/due: trigger \(week 1\)/);
  expect(told).toMatchObject([
    { event: 'failing', mapping: 'trigger', exit_code: 7 },
    { event: 'recovered', mapping: 'trigger' },
    { event: 'week_missing', counts: { squads: SQUADS }, next: 'teamsheet weeks read' },
  ]);
  expect(told[2]?.['message']).toMatch(
    new RegExp(
      `^game week 1: \\d+ of ${SQUADS} squads are not read, and in 2 h the service no longer shows them$`,
    ),
  );
  expect(await weeks()).toMatchObject([{ week: '1', state: 'provisional' }]);
});

it('tells in an outage of a week that is about to be lost', async () => {
  const { sandbox, once, clock, told } = await world({}, { isOneClock: true });
  await once();
  await sandbox.control('POST', '/play-next-week');
  await clock('10m');
  await once();
  await sandbox.control('POST', '/play-next-week');
  await sandbox.control('POST', '/faults', {
    faults: [{ kind: 'reset', operation: '*', count: 1_000_000 }],
  });
  await clock('10m');
  await once(8);
  // The trigger of week 1 was due too.
  expect(told.map(({ event, mapping }) => [event, mapping])).toEqual([['failing', 'trigger']]);
  // Week 3 begins on Friday at 17:30.
  await sandbox.control('POST', '/clock', { now: '2026-08-28T16:00:00Z' });
  await once(8);
  expect(told.filter(({ event }) => event === 'week_missing')).toMatchObject([
    {
      ...{ environment: 'test', league: null, mapping: null, counts: { squads: SQUADS, missing: SQUADS } },
      message: `game week 2: ${SQUADS} of ${SQUADS} squads are not read, and in 2 h the service no longer shows them`,
    },
  ]);
});
