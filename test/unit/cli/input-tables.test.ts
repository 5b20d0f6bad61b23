import { pushTarget } from '../../../src/contract/index.ts';
import { parse } from 'yaml';
import { describe, expect, it } from 'vitest';

import { inputBook, INPUT_RESOURCES, inputTable, TABLES } from '../../../src/cli/init/input-tables.ts';
import { fitMappings } from '../../../src/cli/init/propose.ts';
import type { FittedMappings } from '../../../src/cli/init/propose.ts';
import type { PushField } from '../../../src/contract/resource.ts';
import type { ResourceName } from '../../../src/contract/index.ts';
import type { PushMapping } from '../../../src/mapping/mapping.ts';
import { parseMappings } from '../../../src/mapping/parse/parse-mappings.ts';
import { createRowReader } from '../../../src/mapping/rows.ts';

const vars: Readonly<Record<string, string>> = { fantasy_league_id: '1', price_type: 'current' };
const fieldsOf = (resource: ResourceName): Readonly<Record<string, PushField>> =>
  pushTarget(resource)?.fields ?? {};
const workbook = { kind: 'xlsx', file: 'season.xlsx', outside: false } as const;
const sheet = { kind: 'sheet', spreadsheet: '1abcDEF_9' } as const;
const FILES = [
  'users.yaml',
  'prices.yaml',
  'points.yaml',
  'fantasy-leagues.yaml',
  'mini-leagues.yaml',
  'squads.yaml',
  'players-report.yaml',
];

function parsed(fitted: FittedMappings, file: string): PushMapping {
  const [mapping] = parseMappings(fitted.files.get(file) ?? '', file, {
    variable: (name) => vars[name],
    resolvePath: (path) => path,
    readLayout: (file) => ({ file, text: '' }),
  });
  if (mapping?.direction !== 'push') throw new Error(`${file} does not push`);
  return mapping;
}

describe('the input tables', () => {
  it('name each tab once, and have a note, and a row for each example, in every column', () => {
    const { tables } = inputBook('workbook');
    expect(tables.map(({ tab }) => tab)).toEqual([
      'Users',
      'Prices',
      'Points',
      'Fantasy leagues',
      'Mini leagues',
      'Squads',
    ]);
    for (const { columns, rows, exampleRows } of tables) {
      expect(columns.filter(({ note }) => note.length < 20)).toEqual([]);
      expect(rows.every((row) => row.length === columns.length)).toBe(true);
      expect(exampleRows).toBeLessThanOrEqual(rows.length);
    }
  });

  it('have a column for every required field that the configuration does not give', () => {
    for (const resource of INPUT_RESOURCES.filter((name) => name !== 'points_config')) {
      const fields = fieldsOf(resource);
      const have = inputTable(resource).columns.map(({ field }) => field);
      const required = Object.entries(fields).flatMap(([name, field]) => (field.required ? [name] : []));
      const given = ['fantasy_league_id', ...(resource === 'prices' ? ['type'] : [])];
      expect(required.filter((name) => !have.includes(name) && !given.includes(name))).toEqual([]);
    }
  });

  it('have each of the 35 fields of a points configuration, with its description and its limits', () => {
    const { rows, checks } = inputTable('points_config');
    const fields = Object.values(fieldsOf('points_config'));
    expect(rows).toHaveLength(35);
    expect(rows.map(([label]) => label)).toEqual(fields.map(({ label }) => label));
    rows.forEach(([, , description], index) => expect(description).toContain(fields[index]?.description));
    const ruleOf = (label: string): unknown =>
      checks.find(({ message }) => message.startsWith(`${label} is`))?.rule;
    expect(ruleOf('Clean sheet eligibility minutes')).toEqual({ kind: 'whole', min: 1, max: 90 });
    expect(ruleOf('Fantasy league id')).toEqual({ kind: 'whole', min: 1, max: undefined });
    expect(ruleOf('Yellow card points')).toEqual({ kind: 'whole', min: undefined, max: undefined });
    expect(ruleOf('Forward goal concede points')).toEqual({ kind: 'number', min: undefined, max: undefined });
    expect(checks).toHaveLength(35);
  });
});

describe('the mappings for tables that init makes', () => {
  const made = fitMappings(workbook, [], INPUT_RESOURCES);
  const readerOf = (resource: (typeof INPUT_RESOURCES)[number]) => {
    const headers = inputTable(resource).columns.map(({ header }) => header);
    return createRowReader(parsed(made, TABLES[resource].mapping), headers, {
      variable: (name) => vars[name],
      timezone: 'UTC',
      allowKeyShape: false,
    });
  };

  it('are the shipped ones with another source, and say nothing', () => {
    expect([...made.files.keys()]).toEqual(FILES);
    expect([made.proposed, made.notes]).toEqual([[], []]);
    expect(parsed(made, 'users.yaml').source.location).toEqual({
      kind: 'xlsx',
      path: 'season.xlsx',
      tab: 'Users',
    });
    expect(made.files.get('users.yaml')).toContain('# An empty cell leaves the member as it is.');
    expect(made.files.get('users.yaml')).not.toContain('csv');
  });

  it.each(['users', 'prices', 'fantasy_leagues', 'mini_leagues', 'squads'] as const)(
    'leave out the examples of %s',
    (resource) => {
      const table = inputTable(resource);
      const reader = readerOf(resource);
      const cells = (row: readonly (string | number)[]) => row.map(String);
      const rows = reader.read(table.rows.map((row, index) => ({ rowNumber: index + 2, cells: cells(row) })));
      expect(rows.map(({ status }) => status)).toEqual(table.rows.map(() => 'excluded'));
      expect(reader.warnings).toEqual([]);
    },
  );

  it('take the league of an empty setting from the variables', () => {
    const table = inputTable('points_config');
    const reader = readerOf('points_config');
    const rows = table.rows.map(([label = ''], index) => ({
      rowNumber: index + 2,
      cells: [String(label), label === 'Fantasy league id' ? '' : '1', 'words'],
    }));
    const [row] = [...reader.read(rows), ...reader.end()];
    expect(row).toMatchObject({ status: 'valid', fields: { fantasy_league_id: 1, goal_save_ratio: 1 } });
    expect(reader.warnings).toEqual([]);
  });

  it('write back into a spreadsheet', () => {
    const fitted = fitMappings(sheet, [], INPUT_RESOURCES);
    expect(parsed(fitted, 'users.yaml')).toMatchObject({
      source: { location: { kind: 'sheet', spreadsheet: '1abcDEF_9', tab: 'Users' } },
      writeBack: { status: 'Sync status', message: 'Sync message', id: 'User ID', synced_at: 'Synced at' },
    });
    expect(parsed(fitted, 'prices.yaml').writeBack).toBeDefined();
  });

  it('may lead out of the folder only in so many words', () => {
    const fitted = fitMappings({ kind: 'xlsx', file: '../season.xlsx', outside: true }, [], ['users']);
    expect(parse(fitted.files.get('users.yaml') ?? '')).toMatchObject({ source: { allow_outside: true } });
  });
});

describe('the mappings for tables that are there', () => {
  it('are the shipped ones where init made the table before', () => {
    const tabs = INPUT_RESOURCES.map(inputTable).map(({ tab, columns }) => ({
      tab,
      header: [...columns.map(({ header }) => header), 'Sync status'],
    }));
    const fitted = fitMappings(workbook, tabs, []);
    expect([[...fitted.files.keys()], fitted.proposed, fitted.notes]).toEqual([FILES, [], []]);
  });

  it('look names of players up in a tab of their own, unless somebody has a tab of that name', () => {
    const lookupOf = (header: readonly string[] | undefined): unknown => {
      const players = header === undefined ? [] : [{ tab: 'players', header }];
      const { files } = fitMappings(workbook, players, INPUT_RESOURCES);
      const squads = parse(files.get('squads.yaml') ?? '') as {
        readonly columns: { readonly players_in: { readonly lookup: { readonly in: unknown } } };
      };
      const report = parse(files.get('players-report.yaml') ?? 'null') as {
        readonly destination: unknown;
      } | null;
      return [squads.columns.players_in.lookup.in, report?.destination];
    };
    const tab = { xlsx: 'season.xlsx', tab: 'Players' };
    expect(lookupOf(undefined)).toEqual([{ ...tab, optional: true }, tab]);
    // The report made it before.
    expect(lookupOf(['Player ID', 'First name', 'Last name', 'Club'])).toEqual([
      { ...tab, optional: true },
      tab,
    ]);
    expect(lookupOf(['Name', 'Shirt'])).toEqual([{ csv: 'out/players.csv', optional: true }, undefined]);
  });

  const fitted = fitMappings(
    workbook,
    [
      { tab: 'Participants 2026', header: ['Membership number', 'Nickname', 'Phone', 'Active', ''] },
      { tab: 'Prices', header: ['Player', 'Club'] },
      { tab: 'Scoring', header: ['Setting', 'Points', 'Remark'] },
      { tab: 'Teams', header: ['Captain'] },
      { tab: 'Empty', header: [] },
    ],
    [],
  );

  it('are found by their names and by their headers', () => {
    expect(fitted.proposed.map(({ resource, tab }) => [resource, tab])).toEqual([
      ['users', 'Participants 2026'],
      ['prices', 'Prices'],
      ['points_config', 'Scoring'],
    ]);
    expect(fitted.notes).toEqual([
      'the tab "Teams" looks like squads, but does not have all columns of "Squads": mappings/squads.yaml was left out; write a mapping for it',
    ]);
  });

  it('say what was matched, what was guessed and what is left over', () => {
    const text = fitted.files.get('users.yaml') ?? '';
    expect(text).toContain('# Matched by name:\n#   is_active from "Active"');
    expect(text).toContain('#   external_id from "Membership number"\n#   display_name from "Nickname"');
    expect(text).toContain('# Not used: "Phone"');
    const mapping = parsed(fitted, 'users.yaml');
    expect(
      mapping.columns === 'auto' ? [] : mapping.columns.map(({ field, from }) => [field, ...from]),
    ).toEqual([
      ['external_id', 'Membership number'],
      ['display_name', 'Nickname'],
      ['is_active', 'Active'],
    ]);
    expect(mapping.source.where).toEqual([]);
    expect(parsed(fitted, 'points.yaml').source.layout).toEqual({
      kind: 'key_value',
      keyColumn: 'Setting',
      valueColumn: 'Points',
    });
  });

  it('may hold a points configuration with a column for each setting', () => {
    const header = Object.values(fieldsOf('points_config')).map(({ label }) => label);
    const wide = fitMappings(workbook, [{ tab: 'Rules', header: header.slice(1) }], []);
    expect(wide.proposed).toMatchObject([{ tab: 'Rules', guessed: [], missing: [], unused: [] }]);
    const mapping = parsed(wide, 'points.yaml');
    expect(mapping.source.layout).toEqual({ kind: 'table' });
    expect(mapping.columns).toHaveLength(35);
  });

  it.each(['Pts', 'Score', 'Values'])('know settings whose values stand under %s', (value) => {
    const own = fitMappings(workbook, [{ tab: 'Scoring', header: ['Setting', value, 'Why'] }], []);
    expect(own.proposed).toMatchObject([{ matched: { setting: 'Setting', value }, missing: [] }]);
  });

  it('name what is required and missing, and cannot be used before it is corrected', () => {
    expect(fitted.proposed[1]).toMatchObject({
      matched: { player_id: 'Player' },
      missing: ['price'],
      unused: ['Club'],
    });
    expect(fitted.files.get('prices.yaml')).toMatch(
      /# MISSING.*\n# {3}price: \{ from: YOUR HEADER, required: true \}/,
    );
    expect(() => parsed(fitted, 'prices.yaml')).toThrow('price');
  });

  it('are not made where two tabs fit alike, or one tab fits two resources', () => {
    const twice = fitMappings(
      workbook,
      [
        { tab: 'North', header: ['Member ID', 'Name'] },
        { tab: 'South', header: ['Member ID', 'Name'] },
        { tab: 'Odd', header: ['ID', 'Name', 'Price'] },
      ],
      [],
    );
    expect([...twice.files.keys()]).toEqual([]);
    expect(twice.notes.join('\n')).toContain('"North" and "South" fit users equally well');
    expect(twice.notes.join('\n')).toContain('the tab "Odd" fits users and prices equally well');
  });

  it('take headers that are harmful in YAML as they are', () => {
    const odd = fitMappings(
      sheet,
      [{ tab: "Users: 'all' #1", header: ['Member ID', '{name}: "x" # y', 'Name'] }],
      [],
    );
    expect(parsed(odd, 'users.yaml').source.location).toMatchObject({ tab: "Users: 'all' #1" });
    expect(odd.files.get('users.yaml')).toContain(String.raw`# Not used: "{name}: \"x\" # y"`);
  });
});
