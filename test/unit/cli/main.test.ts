import { expect, it } from 'vitest';
import { main } from '../../../src/cli/main.ts';
import type { World } from '../../../src/cli/program.ts';
import { UnavailableError } from '../../../src/model/error.ts';
import { fakeScreen } from '../../support/screen.ts';

it('ends with the exit code of what stopped it, also when standard output takes nothing', async () => {
  const full = new UnavailableError('stdout.write', 'standard output cannot be written: no space');
  const { screen, lines } = fakeScreen({ json: true, data: () => Promise.reject(full) });
  const world: World = {
    env: {},
    cwd: '/',
    clock: { now: () => 0, monotonic: () => 0, sleep: () => Promise.resolve() },
    random: { next: () => 0.5, ulid: () => '01J00000000000000000000000' },
    signal: new AbortController().signal,
    screen,
    name: 'teamsheet',
    interactive: false,
    version: '1.2.3',
  };
  expect(await main(['--version'], world)).toBe(8);
  expect(lines).toEqual(['✗ standard output cannot be written: no space\n  next: teamsheet --version']);
  expect(await main(['no-such-command', '--json'], world)).toBe(64);
});
