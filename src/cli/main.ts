import { EXIT, InternalError, InterruptedError, TeamsheetError, type ExitCode } from '../model/error.ts';
import { lacksFiles, MORE_FILES } from '../model/fetch-error.ts';
import { sameSetting, type CommonArgs } from './command.ts';
import { parseCommandLine } from './command-line.ts';
import { commands } from './commands/registry.ts';
import type { Program, World } from './program.ts';
import { renderStop, stopDocument } from './render/stop.ts';

/** Runs one command line and answers its exit code. Everything that stops a command is told here, and nowhere else. */
export async function main(argv: readonly string[], world: World): Promise<ExitCode> {
  const program: Program = { ...world, typed: argv };
  const { screen } = program;
  try {
    return await runCommand(program);
  } catch (cause) {
    const error = explain(cause, program.signal);
    screen.redraw(undefined);
    screen.tell(renderStop(error, program));
    const command = argv.find((word) => Object.hasOwn(commands, word)) ?? null;
    // The stop has been told on standard error: a standard output that cannot be written changes nothing of it.
    if (screen.json)
      await screen.data(JSON.stringify(stopDocument(command, error, program))).catch(() => undefined);
    return error.exitCode;
  }
}

async function runCommand(program: Program): Promise<ExitCode> {
  const { screen, typed } = program;
  if (typed[0] === '--version') {
    await screen.data(program.version);
    return EXIT.done;
  }
  const parsed = await parseCommandLine(typed);
  if (parsed.kind === 'help') {
    await screen.data(parsed.text);
    return EXIT.done;
  }
  const entry = commands[parsed.name];
  if (entry === undefined) throw new InternalError('internal.command', `no command is called ${parsed.name}`);
  return (await entry.load()).run(parsed.args, {
    ...program,
    command: parsed.name,
    // yargs parsed them by the common flags.
    setting: sameSetting(parsed.args as CommonArgs),
  });
}

/** Whatever was thrown, as an error with an exit code: a signal's own reason first, the unknown as our mistake. */
function explain(cause: unknown, signal: AbortSignal): TeamsheetError {
  if (cause instanceof TeamsheetError) return cause;
  if (signal.aborted && signal.reason instanceof InterruptedError) return signal.reason;
  const message = cause instanceof Error ? cause.message : String(cause);
  return new InternalError('internal.unexpected', `unexpected failure: ${message}`, {
    next: lacksFiles(cause) ? MORE_FILES : 'run it again with --verbose and report what it says',
    cause,
  });
}
