import { expect, it } from 'vitest';
import type { Program } from '../../../../src/cli/program.ts';
import { schedulesOf, type Schedules } from '../../../../src/cli/schedule/schedules.ts';
import type { SessionArgs } from '../../../../src/cli/session.ts';
import { realClock, realRandom } from '../../../../src/runtime/clock.ts';
import { folderOfTest, serviceOfTest } from '../../../support/of-test.ts';

const MINUTE_MS = 60_000;

it('a worker that plans goes by what its jobs have read since, such as after our clock was set', async () => {
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
  const minutesBehind = async (each: Schedules, isDue: boolean): Promise<number> =>
    Math.abs(Math.round((first - (await ahead(each, isDue))) / MINUTE_MS));
  for (const set of [20, 0]) {
    minutes = set;
    expect(await minutesBehind(schedules(), true)).toBe(set);
    const asked = service.requests.length;
    expect(await minutesBehind(planner, false)).toBe(set);
    expect(service.requests).toHaveLength(asked);
  }
});
