import { styleText } from 'node:util';
import { UnavailableError } from '../model/error.ts';
import { safeJson, safeText } from './render/text.ts';
import { wrapLines } from './render/width.ts';

/** The flags that say how the program talks; read from the raw command line, so that a wrong command line is answered in the form asked for. */
export interface ScreenFlags {
  readonly json: boolean;
  readonly quiet: boolean;
  readonly verbose: boolean;
  readonly color: boolean;
  readonly progress: boolean;
}

type Format = Parameters<typeof styleText>[0];
/** Colours a text that is safe to print, or leaves it as it is. */
export type Style = (format: Format, text: string) => string;

/** The two streams of a program: data on one, everything else on the other. */
export interface Screen extends ScreenFlags {
  /** Style for what is said on standard error, and for data on standard output. */
  readonly style: Style;
  readonly dataStyle: Style;
  /** Whether one line of standard error may be redrawn. */
  readonly live: boolean;
  readonly columns: number;
  /** Writes rendered data and a line feed; waits while the reader is slow. On a terminal, words wrap; a JSON document stays as it is. */
  readonly data: (text: string) => Promise<void>;
  /** Writes what is copied or read by a program, as it is: a file, a path, a part of a document. */
  readonly exact: (text: string) => Promise<void>;
  /** Says something that `--quiet` leaves out. The text is rendered already. */
  readonly say: (text: string) => void;
  /** Says something that is always shown. The text is rendered already. */
  readonly tell: (text: string) => void;
  /** `isLasting`: it stays so until somebody corrects it, such as a file that others may read; then the same is told once for the process. */
  readonly warn: (message: string, isLasting?: boolean) => void;
  /** Passes everything that is said from now on through this too, so that a key is shown nowhere. */
  readonly withhold: (from: (text: string) => string) => void;
  /** Redraws the live line; undefined clears it. */
  readonly redraw: (text: string | undefined) => void;
}

/** Streams of a process, or of a test. */
export interface Streams {
  readonly stdout: NodeJS.WriteStream;
  readonly stderr: NodeJS.WriteStream;
  readonly env: NodeJS.ProcessEnv;
}

function drained(stream: NodeJS.WriteStream): Promise<void> {
  return new Promise((resolve) => {
    for (const event of ['drain', 'close', 'error']) stream.once(event, () => resolve());
  });
}

const CLEAR_LINE = '\r\u001b[2K';
const DEFAULT_COLUMNS = 100;

/** `--json --quiet …` as they stand before a `--`, whatever the command. */
export function screenFlags(argv: readonly string[]): ScreenFlags {
  const end = argv.indexOf('--');
  const flags = new Set(end === -1 ? argv : argv.slice(0, end));
  return {
    json: flags.has('--json'),
    quiet: flags.has('--quiet'),
    verbose: flags.has('--verbose'),
    color: !flags.has('--no-color'),
    progress: !flags.has('--no-progress'),
  };
}

/** A screen on the process's streams. A closed reader of standard output is no error: what would follow is dropped. */
export function createScreen({ stdout, stderr, env }: Streams, flags: ScreenFlags): Screen {
  let failure: NodeJS.ErrnoException | undefined;
  let drawn = false;
  const lasting = new Set<string>();
  let withheld = (text: string): string => text;
  stdout.on('error', (error: NodeJS.ErrnoException) => (failure = error));
  // With nobody left to read it, a message on standard error has nowhere else to go.
  stderr.on('error', () => undefined);
  const plain: Style = (_format, text) => text;
  const coloured: Style = (format, text) => styleText(format, text, { validateStream: false });
  const colours = flags.color && (env['NO_COLOR'] ?? '') === '' && env['TERM'] !== 'dumb';
  const styleFor = (stream: NodeJS.WriteStream): Style => (colours && stream.isTTY ? coloured : plain);
  const style = styleFor(stderr);
  const clear = (): void => {
    if (drawn) stderr.write(CLEAR_LINE);
    drawn = false;
  };
  const wrapped = (text: string, { isTTY, columns }: NodeJS.WriteStream): string =>
    isTTY ? wrapLines(text, columns) : text;
  const tell = (text: string): void => {
    clear();
    stderr.write(`${wrapped(withheld(text), stderr)}\n`);
  };
  const exact = async (text: string): Promise<void> => {
    clear();
    const safe = withheld(flags.json ? safeJson(text) : text);
    if (failure === undefined && !stdout.write(safe)) await drained(stdout);
    if (failure !== undefined && failure.code !== 'EPIPE') {
      throw new UnavailableError('stdout.write', `standard output cannot be written: ${failure.message}`, {
        cause: failure,
      });
    }
  };
  return {
    ...flags,
    style,
    dataStyle: styleFor(stdout),
    live: stderr.isTTY && flags.progress && !flags.quiet && env['TERM'] !== 'dumb',
    columns: stderr.isTTY ? stderr.columns : DEFAULT_COLUMNS,
    data: (text) => exact(`${flags.json ? text : wrapped(text, stdout)}\n`),
    exact,
    say: (text) => {
      if (!flags.quiet) tell(text);
    },
    tell,
    warn: (message, isLasting = false) => {
      if (isLasting && lasting.has(message)) return;
      if (isLasting) lasting.add(message);
      tell(`${style('yellow', '!')} ${safeText(message)}`);
    },
    redraw: (text) => {
      clear();
      if (text === undefined) return;
      stderr.write(withheld(text));
      drawn = true;
    },
    withhold: (from) => {
      const before = withheld;
      withheld = (text) => from(before(text));
    },
  };
}
