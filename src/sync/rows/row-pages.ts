import type { RowQuery, RunRow, RunRows } from '../../model/state/run-rows.ts';

const PAGE = 1000;

/** The rows that are to be compared, without what they were read from. */
export const PENDING = { change: 'pending', open: true, only: 'fields' } as const;

/**
 * The rows of a mapping that fit, in pages and in row order, so that a table may have any length. A page is read when the one before was dealt with:
 * rows of it may have changed meanwhile.
 */
export async function* rowPages(
  rows: Pick<RunRows, 'page'>,
  mapping: string,
  query: Omit<RowQuery, 'afterRow' | 'limit'> = {},
): AsyncGenerator<readonly RunRow[]> {
  for (let afterRow = 0; ;) {
    const page = await rows.page(mapping, { ...query, afterRow, limit: PAGE });
    const last = page.at(-1);
    if (last === undefined) return;
    afterRow = last.rowNumber;
    yield page;
  }
}

/** The same rows one by one. */
export async function* eachRow(...wanted: Parameters<typeof rowPages>): AsyncGenerator<RunRow> {
  for await (const page of rowPages(...wanted)) yield* page;
}
