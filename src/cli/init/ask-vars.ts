import { InterruptedError } from '../../model/error.ts';
import type { Program } from '../program.ts';
import { safeText } from '../render/text.ts';
import type { League } from './find-leagues.ts';
import type { SetupVars } from './setup-files.ts';

/** Asks a person at a terminal what the mappings need to know; without one, or with a stream of JSON, all is left open. */
export async function askVars(leagues: readonly League[], program: Program): Promise<SetupVars> {
  if (!program.interactive || program.screen.json) return { fantasyLeague: '', priceType: '' };
  const fantasyLeague = await askLeague(leagues, program);
  const { text } = await import('@clack/prompts');
  const priceType = answered(
    await text({
      output: process.stderr,
      signal: program.signal,
      message: 'Type of the prices; ask your provider for the allowed values (empty: fill it in later)',
    }),
    program.signal,
  );
  return { fantasyLeague, priceType: priceType.trim() };
}

const OTHER = 'other';

async function askLeague(leagues: readonly League[], { signal }: Program): Promise<string> {
  const { select, text } = await import('@clack/prompts');
  const common = { output: process.stderr, signal };
  if (leagues.length > 0) {
    const chosen = answered(
      await select({
        ...common,
        message: 'Your fantasy league',
        options: [
          ...leagues.map(({ id, name }) => ({ value: String(id), label: safeText(`${id}  ${name}`) })),
          { value: OTHER, label: 'another one, or fill it in later' },
        ],
      }),
      signal,
    );
    if (chosen !== OTHER) return chosen;
  }
  const typed = await text({
    ...common,
    message: 'Number of your fantasy league, from your provider (empty: fill it in later)',
    validate: (value) =>
      /^\s*([1-9]\d*)?\s*$/.test(value ?? '') ? undefined : 'a whole number from 1, or nothing',
  });
  return answered(typed, signal).trim();
}

/** What was typed or chosen as a text: an empty one may come as undefined. */
export const answered = (answer: string | symbol | undefined, signal: AbortSignal): string =>
  orCancelled(answer, signal) ?? '';

/** What was chosen; a symbol stands for Ctrl-C. */
export function orCancelled<Answer>(answer: Answer | symbol, signal: AbortSignal): Answer {
  signal.throwIfAborted();
  if (typeof answer === 'symbol')
    throw new InterruptedError('SIGINT', 'cancelled', { done: 'nothing was written' });
  return answer;
}
