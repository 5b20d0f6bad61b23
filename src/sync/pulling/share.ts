/** Reads records under a name; equal names in one run mean the same records. */
export type Share = <T>(name: string, read: () => AsyncIterable<T>) => AsyncIterable<T>;

/**
 * Makes each read happen once in a run. `uses` says how often each name will be asked for: what is asked for once streams, the rest is read by
 * the first who asks, kept in memory, and let go with the last. A read that failed has failed for all.
 */
export function shareReads(uses: ReadonlyMap<string, number>): Share {
  const kept = new Map<string, { readonly items: Promise<readonly unknown[]>; left: number }>();
  return async function* share<T>(name: string, read: () => AsyncIterable<T>): AsyncGenerator<T> {
    const total = uses.get(name) ?? 1;
    if (total <= 1) {
      yield* read();
      return;
    }
    const entry = kept.get(name) ?? { items: Array.fromAsync(read()), left: total };
    entry.left -= 1;
    if (entry.left === 0) kept.delete(name);
    else kept.set(name, entry);
    // The name says what kind of item stands under it.
    yield* (await entry.items) as readonly T[];
  };
}

/** Reads one record, by the kind of its reading and its id. */
export type ShareOne = <T>(kind: string, id: string | number, read: () => Promise<T>) => Promise<T>;

/**
 * Makes each record be read once where different reads want records of one kind, such as players by a range and by a table. `kinds` holds the kinds that more
 * than one read wants: their records are kept in memory. A record that failed has failed for all.
 */
export function shareRecords(kinds: ReadonlySet<string>): ShareOne {
  const kept = new Map<string, Promise<unknown>>();
  return <T>(kind: string, id: string | number, read: () => Promise<T>): Promise<T> => {
    if (!kinds.has(kind)) return read();
    const name = `${kind} ${id}`;
    const record = kept.get(name) ?? read();
    kept.set(name, record);
    // The name says what kind of record stands under it.
    return record as Promise<T>;
  };
}

/** Takes all items of a read whose records are kept and not looked at. */
export async function drain(items: AsyncIterable<unknown>): Promise<void> {
  const each = items[Symbol.asyncIterator]();
  while ((await each.next()).done !== true);
}
