import { setImmediate as turn } from 'node:timers/promises';
import { Violation } from './history.ts';

/** Something that may end before what it waits for comes, or be stopped until a time and see it only then: a process. */
export interface Mortal {
  readonly dead: boolean;
  readonly pausedUntilMs: number;
}

interface Due {
  atMs: number;
  order: number;
  readonly act: () => void;
  readonly owner: Mortal | undefined;
  cancelled: boolean;
}

/** More events than this in one command mean that it never ends. */
const MOST_EVENTS = 100_000;
const LONGEST_COMMAND_MS = 60 * 86_400_000;

/**
 * Virtual time for everything that is simulated: events happen one after the other, in the order of their times, and everything that one of them sets
 * off is done before the next one. Nothing waits for a real clock, a file or a socket, so a turn of the event loop finds all work at rest.
 */
export class World {
  /** Milliseconds since the simulation began; never jumps. */
  nowMs = 0;
  /** What the wall clock is ahead of the time that passed. */
  jumpedMs = 0;
  readonly #queue: Due[] = [];
  #order = 0;

  /** Has `act` done at a time; nothing is done for an owner that is dead by then. Answers how to call it off. */
  at(atMs: number, act: () => void, owner?: Mortal): () => void {
    const due: Due = { atMs, order: (this.#order += 1), act, owner, cancelled: false };
    this.#push(due);
    return () => {
      due.cancelled = true;
    };
  }

  /** Lets time pass until the work is done. Errors: Violation `I13` for work without end. */
  async drive<T>(work: Promise<T>): Promise<T> {
    const progress = { done: false };
    const outcome = work.finally(() => {
      progress.done = true;
    });
    outcome.catch(() => undefined);
    const startedMs = this.nowMs;
    for (let events = 0; ; events += 1) {
      await turn();
      if (progress.done) return outcome;
      if (events > MOST_EVENTS || this.nowMs - startedMs > LONGEST_COMMAND_MS)
        throw new Violation('I13', `the command goes on after ${events} events`);
      if (!this.#happen(Infinity))
        throw new Violation('I13', 'the command waits for something that never comes');
    }
  }

  /** Lets time pass with whatever is due in it. */
  async pass(ms: number): Promise<void> {
    const untilMs = this.nowMs + ms;
    do await turn();
    while (this.#happen(untilMs));
    this.nowMs = untilMs;
  }

  #happen(untilMs: number): boolean {
    for (;;) {
      const due = this.#queue[0];
      if (due === undefined || due.atMs > untilMs) return false;
      this.#pop();
      if (due.cancelled || due.owner?.dead === true) continue;
      const { pausedUntilMs = 0 } = due.owner ?? {};
      if (pausedUntilMs > due.atMs) {
        due.atMs = pausedUntilMs;
        due.order = this.#order += 1;
        this.#push(due);
        continue;
      }
      this.nowMs = Math.max(this.nowMs, due.atMs);
      due.act();
      return true;
    }
  }

  #push(due: Due): void {
    const queue = this.#queue;
    let at = queue.push(due) - 1;
    while (at > 0) {
      const above = (at - 1) >> 1;
      if (!before(due, queue[above] as Due)) break;
      queue[at] = queue[above] as Due;
      at = above;
    }
    queue[at] = due;
  }

  #pop(): void {
    const queue = this.#queue;
    const last = queue.pop() as Due;
    if (queue.length === 0) return;
    let at = 0;
    for (;;) {
      const left = 2 * at + 1;
      if (left >= queue.length) break;
      const right = left + 1;
      const next = right < queue.length && before(queue[right] as Due, queue[left] as Due) ? right : left;
      if (!before(queue[next] as Due, last)) break;
      queue[at] = queue[next] as Due;
      at = next;
    }
    queue[at] = last;
  }
}

const before = (a: Due, b: Due): boolean => a.atMs < b.atMs || (a.atMs === b.atMs && a.order < b.order);
