import { EXIT, InternalError, StoppedError, type TeamsheetError } from '../../model/error.ts';
import { withLeague } from '../../model/league-name.ts';
import type { MappingSummary } from '../../model/state/store.ts';
import { StalePlanError } from '../../plan/saved/stale-plan.ts';
import type { Stop } from '../../sync/ports.ts';
import { commands } from '../commands/registry.ts';
import type { Program } from '../program.ts';
import { safeLines, safeText } from './text.ts';

/** Why a command stopped, for standard error: the message, what to do next, and with `--verbose` where an unexpected error arose. */
export function renderStop(
  error: TeamsheetError,
  program: Pick<Program, 'screen' | 'name' | 'typed' | 'setting'>,
  otherwise?: string,
): string {
  const { screen } = program;
  const lines = [
    `${screen.style('red', '✗')} ${safeLines(asTyped(error.message, program.name))}`,
    `  ${screen.style('bold', 'next:')} ${safeLines(nextAfterStop(error, program, otherwise))}`,
  ];
  if (screen.verbose) lines.push(...stacksOf(error).map(safeLines));
  return lines.join('\n');
}

/** A stop for want of approval; its document holds what there is to approve. */
export class UnapprovedError extends StoppedError {
  readonly details: object;

  constructor(code: string, message: string, next: string | undefined, details: object) {
    super(code, message, { next });
    this.details = details;
  }
}

/** Words of rooms that do not know what was typed. */
const AGAIN = /\bthe (?:same )?command again(?: later)?/;

/**
 * What to do after a stop: as the error says, else `otherwise`, else help for a wrong command line, else the same command once more,
 * after waiting for the budget or correcting what can be corrected. When access was refused, `otherwise` comes after what the error says.
 */
export function nextAfterStop(
  { code, next, exitCode }: TeamsheetError,
  program: Pick<Program, 'name' | 'typed' | 'setting'>,
  otherwise?: string,
): string {
  const { name, typed } = program;
  if (exitCode === EXIT.access && next !== undefined && otherwise !== undefined)
    return `${renderNext(next, program)}, then: ${renderNext(otherwise, program)}`;
  const said = next ?? otherwise;
  const again = `${name} ${renderTyped(typed)}`;
  if (said !== undefined) return renderNext(said, program).replace(AGAIN, (words) => `${words} (${again})`);
  const command = typed.find((word) => Object.hasOwn(commands, word));
  if (exitCode === EXIT.usage) return `${name} ${command === undefined ? '' : `${command} `}--help`;
  if (code === 'budget.exhausted') return `after that time, type: ${again}`;
  if (code === 'budget.max_requests') return 'type the same command again with a higher --max-requests';
  return exitCode === EXIT.config || exitCode === EXIT.rows ? `correct that, then type: ${again}` : again;
}

const NAMED = new RegExp(`\\bteamsheet (?=(?:${Object.keys(commands).join('|')})\\b)`, 'g');

/** A message of a room that does not know how the program was started, with its commands as they are to be typed. */
export const asTyped = (message: string, name: string): string => message.replace(NAMED, () => `${name} `);

/** Words as they are typed into a shell. */
export function renderTyped(words: readonly string[]): string {
  return words
    .map((word) => (/^[\w./:=@%+,-]+$/.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`))
    .join(' ');
}

/** `{ command, exit_code, error }` as `--json` prints it for a stop (interfaces.md, section 6). */
export function stopDocument(
  command: string | null,
  error: TeamsheetError,
  program: Pick<Program, 'name' | 'typed' | 'setting'>,
): object {
  return {
    command: command === 'runs' && program.typed.includes('prune') ? 'runs prune' : command,
    exit_code: error.exitCode,
    ...(error instanceof UnapprovedError && error.details),
    error: errorDocument(error, program),
  };
}

/** The error of such a document, or of one that says what was done before it. */
export function errorDocument(
  error: TeamsheetError,
  program: Pick<Program, 'name' | 'typed' | 'setting'>,
  otherwise?: string,
): object {
  const { code, message, place } = error;
  const { file = null, line = null, column = null } = place;
  return {
    ...{ code, message, file, line, column },
    next: nextAfterStop(error, program, otherwise),
    ...(error instanceof StalePlanError && { counts: error.counts, differences: error.differences }),
  };
}

/** What stopped mappings alone. */
export const stopsDocument = (
  stops: readonly Stop[],
  program: Pick<Program, 'name' | 'typed' | 'setting'>,
): readonly object[] =>
  stops.map(({ mapping, error }) => {
    const { code, message } = error;
    return withLeague('mapping', { mapping, code, message, next: nextAfterStop(error, program) });
  });

/** `next: teamsheet resume 01J…`, the line that ends a command with something left to do. */
export function renderNextLine(next: string, program: Pick<Program, 'screen' | 'name' | 'setting'>): string {
  return `${program.screen.style('bold', 'next:')} ${safeText(renderNext(next, program))}`;
}

/**
 * What to do next; a command to type gets the program's name in front, and behind it the flags that were typed of those for configuration, service and
 * mappings; a sentence stays one.
 */
export function renderNext(next: string, { name, setting = [] }: Pick<Program, 'name' | 'setting'>): string {
  const [first = ''] = next.split(' ');
  if (first.startsWith('-')) return `${name} ${next}`;
  if (!Object.hasOwn(commands, first)) return next;
  const words = READS_NOTHING.has(first) ? [] : renderSetting(first, next, setting);
  // What the command is for may be said behind it.
  const end = next.search(/[,;]|$/);
  return words.length === 0
    ? `${name} ${next}`
    : [name, next.slice(0, end), ...words].join(' ') + next.slice(end);
}

/** What is to be typed after a report that was not written, as it is to be typed. */
export function withTypedNext(
  mapping: MappingSummary,
  program: Pick<Program, 'name' | 'setting'>,
): MappingSummary {
  if (mapping.direction === 'push' || mapping.error?.next === undefined) return mapping;
  return { ...mapping, error: { ...mapping.error, next: renderNext(mapping.error.next, program) } };
}

/** Commands that know no configuration of a service, and those that read its mappings. */
const READS_NOTHING: ReadonlySet<string> = new Set(['init', 'auth', 'sandbox', 'schema', 'demo']);
const READS_MAPPINGS: ReadonlySet<string> = new Set([
  ...['validate', 'plan', 'push', 'pull', 'sync', 'import', 'retry', 'substitutions', 'schedule', 'weeks'],
]);
const FOR_MAPPINGS: ReadonlySet<string> = new Set(['--mappings', '--var']);

/** The flags of a setting that a command takes and that are not in its line already. */
function renderSetting(command: string, line: string, setting: readonly string[]): readonly string[] {
  const words: string[] = [];
  for (let at = 0; at < setting.length; at += 2) {
    const [flag = '', value = ''] = setting.slice(at, at + 2);
    if (FOR_MAPPINGS.has(flag) && !READS_MAPPINGS.has(command)) continue;
    if (!new RegExp(`(?:^| )${flag}[ =]`).test(line)) words.push(renderTyped([flag, value]));
  }
  return words;
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
