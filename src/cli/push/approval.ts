import { InterruptedError } from '../../model/error.ts';
import type { Program } from '../program.ts';
import { renderTyped, UnapprovedError } from '../render/stop.ts';

/** What is to be approved. */
interface Asked {
  /** As people see it; always shown where it is not approved yet. */
  readonly shown: string;
  readonly question: string;
  /** What a refusal leaves undone. */
  readonly nothing?: string;
  /** What programs are shown of it. */
  readonly details?: object;
}

/**
 * Returns once the operator has said yes: by `--yes`, or by answering the question on a terminal, which is asked once.
 * Errors: StoppedError `approval.missing` without a terminal, `approval.declined`; InterruptedError for Ctrl-C.
 */
export async function approve(
  { shown, question, nothing = 'nothing was sent', details = {} }: Asked,
  yes: boolean | undefined,
  program: Program,
): Promise<void> {
  if (yes === true) {
    program.screen.say(shown);
    return;
  }
  program.screen.tell(shown);
  if (!program.interactive) {
    const message = `${nothing}: without a terminal this needs --yes`;
    throw new UnapprovedError('approval.missing', message, `${renderTyped(program.typed)} --yes`, details);
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
