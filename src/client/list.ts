import { isDeepStrictEqual } from 'node:util';
import type { Paging } from '../contract/envelope.ts';
import { ListError, RefusedError } from '../model/error.ts';
import type { Wholeness } from '../model/service.ts';
import { mostPages } from './list-bound.ts';
import type { ListReading } from './observe/observe-list.ts';

/** One page as it was answered. */
export interface Page<T> {
  /** Every element of `data`; one that could not be read has no record and still counts. */
  readonly elements: readonly { readonly key: string; readonly record: T | undefined }[];
  readonly paging: Paging | undefined;
  /** A paging object came and could not be read. */
  readonly oddPaging?: boolean;
  /** What is wrong with the first element that could not be read. */
  readonly issue?: string | undefined;
}

/** Reads one page; undefined asks without `page`. */
export type ReadPage<T> = (page: number | undefined) => Promise<Page<T>>;

const BUFFERED_PAGES = 20;
const MAX_READS = 6;
const NOT_FOUND = 404;

/** Stands for a page that was refused with 404. */
const NOT_THERE: Page<never> = { elements: [], paging: undefined };

/** Is told how reads of a list go. */
export interface ListWatcher {
  /** A read came to its end. */
  readonly read: (reading: ListReading) => void;
  /** The service refused a page after the first, and not as one that is not there. */
  readonly pageRefused: (status: number) => void;
}

/** What a list is held against while it is read. */
interface ListDemands {
  /** Every element must be a record, each id one record, and the paging readable; else the list does not add up. */
  readonly strict?: boolean;
  /** Records that the account counts. */
  readonly counted?: number | undefined;
}

/** What the pages of one read said, for adding up at the end. */
interface PageNote {
  readonly count: number;
  readonly total: number | undefined;
  readonly pageTotal: number | undefined;
  readonly paging: Paging | undefined;
}

/** Why a list is not whole; `next` where reading it again does not help: what only the provider can mend. */
interface Fault {
  readonly problem: string;
  readonly next?: string;
}

const ASK_ABOUT_RECORD = 'ask your provider about that record';

/** A number of records; services write -1 where they do not count. */
const countIn = (stated: number | null | undefined): number | undefined =>
  typeof stated === 'number' && stated >= 0 ? stated : undefined;

/** One read of a list, while it goes on. */
class ListRead {
  readonly #seen = new Set<string>();
  readonly #notes: PageNote[] = [];
  /** The records of the first pages, to tell one that comes again from another one of the same id. */
  readonly #first = new Map<string, unknown>();
  /** The ids of each page, in order. */
  readonly #order: (readonly string[])[] = [];
  /** The page that shows that the list moved while it was read. */
  #moved: number | undefined;
  #fault: Fault | undefined;
  #lost = 0;
  #ended: ListReading['ended'] = 'no';
  #asked = 0;

  /** Takes the next page and returns its records that were not seen before. */
  add<T>(page: Page<T>): readonly T[] {
    const { elements, paging } = page;
    this.#asked += 1;
    const before = this.#seen.size;
    const fresh: T[] = [];
    const second = this.#secondOfAnId(elements);
    this.#lookForMoves(elements.map(({ key }) => key));
    for (const { key, record } of elements) {
      if (!this.#seen.has(key) && record !== undefined) fresh.push(record);
      this.#seen.add(key);
      if (this.#asked <= BUFFERED_PAGES) this.#first.set(key, record);
    }
    const count = elements.length;
    const news = this.#seen.size > before;
    if (count === 0) this.#ended = page === NOT_THERE ? 'not_found' : 'empty';
    else if (!news) this.#ended = 'repeated';
    if (news || this.#notes.length === 0) {
      this.#notes.push({
        count,
        total: countIn(paging?.total),
        pageTotal: paging?.page_total ?? undefined,
        paging,
      });
      this.#holdAgainst(page, second);
    }
    if (this.#ended === 'no' && this.#statesItsEnd(count, paging)) this.#ended = 'stated';
    return fresh;
  }

  /** The ids of a page that two records have: on the page itself, or with other contents on one of the first pages. */
  #secondOfAnId(elements: Page<unknown>['elements']): readonly string[] {
    const here = new Set<string>();
    return elements.flatMap(({ key, record }) => {
      const first = this.#first.get(key);
      const isSecond = here.has(key) || (first !== undefined && !isDeepStrictEqual(first, record));
      here.add(key);
      return isSecond ? [key] : [];
    });
  }

  /** What comes first meanwhile moves the others, so that some come again on a later page. Past the end a service may show a whole page once more. */
  #lookForMoves(keys: readonly string[]): void {
    const isAgain = keys.some((key) => this.#seen.has(key));
    if (isAgain && !this.#order.some((page) => isDeepStrictEqual(page, keys))) this.#moved ??= this.#asked;
    this.#order.push(keys);
  }

  #holdAgainst({ elements, oddPaging, issue }: Page<unknown>, second: readonly string[]): void {
    const nameless = elements.filter(({ record }) => record === undefined).length;
    this.#lost += nameless + second.length;
    if (nameless > 0) {
      const problem = `a record cannot be read (${issue ?? 'it has no id'})`;
      this.#fault ??= { problem, next: ASK_ABOUT_RECORD };
    } else if (second.length > 0) this.#fault ??= { problem: `two records have the id ${second[0] ?? ''}` };
    else if (oddPaging === true)
      this.#fault ??= { problem: 'its paging cannot be read', next: 'ask your provider about that list' };
  }

  /**
   * All of `total` was seen, and nothing says that more pages follow. A full page leaves a doubt unless `page_total` says that it is the last one,
   * or earlier pages that `total` counts more than this one: it may count pages, or this page alone.
   */
  #statesItsEnd(count: number, paging: Paging | undefined): boolean {
    if (paging?.total !== this.#seen.size) return false;
    const perPage = paging.per_page ?? 0;
    const full = count >= perPage;
    const last = paging.page_total ?? (this.#seen.size > count ? 0 : Infinity);
    return !full || last <= this.#notes.length;
  }

  get ended(): boolean {
    return this.#ended !== 'no';
  }

  get wholeness(): Wholeness {
    const again = this.#ended === 'repeated' && this.#notes.length === 1;
    // A total that counts pages may happen to be the number of records on the one page that comes.
    const more = again && this.#notes.some(({ pageTotal }) => (pageTotal ?? 0) > 1);
    if (!more && this.#notes.every(({ total }) => total === this.#seen.size)) return 'stated';
    return again ? 'doubtful' : 'assumed';
  }

  reading(problem: string | undefined): ListReading {
    return { pages: this.#notes, asked: this.#asked, distinct: this.#seen.size, ended: this.#ended, problem };
  }

  /** What keeps a list from being whole where every record counts, although its numbers may add up. */
  fault(): Fault | undefined {
    const pages = this.#notes.length;
    const more = this.#notes.every(
      ({ pageTotal = 0, count, paging }) =>
        pageTotal > pages && ![count, this.#seen.size, paging?.per_page].includes(pageTotal),
    );
    if (this.#fault !== undefined || !more || this.wholeness === 'stated') return this.#fault;
    return { problem: `${pages} of the ${this.#notes[0]?.pageTotal ?? 0} pages that it states came` };
  }

  /** Elements that are no record of their own. */
  get lost(): number {
    return this.#lost;
  }

  /** What does not add up: the numbers or, where these do not count all records, the pages. What the read `before` showed too is the way of the service. */
  problem(before: ListRead | undefined): string | undefined {
    const problem = this.#wrongNumber();
    if (problem !== undefined || this.#moved === undefined || this.wholeness === 'stated') return problem;
    if (before !== undefined && isDeepStrictEqual(before.#order, this.#order)) return undefined;
    return `page ${this.#moved} shows records of earlier pages again`;
  }

  /** What does not add up, or undefined when some reading of the paging fields holds on every page. */
  #wrongNumber(): string | undefined {
    const distinct = this.#seen.size;
    const pages = this.#notes.length;
    const every = (holds: (note: PageNote) => boolean): boolean => this.#notes.every(holds);
    const nothing = distinct === 0;
    if (every(({ total }) => total === distinct || (nothing && total === 1))) return undefined;
    if (every(({ pageTotal, total }) => pageTotal === distinct && total !== undefined && total < distinct)) {
      return undefined;
    }
    if (this.#ended !== 'stated') {
      if (every(({ total }) => total === undefined)) {
        const more = this.#ended === 'repeated' && this.#notes.some((note) => (note.pageTotal ?? 0) > pages);
        return more && !every((note) => note.pageTotal === distinct || note.pageTotal === note.count)
          ? `the service ignores the page number and says that there are ${this.#notes[0]?.pageTotal ?? 0} pages`
          : undefined;
      }
      if (every(({ total }) => total === pages)) return undefined;
      if (pages > 1 && every(({ total, count }) => total === count)) return undefined;
    }
    const totals = [...new Set(this.#notes.map(({ total }) => total ?? 'none'))];
    return totals.length > 1
      ? `its stated total changed between pages (${totals.join(', ')})`
      : `${distinct} different records came on ${pages} pages, and the stated total is ${totals[0] ?? 'none'}`;
  }
}

/** A page past the end may be answered with 404. */
async function readLater<T>(
  readPage: ReadPage<T>,
  page: number,
  watcher: ListWatcher | undefined,
): Promise<Page<T>> {
  try {
    return await readPage(page);
  } catch (error) {
    if (!(error instanceof RefusedError)) throw error;
    if (error.status === NOT_FOUND) return NOT_THERE;
    watcher?.pageRefused(error.status);
    throw error;
  }
}

function unstable(address: string, { problem, next }: Fault, leftOut = 0): ListError {
  return new ListError(`${address} does not add up: ${problem}`, {
    next: next ?? 'run the command again when nobody is changing records',
    leftOut,
    isLasting: next !== undefined,
  });
}

/** The error of a list that holds records which cannot be read, for whoever must know every record of it: the first, and how many more. */
export function unreadable(address: string, first: string, more: number): ListError {
  const what = more === 0 ? 'a record cannot be read' : `${more + 1} records cannot be read, the first`;
  return unstable(address, { problem: `${what} (${first})`, next: ASK_ABOUT_RECORD });
}

/**
 * All pages of a list to the end, each record once. What the paging fields mean is not shown (section 2.14), so the end is an empty page, a page
 * without a new record, or as many records as `total` says; then some reading of the fields must hold on every page. Where no field counts all records, one that
 * comes again on a later page shows that the list moved and may have left others out, unless the next read is the same. A list of up to 20 pages is
 * yielded once it is proved whole, and read again up to 5 times when it is not and that may help; a longer one is yielded as it comes and fails at its end. Returns what
 * shows that it is whole.
 * Errors: ListError saying what did not add up.
 */
export async function* readList<T>(
  address: string,
  readPage: ReadPage<T>,
  watcher?: ListWatcher,
  { strict = false, counted }: ListDemands = {},
): AsyncGenerator<readonly T[], Wholeness> {
  let [fault, lost]: [Fault, number] = [{ problem: '' }, 0];
  let before: ListRead | undefined;
  for (let attempt = 1; attempt <= MAX_READS; attempt += 1) {
    const read = new ListRead();
    const buffer: (readonly T[])[] = [];
    let streamed = false;
    let most = 1;
    for (let page = 1; !read.ended; page += 1) {
      if (page > most)
        throw unstable(address, {
          problem: `it goes on after ${most} pages, which is more than it may have`,
          next: 'ask your provider why the list does not end',
        });
      const answer = page === 1 ? await readPage(undefined) : await readLater(readPage, page, watcher);
      if (page === 1) most = mostPages(answer.elements.length, answer.paging, counted);
      buffer.push(read.add(answer));
      if (page <= BUFFERED_PAGES) continue;
      streamed = true;
      yield* buffer.splice(0).filter(({ length }) => length > 0);
    }
    const found = read.problem(before);
    watcher?.read(read.reading(found));
    const wrong =
      (strict ? read.fault() : undefined) ?? (found === undefined ? undefined : { problem: found });
    if (wrong === undefined) {
      yield* buffer.filter(({ length }) => length > 0);
      return read.wholeness;
    }
    [fault, lost, before] = [wrong, read.lost, read];
    if (streamed || wrong.next !== undefined) break;
  }
  throw unstable(address, fault, lost);
}
