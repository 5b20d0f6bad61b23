import type { ArgumentsCamelCase, Argv, InferredOptionTypes, Options, PositionalOptions } from 'yargs';
import { UsageError, type ExitCode } from '../model/error.ts';
import { commonFlags, sharedFlags } from './flags.ts';
import type { Program } from './program.ts';

type OptionSet = Readonly<Record<string, Options>>;

/** The parsed command line of a command with these flags and positionals. */
export type ArgsOf<Set extends OptionSet> = ArgumentsCamelCase<InferredOptionTypes<Set & typeof commonFlags>>;
export type CommonArgs = ArgumentsCamelCase<InferredOptionTypes<typeof commonFlags>>;

/** A command as its file exports it. */
export interface Command {
  /** Its own flags, by their names without the dashes. */
  readonly options: OptionSet;
  readonly positionals: Readonly<Record<string, PositionalOptions>>;
  readonly build: (parser: Argv) => Argv;
  readonly run: (args: unknown, program: Program) => Promise<ExitCode>;
}

interface Declaration<Set extends OptionSet, Places extends Readonly<Record<string, PositionalOptions>>> {
  readonly options: Set;
  readonly positionals: Places;
  /** Command lines without the program's name, each with what it does. */
  readonly examples: readonly (readonly [commandLine: string, does: string])[];
  readonly run: (args: ArgsOf<Set & Places>, program: Program) => Promise<ExitCode>;
}

/** Joins a command's flags with the function that runs it, typed by these flags. */
export function defineCommand<
  const Set extends OptionSet,
  const Places extends Readonly<Record<string, PositionalOptions>>,
>({ options, positionals, examples, run }: Declaration<Set, Places>): Command {
  return {
    options,
    positionals,
    build: (parser) => {
      for (const [name, place] of Object.entries(positionals)) parser.positional(name, place);
      for (const [line, does] of examples) parser.example(`$0 ${line}`, does);
      return parser
        .options(options)
        .group(ownFirst(Object.keys(options)), 'Flags:')
        .check((args) => checkFlags(args, { ...commonFlags, ...options }), false);
    },
    // yargs parsed the arguments by these very options.
    run: (args, program) => run(args as ArgsOf<Set & Places>, program),
  };
}

/** The flags of a command alone come before those that it shares with others. */
const ownFirst = (flags: readonly string[]): string[] =>
  flags.toSorted((one, other) => Number(sharedFlags.has(one)) - Number(sharedFlags.has(other)));

/** A flag that takes one value comes as a list when it stands twice. One without a text is most often a variable of a script that nobody set. */
function checkFlags(args: Readonly<Record<string, unknown>>, options: OptionSet): true {
  const twice = Object.keys(options).find(
    (name) => options[name]?.array !== true && Array.isArray(args[name]),
  );
  if (twice !== undefined) throw new UsageError('usage.arguments', `--${twice} stands twice`);
  const empty = Object.keys(options).find((name) => args[name] === '');
  if (empty !== undefined) throw new UsageError('usage.arguments', `--${empty} is empty`);
  return true;
}

/** The flags of a command line that say which configuration, service and mappings it is about. */
export function sameSetting({ config, env, league, mappings, var: vars }: CommonArgs): readonly string[] {
  const flag = (name: string, value: string | undefined): readonly string[] =>
    value === undefined ? [] : [`--${name}`, value];
  return [
    ...flag('config', config),
    ...flag('env', env),
    ...flag('league', league),
    ...flag('mappings', mappings),
    ...Object.entries(vars).flatMap(([name, value]) => flag('var', `${name}=${value}`)),
  ];
}
