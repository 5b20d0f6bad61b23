import { expect, it } from 'vitest';
import { main } from '../../../src/cli/main.ts';
import type { World } from '../../../src/cli/program.ts';
import type { Screen } from '../../../src/cli/screen.ts';
import { UnavailableError } from '../../../src/model/error.ts';

it('ends with the exit code of what stopped it, also when standard output takes nothing', async () => {
  const said: string[] = [];
  const full = new UnavailableError('stdout.write', 'standard output cannot be written: no space');
  const screen: Screen = {
    json: true,
    quiet: false,
    verbose: false,
    color: false,
    progress: false,
    style: (_format, text) => text,
    dataStyle: (_format, text) => text,
    live: false,
    columns: 80,
    data: () => Promise.reject(full),
    exact: () => Promise.reject(full),
    say: (text) => said.push(text),
    tell: (text) => said.push(text),
    warn: (text) => said.push(text),
    redraw: () => undefined,
    withhold: () => undefined,
  };
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
  expect(said).toEqual(['✗ standard output cannot be written: no space\n  next: teamsheet --version']);
  expect(await main(['no-such-command', '--json'], world)).toBe(64);
});
