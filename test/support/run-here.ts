import { join } from 'node:path';
import { Writable } from 'node:stream';
import { main } from '../../src/cli/main.ts';
import type { Clock, Random } from '../../src/model/ports.ts';
import { createScreen, screenFlags } from '../../src/cli/screen.ts';
import { programName } from '../../src/cli/program.ts';
import { realClock, realRandom } from '../../src/runtime/clock.ts';
import { packageVersion } from '../../src/runtime/package.ts';
import { runCli, type Outcome, type RunOptions } from './cli.ts';
import { isLong } from './long.ts';

/** Nothing is put off by chance: a schedule would wait for up to half a minute. */
const calm: Random = { ...realRandom, next: () => 0 };

/** A stream of no terminal that keeps what is written. */
function kept(said?: (text: string) => void): {
  readonly stream: NodeJS.WriteStream;
  readonly text: () => string;
} {
  const chunks: Buffer[] = [];
  const stream = new Writable({
    write(chunk: Buffer, _encoding, done) {
      chunks.push(chunk);
      said?.(Buffer.concat(chunks).toString('utf8'));
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
export const runHere = (
  args: readonly string[],
  options: Pick<RunOptions, 'cwd' | 'env'>,
  clock = realClock,
): Promise<Outcome> => (isLong ? runCli(args, options) : runInProcess(args, options, clock));

/** The same with a clock that the test moves, and a signal that it gives; `said` is told of all that standard error holds so far. */
export async function runInProcess(
  args: readonly string[],
  {
    signal = new AbortController().signal,
    said,
    ...options
  }: Pick<RunOptions, 'cwd' | 'env'> & {
    readonly signal?: AbortSignal;
    readonly said?: (text: string) => void;
  },
  clock: Clock,
): Promise<Outcome> {
  const { cwd } = options;
  const env = { PATH: process.env['PATH'] ?? '', XDG_STATE_HOME: join(cwd, '.xdg'), ...options.env };
  const [stdout, stderr] = [kept(), kept(said)];
  const code = await main(args, {
    env,
    cwd,
    clock,
    random: calm,
    signal,
    screen: createScreen({ stdout: stdout.stream, stderr: stderr.stream, env }, screenFlags(args)),
    name: programName(env),
    interactive: false,
    version: packageVersion(),
  });
  return { code, stdout: stdout.text(), stderr: stderr.text() };
}
