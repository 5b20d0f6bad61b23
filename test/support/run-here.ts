import { join } from 'node:path';
import { Writable } from 'node:stream';
import { main } from '../../src/cli/main.ts';
import type { Random } from '../../src/model/ports.ts';
import { createScreen, screenFlags } from '../../src/cli/screen.ts';
import { programName } from '../../src/cli/program.ts';
import { realClock, realRandom } from '../../src/runtime/clock.ts';
import { packageVersion } from '../../src/runtime/package.ts';
import { runCli, type Outcome, type RunOptions } from './cli.ts';
import { isLong } from './long.ts';

/** Nothing is put off by chance: a schedule would wait for up to half a minute. */
const calm: Random = { ...realRandom, next: () => 0 };

/** A stream of no terminal that keeps what is written. */
function kept(): { readonly stream: NodeJS.WriteStream; readonly text: () => string } {
  const chunks: Buffer[] = [];
  const stream = new Writable({
    write(chunk: Buffer, _encoding, done) {
      chunks.push(chunk);
      done();
    },
  });
  return {
    stream: stream as unknown as NodeJS.WriteStream,
    text: () => Buffer.concat(chunks).toString('utf8'),
  };
}

/**
 * Runs the command line of the sources in the test's own process, with the same outcome as {@link runCli}: for tests that are about what a
 * command does, and not about its process, its signals or the built files. `npm run test:long` runs the built program here too.
 */
export async function runHere(
  args: readonly string[],
  options: Pick<RunOptions, 'cwd' | 'env'>,
  clock = realClock,
): Promise<Outcome> {
  if (isLong) return runCli(args, options);
  const { cwd } = options;
  const env = { PATH: process.env['PATH'] ?? '', XDG_STATE_HOME: join(cwd, '.xdg'), ...options.env };
  const [stdout, stderr] = [kept(), kept()];
  const code = await main(args, {
    env,
    cwd,
    clock,
    random: calm,
    signal: new AbortController().signal,
    screen: createScreen({ stdout: stdout.stream, stderr: stderr.stream, env }, screenFlags(args)),
    name: programName(env),
    interactive: false,
    version: packageVersion(),
  });
  return { code, stdout: stdout.text(), stderr: stderr.text() };
}
