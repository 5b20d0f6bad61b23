import { enableCompileCache } from 'node:module';
import { staticAnswer } from './static-answer.ts';

/** Commands that run for months: what the cache of compiled code reads would stay in their memory, 3 MB of it. */
const LASTING: ReadonlySet<string | undefined> = new Set(['schedule', 'worker', 'dashboard']);

/** Answers help and version from text made at build time; anything else loads the program. Called by `bin.cts` alone. */
export function start(): void {
  const argv = process.argv.slice(2);
  const answer = staticAnswer(argv, import.meta.url);
  if (answer !== undefined) {
    // Nobody may be reading any more, or the disk may be full: help is then simply not shown.
    process.stdout.on('error', () => undefined);
    process.stdout.write(answer);
    return;
  }
  if (!LASTING.has(argv[0]) || argv.includes('--once')) enableCompileCache();
  void import('./run.ts').then(({ run }) => run(argv));
}
