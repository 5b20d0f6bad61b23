import type { Lock } from '../../src/model/state/store.ts';
import type { OpenState } from '../../src/runtime/state.ts';
import { Leases } from '../../src/state/lease.ts';
import { DatabaseFailure } from '../../src/state/postgres/client.ts';
import { databaseError } from '../../src/state/postgres/database-error.ts';
import type { Dice } from './dice.ts';
import type { History } from './history.ts';
import type { Life, Reach } from './life.ts';
import { MemoryBudget } from './memory-budget.ts';
import { MemoryLeases } from './memory-leases.ts';
import { MemoryStore, type StoreData } from './memory-store.ts';
import { EPOCH_MS } from './service.ts';
import type { World } from './world.ts';

interface HostsOptions {
  readonly world: World;
  readonly history: History;
  readonly dice: Dice;
  readonly data: StoreData;
  readonly termMs: number;
}

const LONGEST_OUTAGE_MS = 5 * 60_000;

/** Several hosts and the database that they share, which may go away between any two statements, or before it can answer one that it carried out. */
export class Hosts {
  /** How likely the database goes away at a statement. */
  outageRate = 0;
  readonly #options: HostsOptions;
  readonly #processes = new Map<string, { readonly host: number; readonly life: Life }>();
  #downUntilMs = 0;

  constructor(options: HostsOptions) {
    this.#options = options;
  }

  /** What a process of a host has of the database. */
  open(life: Life, host: number): Omit<OpenState, 'lock'> & { readonly lock: Lock } {
    const { world, data, termMs } = this.#options;
    this.#processes.set(life.name, { host, life });
    const nowMs = (): number => EPOCH_MS + Math.floor(world.nowMs);
    const leases = new MemoryLeases({
      ...{ data: data.leases, nowMs, termMs, process: life.name, wallMs: () => life.clock.now() },
      isGone: (process) => {
        const other = this.#processes.get(process);
        return other?.host === host && other.life.dead;
      },
      hasOpen: (lease) => data.intents.some((each) => each.lease === lease && each.stored.result === null),
    });
    const repeat = life.repeat.bind(life);
    const lock = new Leases(life.mortal('state.lease', leases, ['renewNow', 'isHeld']), {
      ...{ clock: life.clock, termMs, repeat },
    });
    const budget = life.mortal('state.budget', new MemoryBudget(data.budget, nowMs), []);
    return { store: new MemoryStore(data, life.clock, { lock, leases }), lock, budget };
  }

  /** Whether a process has the lease of an account, by the clock of the database. */
  holds(process: string): boolean {
    const { world, data } = this.#options;
    return [...data.leases.leases.values()].some(
      (lease) => lease.process === process && (lease.expiresMs ?? 0) > EPOCH_MS + Math.floor(world.nowMs),
    );
  }

  /** Carries out a statement where the database is there. Errors: UnavailableError `state.unreachable`. */
  readonly reach: Reach = async (what, effect) => {
    const { world, dice, history } = this.#options;
    if (!/^(state|rows)/.test(what)) return effect();
    if (world.nowMs < this.#downUntilMs) throw away(what);
    if (!dice.chance(this.outageRate)) return effect();
    // Where a connection breaks alone, the next statement has another one.
    this.#downUntilMs = world.nowMs + (dice.chance(0.3) ? 0 : dice.int(1000, LONGEST_OUTAGE_MS));
    const isDone = dice.chance(0.5);
    history.note('-- the database goes away', isDone ? 'after' : 'before', what);
    history.count(`database away ${isDone ? 'after' : 'before'} a statement`);
    if (isDone) await effect();
    throw away(what);
  };

  /** The database is there again. */
  mend(): void {
    this.outageRate = 0;
    this.#downUntilMs = 0;
  }
}

const away = (what: string): unknown =>
  databaseError('the database', new DatabaseFailure('57P01', new Error(`it went away at ${what}`)));
