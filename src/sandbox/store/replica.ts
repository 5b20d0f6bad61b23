import { openStore, text, type Store } from './store.ts';

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
  unbind(store);
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

/** What triggers did in the source is among its changes, and a copy need not check them again. */
function unbind(store: Store): void {
  store.run('PRAGMA foreign_keys = OFF');
  for (const trigger of names(store, 'trigger')) store.run(`DROP TRIGGER ${trigger}`);
}

function names(store: Store, type: 'table' | 'trigger'): readonly string[] {
  return store.all(
    `SELECT name FROM sqlite_schema WHERE type = ? AND name NOT LIKE 'sqlite%'`,
    [type],
    (row) => text(row, 'name'),
  );
}

function copyTables(source: Store, store: Store): void {
  store.transaction(() => {
    for (const table of names(store, 'table')) {
      store.run(`DELETE FROM ${table}`);
      for (const row of source.all(`SELECT * FROM ${table}`, [], (values) => Object.values(values))) {
        store.run(`INSERT INTO ${table} VALUES (${row.map(() => '?').join(', ')})`, ...row);
      }
    }
  });
}
