import { openStore, type Store } from './store.ts';

/** A copy of a store in memory that follows it some time behind. */
export interface Replica {
  readonly store: Store;
  /** Takes changes that were made at `nowMs`. */
  note(changeset: Uint8Array, nowMs: number): void;
  /** Shows what is old enough at `nowMs`. */
  show(nowMs: number): void;
  /** Forgets everything and becomes the store as it is. */
  copy(): void;
}

/** A copy of `source` that shows changes `lagMs` after they were made. */
export function openReplica(source: Store, lagMs: number): Replica {
  const store = openStore(undefined);
  // The source has checked them.
  store.run('PRAGMA foreign_keys = OFF');
  let waiting: (readonly [dueMs: number, changeset: Uint8Array])[] = [];
  const copy = (): void => {
    waiting = [];
    copyTables(source, store);
  };
  copy();
  return {
    store,
    note: (changeset, nowMs) => {
      waiting.push([nowMs + lagMs, changeset]);
    },
    show: (nowMs) => {
      const due = waiting.filter(([dueMs]) => dueMs <= nowMs);
      if (due.length === 0) return;
      waiting = waiting.filter(([dueMs]) => dueMs > nowMs);
      for (const [, changeset] of due) store.apply(changeset);
    },
    copy,
  };
}

function copyTables(source: Store, store: Store): void {
  store.transaction(() => {
    for (const table of store.tables()) {
      store.run(`DELETE FROM ${table}`);
      for (const row of source.all(`SELECT * FROM ${table}`, [], (values) => Object.values(values))) {
        store.run(`INSERT INTO ${table} VALUES (${row.map(() => '?').join(', ')})`, ...row);
      }
    }
  });
}
