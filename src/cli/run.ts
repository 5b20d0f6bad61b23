import { isatty } from 'node:tty';
import { setFlagsFromString } from 'node:v8';
import { EXIT } from '../model/error.ts';
import { main } from './main.ts';
import { packageVersion } from '../runtime/package.ts';
import { programName } from './program.ts';
import { realClock, realRandom } from '../runtime/clock.ts';
import { createScreen, screenFlags } from './screen.ts';
import { listenForSignals } from './signals.ts';

/**
 * Lets memory grow in small steps: a plan of 100,000 users peaks at 145 MB instead of 167 MB, and at 165 MB instead of 182 MB when the service has
 * them all. Set for a command that takes longer than {@link SHORT_MS}: a short one would only be slowed down. Set later, the memory of new values may have grown
 * already, and keeps its size.
 */
const SMALL_HEAP = ['--semi-space-growth-factor=1', '--heap-growing-percent=50'];
const SHORT_MS = 150;

/** Runs one command line in the real world and leaves its exit code to the process. */
export async function run(argv: readonly string[]): Promise<void> {
  const { env, stdout, stderr } = process;
  setTimeout(() => SMALL_HEAP.forEach((flag) => setFlagsFromString(flag)), SHORT_MS).unref();
  const screen = createScreen({ stdout, stderr, env }, screenFlags(argv));
  // Node ends a process in which nothing is left to wait for, and calls that done.
  process.exitCode = EXIT.internal;
  const unfinished = (): void => {
    screen.tell('✗ the command ended before its work was done: an error of teamsheet, please report it');
  };
  process.once('beforeExit', unfinished);
  process.exitCode = await main(argv, {
    env,
    cwd: process.cwd(),
    clock: realClock,
    random: realRandom,
    signal: listenForSignals(
      (name) => screen.tell(`${name}: finishing the current request; a second ${name} ends at once`),
      // What a write that was under way became of is not known here: the state has its intent.
      (name) => screen.tell(`${name}: ended at once; to continue a push, type: ${programName(env)} resume`),
    ),
    screen,
    name: programName(env),
    // Asked without process.stdin, which would open the stream.
    interactive: isatty(0) && stderr.isTTY,
    version: packageVersion(),
  });
  process.off('beforeExit', unfinished);
}
