/** The exit codes of every command (docs: README, "Exit codes"). */
export const EXIT = {
  done: 0,
  internal: 1,
  changes: 2,
  rows: 3,
  config: 4,
  access: 5,
  stopped: 6,
  incomplete: 7,
  unavailable: 8,
  usage: 64,
  interrupted: 130,
  terminated: 143,
} as const;
export type ExitCode = (typeof EXIT)[keyof typeof EXIT];

/** Where in an operator's file an error stands; numbers are 1-based, as an editor shows them. */
export interface Place {
  readonly file?: string | undefined;
  readonly line?: number | undefined;
  readonly column?: number | undefined;
}

interface Details extends Place {
  /** The next command to type, without the program's name, or a sentence that says what to do. */
  readonly next?: string | undefined;
  readonly cause?: unknown;
}

/**
 * An exception that stops a command. The subclass says who acts next; `code` is a stable dotted name. Row problems and push results are values,
 * never errors of this kind.
 */
export abstract class TeamsheetError extends Error {
  abstract readonly exitCode: ExitCode;
  readonly code: string;
  readonly place: Place;
  readonly next: string | undefined;

  constructor(code: string, message: string, details: Details = {}) {
    super(message, details.cause === undefined ? undefined : { cause: details.cause });
    this.name = new.target.name;
    this.code = code;
    this.place = { file: details.file, line: details.line, column: details.column };
    this.next = details.next;
  }
}

/** One of several things that are wrong with a file: the keys that lead to it, and what is said of it. */
export interface FileProblem {
  readonly keys: readonly string[];
  readonly message: string;
}

/** The operator corrects a configuration, mapping or source file; nothing was sent. */
export class ConfigError extends TeamsheetError {
  readonly exitCode = EXIT.config;
  /** What is wrong, thing by thing, where the message is made of them. */
  readonly problems: readonly FileProblem[];
  constructor(
    code: string,
    message: string,
    { problems = [], ...details }: Details & { readonly problems?: readonly FileProblem[] } = {},
  ) {
    super(code, message, details);
    this.problems = problems;
  }
}

/** The operator corrects a key or a right: the service or Google refused access. */
export class AccessError extends TeamsheetError {
  readonly exitCode = EXIT.access;
}

/** The operator decides: a guard, a lock or a missing approval stopped the run before it wrote. */
export class StoppedError extends TeamsheetError {
  readonly exitCode = EXIT.stopped;
  /** What to do; `add` says how a flag that passes the stop is added. */
  readonly flagged: (add: string) => string | undefined;
  constructor(
    code: string,
    message: string,
    { next, flagged = () => next, ...details }: Details & Partial<Pick<StoppedError, 'flagged'>> = {},
  ) {
    super(code, message, { ...details, next: flagged('add') });
    this.flagged = flagged;
  }

  /** Several stops as one, by the code and the place of the first. */
  static of(first: StoppedError, ...others: readonly StoppedError[]): StoppedError {
    if (others.length === 0) return first;
    const all = [first, ...others];
    const flagged = (add: string): string | undefined => {
      const next = new Set(all.flatMap((each) => each.flagged(add) ?? []));
      return next.size === 0 ? undefined : [...next].join('; ');
    };
    const messages = all.map(({ message }) => message);
    return new StoppedError(first.code, messages.join('\n  '), { ...first.place, flagged });
  }
}

/** The operator waits or corrects the network or a destination: something needed did not answer, or answered what cannot be trusted. */
export class UnavailableError extends TeamsheetError {
  readonly exitCode = EXIT.unavailable;
}

/** A list was not whole, or changed while it was read. */
export class ListError extends UnavailableError {
  /** Records that are known to be there and did not come as records; 0 where their number is not known. */
  readonly leftOut: number;
  /** It adds up by itself and lacks records that are known from elsewhere: it may show them later. */
  readonly isLate: boolean;
  /** Reading it again shows the same: the provider has to mend it. */
  readonly isLasting: boolean;
  constructor(
    message: string,
    details: Details & {
      readonly leftOut?: number;
      readonly isLate?: boolean;
      readonly isLasting?: boolean;
    } = {},
  ) {
    super('list.unstable', message, details);
    this.leftOut = details.leftOut ?? 0;
    this.isLate = details.isLate ?? false;
    this.isLasting = details.isLasting ?? false;
  }
}

/** The budget, a limit or a deadline ended the run; what is left is deferred. */
export class IncompleteError extends TeamsheetError {
  readonly exitCode = EXIT.incomplete;
}

/** The command line was wrong. */
export class UsageError extends TeamsheetError {
  readonly exitCode = EXIT.usage;
}

/** The service refused one request with a whole, trustworthy answer. What was to be read of it cannot be had; of a raw call alone the refusal is the outcome. */
export class RefusedError extends TeamsheetError {
  readonly exitCode: ExitCode;
  readonly status: number;
  constructor(status: number, message: string, exitCode: ExitCode = EXIT.unavailable) {
    super('service.refused', message, {});
    this.status = status;
    this.exitCode = exitCode;
  }
}

/** A signal ended the run. */
export class InterruptedError extends TeamsheetError {
  readonly exitCode: 130 | 143;
  /** What is done and what is not, where the message ends in it. */
  readonly done: string | undefined;
  constructor(
    signal: 'SIGINT' | 'SIGTERM',
    message: string,
    { done, ...details }: Details & { readonly done?: string } = {},
  ) {
    super('run.interrupted', done === undefined ? message : `${message}: ${done}`, details);
    this.done = done;
    this.exitCode = signal === 'SIGINT' ? EXIT.interrupted : EXIT.terminated;
  }
}

/** Our own mistake. */
export class InternalError extends TeamsheetError {
  readonly exitCode = EXIT.internal;
}
