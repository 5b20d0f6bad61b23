import type { PushMapping } from '../../../src/mapping/mapping.ts';
import { parseMappings } from '../../../src/mapping/parse-mappings.ts';
import type { MemoryTables } from '../engine.ts';
import { settingNames } from '../points.ts';

const parsed = parseMappings(
  `
- { version: 1, name: squads, push: squads, source: { csv: squads.csv }, operation: create, columns: {
    fantasy_league_id: { value: "1" }, name: Name, players_in: { value: "1" },
    user_id: { from: Member, lookup: { in: users, match: external_id, take: user_id } } } }
- { version: 1, name: minis, push: mini_leagues, source: { csv: minis.csv }, operation: create, columns: {
    fantasy_league_id: { value: "1" }, name: Name, type: { value: open } } }
- { version: 1, name: users, push: users, source: { csv: users.csv }, operation: upsert, columns: {
    external_id: Member, display_name: Name, is_active: { from: Active, blank: omit } } }
- { version: 1, name: prices, push: prices, source: { csv: prices.csv }, operation: append, compare: snapshot, columns: {
    fantasy_league_id: { value: "1" }, player_id: Player, price: Price, type: { value: current } } }
- { version: 1, name: points, push: points_config, source: { csv: points.csv }, operation: set, columns: auto }
`,
  'model.yaml',
  { variable: () => undefined, resolvePath: (path) => path, readLayout: (file) => ({ file, text: '' }) },
);

/** Every resource of the model, in batches of that size. */
export const modelMappings = (batchSize: number): readonly PushMapping[] =>
  parsed
    .filter((each): each is PushMapping => each.direction === 'push')
    .map((each) => ({ ...each, batchSize }));

export const MEMBERS = ['A', 'B', 'C', 'D', 'E', 'F', 'G', 'H'] as const;
export const SQUADS = ['Hill XI', 'Dale XI'] as const;
export const MINIS = ['Office', 'Family', 'Pub'] as const;
export const PLAYERS = ['7', '8', '9', '10', '11'] as const;

/** What the operator's tables hold: by key, whatever else a row says. Squads are named `MEMBER/NAME`. */
export interface Wanted {
  readonly users: Map<string, { readonly name: string; readonly active: '' | 'true' | 'false' }>;
  readonly squads: Set<string>;
  readonly minis: Set<string>;
  readonly prices: Map<string, string>;
  /** The goal points of a forward; undefined while there is no configuration. */
  points: string | undefined;
  /** A row of users that cannot be sent. */
  badRow: boolean;
}

export const nothingWanted = (): Wanted => ({
  users: new Map(),
  squads: new Set(),
  minis: new Set(),
  prices: new Map(),
  points: undefined,
  badRow: false,
});

/** Writes the tables as the operator has them now. */
export function fillTables(tables: MemoryTables, wanted: Wanted): void {
  const { users, squads, minis, prices, points, badRow } = wanted;
  const points1 = settingNames.map((name) => (name === 'forward_goal_points' ? (points ?? '') : '1'));
  tables.set('users.csv', [
    ['Member', 'Name', 'Active'],
    ...[...users].map(([key, { name, active }]) => [key, name, active]),
    ...(badRow ? [['Z', 'Zed', 'perhaps']] : []),
  ]);
  tables.set('squads.csv', [['Member', 'Name'], ...[...squads].map((squad) => squad.split('/'))]);
  tables.set('minis.csv', [['Name'], ...[...minis].map((name) => [name])]);
  tables.set('prices.csv', [['Player', 'Price'], ...prices]);
  tables.set('points.csv', [
    ['fantasy_league_id', ...settingNames],
    ...(points === undefined ? [] : [['1', ...points1]]),
  ]);
}
