import { expect, it } from 'vitest';
import { ConfigError } from '../../src/model/error.ts';
import type { Issue } from '../../src/model/issue.ts';
import { readSources } from '../../src/sync/rows/read-rows.ts';
import { rowIssues, validateSources } from '../../src/sync/validate.ts';
import { mappingFrom } from '../support/builders.ts';
import { makeEngine, PLAN_OPTIONS } from '../support/engine.ts';

const squadsBy = (lookup: string) =>
  mappingFrom(
    'squads',
    'squads',
    'create',
    `{ fantasy_league_id: { value: 1 }, user_id: User, name: Squad, players_in: { from_all: [P1, P2], blank: omit, lookup: ${lookup} } }`,
  );
const SQUADS = squadsBy(
  '{ in: { csv: players.csv, optional: true }, match_any: [[Last name], [First name, Last name], [Last name, Club], [First name, Last name, Club]], take: Player ID }',
);
const PLAYERS = [
  ['Player ID', 'First name', 'Last name', 'Club'],
  ['7', 'Harry', 'Kane', 'Hill FC'],
  ['8', 'Bernardo', 'Silva', 'City'],
  ['9', 'Thiago', 'Silva', 'Blues'],
  ['10', '', 'Neto', 'City'],
  ['11', 'João', 'Neto', 'Blues'],
  // The same player again, as a report of several weeks has it.
  ['7', 'Harry', 'Kane', 'Hill FC'],
];

async function read(cells: readonly [string, string?], players: readonly string[][] | null = PLAYERS) {
  const engine = await makeEngine();
  if (players !== null) engine.tables.set('players.csv', players);
  engine.tables.set('squads.csv', [
    ['User', 'Squad', 'P1', 'P2'],
    ['7', 'Rovers', cells[0], cells[1] ?? ''],
  ]);
  const { csv } = engine.ports.tables;
  const open: typeof csv.open = (location, options) =>
    players === null && options.origin === 'players.csv'
      ? Promise.reject(new ConfigError('source.missing', 'players.csv: there is no such file'))
      : csv.open(location, options);
  const ports = { ...engine.ports, tables: { ...engine.ports.tables, csv: { ...csv, open } } };
  const validation = await validateSources(ports, [SQUADS], PLAN_OPTIONS);
  const issues = await Array.fromAsync(rowIssues(validation));
  await validation.rows.remove();
  const rows = await readSources(ports, null, [SQUADS], PLAN_OPTIONS);
  const [row] = await rows.rows('squads', [2]);
  await rows.remove();
  return { ids: row?.fields?.players_in, said: issues.map(({ message }) => message) };
}

it.each([
  ['Kane', [7]],
  ['Harry Kane', [7]],
  ['kane (Hill FC)', [7]],
  ['Kane, Hill FC', [7]],
  ['Silva City', [8]],
  ['Thiago Silva', [9]],
  ['Neto (City)', [10]],
  ['JOÃO NETO', [11]],
  ['23', [23]],
])('finds a player as a person writes the name: %s', async (cell, ids) => {
  expect(await read([cell])).toEqual({ ids, said: [] });
});

it('takes ids and names side by side', async () => {
  expect(await read(['12', 'Kane'])).toEqual({ ids: [12, 7], said: [] });
});

it('names every candidate of a name that several have', async () => {
  const { said } = await read(['Silva']);
  expect(said).toEqual([
    'squads.csv row 2, column "P1": "Silva" may be any of 2 in players.csv, columns "Last name" or "First name" + "Last name" or "Last name" + "Club" or "First name" + "Last name" + "Club": Bernardo Silva City (8), Thiago Silva Blues (9); write more of the name, or the number',
  ]);
});

it('names the nearest one to a name that nobody has', async () => {
  const { said } = await read(['Harry Kain']);
  expect(said).toEqual([
    expect.stringMatching(
      /^squads\.csv row 2, column "P1": "Harry Kain" is not in players\.csv.*; nearest: "Harry Kane"$/,
    ),
  ]);
});

it('needs no table for ids, and says of a name that the table is not there yet', async () => {
  expect(await read(['12'], null)).toEqual({ ids: [12], said: [] });
  const { said } = await read(['Kane'], null);
  expect(said).toEqual([
    expect.stringMatching(
      /^squads\.csv row 2, column "P1": "Kane" is not in players\.csv, which is not there yet/,
    ),
  ]);
});

it.each([
  ['{ in: { csv: players.csv }, take: Player ID }', /needs exactly one of match and match_any/],
  [
    '{ in: { csv: players.csv }, match: Last name, match_any: [[Last name]], take: Player ID }',
    /needs exactly one of match and match_any/,
  ],
  ['{ in: users, match_any: [[external_id]], take: user_id }', /is for tables only; write match/],
])('is refused in a mapping where it means nothing: %s', (lookup, message) => {
  expect(() => squadsBy(lookup)).toThrow(message);
});

it('takes a row of which only a column that is not looked up holds a formula without a result', async () => {
  const issue = (column: string): Issue => ({
    code: 'cell.formula',
    severity: 'error',
    column,
    message: column,
  });
  const found = async (column: string): Promise<unknown> => {
    const engine = await makeEngine();
    engine.tables.set('players.csv', [
      ['Player ID', 'Last name', 'First name', 'Club', 'Note'],
      ['7', 'Kane'],
    ]);
    engine.tables.set('squads.csv', [
      ['User', 'Squad', 'P1', 'P2'],
      ['7', 'Rovers', 'Kane', ''],
    ]);
    const { csv } = engine.ports.tables;
    const open: typeof csv.open = async (location, options) => {
      const table = await csv.open(location, options);
      if (options.origin !== 'players.csv') return table;
      return {
        ...table,
        async *batches() {
          for await (const batch of table.batches())
            yield batch.map((row) => ({ ...row, issues: [issue(column)] }));
        },
      };
    };
    const ports = { ...engine.ports, tables: { ...engine.ports.tables, csv: { ...csv, open } } };
    const rows = await readSources(ports, null, [SQUADS], PLAN_OPTIONS);
    const [row] = await rows.rows('squads', [2]);
    await rows.remove();
    return [
      row?.fields?.players_in,
      engine.events.flatMap((event) => (event.kind === 'warning' ? [event.message] : [])),
    ];
  };
  expect(await found('Note')).toEqual([[7], []]);
  expect(await found('Player ID')).toEqual([undefined, ['players.csv row 2: Player ID']]);
});
