import fc from 'fast-check';
import { expect, it } from 'vitest';
import type { ReportColumn, WriteOptions } from '../../src/model/tables/table.ts';
import { writeSheetReports } from '../../src/tables/google/report.ts';
import { accessTo } from '../support/google-access.ts';
import type { FakeCell, FakeTab, Fault, GoogleCall } from '../support/google/fake-google.ts';
import { FAULTS } from '../support/google/faults.ts';
import { googleOfFile } from '../support/google/of-file.ts';
import { runs } from '../support/long.ts';
import { combinedRows, reportTab } from '../support/report-tab.ts';

const RUNS = runs(12, 1500);
const SEED = process.env['TEAMSHEET_SEED'];

const COLUMNS: readonly ReportColumn[] = [
  { header: 'No.', type: 'integer' },
  { header: 'Squad', type: 'text' },
  { header: 'Points', type: 'number' },
];
const TEXTS = ['Reds', '=1+1', '00123', "'x", '7', 'TRUE', '2026-08-14', '#N/A', '', ' a ', null];
/** What Google makes of a date, a time, a percentage and an amount that somebody types. */
const TYPED: readonly FakeCell[] = [
  { value: 46_248, format: { type: 'DATE', pattern: 'dd.mm.yyyy' } },
  { value: 0.3125, format: { type: 'TIME', pattern: 'h:mm' } },
  { value: 0.5, format: { type: 'PERCENT', pattern: '0%' } },
  { value: 12.5, format: { type: 'CURRENCY', pattern: '$0.00' } },
];
/** A layout, or none. */
const LAYOUTS = [
  undefined,
  'version: 1\nsort: [{ by: Points, descending: true }]\ntotals: { Points: sum }\n',
  'version: 1\nfilter: false\ntotals: { Points: max, No.: count }\n',
];

type WriteMode = WriteOptions['mode'];

/** What an operator does. */
const KINDS = [
  'insert_row',
  'delete_row',
  'own_column',
  'move_column',
  'note',
  'rename_tab',
  'sort',
  'type',
  'lose_column',
] as const;
interface Edit {
  readonly kind: (typeof KINDS)[number];
  readonly at: number;
  readonly with: number;
}
type Row = readonly [number, string | null, number];
/** What somebody does between the reading of a tab and the write. */
const BETWEEN = ['insert_row', 'delete_row', 'sort', 'type', 'insert_column', 'move_column', 'note'] as const;
interface Between {
  readonly kind: (typeof BETWEEN)[number];
  readonly at: number;
  readonly with: number;
}
interface Refresh {
  readonly between?: Between | undefined;
  readonly rows: readonly Row[];
  readonly layout: number;
  readonly fault: { readonly call: number; readonly fault: number; readonly lasts: boolean } | undefined;
}
type Step = { readonly edit: Edit } | { readonly refresh: Refresh };
const step: fc.Arbitrary<Step> = fc.oneof(
  fc.record({
    edit: fc.record({ kind: fc.constantFrom(...KINDS), at: fc.nat(20), with: fc.nat(20) }),
  }),
  fc.record({
    refresh: fc.record({
      rows: fc.uniqueArray(
        fc.tuple(fc.nat(9), fc.constantFrom(...TEXTS), fc.constantFrom(0, 1, 2.5, -3, 1e6)),
        { selector: ([key]) => key, maxLength: 7 },
      ),
      layout: fc.nat(LAYOUTS.length - 1),
      between: fc.option(fc.record({ kind: fc.constantFrom(...BETWEEN), at: fc.nat(20), with: fc.nat(20) }), {
        freq: 2,
        nil: undefined,
      }),
      fault: fc.option(
        fc.record({
          call: fc.integer({ min: 1, max: 5 }),
          fault: fc.nat(FAULTS.length - 1),
          lasts: fc.boolean(),
        }),
        { freq: 4, nil: undefined },
      ),
    }),
  }),
);

const fake = googleOfFile();
type Cell = string | number | boolean | null;

/** The cells of a tab, and where our columns stand in it. */
interface Look {
  readonly all: readonly (readonly Cell[])[];
  readonly places: readonly number[];
}

/** A report's tab with its operator, and what a refresh has to make of it. */
class Season {
  readonly #id = fake.add({ tabs: [{ title: 'Other', rows: [] }] });
  readonly #access = accessTo(fake);
  #title = 'Table';
  /** Rows below the header that are ours, the totals with them. */
  #ours = 0;
  #totals = false;
  #isThere = false;
  /** Whether a refresh has said that it was written: the tab is known by more than its name since. */
  #isKnown = false;
  #made = 0;
  /** Whether rows were put in or taken out since the last refresh: of several such edits nobody can tell which rows are whose. */
  #isMoved = false;
  readonly #mode: WriteMode;
  calls = 0;
  #fault: Refresh['fault'];
  #between: Between | undefined;
  /** The tab right after somebody edited it between the reading and the write. */
  #edited: (Look & { readonly ours: number }) | undefined;
  constructor(mode: WriteMode) {
    this.#mode = mode;
  }

  get #tab(): FakeTab {
    return fake.tab(this.#id, this.#title);
  }

  meet({ path, kind }: GoogleCall): Fault | undefined {
    if (!path.includes(this.#id)) return undefined;
    this.calls += 1;
    if (kind === 'write') this.#meddle();
    const fault = this.#fault;
    if (fault === undefined) return undefined;
    return this.calls === fault.call || (fault.lasts && this.calls > fault.call)
      ? FAULTS[fault.fault]
      : undefined;
  }

  edit({ kind, at, with: other }: Edit): void {
    if (!this.#isThere) return;
    const tab = this.#tab;
    const header = tab.rows()[0] ?? [];
    const places = positions(tab);
    const [, , points = -1] = places;
    const hasBelow = tab.rows().length > this.#ours + 1;
    switch (kind) {
      case 'insert_row':
        if (this.#ours < 2 || this.#isMoved) return;
        tab.insertRow(2 + (at % (this.#ours - 1)));
        this.#ours += 1;
        this.#isMoved = true;
        return;
      case 'delete_row': {
        if (this.#ours < 1 || this.#isMoved) return;
        const row = at % this.#ours;
        tab.deleteRow(1 + row);
        this.#ours -= 1;
        if (row === this.#ours) this.#totals = false;
        this.#isMoved = true;
        return;
      }
      case 'own_column':
        this.#made += 1;
        tab.insertColumn(at % (header.length + 1), [
          `Mine ${this.#made}`,
          ...Array.from({ length: this.#ours }, (_, row) =>
            row % 2 === other % 2 ? null : `m${this.#made}-${row}`,
          ),
        ]);
        return;
      case 'move_column': {
        const from = at % header.length;
        moveColumn(tab, from, other % header.length);
        return;
      }
      case 'note':
        this.#made += 1;
        tab.set(tab.rows().length + 1 + (at % 3), points === -1 ? 0 : points, `note ${this.#made}`);
        return;
      case 'rename_tab':
        if (!this.#isKnown) return;
        this.#title += '+';
        tab.rename(this.#title);
        return;
      case 'sort':
        if (hasBelow || this.#isMoved || this.#totals) return;
        tab.sortBy(at % header.length, { descending: other % 2 === 0 });
        this.#isMoved = true;
        return;
      case 'type':
        if (this.#ours === 0 || this.#isMoved) return;
        tab.set(1 + (at % this.#ours), places[1] ?? 0, [...TEXTS.slice(0, 5), ...TYPED][other % 9] ?? null);
        this.#isMoved = 1 + (at % this.#ours) === this.#ours;
        return;
      case 'lose_column':
        if (at % 3 !== 0 || this.#isMoved) return;
        this.#made += 1;
        tab.set(0, places[2] ?? 0, `Was ours ${this.#made}`);
        this.#isMoved = true;
        return;
    }
  }

  #meddle(): void {
    const between = this.#between;
    this.#between = undefined;
    if (between === undefined || !this.#isThere || this.#ours === 0) return;
    const tab = this.#tab;
    const width = tab.rows()[0]?.length ?? 0;
    const { kind, at, with: other } = between;
    const row = 1 + (at % this.#ours);
    // What comes to stand where a lost column of ours is made anew is written over, and nothing tells so.
    if (kind === 'insert_column' && positions(tab).includes(-1)) return;
    switch (kind) {
      case 'insert_row':
        tab.insertRow(row);
        break;
      case 'delete_row':
        tab.deleteRow(row);
        break;
      case 'sort':
        if (tab.rows().length > this.#ours + 1) return;
        tab.sortBy(at % width, { descending: other % 2 === 0 });
        break;
      case 'type':
        tab.set(row, positions(tab)[other % 3] ?? 0, `typed ${(this.#made += 1)}`);
        break;
      case 'insert_column':
        this.#made += 1;
        tab.insertColumn(other % (width + 1), [
          `Mine ${this.#made}`,
          ...Array.from({ length: this.#ours }, (_, index) => `m${this.#made}-${index}`),
        ]);
        break;
      case 'move_column': {
        const from = at % width;
        moveColumn(tab, from, other % width);
        break;
      }
      case 'note':
        // Below what this refresh may grow into: a cell that is typed where it writes is written over.
        tab.set(tab.rows().length + 10 + (at % 3), positions(tab)[2] ?? 0, `note ${(this.#made += 1)}`);
        break;
    }
    const more = kind === 'insert_row' ? 1 : kind === 'delete_row' ? -1 : 0;
    this.#edited = { ...this.#look(), ours: this.#ours + more };
  }

  async refresh({ rows, layout, fault, between }: Refresh): Promise<void> {
    const before = this.#isThere ? this.#look() : undefined;
    this.calls = 0;
    this.#fault = fault;
    // With a fault, nobody edits: what became of both, the model does not know.
    this.#between = fault === undefined ? between : undefined;
    this.#edited = undefined;
    const said = this.#access.warnings.length;
    const location = { kind: 'sheet', spreadsheet: this.#id, tab: 'Table' } as const;
    const report = reportTab(location, {
      columns: COLUMNS,
      rows,
      options: { mode: this.#mode, key: ['No.'] },
      layout: LAYOUTS[layout],
    });
    let failed: unknown;
    await writeSheetReports(this.#access, [report]).catch((error: unknown) => {
      failed = error;
    });
    this.#fault = undefined;
    this.#between = undefined;
    const isTold = this.#access.warnings.slice(said).some((text) => text.includes('moved while'));
    if (failed !== undefined) {
      expect(fault).toBeDefined();
      const after = fake.tabTitles(this.#id).includes(this.#title) ? this.#look() : undefined;
      if (JSON.stringify(after) === JSON.stringify(before)) return;
      // What Google carried out is there as a whole, also where nothing said so.
      expect(fault?.lasts).toBe(true);
    }
    this.#isKnown ||= failed === undefined;
    this.#isThere = true;
    this.#check(before, rows, layout, isTold);
    this.#isMoved = false;
  }

  /** The cells; what somebody typed among the texts as they see it, which it may be from now on. */
  #look(): Look {
    const tab = this.#tab;
    const places = positions(tab);
    const texts = places[1] ?? -1;
    const typed = new Set<unknown>(TYPED.map((cell) => formatOf(cell)?.type));
    const all = tab.rows().map((row, at) => {
      if (typeof row[texts] !== 'number') return row;
      const { format, shown } = tab.cell(at, texts);
      return typed.has(format?.numberFormat?.type) ? row.with(texts, shown) : row;
    });
    return { all, places };
  }

  #check(before: Look | undefined, fresh: readonly Row[], layout: number, isTold: boolean): void {
    const old = before?.all ?? [];
    const oldOurs = old
      .slice(1, 1 + this.#ours - (this.#totals ? 1 : 0))
      .map((row) => before?.places.map((at) => row[at] ?? null) ?? [])
      .filter((row) => row.some((cell) => cell !== null));
    const wanted = combinedRows(
      this.#mode,
      oldOurs,
      fresh.map((row) => row.map((cell) => (cell === '' ? null : cell))),
    );
    const sorted = layout === 1 ? wanted.toSorted((a, b) => order(a[2]) - order(b[2])) : wanted;
    const { all, places } = this.#look();
    expect(places).not.toContain(-1);
    const ours = all.slice(1).map((row) => places.map((at) => row[at] ?? null));
    const rows = sorted.length;
    expect(ours.slice(0, rows)).toEqual(sorted);
    const wasOurs = this.#ours;
    this.#totals = layout !== 0 && rows > 0;
    this.#ours = rows + (this.#totals ? 1 : 0);
    const points = sorted.map((row) => row[2]).filter((cell) => typeof cell === 'number');
    if (this.#totals && points.length > 0)
      expect(ours[rows]?.[2]).toBe(
        layout === 1 ? points.reduce((sum, each) => sum + each, 0) : Math.max(...points),
      );
    const below = (look: Look | undefined, from: number): readonly Cell[] =>
      (look?.all ?? [])
        .slice(1 + from)
        .flatMap((row) => look?.places.map((at) => row[at] ?? null) ?? [])
        .filter((cell) => cell !== null);
    const now = { all, places };
    if (isTold) {
      expect(this.#edited).toBeDefined();
      // What is not the report's may have been written over, and none of its old rows is left below.
      expect(below(before, wasOurs)).toEqual(expect.arrayContaining([...below(now, this.#ours)]));
      return;
    }
    const operator = this.#edited ?? before;
    expect(below(now, this.#ours).toSorted()).toEqual(
      below(operator, this.#edited?.ours ?? wasOurs).toSorted(),
    );
    const mine = others(now);
    expect([...mine.keys()]).toEqual(expect.arrayContaining([...others(operator).keys()]));
    for (const [name, cells] of others(operator)) {
      const same = Math.min(wasOurs, this.#ours);
      const found = mine.get(name) ?? [];
      expect(found.slice(0, same)).toEqual(cells.slice(0, same));
      expect(found.filter((cell) => cell !== null)).toEqual(cells.filter((cell) => cell !== null));
    }
  }
}

const formatOf = (cell: FakeCell | undefined): { readonly type: string } | undefined =>
  typeof cell === 'object' && cell !== null ? cell.format : undefined;

/** Moves a column of a tab with the formats of its cells. */
function moveColumn(tab: FakeTab, from: number, to: number): void {
  const cells = tab.rows().map((row, at): FakeCell => {
    const { type, pattern } = tab.cell(at, from).format?.numberFormat ?? {};
    const format = typeof type === 'string' ? { format: { type, pattern: pattern ?? '' } } : {};
    return { value: row[from] ?? null, ...format };
  });
  tab.deleteColumn(from);
  tab.insertColumn(to, cells);
}

/** The cells of the operator's columns by their headers, as long as the tab. */
const others = (look: Look | undefined): ReadonlyMap<Cell, readonly Cell[]> =>
  new Map(
    (look?.all[0] ?? []).flatMap((name, at): [Cell, readonly Cell[]][] =>
      look === undefined || look.places.includes(at) || name === null
        ? []
        : [[name, Array.from({ length: 40 }, (_, row) => look.all[1 + row]?.[at] ?? null)]],
    ),
  );

const order = (cell: Cell | undefined): number => (typeof cell === 'number' ? -cell : Infinity);

const positions = (tab: FakeTab): number[] =>
  COLUMNS.map(({ header }) => tab.rows()[0]?.indexOf(header) ?? -1);

it('over a season of refreshes, edits and faults, a tab has the rows of its report, and what is the operator’s stays', async () => {
  let season: Season | undefined;
  fake.before((call) => season?.meet(call));
  await fc.assert(
    fc.asyncProperty(
      fc.constantFrom<WriteMode>('replace', 'append', 'merge'),
      fc.array(step, { minLength: 2, maxLength: 14 }),
      async (mode, steps) => {
        season = new Season(mode);
        for (const each of steps) {
          if ('edit' in each) season.edit(each.edit);
          else await season.refresh(each.refresh);
        }
      },
    ),
    { numRuns: RUNS, ...(SEED !== undefined && { seed: Number(SEED) }) },
  );
});
