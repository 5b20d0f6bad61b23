import { expect, it } from 'vitest';
import { main } from '../../../src/cli/main.ts';
import type { World } from '../../../src/cli/program.ts';
import { UnavailableError } from '../../../src/model/error.ts';
import { fakeScreen } from '../../support/screen.ts';

const world = (screen: World['screen']): World => ({
  env: {},
  cwd: '/',
  clock: { now: () => 0, monotonic: () => 0, sleep: () => Promise.resolve() },
  random: { next: () => 0.5, ulid: () => '01J00000000000000000000000' },
  signal: new AbortController().signal,
  screen,
  name: 'teamsheet',
  interactive: false,
  version: '1.2.3',
});

it('ends with the exit code of what stopped it, also when standard output takes nothing', async () => {
  const full = new UnavailableError('stdout.write', 'standard output cannot be written: no space');
  const { screen, lines } = fakeScreen({ json: true, data: () => Promise.reject(full) });
  expect(await main(['--version'], world(screen))).toBe(8);
  expect(lines).toEqual(['✗ standard output cannot be written: no space\n  next: teamsheet --version']);
  expect(await main(['no-such-command', '--json'], world(screen))).toBe(64);
});

it('names the limit of open files where a part of the program cannot be opened', async () => {
  const cause = Object.assign(new Error('EMFILE: too many open files'), { code: 'EMFILE', syscall: 'open' });
  const { screen, lines } = fakeScreen({ data: () => Promise.reject(cause) });
  expect(await main(['--version'], world(screen))).toBe(1);
  expect(lines).toEqual([
    '✗ unexpected failure: EMFILE: too many open files\n  next: Let the program open more files (ulimit -n), then run the command again (teamsheet --version).',
  ]);
});
