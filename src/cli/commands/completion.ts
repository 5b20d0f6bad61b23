import type { Options, PositionalOptions } from 'yargs';
import { EXIT } from '../../model/error.ts';
import { defineCommand } from '../command.ts';
import { SHELLS, type Completable } from '../completion.ts';
import { commonFlags } from '../flags.ts';
import { commands } from './registry.ts';

const NAMES = Object.keys(SHELLS);

/** `completion SHELL`: a script with which the shell completes commands, flags, their choices and the names of mappings. */
export const completion = defineCommand({
  options: {},
  positionals: {
    shell: { type: 'string', choices: NAMES, demandOption: true, describe: 'the shell' },
  },
  examples: [
    ['completion bash >> ~/.bashrc', 'for bash'],
    ['completion fish > ~/.config/fish/completions/teamsheet.fish', 'for fish'],
  ],
  run: async ({ shell }, { screen }) => {
    const all: Completable[] = [];
    for (const [name, { summary, load }] of Object.entries(commands)) {
      const { options, positionals } = await load();
      all.push(completable(name, summary, { ...options, ...commonFlags }, positionals));
    }
    const script = SHELLS[shell]?.(all) ?? '';
    if (screen.json) {
      const document = { command: 'completion', exit_code: EXIT.done, shell, script };
      await screen.data(JSON.stringify(document));
    } else await screen.exact(script);
    return EXIT.done;
  },
});

function completable(
  name: string,
  summary: string,
  options: Readonly<Record<string, Options>>,
  positionals: Readonly<Record<string, PositionalOptions>>,
): Completable {
  const choicesOf = ({ choices = [] }: Pick<Options, 'choices'>): readonly string[] =>
    (Array.isArray(choices) ? choices : [choices]).map(String);
  const flags = Object.entries(options).map(([flag, option]) => ({
    name: flag,
    describe: option.describe ?? '',
    choices: choicesOf(option),
  }));
  const [first] = Object.values(positionals);
  const takesMappings = 'mapping' in positionals;
  return { name, summary, flags, words: first === undefined ? [] : choicesOf(first), takesMappings };
}
