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
  #digest = 0x811c9dc5;

  constructor(now: () => number) {
    this.#now = now;
  }

  /** Notes an event; the parts are joined with blanks. */
  note(...parts: readonly (string | number)[]): void {
    const line = `${(this.#now() / 1000).toFixed(3).padStart(12)} ${parts.join(' ')}`;
    for (let at = 0; at < line.length; at += 1)
      this.#digest = Math.imul(this.#digest ^ line.charCodeAt(at), 0x01000193);
    this.#lines.push(line);
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
    return (this.#digest >>> 0).toString(16);
  }
}
