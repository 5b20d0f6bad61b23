import type { Clock } from '../../model/ports.ts';
import type {
  BudgetDecision,
  BudgetLook,
  BudgetVisit,
  KnownWindow,
  SharedBudget,
} from '../../model/state/shared-budget.ts';
import type { Ledger } from './ledger.ts';
import { mayTake } from './share.ts';
import type { LoggedRequest } from './request-log.ts';

export interface SharingOptions {
  readonly shared: SharedBudget;
  readonly baseUrl: string;
  /** Tells the keys of a service apart before the account of one is known. */
  readonly keyDigest: string;
  /** Unlike that of anybody else. */
  readonly process: string;
  readonly clock: Clock;
  readonly timeoutMs: number;
  /** Whether this process writes to the account: it goes before those that only read. */
  readonly writes: () => boolean;
}

/** A request was entered, or when to look again; `isFull`: the windows, as others left them, have no room before that. */
export type Entering = { readonly number: number } | { readonly untilMs: number; readonly isFull: boolean };

/** Who leaves room to others that wait looks again so soon. */
const YIELD_MS = 100;
/** Whoever waits for a reset comes so soon after it, or is gone. */
const COMES_WITHIN_MS = 2000;
/** Whoever has not looked for so long has missed too much: the account tells. */
const FORGETS_MS = 300_000;

/**
 * What this process shares with the others of its account: their requests go into its own ledger, in the order in which all were entered, so that it counts as if
 * it had sent them all.
 */
export class Sharing {
  readonly #options: SharingOptions;
  readonly #ledger: Ledger;
  #accountId: string | undefined;
  #isKnown = false;
  #after = 0;
  #lookedMs = -Infinity;
  /** Own requests by their entries, while they are under way. */
  readonly #numbers = new Map<LoggedRequest, number>();
  /** Own requests that are over, until the others know it. */
  #over: { readonly number: number; readonly atMs: number; readonly doubtful: boolean }[] = [];
  #told = '';

  constructor(options: SharingOptions, ledger: Ledger) {
    this.#options = options;
    this.#ledger = ledger;
  }

  /** Whether others may have sent more since the last look than one can still learn. */
  get isBehind(): boolean {
    return this.#lookedMs !== -Infinity && this.#options.clock.monotonic() - this.#lookedMs > FORGETS_MS;
  }

  /** Enters a request where the windows have room for it and nobody else is owed that. Errors: those of the state. */
  async enter(readsAccount: boolean): Promise<Entering> {
    const { clock, timeoutMs } = this.#options;
    for (;;) {
      const began = { monotonicMs: clock.monotonic(), wallMs: clock.now() };
      let refused: { readonly untilMs: number; readonly isFull: boolean } | undefined;
      const number = await this.#visit((look) => {
        refused = readsAccount ? this.#fullFor(look) : this.#yieldTo(look);
        return refused === undefined
          ? { kind: 'enter', readsAccount, lastsMs: 2 * timeoutMs }
          : { kind: 'none' };
      });
      if (refused !== undefined || number === undefined)
        return refused ?? { untilMs: clock.monotonic(), isFull: false };
      const lateMs = Math.max(clock.monotonic() - began.monotonicMs, clock.now() - began.wallMs);
      if (lateMs < timeoutMs / 2) return { number };
      // Asleep for so long, it might send when its deadline is past.
      this.#over.push({ number, atMs: clock.monotonic(), doubtful: true });
    }
  }

  entered(entry: LoggedRequest, number: number): void {
    this.#numbers.set(entry, number);
  }

  ended(entry: LoggedRequest): void {
    const number = this.#numbers.get(entry);
    if (number === undefined) return;
    this.#numbers.delete(entry);
    this.#over.push({ number, atMs: entry.answeredMs ?? 0, doubtful: entry.doubtful });
  }

  /** Learns what the others did, and tells them what is over; `waitMs`: this process wants room then. */
  async look(waitMs?: number): Promise<void> {
    const { writes } = this.#options;
    await this.#visit(() =>
      waitMs === undefined
        ? { kind: 'none' }
        : { kind: 'wait', writes: writes(), forMs: waitMs + COMES_WITHIN_MS },
    );
  }

  /** The account of the key was read: from now on its other keys count as well. */
  async named(accountId: string): Promise<void> {
    const { shared, baseUrl, keyDigest } = this.#options;
    if (this.#accountId === accountId && this.#isKnown) return;
    const isOther = this.#accountId !== accountId;
    if (isOther) await this.look();
    this.#accountId = accountId;
    this.#isKnown = true;
    await shared.rememberAccount({ baseUrl, accountId }, keyDigest);
    if (!isOther) return;
    this.#after = 0;
    this.#ledger.forgetOthers();
    // The reading itself, which nobody could enter for the account before it was known.
    const number = await this.#visit(() => ({ kind: 'enter', readsAccount: true, lastsMs: 0 }));
    if (number !== undefined)
      this.#over.push({ number, atMs: this.#options.clock.monotonic(), doubtful: false });
  }

  /** Tells the others what is over, and that this process waits for nothing. */
  async end(): Promise<void> {
    if (this.#accountId === undefined) return;
    const { shared, baseUrl, process } = this.#options;
    if (this.#over.length > 0 || this.#told !== JSON.stringify(this.#windows())) await this.look();
    await shared.leave({ baseUrl, accountId: this.#accountId }, process);
  }

  async #visit(decide: (look: BudgetLook) => BudgetDecision): Promise<number | undefined> {
    const { shared, baseUrl, keyDigest, clock } = this.#options;
    if (this.#accountId === undefined) {
      const known = await shared.accountOf(baseUrl, keyDigest);
      this.#isKnown = known !== undefined;
      this.#accountId = known ?? `key ${keyDigest}`;
    }
    const askedMs = clock.monotonic();
    if (this.isBehind) {
      this.#after = 0;
      this.#ledger.forgetOthers();
    }
    // Answers that come while it is under way are told by the next one.
    const over = [...this.#over];
    const windows = this.#windows();
    const told = JSON.stringify(windows);
    const visit: BudgetVisit = {
      process: this.#options.process,
      after: this.#after,
      underWay: this.#ledger.othersUnderWay(),
      over: over.map(({ number, atMs, doubtful }) => ({
        number,
        agoMs: Math.max(0, askedMs - atMs),
        doubtful,
      })),
      withinMs: shortestMs(windows),
      ...(windows.length > 0 && told !== this.#told && { windows }),
    };
    const number = await shared.visit({ baseUrl, accountId: this.#accountId }, visit, (look) => {
      const nowMs = clock.monotonic();
      this.#ledger.takeOthers(look.others, askedMs, nowMs);
      this.#after = Math.max(this.#after, look.others.at(-1)?.number ?? 0);
      this.#lookedMs = nowMs;
      return decide(look);
    });
    // Whatever was entered before an own request was seen by then.
    this.#after = Math.max(this.#after, number ?? 0);
    this.#over = this.#over.filter((each) => !over.includes(each));
    this.#told = told;
    return number;
  }

  /** A reading needs a place too: others may have used up what this process knows nothing of yet, or no longer. */
  #fullFor({ windows }: BudgetLook): Exclude<Entering, { number: number }> | undefined {
    const untilMs = this.#ledger.readableMs(windows, this.#options.clock.monotonic());
    return untilMs === undefined ? undefined : { untilMs, isFull: true };
  }

  #windows(): readonly KnownWindow[] {
    return this.#ledger.windows.map(({ limit, lengthMs }) => ({ limit, lengthMs }));
  }

  /** Room that comes back is for those first that waited for it: those that write, then all alike. Nobody is left without any. */
  #yieldTo({ wanting, taken }: BudgetLook): Exclude<Entering, { number: number }> | undefined {
    const nowMs = this.#options.clock.monotonic();
    const views = this.#ledger.views(nowMs);
    const least = views.toSorted((a, b) => a.room - b.room)[0];
    if (least === undefined) return undefined;
    if (least.room <= 0) return { untilMs: nowMs, isFull: true };
    const limit = this.#ledger.windows.find(({ name }) => name === least.name)?.limit ?? 0;
    return mayTake(limit, least.room, { writes: this.#options.writes(), taken }, wanting)
      ? undefined
      : { untilMs: nowMs + YIELD_MS, isFull: false };
  }
}

const shortestMs = (windows: readonly KnownWindow[]): number =>
  windows.reduce((least, { lengthMs }) => Math.min(least, lengthMs), 60_000);
