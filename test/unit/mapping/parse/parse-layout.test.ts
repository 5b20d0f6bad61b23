import { describe, expect, it } from 'vitest';
import { parseLayout } from '../../../../src/mapping/parse/parse-layout.ts';
import { parseMappings } from '../../../../src/mapping/parse/parse-mappings.ts';
import { ConfigError } from '../../../../src/model/error.ts';

const report = {
  name: 'squads-workbook',
  columns: [
    { header: 'Squad', type: 'text' },
    { header: 'Rank', type: 'integer' },
    { header: 'Total points', type: 'number' },
    { header: 'Game week', type: 'integer' },
    { header: 'Squad ID', type: 'uuid' },
    { header: '7', type: 'json' },
    { header: 'Active', type: 'boolean' },
    { header: 'Seen', type: 'datetime' },
  ],
  tab: 'Squads',
} as const;
const FILE = 'templates/reports/squads.yaml';
const parse = (yaml: string) => parseLayout(`version: 1\n${yaml}`, FILE, report);

function messageOf(work: () => unknown): string {
  try {
    work();
  } catch (error) {
    if (error instanceof ConfigError) return error.message;
    throw error;
  }
  throw new Error('nothing was refused');
}

describe('a layout', () => {
  it('may say nothing but its version', () => {
    expect(parse('')).toEqual({
      columns: new Map(),
      freeze: { rows: 1, columns: 0 },
      filter: true,
      sort: [],
      rules: [],
      totals: new Map(),
      charts: [],
      chartTab: undefined,
      tabColor: undefined,
      highlights: [],
      cover: undefined,
    });
  });

  it('says everything that a report can look like', () => {
    const layout = parse(`
columns: { '7': { align: right }, Rank: { width: 8, format: '0' }, Squad: {}, Squad ID: { hidden: true } }
freeze: { columns: 2 }
filter: false
sort: [Rank, { by: Total points, descending: true }]
rules:
  - { column: Rank, when: '<= 3', fill: '#fff2cc', bold: true, row: true }
  - { column: Squad, when: '!= "12"', color: 1F5C4A }
  - { column: Squad, when: '= true', bold: true }
  - { column: Total points, scale: [F8696B, FFEB84, 63BE7B] }
totals: { Total points: sum, Rank: mean }
charts:
  list: [{ title: T, x: Game week, y: Rank, series: Squad, id: Squad ID, reverse: true }]
tab_color: AABBCC
cover: { title: Season }
`);
    expect([...layout.columns]).toEqual([
      ['7', { align: 'right' }],
      ['Rank', { width: 8, format: '0' }],
      ['Squad', {}],
      ['Squad ID', { hidden: true }],
    ]);
    expect(layout.freeze).toEqual({ rows: 1, columns: 2 });
    expect(layout.filter).toBe(false);
    expect(layout.sort).toEqual([
      { by: 'Rank', descending: false },
      { by: 'Total points', descending: true },
    ]);
    const plain = { kind: 'compare', fill: undefined, color: undefined, bold: false, row: false };
    expect(layout.rules).toEqual([
      {
        ...{ ...plain, column: 'Rank', operator: '<=', value: 3 },
        ...{ fill: 'FFF2CC', bold: true, row: true },
      },
      { ...plain, column: 'Squad', operator: '!=', value: '12', color: '1F5C4A' },
      { ...plain, column: 'Squad', operator: '=', value: true, bold: true },
      { kind: 'scale', column: 'Total points', colors: ['F8696B', 'FFEB84', '63BE7B'] },
    ]);
    expect([...layout.totals]).toEqual([
      ['Total points', 'sum'],
      ['Rank', 'mean'],
    ]);
    expect(layout.charts).toEqual([
      {
        ...{ title: 'T', type: 'line', x: 'Game week', y: 'Rank', series: 'Squad', id: 'Squad ID' },
        ...{ limit: 10, reverse: true },
      },
    ]);
    expect(layout).toMatchObject({
      chartTab: 'Charts',
      tabColor: 'AABBCC',
      cover: { tab: 'About', title: 'Season' },
    });
  });

  it.each([
    ['colums: {}', ':2:1: unknown key "colums": did you mean "columns"?'],
    [
      'columns: { Rnak: {} }',
      ':2:12: the report of squads-workbook has no column "Rnak": did you mean "Rank"?',
    ],
    ['columns: { Rank: { widht: 3 } }', ':2:20: unknown key "widht": did you mean "width"?'],
    ['columns: { Rank: { width: 500 } }', ':2:27: columns.Rank.width: 500 is too large, at most 120'],
    [
      `columns: { ${report.columns.map(({ header }) => `'${header}': { hidden: true }`).join(', ')} }`,
      ':2:10: columns: every column of squads-workbook is hidden; leave one to be seen',
    ],
    ['columns: { Rank: {}, Rank: {} }', ':2:22: the key "Rank" stands twice in this map'],
    ['sort: [Rank, Rank]', ':2:14: sort: the rows are sorted by "Rank" already; delete one of them'],
    ['sort: [{ by: Points }]', ':2:8: sort: the report of squads-workbook has no column "Points"'],
    [
      'totals: { Rank: median }',
      ':2:17: totals.Rank: "median" is not known; write sum, mean, count, min or max',
    ],
    [
      'tab_color: green',
      ':2:12: tab_color: "green" is not a colour; write six hexadecimal digits, such as "1F5C4A"',
    ],
    ['tab_color: 000000', ':2:12: YAML reads 000000 as 0; put it in quotes: "000000"'],
    [
      'rules: [{ column: Rank }]',
      'a rule has either when, with a condition, or scale, with colours; write one of them',
    ],
    ["rules: [{ column: Rank, when: '<= 3' }]", 'the rule changes nothing; write fill, color or bold'],
    ["rules: [{ column: Rank, when: '3', bold: true }]", '"3" is no condition; write one of < <= = != >= >'],
    [
      "rules: [{ column: Squad, when: '> A', bold: true }]",
      ':2:32: rules.when: > needs a number; "A" is none',
    ],
    [
      "rules: [{ column: Rank, when: '=> 3', bold: true }]",
      ':2:31: rules.when: => is not known; write ">= 3"',
    ],
    ["rules: [{ column: Rank, when: ' =< 3', bold: true }]", '=< is not known; write "<= 3"'],
    ["rules: [{ column: Rank, when: '==5', bold: true }]", '== is not known; write "= 5"'],
    ["rules: [{ column: Squad, when: '<> A', bold: true }]", '<> is not known; write "!= A"'],
    [
      "rules: [{ column: Squad, when: '= 3', bold: true }]",
      ':2:32: rules.when: a number is compared with a column of numbers; "Squad" holds texts: write = "3" to compare with a text',
    ],
    [
      "rules: [{ column: Active, when: '>= 1', bold: true }]",
      ':2:33: rules.when: a number is compared with a column of numbers; "Active" holds truth values',
    ],
    [
      "rules: [{ column: Seen, scale: ['111111', '222222'] }]",
      ':2:19: rules.column: a scale needs a column of numbers; "Seen" holds dates',
    ],
    ['totals: { Squad: mean }', ':2:18: totals.Squad: mean needs a column of numbers; "Squad" holds texts'],
    ['totals: { Seen: sum }', ':2:17: totals.Seen: sum needs a column of numbers; "Seen" holds dates'],
    [
      'totals: { Squad ID: max }',
      ':2:21: totals.Squad ID: max needs a column of numbers or dates; "Squad ID" holds ids',
    ],
    [
      'charts: { list: [{ title: T, x: Rank, y: Squad }] }',
      ':2:42: charts.list.y: a chart draws a column of numbers; "Squad" holds texts',
    ],
    [
      "rules: [{ column: Rank, scale: ['111111', '222222'], bold: true }]",
      'a scale is made of its own colours',
    ],
    ['rules: [{ column: Rank, scale: [AABBCC] }]', ':2:32: rules.scale: has too few; write at least 2'],
    [`rules: [{ column: Squad, when: '= ${'x'.repeat(256)}', bold: true }]`, 'at most 255 characters'],
    [
      'rules: [{ column: Squad, when: "= a\\0", bold: true }]',
      ':2:32: rules.when: "a<U+0000>" can be no condition',
    ],
    [
      `columns: { Rank: { format: '0" pts' } }`,
      `:2:28: columns.Rank.format: "0" pts" has a quotation mark that is not closed`,
    ],
    ["columns: { Rank: { format: '[h:mm' } }", 'has a bracket that is not closed'],
    ["columns: { Rank: { format: '0;0;0;0;0' } }", 'has more than 4 parts'],
    ["columns: { Rank: { format: '0 pts' } }", 'has the letter p; put words in double quotes, as in 0" pts"'],
    ["columns: { Rank: { format: '0_' } }", 'ends in _, which needs a character behind it'],
    ['charts: { list: [] }', ':2:17: charts.list: is empty; write at least one'],
    ['charts: { list: [{ title: T, x: Rank, y: Rank }] }', 'y and x are the same column'],
    [
      'charts: { list: [{ title: T, x: Rank, y: Total points, series: Sqad }] }',
      ':2:64: charts.list.series: the report of squads-workbook has no column "Sqad": did you mean "Squad"?',
    ],
    [
      'charts: { tab: squads, list: [{ title: T, x: Rank, y: Total points }] }',
      ':2:16: charts.tab: "squads" is the tab of the report of squads-workbook; give this one another name',
    ],
    ['cover: { title: T, tab: History }', ':2:25: cover.tab: "History" cannot name a tab of a workbook'],
    [`cover: { title: '' }`, ':2:17: cover.title: is empty; write something'],
    ['cover: {}', ':2:8: cover.title: is missing; write a text'],
  ])('refuses %s with its place', (yaml, message) => {
    expect(messageOf(() => parse(yaml))).toContain(message);
    expect(messageOf(() => parse(yaml))).toMatch(/^templates\/reports\/squads\.yaml:2:\d+: /);
  });

  it.each([
    ...['General', '#,##0.0;[Red]-#,##0.0;"-";@', '0.00E+00', 'ddd d mmm yyyy, h:mm AM/PM', '[h]:mm:ss'],
    ...['[>=1000]0.0,"K";0', '"W"0_)', '[$€-407] #,##0', '\\p0', "d.m.yy hh:mm 'h'", '* 0'],
  ])('takes the format %s', (format) => {
    const layout = parse(`columns: { Rank: { format: ${JSON.stringify(format)} } }`);
    expect(layout.columns.get('Rank')).toEqual({ format });
  });

  it('counts any column, finds the least date, and takes a column of unknown contents for numbers', () => {
    const layout = parse(`
rules: [{ column: '7', when: '> 3', bold: true }, { column: Squad, when: '= =x', bold: true }]
totals: { Squad: count, Seen: min, '7': sum }
charts: { list: [{ title: T, x: Squad, y: '7' }] }`);
    expect(layout.totals.size).toBe(3);
    expect(layout.rules).toMatchObject([{ value: 3 }, { value: '=x' }]);
  });

  it('tells all that is wrong at once', () => {
    const message = messageOf(() => parse('sort: [A, B]\nrules: [{ column: C, when: "= 1", bold: true }]'));
    expect(message.split('\n')).toHaveLength(3);
  });

  it.each([
    ['', 'the file holds no layout'],
    ['- version: 1', 'a layout is a map, not a list'],
    ['version: 2', 'version: 2 is not known; write version: 1'],
  ])('is not %j', (text, message) => {
    expect(messageOf(() => parseLayout(text, FILE, report))).toContain(message);
  });
});

describe('the layout of a mapping', () => {
  const read = (
    destination: string,
    columns = 'columns: { Name: name, Points: free_transfers }',
    layout = 'sort: [Name]',
  ): unknown =>
    parseMappings(
      `version: 1\nname: r\npull: squads\ndetail: true\ndestination: ${destination}\nlayout: l.yaml\n${columns}\n`,
      'm.yaml',
      {
        variable: () => undefined,
        resolvePath: (path) => path,
        readLayout: (file) => {
          if (file !== 'l.yaml') throw new Error(file);
          return { file, text: `version: 1\n${layout}\n` };
        },
      },
    )[0];

  it.each(['{ xlsx: r.xlsx, tab: T }', '{ sheet: abc, tab: T }'])('is read for %s', (destination) => {
    expect(read(destination)).toMatchObject({ layout: { sort: [{ by: 'Name', descending: false }] } });
  });

  it('is checked against every field when the mapping names no columns', () => {
    expect(messageOf(() => read('{ xlsx: r.xlsx, tab: T }', ''))).toBe(
      'l.yaml:2:8: sort: the report of r has no column "Name": did you mean "name"?',
    );
  });

  it('is checked against the types of the fields, or those that the mapping gives', () => {
    const totals = (columns: string) => (): unknown =>
      read('{ xlsx: r.xlsx, tab: T }', columns, 'totals: { Points: sum }');
    expect(totals('columns: { Points: free_transfers }')).not.toThrow();
    expect(messageOf(totals('columns: { Points: name }'))).toBe(
      'l.yaml:2:19: totals.Points: sum needs a column of numbers; "Points" holds texts',
    );
    expect(totals('columns: { Points: { from: name, type: number } }')).not.toThrow();
  });

  it('is not for CSV files', () => {
    expect(messageOf(() => read('{ csv: r.csv }'))).toBe(
      'm.yaml:6:1: layout is for xlsx and sheet; a CSV file takes no layout',
    );
  });
});
