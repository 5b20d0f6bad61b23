import type { PushMapping } from '../../../src/mapping/mapping.ts';
import { mappingsOf } from '../builders.ts';
import { settingNames } from '../points.ts';

type Table = readonly (readonly string[])[];

const CUP = '{ value: Cup, lookup: { in: fantasy_leagues, match: name, take: id } }';

/** Every resource that can be pushed; squads and mini leagues hang on a league and on users that the same push creates. */
const MAPPINGS = `
- { version: 1, name: squads, push: squads, source: { csv: squads.csv }, operation: create, columns: {
    fantasy_league_id: ${CUP}, name: Name, players_in: { from: Players, split: ";" },
    user_id: { from: Member, lookup: { in: users, match: external_id, take: user_id } } } }
- { version: 1, name: minis, push: mini_leagues, source: { csv: minis.csv }, operation: create, columns: {
    fantasy_league_id: ${CUP}, name: Name, type: { value: classic } } }
- { version: 1, name: users, push: users, source: { csv: users.csv }, operation: upsert, batch_size: 3, missing_rows: deactivate,
    guards: { max_deactivate: 5 }, columns: { external_id: Member, display_name: Name, is_active: Active } }
- { version: 1, name: leagues, push: fantasy_leagues, source: { csv: leagues.csv }, operation: create, columns: {
    name: Name, league_id: { value: "1" } } }
- { version: 1, name: prices, push: prices, source: { csv: prices.csv }, operation: append, compare: snapshot, batch_size: 3, columns: {
    fantasy_league_id: { value: "1" }, player_id: Player, price: Price, type: { value: current } } }
- { version: 1, name: points, push: points_config, source: { csv: points.csv }, operation: set, columns: auto }
- { version: 1, name: triggers, push: auto_substitutions, source: { csv: triggers.csv }, operation: trigger, columns: {
    fantasy_league_id: { value: "1" }, game_week_id: Week } }
`;

export const MAPPING_NAMES = ['users', 'leagues', 'minis', 'squads', 'prices', 'points', 'triggers'] as const;
export type MappingName = (typeof MAPPING_NAMES)[number];

/** The mappings of that name, or all of them. */
export function seasonMappings(names: readonly MappingName[] = MAPPING_NAMES): readonly PushMapping[] {
  return mappingsOf(MAPPINGS).filter(({ name }) => (names as readonly string[]).includes(name));
}

const USER_HEADER = ['Member', 'Name', 'Active'];
const PRICE_HEADER = ['Player', 'Price'];
const elevenOf = (first: number): string =>
  Array.from({ length: 11 }, (_, index) => String(first + index)).join(';');

/** Users who are there before and do not change. */
const regulars = (count: number): Table =>
  Array.from({ length: count }, (_, index) => [`R-${String(index + 1)}`, `Regular ${index + 1}`, '']);

/** What was pushed the week before: only users, their squads and prices. */
export function lastWeek(regularUsers: number): ReadonlyMap<string, Table> {
  return new Map<string, Table>([
    [
      'users.csv',
      [USER_HEADER, ...['A', 'B', 'C', 'F'].map((key) => [key, `Old ${key}`, '']), ...regulars(regularUsers)],
    ],
    ['prices.csv', [PRICE_HEADER, ...[1, 2, 3, 4].map((player) => [String(player), '5.5'])]],
  ]);
}

/**
 * What is pushed now: users to create (one of them inactive), to change, to deactivate and a bad one; a league with mini leagues and squads, one of
 * them with a player whom the service does not know; new and changed prices; a first points configuration; a trigger.
 */
export function thisWeek(regularUsers: number, weekId: string): ReadonlyMap<string, Table> {
  const minutes = (name: string): string => (name.endsWith('_minutes') ? '60' : '2');
  return new Map<string, Table>([
    [
      'users.csv',
      [
        USER_HEADER,
        ['A', 'New A', ''],
        ['B', 'Old B', ''],
        ['C', 'Old C', 'false'],
        ['G', 'New G', ''],
        ['K', 'New K', 'maybe'],
        ['H', 'New H', 'false'],
        ['I', 'New I', ''],
        ['J', 'New J', 'true'],
        ...regulars(regularUsers),
      ],
    ],
    ['leagues.csv', [['Name'], ['Cup']]],
    ['minis.csv', [['Name'], ['Office'], ['Family']]],
    [
      'squads.csv',
      [
        ['Member', 'Name', 'Players'],
        ['A', 'Dale XI', elevenOf(1)],
        ['G', 'Hill XI', elevenOf(12)],
        ['H', 'Lost XI', '1;999999'],
        ['I', 'Vale XI', elevenOf(23)],
      ],
    ],
    [
      'prices.csv',
      [
        PRICE_HEADER,
        ['1', '5.6'],
        ['2', '5.5'],
        ['3', '5.4'],
        ['4', '5.5'],
        ['5', '7'],
        ['6', '8.5'],
        ['7', '4'],
      ],
    ],
    [
      'points.csv',
      [
        ['fantasy_league_id', ...settingNames],
        ['1', ...settingNames.map(minutes)],
      ],
    ],
    ['triggers.csv', [['Week'], [weekId]]],
  ]);
}
