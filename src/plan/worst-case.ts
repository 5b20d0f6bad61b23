/** Requests of one mapping. */
export interface Requests {
  readonly writes: number;
  readonly reads: number;
}

interface Batches {
  /** Rows by the group that may share a request. */
  readonly groups: Iterable<number>;
  /** The most rows in one request. */
  readonly size: number;
  /** Requests to read back what a refused batch left. */
  readonly readBack: number;
}

/** The requests of batches that are all refused for every one of their rows: each is halved until its rows stand alone, and read back before each halving. */
export function worstCase({ groups, size, readBack }: Batches): Requests {
  let [writes, longest] = [0, 0];
  for (const rows of groups) {
    writes += 2 * rows - Math.ceil(rows / size);
    longest = Math.max(longest, Math.min(rows, size));
  }
  const halvings = longest > 1 ? Math.ceil(Math.log2(longest)) : 0;
  return { writes, reads: halvings * readBack };
}
