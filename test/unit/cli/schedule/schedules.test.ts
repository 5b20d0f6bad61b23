import { expect, it } from 'vitest';
import type { Program } from '../../../../src/cli/program.ts';
import { schedulesOf, type Schedules } from '../../../../src/cli/schedule/schedules.ts';
import type { SessionArgs } from '../../../../src/cli/session.ts';
import { realClock, realRandom } from '../../../../src/runtime/clock.ts';
import { folderOfTest, serviceOfTest } from '../../../support/of-test.ts';

const MINUTE_MS = 60_000;

/** Schedules of a worker on a sandbox, and our clock, which somebody sets. */
async function worker() {
  const service = await serviceOfTest();
  const folder = folderOfTest({
    'teamsheet.yaml': `version: 1
environments:
  test: { base_url: "${service.baseUrl}", api_key: { env: TEAMSHEET_API_KEY } }
`,
    'mappings/m.yaml':
      '{ version: 1, name: fixtures, pull: fixtures, where: { fantasy_league_id: 1 }, destination: { csv: out/f.csv }, schedule: "0 * * * *" }\n',
  });
  let minutes = 0;
  const program = {
    env: { ...service.env, XDG_STATE_HOME: folder.path },
    cwd: folder.path,
    clock: { ...realClock, now: () => realClock.now() + minutes * MINUTE_MS },
    random: realRandom,
    signal: new AbortController().signal,
    screen: {
      warn: () => undefined,
      event: () => undefined,
      withhold: () => undefined,
      tell: () => undefined,
    },
    typed: [],
  } as unknown as Program;
  const schedules = (): Schedules =>
    schedulesOf([], {} as SessionArgs, program, { environment: 'test', has: () => true });
  const ahead = async (each: Schedules, isDue: boolean): Promise<number> => {
    const [league] = await each.look(isDue);
    return league?.calendar.aheadMs ?? NaN;
  };
  const planner = schedules();
  const first = await ahead(planner, false);
  return {
    planner,
    schedules,
    asked: () => service.requests.length,
    set: (to: number) => (minutes = to),
    minutesBehind: async (each: Schedules, isDue: boolean): Promise<number> =>
      Math.abs(Math.round((first - (await ahead(each, isDue))) / MINUTE_MS)),
  };
}

it('a worker that plans goes by what its jobs have read since, such as after our clock was set', async () => {
  const { planner, schedules, asked, set, minutesBehind } = await worker();
  for (const minutes of [20, 0]) {
    set(minutes);
    expect(await minutesBehind(schedules(), true)).toBe(minutes);
    const before = asked();
    expect(await minutesBehind(planner, false)).toBe(minutes);
    expect(asked()).toBe(before);
  }
});

it('a worker whose jobs another machine takes reads the time again once our clock was set', async () => {
  const { planner, asked, set, minutesBehind } = await worker();
  // It looks every few seconds.
  await planner.look(false);
  for (const minutes of [20, 0]) {
    set(minutes);
    const before = asked();
    expect(await minutesBehind(planner, false)).toBe(minutes);
    const after = asked();
    expect(after).toBeGreaterThan(before);
    expect(await minutesBehind(planner, false)).toBe(minutes);
    expect(asked()).toBe(after);
  }
});
