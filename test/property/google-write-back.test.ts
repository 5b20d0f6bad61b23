import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { WriteBack } from '../../src/model/tables/table.ts';
import { createSheetKind } from '../../src/tables/google-sheets.ts';
import { accessTo } from '../support/google-access.ts';
import { googleOfFile } from '../support/google/of-file.ts';
import type { FakeTab } from '../support/google/fake-google.ts';
import { runs } from '../support/long.ts';

const fake = googleOfFile();

const HEADER = ['ID', 'Name', 'Status', 'Remark'];

/** What a person does to a tab; positions are taken modulo the rows there are. */
type Edit =
  | { readonly kind: 'sort'; readonly column: 0 | 1; readonly descending: boolean }
  | { readonly kind: 'insert'; readonly at: number }
  | { readonly kind: 'delete'; readonly at: number }
  | { readonly kind: 'rename'; readonly at: number }
  | { readonly kind: 'remark'; readonly at: number }
  | { readonly kind: 'column' };

const edit: fc.Arbitrary<Edit> = fc.oneof(
  fc.record({
    kind: fc.constant('sort' as const),
    column: fc.constantFrom(0 as const, 1 as const),
    descending: fc.boolean(),
  }),
  ...(['insert', 'delete', 'rename', 'remark'] as const).map((kind) =>
    fc.record({ kind: fc.constant(kind), at: fc.nat(30) }),
  ),
  fc.constant({ kind: 'column' as const }),
);

/** Does the edit; new texts are unlike all others. */
function perform(tab: FakeTab, each: Edit, newMark: () => string): void {
  const columnOf = (name: string): number => tab.shown()[0]?.indexOf(name) ?? -1;
  const rows = tab.shown().length - 1;
  const at = 'at' in each ? 1 + (each.at % Math.max(rows, 1)) : 1;
  switch (each.kind) {
    case 'sort':
      tab.sortBy(each.column, { descending: each.descending });
      return;
    case 'insert': {
      const mark = newMark();
      tab.insertRow(at);
      tab.set(at, columnOf('ID'), `new-${mark}`);
      tab.set(at, columnOf('Name'), 'Somebody new');
      tab.set(at, columnOf('Remark'), mark);
      return;
    }
    case 'delete':
      if (rows > 0) tab.deleteRow(at);
      return;
    case 'rename':
      if (rows > 0) tab.set(at, columnOf('Name'), 'Renamed');
      return;
    case 'remark':
      if (rows > 0) tab.set(at, columnOf('Name'), `Name of ${newMark()}`);
      return;
    case 'column':
      tab.insertColumn(columnOf('Remark'), [`Extra ${newMark()}`]);
  }
}

/** The table without our column and without blanks at its ends. */
const withoutStatus = (rows: readonly (readonly string[])[]): readonly (readonly string[])[] => {
  const at = rows[0]?.indexOf('Status') ?? -1;
  const others = rows.map((row) => {
    const cells = row.filter((_, index) => index !== at);
    return cells.slice(0, cells.findLastIndex((text) => text !== '') + 1);
  });
  return others.slice(0, others.findLastIndex((cells) => cells.length > 0) + 1);
};

test('whatever people do to a tab before and during the write-back, each row has its own outcome and nothing else changed', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(
        fc.record({
          name: fc.constantFrom('Ada', 'Björn', 'Carla'),
          told: fc.constantFrom('done', '', undefined),
        }),
        { minLength: 1, maxLength: 8 },
      ),
      fc.array(edit, { maxLength: 5 }),
      fc.array(edit, { maxLength: 2 }),
      async (people, before, during) => {
        const rows = people.map(({ name }, index) => [`k${index}`, name, `was k${index}`, `row ${index}`]);
        const id = fake.add({ tabs: [{ title: 'Users', rows: [HEADER, ...rows] }] });
        const tab = fake.tab(id, 'Users');
        let marks = 0;
        const newMark = (): string => `m${(marks += 1)}`;
        for (const each of before) perform(tab, each, newMark);
        const left = during.filter(({ kind }) => kind !== 'column');
        let expected = withoutStatus(tab.shown());
        fake.before(({ path }) => {
          if (!path.includes(id) || !path.endsWith(':batchUpdate')) return;
          const next = left.shift();
          if (next !== undefined) perform(tab, next, newMark);
          expected = withoutStatus(tab.shown());
        });
        const valuesOf = (index: number): { readonly Status?: string } => {
          const told = people[index]?.told;
          return told === undefined ? {} : { Status: told === '' ? '' : `${told} k${index}` };
        };
        const content: WriteBack = {
          options: { origin: 'tab "Users"', headerRow: 1, delimiter: 'auto', encoding: 'auto' },
          header: HEADER,
          columns: ['Status'],
          keys: ['ID'],
          rows: rows.map((cells, index) => ({
            rowNumber: index + 2,
            cells,
            values: valuesOf(index),
            notes: {},
          })),
        };
        const access = accessTo(fake);
        const result = await createSheetKind(access).writeBack(
          { kind: 'sheet', spreadsheet: id, tab: 'Users' },
          content,
        );
        const shown = tab.shown();
        const status = shown[0]?.indexOf('Status') ?? -1;
        for (const row of shown.slice(1)) {
          const key = row[0] ?? '';
          const { Status: told = `was ${key}` } = valuesOf(Number(key.slice(1)));
          expect(row[status] ?? '').toBe(key.startsWith('k') ? told : '');
        }
        const there = shown.slice(1).map(([key = '']) => key);
        expect(result.gone).toEqual(
          rows.flatMap(([key = ''], index) => (there.includes(key) ? [] : [index + 2])),
        );
        expect(result.written + result.gone.length).toBe(rows.length);
        expect(withoutStatus(shown)).toEqual(expected);
      },
    ),
    { numRuns: runs(40, 1000) },
  );
  expect(fake.problems).toEqual([]);
});
