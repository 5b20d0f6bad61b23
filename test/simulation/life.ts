import { InterruptedError } from '../../src/model/error.ts';
import type { Clock } from '../../src/model/ports.ts';
import { eachCall } from '../support/each-call.ts';
import type { History } from './history.ts';
import type { Mortal, World } from './world.ts';
import { EPOCH_MS } from './service.ts';

/** When a process is to end: at which of its steps, or of its requests to the service, and how. */
export interface Ending {
  readonly at: 'step' | 'request';
  /** The first is 1. */
  readonly number: number;
  readonly how: 'kill_before' | 'kill_after' | 'signal';
}

/** When a process is to be stopped for a while, as SIGSTOP or a machine that sleeps does: before one of its steps, or of its writes to the service. */
export interface Pause {
  readonly before: 'step' | 'write';
  /** The first is 1. */
  readonly number: number;
  readonly ms: number;
}

/** Carries out a step, or refuses it. */
export type Reach = <T>(what: string, effect: () => Promise<T>) => Promise<T>;

export interface LifeOptions {
  readonly ending?: Ending | undefined;
  readonly pause?: Pause | undefined;
  /** By how much its wall clock is ahead. */
  readonly skewMs?: number | undefined;
  readonly reach?: Reach | undefined;
}

const doIt: Reach = (_what, effect) => effect();
const forever = <T>(): Promise<T> => new Promise<T>(() => undefined);

/**
 * One process. Its steps are whatever outlasts it: what it writes to its state, sends and receives. At its last step it is gone: nothing that it
 * began goes on, except what is already on its way to the service.
 */
export class Life implements Mortal {
  readonly name: string;
  readonly signal: AbortSignal;
  readonly clock: Clock;
  /** Resolves when the process is killed. */
  readonly death: Promise<'killed'>;
  dead = false;
  pausedUntilMs = 0;
  /** When it went on the last time; undefined where it was never stopped. */
  get wokenAtMs(): number | undefined {
    return this.pausedUntilMs > 0 ? this.pausedUntilMs : undefined;
  }
  readonly #world: World;
  readonly #history: History;
  readonly #options: LifeOptions;
  readonly #abort = new AbortController();
  readonly #listening = new Set<() => void>();
  #steps = 0;
  #requests = 0;
  #writes = 0;
  #tellDeath: (how: 'killed') => void = () => undefined;

  constructor(name: string, world: World, history: History, options: LifeOptions) {
    this.name = name;
    this.#world = world;
    this.#history = history;
    this.#options = options;
    const { skewMs = 0 } = options;
    this.signal = this.#abort.signal;
    this.death = new Promise((resolve) => {
      this.#tellDeath = resolve;
    });
    this.clock = {
      now: () => EPOCH_MS + Math.floor(world.nowMs) + world.jumpedMs + skewMs,
      monotonic: () => 1000 + world.nowMs,
      sleep: (ms, signal) => this.#sleep(ms, signal),
    };
  }

  /** Does something that outlasts the process, unless it ends before. */
  async step<T>(what: string, effect: () => Promise<T>): Promise<T> {
    if (this.dead) return forever();
    this.#steps += 1;
    const { ending: end, pause, reach = doIt } = this.#options;
    const isRequest = what.startsWith('wire ');
    if (isRequest) this.#requests += 1;
    const isWrite = isRequest && !what.startsWith('wire GET');
    if (isWrite) this.#writes += 1;
    if (pause?.before === 'step' && pause.number === this.#steps) this.#pause(pause.ms, what);
    if (pause?.before === 'write' && isWrite && pause.number === this.#writes) this.#pause(pause.ms, what);
    if (this.#isPaused()) await this.#wake();
    const isLast =
      end?.at === 'request' ? isRequest && end.number === this.#requests : end?.number === this.#steps;
    const ending = isLast ? end?.how : undefined;
    if (ending === 'signal') {
      this.#history.note(this.name, 'SIGTERM at', what);
      this.#history.count('signals');
      this.#abort.abort(new InterruptedError('SIGTERM', 'the run was stopped by a signal'));
    }
    if (ending === 'kill_before') return this.#die(`before ${what}`);
    const result = reach(what, effect);
    if (ending === 'kill_after') {
      result.catch(() => undefined);
      return this.#die(`after ${what}`);
    }
    try {
      return await result;
    } finally {
      if (this.#isPaused()) await this.#wake();
      if (this.#isDead()) await forever();
    }
  }

  #pause(ms: number, what: string): void {
    this.pausedUntilMs = this.#world.nowMs + ms;
    this.#history.note(this.name, 'is stopped for', ms / 1000, 's before', what);
    this.#history.count('stopped for a while');
  }

  #isPaused(): boolean {
    return this.pausedUntilMs > this.#world.nowMs;
  }

  #wake(): Promise<void> {
    return new Promise((wake) => this.#world.at(this.pausedUntilMs, wake, this));
  }

  /** Has work done again and again, as a timer does that keeps nothing alive. */
  repeat(work: () => void, everyMs: number): () => void {
    let cancel = (): void => undefined;
    const turn = (): void => {
      cancel = this.#world.at(
        this.#world.nowMs + everyMs,
        () => {
          work();
          turn();
        },
        this,
      );
    };
    turn();
    return () => cancel();
  }

  /** A function, because the compiler does not see what happens while a step is waited for. */
  #isDead(): boolean {
    return this.dead;
  }

  /** Ends the process from outside. */
  end(): void {
    this.dead = true;
    for (const forget of this.#listening) forget();
    this.#listening.clear();
  }

  /** Listens to a signal until it is answered how to stop, or the process ends: a signal that somebody listens to is never forgotten. */
  listen(signal: AbortSignal | undefined, onAbort: () => void): () => void {
    const forget = (): void => {
      signal?.removeEventListener('abort', onAbort);
      this.#listening.delete(forget);
    };
    signal?.addEventListener('abort', onAbort);
    this.#listening.add(forget);
    return forget;
  }

  /** Every method of a port is a step, except those that are named: they only read. */
  mortal<Port extends object>(name: string, port: Port, streams: readonly string[]): Port {
    return eachCall(
      port,
      (method) => !streams.includes(method),
      (method, effect) => this.step(`${name}.${method}`, effect),
    );
  }

  #die(when: string): Promise<never> {
    this.dead = true;
    this.#history.note(this.name, 'is killed', when);
    this.#history.count(`killed ${when.includes('wire') ? 'at the wire' : 'at the state'}`);
    this.#tellDeath('killed');
    return forever();
  }

  #sleep(ms: number, signal: AbortSignal | undefined): Promise<void> {
    return new Promise((resolve, reject) => {
      if (signal?.aborted === true) {
        reject(signal.reason as Error);
        return;
      }
      const forget = this.listen(signal, () => {
        forget();
        cancel();
        reject(signal?.reason as Error);
      });
      const cancel = this.#world.at(
        this.#world.nowMs + Math.max(0, ms),
        () => {
          forget();
          resolve();
        },
        this,
      );
    });
  }
}
