import { hash } from 'node:crypto';

/** A broken promise of the push protocol, found in one simulated life of the program. */
export class Violation extends Error {
  readonly invariant: string;
  constructor(invariant: string, message: string) {
    super(`${invariant}: ${message}`);
    this.name = 'Violation';
    this.invariant = invariant;
  }
}

/** What happened in one simulation, in order, and how often each kind of trouble was met. */
export class History {
  readonly met = new Map<string, number>();
  readonly #lines: string[] = [];
  readonly #now: () => number;

  constructor(now: () => number) {
    this.#now = now;
  }

  /** Notes an event; the parts are joined with blanks. */
  note(...parts: readonly (string | number)[]): void {
    this.#lines.push(`${(this.#now() / 1000).toFixed(3).padStart(12)} ${parts.join(' ')}`);
  }

  /** Counts something for the table of what was met. */
  count(what: string, times = 1): void {
    this.met.set(what, (this.met.get(what) ?? 0) + times);
  }

  get lines(): readonly string[] {
    return this.#lines;
  }

  /** Equal for equal histories. */
  get digest(): string {
    return hash('sha256', this.#lines.join('\n')).slice(0, 16);
  }
}
