import { InterruptedError, StoppedError } from '../../model/error.ts';
import type { Program } from '../program.ts';

/** A stop for want of approval; its document holds what there is to approve. */
export class UnapprovedError extends StoppedError {
  readonly details: object;

  constructor(code: string, message: string, next: string | undefined, details: object) {
    super(code, message, { next });
    this.details = details;
  }
}

/**
 * Returns once the operator has said yes: by `--yes`, or by answering the question on a terminal, which is asked once.
 * `nothing` says what a refusal leaves undone, `details` is what programs are shown of it. Errors: StoppedError `approval.missing` without a terminal, `approval.declined`; InterruptedError for Ctrl-C.
 */
export async function approve(
  question: string,
  command: string,
  yes: boolean,
  program: Program,
  nothing = 'nothing was sent',
  details: object = {},
): Promise<void> {
  if (yes) return;
  if (!program.interactive) {
    const message = `${nothing}: without a terminal this needs --yes`;
    throw new UnapprovedError('approval.missing', message, `${command} --yes`, details);
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
  if (typeof answer === 'symbol') throw new InterruptedError('SIGINT', 'cancelled', { done: nothing });
  if (!answer) throw new UnapprovedError('approval.declined', `not approved: ${nothing}`, undefined, details);
}
