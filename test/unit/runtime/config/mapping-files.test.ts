import { join } from 'node:path';
import { afterAll, expect, it } from 'vitest';
import { parseMappings } from '../../../../src/mapping/parse/parse-mappings.ts';
import { lackedFiles } from '../../../../src/runtime/config/mapping-files.ts';
import { makeFolder } from '../../../support/cli.ts';

const folder = makeFolder({ 'users.csv': 'Member ID\n' });
afterAll(() => folder.remove());

function lackedBy(text: string): readonly string[] {
  const context = {
    variable: () => '1',
    resolvePath: (path: string) => join(folder.path, path),
    readLayout: (file: string) => ({ file, text: 'version: 1' }),
  };
  return parseMappings(text, 'm.yaml', context).flatMap(lackedFiles);
}

const push = (source: string, lookup = ''): string => `version: 1
name: squads
push: squads
source: ${source}
operation: create
columns:
  fantasy_league_id: { value: 1 }
  user_id: { from: Member, lookup: { in: users, match: external_id, take: user_id } }
  name: Name
  players_in: { from_all: [P1]${lookup} }
`;
const players = (optional: string): string =>
  `, lookup: { in: { csv: players.csv${optional} }, match: Name, take: ID }`;

it.each([
  ['a table that is here', push('{ csv: users.csv }'), []],
  ['a table that a pattern means', push('{ csv: "u*.csv" }'), []],
  ['a pattern that means none', push('{ csv: "in/u*.csv" }'), ['in/u*.csv']],
  ['a table that is not here', push('{ csv: squads.csv }'), ['squads.csv']],
  ['one that may be missing', push('{ csv: squads.csv, optional: true }'), []],
  ['a tab of a workbook', push('{ xlsx: season.xlsx, tab: Squads }'), ['season.xlsx tab "Squads"']],
  ['a tab of a spreadsheet', push('{ sheet: 1AbCdEfGhIjKlMnOpQrStUvWxYz0123456789, tab: Squads }'), []],
  ['a table that cells are looked up in', push('{ csv: users.csv }', players('')), ['players.csv']],
  ['one that may be missing, too', push('{ csv: users.csv }', players(', optional: true')), []],
  ['what a report writes', 'version: 1\nname: list\npull: users\ndestination: { csv: list.csv }\n', []],
  [
    'the ids of players',
    'version: 1\nname: players\npull: players\nwhere: { fantasy_league_id: 1 }\nids: { csv: ids.csv, column: ID }\ndestination: { csv: players.csv }\n',
    ['ids.csv'],
  ],
])('of %s', (_what, text, lacked) => {
  expect(lackedBy(text)).toEqual(lacked);
});
