import { readFileSync } from 'node:fs';

/** What `generate-static-text.ts` writes beside the built program. */
export interface StaticText {
  readonly version: string;
  /** Help by command name; `''` is the program's own. */
  readonly help: Readonly<Record<string, string>>;
}

/** The name of the generated file, in the folder of the built command line. */
export const STATIC_TEXT_FILE = 'static-text.json';

/**
 * The text for `--version`, nothing at all, `--help`, `help`, `COMMAND --help` and `help COMMAND`; undefined for any other command line, and where the text was not
 * generated (the program run from its sources), so that yargs answers.
 */
export function staticAnswer(argv: readonly string[], beside: string): string | undefined {
  const [first = '', second = ''] = argv;
  const wantsVersion = argv.length === 1 && first === '--version';
  const command = helpTarget(argv.length, first, second);
  if (!wantsVersion && command === undefined) return undefined;
  const text = readStaticText(new URL(STATIC_TEXT_FILE, beside));
  if (text === undefined) return undefined;
  if (wantsVersion) return `${text.version}\n`;
  return Object.hasOwn(text.help, command ?? '') ? text.help[command ?? ''] : undefined;
}

function helpTarget(length: number, first: string, second: string): string | undefined {
  if (length === 0 || (length === 1 && isHelp(first))) return '';
  if (length !== 2) return undefined;
  if (isHelp(second) && !first.startsWith('-')) return first;
  return first === 'help' && !second.startsWith('-') ? second : undefined;
}

function isHelp(word: string): boolean {
  return word === '--help' || word === '-h' || word === 'help';
}

function readStaticText(file: URL): StaticText | undefined {
  try {
    // Written by our own build, never by an operator.
    return JSON.parse(readFileSync(file, 'utf8')) as StaticText;
  } catch (cause) {
    if (cause instanceof Error && 'code' in cause && cause.code === 'ENOENT') return undefined;
    throw cause;
  }
}
