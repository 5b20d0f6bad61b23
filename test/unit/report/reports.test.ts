import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { pullTarget, RESOURCES } from '../../../src/contract/index.ts';
import type { Misfits } from '../../../src/report/column.ts';
import { bindColumns, cellsOf } from '../../../src/report/column.ts';
import { reportOf } from '../../../src/report/index.ts';
import type { RowAsked } from '../../../src/contract/resource.ts';
import type { Report } from '../../../src/report/report.ts';

type ColumnRequest = NonNullable<Parameters<typeof bindColumns>[1]>[number];

const fixtures = join(import.meta.dirname, '../../fixtures/report');
const records = JSON.parse(readFileSync(join(fixtures, 'records.json'), 'utf8')) as Record<
  string,
  readonly unknown[]
>;

const noOptions: RowAsked = { detail: false, explode: undefined };
/** Every report in each of its shapes: the golden file, the resource, what the mapping asks. */
const SHAPES: readonly (readonly [string, (typeof RESOURCES)[number], RowAsked])[] = [
  ...RESOURCES.map((name) => [name, name, noOptions] as const),
  ['squads-detail', 'squads', { ...noOptions, detail: true }],
  ['lineups-whole', 'lineups', { ...noOptions, explode: 'none' }],
  ['players-weekly', 'players', { ...noOptions, explode: 'weekly_stats' }],
];

/** A report as a list of `path | type | value | value ...` lines, one column a line. */
function transposed(
  report: Report,
  requests: readonly ColumnRequest[] | undefined,
  from: readonly unknown[],
): string {
  const columns = bindColumns(report, requests);
  const rows = from.flatMap((record) => report.rows(record)).map((row) => cellsOf(columns, row, new Map()));
  return columns
    .map(
      ({ header, type }, index) =>
        [header, type, ...rows.map((row) => JSON.stringify(row[index]))].join(' | ') + '\n',
    )
    .join('');
}

describe('players without explode', () => {
  it('have the last of their weeks beside their own fields', () => {
    const request = (from: string, type?: 'integer') => ({ header: from, from, type, format: undefined });
    const report = reportOf('players', noOptions);
    const columns = bindColumns(report, [request('price'), request('latest.game_week', 'integer')]);
    const weeks = [{ game_week: '9' }, { game_week: '10' }];
    const rows = [{ price: 7.5, weekly_stats: weeks }, { price: 4 }].flatMap(report.rows);
    expect(rows.map((row) => cellsOf(columns, row, new Map()))).toEqual([
      [7.5, 10],
      [4, null],
    ]);
  });
});

const recordsOf = ([name, resource]: (typeof SHAPES)[number]) => records[name] ?? records[resource];

describe('the report of', () => {
  it('whatever is more than a row for each record has records to show it', () => {
    const own = SHAPES.filter(([, resource]) => pullTarget(resource)?.rowRecord !== undefined);
    expect(own.length).toBeGreaterThan(5);
    expect(own.filter((shape) => recordsOf(shape) === undefined)).toEqual([]);
  });

  const shown = SHAPES.filter((shape) => recordsOf(shape) !== undefined);
  it.each(shown)('%s has the columns and rows of its golden file', async (name, resource, options) => {
    const given = records[name] ?? records[resource];
    expect(given?.length).toBeGreaterThan(0);
    await expect(transposed(reportOf(resource, options), undefined, given ?? [])).toMatchFileSnapshot(
      join(fixtures, `${name}.txt`),
    );
  });

  it.each(SHAPES)('%s survives records that hold nothing or nonsense', (_, resource, options) => {
    const report = reportOf(resource, options);
    const columns = bindColumns(report, undefined);
    for (const record of [
      null,
      undefined,
      7,
      'x',
      [],
      {},
      { fixtures: 1, squad: { bench: [null, 3], starting_xi: 'x' }, weekly_stats: [null] },
    ])
      for (const row of report.rows(record))
        expect(cellsOf(columns, row, new Map())).toHaveLength(columns.length);
  });
});

describe('columns', () => {
  const request = (from: string, type?: ColumnRequest['type'], format?: string): ColumnRequest => ({
    header: from,
    from,
    type,
    format,
  });
  const cells = (record: unknown, ...requests: readonly ColumnRequest[]) => {
    const columns = bindColumns(reportOf('fantasy_leagues', noOptions), requests);
    const misfits = new Map<string, Misfits>();
    return { columns, misfits, values: cellsOf(columns, { record }, misfits) };
  };

  it('take their type from the interface unless the mapping gives one', () => {
    const { columns } = cells(
      {},
      request('id'),
      request('id', 'text'),
      request('leagues.0.name'),
      request('name', undefined, '@'),
    );
    expect(columns.map(({ type, format }) => [type, format])).toEqual([
      ['integer', undefined],
      ['text', undefined],
      ['json', undefined],
      ['text', '@'],
    ]);
  });

  it('reach into arrays and into objects whose contents are not shown', () => {
    const record = {
      leagues: [{ name: 'First', id: 4 }, { name: 'Second' }],
      squad_config: { caps: { club: [3, 4] } },
    };
    const paths = [
      'leagues.1.name',
      'leagues.0.id',
      'leagues.2.name',
      'leagues',
      'squad_config',
      'squad_config.caps.club.1',
      'squad_config.caps',
    ];
    expect(cells(record, ...paths.map((path) => request(path))).values).toEqual([
      'Second',
      4,
      null,
      '[{"name":"First","id":4},{"name":"Second"}]',
      '{"caps":{"club":[3,4]}}',
      4,
      '{"club":[3,4]}',
    ]);
  });

  it('see own fields only', () => {
    const record = JSON.parse('{"__proto__":{"x":1},"name":{"constructor":2}}') as unknown;
    const paths = [
      'constructor',
      'toString',
      '__proto__.x',
      'name.constructor',
      'name.toString',
      'id.length',
    ];
    expect(cells(record, ...paths.map((path) => request(path))).values).toEqual([
      null,
      null,
      1,
      2,
      null,
      null,
    ]);
    expect(({} as Record<string, unknown>).x).toBeUndefined();
  });

  it('count the values that are not of their type and keep the first', () => {
    const columns = bindColumns(reportOf('fantasy_leagues', noOptions), [request('id'), request('name')]);
    const misfits = new Map<string, Misfits>();
    for (const id of [1, 'x', '2', 1.5, null, '']) cellsOf(columns, { record: { id, name: 'n' } }, misfits);
    expect([...misfits]).toEqual([['id', { count: 2, first: 'x' }]]);
  });
});
