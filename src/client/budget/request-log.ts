/** One request as our own monotonic clock saw it. */
export interface LoggedRequest {
  readonly sentMs: number;
  /** Null while it is in flight. */
  answeredMs: number | null;
  /** It read the account, which the service may not count. */
  readonly readsAccount: boolean;
  /** It was refused with 429 or got no answer: the service may or may not have counted it. */
  doubtful: boolean;
  /** Another process sent it: its times are those of a look at the state. */
  readonly isOthers?: true;
}

/** Our own requests in the order they were sent, as far back as the longest window reaches. Numbers of entries never change. */
export class RequestLog {
  #entries: LoggedRequest[] = [];
  #first = 0;

  add(sentMs: number, readsAccount: boolean): LoggedRequest {
    const entry: LoggedRequest = { sentMs, answeredMs: null, readsAccount, doubtful: false };
    this.#entries.push(entry);
    return entry;
  }

  /** One of another process, which may have been sent a little before the latest one here. */
  addOthers(sentMs: number, readsAccount: boolean): LoggedRequest {
    const lastMs = this.#entries.at(-1)?.sentMs ?? sentMs;
    return Object.assign(this.add(Math.max(sentMs, lastMs), readsAccount), { isOthers: true as const });
  }

  /** The number of an entry; the end where it is not there. */
  numberOf(entry: LoggedRequest): number {
    const at = this.#entries.lastIndexOf(entry);
    return at === -1 ? this.end : this.#first + at;
  }

  /** Those that left no window before `afterMs`, in their order: answered later, or under way. */
  answeredAfter(afterMs: number): readonly LoggedRequest[] {
    return this.#entries.filter(({ answeredMs }) => answeredMs === null || answeredMs > afterMs);
  }

  /** The number that the next entry will have. */
  get end(): number {
    return this.#first + this.#entries.length;
  }

  /** The entry of that number; undefined when it is still to come or was forgotten. */
  at(number: number): LoggedRequest | undefined {
    return this.#entries[number - this.#first];
  }

  /** A log of its own with the same entries; those in flight are taken to be answered at `openUntilMs`. */
  copy(openUntilMs: number): RequestLog {
    const log = new RequestLog();
    log.#first = this.#first;
    log.#entries = this.#entries.map((entry) => ({ ...entry, answeredMs: entry.answeredMs ?? openUntilMs }));
    return log;
  }

  /** The latest entries, at most `count`, in their order. */
  latest(count: number): readonly LoggedRequest[] {
    return this.#entries.slice(-count);
  }

  /** How many entries match, from the given number on. */
  count(matches: (entry: LoggedRequest) => boolean, from = 0): number {
    let found = 0;
    for (let index = Math.max(0, from - this.#first); index < this.#entries.length; index += 1) {
      const entry = this.#entries[index];
      if (entry !== undefined && matches(entry)) found += 1;
    }
    return found;
  }

  /** The number of the first entry sent after `afterMs`; `end` when there is none. */
  firstSentAfter(afterMs: number): number {
    let [low, high] = [0, this.#entries.length];
    while (low < high) {
      const middle = (low + high) >>> 1;
      if ((this.#entries[middle]?.sentMs ?? 0) > afterMs) high = middle;
      else low = middle + 1;
    }
    return this.#first + low;
  }

  /** Forgets the leading entries that were answered before `beforeMs`. */
  forget(beforeMs: number): void {
    const kept = this.#entries.findIndex(({ answeredMs }) => answeredMs === null || answeredMs >= beforeMs);
    const gone = kept === -1 ? this.#entries.length : kept;
    this.#entries = this.#entries.slice(gone);
    this.#first += gone;
  }
}
