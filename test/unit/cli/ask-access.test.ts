import { afterAll, beforeAll, beforeEach, expect, it, vi } from 'vitest';
import { askAccess } from '../../../src/cli/init/ask-access.ts';
import type { Program } from '../../../src/cli/program.ts';
import { realClock, realRandom } from '../../../src/runtime/clock.ts';
import { startService } from '../../support/cli.ts';
import type { Service } from '../../support/cli.ts';

/** What the person at the terminal types. */
const typed = vi.hoisted(() => ({ address: '', keys: [] as string[] }));
vi.mock('@clack/prompts', () => ({
  text: () => Promise.resolve(typed.address),
  password: () => Promise.resolve(typed.keys.shift()),
}));

let service: Service;
let warnings: string[] = [];
beforeAll(async () => {
  service = await startService({ seed: 'demo' });
});
afterAll(() => service.close());
beforeEach(() => {
  warnings = [];
  typed.address = service.baseUrl;
});

const asked = (env: Program['env'] = {}) =>
  askAccess({
    ...{ env, interactive: true, clock: realClock, random: realRandom, signal: new AbortController().signal },
    screen: { json: false, warn: (message: string) => warnings.push(message) },
  } as unknown as Program);

it('asks for a key again that the service refuses', async () => {
  typed.keys = ['wrong', service.apiKey];
  const { access, leagues } = await asked();
  expect(access).toEqual({ baseUrl: service.baseUrl, apiKey: service.apiKey });
  expect(leagues).toHaveLength(1);
  expect(warnings).toEqual([expect.stringContaining('the API key was refused')]);
});

it('gives up after three keys, and writes none', async () => {
  typed.keys = ['one', 'two', 'three', service.apiKey];
  const { access, leagues } = await asked();
  expect([access.apiKey, leagues, typed.keys]).toEqual(['', [], [service.apiKey]]);
  expect(warnings).toHaveLength(4);
  expect(warnings[3]).toBe('no key is written: put the right one into .env, as TEAMSHEET_API_KEY');
});

it('goes on without a key, and does not ask for another where the environment has one', async () => {
  typed.keys = [''];
  expect((await asked()).access.apiKey).toBe('');
  expect(warnings).toEqual([]);
  typed.keys = [service.apiKey];
  const { access } = await asked({ TEAMSHEET_BASE_URL: service.baseUrl, TEAMSHEET_API_KEY: 'old' });
  expect([access.apiKey, typed.keys]).toEqual(['', [service.apiKey]]);
  expect(warnings[1]).toContain('TEAMSHEET_API_KEY of the environment');
});
