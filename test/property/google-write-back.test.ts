import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { WriteBack } from '../../src/model/tables/table.ts';
import { createSheetKind } from '../../src/tables/google-sheets.ts';
import { accessTo } from '../support/google-access.ts';
import { googleOfFile } from '../support/google/of-file.ts';
import type { FakeTab } from '../support/google/fake-google.ts';
import { runs } from '../support/long.ts';

const fake = googleOfFile();

const OURS = ['Status', 'Message', 'Service ID'];
const HEADER = ['ID', 'Name', 'Status', 'Remark', 'Message', 'Service ID'];
const THEIRS = HEADER.filter((name) => !OURS.includes(name));

/** What a person does to the rows of a tab; places are taken modulo what there is. */
const ROW_EDITS = ['above', 'blank', 'delete', 'insert', 'move', 'rename', 'sort', 'upmost'] as const;
interface Edit {
  readonly kind: (typeof ROW_EDITS)[number] | 'column';
  readonly at: number;
  readonly to: number;
}
const editOf = (...kinds: readonly Edit['kind'][]): fc.Arbitrary<Edit> =>
  fc.record({ kind: fc.constantFrom(...kinds), at: fc.nat(30), to: fc.nat(30) });

/** One sheet, and its twin that has none of our columns. */
class Pair {
  readonly tab: FakeTab;
  readonly id: string;
  readonly #twin: FakeTab;
  #marks = 0;

  constructor(above: number, header: readonly string[], rows: readonly (readonly string[])[]) {
    const add = (names: readonly string[]): string => {
      const pick = (cells: readonly string[]) =>
        cells.filter((_, at) => names.includes(header[at] ?? '')).map((cell) => cell);
      const top = Array.from({ length: above }, (_, at) => [`Line ${at}`]);
      return fake.add({ tabs: [{ title: 'Users', rows: [...top, pick(header), ...rows.map(pick)] }] });
    };
    this.id = add(header);
    this.tab = fake.tab(this.id, 'Users');
    this.#twin = fake.tab(add(THEIRS), 'Users');
  }

  edit(edit: Edit): void {
    this.#marks += 1;
    const header = headerRow(this.#twin);
    const rows = withoutOurs(this.#twin).length - 1 - header;
    for (const tab of [this.tab, this.#twin]) perform(tab, edit, { header, rows, mark: `m${this.#marks}` });
  }

  expectTheirs(): void {
    expect(withoutOurs(this.tab)).toEqual(withoutOurs(this.#twin));
  }
}

const headerRow = (tab: FakeTab): number => tab.shown().findIndex((cells) => cells.includes('Remark'));

function perform(
  tab: FakeTab,
  { kind, at, to }: Edit,
  { header, rows, mark }: { readonly header: number; readonly rows: number; readonly mark: string },
): void {
  const columnOf = (name = ''): number => tab.shown()[header]?.indexOf(name) ?? -1;
  const row = header + 1 + (at % Math.max(rows, 1));
  switch (kind) {
    case 'above':
      tab.insertRow(at % (header + 1), [`Line ${mark}`]);
      return;
    case 'upmost':
      if (header > 0) tab.deleteRow(at % header);
      return;
    case 'blank':
      tab.insertRow(row);
      return;
    case 'insert':
      tab.insertRow(row);
      tab.set(row, columnOf('ID'), `new-${mark}`);
      tab.set(row, columnOf('Name'), 'Somebody new');
      return;
    case 'delete':
      if (rows > 0) tab.deleteRow(row);
      return;
    case 'rename':
      if (rows > 0) tab.set(row, columnOf('Name'), `Name ${mark}`);
      return;
    case 'move': {
      if (rows < 2) return;
      const cells = tab.shown()[row] ?? [];
      tab.deleteRow(row);
      tab.insertRow(header + 1 + (to % rows), cells);
      return;
    }
    case 'sort':
      if (header === 0) tab.sortBy(columnOf(to % 2 === 0 ? 'ID' : 'Name'), { descending: at % 2 === 0 });
      return;
    case 'column': {
      const above = Array<string>(header).fill('');
      const cells = to % 2 === 0 ? [] : [...above, `Extra ${mark}`, 'x', 'y'];
      tab.insertColumn(columnOf(THEIRS[at % THEIRS.length]), cells);
    }
  }
}

/** The table without our columns and without blanks at its ends. */
function withoutOurs(tab: FakeTab): readonly (readonly string[])[] {
  const shown = tab.shown();
  const header = headerRow(tab);
  const others = shown.map((row, at) => {
    const cells =
      at < header ? row : row.filter((_, column) => !OURS.includes(shown[header]?.[column] ?? ''));
    return cells.slice(0, cells.findLastIndex((text) => text !== '') + 1);
  });
  return others.slice(0, others.findLastIndex((cells) => cells.length > 0) + 1);
}

const SAID: Readonly<Record<string, (at: number) => WriteBack['rows'][number]['values']>> = {
  nothing: () => ({}),
  done: (at) => ({ Status: 'done', Message: `now ${at}`, 'Service ID': `id-${at}` }),
  'without an id': () => ({ Status: 'done', Message: 'done' }),
  'empty texts': () => ({ Status: '', Message: '', 'Service ID': '' }),
};

const person = fc.record({
  said: fc.constantFrom(...Object.keys(SAID)),
  /** Otherwise the row is one of another mapping of the tab. */
  isOfRun: fc.boolean(),
  /** Something stands beside it already. */
  isOld: fc.boolean(),
  isNoted: fc.boolean(),
});

test('whatever people do to a tab before and during the write-back, each row has its own outcome and nothing else changed', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(person, { minLength: 1, maxLength: 7 }),
      fc.nat(2),
      fc.nat(3),
      fc.array(editOf(...ROW_EDITS, 'column'), { maxLength: 4 }),
      // A column and a row that both move at once are too much.
      fc.oneof(
        { weight: 3, arbitrary: fc.array(editOf(...ROW_EDITS), { maxLength: 2 }) },
        { weight: 1, arbitrary: fc.tuple(editOf('column')) },
      ),
      async (people, above, missing, before, during) => {
        const header = HEADER.filter((name) => !OURS.slice(OURS.length - missing).includes(name));
        const full = people.map(({ isOfRun, isOld }, at) => [
          ...[
            `${isOfRun ? 'k' : 'o'}${at}`,
            'Ada',
            isOld ? (at % 2 === 0 ? 'old' : 'done') : '',
            `row ${at}`,
          ],
          ...(isOld ? [`old ${at}`, `old-${at}`] : ['', '']),
        ]);
        const rows = full.map((cells) => cells.filter((_, at) => header.includes(HEADER[at] ?? '')));
        const pair = new Pair(above, header, rows);
        const { tab, id } = pair;
        for (const each of before) pair.edit(each);
        const left: Edit[] = [...during];
        fake.before(({ path }) => {
          if (!path.includes(id) || !path.endsWith(':batchUpdate')) return;
          const next = left.shift();
          if (next !== undefined) pair.edit(next);
        });
        const saidOf = (at: number): Readonly<Record<string, string>> =>
          SAID[people[at]?.said ?? '']?.(at) ?? {};
        const numberOf = (at: number): number => above + 2 + at;
        const content: WriteBack = {
          options: { origin: 'tab "Users"', headerRow: above + 1, delimiter: 'auto', encoding: 'auto' },
          header,
          columns: OURS,
          keys: ['ID'],
          used: ['ID', 'Name'],
          rows: people.flatMap(({ isOfRun, isNoted }, at) =>
            isOfRun
              ? {
                  rowNumber: numberOf(at),
                  cells: rows[at] ?? [],
                  values: saidOf(at),
                  notes: isNoted ? { Name: `wrong ${at}` } : {},
                }
              : [],
          ),
        };
        const result = await createSheetKind(accessTo(fake)).writeBack(
          { kind: 'sheet', spreadsheet: id, tab: 'Users' },
          content,
        );
        const shown = tab.shown();
        const top = headerRow(tab);
        const columnOf = (name: string): number => shown[top]?.indexOf(name) ?? -1;
        for (const [row, cells] of shown.entries()) {
          if (row <= top) continue;
          const key = cells[columnOf('ID')] ?? '';
          const at = /^[ko]\d+$/.test(key) ? Number(key.slice(1)) : -1;
          const said = key.startsWith('k') ? saidOf(at) : {};
          for (const name of OURS) {
            const stood = header.includes(name) ? (full[at]?.[HEADER.indexOf(name)] ?? '') : '';
            expect([key, name, cells[columnOf(name)] ?? '']).toEqual([key, name, said[name] ?? stood]);
          }
          const isNoted = key.startsWith('k') && people[at]?.isNoted === true;
          const notes = cells.flatMap((_, column) => {
            const { note } = tab.cell(row, column);
            return note === undefined || note === '' ? [] : [[shown[top]?.[column], note]];
          });
          expect([key, notes]).toEqual([key, isNoted ? [['Name', `teamsheet: wrong ${at}`]] : []]);
        }
        const keys = shown.map((cells) => cells[columnOf('ID')]);
        const gone = content.rows.filter(({ cells: [key] }) => !keys.includes(key));
        expect(result.gone).toEqual(gone.map(({ rowNumber }) => rowNumber));
        expect(result.written + result.gone.length).toBe(content.rows.length);
        pair.expectTheirs();
      },
    ),
    { numRuns: runs(60, 1500) },
  );
  expect(fake.problems).toEqual([]);
});
