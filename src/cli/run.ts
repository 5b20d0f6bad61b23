import { main } from './main.ts';
import { packageVersion } from './package.ts';
import { programName } from './program.ts';
import { listenForSignals, realClock, realRandom } from './runtime.ts';
import { createScreen, screenFlags } from './screen.ts';

/** Runs one command line in the real world and leaves its exit code to the process. */
export async function run(argv: readonly string[]): Promise<void> {
  const { env, stdin, stdout, stderr } = process;
  const screen = createScreen({ stdout, stderr, env }, screenFlags(argv));
  process.exitCode = await main(argv, {
    env,
    cwd: process.cwd(),
    clock: realClock,
    random: realRandom,
    signal: listenForSignals((name) =>
      screen.tell(`${name}: finishing what is under way; a second ${name} ends at once`),
    ),
    screen,
    name: programName(env),
    interactive: stdin.isTTY && stderr.isTTY,
    version: packageVersion(),
  });
}
