import * as z from 'zod';
import { read, record } from './field.ts';

/** Section 2.14. What each number means is not shown: see `client/list.ts` for how a list is read all the same. */
export const paging = record(
  {},
  {
    page: read.integer(),
    page_total: read.integer(),
    per_page: read.integer(),
    current: read.integer(),
    total: read.integer(),
  },
);
export type Paging = z.infer<typeof paging>;

/** The envelope of every response (section 1), successful or not. A refusal may lack `data` (section 7), and only lists have `paging`. */
export const envelope = z.looseObject({
  statusCode: z.int(),
  message: z.string(),
  data: z.unknown().optional(),
  paging: z.unknown().optional(),
});
export type Envelope = z.infer<typeof envelope>;
