import { setImmediate } from 'node:timers/promises';
import type { Screen } from './screen.ts';

/** Elements that are written at once. */
const BATCH = 500;

/** A JSON document on one line, its list `name` between `head` and `tail` written as it comes, so that nothing holds all of it. */
export async function writeWithList(
  screen: Pick<Screen, 'exact'>,
  head: object,
  name: string,
  elements: AsyncIterable<object>,
  tail: object = {},
): Promise<void> {
  await screen.exact(`${JSON.stringify(head).slice(0, -1)},${JSON.stringify(name)}:[`);
  let batch: string[] = [];
  let separator = '';
  const flush = async (): Promise<void> => {
    if (batch.length === 0) return;
    await screen.exact(separator + batch.join(','));
    separator = ',';
    batch = [];
  };
  for await (const element of elements) {
    batch.push(JSON.stringify(element));
    if (batch.length < BATCH) continue;
    await flush();
    // Signals and the collection of garbage get their turn.
    await setImmediate();
  }
  await flush();
  const rest = JSON.stringify(tail).slice(1);
  await screen.exact(`]${rest === '}' ? '' : ','}${rest}\n`);
}
