import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { InternalError } from '../../../src/model/error.ts';
import { OUTCOMES } from '../../../src/model/outcome.ts';
import type { RunRow } from '../../../src/model/state/run-rows.ts';
import {
  INTENT_MOVES,
  intentAfter,
  isMaybeApplied,
  isOpenIntent,
  type IntentEvent,
} from '../../../src/plan/intent-lifecycle.ts';
import {
  openRow,
  ROW_MOVES,
  rowAfter,
  wordless,
  type RowEvent,
  type RowState,
} from '../../../src/plan/row-lifecycle.ts';
import { knownRecord } from '../../support/builders.ts';
import { runRow } from '../../support/run-row.ts';
import { words } from '../../support/said.ts';

const STATES: readonly RowState[] = ['open', ...OUTCOMES];
const record = knownRecord('U1', { is_active: true });

/** One event of each kind. */
function eventOf(kind: RowEvent['kind']): RowEvent {
  if (kind === 'confirmed') return { kind, found: { id: 'i', record } };
  if (kind === 'is-changed') return { kind, before: {}, id: 'i' };
  return { kind };
}

const isRowEvent = (kind: keyof typeof ROW_MOVES): kind is RowEvent['kind'] => kind !== 'resumed';
const KINDS = (Object.keys(ROW_MOVES) as (keyof typeof ROW_MOVES)[]).filter(isRowEvent);

const rowIn = (state: RowState, changes: Partial<RunRow> = {}): RunRow =>
  runRow({ rowNumber: 1, change: 'create', outcome: state === 'open' ? null : state, ...changes });

const confirmed = (row: RunRow, found: Extract<RowEvent, { kind: 'confirmed' }>['found']) =>
  rowAfter(row, { kind: 'confirmed', found });

describe('a row', () => {
  it.each(KINDS)('moves by "%s" from the states that may meet it, and from no other', (kind) => {
    const { from, to } = ROW_MOVES[kind];
    for (const state of STATES) {
      const move = () => rowAfter(rowIn(state), eventOf(kind)).outcome;
      if (from.some((each) => each === state)) expect(to).toContain(move() ?? 'open');
      else expect(move, `${kind} of a row that is ${state}`).toThrow(InternalError);
    }
  });

  it('keeps its words and takes those of the event behind them', () => {
    const row = rowIn('open', { said: words('a remark') });
    expect(rowAfter(row, { kind: 'refused', said: words('no') }).said).toEqual([
      ...words('a remark'),
      ...words('no'),
    ]);
    expect(rowAfter(row, { kind: 'refused' })).toStrictEqual({ rowNumber: 1, outcome: 'rejected' });
    expect(rowAfter(wordless(row), { kind: 'refused', said: words('no') }).said).toEqual(words('no'));
  });

  it('says in an impossible move which row it is', () => {
    expect(() => rowAfter(rowIn('created'), { kind: 'must-wait' })).toThrow(
      expect.objectContaining({ code: 'row.move' }) as Error,
    );
    expect(() => rowAfter(rowIn('created'), { kind: 'must-wait' })).toThrow(
      'row 1 is created: "must-wait" cannot happen to it',
    );
  });

  it('takes from each event what that says of it', () => {
    const { id: _id, ...other } = rowIn('open');
    const open = { ...other, id: 'old' };
    const after = (event: RowEvent, row: RunRow = open): object => rowAfter(row, event);
    expect(after({ kind: 'left-out' })).toEqual({ rowNumber: 1, change: 'excluded', outcome: 'excluded' });
    expect(after({ kind: 'breaks-rule' })).toEqual({ rowNumber: 1, change: 'invalid', outcome: 'invalid' });
    expect(after({ kind: 'is-new' })).toEqual({ rowNumber: 1, change: 'create', id: null });
    expect(after({ kind: 'is-made' })).toEqual({ rowNumber: 1, change: 'unchanged' });
    expect(after({ kind: 'is-changed', before: { name: 'x' }, id: 'i' })).toEqual({
      rowNumber: 1,
      change: 'update',
      before: { name: 'x' },
      id: 'i',
    });
    expect(after({ kind: 'is-equal', id: 'i' })).toEqual({
      rowNumber: 1,
      change: 'unchanged',
      outcome: 'unchanged',
      id: 'i',
    });
    expect(after({ kind: 'is-equal' })).not.toHaveProperty('id');
    expect(after({ kind: 'counts-no-more' }, rowIn('unchanged'))).toEqual({
      rowNumber: 1,
      change: 'pending',
      outcome: null,
      id: null,
    });
    expect(after({ kind: 'is-unclear' })).toEqual({ rowNumber: 1, change: 'conflict', outcome: 'conflict' });
    expect(after({ kind: 'disagrees', id: 'i' })).toEqual({ rowNumber: 1, outcome: 'conflict', id: 'i' });
  });

  it('of which nothing is known is open', () => {
    expect(openRow(7)).toEqual({
      ...{ rowNumber: 7, lines: [], key: null, folded: null, fields: null },
      ...{ change: 'pending', before: null, said: [], outcome: null, id: null },
    });
  });

  it('is written as it was to change', () => {
    const written = (change: RunRow['change']) =>
      rowAfter(rowIn('open', { change }), { kind: 'written' }).outcome;
    expect([written('create'), written('update'), written('conflict')]).toEqual([
      'created',
      'updated',
      'unchanged',
    ]);
  });

  it('is compared again from the start where the operator wants that', () => {
    expect(rowAfter(rowIn('conflict', { before: {} }), { kind: 'compare-again' })).toStrictEqual({
      rowNumber: 1,
      change: 'pending',
      before: null,
      outcome: 'deferred',
    });
  });
});

describe('a row that an answer confirms', () => {
  const inactive = { external_id: 'U1', is_active: false };

  it('is created or updated, with what the answer notes', () => {
    expect(confirmed(rowIn('open'), { id: 'i', record })).toEqual({
      rowNumber: 1,
      id: 'i',
      outcome: 'created',
    });
    const update = rowIn('unknown', { change: 'update', said: words('a remark') });
    expect(confirmed(update, { id: 'i', record })).toStrictEqual({
      rowNumber: 1,
      id: 'i',
      outcome: 'updated',
    });
    const note = { code: 'text', text: 'a note' } as const;
    expect(confirmed(rowIn('open', { said: words('a remark') }), { id: 'i', record, note })).toEqual({
      rowNumber: 1,
      id: 'i',
      outcome: 'created',
      said: [...words('a remark'), ...words('a note')],
    });
  });

  it('waits for its flag where that is still another one and its id is known', () => {
    const row = rowIn('open', { fields: inactive });
    expect(confirmed(row, { id: 'i', record })).toEqual({ rowNumber: 1, id: 'i', outcome: null });
    expect(confirmed(row, { id: null, record })).toEqual({ rowNumber: 1, id: null, outcome: 'created' });
    expect(confirmed({ ...row, change: 'update' }, { id: 'i', record }).outcome).toBe('updated');
    const off = knownRecord('U1', { is_active: false });
    expect(confirmed(row, { id: 'i', record: off }).outcome).toBe('created');
  });

  it('says how the service keeps its key', () => {
    expect(confirmed(rowIn('open'), { id: 'i', record, keptAs: 'u1' }).said).toEqual([
      { code: 'answer-kept-as', text: 'u1' },
    ]);
  });

  it('is in conflict where the answer disagrees', () => {
    const row = rowIn('open', { said: words('a remark'), fields: inactive });
    expect(confirmed(row, { id: 'i', record, disagrees: { code: 'text', text: 'another name' } })).toEqual({
      rowNumber: 1,
      id: 'i',
      outcome: 'conflict',
      said: [...words('a remark'), ...words('another name')],
    });
  });
});

describe('an intent', () => {
  it.each([
    [null, true, true],
    ['ambiguous', true, true],
    ['applied', false, true],
    ['refused', false, false],
    ['not_applied', false, false],
  ] as const)('of the result %s is open: %s, and may be applied: %s', (result, isOpen, isApplied) => {
    expect(isOpenIntent({ result })).toBe(isOpen);
    expect(isMaybeApplied({ result })).toBe(isApplied);
  });
});

describe('docs/lifecycle.md', () => {
  const page = readFileSync('docs/lifecycle.md', 'utf8');
  const moves = [
    ...Object.entries(ROW_MOVES).map(([kind, { from, to, when }]) => ({ kind, from, to, when })),
    ...(Object.keys(INTENT_MOVES) as IntentEvent[]).map((kind) => {
      const { from, when } = INTENT_MOVES[kind];
      return { kind, from, to: [intentAfter(kind)], when };
    }),
  ];

  it('has a line for each move, and no other', () => {
    const lines = moves.map(
      ({ kind, from, to, when }) => `| ${kind} | ${from.join(', ')} | ${to.join(', ')} | ${when} |`,
    );
    expect(page.split('\n').filter((line) => /^\| (?!move|--)/.test(line))).toEqual(lines);
  });

  it('draws each arrow, and no other', () => {
    const arrows = moves.flatMap(({ from, to }) => from.flatMap((a) => to.map((b) => `${a} --> ${b}`)));
    const drawn = page.split('\n').flatMap((line) => /^ +(\w+ --> \w+)$/.exec(line)?.[1] ?? []);
    expect(drawn).toEqual([...new Set(arrows)]);
  });
});
