import { enableCompileCache } from 'node:module';
import { staticAnswer } from './static-answer.ts';

/** Answers help and version from text made at build time; anything else loads the program. Called by `bin.cts` alone. */
export function start(): void {
  const argv = process.argv.slice(2);
  const answer = staticAnswer(argv, import.meta.url);
  if (answer !== undefined) {
    process.stdout.write(answer);
    return;
  }
  enableCompileCache();
  void import('./run.ts').then(({ run }) => run(argv));
}
