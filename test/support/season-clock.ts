import { realClock } from '../../src/runtime/clock.ts';
import type { Sandbox } from '../../src/sandbox/index.ts';
import { runCli, type Outcome, type RunOptions } from './cli.ts';
import { runHere } from './run-here.ts';
import { isLong } from './long.ts';

/** Loaded before the program: the machine's clock is that of the season, and a run waits for no others that begin in the same second. */
export const SEASON_CLOCK = `const Real = Date;
const now = () => performance.timeOrigin + performance.now() + Number(process.env.AHEAD_MS);
globalThis.Date = class extends Real {
  constructor(...args) { super(...(args.length === 0 ? [now()] : args)); }
  static now() { return Math.floor(now()); }
};
Math.random = () => 0;
`;

/** What an alert or a request may take at least; every other pause is shorter. */
const REQUEST_MS = 10_000;
const FASTER = 50;

/**
 * Runs a command whose clock is that of a sandbox at this moment, in the test's process unless something is to become of its own. The folder holds
 * {@link SEASON_CLOCK} as `clock.cjs`.
 */
export async function runInSeason(
  sandbox: Sandbox,
  args: readonly string[],
  { cwd, env, ...own }: RunOptions,
): Promise<Outcome> {
  const { now } = (await sandbox.control('GET', '/state')) as { readonly now: string };
  const ahead = Date.parse(now) - Date.now();
  if (isLong || Object.keys(own).length > 0)
    return runCli(args, {
      cwd,
      env: { ...env, AHEAD_MS: String(ahead) },
      nodeArgs: ['--require', './clock.cjs'],
      ...own,
    });
  const clock = {
    ...realClock,
    now: () => Date.now() + ahead,
    // Pauses between attempts are short; how long a request may take stays.
    sleep: (ms: number, signal?: AbortSignal) => realClock.sleep(ms < REQUEST_MS ? ms / FASTER : ms, signal),
  };
  return runHere(args, { cwd, ...(env !== undefined && { env }) }, clock);
}
