import type { Paging } from '../contract/envelope.ts';

/** No list is followed further, whatever it says. */
const MAX_PAGES = 10_000;
/** A list of which little is said may still be this long. */
const FEWEST_PAGES = 10;
/** Others may add records while the list is read, and the account may count late. */
const GROWTH = 2;

/**
 * The pages after which a list is not followed any more, by what its first page and the account say. It is generous: any plausible meaning of the fields
 * fits. Later pages have no say, so that a list that states more with each page ends.
 */
export function mostPages(
  count: number,
  paging: Pick<Paging, 'total' | 'page_total'> | undefined,
  counted: number | undefined,
): number {
  if (count === 0) return 1;
  const [total, pageTotal] = [paging?.total ?? undefined, paging?.page_total ?? undefined];
  // A number that is that of this page's records may say nothing of the other pages.
  const stated = [total, pageTotal].filter((value) => value !== undefined).filter((value) => value !== count);
  const pages =
    total !== undefined && pageTotal !== undefined && Math.ceil(total / count) === pageTotal
      ? [pageTotal]
      : stated;
  // A counter that counts less than one page holds is none.
  const byAccount = counted !== undefined && counted >= count ? [Math.ceil(counted / count)] : [];
  const expected = Math.max(0, ...pages, ...byAccount);
  if (expected === 0) return MAX_PAGES;
  return Math.min(MAX_PAGES, Math.max(FEWEST_PAGES, GROWTH * expected));
}
