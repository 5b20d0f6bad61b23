import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { PushMapping } from '../../src/mapping/mapping.ts';
import { IncompleteError } from '../../src/model/error.ts';
import type { PushSummary } from '../../src/model/state/store.ts';
import { push, type PushResult } from '../../src/sync/push.ts';
import { resume } from '../../src/sync/resume.ts';
import { PLAN_OPTIONS } from '../support/engine.ts';
import { startFakeGoogle } from '../support/google/fake-google.ts';
import type { FakeGoogle } from '../support/google/fake-google.ts';
import { settingNames } from '../support/points.ts';
import { makeSheetEngine, type SheetEngine } from '../support/sheet-engine.ts';

let fake: FakeGoogle;
beforeAll(async () => {
  fake = await startFakeGoogle();
});
afterAll(() => fake.close());

const HEADER = ['external_id', 'display_name', 'is_active', 'Remark'];
const STALE = 'stale: the row was edited in the sheet after the plan; the next push reads it again';

const three = (): Promise<SheetEngine> =>
  makeSheetEngine(fake, [HEADER, ['A', 'Ann', '', 'x'], ['B', 'Bob', '', ''], ['C', 'Cyd', '', '']]);

/** Pushes; `edit` happens between the plan and the first write. */
function run(
  { ports, mapping }: SheetEngine,
  edit: () => void = () => undefined,
  of: PushMapping = mapping(),
): Promise<PushResult> {
  const approve = async (): Promise<void> => {
    edit();
    await Promise.resolve();
  };
  return push(ports, 'push', [of], PLAN_OPTIONS, approve);
}

const summary = (result: PushResult | undefined): PushSummary => result?.report.mappings[0] as PushSummary;
const names = ({ engine }: SheetEngine): readonly string[] =>
  engine.service.users.map(({ external_id, display_name }) => `${external_id} ${display_name ?? ''}`);
const warnings = ({ engine }: SheetEngine): readonly string[] =>
  engine.events.flatMap((event) => (event.kind === 'warning' ? [event.message] : []));
const messages = ({ engine }: SheetEngine): readonly (string | undefined)[] =>
  (engine.files.get('users.results') ?? []).slice(1).map((line) => line.at(-2));

describe('rows that are edited between the plan and the push', () => {
  it('are not sent, and the next push reads them again', async () => {
    const made = await three();
    const first = await run(made, () => made.tab.set(2, 1, 'Bobby'));
    expect(summary(first)).toMatchObject({ rows: 3, created: 2, deferred: 1, stale: 1 });
    expect(first.report.exit_code).toBe(7);
    expect(names(made)).toEqual(['A Ann', 'C Cyd']);
    expect(messages(made)).toEqual(['', `tab "Users" row 3: ${STALE}`, '']);
    expect(warnings(made)).toContain(
      'tab "Users": 1 row was edited since the plan was made and not sent; the next push reads it again',
    );
    expect(summary(await run(made))).toMatchObject({ created: 1, unchanged: 2 });
    expect(names(made)).toEqual(['A Ann', 'C Cyd', 'B Bobby']);
  });

  it('do not keep the run open: there is nothing to resume', async () => {
    const made = await three();
    await run(made, () => made.tab.set(2, 1, 'Bobby'));
    expect(await resume(made.ports, undefined, () => Promise.resolve())).toBeUndefined();
    expect(names(made)).toEqual(['A Ann', 'C Cyd']);
  });

  it('are not sent either when they were deleted', async () => {
    const made = await three();
    const result = await run(made, () => made.tab.deleteRow(1));
    expect(summary(result)).toMatchObject({ created: 2, deferred: 1, stale: 1 });
    expect(names(made)).toEqual(['B Bob', 'C Cyd']);
  });

  it('are sent when they only moved, or when a column changed that the mapping does not read', async () => {
    const made = await three();
    const result = await run(made, () => {
      made.tab.sortBy(0, { descending: true });
      made.tab.insertRow(1, ['N', 'New', '', '']);
      made.tab.set(4, 3, 'another remark');
      made.tab.insertColumn(0, ['Rank', '1']);
    });
    expect(summary(result)).toMatchObject({ rows: 3, created: 3, deferred: 0 });
    expect(result.report.exit_code).toBe(0);
  });

  it('are all stale when the tab, or a column of theirs, is gone', async () => {
    const made = await three();
    const renamed = await run(made, () => made.tab.set(0, 1, 'Nickname'));
    expect(summary(renamed)).toMatchObject({ deferred: 3, stale: 3 });
    made.tab.set(0, 1, 'display_name');
    const gone = await run(made, () => made.tab.deleteRow(0));
    expect(summary(gone)).toMatchObject({ deferred: 3, stale: 3 });
    expect(names(made)).toEqual([]);
  });

  it('numbers, dates and truth values are compared as they are shown', async () => {
    const made = await makeSheetEngine(fake, [
      HEADER,
      [1001, 'Ann', true, ''],
      ['B', { value: 46_023, format: { type: 'DATE', pattern: 'yyyy-mm-dd' } }, false, ''],
    ]);
    expect(summary(await run(made))).toMatchObject({ created: 2 });
  });

  it('nothing is read again when nothing is sent', async () => {
    const made = await three();
    await run(made);
    const before = made.fake.calls.length;
    expect(summary(await run(made))).toMatchObject({ unchanged: 3 });
    expect(made.fake.calls.slice(before).map(({ path }) => path.split('/').at(-1))).toEqual([
      made.id,
      'values:batchGet',
    ]);
  });
});

describe('a run that stopped half-way', () => {
  it('is resumed without the rows that were edited since', async () => {
    const made = await three();
    made.engine.service.faults.push({ throws: new IncompleteError('budget.wait', 'the budget is spent') });
    const first = await run(made);
    expect(summary(first)).toMatchObject({ created: 0, deferred: 3 });
    expect(summary(first).stale).toBeUndefined();
    made.tab.set(2, 1, 'Bobby');
    const resumed = await resume(made.ports, undefined, () => Promise.resolve());
    expect(summary(resumed)).toMatchObject({ created: 2, deferred: 1, stale: 1 });
    expect(names(made)).toEqual(['A Ann', 'C Cyd']);
    expect(await resume(made.ports, undefined, () => Promise.resolve())).toBeUndefined();
  });

  it('stays open when Google cannot be asked before the first write', async () => {
    const made = await three();
    const result = await run(made, () => {
      made.fake.quota({ reads: 0 });
    });
    expect(result.report.exit_code).toBe(8);
    expect(summary(result)).toMatchObject({ created: 0, deferred: 3 });
    made.fake.quota({});
    const resumed = await resume(made.ports, undefined, () => Promise.resolve());
    expect(summary(resumed)).toMatchObject({ created: 3, deferred: 0 });
  });
});

describe('a table of settings', () => {
  const lines = settingNames.map((name): [string, string] => [name, '1']);
  const points = (made: SheetEngine): PushMapping => {
    const plain = made.mapping({ name: 'points', resource: 'points_config', operation: 'set' });
    const layout = { kind: 'key_value', keyColumn: 'Setting', valueColumn: 'Points' } as const;
    return { ...plain, source: { ...plain.source, layout } };
  };

  it('is stale as a whole when one of its lines changed', async () => {
    const made = await makeSheetEngine(fake, [['Setting', 'Points'], ['fantasy_league_id', '1'], ...lines]);
    const result = await run(made, () => made.tab.set(5, 1, '99'), points(made));
    expect(summary(result)).toMatchObject({ rows: 1, deferred: 1, stale: 1 });
    const again = await run(made, () => made.tab.sortBy(0), points(made));
    expect(summary(again)).toMatchObject({ rows: 1, deferred: 0 });
  });

  it('is sent though a number is shown otherwise than it is written', async () => {
    const [first = '', ...others] = settingNames;
    const shown = [first, { value: 1, format: { type: 'NUMBER', pattern: '0.00' } }];
    const rest = others.map((name): [string, string] => [name, '1']);
    const made = await makeSheetEngine(fake, [
      ['Setting', 'Points'],
      ['fantasy_league_id', '1'],
      shown,
      ...rest,
    ]);
    expect(summary(await run(made, undefined, points(made)))).toMatchObject({ rows: 1, deferred: 0 });
    expect(made.engine.files.get('points.results')?.[2]).toEqual(expect.arrayContaining([first, '1']));
  });
});
