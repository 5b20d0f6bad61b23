import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createSandbox, type Sandbox } from '../../src/sandbox/index.ts';
import { makeFolder } from '../support/cli.ts';
import { runHere } from '../support/run-here.ts';
import { smallDemo, SQUADS } from '../support/small-demo.ts';

/** Game week 1 of the seeded season runs from 14 to 21 August 2026. */
const START = '2026-08-10T09:00:00Z';
const CONFIG = `version: 1
environments:
  test: { base_url: "\${TEAMSHEET_BASE_URL}", api_key: { env: TEAMSHEET_API_KEY } }
vars: { fantasy_league_id: 1 }
`;

interface Document {
  readonly weeks: readonly Readonly<Record<'week' | 'state' | 'note' | 'read_at', string>>[];
  readonly reading: readonly Readonly<Record<string, unknown>>[];
}

let sandbox: Sandbox;
const folder = makeFolder({ 'teamsheet.yaml': CONFIG });
beforeAll(async () => {
  sandbox = await createSandbox(smallDemo(folder.path, { per_minute: 10_000, per_day: 10_000 }, START));
});
afterAll(async () => {
  await sandbox.close();
  folder.remove();
});

async function run(...args: readonly string[]): Promise<string> {
  const ended = await runHere(args, {
    cwd: folder.path,
    env: { TEAMSHEET_BASE_URL: sandbox.baseUrl, TEAMSHEET_API_KEY: sandbox.apiKey },
  });
  expect([args, ended.code, ended.stderr]).toEqual([args, 0, expect.any(String)]);
  return ended.stdout;
}
const weeks = async (...more: readonly string[]): Promise<Document> =>
  JSON.parse(await run('weeks', '--json', ...more)) as Document;

describe('a season of a service whose clock is weeks away from ours', () => {
  it('is remembered by the clock of the service, also where nothing is asked of it', async () => {
    await sandbox.control('POST', '/clock', { now: '2026-08-15T12:00:00Z' });
    const first = await run('weeks', 'read');
    expect(first).toMatch(new RegExp(`read ${SQUADS} line-ups, ${SQUADS} squads, \\d+ players\n`));
    expect(first).toMatch(/it is open: ends at 2026-08-.*; once it is over, weeks read reads it again\n/);
    const running = await weeks();
    expect(running.weeks).toMatchObject([
      { week: '1', state: 'open', read_at: expect.stringMatching(/^2026-08-15T12:/) as string },
    ]);
    expect(running.reading).toMatchObject([{ fantasy_league_id: 1, next_week: '2' }]);
    expect(running.reading[0]).not.toHaveProperty('fits');
    expect(await weeks('--offline')).toMatchObject({ weeks: running.weeks });

    await sandbox.control('POST', '/play-next-week');
    await sandbox.control('POST', '/clock', { advance: '1h' });
    for (const options of [[], ['--offline']])
      expect((await weeks(...options)).weeks).toMatchObject([{ week: '1', state: 'provisional' }]);
    await run('weeks', 'read');
    await run('substitutions', 'trigger', '--week', '1', '--yes');
    const triggered = (await weeks()).weeks;
    expect(triggered).toMatchObject([{ week: '1', state: 'provisional' }]);
    expect(triggered[0]?.note).toContain('were processed at 2026-08-');
    await sandbox.control('POST', '/clock', { advance: '1h' });
    await run('weeks', 'read');
    for (const options of [[], ['--offline']])
      expect((await weeks(...options)).weeks).toMatchObject([{ week: '1', state: 'final', note: null }]);
  });
});
