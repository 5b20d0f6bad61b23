import { InternalError } from '../../model/error.ts';
import type { TeamsheetError } from '../../model/error.ts';
import { commands } from '../commands/registry.ts';
import type { Program } from '../program.ts';
import { safeLines } from './text.ts';

/** Why a command stopped, for standard error: the message, what to do next, and with `--verbose` where an unexpected error arose. */
export function renderStop(
  error: TeamsheetError,
  { screen, name }: Pick<Program, 'screen' | 'name'>,
): string {
  const lines = [`${screen.style('red', '✗')} ${safeLines(error.message)}`];
  if (error.next !== undefined) {
    lines.push(`  ${screen.style('bold', 'next:')} ${safeLines(renderNext(error.next, name))}`);
  }
  if (screen.verbose) lines.push(...stacksOf(error).map(safeLines));
  return lines.join('\n');
}

interface StopDocument {
  readonly command: string | null;
  readonly exit_code: number;
  readonly error: object;
}

/** `{ command, exit_code, error }` as `--json` prints it for a stop (interfaces.md, section 6). */
export function stopDocument(command: string | null, error: TeamsheetError, name: string): StopDocument {
  const { file = null, line = null, column = null } = error.place;
  const next = error.next === undefined ? null : renderNext(error.next, name);
  return {
    command,
    exit_code: error.exitCode,
    error: { code: error.code, message: error.message, file, line, column, next },
  };
}

/** What to do next; a command to type gets the program's name in front, a sentence stays one. */
export function renderNext(next: string, name: string): string {
  const [first = ''] = next.split(' ');
  return first.startsWith('-') || Object.hasOwn(commands, first) ? `${name} ${next}` : next;
}

function stacksOf(error: TeamsheetError): readonly string[] {
  const stacks = error instanceof InternalError && error.cause === undefined ? [error.stack ?? ''] : [];
  for (
    let cause: unknown = error.cause, depth = 0;
    cause instanceof Error && depth < 5;
    cause = cause.cause, depth += 1
  ) {
    stacks.push(`caused by ${cause.stack ?? cause.message}`);
  }
  return stacks;
}
