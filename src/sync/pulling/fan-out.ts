import pLimit from 'p-limit';

/** How many more than what is in flight may wait for their turn in the report, so that one slow answer does not idle the others. */
const LOOK_AHEAD = 4;

/** Reads that are asked for at a time where the client bounds those in flight. */
const AT_A_TIME = 8;

/** Reads something for every item, a few at a time; answers in the order of the items. Errors: the signal's reason; those of reading. */
export async function readAll<Item, Result>(
  signal: AbortSignal,
  items: readonly Item[],
  read: (item: Item) => Promise<Result>,
): Promise<readonly Result[]> {
  const answers: Result[] = [];
  for (let at = 0; at < items.length; at += AT_A_TIME) {
    signal.throwIfAborted();
    answers.push(...(await Promise.all(items.slice(at, at + AT_A_TIME).map(read))));
  }
  return answers;
}

/**
 * Reads something for every item, `concurrency` at a time, and yields the answers in the order of the items. What is in flight or waits to be
 * taken is bounded. When a read or the source fails, or the consumer stops, no new read is begun and those in flight are awaited.
 */
export async function* fanOut<Item, Result>(
  items: AsyncIterable<Item> | Iterable<Item>,
  concurrency: number,
  read: (item: Item) => Promise<Result>,
): AsyncGenerator<Result> {
  const limit = pLimit(concurrency);
  const waiting: Promise<Result>[] = [];
  let ended = false;
  const start = (item: Item): void => {
    const result = limit(async () => {
      if (ended) throw new Error('the fan-out has ended');
      return read(item);
    });
    // Awaited in its turn; until then a failure must not count as unhandled.
    result.catch(() => undefined);
    waiting.push(result);
  };
  try {
    for await (const item of items) {
      start(item);
      if (waiting.length < concurrency * LOOK_AHEAD) continue;
      const next = waiting.shift();
      if (next !== undefined) yield await next;
    }
    for (let next = waiting.shift(); next !== undefined; next = waiting.shift()) yield await next;
  } finally {
    ended = true;
    await Promise.allSettled(waiting);
  }
}
