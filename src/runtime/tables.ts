import type { Store } from '../model/state/store.ts';
import type { SyncPorts } from '../sync/ports.ts';
import type { CountedAccess } from '../tables/google/connection/access.ts';
import { createTables } from '../tables/index.ts';
import { createPipes, type Pipes } from '../tables/pipes.ts';
import type { Config } from './config/config.ts';
import { openGoogle } from './google.ts';

/** Time, chance, a way to stop, and whom events are told to. */
export type World = Pick<SyncPorts, 'clock' | 'random' | 'signal' | 'emit'>;

/** The kinds of tables, and what is behind them. */
export interface OpenTables {
  readonly tables: SyncPorts['tables'];
  readonly google: CountedAccess;
  /** To be closed. */
  readonly pipes: Pipes;
}

/** Whose tables, and how they are opened. */
export interface TableTask {
  readonly config: Config;
  readonly store: Store;
  /** Google is asked for no right to write. */
  readonly readOnly?: boolean | undefined;
  readonly maxWaitMs?: number | undefined;
  /** In place of the kinds of tables that there are. */
  readonly tables?: Partial<SyncPorts['tables']> | undefined;
}

/** The tables of a configuration, made real; nothing is read before a mapping needs it. */
export function openTables(
  { config, store, maxWaitMs, readOnly = false, tables }: TableTask,
  world: World,
): OpenTables {
  const google = openGoogle(config, {
    ...world,
    store,
    maxWaitMs: maxWaitMs ?? config.budget.max_wait,
    readOnly,
  });
  const { clock, signal, emit } = world;
  const pipes = createPipes({
    folder: config.stateFolder,
    clock,
    signal,
    say: (message) => emit({ kind: 'note', message }),
  });
  return { tables: { ...createTables(google, pipes.fileOf), ...tables }, google, pipes };
}
