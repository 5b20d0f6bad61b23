import { InterruptedError, StoppedError } from '../model/error.ts';
import type { Program } from './program.ts';

/**
 * Returns once the operator has said yes: by `--yes`, or by answering the question on a terminal, which is asked once.
 * `nothing` says what a refusal leaves undone. Errors: StoppedError `approval.missing` without a terminal, `approval.declined`; InterruptedError for Ctrl-C.
 */
export async function approve(
  question: string,
  command: string,
  yes: boolean,
  program: Program,
  nothing = 'nothing was sent',
): Promise<void> {
  if (yes) return;
  if (!program.interactive) {
    throw new StoppedError('approval.missing', `${nothing}: without a terminal this needs --yes`, {
      next: `${command} --yes`,
    });
  }
  const { confirm } = await import('@clack/prompts');
  const answer = await confirm({
    message: question,
    initialValue: false,
    output: process.stderr,
    signal: program.signal,
  });
  program.signal.throwIfAborted();
  // A terminal that a question is asked on gives Ctrl-C to the question.
  if (typeof answer === 'symbol') throw new InterruptedError('SIGINT', `cancelled: ${nothing}`);
  if (!answer) throw new StoppedError('approval.declined', `not approved: ${nothing}`);
}
