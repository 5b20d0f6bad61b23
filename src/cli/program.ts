import type { RunEnd } from '../schedule/mapping-states.ts';
import type { Clock, Random } from '../model/ports.ts';
import type { Screen } from './screen.ts';

/** What every command is given: the world, as values. */
export interface Program {
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly cwd: string;
  readonly clock: Clock;
  readonly random: Random;
  /** Aborted by the first SIGINT or SIGTERM. */
  readonly signal: AbortSignal;
  readonly screen: Screen;
  /** How the program was started, for commands that people are told to type: `teamsheet` or `npx teamsheet`. */
  readonly name: string;
  /** A person can be asked: standard input and standard error are terminals. */
  readonly interactive: boolean;
  readonly version: string;
  /** The command line without the program's name. */
  readonly typed: readonly string[];
  /** The name of the command that runs; undefined before the command line is read. */
  readonly command?: string;
  /** The flags that were typed and say which configuration, service and mappings it is about. */
  readonly setting?: readonly string[];
  /** Told of each run as it is reported, where alerts go by it. */
  readonly ended?: (end: RunEnd) => void;
}

/** What the world gives; the command line comes beside it. */
export type World = Omit<Program, 'typed' | 'command' | 'setting' | 'ended'>;

/** How a person would start the program again, from what npm says in the environment. */
export function programName(env: Program['env']): string {
  return env['npm_execpath'] === undefined ? 'teamsheet' : 'npx teamsheet';
}
