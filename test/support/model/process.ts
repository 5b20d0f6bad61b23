import type { RunRows } from '../../../src/model/run-rows.ts';
import type { Store } from '../../../src/model/store.ts';
import type { SyncPorts } from '../../../src/sync/ports.ts';

/** How a process of a test ends that is killed. */
export class Killed extends Error {}

/** When a process is killed: after so many calls of the state or writes to the service, or after so many writes. */
export interface Death {
  readonly calls?: number;
  readonly writes?: number;
}

/** A process that may be killed: from then on nothing that it does has any effect. */
export class Process {
  #calls: number;
  #writes: number;
  readonly #opened: RunRows[] = [];

  constructor({ calls = Infinity, writes = Infinity }: Death = {}) {
    this.#calls = calls;
    this.#writes = writes;
  }

  ports(ports: SyncPorts): SyncPorts {
    const { service } = ports;
    const store = this.#mortal<Store>(ports.store, ['allSnapshots']);
    const openRunRows: Store['openRunRows'] = (runId) =>
      this.#call(async () => {
        const rows = await ports.store.openRunRows(runId);
        this.#opened.push(rows);
        return this.#mortal<RunRows>(rows, ['duplicates', 'lookAlikes']);
      });
    return {
      ...ports,
      store: new Proxy(store, {
        get: (target, name): unknown => (name === 'openRunRows' ? openRunRows : Reflect.get(target, name)),
      }),
      service: new Proxy(service, {
        get: (target, name): unknown => {
          const method: unknown = Reflect.get(target, name);
          if (typeof method !== 'function') return method;
          if (name !== 'send') return method.bind(target) as unknown;
          return (...args: unknown[]) =>
            this.#call(() => {
              this.#writes -= 1;
              return method.apply(target, args) as Promise<unknown>;
            });
        },
      }),
    };
  }

  /** Lets go of the files, as the end of a process does. */
  async bury(): Promise<void> {
    for (const rows of this.#opened) await rows.close();
  }

  async #call<T>(effect: () => Promise<T>): Promise<T> {
    this.#check();
    this.#calls -= 1;
    const result = await effect();
    this.#check();
    return result;
  }

  #check(): void {
    if (this.#calls <= 0 || this.#writes <= 0) throw new Killed('this process was killed');
  }

  /** Every method is a call, but for those that only read a stream. */
  #mortal<Port extends object>(port: Port, streams: readonly string[]): Port {
    return new Proxy(port, {
      get: (target, name) => {
        const method: unknown = Reflect.get(target, name);
        if (typeof method !== 'function') return method;
        if (typeof name === 'string' && streams.includes(name)) return method.bind(target) as unknown;
        return (...args: unknown[]) => this.#call(() => method.apply(target, args) as Promise<unknown>);
      },
    });
  }
}
