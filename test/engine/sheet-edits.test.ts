import { describe, expect, it } from 'vitest';
import { TeamsheetError } from '../../src/model/error.ts';
import { push } from '../../src/sync/push.ts';
import { PLAN_OPTIONS } from '../support/engine.ts';
import type { FakeCell, FakeTab } from '../support/google/fake-google.ts';
import { makeSheetEngine, WRITE_BACK, type SheetEngine } from '../support/sheet-engine.ts';
import { googleOfFile } from '../support/google/of-file.ts';

const fake = googleOfFile();

const OURS = Object.values(WRITE_BACK);
const HEADER = ['external_id', 'display_name', 'Fee'];
const NUMBERS = [4, 1, 3, 5, 2];
const rowOf = (number: number): FakeCell[] => [
  `m-${number}`,
  `Name ${number}`,
  { formula: `=${number}+1`, value: number + 1 },
];
const fresh = (): FakeCell[][] => [HEADER, ...NUMBERS.map(rowOf)];
const before = (): FakeCell[][] => [
  [...HEADER, ...OURS, 'Remark'],
  ...NUMBERS.map((number): FakeCell[] => [
    ...rowOf(number),
    'invalid',
    'old news',
    '',
    '2026-01-01 00:00',
    `r${number}`,
  ]),
];

/** What a person does to a tab at one moment. */
const EDITS: Readonly<Record<string, (tab: FakeTab) => void>> = {
  'sorts it': (tab) => tab.sortBy(0),
  'inserts a row at the top': (tab) => tab.insertRow(1, ['m-0', 'Name 0']),
  'inserts an empty row above the header': (tab) => tab.insertRow(0, ['Members']),
  'inserts a row in the middle': (tab) => tab.insertRow(3, ['m-9', 'Name 9']),
  'adds a row at the end': (tab) => {
    tab.set(6, 0, 'm-7');
    tab.set(6, 1, 'Name 7');
  },
  'deletes the first row': (tab) => tab.deleteRow(1),
  'deletes the last row': (tab) => tab.deleteRow(5),
  'inserts a column at the left': (tab) => tab.insertColumn(0, ['No.', '1', '2', '3', '4', '5']),
  'inserts a column among the others': (tab) => tab.insertColumn(2, ['Club', 'x', 'y', 'z']),
  'inserts a column after the others': (tab) => tab.insertColumn(3, ['Club']),
  'deletes a column': (tab) => tab.deleteColumn(2),
  'changes a name': (tab) => tab.set(2, 1, 'Other name'),
  'changes a cell that is not read': (tab) => tab.set(2, 2, 77),
  'renames the tab': (tab) => tab.rename('Members'),
  'merges two cells of names': (tab) => tab.merge(1, 2, 3, 3),
};

/** Everything in a tab but our columns: values, formulas and notes that are not ours. */
function othersOf(tab: FakeTab): unknown {
  const shown = tab.shown();
  const at = shown.findIndex((row) => row.includes('external_id'));
  const own = new Set((shown[at] ?? []).flatMap((name, column) => (OURS.includes(name) ? [column] : [])));
  const width = Math.max(...shown.map(({ length }) => length));
  return shown.map((_, row) =>
    Array.from({ length: width }, (_column, column) => column)
      .filter((column) => !own.has(column))
      .map((column) => {
        const { value, formula, note } = tab.cell(row, column);
        return formula ?? value ?? note ?? null;
      })
      .filter((_cell, index, all) => all.slice(index).some((each) => each !== null)),
  );
}

/** Pushes; answers the exit code. */
async function run({ ports, mapping }: SheetEngine): Promise<number> {
  try {
    const of = [mapping({ writeBack: WRITE_BACK })];
    return (await push(ports, 'push', of, PLAN_OPTIONS, () => Promise.resolve())).report.exit_code;
  } catch (error) {
    if (error instanceof TeamsheetError) return error.exitCode;
    throw error;
  }
}

const callsOf = ({ id }: SheetEngine): readonly { readonly kind: string }[] =>
  fake.calls.filter(({ path }) => path.includes(id));

/** Every row says what became of its own key, in one of our columns only. */
function expectOwn({ engine, tab }: SheetEngine, all: boolean): void {
  const shown = tab.shown();
  const header = shown.find((row) => row.includes('external_id')) ?? [];
  for (const name of OURS) expect(header.filter((each) => each === name).length).toBeLessThanOrEqual(1);
  const cell = (row: readonly string[], name: string): string => row[header.indexOf(name)] ?? '';
  const ids = new Map(
    engine.service.users.map(({ external_id, user_id }) => [external_id, `user-${user_id}`]),
  );
  for (const row of shown.slice(shown.indexOf(header) + 1)) {
    const key = cell(row, 'external_id');
    const id = cell(row, 'Service ID');
    if (id !== '') expect([key, id]).toEqual([key, ids.get(key)]);
    if (all)
      expect([key, id, cell(row, 'Status')]).toEqual([
        key,
        ids.get(key),
        expect.stringMatching(/^(created|updated|unchanged)$/),
      ]);
  }
}

describe.each([
  ['without our columns', fresh],
  ['with our columns from before', before],
] as const)('somebody who has a tab %s', (_, rows) => {
  describe.each(Object.entries(EDITS))('%s', (_name, edit) => {
    it.each([2, 4, 6])('before call %i of a push', async (nth) => {
      const made = await makeSheetEngine(fake, rows());
      const twin = fake.tab(fake.add({ tabs: [{ title: 'Twin', rows: rows() }] }), 'Twin');
      let count = 0;
      fake.before(({ path }) => {
        if (!path.includes(made.id)) return;
        count += 1;
        if (count !== nth) return;
        edit(made.tab);
        edit(twin);
      });
      const first = await run(made);
      if (count >= nth) {
        expect(othersOf(made.tab)).toEqual(othersOf(twin));
        expect([0, 3, 4, 7, 8]).toContain(first);
      }
      expectOwn(made, false);
      if (count < nth) return;
      await run(made);
      const calls = callsOf(made).length;
      const writes = made.engine.service.writes.length;
      const last = await run(made);
      const keys = made.engine.service.users.map(({ external_id }) => external_id);
      expect(new Set(keys).size).toBe(keys.length);
      expect(made.engine.service.writes.length).toBe(writes);
      expect(
        callsOf(made)
          .slice(calls)
          .filter(({ kind }) => kind === 'write'),
      ).toEqual([]);
      if (last === 0) expectOwn(made, true);
    });
  });
});
