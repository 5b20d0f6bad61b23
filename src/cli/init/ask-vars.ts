import { InterruptedError } from '../../model/error.ts';
import { leagueNumber, noLeague } from '../../runtime/league-number.ts';
import type { Program } from '../program.ts';
import { safeText } from '../render/text.ts';
import type { League } from './find-leagues.ts';
import type { SetupVars } from './setup-files.ts';

/** Asks a person at a terminal what the mappings need to know and is not given; without one, or with a stream of JSON, that is left open. */
export async function askVars(
  given: SetupVars,
  leagues: readonly League[],
  program: Program,
): Promise<SetupVars> {
  const { fantasy_league_id: league, price_type: priceType } = given;
  if (league !== undefined && leagueNumber(league) === undefined) throw noLeague(league);
  if (!program.interactive || program.screen.json) return given;
  return {
    ...given,
    fantasy_league_id: league ?? (await askLeague(leagues, program)),
    price_type: priceType ?? (await askPriceType(program)),
  };
}

async function askPriceType({ signal }: Program): Promise<string> {
  const { text } = await import('@clack/prompts');
  const message = 'Type of the prices; ask your provider for the allowed values (empty: fill it in later)';
  return answered(await text({ output: process.stderr, signal, message }), signal).trim();
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
