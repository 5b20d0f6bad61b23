import { staticAnswer } from './static-answer.ts';

/**
 * Set before anything of size is allocated: memory grows in small steps, which keeps a plan of 100,000 rows under 200 MB (measured: 180 MB instead
 * of 300 MB) for about a seventh more time.
 */
const SMALL_HEAP = ['--semi-space-growth-factor=1', '--heap-growing-percent=50'];

/** Answers help and version from text made at build time; anything else loads the program. Called by `bin.cts` alone. */
export function start(): void {
  const argv = process.argv.slice(2);
  const answer = staticAnswer(argv, import.meta.url);
  if (answer !== undefined) {
    process.stdout.write(answer);
    return;
  }
  for (const flag of SMALL_HEAP) process.getBuiltinModule('node:v8').setFlagsFromString(flag);
  void import('./run.ts').then(({ run }) => run(argv));
}
