import { describe, expect, it } from 'vitest';
import type { PushMapping } from '../../src/mapping/mapping.ts';
import { IncompleteError } from '../../src/model/error.ts';
import { columnLetters } from '../../src/model/tables/column-letters.ts';
import type { PushSummary } from '../../src/model/state/store.ts';
import { push, type PushResult } from '../../src/sync/push.ts';
import { resolve } from '../../src/sync/resolve.ts';
import { resume } from '../../src/sync/resume.ts';
import { retry } from '../../src/sync/retry.ts';
import { PLAN_OPTIONS } from '../support/engine.ts';
import { settingNames } from '../support/points.ts';
import { makeSheetEngine, onSheet, WRITE_BACK, type SheetEngine } from '../support/sheet-engine.ts';
import { googleOfFile } from '../support/google/of-file.ts';

const fake = googleOfFile();

const HEADER = ['external_id', 'display_name'];
const NOW = '2026-08-14 18:00';
const LONG = 'x'.repeat(51);
const TOO_LONG = '51 characters, at most 50';

async function run(
  { ports, mapping }: SheetEngine,
  options: { readonly edit?: () => void; readonly of?: PushMapping } = {},
): Promise<PushResult> {
  const of = options.of ?? mapping({ writeBack: WRITE_BACK });
  const approve = async (): Promise<void> => {
    options.edit?.();
    await Promise.resolve();
  };
  return push(ports, 'push', [of], PLAN_OPTIONS, approve);
}

const warnings = ({ engine }: SheetEngine): readonly string[] =>
  engine.events.flatMap((event) => (event.kind === 'warning' ? [event.message] : []));
const callsOf = ({ id }: SheetEngine): readonly string[] =>
  fake.calls
    .filter(({ path }) => path.includes(id))
    .map(({ path }) => path.replace(/.*(?:\/values|\/[\w-]{44}):?/, '') || 'get');

describe('what became of rows', () => {
  it('stands beside each of them', async () => {
    const made = await makeSheetEngine(fake, [
      HEADER,
      ['A', 'Ann'],
      ['B', LONG],
      ['', 'Nobody'],
      ['D', 'Dan'],
      ['D', 'Dan'],
    ]);
    made.engine.service.refuses.add('D');
    const result = await run(made);
    expect(result.report.exit_code).toBe(3);
    expect(made.tab.shown()).toEqual([
      [...HEADER, 'Status', 'Message', 'Service ID', 'Synced'],
      ['A', 'Ann', 'created', '', 'user-1', NOW],
      ['B', LONG, 'invalid', `column "display_name": ${TOO_LONG}`, '', NOW],
      ['', 'Nobody', 'invalid', 'column "external_id": empty; every row needs its external_id', '', NOW],
      ['D', 'Dan', 'rejected', expect.stringContaining('the service refused it') as string, '', NOW],
      ['D', 'Dan', 'unchanged', 'unchanged (duplicate of row 5)', '', NOW],
    ]);
    expect([made.tab.cell(2, 1).note, made.tab.cell(3, 0).note, made.tab.cell(1, 1).note]).toEqual([
      `teamsheet: ${TOO_LONG}`,
      'teamsheet: empty; every row needs its external_id',
      undefined,
    ]);
  });

  it('is not written over what somebody keeps in a column of that name', async () => {
    const tab = (status: string) => [
      [...HEADER, 'Status'],
      ['A', 'Ann', 'paid'],
      ['B', 'Bob', status],
    ];
    const made = await makeSheetEngine(fake, tab('owes 5'));
    const { report } = await run(made);
    expect(report).toMatchObject({ exit_code: 8, mappings: [{ created: 2 }] });
    expect(warnings(made)).toEqual([
      'tab "Users": the outcomes could not be written beside the rows: column "Status" holds "paid" and no outcome, so it is somebody else\'s (Give "write_back" columns of its own, or empty that column.)',
    ]);
    expect(made.tab.shown()).toEqual(tab('owes 5'));
    // Who types a remark over an outcome types it into a column of ours.
    made.tab.set(2, 2, 'created');
    expect((await run(made)).report.exit_code).toBe(0);
    expect(made.tab.shown().map((row) => row[2])).toEqual(['Status', 'unchanged', 'unchanged']);
  });

  it('is not written over messages that none of its other columns stands beside', async () => {
    const tab = [
      [...HEADER, 'Message'],
      ['A', 'Ann', 'pays cash'],
      ['B', 'Bob', ''],
    ];
    const made = await makeSheetEngine(fake, tab);
    const { report } = await run(made);
    expect(report).toMatchObject({ exit_code: 8, mappings: [{ created: 2 }] });
    expect(warnings(made)[0]).toContain('column "Message" holds "pays cash" and no outcome');
    expect(made.tab.shown()).toEqual(tab.map((row) => row.filter((cell) => cell !== '')));
    made.tab.set(1, 2, '');
    expect((await run(made)).report.exit_code).toBe(0);
    // What a push wrote is ours, also where somebody took the other columns away.
    made.tab.set(1, 2, 'a remark');
    for (const name of ['Status', 'Service ID', 'Synced'])
      made.tab.deleteColumn(made.tab.shown()[0]?.indexOf(name) ?? -1);
    expect((await run(made)).report.exit_code).toBe(0);
    expect(made.tab.shown().map((row) => row[2])).toEqual(['Message', '', '']);
  });

  it('is not written over messages in another tab that the mapping reads later', async () => {
    const made = await makeSheetEngine(fake, [HEADER, ['A', 'Ann']]);
    await run(made);
    const next = onSheet(made.engine, fake, [
      [...HEADER, 'Message'],
      ['B', 'Bob', 'pays cash'],
    ]);
    const shown = next.tab.shown();
    expect((await run(next)).report.exit_code).toBe(8);
    expect(next.tab.shown()).toEqual(shown);
  });

  it('is not written over messages beside the rows of the next mapping of the tab', async () => {
    const made = await makeSheetEngine(fake, [
      [...HEADER, 'Kind', 'Message'],
      ['A', 'Ann', 'x'],
      ['B', 'Bob', 'y', 'pays cash'],
    ]);
    const shown = made.tab.shown();
    for (const text of ['x', 'y']) {
      const plain = made.mapping({ writeBack: WRITE_BACK, name: text });
      const of = { ...plain, source: { ...plain.source, where: [{ header: 'Kind', equals: true, text }] } };
      expect((await run(made, { of })).report.exit_code).toBe(8);
    }
    expect(made.tab.shown()).toEqual(shown);
  });

  it('is not written over messages beside the rows that a limit left out', async () => {
    const made = await makeSheetEngine(fake, [
      [...HEADER, 'Message'],
      ['A', 'Ann'],
      ['B', 'Bob', 'pays cash'],
    ]);
    const shown = made.tab.shown();
    const of = made.mapping({ writeBack: WRITE_BACK });
    const limited = () =>
      push(made.ports, 'push', [of], { ...PLAN_OPTIONS, limit: 1 }, () => Promise.resolve());
    expect((await limited()).report.exit_code).toBe(8);
    expect(warnings(made)[0]).toContain('column "Message" holds "pays cash" and no outcome');
    expect(made.tab.shown()).toEqual(shown);
    made.tab.set(2, 2, '');
    expect((await limited()).report.exit_code).toBe(0);
    // What stands there since is a remark on ours.
    made.tab.set(2, 2, 'pays cash');
    expect((await run(made)).report.exit_code).toBe(0);
    expect(made.tab.shown().map((row) => row[2])).toEqual(['Message', '', '']);
  });

  it('is not written over what stands in another column that is named for the messages later', async () => {
    const made = await makeSheetEngine(fake, [
      [...HEADER, 'Comments'],
      ['A', 'Ann', 'pays cash'],
    ]);
    await run(made, { of: made.mapping({ writeBack: { status: 'Status', message: 'Message' } }) });
    const shown = made.tab.shown();
    const of = made.mapping({ writeBack: { status: 'Status', message: 'Comments' } });
    expect((await run(made, { of })).report.exit_code).toBe(8);
    expect(warnings(made).at(-1)).toContain('column "Comments" holds "pays cash"');
    expect(made.tab.shown()).toEqual(shown);
  });

  it('stands beside the rows of a mapping that comes to the tab of another one', async () => {
    const made = await makeSheetEngine(fake, [
      [...HEADER, 'Kind'],
      ['A', LONG, 'x'],
      ['B', LONG, 'y'],
    ]);
    const of = (name: string, text: string): PushMapping => {
      const plain = made.mapping({ writeBack: { message: 'Message' }, name });
      return { ...plain, source: { ...plain.source, where: [{ header: 'Kind', equals: true, text }] } };
    };
    await run(made, { of: of('one', 'x') });
    expect((await run(made, { of: of('two', 'y') })).report.exit_code).toBe(3);
    const message = `column "display_name": ${TOO_LONG}`;
    expect(made.tab.shown().map((row) => row[3])).toEqual(['Message', message, message]);
  });

  it('is written where messages alone are asked for and stand there already, as those of an older version do', async () => {
    const made = await makeSheetEngine(fake, [
      [...HEADER, 'Message'],
      ['A', 'Ann', 'the service refused it'],
    ]);
    const of = made.mapping({ writeBack: { message: 'Message' } });
    expect((await run(made, { of })).report.exit_code).toBe(0);
    expect(made.tab.shown().map((row) => row[2] ?? '')).toEqual(['Message', '']);
  });

  it('is written over a remark on the only row that a retry reads', async () => {
    const made = await makeSheetEngine(fake, [HEADER, ['A', 'Ann'], ['B', LONG]]);
    const of = made.mapping({ writeBack: WRITE_BACK });
    await run(made, { of });
    made.tab.set(2, 1, 'Bob');
    made.tab.set(2, 2, 'name is shorter now');
    const again = await retry(
      made.ports,
      undefined,
      PLAN_OPTIONS,
      () => of,
      () => Promise.resolve(),
    );
    expect([again?.report.exit_code, warnings(made)]).toEqual([0, []]);
    expect(made.tab.shown().map((row) => row[2])).toEqual(['Status', 'created', 'created']);
  });

  it.each([
    ['resume', 'created'],
    ['resolve', 'deferred'],
  ])(
    'is written by %s beside no row but those that were left, where a later run has said more of the others',
    async (command, settled) => {
      const made = await makeSheetEngine(fake, [HEADER, ['A', 'Ann'], ['B', 'Bob']]);
      const ports = { ...made.ports, maxWaitMs: 0 };
      const of = made.mapping({ writeBack: WRITE_BACK, batchSize: 1 });
      const statuses = (): readonly unknown[] => made.tab.shown().map((row) => row[2]);
      const approve = (): Promise<void> => Promise.resolve();
      made.engine.service.faults.push(undefined, 'vanished');
      const { report } = await run({ ...made, ports }, { of });
      expect(statuses()).toEqual(['Status', 'created', 'unknown']);
      made.tab.set(1, 1, LONG);
      await push(made.ports, 'push', [of], { ...PLAN_OPTIONS, limit: 1 }, approve);
      expect(statuses()).toEqual(['Status', 'invalid', 'unknown']);
      if (command === 'resume') await resume(made.ports, report.run ?? '', approve);
      else await resolve(made.ports, undefined, undefined, approve);
      expect(statuses()).toEqual(['Status', 'invalid', settled]);
      expect(made.tab.cell(1, 1).note).toBe(`teamsheet: ${TOO_LONG}`);
    },
  );

  it('is written by resume beside all rows that a killed run has sent, where a retry came between', async () => {
    const made = await makeSheetEngine(fake, [HEADER, ['A', LONG]]);
    const of = made.mapping({ writeBack: WRITE_BACK, batchSize: 1 });
    await run(made, { of });
    for (const [at, cells] of [
      ['B', 'Bob'],
      ['C', 'Cid'],
    ].entries())
      cells.forEach((cell, column) => made.tab.set(2 + at, column, cell));
    let sent = 0;
    made.engine.service.onCall = (body) => {
      if (body !== undefined && (sent += 1) === 2) throw new Error('killed');
    };
    const ports = { ...made.ports, concurrency: 1 };
    await expect(run({ ...made, ports }, { of })).rejects.toThrow('killed');
    made.engine.service.onCall = () => undefined;
    const [killed, first] = await made.engine.store.runs(2);
    made.tab.set(1, 1, 'Ann');
    const approve = (): Promise<void> => Promise.resolve();
    await retry(made.ports, first?.id, PLAN_OPTIONS, () => of, approve);
    const statuses = (): readonly unknown[] => made.tab.shown().map((row) => row[2] ?? '');
    expect(statuses()).toEqual(['Status', 'created', '', '']);
    await resume(made.ports, killed?.id, approve);
    expect(statuses()).toEqual(['Status', 'created', 'created', 'created']);
  });

  it('is written by resume beside the rows that a killed run has sent, but for those that a push of the first ones has read since', async () => {
    const table = [HEADER, ['A', 'Ann'], ['B', 'Bob'], ['C', 'Cid'], ['D', 'Dan']];
    const made = await makeSheetEngine(fake, table);
    const of = made.mapping({ writeBack: WRITE_BACK, batchSize: 1 });
    let sent = 0;
    made.engine.service.onCall = (body) => {
      if (body !== undefined && (sent += 1) === 4) throw new Error('killed');
    };
    const ports = { ...made.ports, concurrency: 1 };
    await expect(run({ ...made, ports }, { of })).rejects.toThrow('killed');
    made.engine.service.onCall = () => undefined;
    const [killed] = await made.engine.store.runs(1);
    made.tab.set(1, 1, 'Anna');
    const approve = (): Promise<void> => Promise.resolve();
    await push(made.ports, 'push', [of], { ...PLAN_OPTIONS, limit: 2 }, approve);
    const statuses = (): readonly unknown[] => made.tab.shown().map((row) => row[2] ?? '');
    expect(statuses()).toEqual(['Status', 'updated', 'unchanged', '', '']);
    await resume(made.ports, killed?.id, approve);
    expect(statuses()).toEqual(['Status', 'updated', 'unchanged', 'created', 'created']);
  });

  it('is not written beside a row that a later run has changed and the resumed one leaves', async () => {
    const made = await makeSheetEngine(fake, [HEADER, ['A', 'Ann']]);
    const statuses = (): readonly unknown[] => made.tab.shown().map((row) => row[2]);
    await run(made);
    made.tab.set(1, 1, 'Anna');
    made.engine.service.faults.push({ throws: new IncompleteError('budget.exhausted', 'used up') });
    const { report } = await run(made);
    expect(statuses()).toEqual(['Status', 'deferred']);
    made.tab.set(1, 1, 'Annabel');
    await run(made);
    const resumed = await resume(made.ports, report.run ?? '', () => Promise.resolve());
    expect(resumed?.report.mappings[0]).toMatchObject({ deferred: 1, stale: 1 });
    expect(statuses()).toEqual(['Status', 'updated']);
  });

  it('is written once: a run that changes nothing writes nothing', async () => {
    const made = await makeSheetEngine(fake, [HEADER, ['A', 'Ann'], ['B', LONG]]);
    await run(made);
    made.engine.clock.time += 3_600_000;
    const before = callsOf(made).length;
    const second = await run(made);
    expect(second.report.mappings[0]).toMatchObject({ unchanged: 1, invalid: 1 });
    expect(callsOf(made).slice(before)).toEqual(['get', 'batchGet', 'get']);
    expect(made.tab.shown().map((row) => row[2])).toEqual(['Status', 'created', 'invalid']);
  });

  it('is invalid where a spreadsheet made a date or a time of a number', async () => {
    const cells: readonly (readonly [number, string, string])[] = [
      [46_149, 'd-mmm', 'DATE'],
      [0.3125, 'h:mm', 'TIME'],
      [7.5, '£0.00', 'CURRENCY'],
    ];
    const rows = cells.map(([value, pattern, type], index) => [
      index + 1,
      { value, format: { type, pattern } },
    ]);
    const made = await makeSheetEngine(fake, [['player_id', 'price'], ...rows]);
    const of = made.mapping({
      name: 'prices',
      resource: 'prices',
      operation: 'append',
      compare: 'snapshot',
      writeBack: WRITE_BACK,
      autoValues: { fantasy_league_id: '1', type: 'set' },
    });
    await run(made, { of });
    expect(made.tab.shown().map((row) => row.slice(2, 4))).toEqual([
      ['Status', 'Message'],
      ['invalid', 'column "price": "7-May" is a datetime, not a number; format the cell as a number'],
      ['invalid', expect.stringContaining('column "price": "7:30" is not a') as string],
      ['created', ''],
    ]);
  });

  it('leaves rows alone that are those of another mapping of the same tab', async () => {
    const header = [...HEADER, 'Kind'];
    const made = await makeSheetEngine(fake, [
      header,
      ['A', 'Ann', 'x'],
      ['B', LONG, 'y'],
      ['C', 'Cyd', 'x'],
    ]);
    const of = (name: string, text: string): PushMapping => {
      const plain = made.mapping({ writeBack: WRITE_BACK, name });
      return { ...plain, source: { ...plain.source, where: [{ header: 'Kind', equals: true, text }] } };
    };
    const both = (): Promise<PushResult> =>
      push(made.ports, 'push', [of('one', 'x'), of('two', 'y')], PLAN_OPTIONS, () => Promise.resolve());
    await both();
    const shown = made.tab.shown();
    expect(shown.slice(1).map((row) => row[3])).toEqual(['created', 'invalid', 'created']);
    expect(made.tab.cell(2, 1).note).toBe(`teamsheet: ${TOO_LONG}`);
    const before = callsOf(made).length;
    await both();
    expect(callsOf(made).slice(before)).not.toContain('batchUpdate');
    expect(made.tab.shown()).toEqual(shown);
  });

  it.each([
    ['right of the header', ['A', 'Ann', '', 'call her']],
    ['far right of the header', ['A', 'Ann', '', '', '', '', '', '', 'call her']],
  ])('stands where a cell %s has none, and the next run says the same of that row', async (_where, stray) => {
    const made = await makeSheetEngine(fake, [HEADER, stray, ['B', 'Bob']]);
    const first = await run(made);
    expect(first.report.mappings[0]).toMatchObject({ invalid: 1, created: 1 });
    const shown = made.tab.shown();
    expect(shown[1]).toContain(
      `column ${columnLetters(stray.length - 1)} holds "call her" but has no header; give it one, or empty the cell`,
    );
    const second = await run(made);
    expect(second.report.mappings[0]).toMatchObject({ invalid: 1, unchanged: 1 });
    expect(made.tab.shown()).toEqual(shown);
    made.tab.set(1, stray.length - 1, '');
    expect((await run(made)).report.mappings[0]).toMatchObject({ created: 1, unchanged: 1 });
  });

  it('does not excuse a cell in a column without a header among those that people fill in', async () => {
    const made = await makeSheetEngine(fake, [
      ['external_id', '', 'display_name', 'Status'],
      ['A', 'call her', 'Ann'],
    ]);
    await expect(run(made)).rejects.toMatchObject({ code: 'header.empty' });
  });

  it('changes with the row, its note and its time', async () => {
    const made = await makeSheetEngine(fake, [HEADER, ['A', 'Ann'], ['B', LONG], ['C', 'Cyd']]);
    await run(made);
    made.engine.clock.time += 3_600_000;
    made.tab.set(2, 1, 'Bob');
    made.tab.set(3, 1, 'Cyndy');
    await run(made);
    expect(made.tab.shown().slice(1)).toEqual([
      ['A', 'Ann', 'created', '', 'user-1', NOW],
      ['B', 'Bob', 'created', '', 'user-3', '2026-08-14 19:00'],
      ['C', 'Cyndy', 'updated', '', 'user-2', '2026-08-14 19:00'],
    ]);
    expect(made.tab.cell(2, 1).note).toBeUndefined();
  });

  it('stands beside unchanged rows too, where nothing stood', async () => {
    const made = await makeSheetEngine(fake, [HEADER, ['A', 'Ann']]);
    await run(made, { of: made.mapping() });
    await run(made);
    expect(made.tab.shown()[1]).toEqual(['A', 'Ann', 'unchanged', '', 'user-1', NOW]);
  });

  it('finds rows that moved during the run, and counts those that are gone', async () => {
    const made = await makeSheetEngine(fake, [HEADER, ['A', 'Ann'], ['B', 'Bob'], ['C', 'Cyd'], ['E', LONG]]);
    const result = await run(made, {
      edit: () => {
        made.tab.sortBy(0, { descending: true });
        made.tab.deleteRow(2);
        made.tab.set(2, 1, 'Bobby');
      },
    });
    expect(result.report).toMatchObject({ exit_code: 7 });
    expect(made.tab.shown().slice(1)).toEqual([
      ['E', LONG, 'invalid', `column "display_name": ${TOO_LONG}`, '', NOW],
      ['B', 'Bobby', 'deferred', expect.stringContaining('stale: ') as string, '', NOW],
      ['A', 'Ann', 'created', '', 'user-1', NOW],
    ]);
    expect(warnings(made)).toContain(
      'tab "Users": row 4 could not be found again; its outcome stands in the results file',
    );
  });

  it('is written when reject_mode stops the push, too', async () => {
    const made = await makeSheetEngine(fake, [HEADER, ['A', 'Ann'], ['B', LONG]]);
    const result = await run(made, { of: made.mapping({ writeBack: WRITE_BACK, rejectMode: 'fail' }) });
    expect(result.report.exit_code).toBe(6);
    expect(made.tab.shown().map((row) => row[2])).toEqual(['Status', 'deferred', 'invalid']);
  });
});

describe('columns of ours', () => {
  it('may be few, and the time is then news as well', async () => {
    const made = await makeSheetEngine(fake, [HEADER, ['A', 'Ann']]);
    const of = made.mapping({ writeBack: { synced_at: 'Synced' } });
    await run(made, { of });
    made.engine.clock.time += 3_600_000;
    await run(made, { of });
    expect(made.tab.shown()[1]).toEqual(['A', 'Ann', NOW]);
  });

  it('neither make a row nor make one stale', async () => {
    const made = await makeSheetEngine(fake, [
      [...HEADER, 'Status'],
      ['A', 'Ann'],
      ['', '', 'created'],
      ['B', 'Bob'],
    ]);
    const result = await run(made, { edit: () => made.tab.set(1, 2, 'to do') });
    expect(result.report.mappings[0]).toMatchObject({ rows: 2, created: 2 });
    expect(made.tab.shown()[2]).toEqual(['', '', 'created']);
  });

  it('may have their names in other capitals', async () => {
    const made = await makeSheetEngine(fake, [
      ['external_id', 'display_name', 'STATUS'],
      ['A', 'Ann'],
      ['', '', 'created'],
    ]);
    const result = await run(made, { of: made.mapping({ writeBack: { status: 'Status' } }) });
    expect(result.report.mappings[0]).toMatchObject({ rows: 1, created: 1 });
    expect(made.tab.shown()).toEqual([
      ['external_id', 'display_name', 'STATUS'],
      ['A', 'Ann', 'created'],
      ['', '', 'created'],
    ]);
    expect(warnings(made)).toEqual([]);
  });

  it('must not be columns that the mapping reads', async () => {
    const made = await makeSheetEngine(fake, [HEADER, ['A', 'Ann']]);
    const run1 = run(made, { of: made.mapping({ writeBack: { status: 'display_name' } }) });
    await expect(run1).rejects.toMatchObject({
      code: 'mapping.write_back_column',
      exitCode: 4,
      message:
        'mappings/users.yaml:1: users: write_back would write over column "display_name", which the mapping reads',
    });
    const run2 = run(made, { of: made.mapping({ writeBack: { status: 'X', message: 'X' } }) });
    await expect(run2).rejects.toThrow('write_back names column "X" twice');
    const run3 = run(made, { of: made.mapping({ writeBack: { status: 'Display_Name' } }) });
    await expect(run3).rejects.toThrow('write_back would write over column "display_name"');
    const run4 = run(made, { of: made.mapping({ writeBack: { status: 'X', message: 'x' } }) });
    await expect(run4).rejects.toThrow('write_back names column "x" twice');
  });
});

describe('a sheet that cannot be written', () => {
  it.each<[string, (made: SheetEngine) => void, string, number]>([
    [
      'because its tab was deleted',
      ({ id }) => {
        fake.deleteTab(id, 'Users');
      },
      'no tab "Users"',
      8,
    ],
    ['because Google asks for patience', () => fake.quota({ writes: 0 }), 'Google', 8],
    [
      'because it may only be read',
      ({ id }) => {
        const body = { error: { code: 403, status: 'PERMISSION_DENIED', message: 'no' } };
        fake.before(({ kind, path }) =>
          kind === 'write' && path.includes(id) ? { status: 403, body } : undefined,
        );
      },
      'as Editor',
      5,
    ],
  ])('%s keeps the outcomes and ends with its own code', async (_, spoil, reason, exit) => {
    const made = await makeSheetEngine(fake, [HEADER, ['A', 'Ann']]);
    let isSpoilt = false;
    made.engine.service.onCall = (body) => {
      if (body !== undefined && !isSpoilt) spoil(made);
      isSpoilt ||= body !== undefined;
    };
    const result = await run(made);
    fake.quota({});
    const summary = result.report.mappings[0] as PushSummary;
    expect(summary).toMatchObject({ created: 1 });
    expect(result.report.exit_code).toBe(exit);
    expect(
      await made.ports.store.newestUnfinishedRun((await made.ports.store.runs(1))[0]?.account ?? never()),
    ).toBeUndefined();
    const [warning = ''] = warnings(made).filter((each) => each.includes('could not be written'));
    expect(warning).toContain('tab "Users": the outcomes could not be written beside the rows: ');
    expect(warning).toContain(reason);
  });
});

function never(): never {
  throw new Error('the run is not kept');
}

describe('a table of settings', () => {
  it('has the outcome on every line, and what is wrong with a setting beside it', async () => {
    const lines = settingNames.map((name): [string, string] => [name, '1']);
    const made = await makeSheetEngine(fake, [['Setting', 'Points'], ['fantasy_league_id', '1'], ...lines]);
    made.tab.set(2, 1, 'many');
    made.tab.set(3, 0, 'Goals by the keeper');
    const plain = made.mapping({
      name: 'points',
      resource: 'points_config',
      operation: 'set',
      writeBack: WRITE_BACK,
    });
    const layout = { kind: 'key_value', keyColumn: 'Setting', valueColumn: 'Points' } as const;
    const of = { ...plain, source: { ...plain.source, layout } };
    expect((await run(made, { of })).report.exit_code).toBe(3);
    const shown = made.tab.shown();
    expect(new Set(shown.slice(1).map((row) => row[2]))).toEqual(new Set(['invalid']));
    expect(shown.slice(1, 5).map((row) => row[3])).toEqual([
      expect.stringMatching(/^setting ".*" is missing; add a row for it$/) as string,
      expect.stringMatching(/^row 3, setting ".*": "many" is not a number/) as string,
      expect.stringMatching(/^row 4: unknown setting "Goals by the keeper"/) as string,
      '',
    ]);
    expect(made.tab.cell(2, 1).note).toMatch(/^teamsheet: "many" is not a number/);
    made.tab.set(2, 1, '1');
    made.tab.set(3, 0, lines[1]?.[0] ?? '');
    await run(made, { of });
    expect(
      new Set(
        made.tab
          .shown()
          .slice(1)
          .map((row) => row[2]),
      ),
    ).toEqual(new Set(['created']));
    expect([2, 3].map((row) => made.tab.cell(row, 1).note)).toEqual([undefined, undefined]);
  });
});
