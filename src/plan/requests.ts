import type { BodyOf } from '../contract/index.ts';
import type { ResourceName } from '../contract/resource.ts';
import { pointsConfigRecord } from '../contract/resources/points-config.ts';
import { userRecord, type User } from '../contract/resources/users.ts';
import type { Fields } from '../model/cell.ts';
import type { KnownRecord, RunRow } from '../model/run-rows.ts';
import type { Said } from '../model/said.ts';
import { digestFields } from './digest.ts';
import { known, knownUser, remembered } from './known-records.ts';
import {
  fantasyLeagueRequests,
  miniLeagueRequests,
  squadRequests,
  substitutionRequests,
} from './record-requests.ts';

/** What an answer says of one row that was sent. */
export interface Confirmation {
  readonly id: string | null;
  /** What the service now holds, for the next comparison. */
  readonly record: KnownRecord;
  /** Why the answer does not agree with what was sent; such a row is a conflict. */
  readonly disagrees?: Said;
  /** There are several records under the key, and this is the row's own where its id is known. */
  readonly isOneOfSeveral?: true;
  /** The text of the key as the service keeps it, where that is another spelling. */
  readonly keptAs?: string;
  /** What the answer says beside that, for the person. */
  readonly note?: Said;
}

/** The operations that rows go out with, changes of users apart. */
export type CreateOperation =
  | 'create-users'
  | 'upload-prices'
  | 'set-points-config'
  | 'create-fantasy-league'
  | 'create-mini-league'
  | 'create-squad'
  | 'trigger-auto-substitution';

/** How rows of one resource become requests, and how answers are matched to them: by key, never by position. */
export interface PushRequests {
  readonly operation: CreateOperation;
  /** The updates of this resource go the same way as its creates. */
  readonly updatesLikeCreates: boolean;
  /** Several requests may be under way at once, because the key of each row stands in the answer. */
  readonly parallel: boolean;
  /** Rows of different groups cannot share a request. */
  groupOf(row: RunRow): string;
  body(rows: readonly RunRow[]): BodyOf<CreateOperation>;
  /** Confirmations by row key; a row without one was not answered for. */
  match(rows: readonly RunRow[], records: readonly unknown[]): ReadonlyMap<string, Confirmation>;
}

const fieldsOf = (row: RunRow): Fields => row.fields ?? {};

const users: PushRequests = {
  operation: 'create-users',
  updatesLikeCreates: false,
  parallel: true,
  groupOf: () => '',
  body: (rows) => ({
    users: rows.map((row) => {
      const { external_id, display_name } = fieldsOf(row);
      return { external_id: String(external_id), display_name: String(display_name) };
    }),
  }),
  match: (rows, records) => {
    const byKey = new Map<string, User[]>();
    for (const value of records) {
      const user = userRecord.safeParse(value);
      if (!user.success) continue;
      const key = user.data.external_id.normalize('NFC');
      byKey.set(key, [...(byKey.get(key) ?? []), user.data]);
    }
    return new Map(
      rows.flatMap((row): [string, Confirmation][] => {
        const found = row.key === null ? undefined : byKey.get(row.key);
        const user = found?.find(({ id }) => id === row.id) ?? found?.[0];
        if (row.key === null || user === undefined) return [];
        const disagrees = disagreement(row, found ?? []);
        const record = withSent(row, remembered(knownUser(user)));
        const several = found !== undefined && found.length > 1 && ({ isOneOfSeveral: true } as const);
        return [
          [row.key, { id: user.id, record, ...(disagrees !== undefined && { disagrees }), ...several }],
        ];
      }),
    );
  },
};

/** What was sent stands for what a short answer leaves out; POST /user takes no flag, so a create says nothing of it. */
function withSent(row: RunRow, record: KnownRecord): KnownRecord {
  const { is_active, ...rest } = fieldsOf(row);
  const sent = row.change === 'update' && is_active !== undefined ? { ...rest, is_active } : rest;
  return { ...record, digests: { ...digestFields(sent), ...record.digests } };
}

function disagreement(row: RunRow, found: readonly User[]): Said | undefined {
  if (found.length > 1) return { code: 'answer-several', key: row.key ?? '', count: found.length };
  const [user] = found;
  const wanted = fieldsOf(row).display_name;
  if (typeof user?.display_name === 'string' && wanted !== undefined && user.display_name !== wanted) {
    return { code: 'held-other', field: 'display_name', held: user.display_name, wanted };
  }
  return undefined;
}

/** The same for every resource that answers with no record of its own per row: the row itself is what was confirmed. */
const confirmSent = (row: RunRow, id: string | null): [string, Confirmation][] =>
  row.key === null ? [] : [[row.key, { id, record: remembered(known(row.key, id, null, fieldsOf(row))) }]];

const prices: PushRequests = {
  operation: 'upload-prices',
  updatesLikeCreates: true,
  parallel: false,
  groupOf: (row) => String(fieldsOf(row).fantasy_league_id ?? row.lookups?.fantasy_league_id?.after?.key),
  body: (rows) => ({
    fantasy_league_id: Number(rows[0]?.fields?.fantasy_league_id),
    prices: rows.map((row) => {
      const { player_id, price, type } = fieldsOf(row);
      return { player_id: Number(player_id), price: Number(price), type: String(type) };
    }),
  }),
  // The answer holds a reference and a count. A count that is there and is another one than was sent proves nothing for any single row.
  match: (rows, records) => {
    const count = (records[0] as { count?: number | null } | undefined)?.count;
    if (typeof count === 'number' && count !== rows.length) return new Map();
    return new Map(rows.flatMap((row) => confirmSent(row, null)));
  },
};

const pointsConfig: PushRequests = {
  operation: 'set-points-config',
  updatesLikeCreates: true,
  parallel: false,
  groupOf: (row) => row.key ?? '',
  // A group is one league, so its only row; its fields were checked by the contract's own schemas when they were read.
  body: (rows) => fieldsOf(rows[0] as RunRow) as unknown as BodyOf<'set-points-config'>,
  match: (rows, records) => {
    const answer = pointsConfigRecord.safeParse(records[0]);
    const [row] = rows;
    if (!answer.success || row === undefined) return new Map();
    const held: Readonly<Record<string, unknown>> = answer.data;
    const wrong = Object.entries(fieldsOf(row)).find(
      ([name, value]) => held[name] !== undefined && held[name] !== null && held[name] !== value,
    );
    return new Map(
      confirmSent(row, answer.data.id).map(([key, confirmation]) => [
        key,
        wrong === undefined
          ? confirmation
          : {
              ...confirmation,
              disagrees: { code: 'held-other', field: wrong[0], held: held[wrong[0]], wanted: wrong[1] },
            },
      ]),
    );
  },
};

/** The resources that can be pushed. */
export const pushRequests: Readonly<Partial<Record<ResourceName, PushRequests>>> = {
  users,
  prices,
  points_config: pointsConfig,
  fantasy_leagues: fantasyLeagueRequests,
  mini_leagues: miniLeagueRequests,
  squads: squadRequests,
  auto_substitutions: substitutionRequests,
};

/** What a row lacks to make a new record, with the remedy; undefined when it lacks nothing. POST /user wants a name, a change does not. */
export function missingForCreate(resource: ResourceName, row: Pick<RunRow, 'fields'>): Said | undefined {
  return resource === 'users' && row.fields?.display_name === undefined
    ? { code: 'user-nameless' }
    : undefined;
}

/** A new user cannot be created inactive: such a row is a create and then a change. */
export function needsChangeAfterCreate(row: Pick<RunRow, 'fields'>): boolean {
  return row.fields?.is_active === false;
}

/** Whether a created record still has another flag than its row wants; one that the answer does not show is taken for active. */
export function changeFollowsCreate({ fields }: Pick<RunRow, 'fields'>, { values }: KnownRecord): boolean {
  const wanted = fields?.is_active;
  return wanted !== undefined && (values.is_active ?? true) !== wanted;
}

/** The body of PATCH /user for one row: only the fields that change. */
export function userChange(row: RunRow, id: string): BodyOf<'update-user'> {
  const { display_name, is_active } = fieldsOf(row);
  const changes = (name: string): boolean =>
    row.before === null ? name === 'is_active' : name in row.before;
  return {
    id,
    ...(typeof display_name === 'string' && changes('display_name') ? { display_name } : {}),
    ...(typeof is_active === 'boolean' && changes('is_active') ? { is_active } : {}),
  };
}
