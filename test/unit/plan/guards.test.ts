import { describe, expect, it } from 'vitest';
import { checkGuards, GUARDS, type GuardFigures } from '../../../src/plan/guards.ts';
import { pushMapping } from '../../support/builders.ts';

const none: Parameters<typeof checkGuards>[2] = { allowEmpty: false, allowGuards: [] };
const fine: GuardFigures = { rows: 10, excluded: 0, invalid: 0 };
const guards = { minRows: 1, maxChangePct: 30, maxDeactivate: 0, maxStep: 1, maxStepPct: 25 };

describe('checkGuards', () => {
  const codes = (figures: Partial<GuardFigures>, options = none, changes = {}): readonly string[] =>
    checkGuards(pushMapping({ guards, ...changes }), { ...fine, ...figures }, options).map(
      ({ code }) => code,
    );

  it('lets an ordinary push pass', () => {
    expect(codes({})).toEqual([]);
  });

  it('stops at a source without rows until --allow-empty', () => {
    const [stop] = checkGuards(pushMapping(), { ...fine, rows: 0 }, none);
    expect(stop).toMatchObject({
      code: 'guard.empty_source',
      exitCode: 6,
      message: 'users: users.csv has a header and no rows, so the file may have been cut',
      next: 'if it is intended to be empty, add --allow-empty',
    });
    expect(codes({ rows: 0 }, { ...none, allowEmpty: true })).toEqual([]);
  });

  it('says so when a where leaves out every row', () => {
    const [stop] = checkGuards(pushMapping(), { ...fine, rows: 0, excluded: 3 }, none);
    expect(stop).toMatchObject({
      message: 'users: where leaves out all rows of users.csv (3)',
      next: 'add rows of your own; if this is intended, add --allow-empty',
    });
  });

  it('stops at fewer rows than expected', () => {
    expect(codes({ rows: 4 }, none, { guards: { ...guards, minRows: 5 } })).toEqual(['guard.min_rows']);
  });

  it('stops when more of the known records change than expected, once something is known', () => {
    expect(codes({ updates: 4, known: 10 })).toEqual(['guard.max_change_pct']);
    expect(codes({ updates: 3, known: 10 })).toEqual([]);
    expect(codes({ updates: 4, known: 0 })).toEqual([]);
  });

  it.each([
    [1, 'users: 1 user is no longer in the table and would be deactivated: more than max_deactivate 0'],
    [2, 'users: 2 users are no longer in the table and would be deactivated: more than max_deactivate 0'],
  ])('stops when users would be deactivated: %i', (deactivated, message) => {
    const [stop] = checkGuards(pushMapping({ guards }), { ...fine, deactivated }, none);
    expect(stop).toMatchObject({ code: 'guard.max_deactivate', message });
  });

  it('stops at a price step, absolute and in percent, and names the row', () => {
    const step = { rowNumber: 7, before: 4, after: 5.5 };
    const stops = checkGuards(
      pushMapping({ guards }),
      { ...fine, largestStep: step, largestStepPct: step },
      none,
    );
    expect(stops.map(({ message }) => message)).toEqual([
      'users: row 7 goes from 4 to 5.5: more than max_step 1',
      'users: row 7 goes from 4 to 5.5: more than max_step_pct 25 %',
    ]);
    expect(stops.map(({ place }) => place)).toEqual([
      { file: 'users.csv', line: 7, column: undefined },
      { file: 'users.csv', line: 7, column: undefined },
    ]);
  });

  it('a step of exactly the limit passes in spite of binary fractions', () => {
    const step = { rowNumber: 7, before: 4.1, after: 5.1 };
    expect(codes({ largestStep: step, largestStepPct: step })).toEqual([]);
  });

  it('the named flag passes a guard and no other', () => {
    const step = { rowNumber: 7, before: 4, after: 9 };
    expect(
      codes({ largestStep: step, updates: 9, known: 10 }, { ...none, allowGuards: ['max_step'] }),
    ).toEqual(['guard.max_change_pct']);
  });

  it('reject_mode: fail stops at one invalid row', () => {
    expect(codes({ invalid: 1 }, none, { rejectMode: 'fail' })).toEqual(['guard.reject_mode']);
    expect(codes({ invalid: 1 })).toEqual([]);
  });

  it('stops at a game week that has not ended, or of which nobody can tell', () => {
    const week = { rowNumber: 3, league: 1, week: '9', kind: 'open', why: 'it ends later' } as const;
    const messages = (figures: Partial<GuardFigures>) =>
      checkGuards(pushMapping({ guards }), { ...fine, ...figures }, none).map(({ message }) => message);
    expect(messages({ openWeeks: [week, week] })).toEqual([
      'users: row 3: game week 9 of fantasy league 1 has not ended: it ends later (and 1 more)',
    ]);
    expect(messages({ rows: 1, openWeeks: [{ ...week, kind: 'unknown', league: Number.NaN }] })).toEqual([
      'users: nobody can tell whether game week 9 has ended: it ends later',
    ]);
  });

  it('are all passed by their names', () => {
    const week = { rowNumber: 3, league: 1, week: '9', kind: 'open', why: 'it ends later' } as const;
    const step = { rowNumber: 7, before: 4, after: 9 };
    const all = {
      ...{ rows: 2, invalid: 1, updates: 9, known: 10, deactivated: 1 },
      ...{ largestStep: step, largestStepPct: step, openWeeks: [week] },
    };
    const changes = { guards: { ...guards, minRows: 3 }, rejectMode: 'fail' } as const;
    const tripped = [...codes(all, none, changes), ...codes({ rows: 0 })];
    expect(tripped.toSorted()).toEqual(GUARDS.map((name) => `guard.${name}`).toSorted());
    const allowed = { ...none, allowGuards: GUARDS };
    expect([...codes(all, allowed, changes), ...codes({ rows: 0 }, allowed)]).toEqual([]);
  });
});
