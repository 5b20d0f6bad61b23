import { describe, expect, test } from 'vitest';
import { resources } from '../../../src/contract/index.ts';
import { shownLine, shownText, writtenLine, type Cell } from '../../../src/model/tables/cell.ts';
import type { LookupTable } from '../../../src/mapping/lookup.ts';
import { createRowReader } from '../../../src/mapping/rows.ts';
import type { ParsedRow } from '../../../src/mapping/rows.ts';
import { ConfigError } from '../../../src/model/error.ts';
import { cellsIssue } from '../../../src/model/tables/table.ts';
import { messagesOf, parseRows, pushMapping, USERS } from '../tables/csv-source.ts';
import { renderIssue, type Issue } from '../../../src/model/issue.ts';

const options = { allowKeyShape: false, variable: () => undefined } as const;

const POINTS = `
name: points
push: points_config
source: { csv: points.csv, layout: key_value, key_column: Setting, value_column: Points }
operation: set
columns: auto
`;
const settings = Object.keys(resources.points_config.push.fields).filter(
  (name) => name !== 'fantasy_league_id',
);
const pairs = (value: (name: string) => string = () => '10'): string =>
  settings.map((name) => `${name},${value(name)}\n`).join('');

describe('a table of rows', () => {
  test('keeps the cells as they are and makes the fields', async () => {
    const [row] = await parseRows('Member ID,Display name,Active\n u1 ,Ana,TRUE\n');
    expect(row).toMatchObject({
      rowNumber: 2,
      lines: [[' u1 ', 'Ana', 'TRUE']],
      status: 'valid',
      key: 'u1',
      folded: 'u1',
      fields: { external_id: 'u1', display_name: 'Ana', is_active: true },
    });
  });

  test('keeps the key of a row that is wrong elsewhere', async () => {
    const [row] = await parseRows('Member ID,Display name,Active\nu1,Ana,maybe\n');
    expect(row).toMatchObject({ status: 'invalid', key: 'u1', fields: null });
  });

  test('leaves out what `where` leaves out, unread', async () => {
    const mapping = pushMapping(
      USERS.replace('csv: users.csv', `csv: users.csv, where: 'Club = "Harbour Town" and Active != "left"'`),
    );
    const rows = await parseRows(
      'Member ID,Display name,Active,Club\nu1,Ana,, Harbour Town \n,Bo,,Hill\nu3,Cy,left,Harbour Town\nu4,Di,,harbour town\n',
      mapping,
    );
    expect(rows.map(({ status }) => status)).toEqual(['valid', 'excluded', 'excluded', 'excluded']);
    expect(rows[1]).toMatchObject({ key: null, fields: null, issues: [], lines: [['', 'Bo', '', 'Hill']] });
  });

  test.each([
    ['composed', '\u00e9', 'e\u0301'],
    ['decomposed', 'e\u0301', '\u00e9'],
  ])('finds the text of a %s condition in either form', async (_form, condition, cell) => {
    const csv = `Member ID,Display name,Active,Straße\nu1,Ana,,${cell}\nu2,Bo,,${condition}\nu3,Cy,,e\n`;
    const statuses = async (sign: string): Promise<readonly string[]> => {
      const where = `csv: users.csv, where: 'Straße ${sign} "${condition}"'`;
      const rows = await parseRows(csv, pushMapping(USERS.replace('csv: users.csv', where)));
      return rows.map(({ status }) => status);
    };
    expect(await statuses('=')).toEqual(['valid', 'valid', 'excluded']);
    expect(await statuses('!=')).toEqual(['excluded', 'excluded', 'valid']);
  });

  test('refuses the header where it stands once more, whatever a run wrote beside it', async () => {
    const mapping = pushMapping(`${USERS}write_back: { status: Sync status }\n`);
    const rows = await parseRows(
      'Member ID,Display name,Sync status\nu1,Ana,\nMember ID, Display name,created\nMember ID,Bo,\n',
      mapping,
    );
    expect(rows.map(({ status }) => status)).toEqual(['valid', 'invalid', 'valid']);
    expect(rows[1]?.issues).toMatchObject([{ code: 'row.header', severity: 'error' }]);
    const [alone] = await parseRows('Member ID\nMember ID\n', pushMapping(USERS));
    expect(alone?.issues).not.toMatchObject([{ code: 'row.header' }]);
  });

  test('reads a results file again without the columns that were added', () => {
    const mapping = pushMapping(USERS);
    const header = ['Member ID', 'Display name', 'Active', '_row', '_outcome', '_message', '_id'];
    const reader = createRowReader(mapping, header, options);
    expect(reader.header).toEqual(['Member ID', 'Display name', 'Active']);
    expect(reader.warnings).toEqual([]);
    const [row] = reader.read([{ rowNumber: 2, cells: ['u1', 'Ana', '', '7', 'invalid', 'x', ''] }]);
    expect(row).toMatchObject({ status: 'valid', lines: [['u1', 'Ana', '']] });
  });

  describe('reads the rows of a results file as the person counts their cells', () => {
    const header = ['Member ID', 'Display name', '_row', '_outcome', '_message', '_id'];
    const reader = createRowReader(pushMapping(USERS.replace(/ +is_active.*\n/, '')), header, options);
    const results = ['7', 'invalid', 'x', ''];
    const read = (cells: readonly string[]): ParsedRow | undefined =>
      reader.read([
        {
          rowNumber: 2,
          cells,
          ...(cells.length === header.length ? {} : { issues: [cellsIssue(header.length, cells.length)] }),
        },
      ])[0];

    test.each([
      ['a row that was retyped', ['u1', 'Ana']],
      ['a row that lost some of our cells', ['u1', 'Ana', '7', 'invalid']],
      ['a row with other words in our columns', ['u1', 'Ana', '', 'done', '', '']],
      ['a row that was retyped, with an empty cell behind it', ['u1', 'Ana', '']],
    ])('%s is taken', (_, cells) => {
      expect(read(cells)).toMatchObject({ status: 'valid', lines: [['u1', 'Ana']] });
    });

    test.each([
      ['too short as it was', ['u1', ...results], 1],
      ['too short, and as wide as the whole table', ['u1', ...results, ''], 1],
      ['too short, retyped', ['u1'], 1],
      ['too long as it was', ['u1', 'Ana', 'Lima', ...results], 3],
      ['too long, retyped', ['u1', 'Ana', 'Lima'], 3],
    ])('a row that is %s is refused, without our cells', (_, cells, count) => {
      const row = read(cells);
      expect(row).toMatchObject({ status: 'invalid', lines: [cells.slice(0, count)] });
      expect(row?.issues).toMatchObject([
        { code: 'row.cells', message: expect.stringContaining(`expected 2 cells, got ${count};`) as string },
      ]);
    });

    test.each([
      [['12', 'unknown', '', '', '', '']],
      [['12', 'created']],
      [['12', 'rejected', '7', 'invalid', 'x', '']],
    ])("a row of the person's own number and word is taken: %j", (cells) => {
      expect(read(cells)).toMatchObject({ status: 'valid', key: '12', lines: [cells.slice(0, 2)] });
    });

    test('a row of a workbook may end in empty cells', () => {
      const mapping = pushMapping(
        USERS.replace(/ +is_active.*\n/, '').replace(/csv: .*/, 'xlsx: u.xlsx, tab: A }'),
      );
      const ofBook = createRowReader(mapping, header, options);
      const [row] = ofBook.read([{ rowNumber: 2, cells: ['u1'] }]);
      expect(row?.issues.map(({ code }) => code)).not.toContain('row.cells');
    });

    test('a cell behind our columns is refused as it is', () => {
      const row = read(['u1', 'Ana', ...results, 'what']);
      expect(row?.issues).toMatchObject([
        { message: expect.stringContaining('expected 6 cells, got 7') as string },
      ]);
    });
  });

  test('takes the first of several headers that exists', async () => {
    const mapping = pushMapping(USERS.replace('from: Display name', 'from: [Nickname, Display name, Name]'));
    const [row] = await parseRows('Name,Display name,Member ID,Active\nAna L.,Ana,u1,\n', mapping);
    expect(row?.fields).toEqual({ external_id: 'u1', display_name: 'Ana' });
  });

  test('warns of an optional column that is not there', () => {
    expect(createRowReader(pushMapping(USERS), ['Member ID', 'Display name'], options).warnings).toEqual([
      {
        code: 'header.optional',
        severity: 'warning',
        message: 'no column "Active": is_active is not sent',
      },
    ]);
  });

  test('blank cells: omit, clear, error and default', async () => {
    const fields = async (column: string): Promise<ParsedRow | undefined> => {
      const mapping = pushMapping(USERS.replace('{ from: Display name }', column));
      return (await parseRows('Member ID,Display name,Active\nu1,,\n', mapping))[0];
    };
    expect((await fields('{ from: Display name }'))?.fields).toEqual({ external_id: 'u1' });
    expect((await fields('{ from: Display name, blank: clear }'))?.fields).toEqual({
      external_id: 'u1',
      display_name: '',
    });
    expect((await fields('{ from: Display name, default: Anonymous }'))?.fields).toEqual({
      external_id: 'u1',
      display_name: 'Anonymous',
    });
    expect((await fields('{ from: Display name, blank: error }'))?.issues).toEqual([
      { code: 'cell.blank', severity: 'error', column: 'Display name', message: 'empty; fill it in' },
    ]);
  });

  test('transforms run in their order', async () => {
    const mapping = pushMapping(
      USERS.replace('from: Member ID', 'from: Member ID, transform: [strip_leading_apostrophe, upper]'),
    );
    expect((await parseRows("Member ID,Display name,Active\n'00a1,Ana,\n", mapping))[0]?.key).toBe('00A1');
  });

  test('columns: auto binds names and labels, whatever their case', async () => {
    const mapping = pushMapping(
      'name: prices\npush: prices\nsource: { csv: p.csv }\noperation: append\ncolumns: auto\n',
    );
    const [row] = await parseRows('PLAYER_ID,price  Type,Price\n7,initial,4.5\n', mapping);
    expect(row).toMatchObject({
      key: '1/7/initial',
      fields: { fantasy_league_id: 1, player_id: 7, price: 4.5, type: 'initial' },
    });
  });

  test('columns: auto without a league names the variable', () => {
    const mapping = { ...pushMapping(POINTS.replace(/, layout.*}/, ' }')), autoValues: {} };
    const read = (): unknown => createRowReader(mapping, settings, options);
    expect(read).toThrow(ConfigError);
    expect(read).toThrow(
      'mappings/test.yaml:1: points: points.csv has no column for fantasy_league_id, and the variable fantasy_league_id is not set',
    );
    const reader = createRowReader(mapping, settings, { ...options, variable: () => '3' });
    expect(reader.read([{ rowNumber: 2, cells: settings.map(() => '10') }])[0]).toMatchObject({
      key: '3',
      status: 'valid',
    });
  });

  test('a list from several columns', async () => {
    const mapping = pushMapping(`
name: squads
push: squads
source: { csv: squads.csv }
operation: create
columns: { fantasy_league_id: { value: 1 }, user_id: User, name: Name, players_in: { from_all: [P1, P2, P3] } }
`);
    const read = async (cells: string): Promise<ParsedRow | undefined> =>
      (await parseRows(`User,Name,P1,P2,P3\n4,Hill XI,${cells}\n`, mapping))[0];
    expect(await read('1,2,3')).toMatchObject({ key: '1/4/Hill XI', fields: { players_in: [1, 2, 3] } });
    expect((await read('1,2,2'))?.issues).toMatchObject([
      { column: 'P3', message: '2 stands in the list twice; delete one' },
    ]);
    expect((await read('1,,3'))?.issues).toMatchObject([
      { column: 'P2', message: 'element 2 of the list is empty; fill it in, or delete it' },
    ]);
  });

  test('a lookup keeps the texts of its cells, and the key has them in the place of the value', async () => {
    const mapping = pushMapping(`
name: squads
push: squads
source: { csv: squads.csv }
operation: create
columns:
  fantasy_league_id: { value: 1 }
  user_id: { from: Member ID, lookup: { in: users, match: external_id, take: user_id } }
  name: Name
  players_in: Players
`);
    const [row, blank] = await parseRows('Member ID,Name,Players\n 007 ,Hill XI,1;2\n,Dale XI,3\n', mapping);
    expect(row).toMatchObject({
      status: 'valid',
      key: '1/007/Hill XI',
      fields: { fantasy_league_id: 1, name: 'Hill XI', players_in: [1, 2] },
      lookups: { user_id: { texts: ['007'] } },
    });
    expect(blank?.status).toBe('invalid');
  });

  test('a lookup in a table names the column of the cell that it cannot take', async () => {
    const mapping = pushMapping(`
name: prices
push: prices
source: { csv: prices.csv }
operation: append
columns:
  fantasy_league_id: { value: 1 }
  player_id: { from: Player, lookup: { in: { csv: players.csv }, match: Name, take: Player ID } }
  price: Price
  type: { value: initial }
`);
    const table: LookupTable = {
      place: 'players.csv, column "Name"',
      find: () => [{ rowNumber: 4, cell: 'x' }],
      nearest: () => undefined,
    };
    const rows = await parseRows('Player,Price\nCy P,5\n', mapping, { tables: () => table });
    expect(messagesOf(rows, 'prices.csv')).toEqual([
      'prices.csv row 2, column "Player": "Cy P" is in row 4 of players.csv, column "Name", where "x" in column "Player ID" is not valid: "x" is not a number; write digits only, such as 12',
    ]);
  });

  test('a formula without a result, or a merged cell, concerns only who reads its column', () => {
    const mapping = pushMapping(
      `${USERS.replace('csv: users.csv', 'csv: users.csv, where: \'Club != "Hill"\'')}write_back: { status: Sync }\n`,
    );
    const reader = createRowReader(mapping, ['Member ID', 'Club', 'Note', 'Sync'], options);
    const issue = (code: string, column: string): Issue => ({
      code,
      severity: 'error',
      column,
      message: 'x',
    });
    const rows = [
      { cells: ['u1', '', '', ''], issues: [issue('cell.formula', 'Note'), issue('cell.merged', 'Note')] },
      { cells: ['u2', '', '', ''], issues: [issue('cell.formula', 'Sync')] },
      { cells: ['u3', '', '', ''], issues: [issue('cell.formula', 'Note'), issue('cell.formula', 'Club')] },
      { cells: ['', '', '', ''], issues: [issue('cell.formula', 'Member ID')] },
      // Nobody filled it in but a formula that is not read.
      { cells: ['', '', '', ''], issues: [issue('cell.formula', 'Note')] },
      { cells: ['u6', '', '', ''], issues: [issue('cell.nul', 'Note')] },
      // What is wrong with a row keeps it from being one that a run wrote beside.
      { cells: ['', '', '', 'created'], issues: [{ ...issue('row.cells', ''), column: undefined }] },
      { cells: ['', '', '', 'created'], issues: [issue('cell.merged', 'Note')] },
    ];
    const read = reader.read(rows.map((row, index) => ({ ...row, rowNumber: index + 2 })));
    expect(read.map(({ rowNumber, status, key }) => [rowNumber, status, key])).toEqual([
      [2, 'valid', 'u1'],
      [3, 'valid', 'u2'],
      [4, 'invalid', null],
      [5, 'invalid', null],
      [7, 'invalid', null],
      [8, 'invalid', null],
    ]);
    expect(read[2]?.issues).toEqual([issue('cell.formula', 'Club')]);
  });

  test('write_back without a Google sheet is a warning', () => {
    const mapping = pushMapping(`${USERS}write_back: { status: Sync status }\n`);
    const reader = createRowReader(mapping, ['Member ID', 'Display name', 'Active', 'Sync status'], options);
    expect(reader.warnings.map(({ code }) => code)).toEqual(['mapping.write_back']);
  });
});

describe('rows that are imported', () => {
  const PRICES = `
name: prices
push: prices
source: { csv: prices.csv }
operation: append
columns:
  fantasy_league_id: { value: 1 }
  player_id: { from: Player ID, type: integer }
  price: { from: Price, type: number }
  type: { value: weekly }
`;

  test.each([
    ['7,5', '"7,5" is not a number; write 7.5, or import it with --locale de'],
    [
      '1,234.50',
      '"1,234.50" is not clear; write it without thousands separators, or import it with --locale en',
    ],
  ])('are told the flag for the number %s, for there is no mapping to write into', async (price, message) => {
    const [row] = await parseRows(`Player ID;Price\n1;${price}\n`, {
      ...pushMapping(PRICES),
      ofImport: true,
    });
    expect(row?.issues).toMatchObject([{ code: 'cell.number', message }]);
  });

  test('are told how to have a mapping where only that can allow a line break', async () => {
    const [row] = await parseRows('Member ID,Display name,Active\nu1,"Ana\nLima",\n', {
      ...pushMapping(USERS),
      ofImport: true,
    });
    expect(row?.issues).toMatchObject([
      {
        message:
          '"Ana<U+000A>Lima" holds a line break; delete it, or save the mapping with --save-mapping, and set allow_newlines: true on the column',
      },
    ]);
  });
});

describe('a number of a spreadsheet', () => {
  const prices = (locale: string): string => `
name: prices
push: prices
source: { xlsx: prices.xlsx, tab: Prices${locale} }
operation: append
columns:
  fantasy_league_id: { value: 1 }
  player_id: { from: Player ID, type: integer }
  price: { from: Price, type: number }
  type: { from: Kind }
`;
  const number = (value: number, shown: string): Cell => ({ kind: 'number', value, shown });
  const HEADER = ['Player ID', 'Price', 'Kind'];
  /** What is kept of the price, and what is read of the line that is written. */
  const again = (locale: string, price: Cell): readonly unknown[] => {
    const reader = createRowReader(pushMapping(prices(locale)), HEADER, options);
    const [row] = reader.read([{ rowNumber: 2, cells: [number(1001, '1,001'), price, 'weekly'] }]);
    const [line = []] = row?.lines ?? [];
    const [written] = reader.read([{ rowNumber: 2, cells: writtenLine(line) }]);
    expect(written?.fields).toEqual(row?.fields);
    expect(shownLine(line)).toEqual(['1,001', shownText(price), 'weekly']);
    return [line[1], written?.fields?.['price']];
  };

  test.each([
    [', locale: de', number(1.234, '1.234'), ['1.234', '1,234'], 1.234],
    [', locale: de', number(7.5, '7.5'), ['7.5', '7,5'], 7.5],
    [', locale: de', number(1234.5, '1.234,50'), '1.234,50', 1234.5],
    [', locale: de', '7,5', '7,5', 7.5],
    ['', number(7.5, '7,5'), ['7,5', '7.5'], 7.5],
    ['', number(7.25, '7.3'), ['7.3', '7.25'], 7.25],
    ['', number(1234.5, '$1,234.50'), ['$1,234.50', '1234.5'], 1234.5],
    ['', number(7.5, '7.50'), '7.50', 7.5],
    [', locale: en', number(1234.5, '1,234.50'), '1,234.50', 1234.5],
  ] as const)('is written to be read again as it is%s: %j', (locale, price, kept, value) => {
    expect(again(locale, price)).toEqual([kept, value]);
  });

  test.each([
    [{ kind: 'datetime', iso: '2026-03-15', shown: '15.3' }, '2026-03-15'],
    [number(5.5e-17, '0.00'), '5.5e-17'],
    [number(1e21, '1,000'), '1e+21'],
  ] as const)('that is refused is written so that it is refused again: %j', (price, text) => {
    const reader = createRowReader(pushMapping(prices('')), HEADER, options);
    const [row] = reader.read([{ rowNumber: 2, cells: [number(1, '1'), price, 'weekly'] }]);
    expect(row).toMatchObject({ status: 'invalid', lines: [['1', [shownText(price), text], 'weekly']] });
    const [written] = reader.read([{ rowNumber: 2, cells: writtenLine(row?.lines[0] ?? []) }]);
    expect(written?.status).toBe('invalid');
  });

  test('is written as it is shown where a text is read of it too', () => {
    const mapping = pushMapping(
      prices(', locale: de').replace('type: { from: Kind }', 'type: { from: Price }'),
    );
    const reader = createRowReader(mapping, HEADER, options);
    const [row] = reader.read([{ rowNumber: 2, cells: [number(1, '1'), number(7.5, '7.5'), ''] }]);
    expect(row?.lines).toEqual([['1', '7.5', '']]);
  });

  test('is written to be read again where the row as a whole is wrong', () => {
    const reader = createRowReader(pushMapping(prices(', locale: de')), HEADER, options);
    const issues = [{ code: 'row.cells', severity: 'error', message: 'too long' }] as const;
    const [row] = reader.read([{ rowNumber: 2, cells: ['1', number(7.5, '7.5'), '', 'x'], issues }]);
    expect(row?.lines).toEqual([['1', ['7.5', '7,5'], '', 'x']]);
  });

  test('is written to be read again in a table of settings', () => {
    const mapping = pushMapping(POINTS.replace('layout:', 'locale: de, layout:'));
    const reader = createRowReader(mapping, ['Setting', 'Points'], options);
    reader.read([
      { rowNumber: 2, cells: ['Defender clean sheet points', number(7.5, '7.5')] },
      { rowNumber: 3, cells: ['who knows', number(7.5, '7.5')] },
    ]);
    expect(reader.end()[0]?.lines).toEqual([
      ['Defender clean sheet points', ['7.5', '7,5']],
      ['who knows', '7.5'],
    ]);
  });
});

describe('a table of settings', () => {
  test('is one row at its first line, with all its lines', async () => {
    const rows = await parseRows(`Setting,Points\n\n${pairs()}`, pushMapping(POINTS));
    expect(rows).toHaveLength(1);
    expect(rows[0]).toMatchObject({ rowNumber: 3, status: 'valid', key: '1', issues: [] });
    expect(rows[0]?.lines).toHaveLength(34);
    expect(rows[0]?.fields).toMatchObject({ fantasy_league_id: 1, starter_points: 10 });
    expect(Object.keys(rows[0]?.fields ?? {})).toHaveLength(35);
  });

  test('finds settings by their labels, whatever case and blanks', async () => {
    const csv = `Setting,Points\n${pairs().replace('own_goal_points', ' OWN  goal Points ')}`;
    expect((await parseRows(csv, pushMapping(POINTS)))[0]?.status).toBe('valid');
  });

  test('names every bad, missing, unknown and repeated setting', async () => {
    const csv = `Setting,Points\n${pairs((name) => (name === 'starter_points' ? 'two' : '10')).replace(
      'own_goal_points,10\n',
      'own_gaol_points,10\n',
    )}bencher_points,3\n`;
    const [row] = await parseRows(csv, pushMapping(POINTS));
    expect(row?.status).toBe('invalid');
    expect(row?.issues.map(renderIssue)).toEqual([
      'row 24: unknown setting "own_gaol_points": did you mean "own_goal_points"?',
      'row 36: setting "bencher_points" stands already in row 3; delete one',
      'row 2, setting "starter_points": "two" is not a number; write digits only, such as 12',
      'setting "Own goal points" is missing; add a row for it',
    ]);
  });

  test('takes the league from a pair, or from a column of its own', async () => {
    const mapping = pushMapping(POINTS);
    const [pair] = await parseRows(`Setting,Points\nFantasy league id,9\n${pairs()}`, mapping);
    expect(pair).toMatchObject({ key: '9', status: 'valid' });
    const lines = ['3', '4'].flatMap((league) => settings.map((name) => `${league},${name},10\n`));
    const rows = await parseRows(`Fantasy league id,Setting,Points\n${lines.join('')}`, mapping);
    expect(rows.map(({ key, rowNumber, status }) => ({ key, rowNumber, status }))).toEqual([
      { key: '3', rowNumber: 2, status: 'valid' },
      { key: '4', rowNumber: 36, status: 'valid' },
    ]);
  });

  test('a line with a wrong number of cells is told by its row, and its setting not as missing', async () => {
    const [row] = await parseRows(
      `Setting,Points\n${pairs().replace('own_goal_points,10', 'own_goal_points')}`,
      pushMapping(POINTS),
    );
    expect(row?.issues.map(renderIssue)).toEqual([
      'row 24: expected 2 cells, got 1; add the missing separators',
    ]);
    expect(row?.status).toBe('invalid');
  });

  test('without its columns is refused', async () => {
    await expect(parseRows(`Settings,Points\n${pairs()}`, pushMapping(POINTS))).rejects.toThrow(
      'points.csv row 1: no column "Setting" (for the key_value layout); the header has "Settings", "Points"; nearest: "Settings"',
    );
  });
});
