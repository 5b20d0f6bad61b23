import { chmodSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { openState, rememberedBaseUrl } from '../../../src/runtime/state.ts';
import { testFolder } from '../../support/test-folder.ts';
import { startedRun } from '../../support/writes.ts';

const folder = testFolder();

it('warns of a state file that others can read, with the command that corrects it', async () => {
  const file = join(folder.path, 'state.sqlite');
  const open = async (): Promise<readonly string[]> => {
    const warnings: string[] = [];
    const { store } = await openState(
      { state: { kind: 'file', file }, stateFolder: folder.path, insecure: false, env: {} },
      { now: () => 0, monotonic: () => 0, sleep: () => Promise.resolve() },
      (message) => warnings.push(message),
    );
    await store.close();
    return warnings;
  };
  expect(await open()).toEqual([]);
  chmodSync(file, 0o640);
  expect(await open()).toEqual([
    `${file} can be read by other accounts of this machine; type: chmod 600 '${file}'`,
  ]);
});

it.each([
  ['http://127.0.0.1:8787/a', 'http://localhost:8787/a'],
  ['http://[::1]:8787/a', 'http://localhost:8787/a'],
  ['http://localhost:8787/a', 'http://localhost:8787/a'],
  ['http://127.0.0.1:8788/a', 'http://127.0.0.1:8788/a'],
  ['http://127.0.0.1:8787', 'http://127.0.0.1:8787'],
  ['https://service.example', 'https://service.example'],
])('%s is known to a state as %s', async (baseUrl, known) => {
  const run = startedRun('A', { account: { baseUrl: 'http://localhost:8787/a', accountId: 'x' } });
  expect(await rememberedBaseUrl({ runs: () => Promise.resolve([run]) }, baseUrl)).toBe(known);
  expect(await rememberedBaseUrl({ runs: () => Promise.resolve([]) }, baseUrl)).toBe(baseUrl);
});
