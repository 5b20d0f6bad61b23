import { openReplica } from './replica.ts';
import type { Store } from './store.ts';
import type { Settings } from '../switches.ts';

/** What is read of an account, each as old as the settings ask for. */
export interface Views {
  /** For lists. */
  readonly lists: Store;
  /** For everything else that is read. */
  readonly records: Store;
  /** For the counters of the account. */
  readonly account: Store;
  /** Notes what has changed since the last time, to be shown when its time has come. */
  note(): void;
  /** The same, and shows what is due. */
  refresh(): void;
  /** Shows the store as it is. */
  restart(): void;
  close(): void;
}

/** The views of a store: the store itself where nothing lags, else copies that follow it; `clockMs` is milliseconds since the epoch. */
export function openViews(store: Store, settings: Settings, clockMs: () => number): Views {
  const { apply_after_ms, list_lag_ms, account_lag_ms } = settings;
  const lags = { lists: apply_after_ms + list_lag_ms, records: apply_after_ms, account: account_lag_ms };
  const lagging = [...new Set(Object.values(lags))].filter((lagMs) => lagMs > 0);
  if (lagging.length === 0) {
    const nothing = (): void => undefined;
    return {
      ...{ lists: store, records: store, account: store },
      ...{ note: nothing, refresh: nothing, restart: nothing, close: nothing },
    };
  }
  const replicas = new Map(lagging.map((lagMs) => [lagMs, openReplica(store, lagMs)]));
  const viewOf = (lagMs: number): Store => replicas.get(lagMs)?.store ?? store;
  const changes = store.watch();
  const note = (): void => {
    const changeset = changes.take();
    if (changeset.length === 0) return;
    for (const replica of replicas.values()) replica.note(changeset, clockMs());
  };
  return {
    lists: viewOf(lags.lists),
    records: viewOf(lags.records),
    account: viewOf(lags.account),
    note,
    refresh: () => {
      note();
      for (const replica of replicas.values()) replica.show(clockMs());
    },
    restart: () => {
      changes.take();
      for (const replica of replicas.values()) replica.copy();
    },
    close: () => {
      changes.close();
      for (const { store: copy } of replicas.values()) copy.close();
    },
  };
}
