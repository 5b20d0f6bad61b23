import { describe, expect, it } from 'vitest';
import type { ChartSpec, Layout } from '../../../src/model/tables/layout.ts';
import type { ReportColumn, ReportValue } from '../../../src/model/tables/table.ts';
import { joinLayout, orderColumns } from '../../../src/report/arrange.ts';

const layout = (changes: Partial<Layout> = {}): Layout => ({
  columns: new Map(),
  freeze: { rows: 1, columns: 0 },
  filter: true,
  sort: [],
  rules: [],
  totals: new Map(),
  charts: [],
  highlights: [],
  chartTab: undefined,
  tabColor: undefined,
  cover: undefined,
  ...changes,
});
const column = (header: string, type: ReportColumn['type'] = 'text'): ReportColumn => ({ header, type });
const arrange = (
  changes: Partial<Layout>,
  columns: readonly ReportColumn[],
  rows: readonly (readonly ReportValue[])[],
) => joinLayout(layout(changes), columns).arrange(rows);

describe('columns', () => {
  it('stand in the order of the layout, then in their own', () => {
    const columns = ['A', 'B', 'C', 'D'].map((header) => column(header));
    const named = new Map([
      ['C', {}],
      ['A', {}],
    ]);
    expect(orderColumns(layout({ columns: named }), columns).map(({ header }) => header)).toEqual([
      ...['C', 'A', 'B', 'D'],
    ]);
  });
});

describe('rows', () => {
  const sorted = (values: readonly ReportValue[], descending = false): readonly ReportValue[] =>
    arrange(
      { sort: [{ by: 'X', descending }] },
      [column('X')],
      values.map((value) => [value]),
    ).rows.map(([value]) => value ?? null);

  it('keep their order without a sort', () => {
    const rows = [['b'], ['a'], [null]];
    expect(arrange({}, [column('X')], rows).rows).toEqual(rows);
  });

  it('sort numbers by value, texts as people do, and empty cells last both ways', () => {
    expect(sorted([10, null, 9, -1.5])).toEqual([-1.5, 9, 10, null]);
    expect(sorted([10, null, 9, -1.5], true)).toEqual([10, 9, -1.5, null]);
    expect(sorted(['zebra', 'Äpfel', 'apple', 'Zebra', 'Öl', 'Week 10', 'Week 9'])).toEqual([
      ...['Äpfel', 'apple', 'Öl', 'Week 9', 'Week 10', 'zebra', 'Zebra'],
    ]);
    expect(sorted(['Week 10', 'Week 9'])).toEqual(['Week 9', 'Week 10']);
    expect(sorted(['2026-09-01T10:00:00Z', '2026-08-31T23:00:00Z'])).toEqual([
      ...['2026-08-31T23:00:00Z', '2026-09-01T10:00:00Z'],
    ]);
    expect(sorted([true, 'x', false, 3])).toEqual([3, false, true, 'x']);
  });

  it('sort by several columns and keep equal rows in order', () => {
    const rows = [
      ['b', 1, 'first'],
      ['a', 1, 'second'],
      ['a', 2, 'third'],
      ['a', 1, 'fourth'],
    ];
    const sort = [
      { by: 'N', descending: true },
      { by: 'T', descending: false },
    ];
    const columns = [column('T'), column('N', 'integer'), column('Note')];
    expect(arrange({ sort }, columns, rows).rows.map(([, , note]) => note)).toEqual([
      ...['third', 'second', 'fourth', 'first'],
    ]);
    expect(rows[0]?.[2]).toBe('first');
  });
});

describe('totals', () => {
  const columns = [
    column('Rank', 'integer'),
    column('Squad'),
    column('Points', 'number'),
    column('At', 'datetime'),
  ];
  const rows = [
    [1, 'A', 0.1, '2026-08-02T00:00:00Z'],
    [2, 'B', 0.2, '2026-08-01T00:00:00Z'],
    [3, null, null, null],
  ];
  const totals = (...entries: [string, 'sum' | 'mean' | 'count' | 'min' | 'max'][]) =>
    arrange({ totals: new Map(entries) }, columns, rows).totals;

  it('are added up without the noise of binary fractions, and labelled in the first free column of texts', () => {
    expect(totals(['Points', 'sum'])).toEqual([null, 'Total', 0.3, null]);
    expect(totals(['Points', 'mean'])).toEqual([null, 'Mean', 0.15, null]);
    expect(totals(['Rank', 'mean'], ['Squad', 'count'])).toEqual([2, 2, 'Mean / Count', null]);
  });

  it('give the least and the greatest of numbers and dates', () => {
    expect(totals(['At', 'min'], ['Rank', 'max'])).toEqual([
      3,
      'Least / Greatest',
      null,
      '2026-08-01T00:00:00Z',
    ]);
  });

  it('are not there without rows, and empty without numbers', () => {
    const some = new Map([['Points', 'sum']] as const);
    expect(arrange({ totals: some }, columns, []).totals).toBeUndefined();
    expect(arrange({ totals: some }, columns, [[1, 'A', null, null]]).totals).toEqual([
      null,
      'Total',
      null,
      null,
    ]);
    expect(arrange({}, columns, rows).totals).toBeUndefined();
  });
});

describe('charts', () => {
  const columns = [column('Week'), column('Squad'), column('Rank', 'integer'), column('ID')];
  const spec = (changes: Partial<ChartSpec> = {}): ChartSpec => ({
    ...{ title: 'T', type: 'line', x: 'Week', y: 'Rank', series: 'Squad', limit: 10, reverse: false },
    ...changes,
  });
  const chart = (
    changes: Partial<ChartSpec>,
    rows: readonly (readonly ReportValue[])[],
    sort: Layout['sort'] = [],
  ) => arrange({ charts: [spec(changes)], sort }, columns, rows).charts[0];

  it('have a series for each name and weeks in natural order, with gaps', () => {
    const rows = [
      ['Game week 10', 'A', 3, 'a'],
      ['Game week 9', 'A', 1, 'a'],
      ['Game week 9', 'B', 5, 'b'],
      [null, 'B', 9, 'b'],
      ['Game week 10', 'B', null, 'b'],
    ];
    expect(chart({}, rows)).toEqual({
      spec: spec(),
      categories: ['Game week 9', 'Game week 10'],
      series: [
        { name: 'B', values: [5, null] },
        { name: 'A', values: [1, 3] },
      ],
    });
  });

  it('show the best by their newest number only, the least when turned over', () => {
    const rows = [1, 2, 3, 4].flatMap((n) => [
      ['1', `S${n}`, n, `${n}`],
      ['2', `S${n}`, 5 - n, `${n}`],
    ]);
    const names = (reverse: boolean) => chart({ limit: 2, reverse }, rows)?.series.map(({ name }) => name);
    expect(names(true)).toEqual(['S4', 'S3']);
    expect(names(false)).toEqual(['S1', 'S2']);
  });

  it('tell apart by their ids what has one name, each with its own number', () => {
    const rows = [
      ['1', 'Twins', 1, 'z'],
      ['1', 'Twins', 2, 'b'],
      ['1', 'Alone', 3, 'c'],
    ];
    const names = (given: typeof rows) =>
      chart({ id: 'ID', reverse: true }, given)?.series.map(({ name }) => name);
    expect(names(rows)).toEqual(['Twins (2)', 'Twins (1)', 'Alone']);
    expect(names(rows.toReversed())).toEqual(['Twins (2)', 'Twins (1)', 'Alone']);
  });

  it('draw bars of one series best first from the newest rows, however the table is sorted', () => {
    const rows = [
      ['2', 'A', 20, 'a'],
      ['2', 'B', 30, 'b'],
      ['1', 'A', 40, 'a'],
      ['1', 'B', 10, 'b'],
    ];
    for (const descending of [true, false]) {
      const drawn = chart({ type: 'bar', x: 'Squad', series: undefined }, rows, [{ by: 'Week', descending }]);
      expect(drawn).toMatchObject({ categories: ['B', 'A'], series: [{ name: 'Rank', values: [30, 20] }] });
    }
  });

  it('draw a line of one series whole', () => {
    const rows = Array.from({ length: 12 }, (_, index) => [`${12 - index}`, 'A', index, 'a']);
    expect(chart({ series: undefined, limit: 3 }, rows)).toMatchObject({
      categories: Array.from({ length: 12 }, (_, index) => String(index + 1)),
      series: [{ name: 'Rank', values: Array.from({ length: 12 }, (_, index) => 11 - index) }],
    });
  });

  it('are empty without numbers', () => {
    for (const type of ['line', 'bar'] as const)
      for (const series of ['Squad', undefined])
        expect(chart({ type, series }, [['1', 'A', null, 'a']])).toMatchObject({
          categories: [],
          series: [],
        });
  });
});

describe('highlights', () => {
  const columns = [column('Rank', 'integer'), column('Squad'), column('Movement', 'integer')];
  const rows = [
    [2, 'Foxes', -1],
    [1, 'Lions', 3],
    [null, 'Late', null],
    [3, null, 5],
  ] as const;
  const told = (changes: Partial<Layout['highlights'][number]>) =>
    arrange(
      {
        highlights: [
          {
            label: 'L',
            show: ['Squad'],
            value: undefined,
            by: undefined,
            descending: false,
            above: undefined,
            limit: 9,
            ...changes,
          },
        ],
      },
      columns,
      rows,
    ).highlights[0]?.lines;

  it('name the best rows by a column, without those that have no value or no text', () => {
    expect(told({ by: 'Rank', value: 'Movement' })).toEqual([
      { text: 'Lions', value: 3 },
      { text: 'Foxes', value: -1 },
    ]);
    expect(told({ by: 'Rank', limit: 1 })).toEqual([{ text: 'Lions', value: null }]);
    expect(told({ by: 'Movement', descending: true, above: 0 })).toEqual([{ text: 'Lions', value: null }]);
    expect(told({ by: 'Movement', above: 10 })).toEqual([]);
  });

  it('name the first rows where nothing says which are best', () => {
    expect(told({ show: ['Rank', 'Squad'], limit: 1 })).toEqual([{ text: '2 Foxes', value: null }]);
  });

  it('set two names apart, and nothing beside one that is not there', () => {
    expect(told({ show: ['Rank', 'Squad', 'Squad', 'Movement'], limit: 1 })).toEqual([
      { text: '2 Foxes · Foxes · -1', value: null },
    ]);
    expect(told({ show: ['Squad', 'Rank', 'Squad'] })?.slice(2)).toEqual([
      { text: 'Late · Late', value: null },
      { text: '3', value: null },
    ]);
  });
});
