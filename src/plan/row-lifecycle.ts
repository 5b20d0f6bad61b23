import { InternalError } from '../model/error.ts';
import type { ChangeKind, Outcome } from '../model/outcome.ts';
import type { RunRow, RunRowPatch } from '../model/state/run-rows.ts';
import type { Said, Words } from '../model/said.ts';
import { changeFollowsCreate, type Confirmation } from './requests.ts';

/** Where a row of a run stands: open, or at its outcome. */
export type RowState = 'open' | Outcome;

/** One thing that may happen to a row: where the row may stand before and after it. `when` is a sentence of docs/lifecycle.md. */
interface RowMove {
  readonly from: readonly RowState[];
  readonly to: readonly RowState[];
  readonly when: string;
}

const UNSETTLED: readonly RowState[] = ['open', 'unknown'];

/** All that may happen to a row, in the order of a run. What is deferred or opened for many rows at once, the port RunRows does in one statement (`deferOpen`, `reopenDeferred`). */
export const ROW_MOVES = {
  'left-out': { from: ['open'], to: ['excluded'], when: 'A filter or a lookup leaves the row out.' },
  'breaks-rule': { from: ['open'], to: ['invalid'], when: 'A cell, the key or a field breaks a rule.' },
  'is-new': {
    from: ['open'],
    to: ['open'],
    when: 'The service has no record of the key. The row is to be created.',
  },
  'is-made': {
    from: ['open'],
    to: ['open'],
    when: 'An earlier mapping of the run is to create the record as the row says.',
  },
  'is-changed': {
    from: ['open'],
    to: ['open'],
    when: 'The record of the key differs. The row is to be updated.',
  },
  'is-equal': {
    from: ['open'],
    to: ['unchanged'],
    when: 'The record of the key, or an earlier row, says the same.',
  },
  'counts-no-more': {
    from: ['unchanged'],
    to: ['open'],
    when: 'What the row was compared with while it was read is not what is known by now.',
  },
  'is-unclear': {
    from: ['open'],
    to: ['conflict'],
    when: 'Several records have the key, or the record cannot be changed.',
  },
  'must-wait': { from: UNSETTLED, to: ['deferred'], when: 'The row is not sent in this run.' },
  'is-there': {
    from: ['open', 'unknown', 'conflict'],
    to: ['unchanged'],
    when: 'The record is there without a write of this row.',
  },
  confirmed: {
    from: UNSETTLED,
    to: ['created', 'updated', 'conflict', 'open'],
    when: 'An answer or a list shows the record that a write made. The row stays open while its flag must follow.',
  },
  written: {
    from: ['open', 'unknown', 'conflict'],
    to: ['created', 'updated', 'unchanged'],
    when: 'The record is as the row says, or the operator says so.',
  },
  disagrees: {
    from: UNSETTLED,
    to: ['conflict'],
    when: 'The record shows other values than the write set, or cannot be changed.',
  },
  refused: {
    from: UNSETTLED,
    to: ['rejected'],
    when: 'The service refused the row, alone in its request or by its key.',
  },
  unanswered: {
    from: UNSETTLED,
    to: ['unknown'],
    when: 'A write of the row has no answer that can be trusted.',
  },
  'not-applied': {
    from: UNSETTLED,
    to: ['open'],
    when: 'A write of the row was surely not applied. The row may be sent again.',
  },
  'compare-again': {
    from: ['conflict'],
    to: ['deferred'],
    when: 'The operator wants the row compared and sent again by `resume`.',
  },
  resumed: { from: ['deferred'], to: ['open'], when: '`resume` takes the row up again.' },
} as const satisfies Record<string, RowMove>;

interface Told {
  readonly said?: Words;
}
type Identified = Told & { readonly id?: string | null };

/** What happened to a row, with the words for the person. They follow those that the row has. */
export type RowEvent =
  | (Told & { readonly kind: 'left-out' | 'breaks-rule' | 'is-new' | 'is-made' | 'is-unclear' | 'must-wait' })
  | (Told & { readonly kind: 'refused' | 'unanswered' | 'not-applied' | 'compare-again' })
  | { readonly kind: 'counts-no-more' }
  | (Identified & { readonly kind: 'is-equal' | 'is-there' | 'written' | 'disagrees' })
  | (Told & { readonly kind: 'is-changed' } & Pick<RunRow, 'before' | 'id'>)
  | { readonly kind: 'confirmed'; readonly found: Confirmation };

type Living = Pick<RunRow, 'rowNumber' | 'change' | 'outcome' | 'said' | 'fields'>;

/** A row of which nothing is known but its number. */
export const openRow = (rowNumber: number): RunRow => ({
  rowNumber,
  lines: [],
  key: null,
  folded: null,
  fields: null,
  change: 'pending',
  before: null,
  said: [],
  outcome: null,
  id: null,
});

/** A row whose earlier words give way to those that follow. */
export const wordless = (row: RunRow): RunRow => ({ ...row, said: [] });

/** What a row becomes by what happened to it. Errors: InternalError `row.move` where that cannot happen to it. */
export function rowAfter(row: Living, event: RowEvent): RunRowPatch {
  const { said, ...after } = next(row, event);
  const { from, to }: RowMove = ROW_MOVES[event.kind];
  const here = row.outcome ?? 'open';
  const there = after.outcome === undefined ? here : (after.outcome ?? 'open');
  if (!from.includes(here) || !to.includes(there))
    throw new InternalError(
      'row.move',
      `row ${row.rowNumber} is ${here}: "${event.kind}" cannot happen to it`,
    );
  return { rowNumber: row.rowNumber, ...after, ...(said !== undefined && { said: [...row.said, ...said] }) };
}

function next(row: Living, event: RowEvent): Omit<RunRowPatch, 'rowNumber'> {
  const said = 'said' in event ? { said: event.said } : {};
  const id = 'id' in event ? { id: event.id } : {};
  switch (event.kind) {
    case 'left-out':
      return { change: 'excluded', outcome: 'excluded', ...said };
    case 'breaks-rule':
      return { change: 'invalid', outcome: 'invalid', ...said };
    case 'is-new':
      // A create with an id is one that this run has made: that of an earlier comparison goes.
      return { change: 'create', id: null, ...said };
    case 'is-made':
      return { change: 'unchanged', ...said };
    case 'is-changed':
      return { change: 'update', before: event.before, id: event.id, ...said };
    case 'is-equal':
      return { change: 'unchanged', outcome: 'unchanged', ...id, ...said };
    case 'counts-no-more':
      return { change: 'pending', outcome: null, id: null };
    case 'is-unclear':
      return { change: 'conflict', outcome: 'conflict', ...said };
    case 'must-wait':
      return { outcome: 'deferred', ...said };
    case 'is-there':
      return { outcome: 'unchanged', ...id, ...said };
    case 'confirmed':
      return confirmed(row, event.found);
    case 'written':
      return { outcome: WRITTEN[row.change] ?? 'unchanged', ...id, ...said };
    case 'disagrees':
      return { outcome: 'conflict', ...id, ...said };
    case 'refused':
      return { outcome: 'rejected', ...said };
    case 'unanswered':
      return { outcome: 'unknown', ...said };
    case 'not-applied':
      return { outcome: null, ...said };
    case 'compare-again':
      return { change: 'pending', before: null, outcome: 'deferred', ...said };
  }
}

const WRITTEN: Partial<Record<ChangeKind, Outcome>> = { create: 'created', update: 'updated' };

/** A created record whose flag must still change gives its row the id alone. */
function confirmed(row: Living, found: Confirmation): Omit<RunRowPatch, 'rowNumber'> {
  const { id, record, disagrees, keptAs } = found;
  if (disagrees !== undefined) return { id, outcome: 'conflict', said: [disagrees] };
  if (row.change === 'create' && id !== null && changeFollowsCreate(row, record))
    return { id, outcome: null };
  const note: Said | undefined = keptAs === undefined ? found.note : { code: 'answer-kept-as', text: keptAs };
  return { id, outcome: WRITTEN[row.change] ?? 'unchanged', ...(note !== undefined && { said: [note] }) };
}
