import { pushTarget } from '../../../src/contract/index.ts';
import { describe, expect, test } from 'vitest';
import { compileCell } from '../../../src/mapping/cells.ts';
import type { Column } from '../../../src/mapping/mapping.ts';
import type { Cell } from '../../../src/model/tables/cell.ts';
import type { Issue } from '../../../src/model/issue.ts';
import { pushMapping } from '../tables/csv-source.ts';

/** What a column of dates makes of a cell: the value, or what is wrong with it. */
function read(cell: Cell, tableTimezone?: string): unknown {
  const mapping = pushMapping(`
name: users
push: users
source: { csv: users.csv }
operation: upsert
columns:
  external_id: Member ID
  display_name: { from: Joined, type: datetime }
`);
  const columns = mapping.columns as readonly Column[];
  const column = columns.find(({ field }) => field === 'display_name');
  const field = pushTarget('users')?.fields['display_name'];
  if (column === undefined || field === undefined) throw new Error('the test needs that column');
  const issues: Issue[] = [];
  const value = compileCell(column, field, false, {
    locale: 'en',
    grouped: false,
    allowKeyShape: false,
    timezone: 'Europe/Berlin',
    tableTimezone,
  })(cell, 'Joined', issues);
  return value ?? issues.map(({ message }) => message).join('; ');
}

const serial = (value: number, shown: string): Cell => ({ kind: 'number', value, shown });

describe('a cell that a spreadsheet keeps as a date', () => {
  test.each<[string, Cell, string | undefined, string]>([
    [
      'a serial number, in the time zone of its sheet',
      serial(46_023.5, '2026-01-01 12:00'),
      'America/New_York',
      '2026-01-01T17:00:00Z',
    ],
    ['shown by day and month alone', serial(46_083, '2-Mar'), 'UTC', '2026-03-02T00:00:00Z'],
    ['shown with points', serial(46_083, '02.03.2026'), 'UTC', '2026-03-02T00:00:00Z'],
    [
      'with seconds that no fraction of a day holds',
      serial(46_023.000_011_574, '1 Jan'),
      'UTC',
      '2026-01-01T00:00:01Z',
    ],
    [
      'without a time zone of its own, in that of the configuration',
      { kind: 'datetime', iso: '2026-07-01T12:00:00' },
      undefined,
      '2026-07-01T10:00:00Z',
    ],
    ['with an offset', { kind: 'datetime', iso: '2026-07-01T12:00:00Z' }, undefined, '2026-07-01T12:00:00Z'],
    ['a text, in the time zone of the configuration', '2026-07-01 12:00', 'UTC', '2026-07-01T10:00:00Z'],
    [
      'in an hour that a clock change skips',
      serial(46_110 + 2.5 / 24, '29/03/2026 02:30'),
      'Europe/Berlin',
      '"2026-03-29T02:30:00" does not exist in Europe/Berlin: the clocks go forward over it; correct it',
    ],
    [
      'in an hour that happens twice',
      { kind: 'datetime', iso: '2026-10-25T02:30:00' },
      undefined,
      '"2026-10-25T02:30:00" happens twice in Europe/Berlin: the clocks go back over it; add the offset, such as 2026-10-25T02:30+02:00',
    ],
  ])('%s', (_, cell, zone, expected) => {
    expect(read(cell, zone)).toBe(expected);
  });

  test.each<[string, Cell, string]>([
    ['a number', serial(46_023, '46023'), '"46023"'],
    ['a number with separators', serial(46_023, '46,023.00'), '"46,023.00"'],
    ['an amount', serial(5, '$5.00'), '"$5.00"'],
    ['a time without a date', serial(0.5, '12:00'), '"12:00"'],
    ['a truth value', { kind: 'boolean', value: true }, '"TRUE"'],
  ])('is not %s', (_, cell, shown) => {
    expect(read(cell, 'UTC')).toBe(
      `${shown} is not a date as expected; write yyyy-mm-dd hh:mm, or name its format in the mapping`,
    );
  });
});
