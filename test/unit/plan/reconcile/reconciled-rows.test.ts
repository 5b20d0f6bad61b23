import { describe, expect, it } from 'vitest';
import type { Said, Words } from '../../../../src/model/said.ts';
import type { RunRow, RunRowPatch } from '../../../../src/model/state/run-rows.ts';
import type { StoredIntent } from '../../../../src/model/state/store.ts';
import {
  answeredRow,
  becameOf,
  reconciledLost,
  reconciledRow,
  refusedRows,
  type Evidence,
} from '../../../../src/plan/reconcile/reconciled-rows.ts';
import type { Seen } from '../../../../src/plan/reconcile/seen.ts';
import type { Confirmation } from '../../../../src/plan/requests.ts';
import { knownRecord, runRow } from '../../../support/builders.ts';
import { intentOf } from '../../../support/writes.ts';

const FIELDS = { external_id: 'U1', display_name: 'Ada', is_active: true };
const REFUSED: Words = [{ code: 'refused-doubtful', reason: 'no' }];
const PROVED: ReadonlySet<number> = new Set();
const SILENT: Said = { code: 'sender-silent', holder: 'worker on one' };
const BEFORE: Words = [{ code: 'resume-looks', run: 'RUN' }, { code: 'read-back-settled' }];

const rowOf = (changes: Partial<RunRow> = {}): RunRow =>
  runRow(2, FIELDS, { key: 'U1', change: 'create', ...changes });
const updateOf = (changes: Partial<RunRow> = {}): RunRow =>
  rowOf({ change: 'update', id: 'id-U1', before: { display_name: 'Bo' }, ...changes });
const sent = (changes: Partial<StoredIntent> = {}): StoredIntent => ({
  ...intentOf('W', { rowNumbers: [2], keys: ['U1'] }),
  ...{ result: 'ambiguous', detail: [] },
  ...changes,
});
const change = (changes: Partial<StoredIntent> = {}): StoredIntent =>
  sent({ operation: 'update-user', ...changes });
const recordOf = (values: object = {}, id: string | null = 'id-U1') =>
  knownRecord('U1', { ...FIELDS, ...values }, id);
const foundAs = (found: Partial<Confirmation> = {}, others: Seen['others'] = 'absent'): Seen => {
  const confirmation = { id: 'id-U1', record: recordOf(), ...found };
  return { found: new Map([['U1', confirmation]]), others };
};
const nothing = (others: Seen['others'], why?: Said): Seen => ({
  found: new Map(),
  others,
  ...(why !== undefined && { why }),
});
const evidence = (seen: Seen | undefined, changes: Partial<Evidence> = {}): Evidence => ({
  ...{ seen, onAmbiguous: 'hold', laterRunOf: () => undefined },
  ...{ mayCome: () => undefined, isOlder: () => false },
  ...changes,
});

/** Open again, whatever was said before. */
const AGAIN = { rowNumber: 2, outcome: null, said: [] };
const changedSince = (done: 'created' | 'updated', ...fields: string[]): Said => ({
  code: 'held-changed-since',
  done,
  fields,
});

describe('a row that was refused alone or by its key, in other words than the envelope', () => {
  const again: RunRowPatch = { rowNumber: 2, outcome: null };

  it('is refused, in the words of the refusal', () => {
    const row = rowOf({ said: BEFORE });
    expect(refusedRows([row], sent({ detail: REFUSED }), [again], PROVED)).toEqual([
      { rowNumber: 2, outcome: 'rejected', said: REFUSED },
    ]);
    expect(refusedRows([updateOf()], change({ detail: REFUSED }), [again], PROVED)).toEqual([
      { rowNumber: 2, outcome: 'rejected', said: REFUSED },
    ]);
  });

  it('is refused without proof, where an earlier reading proved nothing', () => {
    const doubtful = new Set([2]);
    expect(refusedRows([rowOf()], sent({ detail: REFUSED }), [again], doubtful)).toEqual([
      { rowNumber: 2, outcome: 'rejected', said: [{ code: 'sent-not-shown' }, ...REFUSED] },
    ]);
    expect(refusedRows([rowOf()], change({ detail: REFUSED }), [again], doubtful)).toEqual([
      { rowNumber: 2, outcome: 'rejected', said: [{ code: 'flag-not-set', reason: REFUSED }] },
    ]);
  });

  it('is refused among others, in the words of its key', () => {
    const own: Said = { code: 'refused-doubtful', reason: 'taken', key: 'U1' };
    const other: Said = { ...own, key: 'U2' };
    const batch = sent({ rowNumbers: [2, 3], detail: [...REFUSED, other, own] });
    expect(refusedRows([rowOf()], batch, [again], PROVED)).toEqual([
      { rowNumber: 2, outcome: 'rejected', said: [own] },
    ]);
    expect(refusedRows([rowOf({ key: null })], { ...batch, detail: [own] }, [again], PROVED)).toEqual([
      again,
    ]);
  });

  it('is there without its flag, where that was refused', () => {
    expect(refusedRows([rowOf()], change({ detail: REFUSED }), [again], PROVED)).toEqual([
      { rowNumber: 2, outcome: 'rejected', said: [{ code: 'flag-not-set', reason: REFUSED }] },
    ]);
  });

  it.each<readonly [string, Partial<StoredIntent>, RunRowPatch]>([
    ['others were sent with it', { detail: REFUSED, rowNumbers: [2, 3] }, again],
    ['nothing said no', {}, again],
    ['it has an outcome', { detail: REFUSED }, { ...again, outcome: 'unknown' }],
    ['its record was made', { detail: REFUSED }, { ...again, id: 'id-U1' }],
  ])('stays as it is where %s', (_what, intent, patch) => {
    expect(refusedRows([rowOf()], sent(intent), [patch], PROVED)).toEqual([patch]);
  });

  it('stays as it is where the row is not known', () => {
    expect(refusedRows([], sent({ detail: REFUSED }), [again], PROVED)).toEqual([again]);
  });
});

describe('a write', () => {
  const open: RunRowPatch = { rowNumber: 2, outcome: null };
  const flag: RunRowPatch = { ...open, id: 'id-U1' };
  const created: RunRowPatch = { rowNumber: 3, outcome: 'created' };
  const unchanged: RunRowPatch = { rowNumber: 3, outcome: 'unchanged' };

  it.each<readonly [string, string, readonly RunRowPatch[], readonly number[]]>([
    ['doubted', 'a row is unknown', [created, { rowNumber: 2, outcome: 'unknown' }], []],
    ['shown', 'all rows have an outcome', [created], []],
    ['shown', 'a row waits for its flag alone', [flag], []],
    ['shown', 'some rows are those of a later run, and some its own', [unchanged, created], []],
    ['shown', 'its rows are not kept', [], []],
    ['shown', 'rows of others are to be sent again', [], [9]],
    ['absent', 'a row is to be sent again', [created, open], []],
    ['absent', 'the rows that are not kept are to be sent again', [], [2]],
    ['absent', 'all rows are those of a later run', [unchanged], []],
  ])('is %s where %s', (became, _what, patches, notApplied) => {
    expect(becameOf(sent(), patches, new Set(notApplied))).toBe(became);
  });

  it('is absent where one of its rows, which are not kept, is to be sent again', () => {
    expect(becameOf(sent({ rowNumbers: [2, 3] }), [], new Set([3]))).toBe('absent');
  });

  it('is refused in place of absent where that was said', () => {
    const intent = sent({ detail: REFUSED });
    expect(becameOf(intent, [open], new Set())).toBe('refused');
    expect(becameOf(intent, [created], new Set())).toBe('shown');
  });
});

describe('a row whose write was answered', () => {
  it('stays open where its fields are not kept', () => {
    expect(answeredRow(rowOf({ fields: null }), sent(), recordOf())).toBeUndefined();
  });

  it.each<readonly [string, RunRow, object, object]>([
    ['is created as the record shows', rowOf(), {}, { id: 'id-U1', outcome: 'created' }],
    [
      'is in conflict with another name',
      rowOf(),
      { display_name: 'Cy' },
      { id: 'id-U1', outcome: 'conflict', said: [changedSince('created', 'display_name')] },
    ],
    [
      'is in conflict with another name after an update',
      updateOf(),
      { display_name: 'Cy' },
      { id: 'id-U1', outcome: 'conflict', said: [changedSince('updated', 'display_name')] },
    ],
    ['waits for its flag', rowOf(), { is_active: false }, { id: 'id-U1', outcome: null }],
  ])('by a list %s', (_what, row, values, patch) => {
    expect(answeredRow(row, sent(), recordOf(values))).toEqual({ rowNumber: 2, ...patch });
  });

  it('is created where the list does not show what differs', () => {
    const record = knownRecord('U1', { external_id: 'U1' });
    expect(answeredRow(rowOf(), sent(), record)).toEqual({ rowNumber: 2, id: 'id-U1', outcome: 'created' });
  });

  it('is compared again where its flag could not follow without an id', () => {
    expect(answeredRow(rowOf(), sent(), recordOf({ is_active: false }, null))).toBeUndefined();
    expect(answeredRow(rowOf(), sent(), recordOf({}, null))).toEqual({
      ...{ rowNumber: 2, id: null, outcome: 'created' },
    });
  });

  it.each<readonly [string, RunRow, object, object | undefined]>([
    ['is written', updateOf(), {}, { id: 'id-U1', outcome: 'updated' }],
    [
      'is in conflict with what differs',
      updateOf(),
      { display_name: 'Cy' },
      { id: 'id-U1', outcome: 'conflict', said: [changedSince('updated', 'display_name')] },
    ],
    ['is tried again where it is the flag of a new record', rowOf(), { is_active: false }, undefined],
  ])('by a change %s', (_what, row, values, patch) => {
    expect(answeredRow(row, change(), recordOf(values))).toEqual(patch && { rowNumber: 2, ...patch });
  });

  it('of a resource that is not listed is in conflict with what differs, also where it is new', () => {
    const price = sent({ resource: 'prices', operation: 'set-prices' });
    expect(answeredRow(rowOf(), price, recordOf({ is_active: false }))).toEqual({
      ...{ rowNumber: 2, id: 'id-U1', outcome: 'conflict', said: [changedSince('created', 'is_active')] },
    });
  });

  it('of which the record shows nothing stays open', () => {
    expect(answeredRow(updateOf(), change(), knownRecord('U1', { external_id: 'U1' }))).toBeUndefined();
  });
});

describe('a row of a write without an answer', () => {
  const row = rowOf({ said: BEFORE });

  it('is created where it is found, without the words of before', () => {
    expect(reconciledRow(row, sent(), evidence(foundAs()))).toEqual({
      ...AGAIN,
      id: 'id-U1',
      outcome: 'created',
    });
  });

  it('is left to the later run that created its record', () => {
    const laterRunOf = (): string => 'LATER';
    const said: Words = [{ code: 'run-created-later', run: 'LATER' }];
    expect(reconciledRow(row, sent(), evidence(foundAs(), { laterRunOf }))).toEqual({
      ...{ rowNumber: 2, id: 'id-U1', change: 'unchanged', outcome: 'unchanged', said },
    });
    const other = foundAs({ record: recordOf({ display_name: 'Cy' }) });
    expect(reconciledRow(row, sent(), evidence(other, { laterRunOf }))).toEqual({ ...AGAIN, said });
  });

  it.each<readonly [string, RunRow, object, object]>([
    ['is updated where the record is as it says', updateOf(), {}, { outcome: 'updated' }],
    ['is sent again where a value that it set differs', updateOf(), { display_name: 'Bo' }, {}],
    [
      'is in conflict where another value differs',
      updateOf(),
      { is_active: false },
      { outcome: 'conflict', said: [changedSince('updated', 'is_active')] },
    ],
    ['is sent again where its flag differs', rowOf({ id: 'id-U1' }), { is_active: false }, {}],
    [
      'is in conflict where more than its flag differs',
      rowOf({ id: 'id-U1' }),
      { display_name: 'Cy' },
      { outcome: 'conflict', said: [changedSince('created', 'display_name')] },
    ],
  ])('of a change %s', (_what, of, values, patch) => {
    const seen = foundAs({ record: recordOf(values) });
    expect(reconciledRow(of, change(), evidence(seen))).toEqual({ ...AGAIN, ...patch });
  });

  it('of a change is in conflict where several records have its key', () => {
    const disagrees: Said = { code: 'read-back-settled' };
    const several = (more: Partial<Confirmation>) =>
      reconciledRow(updateOf(), change(), evidence(foundAs({ id: 'other', isOneOfSeveral: true, ...more })));
    expect(several({ disagrees })).toEqual({ ...AGAIN, outcome: 'conflict', said: [disagrees] });
    expect(several({})).toEqual({ ...AGAIN, outcome: 'conflict', said: [] });
  });

  it('of a change is not judged by a record of another id', () => {
    expect(reconciledRow(updateOf(), change(), evidence(foundAs({ id: 'other' }, 'unclear')))).toEqual({
      ...{ rowNumber: 2, outcome: 'unknown', said: [{ code: 'sent-not-read-back' }] },
    });
  });

  it.each<readonly [string, Seen | undefined, Evidence['onAmbiguous'], boolean]>([
    ['surely does not exist', nothing('absent'), 'hold', true],
    ['is not seen, and is taken for lost', nothing('unseen'), 'settle', true],
    ['is not seen', nothing('unseen'), 'hold', false],
    ['cannot be told', nothing('unclear'), 'settle', false],
    ['could not be read', undefined, 'settle', false],
  ])('that %s: sent again or unknown', (_what, seen, onAmbiguous, isAgain) => {
    const patch = reconciledRow(rowOf(), sent(), evidence(seen, { onAmbiguous }));
    expect(patch).toEqual(
      isAgain ? AGAIN : { rowNumber: 2, outcome: 'unknown', said: [{ code: 'sent-not-read-back' }] },
    );
  });

  it('without a key is not found', () => {
    const keyless = rowOf({ key: null });
    expect(reconciledRow(keyless, sent(), evidence(foundAs()))).toEqual(AGAIN);
  });

  it('that is unknown says why once, in place of who will look', () => {
    const why: Said = { code: 'answer-unnamed', what: 'row', others: true };
    const saidOf = (of: RunRow, seen: Seen) => reconciledRow(of, sent(), evidence(seen)).said;
    const kept: Said = { code: 'read-back-settled' };
    expect(saidOf(rowOf(), nothing('unclear', why))).toEqual([why]);
    // Words of before give way to what was seen.
    expect(saidOf(rowOf({ said: BEFORE }), nothing('unclear', why))).toEqual([kept, why]);
    expect(saidOf(rowOf({ said: [kept, why] }), nothing('unclear', why))).toEqual([kept, why]);
  });

  it('is unknown while its sender may still send it, whatever shows nothing of it', () => {
    const mayCome = (): Said => SILENT;
    const unknown = { rowNumber: 2, outcome: 'unknown', said: [SILENT] };
    expect(reconciledRow(row, sent(), evidence(nothing('absent'), { mayCome }))).toEqual(unknown);
    expect(reconciledRow(rowOf(), sent(), evidence(nothing('unclear'), { mayCome }))).toEqual(unknown);
    const differs = foundAs({ record: recordOf({ display_name: 'Bo' }) });
    expect(reconciledRow(updateOf(), change(), evidence(differs, { mayCome }))).toEqual(unknown);
    expect(reconciledRow(row, sent(), evidence(foundAs(), { mayCome }))).toMatchObject({
      outcome: 'created',
    });
    const flag = foundAs({ record: recordOf({ is_active: false }) });
    expect(reconciledRow(row, sent(), evidence(flag, { mayCome }))).toEqual({ ...AGAIN, id: 'id-U1' });
    const others = foundAs({ disagrees: changedSince('created', 'display_name') });
    expect(reconciledRow(row, sent(), evidence(others, { mayCome }))).toEqual(unknown);
    const isOlder = (): boolean => true;
    expect(reconciledRow(row, sent(), evidence(foundAs(), { mayCome, isOlder }))).toEqual(unknown);
  });
});

describe('a row of which only its write is kept', () => {
  const lost = { fields: null, lines: [], folded: null };

  it('is compared by the next push where it was a change of a record that is there', () => {
    const of = updateOf(lost);
    expect(reconciledLost(of, change(), evidence(foundAs()))).toEqual({ rowNumber: 2, outcome: null });
    expect(reconciledLost(of, change(), evidence(foundAs(), { mayCome: () => SILENT }))).toEqual({
      ...{ rowNumber: 2, outcome: 'unknown', said: [SILENT] },
    });
  });

  it('is judged as others where nothing is found of it, or it made a record', () => {
    expect(reconciledLost(updateOf(lost), change(), evidence(nothing('absent')))).toEqual(AGAIN);
    expect(reconciledLost(rowOf(lost), sent(), evidence(foundAs()))).toMatchObject({ outcome: 'created' });
    expect(reconciledLost(rowOf({ ...lost, key: null }), change(), evidence(foundAs()))).toEqual(AGAIN);
  });

  it('is unknown where reading back could not find it', () => {
    const price = sent({ resource: 'prices', operation: 'set-prices' });
    expect(reconciledLost(rowOf(lost), price, evidence(nothing('absent')))).toMatchObject({
      outcome: 'unknown',
    });
    expect(reconciledLost(rowOf(), price, evidence(nothing('absent')))).toEqual(AGAIN);
  });
});
