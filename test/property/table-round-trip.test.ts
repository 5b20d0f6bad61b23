import path from 'node:path';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Cell } from '../../src/model/tables/cell.ts';
import { shownText } from '../../src/model/tables/cell.ts';
import type { ReportColumn, ReportValue, TableKind, TableLocation } from '../../src/model/tables/table.ts';
import { createTables } from '../../src/tables/index.ts';
import { accessTo } from '../support/google-access.ts';
import { googleOfFile } from '../support/google/of-file.ts';
import { runs } from '../support/long.ts';
import { reportTab } from '../support/report-tab.ts';
import { testFolder } from '../support/test-folder.ts';

const RUNS = runs(30, 1000);

const COLUMNS: readonly ReportColumn[] = [
  { header: 'No.', type: 'integer' },
  { header: 'Text', type: 'text' },
  { header: 'Number', type: 'number', format: '0.0##############' },
  { header: 'Truth', type: 'boolean' },
  { header: 'Time', type: 'datetime', format: 'yyyy-mm-dd hh:mm:ss' },
  { header: 'Last', type: 'text' },
];
const TIMEZONE = 'America/New_York';

type Row = readonly ReportValue[];

const text = fc.oneof(
  fc.string({ unit: 'binary', maxLength: 12 }),
  fc.string({ unit: 'grapheme', maxLength: 12 }),
  fc.constantFrom(
    '=1+1',
    '+1',
    '-1',
    '@a',
    "'00123",
    '00123',
    '#N/A',
    '#REF!',
    '#DIV/0!',
    'TRUE',
    'null',
    '1e5',
    ' ',
    'a\nb',
    '""',
    ',',
  ),
  fc
    .constantFrom(
      '=',
      "'",
      '\t',
      '\n',
      '\r',
      '#',
      '_x0041_',
      '\u00A0',
      '\uFEFF',
      '👩‍👩‍👧',
      '2026-08-14',
      '1,5',
      ';',
    )
    .chain((start) => fc.string({ maxLength: 4 }).map((rest) => start + rest)),
);
const number = fc.oneof(
  fc.integer(),
  fc
    .double({ noNaN: true, noDefaultInfinity: true, min: -1e15, max: 1e15 })
    .map((value) => Number(value.toPrecision(15)) || 0),
);
const time = fc
  .date({ min: new Date('1901-01-01T00:00:00Z'), max: new Date('2199-12-31T00:00:00Z'), noInvalidDate: true })
  .map((date) => `${date.toISOString().slice(0, 19)}Z`);
const table = fc
  .array(
    fc.tuple(fc.option(text), fc.option(number), fc.option(fc.boolean()), fc.option(time), fc.option(text)),
    { maxLength: 12 },
  )
  .map((rows) => rows.map((row, index): Row => [index + 1, ...row]));

/** A text as all spreadsheets hold it; CSV files hold it as it is. */
const held = (value: string): string =>
  value
    .toWellFormed()
    .replace(/[\0-\x08\v\f\x0E-\x1F\uFFFE\uFFFF]/g, '\uFFFD')
    .replace(/\r\n?/g, '\n');

const clock = new Intl.DateTimeFormat('sv-SE', {
  timeZone: TIMEZONE,
  dateStyle: 'short',
  timeStyle: 'medium',
});

/** What a reader should find: empty is null, a time is shown by its column's format in the zone. */
function expected(row: Row): Row {
  return row.map((value, index) => {
    if (typeof value !== 'string') return value;
    if (COLUMNS[index]?.type === 'datetime') return clock.format(Date.parse(value));
    return value === '' ? null : held(value);
  });
}

function found(cell: Cell, { type }: ReportColumn): ReportValue {
  if (cell === '') return null;
  if (type === 'text' || type === 'datetime') return held(shownText(cell));
  if (typeof cell === 'string') return type === 'boolean' ? cell === 'true' : Number(cell);
  return cell.kind === 'number' || cell.kind === 'boolean' ? cell.value : `not a ${type}: ${shownText(cell)}`;
}

const folder = testFolder();
const fake = googleOfFile();

async function roundTrip(
  kind: TableKind,
  location: TableLocation,
  rows: readonly Row[],
): Promise<readonly Row[]> {
  const options = { formulas: 'raw', timezone: TIMEZONE } as const;
  await kind.write([reportTab(location, { columns: COLUMNS, rows, options })]);
  const source = await kind.open(location, {
    origin: 'any',
    headerRow: 1,
    delimiter: 'auto',
    encoding: 'auto',
  });
  expect(source.header).toEqual(COLUMNS.map(({ header }) => header));
  const back: Row[] = [];
  for await (const batch of source.batches())
    for (const { cells } of batch)
      back.push(COLUMNS.map((column, index) => found(cells[index] ?? '', column)));
  await source.close();
  return back;
}

describe('any table that is written and read back is the same table', () => {
  const locations = {
    csv: (): TableLocation => ({ kind: 'csv', path: path.join(folder.path, 'any.csv') }),
    xlsx: (): TableLocation => ({ kind: 'xlsx', path: path.join(folder.path, 'any.xlsx'), tab: 'Any' }),
    sheet: (): TableLocation => ({
      kind: 'sheet',
      spreadsheet: fake.add({ tabs: [{ title: 'Other', rows: [] }] }),
      tab: 'Any',
    }),
  } as const;

  it.each(['csv', 'xlsx', 'sheet'] as const)('in %s', async (name) => {
    const kind = createTables(accessTo(fake))[name];
    await fc.assert(
      fc.asyncProperty(table, async (rows) => {
        expect(await roundTrip(kind, locations[name](), rows)).toEqual(rows.map(expected));
      }),
      { numRuns: RUNS },
    );
  });

  it('in a sheet, over what another table left there, and the same again writes nothing', async () => {
    const kind = createTables(accessTo(fake)).sheet;
    const location = locations.sheet();
    await fc.assert(
      fc.asyncProperty(table, async (rows) => {
        expect(await roundTrip(kind, location, rows)).toEqual(rows.map(expected));
        const writes = (): number => fake.calls.filter((call) => call.kind === 'write').length;
        const before = writes();
        await roundTrip(kind, location, rows);
        expect(writes()).toBe(before);
      }),
      { numRuns: RUNS },
    );
  });
});
