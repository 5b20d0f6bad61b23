import { StoppedError } from '../model/error.ts';
import type { Clock } from '../model/ports.ts';
import { canonicalBaseUrl } from '../model/service-address.ts';
import type { HeldLock, Lock, ServiceAccount } from '../model/state/store.ts';

/** Does work again and again until it is told to stop; it keeps no process alive. */
export type Repeat = (work: () => void, everyMs: number) => () => void;

/** One lease for each account over all machines: who has it, and when it is free, by the clock of the table. */
export interface LeaseTable {
  /** Takes a lease that is free, or whose holder is known to be gone; answers its number, which no other taking has. Errors: StoppedError `lock.held`; those of the table. */
  take(account: ServiceAccount, owner: string): Promise<number>;
  /** False where somebody else has taken it since. Errors: StoppedError where nothing may be sent under it; those of the table. */
  renew(account: ServiceAccount, lease: number): Promise<boolean>;
  /** Lets it go, and says that nothing more is sent under it. */
  free(account: ServiceAccount, lease: number): Promise<void>;
}

export interface LeaseOptions {
  readonly clock: Pick<Clock, 'now' | 'monotonic'>;
  /** A lease that is not renewed for so long is free. */
  readonly termMs: number;
  /** In place of a timer. */
  readonly repeat?: Repeat | undefined;
}

interface Held {
  readonly account: ServiceAccount;
  readonly number: number;
  readonly lost: AbortController;
  /** When the last renewal that came through was asked for: by a clock that never jumps, and by one that goes on while the machine sleeps. */
  renewed: Moment;
}

interface Moment {
  readonly monotonicMs: number;
  readonly wallMs: number;
}

/** A table that takes longer than two thirds of the term for each renewal is as good as gone. */
const RENEWALS = 3;

const byTimer: Repeat = (work, everyMs) => {
  const timer = setInterval(work, everyMs).unref();
  return () => clearInterval(timer);
};

/** What this process holds of a table of leases. It renews each, and sends under none that may be another's. */
export class Leases implements Lock {
  readonly #table: LeaseTable;
  readonly #clock: LeaseOptions['clock'];
  readonly #termMs: number;
  readonly #repeat: Repeat;
  readonly #held = new Map<string, Held>();

  constructor(table: LeaseTable, { clock, termMs, repeat = byTimer }: LeaseOptions) {
    this.#table = table;
    this.#clock = clock;
    this.#termMs = termMs;
    this.#repeat = repeat;
  }

  /** Errors: those of {@link LeaseTable.take}. */
  async acquire(account: ServiceAccount, owner: string): Promise<HeldLock> {
    const renewed = this.#now();
    const number = await this.#table.take(account, owner);
    const held: Held = { account, number, renewed, lost: new AbortController() };
    const name = nameOf(account);
    this.#held.set(name, held);
    const stop = this.#repeat(() => {
      this.#renew(held).catch((error: unknown) => {
        if (error instanceof StoppedError) held.lost.abort(error);
        // What cannot be renewed runs out.
        else if (this.#ageMs(held) >= this.#termMs) held.lost.abort(lockLost(account));
      });
    }, this.#termMs / 3);
    return {
      lost: held.lost.signal,
      check: () => this.#check(held),
      release: async () => {
        stop();
        if (this.#held.get(name) !== held) return;
        this.#held.delete(name);
        await this.#table.free(account, number);
      },
    };
  }

  /**
   * Has `work` record something under the lease of an account, which is renewed by that. `work` is given the number of the lease, 0 where this process has none,
   * and throws {@link lockLost} where it is not its own any more.
   */
  async renewedBy<T>(account: ServiceAccount, work: (lease: number) => Promise<T>): Promise<T> {
    const held = this.#held.get(nameOf(account));
    const renewed = this.#now();
    try {
      const recorded = await work(held?.number ?? 0);
      if (held !== undefined) held.renewed = renewed;
      return recorded;
    } catch (error) {
      if (error instanceof StoppedError && error.code === 'lock.lost') held?.lost.abort(error);
      throw error;
    }
  }

  /**
   * Refuses what follows where `isOwn` says that a lease which this process was given is another's by now; where it has none, there is nothing to check. Errors:
   * StoppedError `lock.lost`.
   */
  async refuseLost(isOwn: (account: ServiceAccount, lease: number) => Promise<boolean>): Promise<void> {
    for (const held of this.#held.values())
      if (!(await isOwn(held.account, held.number))) throw this.#lose(held);
  }

  /** Between a statement and the bytes on the wire a process can be stopped for an hour: it sends only while a third of its term is left. */
  async #check(held: Held): Promise<void> {
    for (let renewals = 0; renewals < RENEWALS; renewals += 1) {
      if (this.#ageMs(held) <= (this.#termMs * 2) / 3) {
        held.lost.signal.throwIfAborted();
        return;
      }
      await this.#renew(held);
    }
    throw lockLost(held.account);
  }

  /** Errors: StoppedError `lock.lost`; those of the table. */
  async #renew(held: Held): Promise<void> {
    const renewed = this.#now();
    if (!(await this.#table.renew(held.account, held.number))) throw this.#lose(held);
    held.renewed = renewed;
  }

  #lose({ account, lost }: Held): StoppedError {
    const error = lockLost(account);
    lost.abort(error);
    return error;
  }

  #now(): Moment {
    return { monotonicMs: this.#clock.monotonic(), wallMs: this.#clock.now() };
  }

  #ageMs({ renewed }: Held): number {
    const now = this.#now();
    return Math.max(now.monotonicMs - renewed.monotonicMs, now.wallMs - renewed.wallMs);
  }
}

/** All names of a service on one machine are one service. */
const nameOf = ({ baseUrl, accountId }: ServiceAccount): string =>
  `${canonicalBaseUrl(baseUrl)} ${accountId}`;

export const lockLost = ({ baseUrl, accountId }: ServiceAccount): StoppedError =>
  new StoppedError(
    'lock.lost',
    `the lock of ${baseUrl} (account ${accountId}) is not held by this process any more: nothing more is sent`,
    { next: 'See what the other process did with runs, then run the command again.' },
  );
