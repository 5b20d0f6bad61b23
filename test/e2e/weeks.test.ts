import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import type { Lineup } from '../../src/contract/resources/lineups.ts';
import type { Outcome, Service } from '../support/cli.ts';
import { folderOfTest, serviceOfTest } from '../support/of-test.ts';
import { runHere } from '../support/run-here.ts';
import { control } from '../support/control.ts';
import { settingNames } from '../support/points.ts';
import { smallDemo, SQUADS } from '../support/small-demo.ts';

const FILES = {
  'teamsheet.yaml': `version: 1
environments:
  test: { base_url: "\${TEAMSHEET_BASE_URL}", api_key: { env: TEAMSHEET_API_KEY } }
vars: { fantasy_league_id: 1 }
`,
  'mappings/reports.yaml': `- version: 1
  name: lineups
  pull: lineups
  where: { fantasy_league_id: "\${fantasy_league_id}" }
  destination: { csv: lineups.csv }
- version: 1
  name: squads
  pull: squads
  where: { fantasy_league_id: "\${fantasy_league_id}", weeks: last }
  destination: { csv: squads.csv }
`,
};
/** So many requests read some line-ups, and not all. */
const HALF = String(SQUADS / 2);
/** Seeded so that game week 6 is played and not processed. */
const WEEK = '6';

interface Document {
  readonly exit_code: number;
  readonly run?: string;
  readonly reading?: readonly Readonly<Record<string, unknown>>[];
  readonly weeks?: readonly Readonly<Record<string, unknown>>[];
  readonly leagues?: readonly Readonly<Record<'read' | 'left', Readonly<Record<string, number>>>>[];
  readonly mappings?: readonly Readonly<Record<string, unknown>>[];
  readonly requests?: { readonly sent: number };
  readonly error?: { readonly code: string; readonly next: string };
}

let service: Service;
let folder: ReturnType<typeof folderOfTest>;
beforeEach(async () => {
  folder = folderOfTest(FILES);
  service = await serviceOfTest(smallDemo(folder.path, { per_minute: 10_000 }));
});

const run = (...args: readonly string[]): Promise<Outcome> =>
  runHere(args, { cwd: folder.path, env: service.env });
async function json(...args: readonly string[]): Promise<Document> {
  const { code, stdout } = await run(...args, '--json');
  const document = JSON.parse(stdout) as Document;
  expect(document.exit_code).toBe(code);
  return document;
}
const text = (name: string): string => readFileSync(join(folder.path, name), 'utf8');
const weekOf = ({ weeks = [] }: Document, week: string) => weeks.find((each) => each['week'] === week);
const forecastOf = ({ reading = [] }: Document): number => Number(reading[0]?.['requests']);
/** Asks the service itself, beside the program. */
async function ask(path: string, body?: object): Promise<unknown> {
  const answer = await fetch(`${service.sandbox.baseUrl}/v1${path}`, {
    headers: { 'x-api-key': service.sandbox.apiKey, 'content-type': 'application/json' },
    ...(body !== undefined && { method: 'POST', body: JSON.stringify(body) }),
  });
  return ((await answer.json()) as { readonly data: unknown }).data;
}
async function squadIds(): Promise<readonly string[]> {
  const squads = (await ask('/squad?fantasy_league_id=1')) as readonly { readonly id: string }[];
  return squads.map(({ id }) => id);
}
const lineupRequests = (): number => service.requests.filter((url) => url.endsWith('/lineup')).length;

describe('a league that the service does not show', () => {
  it('is not read, with the exit code of a read that came back short', async () => {
    const { code, stderr } = await run('weeks', 'read', '--var', 'fantasy_league_id=99');
    expect(code).toBe(8);
    expect(stderr).toMatch(/answered 404 .*\n +next: teamsheet weeks read --var fantasy_league_id=99/);
    expect((await run('weeks', '--var', 'fantasy_league_id=99')).code).toBe(8);
  });
});

describe('weeks close', () => {
  it('says what the week is then', async () => {
    await json('weeks');
    const missed = 'it is missing: it was not read while the service showed it';
    expect((await run('weeks', 'close', '5')).stdout).toBe(
      `game week 5 of fantasy league 1 is closed; ${missed}\n`,
    );
    await json('weeks', 'read');
    expect((await run('weeks', 'close', WEEK)).stdout).toContain(
      `week ${WEEK} of fantasy league 1 is closed; it is final\n`,
    );
    expect(await json('weeks', 'close', WEEK)).toMatchObject({
      week: 6,
      weeks: [{ week: WEEK, state: 'final' }],
    });
  });
});

describe('a league that is remembered', () => {
  it('has its weeks shown also where the service does not show it any more', async () => {
    await json('weeks');
    await service.sandbox.control('POST', '/faults', {
      faults: [{ kind: 'status', status: 404, operation: 'get-fantasy-league' }],
    });
    const { code, stdout, stderr } = await run('weeks');
    expect(code).toBe(0);
    expect(stdout).toMatch(/^ +1 +6 +provisional/m);
    expect(stderr).toMatch(/what the service shows of fantasy league 1 is not known: GET .* answered 404/);
  });
});

describe('a game week', () => {
  it('is read once, and pulled again when it is over', async () => {
    const shownFirst = await json('weeks');
    expect(weekOf(shownFirst, WEEK)).toMatchObject({ state: 'provisional', lineups: 0 });
    const forecast = forecastOf(shownFirst);
    expect(forecast).toBeGreaterThan(2 * SQUADS);
    expect(shownFirst.reading).toMatchObject([
      { note: `${forecast} requests, and one for each player, whom the line-ups name` },
    ]);
    const beforeFirst = service.requests.length;
    const [first] = (await json('weeks', 'read')).leagues ?? [];
    const made = service.requests.slice(beforeFirst);
    expect(made.filter((url) => !url.includes('/v1/player/'))).toHaveLength(forecast);
    expect(first).toMatchObject({
      read: { lineups: SQUADS, squads: SQUADS },
      left: { lineups: 0, squads: 0, players: 0 },
      missing_weeks: ['1', '2', '3', '4', '5'],
    });
    expect(lineupRequests()).toBe(SQUADS);
    // What is read need not be read again.
    const shownSecond = await json('weeks');
    const rest = forecastOf(shownSecond);
    expect(rest).toBeLessThan(10);
    expect(shownSecond.reading).toMatchObject([{ note: `${rest} requests` }]);
    const beforeSecond = service.requests.length;
    const [second] = (await json('weeks', 'read')).leagues ?? [];
    expect(second).toMatchObject({ read: { lineups: 0, squads: 0, players: 0 } });
    expect(service.requests.slice(beforeSecond)).toHaveLength(rest);
    expect(lineupRequests()).toBe(SQUADS);
    await json('pull', 'lineups');
    const live = text('lineups.csv').split('\n').toSorted();

    await control(service.sandbox, 'POST', '/clock', { advance: '7d' });
    const shown = await json('weeks');
    expect(weekOf(shown, WEEK)).toMatchObject({
      fantasy_league_id: 1,
      state: 'provisional',
      squads: SQUADS,
      lineups: SQUADS,
    });
    expect(weekOf(shown, '5')).toMatchObject({ state: 'missing', lineups: 0, read_at: null });
    await json('pull', 'lineups');
    expect(text('lineups.csv').split('\n').toSorted()).not.toEqual(live);

    const before = service.requests.length;
    const again = await json('pull', 'lineups', '--week', WEEK, '--offline');
    expect(again.mappings).toMatchObject([{ records: SQUADS, rows: SQUADS * 15 }]);
    expect(text('lineups.csv').split('\n').toSorted()).toEqual(live);
    const missing = await json('pull', '--weeks', '5-6', '--offline');
    expect(missing.mappings).toMatchObject([
      { name: 'lineups', records: SQUADS, missing_weeks: [5] },
      { name: 'squads', records: SQUADS, missing_weeks: [5] },
    ]);
    const toCome = await run('pull', 'lineups', '--week', '20', '--offline');
    expect(toCome.code).toBe(0);
    expect(toCome.stderr).toContain(
      'lineups: nothing is remembered of game week 20 of fantasy league 1: it has not begun, or was not read while the service showed it',
    );
    expect(service.requests).toHaveLength(before);
    expect((await run('runs')).stdout).toContain(`${SQUADS} records (lineups)`);
  });

  it('is final once its line-ups are read after its trigger', async () => {
    await json('weeks', 'read');
    expect((await run('substitutions', 'trigger', '--week', WEEK, '--adopt', '--yes')).code).toBe(0);
    expect(weekOf(await json('weeks'), WEEK)?.['note']).toContain('weeks read reads the line-ups again');
    const [again] = (await json('weeks', 'read')).leagues ?? [];
    expect(again).toMatchObject({ read: { lineups: SQUADS, squads: SQUADS } });
    expect(weekOf(await json('weeks', '--offline'), WEEK)).toMatchObject({ state: 'final', note: null });
  });

  it('is read again, and final, once somebody else had it processed, and the week before never was', async () => {
    await json('weeks', 'read');
    await control(service.sandbox, 'POST', '/play-next-week');
    await json('weeks', 'read');
    await control(service.sandbox, 'POST', '/clock', { advance: '2h' });
    const { current_game_week } = (await ask('/fantasy-league/1')) as {
      readonly current_game_week: { readonly id: string };
    };
    await ask('/auto-substitution', { fantasy_league_id: 1, game_week_id: current_game_week.id });
    await control(service.sandbox, 'POST', '/clock', { advance: '1h' });
    const [again] = (await json('weeks', 'read')).leagues ?? [];
    expect(again).toMatchObject({ read: { lineups: SQUADS, squads: SQUADS }, left: { lineups: 0 } });
    expect(weekOf(await json('weeks', '--offline'), '7')).toMatchObject({ state: 'final', note: null });
    expect(weekOf(await json('weeks', '--offline'), WEEK)).not.toMatchObject({ state: 'final' });
    const [once] = (await json('weeks', 'read')).leagues ?? [];
    expect(once).toMatchObject({ read: { lineups: 0, squads: 0 } });
  });

  it('is read again after its trigger by a reading that goes on with one from before', async () => {
    const [stopped] = (await json('weeks', 'read', '--max-requests', String(SQUADS + 20))).leagues ?? [];
    expect(stopped).toMatchObject({ read: { lineups: SQUADS } });
    expect((await run('substitutions', 'trigger', '--week', WEEK, '--adopt', '--yes')).code).toBe(0);
    const [rest] = (await json('weeks', 'read')).leagues ?? [];
    expect(rest).toMatchObject({ read: { lineups: SQUADS, squads: SQUADS } });
    expect(weekOf(await json('weeks', '--offline'), WEEK)).toMatchObject({ state: 'final' });
  });

  it('is read again once a points configuration was pushed, which counts for it too', async () => {
    await json('weeks', 'read');
    const settings = settingNames.map((name) => `${name},${name.endsWith('_minutes') ? 60 : 3}`);
    writeFileSync(join(folder.path, 'points.csv'), ['Setting,Points', ...settings].join('\n'));
    const source = '{ csv: points.csv, layout: key_value, key_column: Setting, value_column: Points }';
    const mapping = `version: 1\nname: points\npush: points_config\nsource: ${source}\noperation: set\ncolumns: auto\n`;
    writeFileSync(join(folder.path, 'mappings/points.yaml'), mapping);
    expect((await run('push', 'points', '--yes')).code).toBe(0);
    const [read] = (await json('weeks', 'read')).leagues ?? [];
    expect(read).toMatchObject({ read: { lineups: SQUADS, squads: SQUADS } });
  });

  it('goes from one state to another as one file, which is refused when it is damaged or of another account', async () => {
    await json('weeks', 'read');
    await json('weeks', 'export', 'memory.gz');
    const listed = (await json('weeks', '--offline')).weeks;
    writeFileSync(join(folder.path, 'cut.gz'), readFileSync(join(folder.path, 'memory.gz')).subarray(0, -40));
    expect((await json('weeks', 'import', 'cut.gz')).error?.code).toBe('memory.file');
    const cwd = folderOfTest(FILES).path;
    const other = await serviceOfTest({ seed: 'demo' });
    const file = join(folder.path, 'memory.gz');
    const refused = await runHere(['weeks', 'import', file], { cwd, env: other.env });
    expect([refused.code, refused.stderr]).toMatchObject([
      4,
      expect.stringContaining('holds the memory of account'),
    ]);
    const imported = await runHere(['weeks', 'import', file], { cwd, env: service.env });
    expect(imported.code).toBe(0);
    const there = await runHere(['weeks', '--offline', '--json'], { cwd, env: service.env });
    expect((JSON.parse(there.stdout) as Document).weeks).toEqual(listed);
  });

  it('leaves out a member who is forgotten, also where the person is read again', async () => {
    await json('weeks', 'read');
    await json('pull', 'lineups', '--week', WEEK, '--offline');
    const [header = '', row = ''] = text('lineups.csv').split('\n');
    const member = row.split(',')[header.split(',').indexOf('user.external_id')] ?? '';
    expect(member).not.toBe('');
    const misspelt = await run('weeks', 'forget', '--member', `${member}0`);
    expect(misspelt.stdout).toContain(`nothing is kept of a member ${member}0: check the id`);
    const forgotten = await run('weeks', 'forget', '--member', member);
    expect([forgotten.code, forgotten.stdout]).toEqual([
      0,
      expect.stringContaining(`${member} is forgotten`),
    ]);
    const nothing = { lineups: 0, squads: 0, players: 0 };
    expect((await json('weeks', 'read')).leagues).toMatchObject([{ read: nothing, left: nothing }]);
    await json('pull', 'lineups', '--weeks', 'current');
    const report = await json('pull', 'lineups', '--week', WEEK, '--offline');
    expect(report.mappings).toMatchObject([{ records: SQUADS - 1 }]);
    expect(text('lineups.csv')).not.toContain(member);
  });
});

describe('a reading that stops before it has all line-ups', () => {
  it('leaves the week provisional, also where nothing else says how many squads there are', async () => {
    await json('substitutions', 'trigger', '--week', WEEK, '--yes', '--adopt');
    await service.sandbox.control('POST', '/clock', { advance: '1h' });
    const stopped = await json('weeks', 'read', '--max-requests', String(SQUADS));
    const left = Number(stopped.leagues?.[0]?.left['lineups']);
    expect([stopped.exit_code, left > 0 && left < SQUADS]).toEqual([7, true]);
    const week = weekOf(await json('weeks', '--offline'), WEEK);
    expect(week).toMatchObject({ state: 'provisional', note: `${left} line-ups were not read` });
    await json('weeks', 'read');
    expect(weekOf(await json('weeks', '--offline'), WEEK)).toMatchObject({ state: 'final', note: null });
  });
});

describe('a squad whose line-up the service fails to show', () => {
  it('keeps no other squad and no player from being read', async () => {
    const [squad] = await squadIds();
    await service.sandbox.control('POST', '/faults', {
      faults: [{ kind: 'status', status: 500, operation: 'get-lineup', match: squad, count: 1000 }],
    });
    const read = await json('weeks', 'read');
    expect([read.exit_code, read.leagues]).toMatchObject([
      8,
      [
        {
          read: { lineups: SQUADS - 1, squads: SQUADS, players: expect.any(Number) as number },
          left: { lineups: 1, squads: 0, players: 0 },
        },
      ],
    ]);
    expect(weekOf(await json('weeks', '--offline'), WEEK)).toMatchObject({ note: '1 line-up was not read' });
    await service.sandbox.control('DELETE', '/faults');
    const rest = { lineups: 1, squads: 0 };
    expect(await json('weeks', 'read')).toMatchObject({ exit_code: 0, leagues: [{ read: rest }] });
  });
});

describe('a league whose squads begin with a later week', () => {
  it('has a week that was read and in which they had no line-up', async () => {
    const league = 2;
    await ask('/fantasy-league', { name: 'Late Cup', league_id: 1 });
    const [other] = (await ask('/squad?fantasy_league_id=1')) as readonly { readonly id: string }[];
    const { squad: places } = (await ask(`/squad/${other?.id}/lineup`)) as Lineup;
    const all = [...(places?.starting_xi ?? []), ...(places?.bench ?? [])];
    const players = all.map(({ player }) => Number(player?.id));
    const squad = { user_id: 1, name: 'Late Larks', fantasy_league_id: league, players_in: players };
    expect(await ask('/squad', squad)).not.toBeNull();
    const own = ['--var', `fantasy_league_id=${league}`];
    const note = 'read, and no squad had a line-up in it';
    await json('weeks', 'read', ...own);
    const before = await json('weeks', '--offline', ...own);
    expect(weekOf(before, WEEK)).toMatchObject({ state: 'provisional', note });
    await control(service.sandbox, 'POST', '/play-next-week');
    const after = await json('weeks', 'read', ...own);
    expect(after.leagues).toMatchObject([{ read: { lineups: 1 }, missing_weeks: ['1', '2', '3', '4', '5'] }]);
    expect(weekOf(await json('weeks', '--offline', ...own), WEEK)).toMatchObject({ state: 'missing', note });
  });
});

describe('a squad whose line-up the service refuses to show', () => {
  it.each([400, 403, 422])('keeps no other squad from being read, answered with %i', async (status) => {
    const [squad] = await squadIds();
    await service.sandbox.control('POST', '/faults', {
      faults: [{ kind: 'status', status, operation: 'get-lineup', match: squad, count: 1000 }],
    });
    const read = { lineups: SQUADS - 1, squads: SQUADS };
    expect(await json('weeks', 'read')).toMatchObject({ exit_code: 0, leagues: [{ read }] });
  });

  it('is not waited for where the service fails to show something else', async () => {
    const [squad, other] = await squadIds();
    const closed = { kind: 'status', status: 403, match: squad, count: 1000 };
    await service.sandbox.control('POST', '/faults', {
      faults: [
        { ...closed, operation: 'get-lineup' },
        { ...closed, operation: 'get-squad' },
        { kind: 'status', status: 500, operation: 'get-squad', match: other, count: 1000 },
      ],
    });
    await json('substitutions', 'trigger', '--week', WEEK, '--yes', '--adopt');
    await service.sandbox.control('POST', '/clock', { advance: '1h' });
    const read = { lineups: SQUADS - 1, squads: SQUADS - 2 };
    expect(await json('weeks', 'read')).toMatchObject({ exit_code: 8, leagues: [{ read }] });
    expect(weekOf(await json('weeks', '--offline'), WEEK)).toMatchObject({ state: 'final', note: null });
  });
});

describe('a pull that stops', () => {
  it('is gone on with by the same pull and by resume, and reads only the rest', async () => {
    const stopped = await json('pull', 'lineups', '--max-requests', HALF);
    expect([stopped.exit_code, stopped.mappings]).toMatchObject([7, [{ records: 0 }]]);
    const read = lineupRequests();
    expect(read).toBeGreaterThan(SQUADS / 6);
    const next = await json('pull', 'lineups', '--max-requests', HALF);
    expect(next.exit_code).toBe(7);
    const resumed = await json('resume', '--yes');
    expect(resumed).toMatchObject({ run: next.run, mappings: [{ records: SQUADS }] });
    expect(lineupRequests()).toBe(SQUADS);
    expect((await json('resume', '--yes')).run).toBeNull();
    await json('pull', 'lineups');
    expect(lineupRequests()).toBe(2 * SQUADS);
  });

  it('makes no week final of which it left line-ups', async () => {
    await json('substitutions', 'trigger', '--week', WEEK, '--yes', '--adopt');
    await service.sandbox.control('POST', '/clock', { advance: '1h' });
    expect((await json('pull', 'lineups', '--max-requests', HALF)).exit_code).toBe(7);
    const week = weekOf(await json('weeks', '--offline'), WEEK);
    expect(week).toMatchObject({ state: 'provisional' });
    expect((await json('resume', '--yes')).exit_code).toBe(0);
    expect(weekOf(await json('weeks', '--offline'), WEEK)).toMatchObject({ state: 'final', note: null });
  });

  it('writes what there is with --partial, and says so', async () => {
    const stopped = await json('pull', 'lineups', '--max-requests', HALF, '--partial');
    const [summary] = stopped.mappings ?? [];
    expect(stopped.exit_code).toBe(7);
    expect(summary).toMatchObject({ partial: true, error: { code: 'budget.max_requests' } });
    expect(Number(summary?.['records'])).toBeGreaterThan(SQUADS / 6);
    expect(text('lineups.csv').split('\n').length).toBe(Number(summary?.['rows']) + 2);
  });
});
