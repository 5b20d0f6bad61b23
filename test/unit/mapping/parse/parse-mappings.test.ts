import { describe, expect, test } from 'vitest';
import { RESOURCES } from '../../../../src/contract/index.ts';
import { ConfigError } from '../../../../src/model/error.ts';
import type { Mapping } from '../../../../src/mapping/mapping.ts';
import { mappingNames, parseMappings } from '../../../../src/mapping/parse/parse-mappings.ts';

const VARIABLES: Readonly<Record<string, string>> = { fantasy_league_id: '12', price_type: 'initial' };

function parse(yaml: string, variables = VARIABLES, only?: (name: string) => boolean): readonly Mapping[] {
  const context = {
    variable: (name: string) => variables[name],
    resolvePath: (path: string, allowOutside: boolean) => {
      if (path.startsWith('..') && !allowOutside)
        throw new ConfigError('mapping.outside', `"${path}" leaves the folder`);
      return `/season/${path}`;
    },
    readLayout: (file: string) => ({ file, text: 'version: 1' }),
  };
  return parseMappings(yaml, 'm.yaml', context, only);
}

function errorOf(work: () => unknown): ConfigError {
  try {
    work();
  } catch (error) {
    if (error instanceof ConfigError) return error;
    throw error;
  }
  throw new Error('no error was thrown');
}

const USERS = `version: 1
name: users
push: users
source: { csv: users.csv }
operation: upsert
columns:
  external_id: Member ID
  display_name: { from: [Display name, Name], transform: [trim, squeeze] }
`;
const LINEUPS = `version: 1
name: lineups
pull: lineups
destination: { csv: out/lineups.csv }
`;
const PLAYERS = `version: 1
name: players
pull: players
where: { fantasy_league_id: 1 }
destination: { csv: out/players.csv }
`;

describe('a mapping that pushes', () => {
  test('has the defaults of the format', () => {
    const [mapping] = parse(USERS);
    expect(mapping).toMatchObject({
      direction: 'push',
      place: { file: 'm.yaml', line: 1 },
      source: {
        location: { kind: 'csv', path: '/season/users.csv' },
        origin: 'users.csv',
        headerRow: 1,
        where: [],
        delimiter: 'auto',
        encoding: 'auto',
        locale: 'en',
        layout: { kind: 'table' },
      },
      missingRows: 'ignore',
      rejectMode: 'skip',
      guards: { minRows: 1, maxChangePct: 100, maxDeactivate: 0, maxStep: undefined, maxStepPct: undefined },
      batchSize: 100,
      compare: 'auto',
      writeBack: undefined,
    });
  });

  test('takes a column as the header alone', () => {
    const [mapping] = parse(USERS);
    expect(mapping?.direction === 'push' && mapping.columns !== 'auto' && mapping.columns[0]).toMatchObject({
      field: 'external_id',
      from: ['Member ID'],
      type: 'text',
      required: true,
      blank: 'error',
    });
  });

  test('reads every key that the format has', () => {
    const [mapping] = parse(`version: 1
name: users
push: users
source:
  xlsx: club.xlsx
  tab: Members
  header_row: 3
  where: '"Home club" = "Harbour Town" and Status != "left"'
  locale: de
operation: update
columns:
  external_id: { from: Member ID, type: text, required: true, transform: [strip_leading_apostrophe] }
  display_name: { from: Name, blank: clear, max_length: 60, allow_newlines: true, default: Anonymous }
  is_active: { from: Active, type: boolean, true_values: [yes, 1], false_values: no }
missing_rows: deactivate
write_back: { status: Sync status, id: User ID }
reject_mode: fail
guards: { min_rows: 10, max_change_pct: 30, max_deactivate: 5 }
batch_size: 50
compare: live
`);
    expect(mapping).toMatchObject({
      source: {
        location: { kind: 'xlsx', path: '/season/club.xlsx', tab: 'Members' },
        origin: 'club.xlsx tab "Members"',
        headerRow: 3,
        locale: 'de',
        localeNamed: true,
        where: [
          { header: 'Home club', equals: true, text: 'Harbour Town' },
          { header: 'Status', equals: false, text: 'left' },
        ],
      },
      columns: [
        { field: 'external_id', transform: ['strip_leading_apostrophe'] },
        { field: 'display_name', blank: 'clear', maxLength: 60, allowNewlines: true, default: 'Anonymous' },
        { field: 'is_active', trueValues: ['yes', '1'], falseValues: ['no'] },
      ],
      missingRows: 'deactivate',
      writeBack: { status: 'Sync status', id: 'User ID' },
      rejectMode: 'fail',
      guards: { minRows: 10, maxChangePct: 30, maxDeactivate: 5 },
      batchSize: 50,
      compare: 'live',
    });
  });

  test('takes nothing out of the address of a page that was published, which names no spreadsheet', () => {
    const address = 'https://docs.google.com/spreadsheets/d/e/2PACX-1vQx/pubhtml';
    const text = USERS.replace('{ csv: users.csv }', `{ sheet: "${address}", tab: Members }`);
    expect(() => parse(text)).toThrow('is neither the id nor the address of a Google spreadsheet');
  });

  test('takes the id out of the address of a spreadsheet', () => {
    const address = 'https://docs.google.com/spreadsheets/d/1AbC_d-E/edit#gid=0';
    const [mapping] = parse(USERS.replace('{ csv: users.csv }', `{ sheet: "${address}", tab: Members }`));
    expect(mapping).toMatchObject({
      source: { location: { kind: 'sheet', spreadsheet: '1AbC_d-E', tab: 'Members' } },
    });
  });

  test('with columns: auto takes the variables along', () => {
    const [mapping] = parse(
      'version: 1\nname: points\npush: points_config\nsource: { csv: p.csv }\noperation: set\ncolumns: auto\n',
    );
    expect(mapping).toMatchObject({ columns: 'auto', autoValues: { fantasy_league_id: '12' } });
  });

  test('keeps a lookup for the engine', () => {
    const [mapping] = parse(`version: 1
name: squads
push: squads
source: { csv: squads.csv }
operation: create
columns:
  fantasy_league_id: { value: "\${fantasy_league_id}" }
  user_id: { from: Member ID, lookup: { in: users, match: external_id, take: user_id } }
  name: Squad name
  players_in: { from_all: [P1, P2], type: integer }
`);
    expect(mapping?.direction === 'push' && mapping.columns !== 'auto' && mapping.columns[1]?.lookup).toEqual(
      {
        in: 'users',
        match: ['external_id'],
        take: 'user_id',
        onMiss: 'invalid',
        onAmbiguous: 'invalid',
      },
    );
  });
});

describe('a mapping that pulls', () => {
  test('has the defaults of the format', () => {
    expect(parse(LINEUPS)[0]).toMatchObject({
      direction: 'pull',
      where: {},
      ids: undefined,
      detail: false,
      explode: undefined,
      columns: undefined,
      destination: {
        location: { kind: 'csv', path: '/season/out/lineups.csv' },
        origin: 'out/lineups.csv',
        mode: 'replace',
        key: [],
        excel: false,
        formulas: 'escape',
      },
    });
  });

  test('keeps the order of its columns, even where headers are numbers', () => {
    const [mapping] = parse(`${LINEUPS}columns: { Name: name, 2: total_points, 1: entry.points }\n`);
    expect(mapping?.direction === 'pull' && mapping.columns?.map(({ header }) => header)).toEqual([
      'Name',
      '2',
      '1',
    ]);
  });

  test.each([
    ['entry.order', LINEUPS],
    ['entry.breakdown.anything.at.all', LINEUPS],
    ['chip_selected.name', LINEUPS],
    ['chips.0.chip', LINEUPS],
    ['user.display_name', LINEUPS],
    ['stat.goals', `${PLAYERS}explode: weekly_stats\n`],
    ['stats_total.goals', PLAYERS],
    ['game_week.week', PLAYERS.replace('pull: players', 'pull: fixtures')],
    ['teams.home.abbrevation', PLAYERS.replace('pull: players', 'pull: fixtures')],
  ])('takes the path %s', (path, yaml) => {
    expect(parse(`${yaml}columns: { X: ${path} }\n`)[0]).toMatchObject({
      columns: [{ header: 'X', from: path }],
    });
  });

  test.each([
    ['entry.point', LINEUPS, '"entry.point": entry has no "point": did you mean "points"?'],
    [
      'points',
      LINEUPS,
      '"points": the record has no "points"; it has id, name, user, game_week, squad, transfer_hits, chip_selected, chips, total_points, entry',
    ],
    ['name.first', LINEUPS, '"name.first": name is a text and holds nothing; write name'],
    ['chips.chip', LINEUPS, '"chips.chip": chips is a list; write the position in it, such as chips.0'],
    [
      'stat.goals',
      PLAYERS,
      '"stat.goals": the record has no "stat"; it has id, league_id, first_name, last_name, form, team, team_short_name, position, price, points_per_game, created_at, weekly_stats, stats_total, latest',
    ],
    [
      'ranking.current_rank',
      LINEUPS.replace('pull: lineups', 'pull: squads'),
      '"ranking.current_rank": the record has no "ranking"; it has id, name, created_at, updated_at, user, fantasy_league',
    ],
  ])('refuses the path %s', (path, yaml, message) => {
    const error = errorOf(() => parse(`${yaml}columns: { X: ${path} }\n`));
    expect(error.message.split(': columns.X: ')[1]).toBe(message);
    expect(error.place.line).toBeGreaterThan(4);
  });

  test('with detail knows rank, finance and chips of squads', () => {
    const yaml = LINEUPS.replace('pull: lineups', 'pull: squads');
    expect(parse(`${yaml}detail: true\ncolumns: { Rank: ranking.current_rank }\n`)).toHaveLength(1);
  });

  test.each([
    ['ids: 1-800', { kind: 'ranges', ranges: [{ from: 1, to: 800 }] }],
    ['ids: 7', { kind: 'ranges', ranges: [{ from: 7, to: 7 }] }],
    [
      'ids: "1-3, 9"',
      {
        kind: 'ranges',
        ranges: [
          { from: 1, to: 3 },
          { from: 9, to: 9 },
        ],
      },
    ],
    ['ids: known', undefined],
    ['', undefined],
    [
      'ids: { csv: ids.csv, column: Player }',
      { kind: 'column', column: 'Player', source: { origin: 'ids.csv' } },
    ],
  ])('takes player ids: %s', (line, ids) => {
    expect(parse(`${PLAYERS}${line}\n`)[0]).toMatchObject({ ids });
  });

  test('takes one id or a list of them', () => {
    expect(parse(PLAYERS.replace('league_id: 1 }', 'league_id: "1", id: [3, "4"] }'))[0]).toMatchObject({
      where: { fantasy_league_id: 1, id: [3, 4] },
      ids: undefined,
    });
    expect(parse(PLAYERS.replace('league_id: 1 }', 'league_id: 1, id: 3 }'))[0]).toMatchObject({
      where: { id: [3] },
    });
  });
});

describe('a mapping that is wrong says what, where and what is near', () => {
  const pull = (resource: string, rest = ''): string =>
    `version: 1\nname: r\npull: ${resource}\ndestination: { csv: r.csv }\n${rest}`;
  const prices = (operation: string, rest = ''): string =>
    `version: 1\nname: p\npush: prices\nsource: { csv: p.csv }\noperation: ${operation}\ncolumns: auto\n${rest}`;
  test.each([
    [
      `${USERS}schedule: { cron: "0 7 * * *" }\n`,
      'm.yaml:9:11: schedule.at: is missing; write a text\nm.yaml:9:13: unknown key "cron"; write schedule: "*/15 8-22 * * *" or schedule: { at: "each.kickoff - 24h" }',
    ],
    [`${USERS}schedule: { att: each.end }\n`, 'm.yaml:9:13: unknown key "att": did you mean "at"?'],
    [USERS.replace('columns:', 'colums:'), 'm.yaml:6:1: unknown key "colums": did you mean "columns"?'],
    [
      pull('users').replace('r.csv', 'teamsheet.yaml'),
      'm.yaml:4:21: destination.csv: a report needs a name that ends in .csv or .tsv or .txt',
    ],
    [
      pull('lineups', 'where: { id: ".." }'),
      'm.yaml:5:14: where.id: ".." cannot stand in an address; correct it',
    ],
    [
      pull('mini_leagues', 'where: { id: [7, "."] }'),
      'm.yaml:5:14: where.id: "." cannot stand in an address; correct it',
    ],
    [USERS.replace('version: 1', 'version: 2'), 'm.yaml:1:10: version: 2 is not known; write version: 1'],
    [
      USERS.replace('push: users', 'push: user'),
      `m.yaml:3:7: push: unknown resource "user": did you mean "users"?; known are ${RESOURCES.join(', ')}`,
    ],
    [
      USERS.replace('push: users', 'push: lineups'),
      'm.yaml:3:7: push: lineups can only be pulled: the service has no operation that writes them',
    ],
    [
      USERS.replace('upsert', 'delete'),
      'm.yaml:5:12: operation: "delete" is not possible: the service has no DELETE; users can be deactivated with missing_rows: deactivate',
    ],
    [
      USERS.replace('upsert', 'append'),
      'm.yaml:5:12: operation: users cannot take "append"; write create, update or upsert',
    ],
    [
      prices('update'),
      'm.yaml:5:12: operation: prices cannot take "update": an uploaded price can neither be changed nor deleted, only followed by another; write append',
    ],
    [
      USERS.replace('  external_id: Member ID\n', ''),
      'm.yaml:7:3: columns: upsert needs external_id; add it',
    ],
    [
      USERS.replace('display_name:', 'displayname:'),
      'm.yaml:8:3: users has no field "displayname": did you mean "display_name"?',
    ],
    [
      USERS.replace('[trim, squeeze]', '[trim, sqeeze]'),
      'm.yaml:8:65: columns.display_name.transform: unknown transform "sqeeze": did you mean "squeeze"?; known are trim, squeeze, upper, lower, digits, strip_leading_apostrophe',
    ],
    [
      USERS.replace('external_id: Member ID', 'external_id: { type: text }'),
      'm.yaml:7:16: columns.external_id: names no cell; write exactly one of from, from_all and value',
    ],
    [
      USERS.replace('external_id: Member ID', 'external_id: { from: A, type: integer }'),
      'm.yaml:7:33: columns.external_id.type: integer does not fit external_id, which is text; write text, uuid or datetime',
    ],
    [
      USERS.replace('external_id: Member ID', 'external_id: { from: A, blank: clear }'),
      'm.yaml:7:34: columns.external_id.blank: clear sends an empty text, which external_id cannot be; write omit or error',
    ],
    [
      USERS.replace('external_id: Member ID', 'external_id: { from: A, min: 3 }'),
      'm.yaml:7:27: min is for numbers',
    ],
    [
      USERS.replace('Member ID', '{ from: A, required: false, blank: error }'),
      'm.yaml:7:37: columns.external_id.required: every row needs external_id; leave required out',
    ],
    [
      USERS.replace('Member ID', '{ from: A, blank: omit }'),
      'm.yaml:7:34: columns.external_id.blank: every row needs external_id; write error, or a default',
    ],
    [`${USERS}batch_size: 5000\n`, 'm.yaml:9:13: batch_size: 5000 is too large, at most 1000'],
    [
      `${USERS}guards: { max_change_pct: 101 }\n`,
      'm.yaml:9:27: guards.max_change_pct: 101 is too large, at most 100',
    ],
    [`${USERS}guards: { max_step: 1 }\n`, 'm.yaml:9:11: max_step is for prices only'],
    [
      `${USERS}compare: none\n`,
      'm.yaml:9:10: compare: none would repeat every upsert; write auto, live or snapshot',
    ],
    [
      prices('append', 'missing_rows: deactivate\n'),
      'm.yaml:7:15: missing_rows: deactivate works for users with operation update or upsert; there is nothing else that can be deactivated',
    ],
    [
      USERS.replace('{ csv: users.csv }', '{ csv: a.csv, xlsx: b.xlsx }'),
      'm.yaml:4:9: source: names csv and xlsx; write exactly one of csv, xlsx and sheet',
    ],
    [
      USERS.replace('{ csv: users.csv }', '{ xlsx: b.xlsx }'),
      'm.yaml:4:9: source: xlsx needs tab: the name of the tab',
    ],
    [
      USERS.replace('{ csv: users.csv }', '{ xlsx: b.xlsx, tab: "a/b" }'),
      'm.yaml:4:30: source.tab: "a/b" cannot name a tab of a workbook; leave out \\ / ? * [ ] : and an apostrophe at either end, and do not call it History',
    ],
    ...[
      ['a\\tb', 'a<U+0009>b'],
      ["'a", "'a"],
      ['history', 'history'],
    ].map(([tab = '', shown = '']): [string, string] => [
      USERS.replace('{ csv: users.csv }', `{ xlsx: b.xlsx, tab: "${tab}" }`),
      `m.yaml:4:30: source.tab: "${shown}" cannot name a tab of a workbook; leave out \\ / ? * [ ] : and an apostrophe at either end, and do not call it History`,
    ]),
    [
      USERS.replace('{ csv: users.csv }', `{ xlsx: b.xlsx, tab: ${'t'.repeat(32)} }`),
      'm.yaml:4:30: source.tab: "tttttttttttttttttttttttttttttttt" has 32 characters; a tab of a workbook has at most 31',
    ],
    [
      USERS.replace('users.csv }', "users.csv, where: 'Status is gone' }"),
      'm.yaml:4:34: source.where: "Status is gone": write HEADER = "text" or HEADER != "text", joined by and; a header with blanks in double quotes',
    ],
    [
      USERS.replace('users.csv }', 'users.csv, encoding: latin-9000 }'),
      'm.yaml:4:37: source.encoding: no encoding is called "latin-9000"; write utf-8, utf-16le, utf-16be, windows-1252 or auto',
    ],
    [
      USERS.replace('users.csv }', 'users.csv, layout: key_value }'),
      'm.yaml:4:9: source: layout key_value needs key_column and value_column: the headers of the settings and of their values',
    ],
    [USERS.replace('users.csv', '../users.csv'), 'm.yaml:4:16: "../users.csv" leaves the folder'],
    [
      USERS.replace('name: users', 'name: a/b'),
      'm.yaml:2:7: name: "a/b" cannot name a mapping; use letters, digits, blanks, _ . and -',
    ],
    [
      USERS.replace('name: users', `name: ${'名'.repeat(61)}`),
      `m.yaml:2:7: name: "${'名'.repeat(37)}…" is too long for the names of files; use at most 180 bytes`,
    ],
    [
      USERS.replace('push: users\n', ''),
      'm.yaml:1:1: a mapping goes one way: this one has neither push nor pull; write one of them',
    ],
    [
      pull('auto_substitutions'),
      'm.yaml:1:1: where: auto_substitutions needs fantasy_league_id: write where: { fantasy_league_id: ... }',
    ],
    [
      pull('squads', 'where: { league: 1 }\n'),
      'm.yaml:5:10: unknown key "league"; known are user_id, fantasy_league_id, id, weeks',
    ],
    [pull('squads', 'where: { page: 1 }\n'), 'm.yaml:5:10: page cannot be set: every page is read'],
    [pull('users', 'where: { id: 1 }\n'), 'm.yaml:5:10: unknown key "id"; users takes no where'],
    [
      pull('squads', 'where: { user_id: [1, 2] }\n'),
      'm.yaml:5:19: where.user_id: takes one value; only id may be a list',
    ],
    [pull('squads', 'ids: known\n'), 'm.yaml:5:1: ids is for players only'],
    [pull('users', 'detail: true\n'), 'm.yaml:5:1: detail is for squads only'],
    [
      `${PLAYERS}explode: weekly\n`,
      'm.yaml:6:10: explode: "weekly" cannot make rows of players; write none for lineups or weekly_stats for players or pairs for auto_substitutions',
    ],
    [
      `${PLAYERS}ids: many\n`,
      'm.yaml:6:6: ids: "many" is not understood; write known, ranges such as "1-800,905", or a table with a column of ids',
    ],
    [
      LINEUPS.replace('lineups.csv }', 'lineups.csv, mode: merge }'),
      'm.yaml:4:44: destination.mode: merge needs key: the headers that tell rows apart',
    ],
    ...['squad', ' Squad '].map((header) => [
      `${LINEUPS}columns:\n  Squad: name\n  "${header}": id\n`,
      `m.yaml:7:3: the headers "Squad" and "${header}" are the same for spreadsheets; rename one of them`,
    ]),
    [`${USERS}reject_mode:\n`, 'm.yaml:9:13: reject_mode: is empty; write skip or fail'],
    [`${USERS}---\n${USERS}`, 'm.yaml:9:1: a second document begins here, and a file holds one document'],
    [USERS.replace('{ csv: users.csv }', 'users.csv'), 'm.yaml:4:9: source: "users.csv" is not a map'],
    [USERS.replace('Member ID', '[a, b]'), 'm.yaml:7:16: columns.external_id: a list is not a text or a map'],
    [
      USERS.replace('Member ID', '{ from: }'),
      'm.yaml:7:24: columns.external_id.from: is empty; write a text or a list',
    ],
    [
      USERS.replace('Member ID', '{ from: [] }'),
      'm.yaml:7:24: columns.external_id.from: is empty; write at least one',
    ],
    [USERS.replace('version: 1\n', ''), 'm.yaml:1:1: version: is missing; write 1'],
    [pull('squads', 'where: { id: nope }\n'), 'm.yaml:5:14: where.id: "nope" is not a UUID; correct it'],
    [pull('squads', 'where: { user_id: zero }\n'), 'm.yaml:5:19: where.user_id: "zero" is not a number'],
    ['', 'm.yaml:1:1: the file holds no mapping'],
    ['- 1\n', 'm.yaml:1:3: a mapping is a map with version, name and push or pull'],
  ])('%#', (yaml, message) => {
    expect(errorOf(() => parse(yaml)).message).toBe(message);
  });

  test('names everything that is wrong, in the order of the file', () => {
    const error = errorOf(() =>
      parse(USERS.replace('columns:', 'batch_size: 0\nreject_mode: maybe\ncolumns:')),
    );
    expect(error.message).toBe(
      'm.yaml:6:13: batch_size: 0 is too small, at least 1\nm.yaml:7:14: reject_mode: "maybe" is not known; write skip or fail',
    );
    expect(error.place).toEqual({ file: 'm.yaml', line: 6, column: 13 });
  });

  const UNQUOTED =
    'Put a text that holds ": " or " #", or begins with a sign, in double quotes, and close each quotation mark and bracket.';
  test.each([
    [
      USERS.replace('users.csv', '*.csv'),
      'm.yaml:4:16: YAML reads *.csv as an alias, and nothing has the anchor &.csv',
      'Put the text in quotes: "*.csv".',
    ],
    [
      USERS.replace('Member ID', '@id'),
      'm.yaml:7:16: not valid YAML: Plain value cannot start with reserved character @',
      UNQUOTED,
    ],
    [
      USERS.replace('  external_id', '\texternal_id'),
      'm.yaml:7:1: not valid YAML: Tabs are not allowed as indentation',
      'Indent with blanks.',
    ],
  ])('tells what to write where YAML reads something else: %j', (yaml, message, next) => {
    expect(errorOf(() => parse(yaml))).toMatchObject({ message, next });
  });

  test('a value of the mapping that its field cannot take', () => {
    const yaml = prices('append').replace(
      'columns: auto',
      'columns: { fantasy_league_id: { value: twelve }, player_id: A, price: B, type: { value: x } }',
    );
    expect(errorOf(() => parse(yaml)).message).toBe(
      'm.yaml:6:40: columns.fantasy_league_id.value: "twelve" is not a number; write digits only, such as 12',
    );
  });
});

describe('variables', () => {
  const TWO = `- version: 1
  name: users
  push: users
  source: { csv: users.csv }
  operation: upsert
  columns: { external_id: A, display_name: B }
- version: 1
  name: subs
  pull: auto_substitutions
  where: { fantasy_league_id: "\${fantasy_league_id}" }
  destination: { csv: "out/\${season}.csv" }
`;
  test('are filled in', () => {
    expect(parse(TWO, { fantasy_league_id: '12', season: '2026' })[1]).toMatchObject({
      where: { fantasy_league_id: 12 },
      destination: { location: { path: '/season/out/2026.csv' } },
    });
  });

  test('that are unset say where their value comes from', () => {
    const error = errorOf(() => parse(TWO, {}));
    expect(error).toMatchObject({
      code: 'mapping.variable',
      message: 'm.yaml:10:31: the variable fantasy_league_id is not set',
      place: { line: 10, column: 31 },
    });
    expect(error.next).toMatch(/from your provider, or the id of your fantasy league in results/);
    expect(errorOf(() => parse(TWO, { fantasy_league_id: '1' })).next).toBe(
      'Set it under vars in the configuration (teamsheet.yaml), as an environment variable, or with --var season=VALUE.',
    );
    expect(
      errorOf(() => parse(TWO.replace('${season}', '${price_type}'), { fantasy_league_id: '1' })).next,
    ).toMatch(/does not show the allowed values: ask your provider/);
  });

  test('stop only the mappings that are wanted', () => {
    expect(parse(TWO, {}, (name) => name === 'users').map(({ name }) => name)).toEqual(['users']);
    expect(mappingNames(TWO, 'm.yaml')).toEqual([
      { name: 'users', direction: 'push', place: { file: 'm.yaml', line: 1 } },
      { name: 'subs', direction: 'pull', place: { file: 'm.yaml', line: 7 } },
    ]);
  });

  test('$${ stands for itself', () => {
    const [mapping] = parse(LINEUPS.replace('out/lineups.csv', () => '"out/$${x}.csv"'));
    expect(mapping).toMatchObject({ destination: { origin: 'out/${x}.csv' } });
  });

  test('that stand without quotes are told apart from other mistakes', () => {
    expect(errorOf(() => parse(TWO.replace('"${fantasy_league_id}"', '${fantasy_league_id}'), {})).next).toBe(
      'Put a text that holds ${...} in double quotes.',
    );
  });
});

describe('a mapping with a game week in the place of a table', () => {
  const trigger = (source: string, push = 'auto_substitutions'): string =>
    `{ version: 1, name: trigger, push: ${push}, source: ${source}, schedule: { at: each.end + 3h } }\n`;

  test.each([
    ['last', 'last'],
    ['current', 'current'],
    ['7', 7],
    ['"7"', 7],
  ])('takes weeks: %s', (written, week) => {
    expect(parse(trigger(`{ weeks: ${written} }`))[0]).toMatchObject({
      direction: 'push',
      operation: 'trigger',
      source: { location: { kind: 'weeks', week, league: 12 }, origin: `weeks: ${week}` },
      guards: { minRows: 0 },
      timing: { schedule: [{ text: 'each.end + 3h' }] },
    });
  });

  test.each([
    [trigger('{ weeks: next }'), '"next" is no game week; write last, current or a number'],
    [trigger('{ weeks: 0 }'), '"0" is no game week'],
    [trigger('{ weeks: last, csv: a.csv }'), 'unknown key "csv"'],
    [trigger('{ weeks: last }', 'prices'), '"prices" has no source of weeks'],
  ])('%s is refused', (yaml, words) => {
    expect(errorOf(() => parse(yaml)).message).toContain(words);
  });

  test('needs the fantasy league', () => {
    expect(errorOf(() => parse(trigger('{ weeks: last }'), {})).message).toContain(
      'the variable fantasy_league_id is not set. It is the number of your fantasy league',
    );
    expect(errorOf(() => parse(trigger('{ weeks: last }'), { fantasy_league_id: 'x' })).message).toContain(
      'is "x", which is no number of a league',
    );
  });
});
