import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import type { Program } from '../../../../src/cli/program.ts';
import { tellerOfTime } from '../../../../src/cli/schedule/alert-ticker.ts';
import type { SessionArgs } from '../../../../src/cli/session.ts';
import { realClock, realRandom } from '../../../../src/runtime/clock.ts';
import { folderOfTest } from '../../../support/of-test.ts';

it('warns of a state that cannot be used once, until it can be used again', async () => {
  const folder = folderOfTest({
    'teamsheet.yaml': `version: 1
environments:
  live: { base_url: "http://127.0.0.1:9", api_key: { env: KEY } }
alerts:
  - { webhook: { env: HOOK }, allow_private: true }
`,
  });
  const warnings: string[] = [];
  const program = {
    env: { KEY: 'key-of-nobody', HOOK: 'http://127.0.0.1:9/' },
    cwd: folder.path,
    clock: realClock,
    random: realRandom,
    signal: new AbortController().signal,
    screen: { warn: (message: string) => warnings.push(message) },
  } as unknown as Program;
  const tell = tellerOfTime({} as SessionArgs, program);
  const tick = async (times: number): Promise<number> => {
    for (let time = 0; time < times; time += 1) await tell([]);
    return warnings.length;
  };
  const state = join(folder.path, '.teamsheet');
  mkdirSync(state);
  const damage = (): void => writeFileSync(join(state, 'state.sqlite'), 'no state');
  damage();
  expect(await tick(3)).toBe(1);
  expect(warnings[0]).toMatch(/^alerts: .*state\.sqlite/);
  rmSync(state, { recursive: true });
  expect(await tick(2)).toBe(1);
  rmSync(state, { recursive: true });
  mkdirSync(state);
  damage();
  expect(await tick(2)).toBe(2);
});
