import { enableCompileCache } from 'node:module';
import { setFlagsFromString } from 'node:v8';
import { staticAnswer } from './static-answer.ts';

/** Commands that run for months and mostly wait. */
const WAITING: ReadonlySet<string | undefined> = new Set(['schedule', 'worker', 'dashboard']);

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
  enableCompileCache();
  // A young generation that stays small takes a tenth less memory and no more time; V8 looks at it whenever that would grow. See test/bench/schedule.ts.
  if (WAITING.has(argv[0])) setFlagsFromString('--semi-space-growth-factor=1');
  void import('./run.ts').then(({ run }) => run(argv));
}
