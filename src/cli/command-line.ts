import yargs from 'yargs';
import type { Argv } from 'yargs';
import { UsageError } from '../model/error.ts';
import { commands, laterCommands } from './commands/registry.ts';
import { commonFlags, LATER_FLAGS } from './flags.ts';

/** Width of help texts; fixed, so that the text made at build time is the text of every terminal. */
const HELP_COLUMNS = 100;

const EPILOGUE = `Exit codes: 0 done, 3 some rows invalid or rejected, 4 configuration or file, 5 access,
6 stopped before writing, 7 incomplete, 8 unavailable, 64 command line.`;

/** A command line read: the command with its arguments, or the help that it asks for. */
export type Parsed =
  | { readonly kind: 'command'; readonly name: string; readonly args: unknown }
  | { readonly kind: 'help'; readonly text: string };

/** Leaves yargs once it knows the command. */
class Chosen extends Error {}

/** Reads a command line. Errors: UsageError `usage.*` when it does not fit the tree. */
export async function parseCommandLine(argv: readonly string[]): Promise<Parsed> {
  let parsed: Parsed | undefined;
  try {
    const parser = commandTree((name, args) => {
      parsed = { kind: 'command', name, args };
      // yargs makes the whole help after a handler that returns, in case somebody asks for it.
      throw new Chosen();
    });
    await parser.parseAsync([...argv], {}, (_error, _args, output) => {
      parsed ??= { kind: 'help', text: output };
    });
  } catch (error) {
    if (error instanceof Chosen && parsed !== undefined) return parsed;
    // yargs wraps what a flag's own check throws; anything else is no matter of the command line.
    if (!(error instanceof Error) || error.name !== 'YError') throw error;
    throw refusal(error.message, argv);
  }
  return parsed ?? { kind: 'help', text: '' };
}

/** Help of the program (`''`) or of one command, as yargs renders it. */
export async function liveHelp(command: string): Promise<string> {
  const parsed = await parseCommandLine(command === '' ? ['--help'] : [command, '--help']);
  return parsed.kind === 'help' ? `${parsed.text}\n` : '';
}

function commandTree(choose: (name: string, args: unknown) => void): Argv {
  const parser = yargs([])
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
  for (const name of Object.keys(laterCommands)) {
    parser.command(
      `${name} [words..]`,
      false,
      (child: Argv) => child.strict(false),
      () => refuseLater(name),
    );
  }
  return parser;
}

/** What is wrong with a command line, in words that say what to do; flags of a later version are answered as such. */
function refusal(message: string, argv: readonly string[]): UsageError {
  const command = argv.find((word) => Object.hasOwn(commands, word));
  const next = command === undefined ? '--help' : `${command} --help`;
  const later = LATER_FLAGS.find((flag) => new RegExp(`^Unknown arguments?:.*\\b${flag}\\b`).test(message));
  if (later !== undefined)
    return new UsageError('usage.later', `--${later} is not part of this version`, { next });
  const near = /^Did you mean (.+)\?$/.exec(message)?.[1];
  if (near !== undefined) {
    return new UsageError('usage.command', `there is no such command; did you mean ${near}?`, {
      next: `${near} --help`,
    });
  }
  const missing = message.startsWith('Not enough non-option arguments');
  const what = missing ? `the command line ends too early: ${commands[command ?? '']?.usage ?? ''}` : message;
  return new UsageError('usage.arguments', what, { next });
}

function refuseLater(name: string): never {
  throw new UsageError('usage.later', `${name} (${laterCommands[name] ?? ''}) is not part of this version`, {
    next: '--help',
  });
}
