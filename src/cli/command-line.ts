import yargs from 'yargs';
import type { Argv } from 'yargs';
import { nearest } from '../model/nearest.ts';
import { UsageError } from '../model/error.ts';
import { commands } from './commands/registry.ts';
import { commonFlags, LATER_FLAGS } from './flags.ts';

/** Width of help texts: that of a small terminal, and fixed, so that the text made at build time is the text of every terminal. */
const HELP_COLUMNS = 80;

const EPILOGUE = `teamsheet COMMAND --help shows the flags of a command, with examples.

Exit codes: 0 done, 3 some rows invalid or rejected, 4 configuration or file,
5 access, 6 stopped before writing, 7 incomplete, 8 unavailable,
64 command line.`;

/** A command line read: the command with its arguments, or the help that it asks for. */
export type Parsed =
  | { readonly kind: 'command'; readonly name: string; readonly args: unknown }
  | { readonly kind: 'help'; readonly text: string };

/** Leaves yargs once it knows the command. */
class Chosen extends Error {}

/** Reads a command line; an empty one asks for help. Errors: UsageError `usage.*` when it does not fit the tree. */
export async function parseCommandLine(argv: readonly string[]): Promise<Parsed> {
  let parsed: Parsed | undefined;
  try {
    const parser = commandTree((name, args) => {
      parsed = { kind: 'command', name, args };
      // yargs makes the whole help after a handler that returns, in case somebody asks for it.
      throw new Chosen();
    });
    await parser.parseAsync(
      argv.length === 0 ? ['--help'] : argumentsOf(argv),
      {},
      (_error, _args, output) => {
        parsed ??= { kind: 'help', text: output };
      },
    );
  } catch (error) {
    if (error instanceof Chosen && parsed !== undefined) return parsed;
    // yargs wraps what a flag's own check throws; anything else is no matter of the command line.
    if (!(error instanceof Error) || error.name !== 'YError') throw error;
    throw await refusal(error.message, argv);
  }
  return parsed ?? { kind: 'help', text: '' };
}

/** The words of a command line, with those behind `--` among them, which yargs leaves out. One that looks like a flag is a file in this folder. */
function argumentsOf(argv: readonly string[]): string[] {
  const end = argv.indexOf('--');
  if (end === -1) return [...argv];
  const behind = argv.slice(end + 1).map((word) => (word.startsWith('-') ? `./${word}` : word));
  return [...argv.slice(0, end), ...behind];
}

/** Help of the program (`''`) or of one command, as yargs renders it. */
export async function liveHelp(command: string): Promise<string> {
  const parsed = await parseCommandLine(command === '' ? ['--help'] : [command, '--help']);
  return parsed.kind === 'help' ? `${parsed.text}\n` : '';
}

/** What yargs can do and its types do not say. */
type Configurable = Argv & { usageConfiguration(config: { readonly 'hide-types': boolean }): Configurable };

function commandTree(choose: (name: string, args: unknown) => void): Argv {
  const parser = (yargs([]) as Configurable)
    .usageConfiguration({ 'hide-types': true })
    .scriptName('teamsheet')
    .usage('$0 <command> [flags]\n\nKeeps a fantasy football data service in step with your spreadsheets.')
    .parserConfiguration({
      'boolean-negation': false,
      'greedy-arrays': false,
      'parse-numbers': false,
      'parse-positional-numbers': false,
      'dot-notation': false,
    })
    .locale('en')
    .wrap(HELP_COLUMNS)
    .options(commonFlags)
    .help('help', 'show help')
    .alias('help', 'h')
    .version(false)
    .option('version', { type: 'boolean', describe: 'show the version' })
    .group([...Object.keys(commonFlags), 'help', 'version'], 'Common flags:')
    .epilogue(EPILOGUE)
    .exitProcess(false)
    .showHelpOnFail(false)
    .strict()
    .recommendCommands()
    .demandCommand(1, 'name a command')
    .fail((message: string | null, error: Error | undefined) => {
      throw error ?? Object.assign(new Error(message ?? 'the command line is wrong'), { name: 'YError' });
    });
  for (const [name, { usage, summary, load }] of Object.entries(commands)) {
    const build = async (child: Argv): Promise<Argv> => (await load()).build(child);
    parser.command(usage, summary, build, (args) => choose(name, args));
  }
  return parser;
}

/** What is wrong with a command line, in words that say what to do; flags of a later version are answered as such. */
async function refusal(message: string, argv: readonly string[]): Promise<UsageError> {
  const command = argv.find((word) => Object.hasOwn(commands, word));
  const next = command === undefined ? '--help' : `${command} --help`;
  const unknown = unknownNames(message);
  const later = LATER_FLAGS.find((flag) => unknown.includes(flag));
  if (later !== undefined)
    return new UsageError('usage.later', `--${later} is not part of this version`, { next });
  const near = /^Did you mean (.+)\?$/.exec(message)?.[1];
  if (near !== undefined) {
    return new UsageError('usage.command', `there is no such command; did you mean ${near}?`, {
      next: `${near} --help`,
    });
  }
  const own = command === undefined ? undefined : await commands[command]?.load();
  if (unknown.length > 0) {
    const flags = [...Object.keys(own?.options ?? {}), ...Object.keys(commonFlags), 'help', 'version'];
    const what = unknown.map((name) => renderUnknown(name, flags, argv)).join(', ');
    return new UsageError('usage.arguments', `Unknown argument${unknown.length > 1 ? 's' : ''}: ${what}`, {
      next,
    });
  }
  const missing = message.startsWith('Not enough non-option arguments');
  const what = missing
    ? `the command line ends too early: ${commands[command ?? '']?.usage ?? ''}`
    : renderChoices(message, (name) =>
        own !== undefined && Object.hasOwn(own.positionals, name) ? (command ?? '') : `--${name}`,
      );
  return new UsageError('usage.arguments', what, { next });
}

/** The names that yargs does not know, each once: it names a flag of several words in camel case as well. */
function unknownNames(message: string): readonly string[] {
  const names = /^Unknown arguments?: (.*)$/s.exec(message)?.[1]?.split(', ') ?? [];
  const bare = (name: string): string => name.replaceAll('-', '').toLowerCase();
  return names.filter((name, index) => names.findIndex((other) => bare(other) === bare(name)) === index);
}

/** An unknown name as it was typed; a flag with the nearest one that there is. */
function renderUnknown(name: string, flags: readonly string[], argv: readonly string[]): string {
  if (argv.some((word) => word === `--${name}` || word.startsWith(`--${name}=`))) {
    const near = nearest(name, flags);
    return near === undefined ? `--${name}` : `--${name} (did you mean --${near}?)`;
  }
  return name.length === 1 && argv.some((word) => /^-\w/.test(word) && word.includes(name))
    ? `-${name}`
    : name;
}

/** `--seed takes default or demo, not "x"` for the lines in which yargs says so, with what a name is called; any other message stays. */
function renderChoices(message: string, called: (name: string) => string): string {
  const [head, ...lines] = message.split('\n  Argument: ');
  if (head !== 'Invalid values:') return message;
  return lines
    .map((line) => {
      const [, name, given, choices] = /^(.*?), Given: (.*), Choices: (.*)$/s.exec(line) ?? [];
      if (name === undefined || given === undefined || choices === undefined) return line;
      const listed = choices.replaceAll('"', '').replace(/, ([^,]*)$/, ' or $1');
      return `${called(name)} takes ${listed}, not ${given}`;
    })
    .join('; ');
}
