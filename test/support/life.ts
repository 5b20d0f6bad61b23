import { changedBy } from '../../src/model/changed-by.ts';
import type { RunRows } from '../../src/model/state/run-rows.ts';
import type { Store } from '../../src/model/state/store.ts';
import type { SyncPorts } from '../../src/sync/ports.ts';
import type { Service } from '../../src/model/service.ts';
import type { Transport } from '../../src/model/ports.ts';
import { eachCall } from './each-call.ts';

class PowerCut extends Error {}

/** All methods of the state and of its rows but those that read a stream. */
const OF_STATE = (name: string): boolean => !['allSnapshots', 'duplicates', 'lookAlikes'].includes(name);

/** A moment between two effects of a process: before or after one of them. */
export interface Moment {
  /** Counted from 1. */
  readonly call: number;
  readonly when: 'before' | 'after';
  /** Which calls count, by their names and those of all calls up to them; all of them by default. */
  readonly of?: (name: string, calls: readonly string[]) => boolean;
}

/**
 * The life of one process, which ends at a moment: from then on nothing that it does has any effect. Its calls are every method of the state and
 * of the rows of its run, every request, and whatever a test passes through `call`.
 */
export class Life {
  /** What each call was, in order. */
  readonly calls: string[] = [];
  readonly #end: Moment | undefined;
  readonly #opened: RunRows[] = [];
  #counted = 0;
  #dead = false;

  constructor(end?: Moment) {
    this.#end = end;
  }

  get isOver(): boolean {
    return this.#dead;
  }

  async call<T>(name: string, effect: () => Promise<T>): Promise<T> {
    this.check();
    this.calls.push(name);
    const counts = this.#end?.of?.(name, this.calls) ?? true;
    if (counts) this.#counted += 1;
    const isLast = counts && this.#counted === this.#end?.call;
    if (isLast && this.#end.when === 'before') this.#die();
    const result = await effect();
    if (isLast) this.#die();
    this.check();
    return result;
  }

  /** Throws once the process has ended. */
  check(): void {
    if (this.#dead) throw new PowerCut('this process has ended');
  }

  readonly wire =
    (next: Transport): Transport =>
    (request) =>
      this.call(`${request.method} ${new URL(request.url).pathname}`, () => next(request));

  /** A service in memory, whose writes are calls, too. */
  readonly service = (service: Service): Service =>
    this.#mortal('service', service, (name) => name === 'send');

  readonly ports = (ports: SyncPorts): SyncPorts => {
    const openRunRows: Store['openRunRows'] = (runId) =>
      this.call('store.openRunRows', async () => {
        const rows = await ports.store.openRunRows(runId);
        this.#opened.push(rows);
        return this.#mortal('rows', rows, OF_STATE);
      });
    const store = this.#mortal('store', ports.store, OF_STATE);
    return { ...ports, store: changedBy(store, { openRunRows }) };
  };

  /** Lets go of the files, as the end of a process does. */
  async bury(): Promise<void> {
    for (const rows of this.#opened) await rows.close();
  }

  #die(): never {
    this.#dead = true;
    throw new PowerCut('the power is cut');
  }

  /** Every method of those names is a call of this life. */
  #mortal<Port extends object>(what: string, port: Port, isCall: (name: string) => boolean): Port {
    return eachCall(port, isCall, (name, effect) => this.call(`${what}.${name}`, effect));
  }
}
