import { describe, expect, it } from 'vitest';
import type { Sandbox } from '../../src/sandbox/index.ts';
import type { Outcome } from '../support/cli.ts';
import { folderOfTest, serviceOfTest } from '../support/of-test.ts';
import { runHere } from '../support/run-here.ts';
import { smallDemo } from '../support/small-demo.ts';

/** Game weeks 1 to 5 of the demo have ended by then, and the substitutions of week 5 are left to be triggered. */
const CONFIG = `version: 1
environments: { test: { base_url: "\${TEAMSHEET_BASE_URL}", api_key: { env: TEAMSHEET_API_KEY } } }
vars: { fantasy_league_id: 1 }
`;
const trigger = (weeks: string): string =>
  `{ version: 1, name: trigger, push: auto_substitutions, source: { weeks: ${weeks} }, schedule: { at: each.end + 3h } }\n`;

/** Requests for the log of substitutions, one page long, that come before a trigger: for the cost, and for what it held before. */
const LOG_READ_BEFORE = 3;

interface Document {
  readonly exit_code: number;
  readonly mappings: readonly Readonly<Record<string, unknown>>[];
}

interface World {
  readonly sandbox: Sandbox;
  readonly run: (...args: readonly string[]) => Promise<Outcome>;
  readonly json: (...args: readonly string[]) => Promise<Document>;
}

async function world(weeks: string, now?: string): Promise<World> {
  const folder = folderOfTest({ 'teamsheet.yaml': CONFIG, 'mappings/m.yaml': trigger(weeks) });
  // Nothing here is about the budget, which would be waited for.
  const settings = { per_minute: 10_000, per_day: 100_000, page_size: 1000 };
  const { sandbox, env } = await serviceOfTest(smallDemo(folder.path, settings, now));
  const run = (...args: readonly string[]): Promise<Outcome> => runHere(args, { cwd: folder.path, env });
  return {
    sandbox,
    run,
    json: async (...args) => JSON.parse((await run(...args, '--json')).stdout) as Document,
  };
}

describe('a mapping with a game week in the place of a table', () => {
  it('is triggered by the schedule after each week, by the clock of the service, with the week that it belongs to', async () => {
    const { sandbox, json, run } = await world('last');
    const once = (): Promise<Document> => json('schedule', 'run', '--once');
    // The first time, everything with a schedule.
    expect(await once()).toMatchObject({ exit_code: 6 });
    expect((await run('substitutions', 'trigger', '--week', 'last', '--adopt', '--yes')).code).toBe(0);
    expect(await once()).toMatchObject({ mappings: [] });
    await sandbox.control('POST', '/play-next-week');
    await sandbox.control('POST', '/clock', { advance: '2h' });
    expect(await once()).toMatchObject({ mappings: [] });
    await sandbox.control('POST', '/clock', { advance: '2h' });
    expect(await once()).toMatchObject({
      exit_code: 0,
      mappings: [{ name: 'trigger', rows: 1, created: 1 }],
    });
    expect(await once()).toMatchObject({ mappings: [] });
    // What was missed is made up in one run.
    for (const _ of [1, 2]) await sandbox.control('POST', '/play-next-week');
    await sandbox.control('POST', '/clock', { advance: '4h' });
    expect(await once()).toMatchObject({ exit_code: 0, mappings: [{ rows: 2, created: 2 }] });
    const { stdout, stderr } = await run('schedule', 'next');
    expect(stdout).toMatch(/trigger +week \d+ +each\.end \+ 3h/);
    expect(stderr).toContain('times are those of UTC');
  });

  it('is not triggered by hand where the service refuses to show the game weeks, which is no matter of rows', async () => {
    const { sandbox, run } = await world('last');
    await sandbox.control('POST', '/faults', {
      faults: [{ kind: 'status', operation: 'get-fixtures', status: 403 }],
    });
    const { code, stderr } = await run('substitutions', 'trigger', '--week', 'last', '--adopt', '--yes');
    expect([code, stderr]).toEqual([8, expect.stringContaining('/fixtures answered 403')]);
    expect(await sandbox.control('GET', '/effects')).toEqual([]);
  });

  it.each([
    ['refuses its log', { kind: 'status', status: 403 }],
    ['refuses the key', { kind: 'key_inactive' }],
  ])('is told as triggered by hand where the service %s afterwards', async (_, fault) => {
    const { sandbox, run } = await world('last');
    await sandbox.control('POST', '/faults', {
      faults: [{ ...fault, operation: 'list-auto-substitutions', nth: LOG_READ_BEFORE + 1, count: 1000 }],
    });
    const trigger = ['substitutions', 'trigger', '--week', 'last', '--adopt', '--yes', '--json'];
    const { stdout, stderr } = await run(...trigger);
    expect(stderr).toContain('the log of substitutions could not be read: ');
    expect(JSON.parse(stdout)).toMatchObject({ exit_code: 0, mappings: [{ created: 1 }] });
  });

  it('has no row before the first game week is over, and needs no service to be validated', async () => {
    const { json, run } = await world('last', '2026-08-10T09:00:00Z');
    expect((await run('validate')).code).toBe(0);
    expect(await json('push', '--yes')).toMatchObject({ exit_code: 0, mappings: [{ rows: 0 }] });
    expect((await run('plan')).stderr).toContain('has no game week that is over');
  });

  it('names the game week of a number, and says which numbers there are', async () => {
    const { json, run } = await world('99');
    const { code, stderr } = await run('plan');
    expect([code, stderr]).toEqual([
      4,
      expect.stringContaining('fantasy league 1 has no game week 99; it has 1, 2,'),
    ]);
    expect((await json('validate')).exit_code).toBe(0);
  });
});
