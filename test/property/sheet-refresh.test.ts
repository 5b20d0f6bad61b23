import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { ReportColumn } from '../../src/model/tables/table.ts';
import { writeSheetReports } from '../../src/tables/google/report.ts';
import { accessTo } from '../support/google-access.ts';
import type { FakeTab } from '../support/google/fake-google.ts';
import { googleOfFile } from '../support/google/of-file.ts';
import { runs } from '../support/long.ts';
import { reportTab } from '../support/report-tab.ts';

const RUNS = runs(20, 500);

const COLUMNS: readonly ReportColumn[] = [
  { header: 'No.', type: 'integer' },
  { header: 'Squad', type: 'text' },
];

const fake = googleOfFile();

/** What happens to a sheet: a refresh with so many rows, or something that its operator does. */
const step = fc.oneof(
  {
    weight: 3,
    arbitrary: fc.record({ kind: fc.constant('refresh' as const), rows: fc.nat(9), seed: fc.nat(3) }),
  },
  fc.record({ kind: fc.constantFrom('insert' as const, 'delete' as const), at: fc.nat(8) }),
  fc.record({ kind: fc.constant('column' as const), at: fc.nat(3) }),
  fc.record({ kind: fc.constant('note' as const), below: fc.integer({ min: 2, max: 5 }) }),
  fc.record({ kind: fc.constant('rename' as const) }),
);
type Step = typeof step extends fc.Arbitrary<infer T> ? T : never;

/** One sheet with its operator: `notes` are the texts below our rows, `rows` those of the last refresh. */
interface Sheet {
  readonly id: string;
  title: string;
  rows: readonly (readonly [number, string])[];
  notes: string[];
  columns: number;
}

const tabOf = ({ id, title }: Sheet): FakeTab => fake.tab(id, title);

/** The positions of our columns, by their headers. */
const positions = (tab: FakeTab): number[] =>
  COLUMNS.map(({ header }) => tab.rows()[0]?.indexOf(header) ?? -1);

function edit(sheet: Sheet, step: Exclude<Step, { kind: 'refresh' }>): void {
  const tab = tabOf(sheet);
  const [first = 0] = positions(tab);
  switch (step.kind) {
    case 'insert':
      // Among our rows: one that is put in below the last is the operator's, and blank.
      if (sheet.rows.length > 1) tab.insertRow(1 + (step.at % (sheet.rows.length - 1)) + 1);
      return;
    case 'delete':
      if (sheet.rows.length > 0) tab.deleteRow(1 + (step.at % sheet.rows.length));
      return;
    case 'column':
      sheet.columns += 1;
      tab.insertColumn(Math.min(step.at, 2), [`Mine ${sheet.columns}`, 'kept']);
      return;
    case 'note': {
      const note = `note ${sheet.notes.length + 1}`;
      tab.set(tab.rows().length + step.below, first, note);
      sheet.notes.push(note);
      return;
    }
    case 'rename':
      sheet.title = `${sheet.title}+`;
      tab.rename(sheet.title);
  }
}

describe('whatever an operator does to a report’s tab between refreshes', () => {
  it('a refresh makes our rows what they should be, and the notes below and the columns beside stay', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: 14 }), async (steps) => {
        const access = accessTo(fake);
        const id = fake.add({ tabs: [{ title: 'Other', rows: [] }] });
        const sheet: Sheet = { id, title: 'Table', rows: [], notes: [], columns: 0 };
        const refresh = async (rows: Sheet['rows']): Promise<void> => {
          const location = { kind: 'sheet', spreadsheet: id, tab: 'Table' } as const;
          await writeSheetReports(access, [reportTab(location, { columns: COLUMNS, rows })]);
          sheet.rows = rows;
          const tab = tabOf(sheet);
          const cells = tab.rows().slice(1);
          const ours = cells.map((row) => positions(tab).map((at) => row[at] ?? null));
          expect(ours.slice(0, rows.length)).toEqual(rows);
          const below = ours
            .slice(rows.length)
            .flat()
            .filter((cell) => cell !== null);
          expect(below).toEqual(sheet.notes);
          const mine = tab.rows()[0]?.filter((cell) => String(cell).startsWith('Mine'));
          expect(mine).toHaveLength(sheet.columns);
        };
        await refresh([[1, 'first']]);
        let edited = false;
        for (const each of steps) {
          if (each.kind === 'refresh') {
            edited = false;
            await refresh(
              Array.from({ length: each.rows }, (_, index) => [index, `squad ${index + each.seed}`]),
            );
          } else if (!edited || (each.kind !== 'insert' && each.kind !== 'delete')) {
            edited ||= each.kind === 'insert' || each.kind === 'delete';
            edit(sheet, each);
          }
        }
        await refresh([[7, 'last']]);
      }),
      { numRuns: RUNS },
    );
  });
});
