import type { Sheet } from '../pages/dashboard/values.ts';
import type { PageOf } from '../pages/parts.ts';

/** Lines on one page of a list. */
export const PER_PAGE = 50;

/** Which page of `total` lines the query asks for; the last one where it asks for more. */
export function sheetOf(total: number, query: URLSearchParams): PageOf {
  const pages = Math.max(1, Math.ceil(total / PER_PAGE));
  const asked = query.get('page') ?? '';
  const page = /^[1-9]\d{0,8}$/.test(asked) ? Math.min(Number(asked), pages) : 1;
  return { page, pages, total };
}

/** The page of a list that the query asks for. */
export function slice<T>(all: readonly T[], query: URLSearchParams): Sheet<T> {
  const sheet = sheetOf(all.length, query);
  return { ...sheet, lines: all.slice((sheet.page - 1) * PER_PAGE, sheet.page * PER_PAGE) };
}

/** The wanted lines after the first `skip` of them, as many as a page has; no more are read. */
export async function pageOf<T>(
  lines: AsyncIterable<T>,
  wanted: (line: T) => boolean,
  skip: number,
): Promise<readonly T[]> {
  const found: T[] = [];
  let seen = 0;
  for await (const line of lines) {
    if (!wanted(line)) continue;
    seen += 1;
    if (seen > skip) found.push(line);
    if (found.length === PER_PAGE) break;
  }
  return found;
}
