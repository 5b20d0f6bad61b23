import { StoppedError } from '../../src/model/error.ts';
import { canonicalBaseUrl } from '../../src/model/service-address.ts';
import type { ServiceAccount, StoredIntent } from '../../src/model/state/store.ts';
import type { LeaseTable } from '../../src/state/lease.ts';

interface Lease {
  readonly number: number;
  readonly owner: string;
  readonly process: string;
  /** By the clock of the table; undefined once it was let go. */
  readonly expiresMs: number | undefined;
}

/** What the disk of a database holds of leases. */
export class LeaseData {
  /** By account. */
  readonly leases = new Map<string, Lease>();
  /** By the number of the lease that they lost without a word. */
  readonly silent = new Map<number, { readonly process: string; readonly said: StoredIntent['silent'] }>();
  last = 0;
}

export interface MemoryLeasesOptions {
  readonly data: LeaseData;
  /** The clock of the table. */
  readonly nowMs: () => number;
  readonly termMs: number;
  readonly process: string;
  /** The wall clock of the process. */
  readonly wallMs: () => number;
  /** Whether a process is known here to run no more. */
  readonly isGone: (process: string) => boolean;
  /** Whether a write was recorded under a lease and nothing since. */
  readonly hasOpen: (lease: number) => boolean;
}

const nameOf = ({ baseUrl, accountId }: ServiceAccount): string =>
  `${canonicalBaseUrl(baseUrl)} ${accountId}`;

/** The table of leases in memory: what each method does is wholly done before it returns. */
export class MemoryLeases implements LeaseTable {
  readonly #options: MemoryLeasesOptions;

  constructor(options: MemoryLeasesOptions) {
    this.#options = options;
    this.#noteGone();
  }

  take(account: ServiceAccount, owner: string): Promise<number> {
    const { data, nowMs, process, isGone, hasOpen } = this.#options;
    const held = data.leases.get(nameOf(account));
    const isOver = held?.expiresMs === undefined || held.expiresMs <= nowMs();
    if (held !== undefined && !isOver && !isGone(held.process))
      return Promise.reject(
        new StoppedError('lock.held', `${account.accountId} is being written to by ${held.owner}`, {
          next: 'Wait until it ends, then run the command again.',
        }),
      );
    if (held?.expiresMs !== undefined && isOver && hasOpen(held.number))
      data.silent.set(held.number, {
        process: held.process,
        said: { holder: held.owner, goneAtMs: null },
      });
    data.last += 1;
    data.leases.set(nameOf(account), {
      number: data.last,
      owner,
      process,
      expiresMs: this.#expiresMs(),
    });
    this.#noteGone();
    return Promise.resolve(data.last);
  }

  renew(account: ServiceAccount, lease: number): Promise<boolean> {
    return Promise.resolve(this.renewNow(account, lease));
  }

  /** The same, as a part of something else. */
  renewNow(account: ServiceAccount, lease: number): boolean {
    const held = this.#own(account, lease);
    if (held === undefined) return false;
    this.#options.data.leases.set(nameOf(account), { ...held, expiresMs: this.#expiresMs() });
    return true;
  }

  isHeld(account: ServiceAccount, lease: number): boolean {
    return this.#own(account, lease) !== undefined;
  }

  free(account: ServiceAccount, lease: number): Promise<void> {
    const { data, wallMs } = this.#options;
    const held = this.#own(account, lease);
    if (held !== undefined) data.leases.set(nameOf(account), { ...held, expiresMs: undefined });
    this.#isGone(lease, wallMs());
    return Promise.resolve();
  }

  #own(account: ServiceAccount, lease: number): Lease | undefined {
    const held = this.#options.data.leases.get(nameOf(account));
    return held?.number === lease && held.expiresMs !== undefined ? held : undefined;
  }

  #noteGone(): void {
    const { data, isGone, wallMs } = this.#options;
    for (const [lease, { process }] of data.silent) if (isGone(process)) this.#isGone(lease, wallMs());
  }

  #isGone(lease: number, goneAtMs: number): void {
    const { silent } = this.#options.data;
    const found = silent.get(lease);
    if (found?.said?.goneAtMs === null) silent.set(lease, { ...found, said: { ...found.said, goneAtMs } });
  }

  #expiresMs(): number {
    return this.#options.nowMs() + this.#options.termMs;
  }
}
