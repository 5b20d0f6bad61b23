import type { Paging } from '../../contract/envelope.ts';
import type { TopicName } from '../../model/state/learnt.ts';

/** One read of a list, as far as it went. */
export interface ListReading {
  /** The pages that brought something new, the first in any case. */
  readonly pages: readonly { readonly count: number; readonly paging: Paging | undefined }[];
  /** Pages that were asked for. */
  readonly asked: number;
  /** Different records. */
  readonly distinct: number;
  /** What ended it: what the fields said, a page without records, a refusal with 404, or a page without a new record. */
  readonly ended: 'stated' | 'empty' | 'not_found' | 'repeated' | 'no';
  /** What did not add up. */
  readonly problem: string | undefined;
}

type Found = readonly [topic: TopicName, value: string];

const FIELDS = ['page', 'page_total', 'per_page', 'current', 'total'] as const;

/** The numbers that a field of the paging may state, page by page. */
function readingsOf({ pages, distinct }: ListReading): Readonly<Record<string, readonly number[]>> {
  const all = (value: number): readonly number[] => pages.map(() => value);
  return {
    'the number of the page': pages.map((_, index) => index + 1),
    'the number of the page, from 0': pages.map((_, index) => index),
    'the number of pages': all(pages.length),
    'the records of this page': pages.map(({ count }) => count),
    'the records of a full page': all(pages[0]?.count ?? 0),
    'the records of the whole list': all(distinct),
  };
}

/** What the fields of the paging mean, where a whole list of several pages lets one reading alone hold. */
function meanings(reading: ListReading): readonly Found[] {
  const { pages } = reading;
  if (pages.length < 2) return [];
  return FIELDS.flatMap((field): Found[] => {
    const stated = pages.map(({ paging }) => paging?.[field]);
    if (!stated.every((value) => typeof value === 'number')) return [];
    const fitting = Object.entries(readingsOf(reading)).filter(([, numbers]) =>
      numbers.every((value, index) => value === stated[index]),
    );
    const [only] = fitting;
    if (only === undefined) return [['paging', `${field}: something else`]];
    return fitting.length === 1 ? [['paging', `${field}: ${only[0]}`]] : [];
  });
}

function pageSize({ pages }: ListReading): readonly Found[] {
  const [first] = pages;
  if (first === undefined || first.count === 0) return [];
  if (pages.length === 1) {
    const stated = first.paging?.per_page ?? 0;
    return stated >= first.count ? [['page_size', `${stated}, as per_page states`]] : [];
  }
  const full = pages.slice(0, -1).every(({ count }) => count === first.count);
  return [['page_size', full ? String(first.count) : 'not the same on every page']];
}

/** What a page past the end of a list is answered with. */
const PAST_END: Readonly<Partial<Record<ListReading['ended'], string>>> = {
  empty: 'empty',
  not_found: 'refused with 404',
  repeated: 'records of an earlier page again',
};

function pageParameter({ pages, asked, ended, distinct, problem }: ListReading): readonly Found[] {
  if (asked < 2 || distinct === 0) return [];
  const past = PAST_END[ended];
  const pastEnd: readonly Found[] = past === undefined ? [] : [['past_end', past]];
  if (pages.length > 1) return [['page', 'honoured'], ...pastEnd];
  if (ended !== 'repeated') return pastEnd;
  return problem === undefined
    ? [['page', 'page 2 is page 1 again: ignored, or past the end']]
    : [['page', 'ignored: page 2 is page 1 again']];
}

function soundness({ pages, distinct, problem }: ListReading): Found {
  if (problem === undefined) {
    const twice = pages.reduce((sum, { count }) => sum + count, 0) > distinct;
    return ['list', twice ? 'added up, with a record on two pages' : 'added up'];
  }
  const totals = new Set(pages.map(({ paging }) => paging?.total));
  return ['list', totals.size > 1 ? 'did not add up: total changed meanwhile' : 'did not add up'];
}

/** What one read of a list tells about the paging, section 2.14 of the service's interface. */
export function listSightings(reading: ListReading): readonly Found[] {
  const sound = soundness(reading);
  const page = pageParameter(reading);
  if (reading.problem !== undefined) return [sound, ...page.filter(([topic]) => topic === 'page')];
  return [sound, ...pageSize(reading), ...page, ...meanings(reading)];
}
